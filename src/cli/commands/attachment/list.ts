/** `attachment list`: the attachments that the caller may see. */

import { listCommand } from '../../lists/definition.js';

export const command = listCommand('attachment', {
	summary: 'List attachments.',
	examples: [
		{ command: 'supportctl attachment list', note: 'all attachments' },
		{
			command: 'supportctl attachment list --after 2026-03-31 --format csv',
			note: 'as attachment update --input reads it',
		},
	],
});
