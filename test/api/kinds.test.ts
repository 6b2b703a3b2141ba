import { describe, expect, it } from 'vitest';
import { neutralDialect } from '../../src/api/dialect.js';
import { endpoint } from '../../src/api/endpoints.js';
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
		expect(kinds[kind].compare(value, stored[field.name], field.name)).toBe('same');
	});

	it('differs from an empty one', () => {
		expect(kinds[kind].compare(value, kinds[kind].empty, field.name)).not.toBe('same');
	});
});
