/** One call of a row command from its flags to its exit code: prepare, survey, guard, then show or execute. */

import { complaintAnnotation, inputErrorAnnotation } from '../../bulk/annotations.js';
import { ExitCode, FailedError, UsageError } from '../../errors.js';
import type { Invocation } from '../command.js';
import { wantsJson } from '../results.js';
import { watchBeforeSending } from './before-sending.js';
import type { RowCommandDefinition } from './definition.js';
import { checkSet, confirmWrite } from './guard.js';
import { type EarlierRun, type PreparedRun, prepareRun } from './prepare.js';
import { type Survey, surveyRows } from './survey.js';

/** Runs a command over rows; `check` may refuse what was prepared. @throws what `main` turns into a message and an exit code */
export async function runRows(
	definition: RowCommandDefinition,
	invocation: Invocation,
	earlier?: EarlierRun & { check(run: PreparedRun): void },
): Promise<ExitCode> {
	const before = watchBeforeSending(invocation.context);
	const overrides = { onSpool: before.onSpool, earlier };
	const run = await annotateInput(invocation, () => prepareRun(definition, invocation, overrides));
	let keepInput = false;
	try {
		earlier?.check(run);
		const survey = await annotateInput(invocation, () => surveyInput(run));
		if (survey.hasSecrets) await run.source.detach();
		if (survey.invalid > 0 && !run.settings.skipInvalid) return ExitCode.usage;
		checkSet(run, survey);
		if (run.settings.dryRun) return await (await import('./dry-run.js')).showPlan(run, survey);
		await confirmWrite(run, survey);
		const { executeRun } = await import('./execute.js');
		const ended = await executeRun(run, survey, before).catch((error: unknown) => {
			keepInput = isBrokenOff(error) && !survey.hasSecrets;
			throw error;
		});
		keepInput = ended.resumable && !survey.hasSecrets;
		return ended.exitCode;
	} finally {
		before.end();
		await run.source.dispose({ keep: keepInput });
	}
}

/** Shows an input that can't be read, or a header that can't be used, beside its line where the CI service does that. */
export async function annotateInput<T>({ context, options }: Invocation, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (context.env.GITHUB_ACTIONS === 'true' && error instanceof UsageError) {
			const annotation = inputErrorAnnotation(error, options.input === '-' ? undefined : (options.input as string));
			if (annotation !== undefined) context.stderr.write(`${annotation}\n`);
		}
		throw error;
	}
}

/** True where a journal was begun and could not be kept: its run can be resumed, and needs its input for that. */
function isBrokenOff(error: unknown): boolean {
	return error instanceof FailedError && error.code === 'journal_failed' && error.data.run !== undefined;
}

/** Reads every row and shows what is wrong with the input. */
export async function surveyInput(run: PreparedRun): Promise<Survey> {
	const { source, planRow, shard, endpoint, settings, targets, invocation } = run;
	const { context, options } = invocation;
	const fromArguments = targets.ids !== undefined;
	let sink: import('./complaints.js').ComplaintSink | undefined;
	const { createComplaintSink } = await import('./complaints.js');
	const survey = await surveyRows(source, planRow, {
		shard,
		endpoint,
		complain(complaint) {
			sink ??= createComplaintSink({
				json: wantsJson(options) && !settings.skipInvalid,
				source: { name: source.name, file: source.file, fromArguments },
				write: (text) => context.stderr.write(text),
				annotate: (complaint) =>
					context.env.GITHUB_ACTIONS === 'true' ? `${complaintAnnotation(complaint, source.file)}\n` : undefined,
			});
			sink.complain(complaint);
		},
	});
	sink?.end(survey, settings.skipInvalid);
	return survey;
}
