import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Field, findField } from '../../src/api/fields.js';
import { checkTyped, type FieldKind, mergeValues, parseField } from '../../src/api/kinds.js';
import { isProblem, parseId, parseSlug, quote, readMoment } from '../../src/api/values.js';

const field = (kind: FieldKind, name = `a-${kind}`): Field => ({ name, kind, help: '' });
const strict = { undocumented: false };
const loose = { undocumented: true };

describe('an id', () => {
	it.each(['1', '14', '9007199254740991'])('may be %s', (text) => {
		expect(parseId(text)).toEqual({ value: text });
	});

	it.each(['', ' 1', '1 ', '1\n', ...'0 -1 +1 12abc ../users/1 0x10 NaN 1.5 id:x'.split(' ')])(
		'may not be %j',
		(text) => {
			expect(parseId(text)).toEqual({ problem: `invalid ID ${JSON.stringify(text)} (IDs are positive integers)` });
		},
	);

	it.each([
		['14.0', 'a decimal number; write 14'],
		['14,00', 'a decimal number; write 14'],
		['1,234', 'a number with separators; write 1234'],
		['1.234.567', 'a number with separators; write 1234567'],
		["1'234", 'a number with separators; write 1234'],
		['1\u202f234', 'a number with separators; write 1234'],
		['1,2', 'several IDs; put each in a row'],
		['11,12,', 'several IDs; put each in a row'],
		['11; 12', 'several IDs; put each in a row'],
		['1e3', 'scientific notation; format the column as whole numbers'],
		['1.4E+01', 'scientific notation; format the column as whole numbers'],
		['https://desk.example/tickets/14', 'a URL; write 14'],
		['https://desk.example/tickets/14/#reply-3', 'a URL; write 14'],
		['https://desk.example/wp-admin/post.php?post=14&action=edit', 'a URL; write 14'],
		['www.desk.example/?p=14', 'a URL; write 14'],
		['https://desk.example/2026/login', 'a URL'],
		['https://desk.example', 'a URL'],
		['Total', 'a line of totals; remove it'],
		['Grand total: 32', 'a line of totals; remove it'],
		['Summe', 'a line of totals; remove it'],
		['007', 'a number; write 7'],
		['00', 'a number'],
		['１４', 'a number; write 14'],
		['Ticket #14', 'a name with its ID; write 14'],
		['HELP-14', 'a name with its ID; write 14'],
	])('is never guessed: %j looks like %s', (text, like) => {
		expect(parseId(text)).toEqual({ problem: `invalid ID ${JSON.stringify(text)} (looks like ${like})` });
	});

	it.each(['9007199254740992', '9'.repeat(30)])('may not be larger than a number can hold: %s', (text) => {
		expect(parseId(text)).toEqual({ problem: `invalid ID "${text}": larger than 9007199254740991` });
	});

	it.each([',   ', '1 , ', '. ', '’1', ' :', '0', 'é1', '/1', '?id='])(
		'is refused at once where %j is repeated',
		(part) => {
			// A pattern with two ways to read a space takes years for this one.
			for (const start of ['1', 'a', 'http://']) {
				expect(parseId(`${start}${part.repeat(60)}!`)).toEqual({ problem: expect.stringContaining('invalid ID') });
			}
		},
	);

	it('is given back digit by digit, or refused, whatever the text', () => {
		fc.assert(
			fc.property(fc.oneof(fc.string(), fc.integer().map(String), fc.maxSafeNat().map(String)), (text) => {
				const parsed = parseId(text);
				const [, digits] = /^(?:#|id:)?([1-9]\d*)$/i.exec(text) ?? [];
				const isId = Number.isSafeInteger(Number(digits));
				expect(isProblem(parsed) ? undefined : parsed.value).toBe(isId ? digits : undefined);
			}),
		);
	});
});

describe('a slug', () => {
	it.each(['a', 'abc-DEF_123', '0', 'x'.repeat(200)])('may be %.20s', (text) => {
		expect(parseSlug(text)).toEqual({ value: text });
	});

	it.each(['', '.', '..', 'a/b', 'a b', '%2e', 'ä', 'a?b', 'a#b', 'x'.repeat(201), 'a\n'])(
		'may not be %.20j',
		(text) => {
			expect(parseSlug(text)).toEqual({ problem: expect.stringContaining('invalid slug') });
		},
	);
});

describe('an ISO 8601 date', () => {
	it.each([
		...['2026-03-31', '2024-02-29', '2026-03-31T09:00', '2026-03-31 09:00:59', '2026-03-31T09:00:00Z'],
		...['2026-03-31T09:00:00.123456789Z', '2026-03-31T23:59:59+14:00', '2026-03-31T09:00:00-0130'],
		...['2026-03-31T09:00:00,5', '2026-03-31T09:00:00,123456789+05:45'],
	])('may be %s', (text) => {
		expect(readMoment(text)).toBeDefined();
	});

	it.each([
		...['', 'today', ' 2026-01-01', '2026-1-1', '01.02.2026', '2026-01-01T10', '2026-01-00', '2026-00-10'],
		...['2026-13-10', '2026-02-29', '2026-02-30', '2026-04-31', '2026-01-01T24:00', '2026-01-01T10:60'],
		...['2026-01-01T10:00:61', '2026-01-01T10:00+10:60'],
	])('may not be %j', (text) => {
		expect(readMoment(text)).toBeUndefined();
	});
});

describe('a text becomes the value that is sent', () => {
	it.each<[FieldKind, string, unknown]>([
		['text', ' =1+1\u001b[31m ', ' =1+1\u001b[31m '],
		['longtext', 'a\r\nb', 'a\r\nb'],
		['secret', ' p w ', ' p w '],
		['term', '12', '12'],
		['integer', '0', 0],
		['integer', '007', 7],
		['user', 'none', 0],
		['user', '7', 7],
		['user', 'ada', 'ada'],
		['boolean', 'true', true],
		['boolean', 'false', false],
		['switch', 'true', true],
		['switch', 'false', false],
		['switch', 'newest', 'newest'],
		['date', '2026-03-31', '2026-03-31'],
		['status', 'hold', 'hold'],
		['adjustment', '-', '-'],
		['adjustment', 'positive', 'positive'],
		['email', 'ada@desk.example', 'ada@desk.example'],
		['terms', '3, 4,urgent,,', ['3', '4', 'urgent']],
		['terms', '9007199254740993', ['9007199254740993']],
		['terms', '', []],
		['list', 'agent, editor', ['agent', 'editor']],
		['map', 'colour=red=blue', { colour: 'red=blue' }],
		['map', ' {"a": {"b": 1}} ', { a: { b: 1 } }],
	])('%s: %j is %j', (kind, text, value) => {
		expect(parseField(field(kind), text, strict)).toEqual({ value });
	});

	it.each<[FieldKind, string, string]>([
		['integer', '-1', 'a-integer "-1" is not a whole number of 0 or more'],
		['integer', '1.5', 'a-integer "1.5" is not a whole number of 0 or more'],
		['integer', '9007199254740993', 'a-integer "9007199254740993" is not a whole number of 0 or more'],
		['boolean', 'TRUE', 'a-boolean "TRUE" is not true or false'],
		['boolean', '1', 'a-boolean "1" is not true or false'],
		['date', '31.3.2026', 'a-date "31.3.2026" is not an ISO 8601 date such as 2026-03-31 or 2026-03-31T09:00:00'],
		['status', 'hodl', 'a-status "hodl" is unknown; did you mean "hold"?'],
		['status', '', 'a-status "" is unknown; list them: supportctl help statuses'],
		['adjustment', 'plus', 'a-adjustment "plus" is not positive, negative, + or -'],
		['email', 'ada', 'a-email "ada" is not an email address'],
		['email', 'ada@', 'a-email "ada@" is not an email address'],
		['map', 'colour', 'a-map "colour" is not key=value'],
		['map', '=red', 'a-map "=red" is not key=value'],
		['map', '{"a":', 'a-map "{\\"a\\":" is not a JSON object'],
		['map', '{"a":1}x', 'a-map "{\\"a\\":1}x" is not a JSON object'],
	])('%s: %j is refused', (kind, text, problem) => {
		expect(parseField(field(kind), text, strict)).toEqual({ problem });
	});

	it.each<[FieldKind, string]>([
		['integer', 'many'],
		['boolean', 'maybe'],
		['date', 'tomorrow'],
		['status', 'escalated'],
		['adjustment', 'plus'],
		['email', 'ada'],
	])('%s: %j goes through as it is with --undocumented', (kind, text) => {
		expect(parseField(field(kind), text, loose)).toEqual({ value: text });
	});

	it("takes a deployment's own statuses", () => {
		const rules = { undocumented: false, statusIn: (status: string) => status.replace(/^wc-/, 'shop-') };
		expect(parseField(field('status'), 'wc-active', rules)).toEqual({ value: 'shop-active' });
		expect(checkTyped(field('status'), 'wc-active', rules)).toEqual({ value: 'shop-active' });
		expect(parseField(field('status'), 'wc-nonsense', rules)).toHaveProperty('problem');
	});

	it('keeps keys with names of the language', () => {
		const parsed = parseField(field('map'), '__proto__=x', strict);
		expect(JSON.stringify(parsed)).toBe('{"value":{"__proto__":"x"}}');
	});
});

const INEXACT = "has a number with more than 15 digits, which JSON can't store exactly: write it as a string";

describe('a value with a type of its own', () => {
	it.each<[FieldKind, unknown]>([
		['integer', 7],
		['integer', '7'],
		['integer', ''],
		['boolean', true],
		['boolean', 'false'],
		['boolean', ''],
		['date', '2026-03-31'],
		['date', null],
		['status', 'hold'],
		['status', null],
		['adjustment', ''],
		['email', 'a@b'],
		['map', { a: 1 }],
		['map', []],
		['map', null],
		['map', ''],
		['terms', [1, 'a']],
		['terms', 'a,b'],
		['list', 'agent'],
		['text', 4],
		['text', { raw: 'x' }],
		['switch', 'newest'],
	])('%s: %j is kept', (kind, value) => {
		expect(checkTyped(field(kind), value, strict)).toEqual({ value });
	});

	it.each<[FieldKind, unknown, string]>([
		['integer', -1, 'a-integer -1 is not a whole number of 0 or more'],
		['integer', 1.5, 'a-integer 1.5 is not a whole number of 0 or more'],
		['integer', 'seven', 'a-integer "seven" is not a whole number of 0 or more'],
		['integer', null, 'a-integer null is not a whole number of 0 or more'],
		['boolean', 1, 'a-boolean 1 is not true or false'],
		['boolean', 'yes', 'a-boolean "yes" is not true or false'],
		['date', 20260331, 'a-date 20260331 is not an ISO 8601 date such as 2026-03-31 or 2026-03-31T09:00:00'],
		['status', ['hold'], 'a-status ["hold"] is unknown; list them: supportctl help statuses'],
		['status', 'hodl', 'a-status "hodl" is unknown; did you mean "hold"?'],
		['email', true, 'a-email true is not an email address'],
		['adjustment', 1, 'a-adjustment 1 is not positive, negative, + or -'],
		['map', 4, 'a-map 4 is not an object'],
		['map', 'x', 'a-map "x" is not an object'],
		['integer', undefined, 'a-integer undefined is not a whole number of 0 or more'],
		['terms', [9_007_199_254_740_992], `a-terms ${INEXACT}`],
		['term', 2 ** 64, `a-term ${INEXACT}`],
		['map', { n: -9_007_199_254_740_992 }, `a-map ${INEXACT}`],
	])('%s: %j is refused', (kind, value, problem) => {
		expect(checkTyped(field(kind), value, strict)).toEqual({ problem });
	});

	it('stays a number with --undocumented, also below 0', () => {
		expect(parseField(field('integer'), '-5', loose)).toEqual({ value: -5 });
		expect(parseField(field('integer'), '1E22', loose)).toEqual({ value: '1E22' });
	});

	it('goes through whatever it is with --undocumented', () => {
		fc.assert(
			fc.property(fc.constantFrom<FieldKind>('integer', 'status', 'map', 'date'), fc.jsonValue(), (kind, value) => {
				fc.pre(!/\d{16}|e\+/.test(JSON.stringify(value)));
				expect(checkTyped(field(kind), value, loose)).toEqual({ value });
			}),
		);
	});

	it.each([2 ** 53, { a: { b: 2 ** 53 } }, [[2 ** 53]], Number.POSITIVE_INFINITY])(
		'is refused, undocumented or not, where reading has changed a number: %j',
		(value) => {
			for (const rules of [strict, loose]) {
				expect(checkTyped(field('map'), value, rules)).toMatchObject({ problem: expect.stringContaining('15 digits') });
			}
		},
	);
});

describe('a second value for a field', () => {
	it('is added where the field holds several, and wins elsewhere', () => {
		expect(mergeValues(field('list'), ['a'], ['b'])).toEqual(['a', 'b']);
		expect(mergeValues(field('map'), { a: 1, b: 1 }, { b: 2 })).toEqual({ a: 1, b: 2 });
		expect(mergeValues(field('text'), 'a', 'b')).toBe('b');
		expect(mergeValues(field('list'), 'a', ['b'])).toEqual(['b']);
		expect(mergeValues(field('map'), [], { a: 1 })).toEqual({ a: 1 });
	});
});

describe('a name in a message', () => {
	it('is quoted, and cut where it is long', () => {
		expect(quote('a"b')).toBe('"a\\"b"');
		expect(quote('x'.repeat(60))).toBe(`"${'x'.repeat(60)}"`);
		expect(quote('x'.repeat(61))).toBe(`"${'x'.repeat(60)}…"`);
	});
});

describe('findField', () => {
	const fields = [field('term', 'ticket_priority'), field('terms', 'ticket-tag')];

	it.each(['ticket_priority', 'ticket-priority', ' Ticket-Priority '])('finds %j', (name) => {
		expect(findField(fields, name)?.name).toBe('ticket_priority');
	});

	it.each(['priority', '', '__proto__', 'constructor'])('does not find %j', (name) => {
		expect(findField(fields, name)).toBeUndefined();
	});
});

it('names that look alike are told apart where they are quoted: composed text as it is, marks of decomposed text escaped', () => {
	expect(quote('jos\u00e9')).toBe('"jos\u00e9"');
	expect(quote('jose\u0301')).toBe('"jose\\u0301"');
	// Scripts whose marks are never composed stay readable.
	expect(quote('\u0939\u093f\u0928\u094d\u0926\u0940')).toBe('"\u0939\u093f\u0928\u094d\u0926\u0940"');
});
