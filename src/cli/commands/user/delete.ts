/** `user delete`: delete users for good and hand over what they leave (interface section 4, DELETE /users/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('user.delete', {
	summary: 'Delete users permanently and reassign their posts.',
	description:
		"Users can't be moved to the trash, so force=true is always sent. --reassign can't name a user of the same set, and the account that is signed in can't be deleted.",
	examples: [
		{ command: 'supportctl user delete 6 --reassign 2', note: 'one user; user 2 receives the posts' },
		{
			command: 'supportctl user delete --by-username anna.mbeki --reassign-username emeka.park',
			note: 'by name; asks first',
		},
		{ command: 'supportctl user delete 7 8 9 --reassign 2 --yes', note: 'several, without a question' },
		{
			command: 'supportctl user delete --input leavers.csv --yes --max 50',
			note: 'leavers.csv has the columns id and reassign',
		},
	],
});
