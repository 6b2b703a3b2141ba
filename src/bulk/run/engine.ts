/** Sends rows with a few workers, in input order for each key. */

import type { Concurrency } from './concurrency.js';
import type { RunRow } from './rows.js';

export interface EngineOptions<Result> {
	rows: AsyncIterable<readonly RunRow[]>;
	concurrency: number;
	/** By default all workers work. */
	limit?: Concurrency | undefined;
	/** Never rejects for what the service does. */
	perform(row: RunRow): Promise<Result>;
	/** Resolves when it is safe to go on; a rejection stops the run. */
	record(result: Result, row: RunRow): Promise<unknown> | undefined;
	/** Nothing new is started then. */
	stop: AbortSignal;
}

/** One item at a time from batches, to many takers. */
export class Feed<T> {
	private readonly batches: AsyncIterator<readonly T[]>;
	private batch: readonly T[] = [];
	private at = 0;
	private ended = false;
	private loading: Promise<void> | undefined;

	constructor(source: AsyncIterable<readonly T[]>) {
		this.batches = source[Symbol.asyncIterator]();
	}

	/** Undefined at the end; a promise asks to wait. */
	take(): T | undefined | Promise<void> {
		if (this.at < this.batch.length) return this.batch[this.at++];
		if (this.ended) return undefined;
		this.loading ??= this.load();
		return this.loading;
	}

	/** Lets the source clean up. */
	async close(): Promise<void> {
		this.ended = true;
		await this.batches.return?.();
	}

	private async load(): Promise<void> {
		try {
			const next = await this.batches.next();
			this.ended ||= next.done === true;
			this.batch = next.done ? [] : next.value;
			this.at = 0;
		} catch (error) {
			this.ended = true;
			throw error;
		} finally {
			this.loading = undefined;
		}
	}
}

/** Rows that may wait for others of their key. */
const MAX_PARKED = 1000;

/** One list for all: most keys have one row. */
const NONE: RunRow[] = [];

/** Rows that wait for one of the same key. */
class Parking {
	private readonly byKey = new Map<string, RunRow[]>();
	private count = 0;
	private waiters: (() => void)[] = [];

	/** False keeps the row until `next`. */
	claim(row: RunRow): boolean {
		const { key } = row.request;
		const waiting = this.byKey.get(key);
		if (waiting === undefined) {
			this.byKey.set(key, NONE);
			return true;
		}
		if (waiting === NONE) this.byKey.set(key, [row]);
		else waiting.push(row);
		this.count++;
		return false;
	}

	/** Undefined frees the key. */
	next(key: string): RunRow | undefined {
		const row = this.byKey.get(key)?.shift();
		if (row === undefined) this.byKey.delete(key);
		else if (--this.count < MAX_PARKED) this.wake();
		return row;
	}

	room(): Promise<void> | undefined {
		if (this.count < MAX_PARKED) return undefined;
		return new Promise((resolve) => {
			this.waiters.push(resolve);
		});
	}

	wake(): void {
		const waiters = this.waiters;
		this.waiters = [];
		for (const resolve of waiters) resolve();
	}
}

/** Rows not started when `stop` aborts have no outcome. @throws what `rows` or `record` throws, once nothing is in flight */
export async function runEngine<Result>(options: EngineOptions<Result>): Promise<void> {
	const { perform, record, stop, limit } = options;
	const feed = new Feed(options.rows);
	const parking = new Parking();
	let failure: { error: unknown } | undefined;
	const goesOn = (): boolean => failure === undefined && !stop.aborted;
	let isRead = false;
	const wake = (): void => {
		parking.wake();
		limit?.wake();
	};

	async function worker(index: number): Promise<void> {
		while (goesOn()) {
			if (limit !== undefined && index >= limit.limit && !isRead) {
				await limit.changed();
				continue;
			}
			const row = feed.take();
			if (row === undefined) {
				isRead = true;
				limit?.wake();
				return;
			}
			if (row instanceof Promise) {
				await row;
				continue;
			}
			if (!parking.claim(row)) {
				await parking.room();
				continue;
			}
			let next: RunRow | undefined = row;
			while (next !== undefined && goesOn()) {
				const recorded = record(await perform(next), next);
				if (recorded !== undefined) await recorded;
				next = parking.next(row.request.key);
			}
		}
	}

	async function guarded(index: number): Promise<void> {
		try {
			await worker(index);
		} catch (error) {
			failure ??= { error };
			wake();
		}
	}

	stop.addEventListener('abort', wake);
	try {
		await Promise.all(Array.from({ length: options.concurrency }, (_, index) => guarded(index)));
	} finally {
		stop.removeEventListener('abort', wake);
		await feed.close();
	}
	if (failure !== undefined) throw failure.error;
}

/** In the items' order. @param work never rejects */
export async function* inOrder<T, R>(
	batches: AsyncIterable<readonly T[]> | Iterable<readonly T[]>,
	concurrency: number,
	work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
	const underWay: Promise<R>[] = [];
	try {
		for await (const batch of batches) {
			for (const item of batch) {
				underWay.push(work(item));
				if (underWay.length >= concurrency) yield await (underWay.shift() as Promise<R>);
			}
		}
		while (underWay.length > 0) yield await (underWay.shift() as Promise<R>);
	} finally {
		await Promise.all(underWay);
	}
}
