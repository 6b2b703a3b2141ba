/** `attachment update`: change fields of attachments (interface section 4, POST /attachments/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('attachment.update', {
	summary: 'Change fields of one attachment or of many.',
	examples: [
		{ command: 'supportctl attachment update 31 --alt-text "Screenshot of the error"', note: 'one attachment' },
		{ command: 'supportctl attachment update 31 32 --post 14', note: 'attach several to post 14' },
		{ command: 'supportctl attachment update --input attachments.csv', note: 'a row per attachment' },
	],
});
