import { describe, expect, it } from 'vitest';
import { parseDuration, parseUntil } from '../../../src/cli/options/times.js';

describe('parseDuration', () => {
	it.each([
		['45s', 45_000],
		['90m', 5_400_000],
		['1h30m', 5_400_000],
		['1.5h', 5_400_000],
		['2D', 172_800_000],
		['1w', 604_800_000],
		['0h', 0],
	])('reads %s', (text, ms) => {
		expect(parseDuration(text, '--for')).toBe(ms);
	});

	it.each(['', '90', 'm', '-5m', '1h 30m', `${'9'.repeat(30)}d`])('refuses %j', (text) => {
		expect(() => parseDuration(text, '--for')).toThrow('is not a duration such as 90m, 2h, 1h30m or 30d');
	});
});

describe('parseUntil', () => {
	const now = new Date(2026, 10, 23, 22, 30).getTime();

	it('takes a time of day that is still to come for today, and else for tomorrow', () => {
		expect(parseUntil('23:15', now)).toBe(new Date(2026, 10, 23, 23, 15).getTime());
		expect(parseUntil('6:00', now)).toBe(new Date(2026, 10, 24, 6, 0).getTime());
		expect(parseUntil('22:30', now)).toBe(new Date(2026, 10, 24, 22, 30).getTime());
	});

	it('reads a date and time, in this zone unless it says another', () => {
		expect(parseUntil('2026-11-24T06:00', now)).toBe(new Date(2026, 10, 24, 6, 0).getTime());
		expect(parseUntil('2026-11-25T06:00:00Z', now)).toBe(Date.UTC(2026, 10, 25, 6));
	});

	it.each(['24:00', '6', 'noon', '', '2026-13-01T00:00'])('refuses %j', (text) => {
		expect(() => parseUntil(text, now)).toThrow('is not a time such as 06:00');
	});

	it('refuses a time that is past', () => {
		expect(() => parseUntil('2026-11-01T00:00', now)).toThrow('is not a time in the future');
	});
});
