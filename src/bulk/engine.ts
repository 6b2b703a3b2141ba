/** The hot path: rows go out over a few workers, in input order for each key, and a slot is free again only when its outcome is recorded. */

import type { Request } from '../api/plan.js';
import type { Outcome } from '../http/outcome.js';
import { Feed } from './feed.js';

/** One row of a run, ready to be sent. */
export interface RunRow {
	/** 1-based place in the input. */
	readonly row: number;
	/** 1-based line in the input file, where there is one. */
	readonly line?: number | undefined;
	readonly request: Request;
}

export interface EngineOptions {
	rows: AsyncIterable<readonly RunRow[]>;
	/** How many rows may be under way at a time. */
	concurrency: number;
	/** Carries a row out; never rejects for what the service does. */
	perform(row: RunRow): Promise<Outcome>;
	/** Takes a row's outcome; the promise resolves when it is safe to go on. A rejection stops the run. */
	record(outcome: Outcome, row: RunRow): Promise<void> | undefined;
	/** Aborted when nothing new may be started. */
	stop: AbortSignal;
}

/** How many rows may wait for others of their key before reading pauses. */
const MAX_PARKED = 1000;

/** A key that is under way and that no row waits for; one list for all, since most keys never have another. */
const NOBODY: RunRow[] = [];

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
			this.byKey.set(key, NOBODY);
			return true;
		}
		if (waiting === NOBODY) this.byKey.set(key, [row]);
		else waiting.push(row);
		this.count++;
		return false;
	}

	/** The next row of a claimed key; undefined gives the key free. */
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
export async function runEngine(options: EngineOptions): Promise<void> {
	const { perform, record, stop } = options;
	const feed = new Feed(options.rows);
	const parking = new Parking();
	let failure: { error: unknown } | undefined;
	const goesOn = (): boolean => failure === undefined && !stop.aborted;
	const wake = (): void => parking.wake();

	/** Performs one row after another, each followed by those of its key that arrived meanwhile. */
	async function worker(): Promise<void> {
		while (goesOn()) {
			const row = feed.take();
			if (row === undefined) return;
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

	async function guarded(): Promise<void> {
		try {
			await worker();
		} catch (error) {
			failure ??= { error };
			wake();
		}
	}

	stop.addEventListener('abort', wake);
	try {
		await Promise.all(Array.from({ length: options.concurrency }, guarded));
	} finally {
		stop.removeEventListener('abort', wake);
		await feed.close();
	}
	if (failure !== undefined) throw failure.error;
}
