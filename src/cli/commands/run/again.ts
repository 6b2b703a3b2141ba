/** `run resume`, `run retry` and `run undo`: rows of an earlier run are sent again, with its own plan. */

import { exitCodeOf, openRows } from '../../../bulk/journal/counts.js';
import { summariseRun } from '../../../bulk/journal/folder.js';
import { ExitCode } from '../../../errors.js';
import { defineCommand } from '../../command.js';
import { options, pick } from '../../options/option.js';
import { connectionOptions, guardOptions, outputOptions, tuningOptions } from '../../options/shared.js';
import {
	checkOptions,
	outcomeOption,
	type RunInvocation,
	runArgument,
	runOptions,
	valueOptions,
} from '../../runs/options.js';

const past = () => import('../../runs/past.js');

/** Where the input is now, and secret values that no journal keeps. */
const givenAgain = [
	...options('Input', [{ flags: '--input <file>', help: 'Where the input is now', completes: 'files' }]),
	...pick(valueOptions, 'data', 'password-stdin', 'password-prompt'),
] as const;

const sendOptions = [...guardOptions, ...tuningOptions, ...outputOptions, ...connectionOptions] as const;

export const resume = defineCommand({
	description:
		'The plan of the run comes from its journal: command, input, columns, values and checks. Where to sign in comes from this call, and must be the service of the run. A changed input is refused.',
	examples: {
		'supportctl run resume last': 'the newest run',
		'supportctl run resume last --verify': 'read objects back, which settles unknown outcomes',
	},
	arguments: [runArgument],
	options: [...givenAgain, ...pick(checkOptions, 'verify'), ...sendOptions],
	async run(invocation) {
		const { pastRun, sendAgain } = await past();
		const run = pastRun(invocation.args[0], invocation.context);
		const { id, plan } = run.header;
		const { end } = await summariseRun(run.path, id);
		if (end !== undefined && openRows(end.counts) === 0) {
			invocation.context.stderr.write(`run ${id} is done: there is nothing to send\n`);
			return exitCodeOf(end.counts);
		}
		const checks = { ...plan.checks, verify: plan.checks.verify || invocation.options.verify === true };
		return await sendAgain(run, invocation as RunInvocation, { ...plan, checks }, { isResume: true });
	},
});

export const retry = defineCommand({
	description: 'The rows, mapping, values and checks are those of the earlier run; its input must be unchanged.',
	examples: {
		'supportctl run retry last': 'the failed rows of the newest run',
		'supportctl run retry last --outcome failed,differs': 'and those that show other values',
	},
	arguments: [runArgument],
	options: [
		outcomeOption('Rows with these outcomes', ['failed', 'differs', 'invalid', 'unknown'], 'failed'),
		...givenAgain,
		...sendOptions,
		...pick(runOptions, 'journal'),
	],
	async run(invocation) {
		const { checkEnded, pastRun, sendAgain } = await past();
		const run = pastRun(invocation.args[0], invocation.context);
		const { path, header } = run;
		checkEnded(run);
		const outcomes = invocation.options.outcome?.flat() ?? ['failed'];
		const { counts } = await summariseRun(path, header.id);
		if (counts !== undefined && outcomes.every((name) => counts[name] === 0)) {
			invocation.context.stderr.write(`run ${header.id} has no row that is ${outcomes.join(' or ')}\n`);
			return ExitCode.ok;
		}
		const { retryPlan } = await import('../../../bulk/run/open.js');
		return await sendAgain(run, invocation as RunInvocation, retryPlan(header, header.plan, path, outcomes));
	},
});

export const undo = defineCommand({
	description:
		'Objects whose value is no longer what the run wrote are left alone, unless --overwrite is given. An undo keeps old values too, so that it can be undone.',
	examples: {
		'supportctl run undo last --dry-run --diff': 'see what would change',
		'supportctl run undo 20261122-081554 --yes': 'without a question',
	},
	arguments: [runArgument],
	options: [
		{ flags: '--overwrite', help: 'Restore values that were changed since the run, too', group: 'Rows' },
		...pick(checkOptions, 'diff'),
		...sendOptions,
		...pick(runOptions, 'journal'),
	],
	async run(invocation) {
		const { checkEnded, pastRun, sendAgain } = await past();
		const run = pastRun(invocation.args[0], invocation.context);
		checkEnded(run);
		const { undoPlan } = await import('../../../bulk/run/undo.js');
		const plan = undoPlan(run.header, run.path, invocation.options.overwrite === true);
		return await sendAgain(run, invocation as RunInvocation, plan);
	},
});
