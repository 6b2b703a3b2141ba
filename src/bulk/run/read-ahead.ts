/** Reads objects before their rows' turn, a hundred with one request. */

import type { Request } from '../../api/request.js';
import type { Outcome } from '../../http/outcome.js';
import type { SendClock } from '../../http/send.js';
import type { BatchReader } from '../lists/batches.js';
import { type RunPlan, readsBefore } from '../plan.js';
import { isInput } from '../sources.js';
import type { RunRow } from './rows.js';

/** What was read longer ago may have changed. */
export const STALE_MS = 60_000;

/** Conditions are checked right before the write. */
export function mayReadAhead(plan: RunPlan): boolean {
	const { checks, source } = plan;
	const isCondition = checks.ifUnmodified || checks.conditions.length > 0 || checks.expected !== undefined;
	return readsBefore(plan) && !isCondition && isInput(source);
}

interface Read {
	request: Request;
	at: number;
	lists: ReturnType<BatchReader['readLists']>;
}

export class ReadAhead {
	/** The first row that needs the object, by key. */
	readonly #reads = new Map<string, Read>();

	constructor(
		private readonly reader: BatchReader,
		private readonly clock: SendClock,
	) {}

	/** Reads of a batch begin while the one before it is sent. */
	async *follow(batches: AsyncIterable<RunRow[]>): AsyncGenerator<RunRow[]> {
		let waiting: RunRow[] | undefined;
		for await (const batch of batches) {
			this.#begin(batch);
			if (waiting !== undefined) yield waiting;
			waiting = batch;
		}
		if (waiting !== undefined) yield waiting;
	}

	#begin(batch: readonly RunRow[]): void {
		const first = new Map<string, Request>();
		for (const { request, skip } of batch) {
			const { key } = request;
			if (skip === undefined && !this.#reads.has(key) && !first.has(key)) first.set(key, request);
		}
		const lists = this.reader.readLists([...first.values()]);
		const at = this.clock.monotonic();
		for (const [key, request] of first) this.#reads.set(key, { request, at, lists });
	}

	async take(request: Request): Promise<Outcome | undefined> {
		const read = this.#reads.get(request.key);
		if (read?.request !== request) return undefined;
		this.#reads.delete(request.key);
		return this.clock.monotonic() - read.at > STALE_MS ? undefined : (await read.lists).get(request);
	}

	/** Once a row is done, what was read may be old. */
	forget({ key }: Request): void {
		this.#reads.delete(key);
	}
}
