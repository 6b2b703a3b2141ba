/** `attachment edit`: one attachment in an editor. */

import { editCommand } from '../../edit/definition.js';

export const command = editCommand('attachment', [
	{ command: 'supportctl attachment edit 9', note: 'one attachment' },
	{ command: 'EDITOR=nano supportctl attachment edit 9', note: 'in another editor' },
]);
