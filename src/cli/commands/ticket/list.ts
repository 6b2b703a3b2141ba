/** `ticket list`: the tickets that the caller may see. */

import { listCommand } from '../../lists/definition.js';

export const command = listCommand('ticket', {
	summary: 'List tickets.',
	examples: [
		{ command: 'supportctl ticket list --state open --assignee @me', note: 'your open tickets' },
		{ command: 'supportctl ticket list --format csv > t.csv', note: 'everything, as ticket update --input reads it' },
		{
			command: 'supportctl ticket list --status hold --format ids | supportctl ticket update - --status queued',
			note: 'edit what the list shows',
		},
	],
});
