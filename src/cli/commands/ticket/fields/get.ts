/** `ticket fields get`: read custom fields (interface section 4, GET /tickets/<id>/custom-fields). */

import { runCommand } from '../../../runs/definition.js';

export const command = runCommand('ticket.fields.get', {
	summary: 'Read the custom fields of one ticket or of many.',
	description: 'Several tickets make one table with a column per field.',
	examples: [
		{ command: 'supportctl ticket fields get 14', note: 'one ticket' },
		{ command: 'supportctl ticket fields get 14 --field order_number', note: 'one value, for a script' },
		{ command: 'supportctl ticket fields get 14 15 16', note: 'several, side by side' },
		{ command: 'seq 1 20 | supportctl ticket fields get - --format csv > fields.csv', note: 'many, as a file' },
	],
});
