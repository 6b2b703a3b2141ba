/** `reply delete`: trash replies, or delete them for good (interface section 4, DELETE /tickets/<ticket_id>/replies/<id>). */

import { endpoints } from '../../../api/endpoints.js';
import { forceOption, rowCommand } from '../../rows/row-command.js';

export const command = rowCommand({
	summary: 'Move replies to the trash, or delete them for good with --force.',
	examples: [
		{ command: 'supportctl reply delete 14 101', note: 'to the trash, after a question' },
		{ command: 'supportctl reply delete 14 101 102 --force --yes', note: 'for good, without one' },
		{ command: 'supportctl reply delete --input replies.csv --yes', note: 'columns ticket_id and id' },
	],
	positionals: [
		{ name: 'ticket_id', kind: 'id', help: 'The ticket of the replies' },
		{ name: 'id', kind: 'id', help: 'Reply ids, or - to read them from stdin' },
	],
	endpointFor: () => endpoints['reply.delete'],
	fields: [],
	verb: 'delete',
	nouns: 'replies',
	isDelete: true,
	options: [forceOption('Bypass the trash and delete permanently')],
});
