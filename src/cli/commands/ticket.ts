/** The commands for tickets: what each says of itself. */

import { editCommand, getCommand, listCommand } from '../lists/definition.js';
import { runCommand } from '../runs/definition.js';

export const update = () =>
	runCommand(
		'ticket.update',
		[
			{ command: 'supportctl ticket update 14 --status hold --assignee 3', note: 'one ticket' },
			{
				command: 'supportctl ticket update --input edits.csv --dry-run',
				note: 'edits.csv has the columns id, status, assignee: show the requests',
			},
			{ command: 'seq 14 16 | supportctl ticket update - --department billing', note: 'ids from a pipe' },
		],
		'A response that shows other values makes the row "differs".',
	);

export const edit = () =>
	editCommand('ticket', [
		{ command: 'supportctl ticket edit 14', note: 'one ticket' },
		{ command: "EDITOR='sed -i s/hold/queued/' supportctl ticket edit 14", note: 'by a script' },
	]);

export const remove = () =>
	runCommand('ticket.delete', [
		{ command: 'supportctl ticket delete 14 15', note: 'to the trash; asks first' },
		{ command: 'supportctl ticket delete 16 --force --yes', note: 'permanently, without a question' },
		{ command: 'seq 17 20 | supportctl ticket delete - --yes --expect 4', note: 'ids from a pipe' },
	]);

export const list = () =>
	listCommand('ticket', [
		{ command: 'supportctl ticket list --state open --assignee @me', note: 'your open tickets' },
		{ command: 'supportctl ticket list --format csv > t.csv', note: 'everything, as ticket update --input reads it' },
		{
			command: 'supportctl ticket list --status hold --format ids | supportctl ticket update - --status queued',
			note: 'edit what the list shows',
		},
	]);

export const get = () =>
	getCommand('ticket', [
		{ command: 'supportctl ticket get 14', note: 'one ticket' },
		{ command: 'supportctl ticket get 14 15 --format csv', note: 'as ticket update --input reads it' },
	]);

export const getFields = () =>
	runCommand(
		'ticket.fields.get',
		[
			{ command: 'supportctl ticket fields get 14', note: 'one ticket' },
			{ command: 'supportctl ticket fields get 14 --field order_number', note: 'one value, for a script' },
			{ command: 'supportctl ticket fields get 14 15 16', note: 'several, side by side' },
			{ command: 'seq 1 20 | supportctl ticket fields get - --format csv > fields.csv', note: 'many, as a file' },
		],
		'Several tickets make one table with a column per field.',
	);

export const setFields = () =>
	runCommand(
		'ticket.fields.set',
		[
			{ command: 'supportctl ticket fields set 14 --set severity=major --verify', note: 'one ticket, read back' },
			{ command: 'supportctl ticket fields set --input fields.csv --dry-run --diff', note: 'show old and new values' },
			{
				command: 'supportctl ticket fields set --input fields.csv --only-changed --snapshot',
				note: 'keep the old values for run undo',
			},
		],
		'A service may ignore names that it does not know; --verify reads back and compares. In a file every column but the id is a custom field.',
	);
