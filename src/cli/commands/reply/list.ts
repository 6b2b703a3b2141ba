/** `reply list`: the replies of a ticket. */

import { listCommand } from '../../lists/definition.js';

export const command = listCommand('reply', {
	summary: 'List the replies of a ticket.',
	examples: [
		{ command: 'supportctl reply list 14', note: 'all replies of ticket 14' },
		{ command: 'supportctl reply list 14 --format csv > r.csv', note: 'as reply update --input reads it' },
	],
});
