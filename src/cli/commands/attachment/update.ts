/** `attachment update`: change fields of attachments (interface section 4, POST /attachments/<id>). */

import { endpoints } from '../../../api/endpoints.js';
import { endpointCommand } from '../../rows/row-command.js';

export const command = endpointCommand(endpoints['attachment.update'], {
	summary: 'Change fields of one attachment or of many.',
	examples: [
		{ command: 'supportctl attachment update 31 --alt-text "Screenshot of the error"', note: 'one attachment' },
		{ command: 'supportctl attachment update 31 32 --post 14', note: 'attach several to post 14' },
		{ command: 'supportctl attachment update --input attachments.csv', note: 'a row per attachment' },
	],
	verb: 'update',
	nouns: 'attachments',
});
