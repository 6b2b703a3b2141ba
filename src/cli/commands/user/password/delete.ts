/** `user password delete`: delete application passwords (interface section 4, DELETE /users/<user_id>/passwords/<slug>). */

import { runCommand } from '../../../runs/definition.js';

export const command = runCommand('user.password.delete', {
	summary: 'Delete application passwords of a user.',
	examples: [
		{ command: 'supportctl user password delete 7 laptop-2024', note: 'one, after a question' },
		{ command: 'supportctl user password delete 7 laptop-2024 phone --yes', note: 'several, without one' },
		{ command: 'supportctl user password delete --input passwords.csv --yes', note: 'columns user_id and slug' },
	],
});
