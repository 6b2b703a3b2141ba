/** `user password list`: the application passwords of a user, without the passwords. */

import { listCommand } from '../../../lists/definition.js';

export const command = listCommand('password', {
	summary: 'List the application passwords of a user.',
	examples: [
		{ command: 'supportctl user password list 7', note: 'names, slugs and dates' },
		{
			command: 'supportctl user password list 7 --format ids | supportctl user password delete 7 - --yes',
			note: 'delete all of them',
		},
	],
});
