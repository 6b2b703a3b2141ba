/** `attachment update`: change fields of attachments (interface section 4, POST /attachments/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('attachment.update', {
	summary: 'Change fields of one attachment or of many.',
	examples: [
		{ command: 'supportctl attachment update 51 --alt-text "Screenshot of the error"', note: 'one attachment' },
		{ command: 'supportctl attachment update 51 52 --post 14', note: 'attach several to ticket 14' },
		{
			command: 'supportctl attachment update --input attachments.csv',
			note: 'attachments.csv has the columns id, title',
		},
	],
});
