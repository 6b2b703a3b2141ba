/** `ticket delete`: move tickets to the trash, or delete them for good (interface section 4, DELETE /tickets/<id>). */

import { endpoints } from '../../../api/endpoints.js';
import { forceOption, rowCommand } from '../../rows/row-command.js';

export const command = rowCommand({
	summary: 'Move tickets to the trash, or delete them for good with --force.',
	examples: [
		{ command: 'supportctl ticket delete 14 15', note: 'to the trash, after a question' },
		{ command: 'supportctl ticket delete 14 --force --yes', note: 'for good, without one' },
		{ command: 'supportctl ticket delete - --yes --ignore-missing < ids.txt', note: 'ids from a file' },
	],
	positionals: [{ name: 'id', kind: 'id', help: 'Ticket ids, or - to read them from stdin' }],
	endpointFor: () => endpoints['ticket.delete'],
	fields: [],
	verb: 'delete',
	nouns: 'tickets',
	isDelete: true,
	options: [forceOption('Bypass the trash and delete permanently')],
});
