/** `term update`: change fields of terms (interface section 4, POST /ticket_priority/<id>). */

import { termTaxonomies } from '../../../api/endpoints.js';
import { rowCommand, STDIN_IDS } from '../../rows/row-command.js';
import { taxonomyEndpoint } from '../../rows/taxonomy.js';

export const command = rowCommand({
	summary: 'Change fields of terms of a taxonomy.',
	description:
		'The interface shows a route for ticket_priority; --undocumented sends to another taxonomy all the same.',
	examples: [
		{ command: 'supportctl term update ticket_priority 5 --name Urgent', note: 'rename a priority' },
		{ command: 'supportctl term update ticket_priority 5 --parent 2 --slug urgent', note: 'move it under another' },
		{ command: 'supportctl term update ticket_priority --input terms.csv', note: 'a row per term' },
	],
	positionals: [
		{ name: 'taxonomy', kind: 'taxonomy', help: 'The taxonomy', choices: termTaxonomies('update') },
		{ name: 'id', kind: 'id', help: `Term ids${STDIN_IDS}` },
	],
	endpointFor: (taxonomy, undocumented) => taxonomyEndpoint('update', taxonomy, undocumented),
	verb: 'update',
	nouns: 'terms',
	options: [],
});
