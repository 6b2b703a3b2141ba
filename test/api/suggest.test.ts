import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { didYouMean, editDistance } from '../../src/api/suggest.js';

describe('editDistance', () => {
	it.each([
		['', '', 0],
		['', 'abc', 3],
		['hold', 'hold', 0],
		['hodl', 'hold', 1],
		['hld', 'hold', 1],
		['holdd', 'hold', 1],
		['hxld', 'hold', 1],
		['kitten', 'sitting', 3],
		['ca', 'abc', 3],
	])('of %j and %j is %i', (left, right, distance) => {
		expect(editDistance(left, right)).toBe(distance);
	});

	it('is the same both ways, zero for equals alone, and no more than the longer text', () => {
		const text = fc.string({ maxLength: 12 });
		fc.assert(
			fc.property(text, text, (left, right) => {
				const distance = editDistance(left, right);
				expect(editDistance(right, left)).toBe(distance);
				expect(distance === 0).toBe(left === right);
				expect(distance).toBeLessThanOrEqual(Math.max(left.length, right.length));
				expect(distance).toBeGreaterThanOrEqual(Math.abs(left.length - right.length));
			}),
		);
	});
});

describe('didYouMean', () => {
	const statuses = ['hold', 'read', 'unread', 'publish', 'pending', 'in-progress'];

	it.each([
		['hodl', 'hold'],
		['HOLD', 'hold'],
		['publsh', 'publish'],
		['pub', 'publish'],
		['in_progress', 'in-progress'],
		['inprogress', 'in-progress'],
	])('suggests to %j %j', (given, expected) => {
		expect(didYouMean(given, statuses)).toBe(`; did you mean "${expected}"?`);
	});

	it.each(['', 'x', 'zz', 'completely-else', 'x'.repeat(5000)])('suggests nothing to %.20j', (given) => {
		expect(didYouMean(given, statuses)).toBe('');
	});

	it('prefers the nearer of two', () => {
		expect(didYouMean('reads', ['unread', 'read'])).toContain('"read"');
	});
});
