import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Request } from '../../../src/api/request.js';
import { inOrder } from '../../../src/bulk/lists/batches.js';
import { type EngineOptions, runEngine } from '../../../src/bulk/run/engine.js';
import type { RunRow } from '../../../src/bulk/run/rows.js';

const rowOf = (row: number, key: string): RunRow => ({ row, request: { key } as Request });

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

/** Watches what the engine does; each row takes some turns. */
function watch(slow: (row: number) => number): Pick<EngineOptions, 'perform'> & Watched {
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
			await turns(slow(row.row) + slow(row.row + 1));
			watched.recorded.push(row.row);
			underWay.delete(key);
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
					const watched = watch((row) => pauses[row % pauses.length] as number);
					await runEngine({ rows: batchesOf(keys, size), limit: () => concurrency, stop: never, ...watched });
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
		const watched = watch(() => 2);
		await runEngine({ rows: batchesOf(keys, 7), limit: () => 5, stop: never, ...watched });
		expect(watched.mostUnderWay).toBe(5);
	});

	it('frees a slot only when the row is done', async () => {
		let written = (): void => undefined;
		const started: number[] = [];
		const done = runEngine({
			rows: batchesOf(['a', 'b'], 2),
			limit: () => 1,
			stop: never,
			async perform({ row }) {
				started.push(row);
				if (row === 1) await new Promise<void>((resolve) => (written = resolve));
			},
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
					const watched = watch((row) => row % 3);
					const startedAtStop: number[] = [];
					await runEngine({
						rows: batchesOf(keys, 10),
						limit: () => concurrency,
						stop: stop.signal,
						async perform(row) {
							if (watched.started.length === after) {
								stop.abort();
								startedAtStop.push(...watched.started, row.row);
							}
							return watched.perform(row);
						},
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
		const watched = watch(() => 0);
		await runEngine({ rows: batchesOf(['a'], 1), limit: () => 2, stop: AbortSignal.abort(), ...watched });
		expect(watched.started).toEqual([]);
	});

	it('tells an error of the input after what is under way has ended and is recorded', async () => {
		const watched = watch(() => 4);
		async function* rows(): AsyncGenerator<RunRow[]> {
			yield [rowOf(1, 'a'), rowOf(2, 'b')];
			throw new Error('the input changed');
		}
		await expect(runEngine({ rows: rows(), limit: () => 4, stop: never, ...watched })).rejects.toThrow(
			'the input changed',
		);
		expect(watched.recorded.toSorted()).toEqual([1, 2]);
	});

	it('tells the first error of a record, starts nothing after it, and records what is under way', async () => {
		const keys = Array.from({ length: 20 }, (_, index) => String(index));
		const recorded: number[] = [];
		const failure = runEngine({
			rows: batchesOf(keys, 20),
			limit: () => 3,
			stop: never,
			async perform({ row }) {
				await turns(row);
				recorded.push(row);
				throw new Error(`disk full at row ${row}`);
			},
		});
		await expect(failure).rejects.toThrow('disk full at row 1');
		expect(recorded).toEqual([1, 2, 3]);
	});

	it('does not wait for room once a record has failed', async () => {
		const keys = Array.from({ length: 3000 }, () => 'one');
		const failure = runEngine({
			rows: batchesOf(keys, 500),
			limit: () => 4,
			stop: never,
			async perform() {
				await turns(20);
				throw new Error('disk full');
			},
		});
		await expect(failure).rejects.toThrow('disk full');
	});

	it('does not wait for room once it is stopped', async () => {
		const stop = new AbortController();
		const started: number[] = [];
		await runEngine({
			rows: batchesOf(
				Array.from({ length: 3000 }, () => 'one'),
				500,
			),
			limit: () => 4,
			stop: stop.signal,
			async perform(row) {
				started.push(row.row);
				// By now there is no room for more rows that wait.
				await turns(20);
				stop.abort();
			},
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
			limit: () => 2,
			stop: stop.signal,
			async perform(row) {
				if (row.row === 9) stop.abort();
			},
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
			limit: () => 4,
			stop: never,
			async perform(row) {
				if (row.row === 1) await first;
				recorded++;
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

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('inOrder', () => {
	it('gives results in the order of the items, and works on several at a time but never on more', async () => {
		const items = Array.from({ length: 50 }, (_, index) => index);
		let busy = 0;
		let most = 0;
		const results: number[] = [];
		for await (const result of inOrder(items, 4, async (item) => {
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
		for await (const _ of inOrder([1, 2, 3, 4, 5, 6], 3, async (item) => {
			await turn();
			ended++;
			return item;
		}))
			break;
		expect(ended).toBe(3);
	});

	it('throws the first error in order, also if a later item fails before', async () => {
		const read = async (): Promise<void> => {
			for await (const _ of inOrder([3, 2, 1], 3, async (turns) => {
				for (let left = turns; left > 0; left--) await turn();
				throw new Error(`after ${turns}`);
			}));
		};
		await expect(read()).rejects.toThrow('after 3');
	});
});
