import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { Output } from '../../src/io/context.js';
import {
	type Annotation,
	annotate,
	escapeJson,
	guardOutput,
	sanitise,
	sanitiseLines,
} from '../../src/output/sanitise.js';
import { textOf } from '../support/any-text.js';
import { testRenderer } from '../support/renderer.js';

/** Typed by hand from Unicode's tables: one of each range that no terminal may get. */
const HIDDEN = [
	...'\x00\x07\x1b\x7f\x80\x9b\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u180b\u180e\u200b\u200e\u2028\u2029\u202a\u202e',
	...'\ufffe\uffff\u2060\u2066\u2069\u206f\u3164\ufeff\uffa0\ufff9\ufffb\u{1bca0}\u{1d173}\u{e0001}\u{e0041}\u{e01f0}',
];
const text = fc.string({
	unit: fc.oneof(fc.constantFrom(...HIDDEN, 'a', '::', '##[', ' ', '\n'), textOf(3)),
});

/** What GitHub's runner takes for a command, line by line. */
const COMMAND = /^\s*::|##(?:[^\s[]*)\[/im;

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

	it('shows each hidden character as an escape, and is settled after one pass (property)', () => {
		for (const character of HIDDEN) {
			expect(sanitise(`a${character}b`)).toMatch(/^a\\(?:x..|u....|u\{.*\}|[nrt])b$/);
			expect(escapeJson(JSON.stringify(`a${character}b`))).toMatch(/^"a(?:\\u....)+b"$/);
		}
		fc.assert(
			fc.property(text, (given) => {
				const safe = sanitise(given);
				for (const character of HIDDEN) expect(safe).not.toContain(character);
				expect(safe).not.toMatch(COMMAND);
				expect(sanitise(safe)).toBe(safe);
			}),
		);
	});

	it('disarms each mark of a command, in linear time', () => {
		expect(sanitise('###[error]a ##vso[b] ##teamcity[c] ## d[')).toBe(
			'#\\#\\#[error]a #\\#vso[b] #\\#teamcity[c] ## d[',
		);
		expect(escapeJson('"###[error]a"')).toBe('"\\u0023\\u0023#[error]a"');
		const far = 'x'.repeat(500);
		expect(sanitise(`##${far}[`)).toBe(`#\\#${far}[`);
		const long = '#'.repeat(500_000);
		expect(sanitise(long)).toBe(long);
	});

	it('keeps lines where lines are wanted, and nothing else', () => {
		expect(sanitiseLines('one\r\ntwo\tx\n\x1b[Athree\rfour')).toBe('one\ntwo    x\n\\x1b[Athree\\rfour');
	});
});

describe('escapeJson', () => {
	it('gives JSON of the same value without a hidden character or a command (property)', () => {
		fc.assert(
			fc.property(text, (given) => {
				const value = { [given]: given };
				const json = escapeJson(JSON.stringify(value, null, 2));
				expect(JSON.parse(json)).toEqual(value);
				for (const character of HIDDEN) expect(json).not.toContain(character);
				expect(json).not.toMatch(COMMAND);
			}),
		);
	});
});

it('yaml holds no line that commands a CI runner, in keys or values of any length', async () => {
	const row = { '::error::k': `${'x'.repeat(50)}\n  ::stop-commands::x`, a: ['::y', '##[error]z'] };
	let yaml = '';
	const renderer = await testRenderer({ isTTY: false, format: 'yaml' }, (piece) => {
		yaml += piece;
	});
	await renderer.row(row);
	await renderer.end();
	expect(parseYaml(yaml)).toEqual([row]);
	expect(yaml).not.toMatch(COMMAND);
});

it('yaml escapes as readers of YAML 1.1 and 1.2 read it, beyond U+FFFF too', async () => {
	const row = { '\ufffek': 'a\uffffb', tag: 'x\u{e0041}', emoji: '😀', control: '\x07\x85' };
	let yaml = '';
	const renderer = await testRenderer({ isTTY: false, format: 'yaml', single: true }, (piece) => {
		yaml += piece;
	});
	await renderer.row(row);
	await renderer.end();
	expect(yaml).toBe('"\\ufffek": "a\\uffffb"\ntag: "x\\U000e0041"\nemoji: 😀\ncontrol: "\\a\\u0085"\n');
	expect(parseYaml(yaml)).toEqual(row);
});

it.each(['##vso[a]', '##VSO[a]', '##[error]', '##teamcity[x]', '##a.b-c[x]'])(
	'%s is printed without commanding a CI runner',
	(text) => {
		expect(sanitise(`x ${text}`)).toBe(`x #\\#${text.slice(2)}`);
	},
);

it('an output that is guarded lets only `command` write a command, and paints labels', () => {
	let written = '';
	const write = (piece: string): void => {
		written += piece;
	};
	const output = guardOutput(
		{ write, isTTY: false, columns: undefined, closed: false, flush: () => Promise.resolve() },
		(text) => text.replace('warning:', '<warning:>'),
	);
	output.write('warning: one\n\u00a0::add-mask::x\rok\r::y\n a ##vso[task]\n');
	output.command?.('::error::ours');
	expect(written).toBe('<warning:> one\n\u00a0\\::add-mask::x\rok\r\\::y\n a #\\#vso[task]\n::error::ours\n');
});

it('annotations name file and line, and nothing in their texts can end them', () => {
	const annotation = (given: Annotation): string => {
		let line = '';
		const command = (text: string): void => {
			line = text;
		};
		const stderr = { command } as unknown as Output;
		annotate({ argv: [], env: { GITHUB_ACTIONS: 'true' }, stderr }, given);
		return line;
	};
	const hostile = { file: 'a,b:c%.csv', line: 813, title: 'row 1: x\n', message: '50%\r\n::error::y' };
	expect(annotation(hostile)).toBe('::error file=a%2Cb%3Ac%25.csv,line=813,title=row 1%3A x%0A::50%25%0A\\::error::y');
	expect(annotation({ ...hostile, file: undefined })).toMatch(/^::error title=[^,]*::/);
	const control = annotation({ title: 'a\x1b[2J', message: '\u202eb\x07\0' });
	expect(control).toBe('::error title=a\\x1b[2J::\\u202eb\\x07\\x00');
	const text = fc.string({ unit: fc.constantFrom(...'\r\n%:,=0DA23 aé\u2028') });
	fc.assert(
		fc.property(text, text, (file, message) => {
			const line = annotation({ level: 'warning', file, title: message, message });
			const parts = /^::warning file=([^,:\r\n]*),title=([^,:\r\n]*)::([^\r\n]*)$/.exec(line)?.slice(1);
			const decoded = parts?.map((part) => part.replace(/%(25|0A|3A|2C)/g, decodeURIComponent));
			expect(decoded).toEqual([file, message, message].map(sanitiseLines));
		}),
	);
});
