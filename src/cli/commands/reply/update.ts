/** `reply update`: change fields of replies (interface section 4, POST /tickets/<ticket_id>/replies/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('reply.update', {
	summary: 'Change fields of one reply or of many.',
	description:
		'A service may not check the ticket in the path: it may move the reply to that ticket. A response that shows another ticket or reply makes the row "differs".',
	examples: [
		{ command: 'supportctl reply update 14 73 --content "Fixed in version 2"', note: 'one reply of ticket 14' },
		{ command: 'supportctl reply update 14 74 75 --author 3', note: 'several of one ticket' },
		{
			command: 'supportctl reply update --input replies.csv',
			note: 'replies.csv has the columns ticket_id, id, status',
		},
	],
});
