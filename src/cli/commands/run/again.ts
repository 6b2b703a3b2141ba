/** `run resume`, `run retry` and `run undo`: rows of an earlier run are sent again, with its own plan. */

import { exitCodeOf, openRows } from '../../../bulk/journal/counts.js';
import { summariseRun } from '../../../bulk/journal/folder.js';
import { ExitCode, UsageError } from '../../../errors.js';
import type { OutcomeName } from '../../../http/outcome.js';
import { defineCommand } from '../../command.js';
import { options, pick } from '../../options/option.js';
import { connectionOptions, guardOptions, outputOptions, tuningOptions } from '../../options/shared.js';
import {
	checkOptions,
	dataOptions,
	journalOptions,
	passwordOptions,
	type RunInvocation,
	runArgument,
} from '../../runs/options.js';

const past = () => import('../../runs/past.js');

const inputOptions = options('Input', [
	{ flags: '--input <file>', help: 'Where the input is now', completes: 'files' },
]);

/** Secret values that no journal keeps, given again. */
const againOptions = [...passwordOptions, ...dataOptions];

const sendOptions = [...guardOptions, ...tuningOptions];

const shownOptions = [...outputOptions, ...connectionOptions];

export const resume = defineCommand({
	description:
		'The plan of the run comes from its journal: command, input, columns, values and checks. Where to sign in comes from this call, and must be the service of the run. A changed input is refused.',
	examples: {
		'supportctl run resume last': 'the newest run',
		'supportctl run resume last --verify': 'read objects back, which settles unknown outcomes',
	},
	arguments: [runArgument],
	options: [...inputOptions, ...pick(checkOptions, 'verify'), ...againOptions, ...sendOptions, ...shownOptions],
	async run(invocation) {
		const call = invocation as RunInvocation;
		const { pastRun, secretsAgain, sendAgain, withInput } = await past();
		const run = pastRun(invocation.args[0], invocation.context);
		const { end } = await summariseRun(run.path, run.header.id);
		if (end !== undefined && openRows(end.counts) === 0) {
			invocation.context.stderr.write(`run ${run.header.id} is done: there is nothing to send\n`);
			return exitCodeOf(end.counts);
		}
		const plan = withInput(run, call);
		const checks = { ...plan.checks, verify: plan.checks.verify || invocation.options.verify === true };
		return await sendAgain(run, call, { ...plan, checks }, { secrets: await secretsAgain(run, call), resumes: run });
	},
});

const RETRYABLE: readonly OutcomeName[] = ['failed', 'differs', 'invalid', 'unknown'];

/** `--outcome failed,differs`. @throws UsageError */
function outcomesOf(texts: readonly string[] = ['failed']): readonly OutcomeName[] {
	return texts
		.flatMap((text) => text.split(','))
		.map((text) => {
			const known = RETRYABLE.find((each) => each === text.trim());
			if (known !== undefined) return known;
			throw new UsageError(`--outcome ${JSON.stringify(text)} is not one of ${RETRYABLE.join(', ')}`, {
				code: 'invalid_value',
			});
		});
}

export const retry = defineCommand({
	description: 'The rows, mapping, values and checks are those of the earlier run; its input must be unchanged.',
	examples: {
		'supportctl run retry last': 'the failed rows of the newest run',
		'supportctl run retry last --outcome failed,differs': 'and those that show other values',
	},
	arguments: [runArgument],
	options: [
		...options('Rows', [
			{
				flags: '--outcome <names>',
				help: 'Rows with these outcomes: failed, differs, invalid, unknown',
				repeatable: true,
				suggests: RETRYABLE,
				defaultText: 'failed',
			},
		]),
		...inputOptions,
		...againOptions,
		...sendOptions,
		...journalOptions,
		...shownOptions,
	],
	async run(invocation) {
		const call = invocation as RunInvocation;
		const { checkEnded, pastRun, secretsAgain, sendAgain, withInput } = await past();
		const run = pastRun(invocation.args[0], invocation.context);
		checkEnded(run);
		const { retryPlan } = await import('../../../bulk/run/open.js');
		const outcomes = outcomesOf(invocation.options.outcome);
		const { counts } = await summariseRun(run.path, run.header.id);
		if (counts !== undefined && outcomes.every((name) => counts[name] === 0)) {
			invocation.context.stderr.write(`run ${run.header.id} has no row that is ${outcomes.join(' or ')}\n`);
			return ExitCode.ok;
		}
		const plan = retryPlan(run.header, withInput(run, call), run.path, outcomes);
		return await sendAgain(run, call, plan, { secrets: await secretsAgain(run, call) });
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
		...journalOptions,
		...shownOptions,
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
