/** `user delete`: delete users for good and hand over what they leave (interface section 4, DELETE /users/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('user.delete', {
	summary: 'Delete users permanently and reassign what they leave.',
	description:
		"Users can't be trashed, so force=true is always sent. A user in the same set can't receive, and the account that is signed in can't be deleted.",
	examples: [
		{ command: 'supportctl user delete 21 --reassign 2', note: 'one user; user 2 receives' },
		{ command: 'supportctl user delete 21 22 23 --reassign 2 --yes', note: 'several, without a question' },
		{ command: 'supportctl user delete --input leavers.csv --yes --max 50', note: 'columns id and reassign' },
	],
});
