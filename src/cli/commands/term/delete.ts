/** `term delete`: delete terms for good (interface section 4, DELETE /product/<id> and /ticket_priority/<id>). */

import { termTaxonomies } from '../../../api/endpoints.js';
import { forceOption, rowCommand, STDIN_IDS } from '../../rows/row-command.js';
import { taxonomyEndpoint } from '../../rows/taxonomy.js';

export const command = rowCommand({
	summary: "Delete terms of a taxonomy; terms can't be trashed.",
	description:
		'For product, --force is needed. For ticket_priority the interface does not show what force means, so it is sent only if given.',
	examples: [
		{ command: 'supportctl term delete product 9 --force', note: 'a product, after a question' },
		{ command: 'supportctl term delete ticket_priority 5 --yes', note: 'a priority, without one' },
		{ command: 'supportctl term delete product --input gone.csv --force --yes', note: 'a row per term' },
	],
	positionals: [
		{ name: 'taxonomy', kind: 'taxonomy', help: 'The taxonomy', choices: termTaxonomies('delete') },
		{ name: 'id', kind: 'id', help: `Term ids${STDIN_IDS}` },
	],
	endpointFor: (taxonomy, undocumented) => taxonomyEndpoint('delete', taxonomy, undocumented),
	verb: 'delete',
	nouns: 'terms',
	options: [forceOption("Delete permanently: needed for product, whose terms can't be trashed")],
});
