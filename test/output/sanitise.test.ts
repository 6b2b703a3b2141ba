import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeJson, sanitise, sanitiseLines } from '../../src/output/sanitise.js';

describe('sanitise', () => {
	it.each([
		['a red word', '\x1b[31mred\x1b[0m', '\\x1b[31mred\\x1b[0m'],
		['a window title', '\x1b]0;owned\x07', '\\x1b]0;owned\\x07'],
		['a carriage return over what was said', 'failed\rok    ', 'failed\\rok    '],
		['a C1 control', '\x9b2J', '\\x9b2J'],
		['DEL and backspaces', 'abc\x7f\x08', 'abc\\x7f\\x08'],
		['line breaks and tabs', 'a\nb\tc', 'a\\nb\\tc'],
		['a bidirectional override', 'exe.\u202egpj', 'exe.\\u202egpj'],
		['isolates and marks', '\u2066x\u2069\u200f\u061c', '\\u2066x\\u2069\\u200f\\u061c'],
		['separators', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
		['what has no width', 'pass\u200bword\ufeff\u2060', 'pass\\u200bword\\ufeff\\u2060'],
		['a joiner between Latin letters', 'ad\u200dmin\u200c', 'ad\\u200dmin\\u200c'],
		['tag characters', 'a\u{e0041}', 'a\\u{e0041}'],
	])('shows %s', (_what, given, expected) => {
		expect(sanitise(given)).toBe(expected);
	});

	it.each(['plain', 'Grüße, 日本語', '👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️', 'مرحبا', 'می‌خواهم', 'e\u0301', ''])(
		'leaves %s as it is',
		(text) => {
			expect(sanitise(text)).toBe(text);
		},
	);

	it('lets nothing through that a terminal could obey, and is settled after one pass (property)', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
				const safe = sanitise(text);
				expect(safe).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]/);
				expect(sanitise(safe)).toBe(safe);
			}),
		);
	});

	it('keeps lines where lines are wanted, and nothing else', () => {
		expect(sanitiseLines('one\r\ntwo\tx\n\x1b[Athree\rfour')).toBe('one\ntwo    x\n\\x1b[Athree\\rfour');
	});
});

describe('escapeJson', () => {
	it('gives JSON of the same value without a character that a terminal could obey (property)', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
				const json = escapeJson(JSON.stringify({ [text]: text }));
				expect(JSON.parse(json)).toEqual({ [text]: text });
				expect(json).not.toMatch(/[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/);
			}),
		);
	});
});
