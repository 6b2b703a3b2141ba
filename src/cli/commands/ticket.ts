/** The commands for tickets: what each says of itself. */

import { editCommand, getCommand, listCommand } from '../lists/definition.js';
import { runCommand } from '../runs/definition.js';

export const update = () =>
	runCommand(
		'ticket.update',
		{
			'supportctl ticket update 14 --status hold --assignee 3': 'one ticket',
			'supportctl ticket update --input edits.csv --dry-run':
				'edits.csv has the columns id, status, assignee: show the requests',
			'seq 14 16 | supportctl ticket update - --department billing': 'ids from a pipe',
		},
		'A response that shows other values makes the row "differs".',
	);

export const edit = () =>
	editCommand('ticket', {
		'supportctl ticket edit 14': 'one ticket',
		"EDITOR='sed -i s/hold/queued/' supportctl ticket edit 14": 'by a script',
	});

export const remove = () =>
	runCommand('ticket.delete', {
		'supportctl ticket delete 14 15': 'to the trash; asks first',
		'supportctl ticket delete 16 --force --yes': 'permanently, without a question',
		'seq 17 20 | supportctl ticket delete - --yes --expect 4': 'ids from a pipe',
	});

export const list = () =>
	listCommand('ticket', {
		'supportctl ticket list --state open --assignee @me': 'your open tickets',
		'supportctl ticket list --format csv > t.csv': 'everything, as ticket update --input reads it',
		'supportctl ticket list --status hold --format ids | supportctl ticket update - --status queued':
			'edit what the list shows',
	});

export const get = () =>
	getCommand('ticket', {
		'supportctl ticket get 14': 'one ticket',
		'supportctl ticket get 14 15 --format csv': 'as ticket update --input reads it',
	});

export const getFields = () =>
	runCommand(
		'ticket.fields.get',
		{
			'supportctl ticket fields get 14': 'one ticket',
			'supportctl ticket fields get 14 --field order_number': 'one value, for a script',
			'supportctl ticket fields get 14 15 16': 'several, side by side',
			'seq 1 20 | supportctl ticket fields get - --format csv > fields.csv': 'many, as a file',
		},
		'Several tickets make one table with a column per field.',
	);

export const setFields = () =>
	runCommand(
		'ticket.fields.set',
		{
			'supportctl ticket fields set 14 --set severity=major --verify': 'one ticket, read back',
			'supportctl ticket fields set --input fields.csv --dry-run --diff': 'show old and new values',
			'supportctl ticket fields set --input fields.csv --only-changed --snapshot': 'keep the old values for run undo',
		},
		'A service may ignore names that it does not know; --verify reads back and compares. In a file every column but the id is a custom field.',
	);
