/** `user password delete`: delete application passwords (interface section 4, DELETE /users/<user_id>/passwords/<slug>). */

import { endpoints } from '../../../../api/endpoints.js';
import { endpointCommand } from '../../../rows/row-command.js';

export const command = endpointCommand(endpoints['user.password.delete'], {
	summary: 'Delete application passwords of a user.',
	examples: [
		{ command: 'supportctl user password delete 7 laptop-2024', note: 'one, after a question' },
		{ command: 'supportctl user password delete 7 laptop-2024 phone --yes', note: 'several, without one' },
		{ command: 'supportctl user password delete --input passwords.csv --yes', note: 'columns user_id and slug' },
	],
	verb: 'delete',
	nouns: 'application passwords',
});
