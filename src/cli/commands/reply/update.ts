/** `reply update`: change fields of replies (interface section 4, POST /tickets/<ticket_id>/replies/<id>). */

import { endpoints } from '../../../api/endpoints.js';
import { rowCommand } from '../../rows/row-command.js';

const endpoint = endpoints['reply.update'];

export const command = rowCommand({
	summary: 'Change fields of one reply or of many.',
	examples: [
		{ command: 'supportctl reply update 14 101 --content @answer.html', note: 'one reply of ticket 14' },
		{ command: 'supportctl reply update 14 101 102 --author 7', note: 'several of one ticket' },
		{ command: 'supportctl reply update --input replies.csv', note: 'columns ticket_id, id and the fields' },
	],
	positionals: [
		{ name: 'ticket_id', kind: 'id', help: 'The ticket of the replies' },
		{ name: 'id', kind: 'id', help: 'Reply ids, or - to read them from stdin' },
	],
	endpointFor: () => endpoint,
	fields: endpoint.fields,
	verb: 'update',
	nouns: 'replies',
	isDelete: false,
	options: [],
});
