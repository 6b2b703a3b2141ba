/** `user get`: single users. */

import { getCommand } from '../../lists/definition.js';

export const command = getCommand('user', {
	summary: 'Show users.',
	examples: [
		{ command: 'supportctl user get 7', note: 'one user' },
		{ command: 'supportctl user get 7 8 --format csv', note: 'as user update --input reads it' },
	],
});
