import { describe, expect, it } from 'vitest';
import { inOrder } from '../../src/bulk/run/engine.js';

async function* from<T>(...batches: T[][]): AsyncGenerator<T[]> {
	for (const batch of batches) yield batch;
}

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
