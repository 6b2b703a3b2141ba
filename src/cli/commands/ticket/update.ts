/** `ticket update`: change fields of tickets (interface section 4, POST /tickets/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('ticket.update', {
	summary: 'Change fields of one ticket or of many.',
	description: 'A response that shows other values makes the row "differs".',
	examples: [
		{ command: 'supportctl ticket update 14 --status hold --assignee 3', note: 'one ticket' },
		{
			command: 'supportctl ticket update --input edits.csv --dry-run',
			note: 'edits.csv has the columns id, status, assignee: show the requests',
		},
		{ command: 'seq 14 16 | supportctl ticket update - --department billing', note: 'ids from a pipe' },
	],
});
