/** One call of a row command from its flags to its exit code: prepare, survey, guard, then show or execute. */

import { complaintAnnotation } from '../../bulk/annotations.js';
import { ExitCode, FailedError } from '../../errors.js';
import type { Invocation } from '../command.js';
import { wantsJson } from '../results.js';
import type { RowCommandDefinition } from './definition.js';
import { checkSet, confirmWrite } from './guard.js';
import { type PreparedRun, prepareRun } from './prepare.js';
import { type Survey, surveyRows } from './survey.js';

/** Runs a command over rows; `check` may refuse what was prepared. @throws what `main` turns into a message and an exit code */
export async function runRows(
	definition: RowCommandDefinition,
	invocation: Invocation,
	check?: (run: PreparedRun) => void,
): Promise<ExitCode> {
	const run = await prepareRun(definition, invocation);
	let keepInput = false;
	try {
		check?.(run);
		const survey = await surveyInput(run);
		if (survey.hasSecrets) await run.source.detach();
		if (survey.invalid > 0 && !run.settings.skipInvalid) return ExitCode.usage;
		checkSet(run, survey);
		if (run.settings.dryRun) return await (await import('./dry-run.js')).showPlan(run, survey);
		await confirmWrite(run, survey);
		const { executeRun } = await import('./execute.js');
		const ended = await executeRun(run, survey).catch((error: unknown) => {
			keepInput = isBrokenOff(error) && !survey.hasSecrets;
			throw error;
		});
		keepInput = ended.resumable && !survey.hasSecrets;
		return ended.exitCode;
	} finally {
		await run.source.dispose({ keep: keepInput });
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
