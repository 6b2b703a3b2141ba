/** `ticket delete`: move tickets to the trash, or delete them for good (interface section 4, DELETE /tickets/<id>). */

import { endpoints } from '../../../api/endpoints.js';
import { endpointCommand } from '../../rows/row-command.js';

export const command = endpointCommand(endpoints['ticket.delete'], {
	summary: 'Move tickets to the trash, or delete them for good with --force.',
	examples: [
		{ command: 'supportctl ticket delete 14 15', note: 'to the trash, after a question' },
		{ command: 'supportctl ticket delete 14 --force --yes', note: 'for good, without one' },
		{ command: 'supportctl ticket delete - --yes --ignore-missing < ids.txt', note: 'ids from a file' },
	],
	verb: 'delete',
	nouns: 'tickets',
});
