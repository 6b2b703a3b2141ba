/** `user edit`: one user in an editor. */

import { editCommand } from '../../edit/definition.js';

export const command = editCommand('user', [
	{ command: 'supportctl user edit 7', note: 'one user' },
	{ command: 'supportctl user edit @me', note: 'the account that is signed in' },
]);
