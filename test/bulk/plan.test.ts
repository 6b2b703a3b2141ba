import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashKey, inShard, parseShard } from '../../src/bulk/plan.js';
import { textOf } from '../support/any-text.js';

describe('shards', () => {
	it('take each key exactly once, whatever the key and the count', () => {
		fc.assert(
			fc.property(textOf(), fc.integer({ min: 1, max: 200 }), (key, count) => {
				const takers = Array.from({ length: count }, (_, at) => at + 1).filter((index) =>
					inShard(key, { index, count }),
				);
				expect(takers).toHaveLength(1);
			}),
		);
	});

	it('are even for ids that follow each other, for ids with a step, and for replies of one ticket', () => {
		const paths = [
			(id: number) => `/support-api/v1/tickets/${id}`,
			(id: number) => `/support-api/v1/tickets/${id * 64}`,
			(id: number) => `/support-api/v1/tickets/14/replies/${id}`,
		];
		for (const path of paths) {
			for (const count of [2, 3, 4, 7, 16]) {
				const sizes = Array.from({ length: count }, () => 0);
				for (let id = 1; id <= 16_000; id++) {
					for (let index = 1; index <= count; index++) {
						if (inShard(path(id), { index, count })) (sizes[index - 1] as number) += 1;
					}
				}
				for (const size of sizes) expect(Math.abs(size - 16_000 / count)).toBeLessThan(800 / Math.sqrt(count));
			}
		}
	});

	it('stay what they are: machines with different versions share a run', () => {
		expect(['', '/tickets/14', '/tickets/15', 'é€'].map(hashKey)).toEqual([
			2872998923, 1224585816, 1378561810, 2451746111,
		]);
	});

	it.each([
		['1/1', { index: 1, count: 1 }],
		['2/4', { index: 2, count: 4 }],
		['4/4', { index: 4, count: 4 }],
		['12/345', { index: 12, count: 345 }],
		['999999/999999', { index: 999_999, count: 999_999 }],
	])('%s is read', (text, shard) => {
		expect(parseShard(text)).toEqual(shard);
		expect(parseShard(` ${text}\n`)).toEqual(shard);
	});

	it.each(['0/4', '5/4', '1/0', '1', 'a/b', '1/4/2', '-1/4', '1.5/4', ''])('%j is refused', (text) => {
		expect(() => parseShard(text)).toThrow(
			expect.objectContaining({ code: 'invalid_value', message: expect.stringContaining('is not K/N') }),
		);
	});
});
