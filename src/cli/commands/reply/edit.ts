/** `reply edit`: one reply of a ticket in an editor. */

import { editCommand } from '../../edit/definition.js';

export const command = editCommand('reply', [
	{ command: 'supportctl reply edit 14 21', note: 'reply 21 of ticket 14' },
	{ command: 'EDITOR=nano supportctl reply edit 14 21', note: 'in another editor' },
]);
