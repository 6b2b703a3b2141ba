/** `ticket delete`: move tickets to the trash, or delete them for good (interface section 4, DELETE /tickets/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('ticket.delete', {
	summary: 'Move tickets to the trash, or delete them permanently with --force.',
	examples: [
		{ command: 'supportctl ticket delete 14 15', note: 'to the trash, after a question' },
		{ command: 'supportctl ticket delete 14 --force --yes', note: 'permanently, without a question' },
		{ command: 'supportctl ticket delete - --yes --ignore-missing < ids.txt', note: 'ids from a file' },
	],
});
