/** `attachment get`: single attachments. */

import { getCommand } from '../../lists/definition.js';

export const command = getCommand('attachment', {
	summary: 'Show attachments.',
	examples: [
		{ command: 'supportctl attachment get 9', note: 'one attachment' },
		{ command: 'supportctl attachment get 9 10 --format csv', note: 'as attachment update --input reads it' },
	],
});
