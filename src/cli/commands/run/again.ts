/** `run resume`, `run retry` and `run undo`. */

import { counted } from '../../../api/names.js';
import { exitCodeOf, openRows, withUnsent } from '../../../bulk/journal/counts.js';
import { scanJournal } from '../../../bulk/journal/read.js';
import type { ExitCode } from '../../../errors.js';
import type { OutcomeName } from '../../../http/outcome.js';
import { defineCommand } from '../../command.js';
import { notify } from '../../notices.js';
import { allBut, options, pick } from '../../options/option.js';
import { connectionOptions, guardOptions, outputOptions, tuningOptions } from '../../options/shared.js';
import {
	checkOptions,
	outcomeOption,
	partOptions,
	type RunInvocation,
	runArgument,
	runOptions,
	valueOptions,
} from '../../runs/options.js';
import { readPart } from '../../runs/part.js';

const past = () => import('../../runs/past.js');

/** Where the input is now, and secret values that no journal keeps. */
const givenAgain = [
	...options('Input', [{ flags: '--input <file>', help: 'New path of the input', completes: 'files' }]),
	...pick(valueOptions, 'data', 'password-stdin', 'password-prompt'),
] as const;

const sendOptions = [...guardOptions, ...tuningOptions, ...outputOptions, ...connectionOptions] as const;

async function goOn(invocation: RunInvocation, again: readonly OutcomeName[]): Promise<ExitCode> {
	const { pastRun, sendAgain } = await past();
	const { args, context } = invocation;
	const run = pastRun(args[0] as string, context);
	const { id, plan } = run.header;
	const { end, corrupt, counts: recorded } = await scanJournal(run.path);
	const counts = withUnsent(run.header, recorded);
	if (corrupt.length > 0) {
		const note = `note: ${counted(corrupt.length, 'line')} of the journal can't be read; rows without another record are sent again`;
		notify(context, 'message', note);
	} else if (end !== undefined && openRows(counts) === 0 && again.every((name) => counts[name] === 0)) {
		const why = again.length === 0 ? 'the run is complete' : `no ${again.join(' or ')} rows`;
		notify(context, 'message', `nothing to send: ${why} (${id})`);
		return exitCodeOf(counts);
	}
	return await sendAgain(run, invocation, plan, again);
}

export const resume = defineCommand({
	arguments: [runArgument],
	options: [...givenAgain, ...pick(checkOptions, 'verify'), ...sendOptions],
	run: (invocation) => goOn(invocation, []),
});

const AGAIN = ['failed', 'differs', 'skipped', 'invalid', 'unknown'] as const;

export const retry = defineCommand({
	arguments: [runArgument],
	options: [
		outcomeOption('Send rows with these outcomes again', AGAIN, 'failed'),
		...givenAgain,
		...pick(checkOptions, 'verify'),
		...sendOptions,
	],
	run: (invocation) => goOn(invocation, invocation.options.outcome?.flat() ?? ['failed']),
});

function namesIn(texts: readonly string[] | undefined): string[] | undefined {
	return texts?.flatMap((text) => text.split(',')).map((name) => name.trim());
}

export const undo = defineCommand({
	arguments: [runArgument],
	options: [
		{ flags: '--overwrite', help: 'Also restore values that someone changed after the run', group: 'Rows' },
		...partOptions,
		{ flags: '--fields <names>', help: 'Restore only these fields: status,assignee', repeatable: true, group: 'Rows' },
		...pick(checkOptions, 'diff'),
		...guardOptions,
		...tuningOptions,
		// Here --fields says what to restore.
		...allBut(outputOptions, 'fields'),
		...connectionOptions,
		...pick(runOptions, 'journal', 'note'),
	],
	async run(invocation) {
		const { pastRun, sendAgain } = await past();
		const { args, context, options: given } = invocation;
		const run = pastRun(args[0], context);
		const { undoPlan } = await import('../../../bulk/run/undo.js');
		const { overwrite = false, fields, ...others } = given;
		const plan = await undoPlan(run.header, run.path, {
			overwrite,
			part: await readPart(given, context),
			fields: namesIn(fields),
		});
		return await sendAgain(run, { ...invocation, options: others }, plan);
	},
});
