/** `term edit`: one term of a taxonomy in an editor. */

import { editCommand } from '../../edit/definition.js';

export const command = editCommand('term', [
	{ command: 'supportctl term edit ticket_priority 5', note: 'one priority' },
	{ command: 'supportctl term edit product 9 --undocumented', note: 'a term of another taxonomy' },
]);
