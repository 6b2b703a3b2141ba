/** `term update`: change fields of terms (interface section 4, POST /ticket_priority/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('term.update', {
	summary: 'Change fields of terms of a taxonomy.',
	description:
		'The interface shows a route for ticket_priority; --undocumented sends to another taxonomy all the same.',
	examples: [
		{ command: 'supportctl term update ticket_priority 5 --name Urgent', note: 'rename a priority' },
		{ command: 'supportctl term update ticket_priority 5 --parent 2 --slug urgent', note: 'move it under another' },
		{ command: 'supportctl term update ticket_priority --input terms.csv', note: 'a row per term' },
	],
});
