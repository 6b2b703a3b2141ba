import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Retry } from '../../src/http/outcome.js';
import { backoffMs, decideRetry, parseRetryAfter, type RetryFacts } from '../../src/http/send.js';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 7);

describe('parseRetryAfter', () => {
	it.each([
		['0', 0],
		['120', 120_000],
		[' 7 ', 7000],
		['Sun, 06 Nov 1994 08:49:37 GMT', 30_000],
		['Sunday, 06-Nov-94 08:49:37 GMT', 30_000],
		['Sun, 06 Nov 1994 08:00:00 GMT', 0],
		['Sun Nov  6 08:49:37 1994', 30_000],
		['Thu Nov 10 08:49:07 1994', 345_600_000],
	])('reads %j as %i ms', (text, ms) => {
		expect(parseRetryAfter(text, NOW)).toBe(ms);
	});

	it.each([
		'',
		'soon',
		'-5',
		'1.5',
		'1e9',
		'0x10',
		'120, 60',
		'2026-01-01',
		'Sun',
		'Sun Nov 6 1994',
		'Someday, 99 Foo 1994 25:61:61 GMT',
	])('ignores %j', (text) => {
		expect(parseRetryAfter(text, NOW)).toBeUndefined();
	});

	it('ignores a header that is not there', () => {
		expect(parseRetryAfter(undefined, NOW)).toBeUndefined();
	});

	it('measures a date by the clock of the service, however wrong ours is', () => {
		const ours = Date.UTC(2031, 0, 1);
		const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
		expect(parseRetryAfter(date, ours, 'Sun, 06 Nov 1994 08:49:07 GMT')).toBe(30_000);
		expect(parseRetryAfter(date, ours, 'nonsense')).toBe(0);
	});

	it('gives the milliseconds of any number of seconds and of any date, never an infinite or negative number', () => {
		fc.assert(
			fc.property(fc.stringMatching(/^\d{1,400}$/), (text) => {
				expect(parseRetryAfter(text, NOW)).toBe(Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER));
			}),
		);
		fc.assert(
			fc.property(fc.integer({ min: 0, max: 4e9 }), (seconds) => {
				const text = new Date(seconds * 1000).toUTCString();
				expect(parseRetryAfter(text, NOW)).toBe(Math.max(0, seconds * 1000 - NOW));
			}),
		);
	});
});

describe('backoffMs', () => {
	it('grows with each attempt up to half a minute; after a fault it begins sooner and grows faster', () => {
		const bounds = (kind: 'later' | 'fault') => [1, 2, 3, 4, 7, 20].map((attempt) => backoffMs(kind, attempt, 1));
		expect(bounds('later')).toEqual([500, 1000, 2000, 4000, 30_000, 30_000]);
		expect(bounds('fault')).toEqual([100, 400, 1600, 6400, 30_000, 30_000]);
	});

	it('waits anything from a half of its bound to all of it', () => {
		expect(backoffMs('later', 3, 0)).toBe(1000);
		expect(backoffMs('later', 3, 0.25)).toBe(1250);
	});
});

describe('decideRetry', () => {
	const facts = (more: Partial<RetryFacts>): RetryFacts => ({
		retry: 'later',
		replay: 'set',
		attempt: 1,
		retries: 4,
		failedBefore: false,
		retryAfterMs: undefined,
		random: 0.5,
		isKnown: true,
		...more,
	});

	it('asks a service that is not known yet once more after an odd response to a read, and others as often as any', () => {
		const odd = (more: Partial<RetryFacts>) => decideRetry(facts({ retry: 'odd', replay: 'read', ...more }));
		expect(odd({ attempt: 4 })).toBeDefined();
		expect(odd({ attempt: 5 })).toBeUndefined();
		expect(odd({ attempt: 1, isKnown: false })).toBeDefined();
		expect(odd({ attempt: 2, isKnown: false })).toBeUndefined();
	});

	it.each<[Retry | undefined, boolean]>([
		[undefined, false],
		['later', true],
		['lost', true],
		['unsent', true],
	])('after %s it sends again: %s', (retry, again) => {
		for (const replay of ['set', 'delete', 'read'] as const) {
			expect(decideRetry(facts({ retry, replay })) !== undefined).toBe(again);
		}
	});

	it.each<Retry>(['later', 'lost', 'unsent'])('never sends a credential check twice, not even after %s', (retry) => {
		expect(decideRetry(facts({ retry, replay: 'once' }))).toBeUndefined();
	});

	it('sends no more often than it was allowed to', () => {
		expect(decideRetry(facts({ attempt: 4 }))).toBeDefined();
		expect(decideRetry(facts({ attempt: 5 }))).toBeUndefined();
		expect(decideRetry(facts({ retries: 0 }))).toBeUndefined();
	});

	it('sends an update or a read once more where the service failed, and not a third time', () => {
		expect(decideRetry(facts({ retry: 'once', replay: 'delete' }))).toBeUndefined();
		expect(decideRetry(facts({ retry: 'once', replay: 'read' }))).toBe(75);
		expect(decideRetry(facts({ retry: 'once', replay: 'read', failedBefore: true }))).toBeUndefined();
		expect(decideRetry(facts({ retry: 'once' }))).toBe(75);
		expect(decideRetry(facts({ retry: 'once', failedBefore: true }))).toBeUndefined();
	});

	it('waits as long as the service asks, and a little longer so that not all return at once', () => {
		expect(decideRetry(facts({ retryAfterMs: 3000 }))).toBe(3200);
		expect(decideRetry(facts({ retryAfterMs: 3000, random: 0 }))).toBe(3000);
		expect(decideRetry(facts({ retryAfterMs: 0 }))).toBe(375);
	});

	it('takes a wait from the service alone', () => {
		expect(decideRetry(facts({ retry: 'lost', retryAfterMs: 1e9 }))).toBe(75);
	});
});
