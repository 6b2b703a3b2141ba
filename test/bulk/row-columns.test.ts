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
const [userId, slugParameter] = endpoints['user.password.delete'].parameters;
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

function expectPut(column: CellReader, value: unknown, expected: string | object): void {
	const result = put(column, value);
	if (typeof expected === 'string') expect(result).toBe(expected);
	else expect(result).toMatchObject(expected);
	// A text means the same in a cell and in JSON.
	if (typeof value === 'string') expect(put(column, value, 'text')).toEqual(result);
}

const ticket = idColumn('Ticket', ticketId);
const user = idColumn('user', userId);
const slug = idColumn('slug', slugParameter);
const force = forceColumn('force');
const receiver = reassignColumn('heir');
const taxonomy = taxonomyColumn('taxonomy', (name) => {
	if (name === 'broken') throw new TypeError('a bug');
	if (name !== 'product') throw new UsageError(`no ${name}`);
	return termEndpoint('delete', 'product');
});
const customFields = customObjectColumn('custom_fields', (name) => customColumn(name, name, rules, false));

describe('a column', () => {
	it.each<[CellReader, unknown, string | object]>([
		[ticket, '14', { ids: { id: '14' } }],
		[ticket, ' 14 ', { ids: { id: '14' } }],
		[ticket, 14, { ids: { id: '14' } }],
		[ticket, null, {}],
		[ticket, '', {}],
		[ticket, '  ', {}],
		[ticket, 'x', 'Ticket "x" is not an id: ids are positive integers'],
		[ticket, -1, 'Ticket "-1" is not an id: ids are positive integers'],
		[ticket, false, 'Ticket "false" is not an id: ids are positive integers'],
		[ticket, 1.5, 'Ticket "1.5" is not an id: ids are positive integers'],
		[ticket, [14], 'Ticket "[14]" is not an id: ids are positive integers'],
		[user, 5, { ids: { user_id: '5' } }],
		[slug, 'abc-1', { ids: { slug: 'abc-1' } }],
		[slug, 'a/b', 'slug "a/b" is not a slug: slugs hold letters, digits, "-" and "_"'],
		[taxonomy, ' product ', { ids: { taxonomy: 'product' } }],
		[taxonomy, 'department', 'no department'],
		[taxonomy, ' ', {}],
		[force, true, { force: true }],
		[force, 'YES', { force: true }],
		[force, 1, { force: true }],
		[force, false, { force: false }],
		[force, ' no ', { force: false }],
		[force, 0, { force: false }],
		[force, null, {}],
		[force, 'maybe', 'force "maybe" is not true or false'],
		[force, 'constructor', 'force "constructor" is not true or false'],
		[force, [true], 'force "[true]" is not true or false'],
		[receiver, 9, { reassign: '9' }],
		[receiver, ' 9 ', { reassign: '9' }],
		[receiver, null, {}],
		[receiver, 0, 'heir "0" is not an id: ids are positive integers'],
		[customFields, { a: 'x', b: 'y' }, { fields: { a: 'x', b: 'y' } }],
		[customFields, 'x', { fields: { custom_fields: 'x' } }],
		[customFields, { a: 'x', b: 1 }, 'custom field "b" is a number; custom fields hold strings'],
		[customFields, { a: null }, 'custom field "a" is null; custom fields hold strings'],
		[customFields, { a: ['x'] }, 'custom field "a" is an array; custom fields hold strings'],
		[customFields, { a: {} }, 'custom field "a" is an object; custom fields hold strings'],
		[customFields, ['x'], 'custom field "custom_fields" is an array; custom fields hold strings'],
		[ignoredColumn('x'), { a: 1 }, {}],
		[ignoredColumn('x'), 'y', {}],
	])('takes a value or says what is wrong: %#', (column, value, expected) => {
		expectPut(column, value, expected);
	});

	it('of taxonomies passes a bug on as what it is', () => {
		expect(() => put(taxonomy, 'broken')).toThrow(TypeError);
	});

	it('of a key of meta leaves it alone for an empty cell, or sends "" under clear', () => {
		expect(put(mapKeyColumn('m', meta, 'k', false), ' ', 'text')).toEqual({});
		expect(put(mapKeyColumn('m', meta, 'k', true), ' ', 'text')).toMatchObject({ fields: { meta: { k: '' } } });
	});

	it('of keys of meta puts them together, with the types that they have', () => {
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

describe('a placeholder for a secret', () => {
	const message = 'c is the placeholder [redacted]; put the value itself there';

	it.each<[string, CellReader]>([
		['a field', fieldColumn('c', title, rules, false)],
		['a key of meta', mapKeyColumn('c', meta, 'k', false)],
		['a custom field', customColumn('c', 'c', rules, false)],
		['custom fields as an object', customObjectColumn('c', (name) => customColumn('c', name, rules, false))],
	])('is sent by no column: %s', (_, column) => {
		expectPut(column, '[redacted]', message);
	});

	it('is found inside lists and maps', () => {
		expect(put(fieldColumn('c', tags, rules, false), 'a,[redacted]', 'text')).toBe(message);
		expect(put(fieldColumn('c', meta, rules, false), { a: ['[redacted]'] })).toBe(message);
	});
});
