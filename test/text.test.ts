import { expect, it } from 'vitest';
import { formatCount, relativeTime } from '../src/text.js';

const now = Date.UTC(2026, 10, 23, 12);
const minutes = 60_000;

it.each([
	[0, 'just now'],
	[59_000, 'just now'],
	[minutes, '1 min ago'],
	[119 * minutes, '1 h ago'],
	[120 * minutes, '2 h ago'],
	[24 * 60 * minutes, '1 d ago'],
	[29 * 24 * 60 * minutes, '29 d ago'],
	[45 * 24 * 60 * minutes, '1 mo ago'],
	[800 * 24 * 60 * minutes, '2 y ago'],
	[-3 * 60 * minutes, 'in 3 h'],
])('%i ms before now is %s', (distance, text) => {
	expect(relativeTime(now - distance, now)).toBe(text);
});

it.each([
	[0, '0'],
	[999, '999'],
	[1000, '1,000'],
	[1_234_567, '1,234,567'],
	[-1234, '-1,234'],
	[1.5, '1.5'],
	[0.0012, '0.0012'],
])('%d is written as %s', (count, text) => {
	expect(formatCount(count)).toBe(text);
});
