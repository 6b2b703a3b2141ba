/** `ticket update`: change fields of tickets (interface section 4, POST /tickets/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('ticket.update', {
	summary: 'Change fields of one ticket or of many.',
	description:
		'Only the fields that are given are sent. What the service answers is compared with what was asked for, and a difference is shown.',
	examples: [
		{ command: 'supportctl ticket update 14 --status hold --assignee 7', note: 'one ticket' },
		{ command: 'supportctl ticket update --input edits.csv', note: 'a row per ticket, a column per field' },
		{ command: 'cut -f1 list.tsv | supportctl ticket update - --department billing', note: 'ids from a pipe' },
	],
});
