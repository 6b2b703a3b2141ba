import { describe, expect, it } from 'vitest';
import { endpoints, termEndpoint } from '../../src/api/endpoints.js';
import type { Field } from '../../src/api/fields.js';
import { findField } from '../../src/api/values.js';
import {
	type CellReader,
	customColumn,
	customObjectColumn,
	type Draft,
	fieldColumn,
	forceColumn,
	idColumn,
	ignoredColumn,
	mapKeyColumn,
	reassignColumn,
	taxonomyColumn,
} from '../../src/bulk/input/columns.js';
import { UsageError } from '../../src/errors.js';

const rules = { undocumented: false };
const [ticketId] = endpoints['ticket.update'].parameters;
const [userId, slug] = endpoints['user.password.delete'].parameters;
const meta = findField(endpoints['user.update'].fields, 'meta') as Field;
const tags = findField(endpoints['ticket.update'].fields, 'ticket-tag') as Field;
const title = findField(endpoints['ticket.update'].fields, 'title') as Field;

const emptyDraft = (): Draft => ({ ids: {}, force: undefined, reassign: undefined, fields: {} });

/** What a cell, or with `typed` a JSON value, makes of an empty row: the problem, or what it put there. */
function put(column: CellReader, value: unknown, kind: 'text' | 'typed' = 'typed'): string | Partial<Draft> {
	const draft = emptyDraft();
	const problem = kind === 'text' ? column.text(value as string, draft) : column.typed(value, draft);
	const untouched = JSON.stringify(draft) === JSON.stringify({ ids: {}, fields: {} });
	return problem ?? (untouched ? {} : draft);
}

describe('an id column', () => {
	const id = idColumn('Ticket', ticketId);

	it.each([
		['14', { ids: { id: '14' } }],
		[' 14 ', { ids: { id: '14' } }],
		[14, { ids: { id: '14' } }],
		[null, {}],
		['', {}],
		['  ', {}],
		['x', 'Ticket "x" is not an id: ids are positive integers'],
		[-1, 'Ticket "-1" is not an id: ids are positive integers'],
		[false, 'Ticket "false" is not an id: ids are positive integers'],
		[1.5, 'Ticket "1.5" is not an id: ids are positive integers'],
		[[14], 'Ticket "[14]" is not an id: ids are positive integers'],
	])('takes the JSON value %j for %j', (value, expected) => {
		const result = put(id, value);
		if (typeof expected === 'string') expect(result).toBe(expected);
		else expect(result).toMatchObject(expected);
	});

	it('leaves the row as it is for an empty cell, and takes slugs', () => {
		expect(put(id, '  ', 'text')).toEqual({});
		expect(put(idColumn('slug', slug), 'abc-1')).toMatchObject({ ids: { slug: 'abc-1' } });
		expect(put(idColumn('slug', slug), 'a/b')).toBe(
			'slug "a/b" is not a slug: slugs hold letters, digits, "-" and "_"',
		);
		expect(put(idColumn('user', userId), 5)).toMatchObject({ ids: { user_id: '5' } });
	});
});

describe('a taxonomy column', () => {
	const taxonomy = taxonomyColumn('taxonomy', (name) => {
		if (name === 'broken') throw new TypeError('a bug');
		if (name !== 'product') throw new UsageError(`no ${name}`);
		return termEndpoint('delete', 'product');
	});

	it('takes a name that has an endpoint, and says the endpoint’s own words of another', () => {
		expect(put(taxonomy, ' product ')).toMatchObject({ ids: { taxonomy: 'product' } });
		expect(put(taxonomy, 'department')).toBe('no department');
		expect(put(taxonomy, ' ', 'text')).toEqual({});
	});

	it('passes a bug on as what it is', () => {
		expect(() => put(taxonomy, 'broken')).toThrow(TypeError);
	});
});

describe('force and reassign', () => {
	it.each([
		[true, { force: true }],
		['YES', { force: true }],
		[1, { force: true }],
		[false, { force: false }],
		[' no ', { force: false }],
		[0, { force: false }],
		[null, {}],
		['', {}],
		['maybe', 'force "maybe" is not true or false'],
		['constructor', 'force "constructor" is not true or false'],
		[2, 'force "2" is not true or false'],
		[[true], 'force "[true]" is not true or false'],
	])('force is %j: %j', (value, expected) => {
		const result = put(forceColumn('force'), value);
		if (typeof expected === 'string') expect(result).toBe(expected);
		else expect(result).toMatchObject(expected);
	});

	it('a receiver is an id, of either type, or nothing', () => {
		expect(put(reassignColumn('heir'), 9)).toMatchObject({ reassign: '9' });
		expect(put(reassignColumn('heir'), ' 9 ')).toMatchObject({ reassign: '9' });
		expect(put(reassignColumn('heir'), null)).toEqual({});
		expect(put(reassignColumn('heir'), '')).toEqual({});
		expect(put(reassignColumn('heir'), 0)).toBe('heir "0" is not an id: ids are positive integers');
	});
});

describe('a placeholder for a secret', () => {
	const message = 'c is the placeholder [redacted]; put the value itself there';

	it.each<[string, CellReader]>([
		['a field', fieldColumn('c', title, rules, false)],
		['a key of meta', mapKeyColumn('c', meta, 'k', false)],
		['a custom field', customColumn('c', 'c', rules, false)],
		['custom fields as an object', customObjectColumn('c', (name) => customColumn('c', name, rules, false))],
	])('is sent by no column: %s', (_, column) => {
		expect(put(column, '[redacted]')).toBe(message);
		expect(put(column, '[redacted]', 'text')).toBe(message);
	});

	it('is found inside lists and maps', () => {
		expect(put(fieldColumn('c', tags, rules, false), 'a,[redacted]', 'text')).toBe(message);
		expect(put(fieldColumn('c', meta, rules, false), { a: ['[redacted]'] })).toBe(message);
	});
});

describe('an empty cell', () => {
	it('leaves a key of meta alone, or sends "" under clear', () => {
		expect(put(mapKeyColumn('m', meta, 'k', false), ' ', 'text')).toEqual({});
		expect(put(mapKeyColumn('m', meta, 'k', true), ' ', 'text')).toMatchObject({ fields: { meta: { k: '' } } });
	});
});

describe('keys of meta', () => {
	it('come together, with the types that they have', () => {
		const draft = emptyDraft();
		mapKeyColumn('meta.a', meta, 'a', false).typed(1, draft);
		mapKeyColumn('meta.b', meta, 'b', false).text(' two ', draft);
		mapKeyColumn('meta.__proto__', meta, '__proto__', false).typed(true, draft);
		expect(Object.entries(draft.fields.meta as object)).toEqual([
			['a', 1],
			['b', ' two '],
			['__proto__', true],
		]);
	});
});

describe('custom fields as an object', () => {
	const column = customObjectColumn('custom_fields', (name) => customColumn(name, name, rules, false));

	it('are each a field; anything else is a field of that name', () => {
		expect(put(column, { a: 'x', b: 'y' })).toMatchObject({ fields: { a: 'x', b: 'y' } });
		expect(put(column, 'x')).toMatchObject({ fields: { custom_fields: 'x' } });
	});

	it.each([
		[{ a: 'x', b: 1 }, 'custom field "b" is a number; custom fields hold strings'],
		[{ a: null }, 'custom field "a" is null; custom fields hold strings'],
		[{ a: ['x'] }, 'custom field "a" is an array; custom fields hold strings'],
		[{ a: {} }, 'custom field "a" is an object; custom fields hold strings'],
		[['x'], 'custom field "custom_fields" is an array; custom fields hold strings'],
	])('are strings: %j', (value, message) => {
		expect(put(column, value)).toBe(message);
	});
});

describe('a column that is not looked at', () => {
	it('takes anything and does nothing', () => {
		expect([put(ignoredColumn('x'), { a: 1 }), put(ignoredColumn('x'), 'y', 'text')]).toEqual([{}, {}]);
	});
});
