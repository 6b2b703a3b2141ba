/** `ticket edit`: one ticket in an editor. */

import { editCommand } from '../../edit/definition.js';

export const command = editCommand('ticket', [
	{ command: 'supportctl ticket edit 14', note: 'one ticket' },
	{ command: "EDITOR='sed -i s/hold/queued/' supportctl ticket edit 14", note: 'by a script' },
]);
