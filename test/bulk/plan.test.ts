import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../src/api/endpoints.js';
import { hashKey, inShard, makersOf, notesOf, nothingToChange, parseShard, undoObstacle } from '../../src/bulk/plan.js';
import type { Maker, RowSource } from '../../src/bulk/sources.js';
import { textOf } from '../support/any-text.js';
import { headerOf, planOf } from '../support/journal.js';

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

describe('who made a run', () => {
	const ada = { user: 'ada', host: 'laptop', account: 'ada@desk.example' };
	const ci = { user: 'ci', host: 'runner' };
	const planned = (who?: Maker): RowSource => ({
		...{ from: 'plan', path: 'p.plan', sha256: 'ab', allowDrift: false },
		made: { started: '2026-11-21T07:45:12.000Z', who, note: 'asked for' },
	});

	it.each<[string | undefined, Maker | undefined, RowSource | undefined]>([
		['ada on laptop (account ada@desk.example)', ada, undefined],
		[undefined, undefined, undefined],
		['planned by ada on laptop (account ada@desk.example), applied by ci on runner', ci, planned(ada)],
		['planned by ci on runner', undefined, planned(ci)],
		['applied by ci on runner', ci, planned()],
		[undefined, undefined, planned()],
	])('is said as far as it is known: %s', (says, who, source) => {
		expect(makersOf({ ...headerOf(1, source && { source }), ...(who && { who }) })).toBe(says);
	});

	it('and why, once where the plan and its run say the same', () => {
		const header = headerOf(1, { source: planned() });
		expect(notesOf({ ...header, note: 'go' })).toEqual(['asked for', 'go']);
		expect(notesOf({ ...header, note: 'asked for' })).toEqual(['asked for']);
		expect(notesOf(headerOf(1))).toEqual([]);
	});
});

describe('why a run can not be undone', () => {
	const unsaved = planOf();
	it.each([
		[undefined, { ...unsaved, checks: { ...unsaved.checks, snapshot: true } }],
		['it did not save old values', unsaved],
		['its deletes were permanent', planOf({ endpoint: 'user.delete' })],
		['its deletes were permanent', planOf({ endpoint: 'ticket.delete', values: { ...unsaved.values, force: true } })],
		['it did not save old values', planOf({ endpoint: 'ticket.delete' })],
		["application passwords can't be restored", planOf({ endpoint: 'user.password.delete' })],
		['it changed nothing', planOf({ endpoint: 'user.id' })],
	])('%s', (why, plan) => {
		expect(undoObstacle(plan)).toBe(why);
	});
});

it('a command that changes nothing says which flags would', () => {
	expect(nothingToChange(endpoints['ticket.update']).message).toBe(
		'nothing to change: pass a flag for a field, or --data',
	);
	expect(nothingToChange(endpoints['ticket.fields.set']).message).toBe('nothing to change: pass --set name=value');
});
