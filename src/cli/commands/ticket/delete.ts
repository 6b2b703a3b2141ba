/** `ticket delete`: move tickets to the trash, or delete them for good (interface section 4, DELETE /tickets/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('ticket.delete', {
	summary: 'Move tickets to the trash, or delete them permanently with --force.',
	examples: [
		{ command: 'supportctl ticket delete 14 15', note: 'to the trash; asks first' },
		{ command: 'supportctl ticket delete 16 --force --yes', note: 'permanently, without a question' },
		{ command: 'seq 17 20 | supportctl ticket delete - --yes --expect 4', note: 'ids from a pipe' },
	],
});
