/** `run retry`: send rows of an earlier run again, as a new run. */

import { summariseRun } from '../../../bulk/journal/folder.js';
import { ExitCode } from '../../../errors.js';
import { defineCommand } from '../../command.js';
import { connectionOptions } from '../../options/connection.js';
import { options } from '../../options/option.js';
import { outputOptions } from '../../options/output.js';
import { guardOptions, tuningOptions } from '../../options/run.js';
import { runArgument } from '../../run-argument.js';
import type { RunInvocation } from '../../runs/job.js';
import { againOptions, journalOptions } from '../../runs/options.js';

export const command = defineCommand({
	summary: 'Retry the failed rows of a run, as a new run.',
	description: 'The rows, mapping, values and checks are those of the earlier run; its input must be unchanged.',
	examples: [
		{ command: 'supportctl run retry last', note: 'the failed rows of the newest run' },
		{ command: 'supportctl run retry last --outcome failed,differs', note: 'and those that show other values' },
	],
	arguments: [runArgument],
	options: [
		...options([
			{
				flags: '--outcome <names>',
				help: 'Rows with these outcomes: failed, differs, invalid, unknown',
				group: 'Rows',
				repeatable: true,
				suggests: ['failed', 'differs', 'invalid', 'unknown'],
				defaultText: 'failed',
			},
			{ flags: '--input <file>', help: 'Where the input is now', group: 'Input', completes: 'files' },
		]),
		...againOptions,
		...guardOptions,
		...tuningOptions,
		...journalOptions,
		...outputOptions,
		...connectionOptions,
	],
	async run(invocation) {
		const call = invocation as RunInvocation;
		const { checkEnded, outcomesOf, pastRun, secretsAgain, sendAgain, withInput } = await import('../../runs/past.js');
		const past = pastRun(invocation);
		checkEnded(past);
		const { retryPlan } = await import('../../../bulk/run/open.js');
		const outcomes = outcomesOf(invocation.options.outcome);
		const { counts } = await summariseRun(past.path, past.header.id);
		if (counts !== undefined && outcomes.every((name) => counts[name] === 0)) {
			invocation.context.stderr.write(`run ${past.header.id} has no row that is ${outcomes.join(' or ')}\n`);
			return ExitCode.ok;
		}
		const plan = retryPlan(past.header, withInput(past, call), past.path, outcomes);
		return await sendAgain(past, call, { plan, secrets: await secretsAgain(past, call) });
	},
});
