/** `term update`: change fields of terms (interface section 4, POST /ticket_priority/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('term.update', {
	summary: 'Change fields of terms of a taxonomy.',
	description: 'The API documents ticket_priority; --undocumented allows other taxonomies.',
	examples: [
		{ command: 'supportctl term update ticket_priority 23 --name Important', note: 'rename a priority' },
		{ command: 'supportctl term update ticket_priority 24 --parent 23 --slug critical', note: 'move it under another' },
		{ command: 'supportctl term update ticket_priority --input terms.csv', note: 'terms.csv has the columns id, name' },
	],
});
