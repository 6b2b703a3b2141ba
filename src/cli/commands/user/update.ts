/** `user update`: change fields of users; a password comes from stdin or a prompt (interface section 4, POST /users/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('user.update', {
	summary: 'Change fields of one user or of many.',
	description: 'Here --username is the field; who calls comes from the profile or SUPPORTCTL_USERNAME.',
	examples: [
		{ command: 'supportctl user update 7 --roles agent,editor --support-can-be-assigned true', note: 'one user' },
		{ command: 'pass show desk/ada | supportctl user update 7 --password-stdin', note: 'a new password' },
		{ command: 'supportctl user update --input users.csv --dry-run', note: 'see what would be sent' },
	],
});
