/** `term delete`: delete terms for good (interface section 4, DELETE /product/<id> and /ticket_priority/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('term.delete', {
	summary: "Delete terms of a taxonomy; terms can't be trashed.",
	description:
		'For product, --force is needed. For ticket_priority the API does not document what force means, so it is sent only if given.',
	examples: [
		{ command: 'supportctl term delete product 9 --force', note: 'a product, after a question' },
		{ command: 'supportctl term delete ticket_priority 5 --yes', note: 'a priority, without one' },
		{ command: 'supportctl term delete product --input gone.csv --force --yes', note: 'a row per term' },
	],
});
