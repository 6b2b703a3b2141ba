/** The flags for what a profile can hold beside a connection: defaults for later commands, and its guards. */

import { formats } from '../../output/columns.js';
import { options } from './option.js';

const group = 'Kept in the profile';

export const guardDefaults = options([
	{ flags: '--protected', help: 'Every write will need --confirm=PROFILE', group },
	{ flags: '--no-protected', help: 'Writes need no confirmation by name', group },
	{ flags: '--allow-http', help: 'Let credentials travel unencrypted to this host', group },
	{ flags: '--no-allow-http', help: 'Insist on https://', group },
]);

export const runDefaults = options([
	{ flags: '-j, --concurrency <n>', help: 'Requests under way at a time', group },
	{ flags: '--rate <n>', help: 'At most N requests a second', group },
	{
		flags: '--format <format>',
		help: 'How results are printed',
		group,
		choices: formats,
	},
	{ flags: '--snapshot', help: 'Updates and moves to the trash keep old values, for run undo', group },
	{ flags: '--no-snapshot', help: 'Only those with --snapshot keep old values', group },
]);
