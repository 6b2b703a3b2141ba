/** `run undo`: puts back the custom fields that a run with `--snapshot` overwrote. */

import { defineCommand } from '../../command.js';
import { connectionOptions } from '../../options/connection.js';
import { allBut } from '../../options/option.js';
import { outputOptions } from '../../options/output.js';
import { engineOptions, guardOptions } from '../../options/run.js';
import { runArgument } from '../../run-argument.js';

export const command = defineCommand({
	summary: 'Put back what a run of ticket fields set --snapshot overwrote.',
	description:
		'It says which run it is, when it was, what it did and how many tickets are meant, and asks. It is a run of its own: it reads first, sends only what differs, reads back, and keeps what it overwrites, so that it can be resumed and undone. A field that a ticket did not have before stays as it is, since the interface shows no way to remove one. Values go back with the types that they had; a row with a number that can not be held exactly fails and is not written.',
	examples: [
		{ command: 'supportctl run undo last --dry-run --diff', note: 'see what would be put back' },
		{ command: 'supportctl run undo 20261121-0815', note: 'put it back, after a question' },
		{ command: 'supportctl run undo 20261121-0815 --yes', note: 'without one' },
	],
	arguments: [runArgument],
	options: [
		{ flags: '--diff', help: 'With --dry-run: read, and show old and new values', group: 'Guards' },
		...guardOptions,
		...allBut(engineOptions, 'shard'),
		...outputOptions,
		...connectionOptions,
	],
	async run(invocation) {
		return (await import('../../rows/undo.js')).undoRun(invocation);
	},
});
