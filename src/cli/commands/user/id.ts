/** `user id`: look up the ids of user names (interface section 4, POST /users/username). */

import { endpoints } from '../../../api/endpoints.js';
import { rowCommand, STDIN_IDS } from '../../rows/row-command.js';

export const command = rowCommand({
	summary: 'Look up the ids of user names.',
	examples: [
		{ command: 'supportctl user id ada', note: 'one name' },
		{ command: 'supportctl user id ada grace --format ids', note: 'bare ids, one a line' },
		{ command: 'supportctl user id - < names.txt', note: 'names from a file' },
	],
	positionals: [{ name: 'username', kind: 'text', help: `User names${STDIN_IDS}` }],
	endpointFor: () => endpoints['user.id'],
	verb: 'look up',
	nouns: 'user names',
	options: [],
});
