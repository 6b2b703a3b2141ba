/** One row, from its first request to its outcome, for single requests and runs. */

import type { Dialect } from '../../api/dialect.js';
import type { Request } from '../../api/plan.js';
import type { Outcome, RowOutcome } from '../../http/outcome.js';
import { type SendOptions, send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import type { OldValues } from '../journal/records.js';
import type { Journal } from '../journal/write.js';
import { BatchReader } from '../lists/batches.js';
import type { TermIndex } from '../lists/directory.js';
import { endpointOf, type RunPlan } from './plan.js';
import { ReadAfter, type Slots } from './read-after.js';
import { ReadAhead } from './read-ahead.js';
import { createPerform, type RowSteps } from './read-back.js';
import type { PastPart } from './resume.js';
import { outcomeOf, type RunRow, skipped } from './rows.js';
import type { RowRedactor } from './setup.js';

export interface RowSenderParts {
	plan: RunPlan;
	dialect: Dialect;
	client: Client;
	options: SendOptions;
	terms?: TermIndex;
	redact: RowRedactor;
	journal?: Journal;
	past?: PastPart;
	/** With `--verify`, more rows are under way than requests. */
	slots?: Slots;
	read?: typeof send;
}

export class RowSender implements RowSteps {
	readonly terms: TermIndex | undefined;
	readonly #options: SendOptions;
	readonly #isDelete: boolean;
	readonly #ahead: ReadAhead;
	readonly #after: ReadAfter | undefined;
	readonly #first: BatchReader;
	readonly #last: BatchReader;
	readonly #perform: (row: RunRow) => Promise<Outcome>;

	constructor(private readonly parts: RowSenderParts) {
		const { plan, dialect, client, options, terms, slots, read = send } = parts;
		this.terms = terms;
		this.#options = { ...options, terms, ignoreMissing: plan.checks.ignoreMissing };
		this.#isDelete = endpointOf(plan).replay === 'delete';
		const reader = (optionsNow: () => SendOptions): BatchReader => {
			return new BatchReader({ dialect, concurrency: 1, send: (request) => read(client, request, optionsNow()) });
		};
		this.#first = reader(() => options);
		// A written row is read back even if the run stops.
		this.#last = reader(() =>
			options.stop?.aborted ? { ...options, retries: 0, stop: undefined, pace: undefined } : options,
		);
		this.#ahead = new ReadAhead(this.#first, options.clock);
		this.#after = slots && new ReadAfter(this.#last, slots);
		this.#perform = createPerform(plan, dialect, this);
	}

	follow(batches: AsyncIterable<RunRow[]>): AsyncIterable<RunRow[]> {
		return this.#ahead.follow(batches);
	}

	/** Never rejects for what the service does. */
	async sendRow(row: RunRow): Promise<RowOutcome> {
		const outcome = outcomeOf(row, row.skip === undefined ? await this.#perform(row) : skipped(row.skip));
		this.#ahead.forget(row);
		return this.parts.redact(outcome, row.request);
	}

	async before(row: RunRow): Promise<Outcome> {
		const read = await this.#ahead.take(row);
		return read ?? (await this.#inSlot(() => this.#first.readAlone(row.request)));
	}

	after({ request }: RunRow): Promise<Outcome> {
		return this.#after?.read(request) ?? this.#last.readAlone(request);
	}

	send({ row }: RunRow, request: Request): Promise<Outcome> {
		const options: SendOptions = {
			...this.#options,
			history: this.parts.past?.states.history(row),
			onRetry: (failed, waitMs) => this.#noteAttempt(row, failed, waitMs),
		};
		return this.#inSlot(() => send(this.parts.client, request, options));
	}

	maybeSent({ row }: RunRow): boolean {
		const { mayBeApplied = false, mayBePartly = false } = this.parts.past?.states.history(row) ?? {};
		// A delete that failed halfway may have succeeded.
		return mayBeApplied || (this.#isDelete && mayBePartly);
	}

	keep({ row, request }: RunRow, before: OldValues): Promise<void> | undefined {
		return this.parts.journal?.before(row, request.ids, before);
	}

	#inSlot(work: () => Promise<Outcome>): Promise<Outcome> {
		const { slots } = this.parts;
		return slots === undefined ? work() : slots.run(work);
	}

	#noteAttempt(row: number, failed: Outcome, waitMs: number): void {
		const { attempts: attempt, status, code, mayBeApplied: lost, mayBePartly: partly } = failed;
		const record = { type: 'attempt', row, attempt, status, code, lost, partly } as const;
		// The next outcome says so if the journal fails.
		this.parts.journal?.record(record).catch(() => undefined);
		this.#options.onRetry?.(failed, waitMs);
	}
}
