/** `reply delete`: trash replies, or delete them for good (interface section 4, DELETE /tickets/<ticket_id>/replies/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('reply.delete', {
	summary: 'Move replies to the trash, or delete them permanently with --force.',
	description:
		'A service may not check the ticket in the path: it may delete the reply of another ticket. A response that shows another ticket or reply makes the row "differs".',
	examples: [
		{ command: 'supportctl reply delete 14 73', note: 'to the trash; asks first' },
		{ command: 'supportctl reply delete 14 74 75 --force --yes', note: 'permanently, without a question' },
		{
			command: 'supportctl reply delete --input spam.csv --yes',
			note: 'spam.csv has the columns ticket_id and id',
		},
	],
});
