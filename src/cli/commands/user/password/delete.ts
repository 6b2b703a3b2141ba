/** `user password delete`: delete application passwords (interface section 4, DELETE /users/<user_id>/passwords/<slug>). */

import { runCommand } from '../../../runs/definition.js';

export const command = runCommand('user.password.delete', {
	summary: 'Delete application passwords of a user.',
	examples: [
		{ command: 'supportctl user password delete 3 dbdda915eca0', note: 'one; asks first' },
		{
			command: 'supportctl user password delete 4 92bbd263db1b 64043edfb057 --yes',
			note: 'several, without a question',
		},
		{
			command: 'supportctl user password delete --input passwords.csv --yes',
			note: 'passwords.csv has the columns user_id and slug',
		},
	],
});
