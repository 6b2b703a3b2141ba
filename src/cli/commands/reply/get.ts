/** `reply get`: single replies of a ticket. */

import { getCommand } from '../../lists/definition.js';

export const command = getCommand('reply', {
	summary: 'Show replies of a ticket.',
	examples: [
		{ command: 'supportctl reply get 14 73', note: 'reply 21 of ticket 14' },
		{ command: 'supportctl reply get 14 73 74 --format csv', note: 'as reply update --input reads it' },
	],
});
