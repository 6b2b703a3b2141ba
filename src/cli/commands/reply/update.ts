/** `reply update`: change fields of replies (interface section 4, POST /tickets/<ticket_id>/replies/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('reply.update', {
	summary: 'Change fields of one reply or of many.',
	description:
		'A service may not check the ticket in the path: it may move the reply to that ticket. A response that shows another ticket or reply makes the row "differs".',
	examples: [
		{ command: 'supportctl reply update 14 101 --content @answer.html', note: 'one reply of ticket 14' },
		{ command: 'supportctl reply update 14 101 102 --author 7', note: 'several of one ticket' },
		{ command: 'supportctl reply update --input replies.csv', note: 'columns ticket_id, id and the fields' },
	],
});
