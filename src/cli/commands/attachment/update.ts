/** `attachment update`: change fields of attachments (interface section 4, POST /attachments/<id>). */

import { endpoints } from '../../../api/endpoints.js';
import { rowCommand } from '../../rows/row-command.js';

const endpoint = endpoints['attachment.update'];

export const command = rowCommand({
	summary: 'Change fields of one attachment or of many.',
	examples: [
		{ command: 'supportctl attachment update 31 --alt-text "Screenshot of the error"', note: 'one attachment' },
		{ command: 'supportctl attachment update 31 32 --post 14', note: 'attach several to post 14' },
		{ command: 'supportctl attachment update --input attachments.csv', note: 'a row per attachment' },
	],
	positionals: [{ name: 'id', kind: 'id', help: 'Attachment ids, or - to read them from stdin' }],
	endpointFor: () => endpoint,
	fields: endpoint.fields,
	verb: 'update',
	nouns: 'attachments',
	isDelete: false,
	options: [],
});
