/** Sends rows with a few workers, in input order for each key; a worker takes the next row only when the outcome is recorded. */

import type { Concurrency } from './concurrency.js';
import type { RunRow } from './rows.js';

export interface EngineOptions<Result> {
	rows: AsyncIterable<readonly RunRow[]>;
	/** How many rows may be under way at a time. */
	concurrency: number;
	/** How many of these work at this moment; without it, all do. */
	limit?: Concurrency | undefined;
	/** Carries a row out; never rejects for what the service does. */
	perform(row: RunRow): Promise<Result>;
	/** Takes a row's result; the promise resolves when it is safe to go on. A rejection stops the run. */
	record(result: Result, row: RunRow): Promise<unknown> | undefined;
	/** Aborted when nothing new may be started. */
	stop: AbortSignal;
}

/** Batches from an async iterable, one row at a time, to many takers. */
export class Feed<T> {
	private readonly batches: AsyncIterator<readonly T[]>;
	private batch: readonly T[] = [];
	private at = 0;
	private ended = false;
	private loading: Promise<void> | undefined;

	constructor(source: AsyncIterable<readonly T[]>) {
		this.batches = source[Symbol.asyncIterator]();
	}

	/** A row; undefined at the end; a promise to wait for before asking again. */
	take(): T | undefined | Promise<void> {
		if (this.at < this.batch.length) return this.batch[this.at++];
		if (this.ended) return undefined;
		this.loading ??= this.load();
		return this.loading;
	}

	/** Stops reading and lets the source clean up. */
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

/** How many rows may wait for others of their key before reading pauses. */
const MAX_PARKED = 1000;

/** A key that is under way and that no row waits for; one list for all, since most keys never have another. */
const NONE: RunRow[] = [];

/** Rows that wait for the row of the same key that is under way. */
class Parking {
	private readonly byKey = new Map<string, RunRow[]>();
	private count = 0;
	private waiters: (() => void)[] = [];

	/** Claims a key. False where it is under way: the row is kept until `next` gives it back. */
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

	/** The next row of a claimed key; undefined, and the key is free, where there is none. */
	next(key: string): RunRow | undefined {
		const row = this.byKey.get(key)?.shift();
		if (row === undefined) this.byKey.delete(key);
		else if (--this.count < MAX_PARKED) this.wake();
		return row;
	}

	/** Resolves when there is room for one more. */
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

/**
 * Runs all rows. Rows that were read but not started when `stop` aborts are left without an outcome.
 * @throws what `rows` or `record` throws, after everything in flight has ended.
 */
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

	/** Performs one row after another, each followed by those of its key that arrived meanwhile. */
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

/**
 * Yields each item's result in the items' order, with at most `concurrency` under way. The slowest is waited for, so
 * nothing piles up behind it.
 * @param work Never rejects.
 */
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
