/** `user id`: look up the ids of user names (interface section 4, POST /users/username). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('user.id', {
	summary: 'Look up the ids of user names.',
	examples: [
		{ command: 'supportctl user id sofia.bauer', note: 'one name' },
		{ command: 'supportctl user id sofia.bauer jose.kaya --format ids', note: 'only ids, one a line' },
		{ command: 'echo sofia.bauer | supportctl user id -', note: 'names from a pipe, one a line' },
	],
});
