/** `run undo`: write back the old values that a run kept, as a new run. */

import { defineCommand } from '../../command.js';
import { connectionOptions } from '../../options/connection.js';
import { options } from '../../options/option.js';
import { outputOptions } from '../../options/output.js';
import { guardOptions, tuningOptions } from '../../options/run.js';
import { runArgument } from '../../run-argument.js';
import type { RunInvocation } from '../../runs/job.js';
import { journalOptions } from '../../runs/options.js';

export const command = defineCommand({
	summary: 'Revert a run that was made with --snapshot.',
	description:
		'Objects whose value is no longer what the run wrote are left alone, unless --overwrite is given. An undo keeps old values too, so that it can be undone.',
	examples: [
		{ command: 'supportctl run undo last --dry-run --diff', note: 'see what would change' },
		{ command: 'supportctl run undo 20261122-081554 --yes', note: 'without a question' },
	],
	arguments: [runArgument],
	options: [
		...options([
			{ flags: '--overwrite', help: 'Restore values that were changed since the run, too', group: 'Rows' },
			{ flags: '--diff', help: 'With --dry-run: read, and show old and new values', group: 'Checks' },
		]),
		...guardOptions,
		...tuningOptions,
		...journalOptions,
		...outputOptions,
		...connectionOptions,
	],
	async run(invocation) {
		const call = invocation as RunInvocation;
		const { checkEnded, pastRun, sendAgain } = await import('../../runs/past.js');
		const past = pastRun(invocation);
		checkEnded(past);
		const { undoPlan } = await import('../../../bulk/run/undo.js');
		const plan = undoPlan(past.header, past.path, invocation.options.overwrite === true);
		return await sendAgain(past, call, { plan });
	},
});
