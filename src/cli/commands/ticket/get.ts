/** `ticket get`: single tickets. */

import { getCommand } from '../../lists/definition.js';

export const command = getCommand('ticket', {
	summary: 'Show tickets.',
	examples: [
		{ command: 'supportctl ticket get 14', note: 'one ticket' },
		{ command: 'supportctl ticket get 14 15 --format csv', note: 'as ticket update --input reads it' },
	],
});
