import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Request } from '../../../src/api/plan.js';
import { type EngineOptions, Feed, inOrder, runEngine } from '../../../src/bulk/run/engine.js';
import type { RunRow } from '../../../src/bulk/run/rows.js';
import type { RowOutcome } from '../../../src/http/outcome.js';

const rowOf = (row: number, key: string): RunRow => ({ row, request: { key } as Request });

const okOf = (row: RunRow): RowOutcome => ({ row: row.row, ids: {}, outcome: 'ok', attempts: 1, ms: 0 });

/** Lets other work go on for so many turns of the event loop. */
async function turns(count: number): Promise<void> {
	for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function* batchesOf(keys: readonly string[], size: number): AsyncGenerator<RunRow[]> {
	for (let at = 0; at < keys.length; at += size) {
		yield keys.slice(at, at + size).map((key, index) => rowOf(at + index + 1, key));
	}
}

interface Watched {
	started: number[];
	recorded: number[];
	mostUnderWay: number;
	/** Rows of one key that were under way together, or began out of turn. */
	overlaps: string[];
}

/** Options that watch what the engine does; each row takes some turns, and so does its record. */
function watch(
	keys: readonly string[],
	slow: (row: number) => number,
): Pick<EngineOptions<RowOutcome>, 'perform' | 'record'> & Watched {
	const underWay = new Map<string, number>();
	const last = new Map<string, number>();
	let busy = 0;
	const watched: Watched = { started: [], recorded: [], mostUnderWay: 0, overlaps: [] };
	return Object.assign(watched, {
		async perform(row: RunRow) {
			const { key } = row.request;
			watched.started.push(row.row);
			watched.mostUnderWay = Math.max(watched.mostUnderWay, ++busy);
			if (underWay.has(key)) watched.overlaps.push(`${row.row} while ${underWay.get(key)}`);
			if ((last.get(key) ?? 0) > row.row) watched.overlaps.push(`${row.row} after ${last.get(key)}`);
			underWay.set(key, row.row);
			last.set(key, row.row);
			await turns(slow(row.row));
			return okOf(row);
		},
		async record(outcome: RowOutcome) {
			await turns(slow(outcome.row + 1));
			watched.recorded.push(outcome.row);
			underWay.delete(keys[outcome.row - 1] as string);
			busy--;
		},
	});
}

const never = new AbortController().signal;

/** Few keys, so that rows often wait for each other. */
const manyKeys = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 60 });

describe('runEngine', () => {
	it('performs each row once, at most so many at a time, and those of one key in input order and apart', async () => {
		await fc.assert(
			fc.asyncProperty(
				manyKeys,
				fc.integer({ min: 1, max: 8 }),
				fc.integer({ min: 1, max: 20 }),
				fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 7, maxLength: 7 }),
				async (keys, concurrency, size, pauses) => {
					const watched = watch(keys, (row) => pauses[row % pauses.length] as number);
					await runEngine({ rows: batchesOf(keys, size), concurrency, stop: never, ...watched });
					const all = keys.map((_, index) => index + 1);
					expect(watched.started.toSorted((left, right) => left - right)).toEqual(all);
					expect(watched.recorded.toSorted((left, right) => left - right)).toEqual(all);
					expect(watched.overlaps).toEqual([]);
					expect(watched.mostUnderWay).toBeLessThanOrEqual(concurrency);
				},
			),
			{ numRuns: 150 },
		);
	});

	it('uses all slots where keys allow it', async () => {
		const keys = Array.from({ length: 40 }, (_, index) => String(index));
		const watched = watch(keys, () => 2);
		await runEngine({ rows: batchesOf(keys, 7), concurrency: 5, stop: never, ...watched });
		expect(watched.mostUnderWay).toBe(5);
	});

	it('frees a slot only when the outcome is recorded', async () => {
		let written = (): void => undefined;
		const started: number[] = [];
		const done = runEngine({
			rows: batchesOf(['a', 'b'], 2),
			concurrency: 1,
			stop: never,
			async perform(row) {
				started.push(row.row);
				return okOf(row);
			},
			record: (_, { row }) => (row === 1 ? new Promise<void>((resolve) => (written = resolve)) : undefined),
		});
		await turns(5);
		expect(started).toEqual([1]);
		written();
		await done;
		expect(started).toEqual([1, 2]);
	});

	it('ends what is under way on a stop, and leaves the rest untouched, also rows that wait for their key', async () => {
		await fc.assert(
			fc.asyncProperty(
				manyKeys,
				fc.integer({ min: 1, max: 6 }),
				fc.integer({ min: 0, max: 30 }),
				async (keys, concurrency, after) => {
					const stop = new AbortController();
					const watched = watch(keys, (row) => row % 3);
					const startedAtStop: number[] = [];
					await runEngine({
						rows: batchesOf(keys, 10),
						concurrency,
						stop: stop.signal,
						async perform(row) {
							if (watched.started.length === after) {
								stop.abort();
								startedAtStop.push(...watched.started, row.row);
							}
							return watched.perform(row);
						},
						record: watched.record,
					});
					expect(watched.recorded.toSorted()).toEqual(watched.started.toSorted());
					if (stop.signal.aborted) expect(watched.started).toEqual(startedAtStop);
					else expect(watched.started).toHaveLength(keys.length);
				},
			),
			{ numRuns: 80 },
		);
	});

	it('starts nothing where it is stopped before', async () => {
		const watched = watch(['a'], () => 0);
		await runEngine({ rows: batchesOf(['a'], 1), concurrency: 2, stop: AbortSignal.abort(), ...watched });
		expect(watched.started).toEqual([]);
	});

	it('tells an error of the input after what is under way has ended and is recorded', async () => {
		const watched = watch(['a', 'b', 'c'], () => 4);
		async function* rows(): AsyncGenerator<RunRow[]> {
			yield [rowOf(1, 'a'), rowOf(2, 'b')];
			throw new Error('the input changed');
		}
		await expect(runEngine({ rows: rows(), concurrency: 4, stop: never, ...watched })).rejects.toThrow(
			'the input changed',
		);
		expect(watched.recorded.toSorted()).toEqual([1, 2]);
	});

	it('tells the first error of a record, starts nothing after it, and records what is under way', async () => {
		const keys = Array.from({ length: 20 }, (_, index) => String(index));
		const watched = watch(keys, () => 1);
		const recorded: number[] = [];
		const failure = runEngine({
			rows: batchesOf(keys, 20),
			concurrency: 3,
			stop: never,
			perform: watched.perform,
			async record(_, { row }) {
				recorded.push(row);
				await turns(row);
				throw new Error(`disk full at row ${row}`);
			},
		});
		await expect(failure).rejects.toThrow('disk full at row 1');
		expect(watched.started).toEqual([1, 2, 3]);
		expect(recorded).toEqual([1, 2, 3]);
	});

	it('lets go of workers that wait for room when a record fails', async () => {
		const keys = Array.from({ length: 3000 }, () => 'one');
		const failure = runEngine({
			rows: batchesOf(keys, 500),
			concurrency: 4,
			stop: never,
			async perform(row) {
				await turns(20);
				return okOf(row);
			},
			record: () => Promise.reject(new Error('disk full')),
		});
		await expect(failure).rejects.toThrow('disk full');
	});

	it('lets go of workers that wait for room when it is stopped', async () => {
		const stop = new AbortController();
		const started: number[] = [];
		await runEngine({
			rows: batchesOf(
				Array.from({ length: 3000 }, () => 'one'),
				500,
			),
			concurrency: 4,
			stop: stop.signal,
			async perform(row) {
				started.push(row.row);
				// By now the others wait, each with a row more than there is room for.
				await turns(20);
				stop.abort();
				return okOf(row);
			},
			record: () => undefined,
		});
		expect(started).toEqual([1]);
	});

	it('closes the input whatever happens, waits for that, and listens to the signal no longer', async () => {
		let closed = 0;
		async function* rows(): AsyncGenerator<RunRow[]> {
			try {
				for (let row = 1; ; row++) yield [rowOf(row, String(row))];
			} finally {
				await turns(3);
				closed++;
			}
		}
		const stop = new AbortController();
		await runEngine({
			rows: rows(),
			concurrency: 2,
			stop: stop.signal,
			async perform(row) {
				if (row.row === 9) stop.abort();
				return okOf(row);
			},
			record: () => undefined,
		});
		expect(closed).toBe(1);
		expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
	});

	it('reads no further than a thousand rows ahead of a key that is slow', async () => {
		let read = 0;
		let release = (): void => undefined;
		const first = new Promise<void>((resolve) => {
			release = resolve;
		});
		async function* rows(): AsyncGenerator<RunRow[]> {
			for (let row = 1; row <= 5000; row++) {
				read = row;
				yield [rowOf(row, 'one')];
			}
		}
		let recorded = 0;
		const done = runEngine({
			rows: rows(),
			concurrency: 4,
			stop: never,
			async perform(row) {
				if (row.row === 1) await first;
				return okOf(row);
			},
			record() {
				recorded++;
				return undefined;
			},
		});
		await turns(50);
		for (let before = -1; before !== read; await turns(20)) before = read;
		expect(read).toBeGreaterThan(900);
		expect(read).toBeLessThan(1100);
		release();
		await done;
		expect(recorded).toBe(5000);
	});
});

async function* from<T>(...batches: T[][]): AsyncGenerator<T[]> {
	for (const batch of batches) yield batch;
}

async function drain<T>(feed: Feed<T>): Promise<T[]> {
	const items: T[] = [];
	for (;;) {
		const item = feed.take();
		if (item === undefined) return items;
		if (item instanceof Promise) await item;
		else items.push(item);
	}
}

describe('a feed', () => {
	it('hands out the items of all batches in order, empty ones left out', async () => {
		expect(await drain(new Feed(from([1, 2], [], [3], [])))).toEqual([1, 2, 3]);
	});

	it('gives each item to one taker', async () => {
		const feed = new Feed(from([1, 2, 3], [4, 5], [6]));
		const taken = (await Promise.all([drain(feed), drain(feed), drain(feed)])).flat();
		expect(taken.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
	});

	it('asks for a batch once, however many wait for it', async () => {
		let asked = 0;
		async function* batches(): AsyncGenerator<number[]> {
			asked++;
			yield [1];
		}
		const feed = new Feed(batches());
		const waits = [feed.take(), feed.take(), feed.take()];
		expect(new Set(waits).size).toBe(1);
		await waits[0];
		expect([asked, feed.take()]).toEqual([1, 1]);
	});

	it('tells an error of its source to whoever waits, and is at its end then', async () => {
		async function* batches(): AsyncGenerator<number[]> {
			yield [1];
			throw new Error('gone');
		}
		const feed = new Feed(batches());
		await feed.take();
		expect(feed.take()).toBe(1);
		const waits = [feed.take(), feed.take()];
		for (const wait of waits) await expect(wait).rejects.toThrow('gone');
		expect(feed.take()).toBeUndefined();
	});

	it('closes a source that has no way to be closed', async () => {
		const batches = {
			[Symbol.asyncIterator]: () => ({ next: async () => ({ done: true as const, value: undefined }) }),
		};
		const feed = new Feed(batches);
		await feed.close();
		expect(feed.take()).toBeUndefined();
	});
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('inOrder', () => {
	it('gives results in the order of the items, and works on several at a time but never on more', async () => {
		const items = Array.from({ length: 50 }, (_, index) => index);
		let busy = 0;
		let most = 0;
		const results: number[] = [];
		for await (const result of inOrder(from(items.slice(0, 20), [], items.slice(20)), 4, async (item) => {
			most = Math.max(most, ++busy);
			for (let turns = (item * 7) % 5; turns > 0; turns--) await turn();
			busy--;
			return item * 2;
		})) {
			results.push(result);
		}
		expect(results).toEqual(items.map((item) => item * 2));
		expect(most).toBe(4);
	});

	it('waits for what is under way when it is left early', async () => {
		let ended = 0;
		for await (const _ of inOrder(from([1, 2, 3, 4, 5, 6]), 3, async (item) => {
			await turn();
			ended++;
			return item;
		}))
			break;
		expect(ended).toBe(3);
	});
});
