/** `user password delete`: delete application passwords (interface section 4, DELETE /users/<user_id>/passwords/<slug>). */

import { endpoints } from '../../../../api/endpoints.js';
import { rowCommand } from '../../../rows/row-command.js';

export const command = rowCommand({
	summary: 'Delete application passwords of a user.',
	examples: [
		{ command: 'supportctl user password delete 7 laptop-2024', note: 'one, after a question' },
		{ command: 'supportctl user password delete 7 laptop-2024 phone --yes', note: 'several, without one' },
		{ command: 'supportctl user password delete --input passwords.csv --yes', note: 'columns user_id and slug' },
	],
	positionals: [
		{ name: 'user_id', kind: 'id', help: 'The user whose passwords they are' },
		{ name: 'slug', kind: 'slug', help: 'Slugs of the passwords, or - to read them from stdin' },
	],
	endpointFor: () => endpoints['user.password.delete'],
	fields: [],
	verb: 'delete',
	nouns: 'application passwords',
	isDelete: true,
	options: [],
});
