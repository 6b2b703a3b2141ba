/** `user update`: change fields of users; a password comes from stdin or a prompt (interface section 4, POST /users/<id>). */

import { runCommand } from '../../runs/definition.js';

export const command = runCommand('user.update', {
	summary: 'Change fields of one user or of many.',
	description: 'Here --username is the field; the profile or SUPPORTCTL_USERNAME names who signs in.',
	examples: [
		{ command: 'supportctl user update 7 --roles agent --support-can-be-assigned true', note: 'one user' },
		{ command: 'openssl rand -base64 18 | supportctl user update 7 --password-stdin', note: 'a new password' },
		{ command: 'supportctl user update --input users.csv --dry-run', note: 'show the requests' },
	],
});
