/** `ticket fields set`: set custom fields, compare before and after, keep the old values (interface section 4, POST /tickets/<ticket_id>/custom-fields). */

import { runCommand } from '../../../runs/definition.js';

export const command = runCommand('ticket.fields.set', {
	summary: 'Set custom fields of one ticket or of many.',
	description:
		'A service may ignore names that it does not know; --verify reads back and compares. In a file every column but the id is a custom field.',
	examples: [
		{ command: 'supportctl ticket fields set 14 --set severity=major --verify', note: 'one ticket, read back' },
		{ command: 'supportctl ticket fields set --input fields.csv --dry-run --diff', note: 'show old and new values' },
		{
			command: 'supportctl ticket fields set --input fields.csv --only-changed --snapshot',
			note: 'keep the old values for run undo',
		},
	],
});
