/** The second pass of a run: sends every row that is not done, and records and prints its outcome. */

import { setMaxListeners } from 'node:events';
import { chooseEndpoint } from '../../api/choose.js';
import type { Dialect } from '../../api/dialect.js';
import { asksNothing } from '../../api/plan.js';
import { ExitCode, SupportctlError, UsageError } from '../../errors.js';
import type { Outcome, Result } from '../../http/outcome.js';
import { type FailedAttempt, type SendClock, type SendOptions, send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import { type Counts, countOutcome, createCounts, exitCodeOf, openRows, totalOf } from '../journal/counts.js';
import type { Journal } from '../journal/write.js';
import { AdaptivePace } from '../pace.js';
import { runEngine } from './engine.js';
import type { RunPlan, RunTuning } from './plan.js';
import { createPerform, type RowSteps, readPlannerOf } from './read-back.js';
import type { PastPart } from './resume.js';
import {
	type InvalidRow,
	invalidOutcome,
	isInvalid,
	isOwn,
	outcomeOf,
	type PlannedRows,
	plannerOf,
	type RunRow,
} from './rows.js';
import { type StopReason, StopWatch } from './stop.js';
import type { Survey } from './survey.js';

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
	outcome(outcome: Outcome, counts: Counts): Promise<void> | void;
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
	outcome(outcome: Outcome, row: RunRow): Outcome;
}

/** Rows planned before they are sent: few enough to be short-lived for the garbage collector. */
const PLANNED_AHEAD = 128;

/** Sends the rows of a run. Never throws: a failure is part of how it ended, since some rows may be done by then. */
export async function execute(parts: RunParts): Promise<Ended> {
	const { plan, tuning, survey, journal, past, screen, redact, clock } = parts;
	const counts = past?.counts ?? createCounts();
	const before = totalOf(counts);
	const own =
		past?.own ??
		survey.selected + survey.skipped + (plan.shard === undefined || plan.shard.index === 1 ? survey.invalid : 0);
	const total = tuning.first === undefined ? own : Math.min(own, before + tuning.first);
	const pace = new AdaptivePace({ clock, random: parts.random, rate: tuning.rate });
	const stop = new RunStop(plan, tuning, clock);
	const ticks = new Ticks(journal, clock);
	const perform = createRowPerform(parts, pace, stop, ticks);

	/** Resolves when the outcome is in the journal and whoever reads the results keeps up. */
	const take = (outcome: Outcome): Promise<void> | undefined => {
		const written = journal?.outcome(outcome);
		countOutcome(counts, outcome);
		ticks.row();
		const printed = screen.outcome(outcome, counts);
		return printed === undefined ? written : Promise.all([printed, written]).then(() => undefined);
	};

	const started = clock.monotonic();
	let failure: unknown;
	screen.start(total, counts, {
		stop: (reason) => stop.because(reason),
		open: () => total - totalOf(counts),
		pauseMs: () => pace.pauseMs,
	});
	try {
		await runEngine({
			rows: rowsToSend(parts, (invalid) => take(invalidOutcome(invalid))),
			concurrency: tuning.concurrency,
			stop: stop.signal,
			perform,
			record(result, row) {
				const outcome = redact.outcome(outcomeOf(row, result), row);
				if (!asksNothing(row.request)) stop.look(outcome);
				// A row that the stop held back has no outcome: a resume sends it.
				if (stop.signal.aborted && outcome.outcome === 'not-sent' && outcome.attempts === 0) return undefined;
				return take(outcome);
			},
		});
	} catch (error) {
		failure = totalOf(counts) > before ? asPartial(error) : error;
	} finally {
		screen.done();
	}
	// Rows that --first leaves to a resume are open, and no failure.
	const unreached = { ...counts, 'not-sent': counts['not-sent'] + Math.max(0, total - totalOf(counts)) };
	counts['not-sent'] += Math.max(0, own - totalOf(counts));
	const ended: Ended = {
		counts,
		// A 401 after a lost response leaves its row unknown, and stops the run all the same.
		exitCode:
			stop.reason?.kind === 'unauthorized' ? ExitCode.refused : exitCodeOf(unreached, stop.reason?.kind === 'signal'),
		stopped: stop.reason,
		ms: clock.monotonic() - started,
		resumable: openRows(counts) > 0 || failure !== undefined,
	};
	const interrupted = stop.reason?.kind === 'signal' ? true : undefined;
	const at = new Date(clock.now()).toISOString();
	try {
		ticks.end();
		journal?.close({ at, counts, exit: ended.exitCode, interrupted });
	} catch (error) {
		failure ??= error;
	}
	return failure === undefined ? ended : { ...ended, failure };
}

/** The own rows that are not done, in input order; rows that can't be sent go to `reject`. */
async function* rowsToSend(
	{ rows, plan: { shard }, past, tuning }: RunParts,
	reject: (row: InvalidRow) => Promise<void> | undefined,
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
	stop: RunStop,
	ticks: Ticks,
): (row: RunRow) => Promise<Result> {
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, plan.undocumented);
	const options: SendOptions = {
		retries: tuning.retries,
		clock,
		random,
		dialect,
		stop: stop.signal,
		pace,
		ignoreMissing: plan.checks.ignoreMissing,
	};
	const { stop: _stop, pace: _pace, ...afterStop } = options;
	const isDelete = endpoint.replay === 'delete';
	const steps: RowSteps = {
		send: (row, request) =>
			send(client, request, options, {
				maybeSent: past?.maybeSent(row.row) === true,
				clean: redact.text(row),
				onRetry(attempt: FailedAttempt) {
					const { status, code, lost } = attempt;
					ticks.retry(status);
					// A journal that failed says so at the next outcome.
					journal
						?.attempt({ row: row.row, attempt: attempt.attempt, status, code, lost: lost || undefined })
						.catch(() => undefined);
					stop.lookAttempt(attempt);
				},
				...(isDelete && journal !== undefined ? { beforeSend: () => journal.sent(row.row) } : {}),
			}),
		// A row that was written is read back even if the run is stopping.
		read: (row, request, isAfter) =>
			send(
				client,
				request,
				{ ...(isAfter && stop.signal.aborted ? { ...afterStop, retries: 0 } : options), exactNumbers: true },
				{
					clean: redact.text(row),
				},
			),
		maybeSent: (row) => past?.maybeSent(row.row) === true,
		keep: (row, before) => journal?.before(row.row, row.request.ids, before) ?? Promise.resolve(),
	};
	return createPerform(plan, plannerOf(plan, dialect), readPlannerOf(dialect), steps);
}

/** How long a tick is, in milliseconds. */
const TICK_MS = 1000;

/** Says in the journal about once a second what happened meanwhile; a run that is shorter has none. */
class Ticks {
	private since: number;
	private hasTick = false;
	private rows = 0;
	private retries = 0;
	private refused = 0;

	constructor(
		private readonly journal: Journal | undefined,
		private readonly clock: SendClock,
	) {
		this.since = clock.monotonic();
	}

	row(): void {
		this.rows++;
		this.look(TICK_MS);
	}

	retry(status: number | undefined): void {
		this.retries++;
		if (status === 429 || status === 503) this.refused++;
		this.look(TICK_MS);
	}

	/** What happened since the last tick. */
	end(): void {
		if (this.hasTick && this.rows + this.retries > 0) this.look(0);
	}

	private look(least: number): void {
		const now = this.clock.monotonic();
		const ms = Math.round(now - this.since);
		if (this.journal === undefined || ms < least) return;
		const { rows, retries, refused } = this;
		// A journal that failed says so at the next outcome.
		this.journal.tick({ at: Math.round(this.clock.now()), ms, rows, retries, refused }).catch(() => undefined);
		this.since = now;
		this.hasTick = true;
		this.rows = this.retries = this.refused = 0;
	}
}

/** When and why a run stops before its end. */
class RunStop {
	private readonly controller = new AbortController();
	private readonly watch: StopWatch;
	reason: StopReason | undefined;

	constructor(
		{ stop }: RunPlan,
		{ concurrency }: RunTuning,
		private readonly clock: SendClock,
	) {
		this.watch = new StopWatch({ stopOnError: stop.onError, maxFailures: stop.maxFailures, concurrency });
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

	look(outcome: Outcome): void {
		this.because(this.watch.look(outcome));
	}

	lookAttempt(attempt: FailedAttempt): void {
		this.because(this.watch.lookAttempt(attempt, this.clock.monotonic()));
	}
}

/** An input that turned out to be unusable on the way: exit code 2 would say that nothing was sent. */
function asPartial(error: unknown): unknown {
	if (!(error instanceof UsageError)) return error;
	const { message, code, hint, details, data, cause } = error;
	return new SupportctlError(message, 3, { code, details, data, cause, ...(hint === undefined ? {} : { hint }) });
}
