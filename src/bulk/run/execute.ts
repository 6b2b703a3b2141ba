/** The second pass of a run: sends every row that is not done, and records and prints its outcome. */

import { setMaxListeners } from 'node:events';
import type { Dialect } from '../../api/dialect.js';
import { asksNothing, chooseEndpoint } from '../../api/plan.js';
import { ExitCode, SupportctlError, UsageError } from '../../errors.js';
import type { Outcome, RowOutcome } from '../../http/outcome.js';
import { type FailedAttempt, type SendClock, type SendOptions, send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import { type Counts, countOutcome, createCounts, exitCodeOf, openRows, sumOf, totalOf } from '../journal/counts.js';
import type { Journal } from '../journal/write.js';
import { AdaptivePace } from '../pace.js';
import { createConcurrency } from './concurrency.js';
import { runEngine } from './engine.js';
import type { RunPlan, RunTuning } from './plan.js';
import { createPerform, type RowSteps } from './read-back.js';
import type { PastPart } from './resume.js';
import { type InvalidRow, invalidOutcome, isInvalid, isOwn, outcomeOf, type PlannedRows, type RunRow } from './rows.js';
import { type StopReason, StopWatch } from './stop.js';
import { ownRows, type Survey } from './survey.js';

/** How a run ended, for its summary, its reports and its journal. */
export interface Ended {
	counts: Counts;
	exitCode: ExitCode;
	stopped: StopReason | undefined;
	/** How long this process worked on it, in milliseconds. */
	ms: number;
	/** Whether a resume has something to send. */
	resumable: boolean;
	/** Why the run broke off: a journal that can't be written, or an input that can't be read to its end. */
	failure?: unknown;
}

/** What a person sees of a run while it goes on. */
export interface Screen {
	/** Before the first row. @param control lets signals stop the run */
	start(total: number, counts: Counts, control: RunControl): void;
	/** Resolves when whoever reads the results keeps up. */
	outcome(outcome: RowOutcome, counts: Counts): Promise<void> | void;
	/** After the last row, whatever happened. */
	done(): void;
}

export interface RunControl {
	stop(reason: StopReason): void;
	/** Rows without an outcome. */
	open(): number;
	/** How long the run pauses at present, in milliseconds. */
	pauseMs(): number;
}

export interface RunParts {
	plan: RunPlan;
	tuning: RunTuning;
	rows: PlannedRows;
	survey: Survey;
	client: Client;
	dialect: Dialect;
	/** Undefined where nothing is to be resumed, as for reads. */
	journal: Journal | undefined;
	/** What earlier parts of the run did. */
	past: PastPart | undefined;
	screen: Screen;
	/** Removes the secrets of a row's request from text of the service, and from its outcome. */
	redact: RowRedactor;
	clock: SendClock;
	random(): number;
}

export interface RowRedactor {
	text(row: RunRow): ((text: string) => string) | undefined;
	outcome(outcome: RowOutcome, row: RunRow): RowOutcome;
}

/** Rows planned before they are sent: few enough to be short-lived for the garbage collector. */
const PLANNED_AHEAD = 128;

/** Sends the rows of a run. Never throws: a failure is part of how it ended, since some rows may be done by then. */
export async function execute(parts: RunParts): Promise<Ended> {
	const { plan, tuning, survey, journal, past, screen, redact, clock } = parts;
	const { concurrency, auto, first, rate } = tuning;
	const counts = past?.counts ?? createCounts();
	const before = totalOf(counts);
	const own = past?.own ?? ownRows(survey, plan);
	const total = first === undefined ? own : Math.min(own, before + first);
	const pace = new AdaptivePace({ clock, random: parts.random, rate });
	const watch = new StopWatch({ stopOnError: plan.stop.onError, maxFailures: plan.stop.maxFailures, concurrency });
	const limit = auto ? createConcurrency() : undefined;
	const controller = new AbortController();
	const { signal } = controller;
	// Each row that waits its turn listens to it.
	setMaxListeners(0, signal);
	let stopped: StopReason | undefined;
	const stop = (reason: StopReason | undefined): void => {
		if (reason === undefined) return;
		stopped ??= reason;
		controller.abort();
	};
	const ticks = createTicks(journal, clock);
	const perform = createRowPerform(parts, pace, signal, {
		retry(attempt) {
			ticks.retry(attempt.status);
			stop(watch.lookAttempt(attempt, clock.monotonic()));
		},
		read: (outcome) => stop(watch.lookRead(outcome)),
	});

	/** Resolves when the outcome is in the journal and whoever reads the results keeps up. */
	const take = (outcome: RowOutcome): Promise<unknown> | undefined => {
		const written = journal?.outcome(outcome);
		countOutcome(counts, outcome);
		past?.renew(outcome.row);
		ticks.row();
		const printed = screen.outcome(outcome, counts);
		return printed === undefined ? written : Promise.all([printed, written]);
	};

	const started = clock.monotonic();
	let failure: unknown;
	screen.start(total, counts, { stop, open: () => total - totalOf(counts), pauseMs: () => pace.pauseMs });
	try {
		await runEngine({
			rows: rowsToSend(parts, (invalid) => take(invalidOutcome(invalid))),
			concurrency,
			limit,
			stop: signal,
			perform,
			record(result, row) {
				const outcome = redact.outcome(outcomeOf(row, result), row);
				if (outcome.outcome === 'ok' && outcome.attempts === 1) limit?.note(outcome.ms);
				if (!asksNothing(row.request)) stop(watch.look(outcome));
				// A row that the stop held back has no outcome: a resume sends it.
				if (signal.aborted && outcome.outcome === 'not-sent' && outcome.attempts === 0) return undefined;
				return take(outcome);
			},
		});
	} catch (error) {
		failure = totalOf(counts) > before ? asPartial(error) : error;
	} finally {
		screen.done();
	}
	// Rows that --first leaves to a resume are open, and no failure.
	const isReached = totalOf(counts) >= total;
	const reached = { ...counts };
	if (past !== undefined) Object.assign(counts, sumOf([counts, past.left]));
	counts['not-sent'] += Math.max(0, own - totalOf(counts));
	const isInterrupted = stopped?.kind === 'signal';
	// A 401 after a lost response leaves its row unknown, and stops the run all the same.
	const exitCode =
		stopped?.kind === 'unauthorized' ? ExitCode.refused : exitCodeOf(isReached ? reached : counts, isInterrupted);
	const ms = clock.monotonic() - started;
	const resumable = openRows(counts) > 0 || failure !== undefined;
	try {
		ticks.end();
		const at = new Date(clock.now()).toISOString();
		journal?.close({ at, counts, exit: exitCode, interrupted: isInterrupted ? true : undefined });
	} catch (error) {
		failure ??= error;
	}
	return { counts, exitCode, stopped, ms, resumable, ...(failure === undefined ? {} : { failure }) };
}

/** The own rows that are not done, in input order; rows that can't be sent go to `reject`. */
async function* rowsToSend(
	{ rows, plan: { shard }, past, tuning }: RunParts,
	reject: (row: InvalidRow) => Promise<unknown> | undefined,
): AsyncGenerator<RunRow[]> {
	let left = tuning.first ?? Number.POSITIVE_INFINITY;
	for await (const batch of rows.read()) {
		let ready: RunRow[] = [];
		for (const planned of batch) {
			if (left === 0) break;
			if (past?.isDone(planned.row) === true || !isOwn(planned, shard)) continue;
			left--;
			if (isInvalid(planned)) {
				await reject(planned);
				continue;
			}
			ready.push(planned);
			if (ready.length < PLANNED_AHEAD) continue;
			yield ready;
			ready = [];
		}
		if (ready.length > 0) yield ready;
		if (left === 0) return;
	}
}

/** The steps of each row: requests with retries at the pace of the run, and the records that they leave in the journal. */
function createRowPerform(
	{ plan, tuning, client, dialect, journal, past, redact, clock, random }: RunParts,
	pace: AdaptivePace,
	stop: AbortSignal,
	on: { retry(attempt: FailedAttempt): void; read(outcome: RowOutcome): void },
): (row: RunRow) => Promise<Outcome> {
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, plan.undocumented);
	const { retries } = tuning;
	const { ignoreMissing } = plan.checks;
	const options: SendOptions = { retries, clock, random, dialect, stop, pace, ignoreMissing };
	const reading: SendOptions = { ...options, exactNumbers: true };
	// A row that was written is read back even if the run is stopping.
	const afterStop: SendOptions = { retries: 0, clock, random, dialect, ignoreMissing, exactNumbers: true };
	const marksSending = endpoint.replay === 'delete' && journal !== undefined;
	const maybeSent = ({ row }: RunRow): boolean => past?.maybeSent(row) === true;
	const steps: RowSteps = {
		send: (row, request) =>
			send(client, request, options, {
				maybeSent: maybeSent(row),
				clean: redact.text(row),
				onRetry(failed) {
					const { attempt, status, code, lost } = failed;
					// A journal that failed says so at the next outcome.
					const record = { type: 'attempt', row: row.row, attempt, status, code, lost: lost || undefined } as const;
					journal?.record(record).catch(() => undefined);
					on.retry(failed);
				},
				...(marksSending ? { beforeSend: () => journal.record({ type: 'sent', row: row.row }) } : undefined),
			}),
		async read(row, request, isAfter) {
			const clean = redact.text(row);
			const result = await send(client, request, isAfter && stop.aborted ? afterStop : reading, { clean });
			on.read(outcomeOf(row, result));
			return result;
		},
		maybeSent,
		keep: (row, before) => journal?.before(row.row, row.request.ids, before) ?? Promise.resolve(),
	};
	return createPerform(plan, dialect, steps);
}

/** How long a tick is, in milliseconds. */
const TICK_MS = 1000;

/** Says in the journal about once a second what happened meanwhile; a run that is shorter has none. */
function createTicks(journal: Journal | undefined, clock: SendClock) {
	let since = clock.monotonic();
	let hasTick = false;
	let [rows, retries, refused] = [0, 0, 0];
	const look = (least: number): void => {
		const now = clock.monotonic();
		const ms = Math.round(now - since);
		if (journal === undefined || ms < least) return;
		// A journal that failed says so at the next outcome.
		journal.record({ type: 'tick', at: Math.round(clock.now()), ms, rows, retries, refused }).catch(() => undefined);
		since = now;
		hasTick = true;
		rows = retries = refused = 0;
	};
	return {
		row(): void {
			rows++;
			look(TICK_MS);
		},
		retry(status: number | undefined): void {
			retries++;
			if (status === 429 || status === 503) refused++;
			look(TICK_MS);
		},
		/** What happened since the last tick. */
		end(): void {
			if (hasTick && rows + retries > 0) look(0);
		},
	};
}

/** An input that turned out to be unusable on the way: exit code 2 would say that nothing was sent. */
function asPartial(error: unknown): unknown {
	if (!(error instanceof UsageError)) return error;
	const { message, code, hint, details, data, cause } = error;
	return new SupportctlError(message, 3, { code, details, data, cause, ...(hint === undefined ? {} : { hint }) });
}
