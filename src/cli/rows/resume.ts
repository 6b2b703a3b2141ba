/** Goes on with a run: the same command, flags and input; only the rows that are not done. */

import { exitCodeOf } from '../../bulk/counts.js';
import { summariseRun } from '../../bulk/runs.js';
import { ExitCode, UsageError } from '../../errors.js';
import type { Invocation } from '../command.js';
import { checkSet, confirmWrite } from './guard.js';
import { checkSameService, openPastRun, optionsOf, type PastRun, restoreDefaults } from './past-run.js';
import { type PreparedRun, prepareRun } from './prepare.js';
import { surveyInput } from './run.js';
import type { Survey } from './survey.js';

/** @throws UsageError where the input, the service or the command is another than the run's. */
export async function resumeRun(invocation: Invocation): Promise<ExitCode> {
	const past = await openPastRun(invocation);
	const done = await alreadyDone(past, invocation);
	if (done !== undefined) return done;
	const defaults = await restoreDefaults(past, invocation);
	const run = await prepareRun(past.definition, runInvocation(past, invocation), { defaults });
	let keepInput = true;
	try {
		checkSameService(past, run);
		const survey = await surveyInput(run);
		checkSameInput(past, run, survey);
		if (survey.invalid > 0 && !run.settings.skipInvalid) return ExitCode.usage;
		checkSet(run, survey);
		await confirmWrite(run, survey);
		const [{ executeRun }, { resumeRunLog }] = await Promise.all([import('./execute.js'), import('./run-log.js')]);
		const resumed = await resumeRunLog(run, past.path);
		const ended = await executeRun(run, survey, resumed);
		keepInput = ended.resumable;
		return ended.exitCode;
	} finally {
		await run.source.dispose({ keep: keepInput });
	}
}

/** The exit code of a run that came to its end and left nothing open; nothing is opened or sent for it. */
async function alreadyDone(past: PastRun, { context }: Invocation): Promise<ExitCode | undefined> {
	const { end } = await summariseRun(past.path, past.header.id);
	if (end === undefined) return undefined;
	const { counts } = end;
	if (counts.unknown + counts['not-sent'] + counts.unauthorized > 0) return undefined;
	context.stderr.write(`run ${past.header.id} is done: nothing is left to send\n`);
	return exitCodeOf(counts);
}

/** The call that the run was, with the input that its journal names or that this call gives. */
function runInvocation(past: PastRun, invocation: Invocation): Invocation {
	const { header, settings } = past;
	const options = optionsOf(past, invocation.options);
	const { input } = header;
	if (input.ids !== undefined) {
		return {
			...invocation,
			words: header.command,
			args: [...settings.args, ...input.ids],
			options: { ...options, input: undefined },
		};
	}
	return {
		...invocation,
		words: header.command,
		args: settings.args,
		options: { ...options, input: invocation.options.input ?? input.path ?? '-', inputFormat: input.format },
	};
}

function checkSameInput(past: PastRun, run: PreparedRun, survey: Survey): void {
	const { input, id } = past.header;
	if (run.source.sha256 === input.sha256 && survey.rows === input.rows) return;
	throw new UsageError(`${run.source.name} is not what run ${id} was started with; nothing was sent`, {
		code: 'input_changed',
		hint: 'resume with the unchanged input, or start a new run',
		details: [
			`then: ${input.rows} rows, SHA-256 ${input.sha256}`,
			`now: ${survey.rows} rows, SHA-256 ${run.source.sha256 ?? ''}`,
		],
	});
}
