/** The commands for terms: what each says of itself. */

import { editCommand, getCommand, listCommand } from '../lists/definition.js';
import { runCommand } from '../runs/definition.js';

export const update = () =>
	runCommand(
		'term.update',
		[
			{ command: 'supportctl term update ticket_priority 23 --name Important', note: 'rename a priority' },
			{
				command: 'supportctl term update ticket_priority 24 --parent 23 --slug critical',
				note: 'move it under another',
			},
			{
				command: 'supportctl term update ticket_priority --input terms.csv',
				note: 'terms.csv has the columns id, name',
			},
		],
		'The API documents ticket_priority; --undocumented allows other taxonomies.',
	);

export const edit = () =>
	editCommand('term', [
		{ command: 'supportctl term edit ticket_priority 5', note: 'one priority' },
		{ command: 'supportctl term edit product 9 --undocumented', note: 'a term of another taxonomy' },
	]);

export const remove = () =>
	runCommand(
		'term.delete',
		[
			{ command: 'supportctl term delete product 11 --force', note: 'a product; asks first' },
			{ command: 'supportctl term delete ticket_priority 21 --yes --force', note: 'a priority, without a question' },
			{ command: 'supportctl term delete product --input gone.csv --force --yes', note: 'gone.csv has the column id' },
		],
		'For product --force is needed. For ticket_priority the API does not document force; it is sent only if given.',
	);

export const list = () =>
	listCommand('term', [
		{ command: 'supportctl term list product', note: 'all products' },
		{ command: 'supportctl term list ticket_priority --format csv', note: 'as term update --input reads it' },
	]);

export const get = () =>
	getCommand('term', [
		{ command: 'supportctl term get product 11', note: 'one product' },
		{ command: 'supportctl term get ticket_priority 21 22 --format csv', note: 'as term update --input reads it' },
	]);
