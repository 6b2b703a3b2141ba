/** The second pass of a run: sends, records and prints rows. */

import { setMaxListeners } from 'node:events';
import type { Dialect } from '../../api/dialect.js';
import { asksNothing, type Request } from '../../api/plan.js';
import { ExitCode, SupportctlError, UsageError } from '../../errors.js';
import type { Outcome, RowOutcome } from '../../http/outcome.js';
import { type SendClock, type SendOptions, send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import { countOutcome, createCounts, exitCodeOf, openRows, sumOf, totalOf } from '../journal/counts.js';
import type { Journal } from '../journal/write.js';
import { BATCH_SIZE } from '../lists/batches.js';
import type { TermIndex } from '../lists/directory.js';
import { AdaptivePace } from '../pace.js';
import { createConcurrency } from './concurrency.js';
import { runEngine } from './engine.js';
import type { Ended, Show } from './events.js';
import type { RunPlan, RunTuning, Shard } from './plan.js';
import { createReadAfter, rowsUnderWay } from './read-after.js';
import { createReadAhead, mayReadAhead } from './read-ahead.js';
import type { PastPart } from './resume.js';
import { invalidOutcome, isInvalid, isOwn, type PlannedRows, type RunRow, skippedOutcome } from './rows.js';
import { createSendRow, type RowRedactor } from './send-row.js';
import { Slots } from './slots.js';
import { type StopReason, StopWatch } from './stop.js';
import { ownRows, type Survey } from './survey.js';

export interface RunParts {
	plan: RunPlan;
	tuning: RunTuning;
	rows: PlannedRows;
	survey: Survey;
	client: Client;
	terms?: TermIndex | undefined;
	dialect: Dialect;
	/** Undefined for reads. */
	journal: Journal | undefined;
	past: PastPart | undefined;
	show: Show;
	redact: RowRedactor;
	clock: SendClock;
	random(): number;
}

const PLANNED_AHEAD = BATCH_SIZE;

/** Never throws: some rows may be done by then. */
export async function execute(parts: RunParts): Promise<Ended> {
	const { plan, tuning, rows, survey, journal, past, client, dialect, show, clock, random } = parts;
	const { concurrency, auto, first, rate, until } = tuning;
	const counts = past?.counts ?? createCounts();
	const before = totalOf(counts);
	const own = past?.own ?? ownRows(survey, plan);
	const total = first === undefined ? own : Math.min(own, before + first);
	const pace = new AdaptivePace({ clock, random, rate });
	const watch = new StopWatch({ stopOnError: plan.stop.onError, maxFailures: plan.stop.maxFailures, concurrency });
	const limit = auto ? createConcurrency() : undefined;
	const controller = new AbortController();
	const { signal } = controller;
	// Each waiting row listens.
	setMaxListeners(0, signal);
	let stopped: StopReason | undefined;
	const stop = (reason: StopReason | undefined): void => {
		if (reason === undefined || stopped !== undefined) return;
		stopped = reason;
		controller.abort();
		void show({ type: 'stopped', reason });
	};
	const ticks = createTicks(journal, clock);
	const onRetry = (attempt: Outcome): void => {
		ticks.retry(attempt);
		void show({ type: 'retry', attempt });
		stop(watch.lookAttempt(attempt, clock.monotonic()));
	};
	const { retries } = tuning;
	const reading: SendOptions = { retries, clock, random, dialect, pace, stop: signal, onRetry };
	const read = async (request: Request, options: SendOptions): Promise<Outcome> => {
		const outcome = await send(client, request, options);
		stop(watch.lookRead(outcome));
		return outcome;
	};
	const ahead = mayReadAhead(plan)
		? createReadAhead({ ...parts, concurrency, send: (request) => read(request, reading) })
		: undefined;
	const slots = plan.checks.verify ? new Slots(() => limit?.limit ?? concurrency) : undefined;
	// A written row is read back even if the run stops.
	const { stop: _, pace: __, ...afterStop } = { ...reading, retries: 0 };
	const after =
		slots &&
		createReadAfter({
			...{ dialect, slots, clock, stop: signal },
			send: (request) => read(request, signal.aborted ? afterStop : reading),
		});
	const sendRow = createSendRow({
		...parts,
		...{ retries, stop: signal, pace, ahead, slots, after, onRetry },
		onRead: (outcome) => stop(watch.lookRead(outcome)),
	});

	/** Resolves when the outcome is in the journal and printed. */
	const take = (outcome: RowOutcome): Promise<unknown> | undefined => {
		const written = journal?.outcome(outcome);
		countOutcome(counts, outcome);
		past?.renew(outcome.row);
		ticks.row();
		const printed = show({ type: 'row', outcome, counts });
		return printed === undefined ? written : Promise.all([printed, written]);
	};

	const started = clock.monotonic();
	let failure: unknown;
	const ready = rowsToSend({ rows, shard: plan.shard, first, past }, take);
	const over = new AbortController();
	const control = { stop, open: () => total - totalOf(counts) };
	await show({ type: 'started', total, counts, journal, control });
	void tickUntil(over.signal, clock, () => void show({ type: 'tick', counts, pauseMs: pace.pauseMs }));
	if (until !== undefined) void waitUntil(until, over.signal, clock, () => stop({ kind: 'out-of-time', until }));
	try {
		await runEngine({
			rows: ahead === undefined ? ready : ahead.follow(ready),
			concurrency: rowsUnderWay(plan, tuning),
			limit: slots === undefined ? limit : undefined,
			stop: signal,
			perform: sendRow,
			record(outcome, row) {
				if (outcome.outcome === 'ok' && outcome.attempts === 1) limit?.note(outcome.ms);
				slots?.wake();
				if (!asksNothing(row.request)) stop(watch.look(outcome));
				// The stop held it back.
				const isOpen = outcome.outcome === 'not-sent' || outcome.outcome === 'unknown';
				if (signal.aborted && isOpen && outcome.attempts === 0) return undefined;
				return take(outcome);
			},
		});
	} catch (error) {
		failure = totalOf(counts) > before ? asPartial(error) : error;
	} finally {
		over.abort();
		await show({ type: 'settled' });
	}
	// Rows left by --first are no failure.
	const isReached = totalOf(counts) >= total;
	const reached = { ...counts };
	if (past !== undefined) Object.assign(counts, sumOf([counts, past.left]));
	counts['not-sent'] += Math.max(0, own - totalOf(counts));
	// Only the last rows were under way.
	if (stopped?.kind === 'out-of-time' && isReached) stopped = undefined;
	const isInterrupted = stopped?.kind === 'signal';
	const exitCode = exitCodeAfter(stopped, exitCodeOf(isReached ? reached : counts, isInterrupted));
	const ms = clock.monotonic() - started;
	const resumable = openRows(counts) > 0 || failure !== undefined;
	try {
		ticks.end();
		const at = new Date(clock.now()).toISOString();
		await journal?.close({ at, counts, exit: exitCode, interrupted: isInterrupted ? true : undefined });
	} catch (error) {
		failure ??= error;
	}
	return { counts, exitCode, stopped, ms, resumable, ...(failure === undefined ? {} : { failure }) };
}

/** At once if it is past; also if the clock is set. */
async function waitUntil(until: number, over: AbortSignal, clock: SendClock, call: () => void): Promise<void> {
	for (let left = until - clock.now(); left > 0; left = until - clock.now()) {
		await clock.sleep(Math.min(left, LOOK_MS), over);
		if (over.aborted) return;
	}
	call();
}

/** For computers that slept. */
const LOOK_MS = 60_000;

async function tickUntil(over: AbortSignal, clock: SendClock, tick: () => void): Promise<void> {
	for (;;) {
		await clock.sleep(TICK_MS, over);
		if (over.aborted) return;
		tick();
	}
}

function exitCodeAfter(stopped: StopReason | undefined, exitCode: ExitCode): ExitCode {
	// Its row may be unknown.
	if (stopped?.kind === 'unauthorized') return ExitCode.refused;
	if (stopped?.kind === 'same-refusal' && stopped.outcome.forbidden) return ExitCode.refused;
	// Rows that were left have not failed.
	if (stopped?.kind === 'out-of-time' && exitCode === ExitCode.failed) return ExitCode.partial;
	return exitCode;
}

export interface Selection {
	rows: Pick<PlannedRows, 'read'>;
	shard: Shard | undefined;
	first: number | undefined;
	past: PastPart | undefined;
}

/** Rows that are not sent have an outcome at once. */
export async function* rowsToSend(
	{ rows, shard, first, past }: Selection,
	take: (outcome: RowOutcome) => Promise<unknown> | undefined,
): AsyncGenerator<RunRow[]> {
	let left = first ?? Number.POSITIVE_INFINITY;
	let ready: RunRow[] = [];
	for await (const batch of rows.read()) {
		for (const planned of batch) {
			if (left === 0) break;
			if (past?.isDone(planned.row) === true || !isOwn(planned, shard)) continue;
			left--;
			if (isInvalid(planned)) {
				await take(invalidOutcome(planned));
				continue;
			}
			const row = past?.withoutSuperseded(planned) ?? planned;
			if (row.skip !== undefined) {
				await take(skippedOutcome(row));
				continue;
			}
			ready.push(row);
			if (ready.length < PLANNED_AHEAD) continue;
			yield ready;
			ready = [];
		}
		if (left === 0) break;
	}
	if (ready.length > 0) yield ready;
}

const TICK_MS = 1000;

/** One about every second. */
function createTicks(journal: Journal | undefined, clock: SendClock) {
	let since = clock.monotonic();
	let hasTick = false;
	let [rows, retries, refused] = [0, 0, 0];
	const look = (least: number): void => {
		const now = clock.monotonic();
		const ms = Math.round(now - since);
		if (journal === undefined || ms < least) return;
		// The next outcome says so.
		journal.record({ type: 'tick', ms, retries, refused }).catch(() => undefined);
		since = now;
		hasTick = true;
		rows = retries = refused = 0;
	};
	return {
		row(): void {
			rows++;
			look(TICK_MS);
		},
		retry({ retry }: Outcome): void {
			retries++;
			if (retry === 'later') refused++;
			look(TICK_MS);
		},
		end(): void {
			if (hasTick && rows + retries > 0) look(0);
		},
	};
}

/** Exit code 2 would mean that nothing was sent. */
function asPartial(error: unknown): unknown {
	if (!(error instanceof UsageError)) return error;
	const { message, code, hint, details, data, cause } = error;
	return new SupportctlError(message, 3, { code, details, data, cause, ...(hint === undefined ? {} : { hint }) });
}
