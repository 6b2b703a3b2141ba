/** The commands for replies: what each says of itself. */

import { editCommand, getCommand, listCommand } from '../lists/definition.js';
import { runCommand } from '../runs/definition.js';

export const update = () =>
	runCommand(
		'reply.update',
		{
			'supportctl reply update 14 73 --content "Fixed in version 2"': 'one reply of ticket 14',
			'supportctl reply update 14 74 75 --author 3': 'several of one ticket',
			'supportctl reply update --input replies.csv': 'replies.csv has the columns ticket_id, id, status',
		},
		'A service may not check the ticket in the path: it may move the reply to that ticket. A response that shows another ticket or reply makes the row "differs".',
	);

export const edit = () =>
	editCommand('reply', {
		'supportctl reply edit 14 21': 'reply 21 of ticket 14',
		'EDITOR=nano supportctl reply edit 14 21': 'in another editor',
	});

export const remove = () =>
	runCommand(
		'reply.delete',
		{
			'supportctl reply delete 14 73': 'to the trash; asks first',
			'supportctl reply delete 14 74 75 --force --yes': 'permanently, without a question',
			'supportctl reply delete --input spam.csv --yes': 'spam.csv has the columns ticket_id and id',
		},
		'A service may not check the ticket in the path: it may delete the reply of another ticket. A response that shows another ticket or reply makes the row "differs".',
	);

export const list = () =>
	listCommand('reply', {
		'supportctl reply list 14': 'all replies of ticket 14',
		'supportctl reply list 14 --format csv > r.csv': 'as reply update --input reads it',
	});

export const get = () =>
	getCommand('reply', {
		'supportctl reply get 14 73': 'reply 73 of ticket 14',
		'supportctl reply get 14 73 74 --format csv': 'as reply update --input reads it',
	});
