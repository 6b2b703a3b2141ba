/** The second pass: sends every row, records and prints what becomes of it, and says at the end how it went. */

import { setMaxListeners } from 'node:events';
import { endpoints } from '../../api/endpoints.js';
import { asksNothing, createPlanner } from '../../api/plan.js';
import { type Counts, countOutcome, createCounts, exitCodeOf, openRows, totalOf } from '../../bulk/counts.js';
import { runEngine } from '../../bulk/engine.js';
import { AdaptivePace } from '../../bulk/pace.js';
import {
	createCustomFieldPerform,
	createPerform,
	type Perform,
	type PerformOptions,
	skipEmptyRows,
} from '../../bulk/perform.js';
import type { TakenFile } from '../../bulk/report-place.js';
import { type StopReason, StopWatch } from '../../bulk/stop.js';
import { ExitCode, SupportctlError, UsageError } from '../../errors.js';
import type { Client } from '../../http/client.js';
import type { Outcome } from '../../http/outcome.js';
import type { FailedAttempt } from '../../http/send.js';
import type { Clock } from '../../io/context.js';
import { outcomeView } from '../../output/outcome-view.js';
import type { Progress } from '../../output/progress.js';
import { retryNotice } from '../notices.js';
import { stderrPalette, stdoutPalette } from '../palette.js';
import { openResults } from '../results.js';
import { createSentResults, onlyOutputFailed, type SentResults } from '../sent-results.js';
import type { BeforeSending } from './before-sending.js';
import type { Ended } from './ended.js';
import { createFailureLog } from './failure-log.js';
import type { PreparedRun } from './prepare.js';
import { rowsToSend } from './rows-to-send.js';
import type { ResumedRun, RunLog } from './run-log.js';
import { createOutcomeScrubber, type OutcomeScrubber } from './scrub.js';
import type { RunSettings } from './settings.js';
import { listenForStop, openProgress, writeSummary } from './summary.js';
import { ownRows, type Survey } from './survey.js';
import { outcomeShape } from './view.js';

/** What the caller of a run has to know of its end. */
export interface EndedRun extends Pick<Ended, 'exitCode' | 'resumable'> {
	/** Why the results were not printed as they were asked for; the exit code to end with is its. */
	outputError: SupportctlError | undefined;
}

/** @throws UsageError for a report that can't be written, or that would take the place of a file that the run needs */
async function checkReports({ settings, targets, invocation, earlier }: PreparedRun): Promise<void> {
	const { checkReportPlaces } = await import('../../bulk/report-place.js');
	const files: TakenFile[] = [];
	if (targets.path !== undefined && targets.path !== '-') files.push({ path: targets.path, what: "the run's input" });
	if (settings.journal !== undefined) files.push({ path: settings.journal, what: "the run's journal" });
	if (earlier !== undefined) files.push({ path: earlier.journal, what: 'the journal of the earlier run' });
	files.push({ path: '/dev/stdout', what: 'where standard output goes' });
	await checkReportPlaces(settings.reports, files, invocation.context.cwd);
}

/**
 * Sends the rows. @throws FailedError where the journal can't be kept; what was done till then is in it.
 * @param before Minds signals until the journal is begun.
 * @param resume Takes up the journal of a run that goes on.
 */
export async function executeRun(
	run: PreparedRun,
	survey: Survey,
	before: BeforeSending,
	resume?: () => Promise<ResumedRun>,
): Promise<EndedRun> {
	const { settings, session } = run;
	if (settings.reports.length > 0) await checkReports(run);
	const isRun = resume !== undefined || needsJournal(run);
	const connections = Math.max(1, Math.min(settings.concurrency, survey.selected));
	const client = await session.openClient(connections, isRun ? 'run' : 'few requests');
	try {
		// Before the journal: a column or a query that can't be used leaves no run behind.
		const screen = await openScreen(run, survey);
		before.check();
		before.end();
		const resumed = await resume?.();
		const log = resumed?.log ?? (await openLog(run, survey));
		return await sendRows({ run, survey, client, log, resumed, screen });
	} finally {
		await client.close();
	}
}

/** Where results and progress share a terminal. */
interface Screen {
	results: SentResults;
	progress: Progress | undefined;
}

async function openScreen(run: PreparedRun, survey: Survey): Promise<Screen> {
	const shape = outcomeShape(run, survey, await stdoutPalette(run.invocation));
	const screen: Partial<Screen> = {};
	const results = await openResults(run.invocation, { ...shape, beforeWrite: () => screen.progress?.clear() });
	screen.results = createSentResults(results);
	return screen as Screen;
}

/** One request needs no journal, nor does reading a few; everything else has one. */
function needsJournal({ targets, settings, customFields, endpoint }: PreparedRun): boolean {
	const isAskedFor = settings.journal !== undefined || settings.reports.length > 0 || customFields?.snapshot === true;
	// Reading leaves nothing to resume, prove or undo; a list of ids is read again as quickly as it was typed.
	const needsNone = targets.ids?.length === 1 || (targets.ids !== undefined && endpoint.replay === 'read');
	return isAskedFor || !needsNone;
}

async function openLog(run: PreparedRun, survey: Survey): Promise<RunLog | undefined> {
	if (!needsJournal(run)) return undefined;
	const { startRunLog } = await import('./run-log.js');
	return startRunLog(run, survey);
}

/** Why and when the run stops before its end. */
class RunStop {
	private readonly controller = new AbortController();
	private readonly watch: StopWatch;
	reason: StopReason | undefined;

	constructor(
		settings: RunSettings,
		private readonly clock: Clock,
	) {
		this.watch = new StopWatch(settings);
		// Each row that waits its turn listens to it.
		setMaxListeners(0, this.signal);
	}

	/** Aborted when nothing new may be sent. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	because(reason: StopReason | undefined): void {
		if (reason === undefined) return;
		this.reason ??= reason;
		this.controller.abort();
	}

	lookAt(outcome: Outcome): void {
		this.because(this.watch.look(outcome));
	}

	lookAtAttempt(record: FailedAttempt): void {
		this.because(this.watch.lookAttempt(record, this.clock.monotonic()));
	}
}

/** All that was opened before the first row. */
interface Prepared {
	run: PreparedRun;
	survey: Survey;
	client: Client;
	log: RunLog | undefined;
	resumed: ResumedRun | undefined;
	screen: Screen;
}

/** What the sending of a run's rows is made of. */
interface Sending extends Pick<Prepared, 'run' | 'client' | 'log' | 'resumed'> {
	stop: RunStop;
	pace: AdaptivePace;
	scrubber: OutcomeScrubber;
}

/** How one row is carried out: its request or its custom fields, and the records that it leaves on the way. */
function createRowPerform({ run, client, log, resumed, stop, pace, scrubber }: Sending): Perform {
	const { settings, session, invocation, endpoint, customFields } = run;
	const { clock, random } = invocation.context;
	const options: PerformOptions = {
		client,
		allowsDifference: (field) => settings.allowDiffers.has('*') || settings.allowDiffers.has(field),
		delivery: {
			retries: settings.retries,
			clock,
			random,
			dialect: session.dialect,
			stop: stop.signal,
			pace,
			ignoreMissing: settings.ignoreMissing,
			// A lone request has its retries; a run has to notice that nobody is there.
			...(log === undefined ? {} : { onRetry: (record) => stop.lookAtAttempt(record) }),
		},
		hooks: (row) => ({
			maybeSent: resumed?.maybeSent(row.row) === true,
			clean: scrubber.wordsOf(row),
			...(log === undefined
				? { onRetry: retryNotice(invocation.context, invocation.options) }
				: {
						onRetry(record) {
							log.attempt(row, record);
							stop.lookAtAttempt(record);
						},
						...(endpoint.replay === 'delete' ? { beforeSend: () => log.sending(row) } : {}),
					}),
		}),
	};
	if (customFields === undefined) return skipEmptyRows(createPerform(options));
	const perform = createCustomFieldPerform({
		...options,
		planRead: createPlanner(endpoints['ticket.fields.get'], session.dialect),
		planWrite: run.planWrite,
		onlyChanged: customFields.onlyChanged,
		verify: customFields.verify,
		...(customFields.snapshot && log !== undefined ? { snapshot: (row, held) => log.before(row, held) } : {}),
	});
	return skipEmptyRows(perform);
}

function isUntouched(outcome: Outcome): boolean {
	return outcome.outcome === 'not-sent' && outcome.attempts === 0;
}

async function sendRows({ run, survey, client, log, resumed, screen }: Prepared): Promise<EndedRun> {
	const { settings, invocation } = run;
	const { context } = invocation;
	const counts: Counts = resumed?.counts ?? createCounts();
	const total = ownRows(survey, run.shard);
	const failures = createFailureLog(run, total, await stderrPalette(invocation));
	const pace = new AdaptivePace({ clock: context.clock, random: context.random, rate: settings.rate });
	const progress = await openProgress(run, total, totalOf(counts), () => pace.pauseMs);
	screen.progress = progress;
	const scrubber = createOutcomeScrubber(survey);
	const stop = new RunStop(settings, context.clock);

	/** Resolves when the outcome is in the journal and whoever reads the results keeps up. */
	const take = (outcome: Outcome): Promise<void> | undefined => {
		const written = log?.record(outcome);
		countOutcome(counts, outcome);
		if (failures.shows(outcome)) {
			progress.clear();
			failures.add(outcome);
		}
		const printed = failures.prints(outcome) ? screen.results.row(outcomeView(outcome)) : undefined;
		progress.update({ done: totalOf(counts), failed: counts.failed, unknown: counts.unknown });
		return printed === undefined ? written : Promise.all([printed, written]).then(() => undefined);
	};

	const unlisten = listenForStop(context, {
		open: () => total - totalOf(counts),
		runId: log?.id,
		stop: (reason) => stop.because(reason),
		clear: () => progress.clear(),
	});
	const startedAt = context.clock.monotonic();
	let failure: unknown;
	try {
		await runEngine({
			rows: rowsToSend(run, resumed, take),
			concurrency: settings.concurrency,
			stop: stop.signal,
			perform: createRowPerform({ run, client, log, resumed, stop, pace, scrubber }),
			record(raw, row) {
				const outcome = scrubber.scrub(raw, row);
				// What was never to be sent says nothing of the service.
				if (!asksNothing(row.request)) stop.lookAt(outcome);
				// A row that was held back by the stop has no outcome: a resume sends it.
				return stop.signal.aborted && isUntouched(outcome) ? undefined : take(outcome);
			},
		});
	} catch (error) {
		failure = totalOf(counts) > 0 ? asPartial(error) : error;
	} finally {
		unlisten();
		progress.done();
	}
	counts['not-sent'] += Math.max(0, total - totalOf(counts));
	const ended: Ended = {
		counts,
		exitCode: exitCodeOfRun(counts, stop.reason),
		stopped: stop.reason,
		ms: context.clock.monotonic() - startedAt,
		resumable: openRows(counts) > 0 || failure !== undefined,
	};
	let outputError: SupportctlError | undefined;
	await takeAll(failure, [
		() => log?.end(ended),
		async () => {
			outputError = outputErrorOf(run, ended, await screen.results.end());
		},
		() => failures.end(ended, log?.id),
		() => log?.report(ended),
		() => writeSummary(run, ended, log),
	]);
	return { ...ended, outputError };
}

/** A 401 ends the run, also where its own row is unknown because an earlier attempt may have been applied. */
function exitCodeOfRun(counts: Counts, reason: StopReason | undefined): ExitCode {
	const exitCode = exitCodeOf(counts, reason?.kind === 'signal');
	const isPartial = exitCode === ExitCode.failed || exitCode === ExitCode.partial;
	return isPartial && reason?.kind === 'unauthorized' ? ExitCode.refused : exitCode;
}

/** An input that turned out to be unusable on the way: exit code 2 would say that nothing was sent. */
function asPartial(error: unknown): unknown {
	if (!(error instanceof UsageError)) return error;
	const { message, code, hint, details, data, cause } = error;
	return new SupportctlError(message, ExitCode.partial, { code, hint, details, data, cause });
}

/** A query that does not fit the results hides neither the run's own bad news nor that it was sent. */
function outputErrorOf(
	{ endpoint }: PreparedRun,
	{ exitCode }: Ended,
	trouble: SupportctlError | undefined,
): SupportctlError | undefined {
	if (trouble === undefined) return undefined;
	if (exitCode !== ExitCode.ok) return onlyOutputFailed(trouble, 'what became of the rows stands', exitCode);
	// What was only looked up can be looked up again.
	return endpoint.replay === 'read' ? trouble : onlyOutputFailed(trouble, 'every row is ok', exitCode);
}

/** Takes every last step, whatever the others do. @throws the first error, which is the one to tell */
async function takeAll(first: unknown, steps: readonly (() => unknown)[]): Promise<void> {
	let failure = first;
	for (const step of steps) {
		try {
			await step();
		} catch (error) {
			failure ??= error;
		}
	}
	if (failure !== undefined) throw failure;
}
