/** `user id`: look up the ids of user names (interface section 4, POST /users/username). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('user.id', {
	summary: 'Look up the ids of user names.',
	examples: [
		{ command: 'supportctl user id ada', note: 'one name' },
		{ command: 'supportctl user id ada grace --format ids', note: 'bare ids, one a line' },
		{ command: 'supportctl user id - < names.txt', note: 'names from a file' },
	],
});
