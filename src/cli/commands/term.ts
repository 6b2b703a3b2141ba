/** The commands for terms: what each says of itself. */

import { editCommand, getCommand, listCommand } from '../lists/definition.js';
import { runCommand } from '../runs/definition.js';

export const update = () =>
	runCommand(
		'term.update',
		{
			'supportctl term update ticket_priority 23 --name Important': 'rename a priority',
			'supportctl term update ticket_priority 24 --parent 23 --slug critical': 'move it under another',
			'supportctl term update ticket_priority --input terms.csv': 'terms.csv has the columns id, name',
		},
		'The API documents ticket_priority; --undocumented allows other taxonomies.',
	);

export const edit = () =>
	editCommand('term', {
		'supportctl term edit ticket_priority 5': 'one priority',
		'supportctl term edit product 9 --undocumented': 'a term of another taxonomy',
	});

export const remove = () =>
	runCommand(
		'term.delete',
		{
			'supportctl term delete product 11 --force': 'a product; asks first',
			'supportctl term delete ticket_priority 21 --yes --force': 'a priority, without a question',
			'supportctl term delete product --input gone.csv --force --yes': 'gone.csv has the column id',
		},
		'For product --force is needed. For ticket_priority the API does not document force; it is sent only if given.',
	);

export const list = () =>
	listCommand('term', {
		'supportctl term list product': 'all products',
		'supportctl term list ticket_priority --format csv': 'as term update --input reads it',
	});

export const get = () =>
	getCommand('term', {
		'supportctl term get product 11': 'one product',
		'supportctl term get ticket_priority 21 22 --format csv': 'as term update --input reads it',
	});
