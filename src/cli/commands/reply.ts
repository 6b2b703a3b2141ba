/** The commands for replies: what each says of itself. */

import { editCommand, getCommand, listCommand } from '../lists/definition.js';
import { runCommand } from '../runs/definition.js';

export const update = () =>
	runCommand(
		'reply.update',
		[
			{ command: 'supportctl reply update 14 73 --content "Fixed in version 2"', note: 'one reply of ticket 14' },
			{ command: 'supportctl reply update 14 74 75 --author 3', note: 'several of one ticket' },
			{
				command: 'supportctl reply update --input replies.csv',
				note: 'replies.csv has the columns ticket_id, id, status',
			},
		],
		'A service may not check the ticket in the path: it may move the reply to that ticket. A response that shows another ticket or reply makes the row "differs".',
	);

export const edit = () =>
	editCommand('reply', [
		{ command: 'supportctl reply edit 14 21', note: 'reply 21 of ticket 14' },
		{ command: 'EDITOR=nano supportctl reply edit 14 21', note: 'in another editor' },
	]);

export const remove = () =>
	runCommand(
		'reply.delete',
		[
			{ command: 'supportctl reply delete 14 73', note: 'to the trash; asks first' },
			{ command: 'supportctl reply delete 14 74 75 --force --yes', note: 'permanently, without a question' },
			{
				command: 'supportctl reply delete --input spam.csv --yes',
				note: 'spam.csv has the columns ticket_id and id',
			},
		],
		'A service may not check the ticket in the path: it may delete the reply of another ticket. A response that shows another ticket or reply makes the row "differs".',
	);

export const list = () =>
	listCommand('reply', [
		{ command: 'supportctl reply list 14', note: 'all replies of ticket 14' },
		{ command: 'supportctl reply list 14 --format csv > r.csv', note: 'as reply update --input reads it' },
	]);

export const get = () =>
	getCommand('reply', [
		{ command: 'supportctl reply get 14 73', note: 'reply 73 of ticket 14' },
		{ command: 'supportctl reply get 14 73 74 --format csv', note: 'as reply update --input reads it' },
	]);
