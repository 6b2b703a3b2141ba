import { describe, expect, it } from 'vitest';
import type { TermIndex } from '../../src/api/compare.js';
import { neutralDialect } from '../../src/api/dialect.js';
import { endpoint } from '../../src/api/endpoints.js';
import { isValueOf } from '../../src/api/fields.js';
import { checkTyped, type FieldKind, kinds, parseField } from '../../src/api/kinds.js';
import { isProblem } from '../../src/api/values.js';
import { argumentsOf, readArguments } from '../../src/sandbox/arguments.js';

/** A text of each kind that a flag takes, with an ID where names are looked up. */
const samples: Readonly<Record<FieldKind, string>> = {
	text: 'a, b',
	longtext: 'a\nb',
	integer: '7',
	user: '7',
	boolean: 'true',
	switch: 'true',
	date: '2026-03-31T09:00:00',
	status: 'hold',
	state: 'open',
	adjustment: 'positive',
	email: 'ada@example.org',
	term: '7',
	terms: '7,8',
	list: 'agent,editor',
	map: 'color=red',
	secret: 'wLmK SFP8',
};

/** A whole taxonomy that objects show by ID. */
const listed: TermIndex = () => ({
	isListed: true,
	hasHidden: false,
	ofSlug: String,
	mayShowAs: () => true,
	exported: String,
	exportedId: String,
});

const names = Object.keys(kinds) as FieldKind[];

describe.each(names)('a field of the kind %s', (kind) => {
	const field = { name: 'a-field', kind, help: '' };
	const rules = { undocumented: false };
	const parsed = parseField(field, samples[kind], rules);
	const value = isProblem(parsed) ? undefined : parsed.value;

	it('accepts its text, and the value that it becomes', () => {
		expect(parsed).not.toHaveProperty('problem');
		expect(checkTyped(field, value, rules)).toEqual({ value });
	});

	it('is taken by the sandbox, and is the same where an object shows it', () => {
		const route = endpoint('ticket.update', {
			method: 'POST',
			path: '/tickets/<id>',
			noun: 'ticket',
			replay: 'set',
			fields: [field],
		});
		const stored = readArguments(argumentsOf(route, neutralDialect), [{ [field.name]: value }], neutralDialect);
		expect(kinds[kind].compare(value, stored[field.name], field.name, listed)).toBe('same');
	});

	it('differs from an empty one', () => {
		expect(kinds[kind].compare(value, kinds[kind].empty, field.name)).not.toBe('same');
	});
});

/** What a service may show of each kind, and what says nothing about the field. */
const shown: Readonly<Record<FieldKind, readonly [values: unknown[], odd: unknown[]]>> = {
	text: [
		['', 'a'],
		[5, true, [], {}],
	],
	longtext: [
		['', 'a\nb'],
		[5, false, ['a'], {}],
	],
	integer: [
		[0, -5, 7, '7', ''],
		['x', true, [], [7], {}, Number.NaN],
	],
	user: [
		[0, 7, '7', ''],
		['jose', false, [7], {}],
	],
	boolean: [
		[true, 0, '1', 'yes', ''],
		['x', 2, [], [true], {}],
	],
	switch: [
		[true, 'always', 1, ''],
		[2, [], {}],
	],
	date: [
		['2026-03-31T09:00:00', ''],
		['soon', 5, true, [], {}],
	],
	status: [
		['hold', 'trash'],
		['', 5, true, [], {}],
	],
	state: [
		['open', 'x'],
		[5, true, [], {}],
	],
	adjustment: [
		['+', 'positive', ''],
		[5, true, [], {}],
	],
	email: [
		['ada@example.org', ''],
		[5, false, [], {}],
	],
	term: [
		['vip', '7', 7, ''],
		[1.5, -1, true, ['vip'], {}],
	],
	terms: [
		[[], [7, 'vip']],
		['vip', 7, true, {}, [null], [{}], [[7]]],
	],
	list: [
		[[], ['agent']],
		['agent', 5, true, {}, [5], [null]],
	],
	map: [
		[{}, { a: 1 }, []],
		['', 'a', 5, true, [1]],
	],
	secret: [[''], [5, {}]],
};

it.each(names)('a %s has the values that a service shows, and nothing else: never null', (kind) => {
	const [values, odd] = shown[kind];
	expect(values.filter((value) => !isValueOf({ kind }, value))).toEqual([]);
	expect([null, ...odd].filter((value) => isValueOf({ kind }, value))).toEqual([]);
	expect(isValueOf({ kind, isNullable: true }, null)).toBe(true);
});

it.each<[shown: unknown, back: unknown]>([
	['1', true],
	[1, true],
	['yes', true],
	['0', false],
	[0, false],
	['no', false],
	['true', 'true'],
	['false', 'false'],
	[false, false],
	['', ''],
])('a boolean that a service shows as %j goes back as %j, which an update takes', (value, back) => {
	const field = { name: 'a-field', kind: 'boolean' } as const;
	expect(kinds.boolean.takenBack(value)).toBe(back);
	expect(checkTyped(field, back, { undocumented: false })).toEqual({ value: back });
});
