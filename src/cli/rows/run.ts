/** One call of a row command from its flags to its exit code: prepare, survey, guard, then show or execute. */

import { complaintAnnotation, inputErrorAnnotation, writeAnnotation } from '../../bulk/annotations.js';
import { ExitCode, FailedError, UsageError } from '../../errors.js';
import type { Invocation } from '../command.js';
import { wantsJson } from '../results.js';
import { watchBeforeSending } from './before-sending.js';
import type { RowCommandDefinition, RowDefaults } from './definition.js';
import { checkSet, confirmWrite } from './guard.js';
import { type EarlierRun, type PreparedRun, prepareRun } from './prepare.js';
import type { ResumedRun } from './run-log.js';
import { type Survey, surveyRows } from './survey.js';

/** An earlier run, for the run that undoes it or goes on with it. */
export interface TakenUp extends EarlierRun {
	/** Where the same run goes on. */
	resumes?: Resumption;
}

/** What going on with a run knows of it. */
export interface Resumption {
	/** What the run's flags gave to every row. */
	defaults: RowDefaults;
	/** Refuses another input than the run's. */
	checkInput(run: PreparedRun, survey: Survey): void;
	/** Whether the rows are read from the very file or copy that the journal names. */
	readsItsInput(run: PreparedRun): boolean;
	/** How many rows are not done. */
	rowsLeft(survey: Survey): number;
	openLog(run: PreparedRun): Promise<ResumedRun>;
}

/** Runs a command over rows. @throws what `main` turns into a message and an exit code */
export async function runRows(
	definition: RowCommandDefinition,
	invocation: Invocation,
	earlier?: TakenUp,
): Promise<ExitCode> {
	const resumes = earlier?.resumes;
	const before = watchBeforeSending(invocation.context);
	const overrides = { defaults: resumes?.defaults, onSpool: before.onSpool, earlier };
	const run = await annotateInput(invocation, () => prepareRun(definition, invocation, overrides));
	// A copy of standard input serves the resume of the run whose journal names it, and nobody else.
	const isNamed = resumes?.readsItsInput(run) ?? true;
	let keepInput = resumes !== undefined && isNamed;
	try {
		const survey = await annotateInput(invocation, () => surveyInput(run));
		resumes?.checkInput(run, survey);
		if (survey.invalid > 0 && !run.settings.skipInvalid) return ExitCode.usage;
		checkSet(run, survey);
		if (run.settings.dryRun) return await (await import('./dry-run.js')).showPlan(run, survey);
		await confirmWrite(run, survey, resumes?.rowsLeft(survey));
		const { executeRun } = await import('./execute.js');
		const mayKeep = isNamed && !survey.hasSecrets;
		if (mayKeep) await run.source.keep();
		const openLog = resumes && (() => resumes.openLog(run));
		const ended = await executeRun(run, survey, before, openLog).catch((error: unknown) => {
			if (isBrokenOff(error)) keepInput = mayKeep;
			throw error;
		});
		keepInput = ended.resumable && mayKeep;
		if (ended.outputError !== undefined) throw ended.outputError;
		return ended.exitCode;
	} finally {
		before.end();
		await run.source.dispose({ keep: keepInput });
	}
}

/** Shows an input that can't be read, or a header that can't be used, beside its line where the CI service does that. */
async function annotateInput<T>({ context, options }: Invocation, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (context.env.GITHUB_ACTIONS === 'true' && error instanceof UsageError) {
			const annotation = inputErrorAnnotation(error, options.input === '-' ? undefined : (options.input as string));
			if (annotation !== undefined) writeAnnotation(context.stderr, annotation);
		}
		throw error;
	}
}

/** True where a journal was begun and could not be kept: its run can be resumed, and needs its input for that. */
function isBrokenOff(error: unknown): boolean {
	return error instanceof FailedError && error.code === 'journal_failed' && error.data.run !== undefined;
}

/** Reads every row and shows what is wrong with the input. */
async function surveyInput(run: PreparedRun): Promise<Survey> {
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
				command: (line) => writeAnnotation(context.stderr, line),
				annotate: (complaint) =>
					context.env.GITHUB_ACTIONS === 'true' ? complaintAnnotation(complaint, source.file) : undefined,
			});
			sink.complain(complaint);
		},
	});
	sink?.end(survey, settings.skipInvalid);
	return survey;
}
