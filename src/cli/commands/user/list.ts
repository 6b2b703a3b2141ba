/** `user list`: the users that the caller may see. */

import { listCommand } from '../../lists/definition.js';

export const command = listCommand('user', {
	summary: 'List users.',
	examples: [
		{ command: 'supportctl user list', note: 'all users' },
		{ command: 'supportctl user list --roles agent --fields id,name,email', note: 'agents, some columns' },
	],
});
