/** `term delete`: delete terms for good (interface section 4, DELETE /product/<id> and /ticket_priority/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('term.delete', {
	summary: 'Delete terms of a taxonomy permanently.',
	description:
		'For product --force is needed. For ticket_priority the API does not document force; it is sent only if given.',
	examples: [
		{ command: 'supportctl term delete product 11 --force', note: 'a product; asks first' },
		{ command: 'supportctl term delete ticket_priority 21 --yes --force', note: 'a priority, without a question' },
		{ command: 'supportctl term delete product --input gone.csv --force --yes', note: 'gone.csv has the column id' },
	],
});
