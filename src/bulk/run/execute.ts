/** The second pass of a run: sends, records and prints rows. */

import { setMaxListeners } from 'node:events';
import { endpoints } from '../../api/endpoints.js';
import { kinds } from '../../api/kinds.js';
import { PAGE_SIZE } from '../../api/reads.js';
import { ExitCode, SupportctlError, UsageError } from '../../errors.js';
import type { Client } from '../../http/client.js';
import { type Outcome, type RowOutcome, unsent } from '../../http/outcome.js';
import { isDone, outcomes } from '../../http/outcomes.js';
import { type SendOptions, send } from '../../http/send.js';
import { Called } from '../called.js';
import { type Counts, countOutcome, createCounts, exitCodeOf, openRows, totalOf } from '../journal/counts.js';
import type { EndRecord } from '../journal/records.js';
import type { Journal } from '../journal/write.js';
import { BatchReader } from '../lists/batches.js';
import type { Directories } from '../lists/directory.js';
import type { RunPlan } from '../plan.js';
import { AutoConcurrency } from './concurrency.js';
import { runEngine } from './engine.js';
import type { Ended } from './events.js';
import { ReadAfter, rowsUnderWay, Slots } from './read-after.js';
import { mayReadAhead, ReadAhead } from './read-ahead.js';
import type { PastPart } from './resume.js';
import { invalidOutcome, isInvalid, isOwn, type PlannedRows, type RunRow } from './rows.js';
import { beyondStop, type FirstRead, RowSender, rowOutcome } from './send-row.js';
import type { RunSetup } from './setup.js';
import { exitCodeAfter, isInterruption, isTooLate, type StopReason, StopWatch, whyStopped } from './stop.js';
import type { Survey } from './survey.js';

interface RunParts {
	setup: RunSetup;
	rows: PlannedRows;
	survey: Survey;
	client: Client;
	/** Undefined for lookups. */
	journal: Journal | undefined;
	/** What earlier parts of the run did. */
	past: PastPart | undefined;
	first?: FirstRead | undefined;
	/** What comes before the first row, once the run can be resumed. */
	prepare(stop: AbortSignal): Promise<void>;
}

/** How long a tick is, in milliseconds. */
const TICK_MS = 1000;

export class Execution {
	readonly #counts: Counts;
	readonly #doneBefore: number;
	readonly #own: number;
	readonly #total: number;
	readonly #watch: StopWatch;
	readonly #auto: AutoConcurrency | undefined;
	readonly #abort = new AbortController();
	readonly #options: SendOptions;
	#stopped: StopReason | undefined;
	#recent = { since: 0, rows: 0 };
	#hasTick = false;

	constructor(private readonly parts: RunParts) {
		const { setup, survey, past } = parts;
		const { plan } = setup.work;
		const { tuning } = setup.limits;
		const { clock, sending, show } = setup.means;
		this.#counts = past?.counts ?? createCounts();
		this.#doneBefore = totalOf(this.#counts);
		this.#own = past?.own ?? survey.own;
		this.#total = Math.min(this.#own, this.#doneBefore + (tuning.first ?? this.#own));
		this.#watch = new StopWatch(plan.stop, tuning.concurrency);
		this.#auto = tuning.auto ? new AutoConcurrency() : undefined;
		// Each waiting row listens.
		setMaxListeners(0, this.#abort.signal);
		const onRetry = (attempt: Outcome, waitMs: number): void => {
			this.#stop(this.#watch.lookAttempt(attempt, clock.monotonic()));
			void show({ type: 'retry', attempt, waitMs });
		};
		this.#options = { ...sending, stop: this.#abort.signal, onRetry };
	}

	/** Never throws: some rows may be done by then. */
	async run(): Promise<Ended> {
		const { journal, setup } = this.parts;
		const { clock, show } = setup.means;
		const started = clock.monotonic();
		const control = {
			stop: (reason: StopReason) => this.#stop(reason),
			open: () => this.#total - totalOf(this.#counts),
		};
		await show({ type: 'started', total: this.#total, counts: this.#counts, journal, control });
		const over = new AbortController();
		let failure: unknown;
		try {
			await this.parts.prepare(this.#abort.signal);
			void this.#keepTime(over.signal);
			await this.#sendRows();
		} catch (error) {
			failure = totalOf(this.#counts) > this.#doneBefore ? asPartial(error) : error;
		}
		over.abort();
		return await this.#end(clock.monotonic() - started, failure);
	}

	async #sendRows(): Promise<void> {
		const { setup, rows, survey, client, journal, past, first } = this.parts;
		const { plan } = setup.work;
		const { dialect, directories, clock, redactRows } = setup.means;
		const { tuning } = setup.limits;
		const limit = (): number => this.#auto?.limit ?? tuning.concurrency;
		const reader = (optionsNow: () => SendOptions): BatchReader =>
			new BatchReader(dialect, (request) => this.#read(client, request, optionsNow()));
		const ahead = mayReadAhead(plan)
			? new ReadAhead(
					reader(() => this.#options),
					clock,
				)
			: undefined;
		// A single row gathers no others.
		const slots = plan.checks.verify && survey.selected > 1 ? new Slots(limit) : undefined;
		const sender = new RowSender({
			plan,
			dialect,
			client,
			options: this.#options,
			terms: directories.terms,
			names: directories,
			termOf: (taxonomy, id) => directories.terms(taxonomy).ofObject(id),
			first,
			redact: redactRows(survey.hasSecrets),
			journal: journal && withNames(journal, plan, directories),
			past,
			slots,
			ahead,
			after:
				slots &&
				new ReadAfter(
					reader(() => beyondStop(this.#options)),
					slots,
					clock,
				),
			read: (...request) => this.#read(...request),
		});
		const ready = rowsToSend(setup, rows, past, (outcome) => this.#take(outcome));
		await runEngine({
			rows: ahead?.follow(ready) ?? ready,
			limit: slots === undefined ? limit : () => rowsUnderWay(plan, tuning),
			stop: this.#abort.signal,
			perform: (row) => this.#perform(row, sender),
		});
	}

	async #perform(row: RunRow, sender: RowSender): Promise<void> {
		const outcome = await sender.send(row);
		if (isDone(outcome) && outcome.attempts === 1) this.#auto?.note(outcome.ms);
		if (row.skip === undefined) this.#stop(this.#watch.look(outcome));
		// A resume sends what the stop held back.
		const isOpen = !outcomes[outcome.outcome].done;
		if (!this.#abort.signal.aborted || !isOpen || outcome.attempts > 0) await this.#take(outcome);
	}

	async #read(...request: Parameters<typeof send>): Promise<Outcome> {
		const outcome = await send(...request);
		this.#stop(this.#watch.lookRead(outcome));
		return outcome;
	}

	#stop(reason: StopReason | undefined): void {
		if (reason === undefined || this.#stopped !== undefined) return;
		this.#stopped = reason;
		this.#abort.abort();
	}

	#take(outcome: RowOutcome): Promise<unknown> | undefined {
		const { setup, journal, past } = this.parts;
		const written = journal?.outcome(outcome);
		countOutcome(this.#counts, outcome);
		past?.states.record(outcome.row, outcome);
		this.#recent.rows++;
		const printed = setup.means.show({ type: 'row', outcome, counts: this.#counts });
		// Both at once: either may fail while the other is waited for.
		return printed === undefined ? written : Promise.all([printed, written]);
	}

	/** Ticks about every second, and stops the run when its time is over; also if the clock is set. */
	async #keepTime(over: AbortSignal): Promise<void> {
		const { means, limits } = this.parts.setup;
		const { clock, sending, show } = means;
		const { until } = limits.tuning;
		this.#recent.since = clock.monotonic();
		for (;;) {
			const left = until === undefined ? TICK_MS : until - clock.now();
			if (until !== undefined && left <= 0) this.#stop({ kind: 'out-of-time', until });
			await clock.sleep(left <= 0 ? TICK_MS : Math.min(TICK_MS, left), over);
			if (over.aborted) return;
			void show({ type: 'tick', counts: this.#counts, pauseMs: sending.pace.pauseMs });
			this.#noteTick();
		}
	}

	#noteTick(): void {
		const { setup, journal } = this.parts;
		const { since, rows } = this.#recent;
		if (rows === 0) return;
		const now = setup.means.clock.monotonic();
		// The next outcome says so if the journal fails.
		journal?.record({ type: 'tick', ms: Math.round(now - since) }).catch(() => undefined);
		this.#recent = { since: now, rows: 0 };
		this.#hasTick = true;
	}

	async #end(ms: number, given: unknown): Promise<Ended> {
		const { setup, journal, past } = this.parts;
		const counts = this.#counts;
		let failure = given;
		const isReached = totalOf(counts) >= this.#total;
		const reached = { ...counts };
		await this.#leaveInDoubt().catch((error: unknown) => {
			failure ??= error;
		});
		if (past !== undefined) Object.assign(counts, past.allCounts());
		counts['not-sent'] += Math.max(0, this.#own - totalOf(counts));
		const reason = this.#stopped;
		const isLate = isReached && reason !== undefined && isTooLate(reason, openRows(reached) > 0);
		const stopped = isLate ? undefined : reason;
		const isInterrupted = isInterruption(stopped);
		// Rows left by --first are no failure.
		const exitCode = exitCodeAfter(stopped, exitCodeOf(isReached ? reached : counts, isInterrupted));
		const resumable = openRows(counts) > 0 || failure !== undefined;
		try {
			if (this.#hasTick) this.#noteTick();
			const at = new Date(setup.means.clock.now()).toISOString();
			const interrupted = isInterrupted ? true : undefined;
			await journal?.close({
				at,
				counts,
				exit: exitCode,
				interrupted,
				stopped: this.#whyEnded(stopped, counts, failure),
			});
		} catch (error) {
			failure ??= error;
		}
		return { counts, exitCode, stopped, ms, resumable, failure };
	}

	/** They may have been sent: never counted as rows that were not. */
	async #leaveInDoubt(): Promise<void> {
		const { setup, survey, past } = this.parts;
		const redact = setup.means.redactRows(survey.hasSecrets);
		for (const row of past?.inDoubt ?? []) {
			const outcome = unsent('unknown', 'in_doubt', 'it was under way when the run was killed: it may have been sent');
			await this.#take(redact(rowOutcome(row, outcome), row.request));
		}
	}

	#whyEnded(stopped: StopReason | undefined, counts: Counts, failure: unknown): EndRecord['stopped'] {
		const { first } = this.parts.setup.limits.tuning;
		if (stopped !== undefined) return { kind: stopped.kind, why: whyStopped(stopped) };
		if (failure instanceof SupportctlError) return { kind: 'error', why: failure.message };
		if (first === undefined || openRows(counts) === 0) return undefined;
		return { kind: 'first', why: `stopped after the first ${first} rows (--first)` };
	}
}

/** Also keeps what the users and terms in old and new values are called, as far as the run happens to know. */
function withNames(
	journal: Journal,
	{ endpoint }: RunPlan,
	{ nameOf }: Directories,
): Pick<Journal, 'record' | 'before'> {
	const named = endpoints[endpoint].fields.filter(({ kind }) => kinds[kind].names !== undefined);
	const called = new Called();
	return {
		record: (record) => journal.record(record),
		before(row, ids, old) {
			for (const name of called.learn(named, [old.values, old.sent], nameOf)) {
				// The next outcome says so if the journal fails.
				journal.record({ type: 'called', ...name }).catch(() => undefined);
			}
			return journal.before(row, ids, old);
		},
	};
}

/** Invalid rows have an outcome at once. */
export async function* rowsToSend(
	{ work: { plan }, limits: { tuning } }: RunSetup,
	rows: PlannedRows,
	past: PastPart | undefined,
	take: (outcome: RowOutcome) => unknown,
): AsyncGenerator<RunRow[]> {
	let left = tuning.first ?? Number.POSITIVE_INFINITY;
	let ready: RunRow[] = [];
	for await (const batch of rows.read()) {
		for (const planned of batch) {
			if (left === 0) break;
			if (past?.states.isDone(planned.row) === true || !isOwn(planned, plan.shard)) continue;
			left--;
			if (isInvalid(planned)) {
				await take(invalidOutcome(planned));
				continue;
			}
			ready.push(past?.withoutSuperseded(planned) ?? planned);
			if (ready.length < PAGE_SIZE) continue;
			yield ready;
			ready = [];
		}
		if (left === 0) break;
	}
	if (ready.length > 0) yield ready;
}

/** Exit code 2 would mean that nothing was sent. */
function asPartial(error: unknown): unknown {
	return error instanceof UsageError ? new SupportctlError(error.message, ExitCode.partial, error) : error;
}
