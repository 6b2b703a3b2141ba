/** `whoami`: the account that is signed in. */

import { ownAccountCommand } from '../lists/definition.js';

export const command = ownAccountCommand({
	summary: 'Show the account that is signed in.',
	examples: [
		{ command: 'supportctl whoami', note: 'who, and on which service' },
		{ command: 'supportctl whoami --field id', note: 'your id alone' },
	],
});
