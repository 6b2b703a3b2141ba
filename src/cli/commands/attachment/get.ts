/** `attachment get`: single attachments. */

import { getCommand } from '../../lists/definition.js';

export const command = getCommand('attachment', {
	summary: 'Show attachments.',
	examples: [
		{ command: 'supportctl attachment get 51', note: 'one attachment' },
		{ command: 'supportctl attachment get 51 52 --format csv', note: 'as attachment update --input reads it' },
	],
});
