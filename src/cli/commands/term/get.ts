/** `term get`: single terms of a taxonomy. */

import { getCommand } from '../../lists/definition.js';

export const command = getCommand('term', {
	summary: 'Show terms of a taxonomy.',
	examples: [
		{ command: 'supportctl term get product 11', note: 'one product' },
		{ command: 'supportctl term get ticket_priority 21 22 --format csv', note: 'as term update --input reads it' },
	],
});
