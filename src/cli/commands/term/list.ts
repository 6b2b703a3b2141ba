/** `term list`: the terms of a taxonomy. */

import { listCommand } from '../../lists/definition.js';

export const command = listCommand('term', {
	summary: 'List the terms of a taxonomy.',
	examples: [
		{ command: 'supportctl term list product', note: 'all products' },
		{ command: 'supportctl term list ticket_priority --format csv', note: 'as term update --input reads it' },
	],
});
