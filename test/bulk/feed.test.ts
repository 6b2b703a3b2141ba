import { describe, expect, it } from 'vitest';
import { Feed } from '../../src/bulk/run/engine.js';

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
