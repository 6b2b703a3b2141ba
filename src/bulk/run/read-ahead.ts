/** Reads objects before their rows' turn, a hundred with one request. */

import type { Dialect } from '../../api/dialect.js';
import { asksNothing, type Request } from '../../api/plan.js';
import type { Outcome } from '../../http/outcome.js';
import type { SendClock } from '../../http/send.js';
import { createBatchReader } from '../lists/batches.js';
import { changesLists, type RunPlan } from './plan.js';
import { readsBefore } from './read-back.js';
import type { RunRow } from './rows.js';

/** Older objects are read again before their write. */
const STALE_MS = 60_000;

export interface ReadAheadParts {
	plan: RunPlan;
	dialect: Dialect;
	concurrency: number;
	clock: Pick<SendClock, 'monotonic'>;
	/** Retries; never rejects. */
	send(request: Request): Promise<Outcome>;
}

export type ReadAhead = ReturnType<typeof createReadAhead>;

/** Conditions are checked right before the write. */
export function mayReadAhead(plan: RunPlan): boolean {
	const { checks, source } = plan;
	const isCondition = checks.ifUnmodified || checks.conditions.length > 0;
	return readsBefore(plan) && !isCondition && (source.from === 'ids' || source.from === 'file');
}

export function createReadAhead({ plan, clock, ...parts }: ReadAheadParts) {
	const reader = createBatchReader(parts);
	const addsItems = changesLists(plan);
	/** The first row that needs the object, by key. */
	const ahead = new Map<string, { row: RunRow; at: number; found: Promise<Outcome | undefined> }>();

	function begin(batch: readonly RunRow[]): void {
		const rows: RunRow[] = [];
		const keys = new Set(ahead.keys());
		for (const row of batch) {
			const { request } = row;
			if (keys.has(request.key) || (asksNothing(request) && !addsItems)) continue;
			keys.add(request.key);
			rows.push(row);
		}
		const lists = reader.readLists(rows.map(({ request }) => request));
		const at = clock.monotonic();
		for (const row of rows) {
			const found = lists.then((outcomes) => outcomes.get(row.request));
			ahead.set(row.request.key, { row, at, found });
		}
	}

	return {
		/** Reads of a batch begin while the one before it is sent. */
		async *follow(batches: AsyncIterable<RunRow[]>): AsyncGenerator<RunRow[]> {
			let waiting: RunRow[] | undefined;
			for await (const batch of batches) {
				begin(batch);
				if (waiting !== undefined) yield waiting;
				waiting = batch;
			}
			if (waiting !== undefined) yield waiting;
		},
		/** Undefined if it must be read alone. */
		async take({ row, request }: RunRow): Promise<Outcome | undefined> {
			const known = ahead.get(request.key);
			if (known?.row.row !== row) return undefined;
			ahead.delete(request.key);
			return clock.monotonic() - known.at > STALE_MS ? undefined : await known.found;
		},
		/** Once a row is done, what was read may be old. */
		forget({ request }: RunRow): void {
			ahead.delete(request.key);
		},
	};
}
