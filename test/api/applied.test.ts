import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	contradictions,
	customFieldText,
	readCustomFields,
	sameCustomField,
	sameValue,
} from '../../src/api/applied.js';
import { endpointList, endpoints } from '../../src/api/endpoints.js';
import { type Field, ticketFields, userFields } from '../../src/api/fields.js';
import { createPlanner } from '../../src/api/plan.js';

const known = endpointList.flatMap(({ fields }) => fields);
const named = (name: string) => known.find((each) => each.name === name);

describe('a field that was sent and the one that is shown are the same', () => {
	it.each<[string, unknown, unknown]>([
		['status', 'hold', 'hold'],
		['title', 'Printer', { raw: 'Printer', rendered: 'Printer' }],
		['content', 'a\r\nb\r\n', { raw: 'a\nb', rendered: '<p>a</p>' }],
		['title', ' Printer ', 'Printer'],
		['assignee', 7, '7'],
		['assignee', '7', 7],
		['time-adjustments', '1.50', 1.5],
		['time-adjustments', 0, '0'],
		['support_can_be_assigned', true, '1'],
		['support_can_be_assigned', true, 1],
		['support_can_be_assigned', true, 'yes'],
		['support_can_be_assigned', false, ''],
		['support_can_be_assigned', false, '0'],
		['support_can_be_assigned', 'true', true],
		['support_can_be_assigned', 'no', false],
		['support_smart_tickets_order', true, 'true'],
		['ticket-tag', [2, 1], [1, 2]],
		['ticket-tag', [1, 2], ['2', '1']],
		['ticket-tag', [1, 1, 2], [2, 1]],
		['ticket-tag', ['a', 'b'], ['b', 'a']],
		['ticket-tag', '', []],
		['product', '12', 12],
		['product', 'printer', 'printer'],
		['department', '', null],
		['roles', ['agent', 'editor'], ['editor', 'agent']],
		['roles', 'agent', ['agent']],
		['roles', '', []],
		['time-adjustments-type', 'positive', '+'],
		['time-adjustments-type', '-', 'negative'],
		['time-adjustments-type', '+', '+'],
		['date', '2026-03-31', '2026-03-31T00:00:00'],
		['date', '2026-03-31T09:00', '2026-03-31 09:00:00'],
		['date_gmt', '2026-03-31T09:00:00Z', '2026-03-31T09:00:00'],
		['date_gmt', '2026-03-31T09:00:00.000+00:00', '2026-03-31T09:00:00'],
		['date_gmt', '2026-03-31T11:00:00+0200', '2026-03-31T09:00:00'],
		['date', '2026-03-31T11:00:00+02:00', '2026-03-31T09:00:00Z'],
		['meta', { colour: 'red' }, { colour: 'red', size: 'xl' }],
		['meta', { count: 3 }, { count: '3' }],
		['time-notes', '', null],
		['time-notes', null, ''],
		['assignee', '', 0],
		['parent', null, '0'],
		['assignee', 0, null],
		['assignee', '0', null],
		['parent', 0, ''],
		['author', null, false],
		['support_can_be_assigned', false, null],
		['product', null, '0'],
		['product', '', 0],
		['ticket-tag', [], false],
		['title', 'R & D', { raw: 'R &amp; D' }],
		['title', '&quot;a&#039; &lt;b&gt;', '"a\' <b>'],
		['title', { raw: 'a' }, { raw: 'a', rendered: '<p>a</p>' }],
		['meta', { colour: null, size: '' }, []],
		['meta', {}, []],
		['meta', { colour: 'red' }, { colour: ['red'] }],
	])('%s: %j as %j', (field, sent, shown) => {
		expect(sameValue(named(field), sent, shown)).toBe(true);
	});
});

describe('they differ', () => {
	it.each<[string, unknown, unknown]>([
		['status', 'hold', 'read'],
		['title', 'a', { raw: 'b', rendered: 'a' }],
		['title', 'a', null],
		['assignee', 7, '8'],
		['assignee', 7, 'seven'],
		['assignee', 7, true],
		['slug', '007', '7'],
		['slug', '1', '1.0'],
		['support_can_be_assigned', true, false],
		['support_can_be_assigned', true, '0'],
		['support_can_be_assigned', 'maybe', true],
		['ticket-tag', [1, 2], [1]],
		['ticket-tag', [1], [1, 2]],
		['ticket-tag', [1, 2, 2], [1, 2, 3]],
		['ticket-tag', [], [1]],
		['product', 'printer', 'scanner'],
		['product', '12', '13'],
		['roles', ['agent'], ['editor']],
		['roles', ['agent'], 'editor'],
		['time-adjustments-type', 'positive', '-'],
		['date', '2026-03-31T09:00', '2026-03-31T10:00:00'],
		['date', '2026-03-31T09:00:00Z', '2026-03-31T10:00:00+00:00'],
		['date_gmt', '2026-03-31T09:00:00Z', '2026-03-31T11:00:00'],
		['date_gmt', '2026-03-31T10:00:00+02:00', '2026-03-31T10:00:00'],
		['meta', { colour: 'red', size: 'xl' }, { colour: 'red', size: 's' }],
		['time-notes', 'x', ''],
		['title', '0', ''],
		['title', 'R & D', 'R &amp;amp; D'],
		['title', 'R & D', 'R D'],
		['locale', 'de_DE', 'en_US'],
		['slug', '', 'ada'],
		['slug', 'Ada', 'ada'],
		['meta', { colour: 'red' }, { size: 'xl' }],
		['meta', { colour: 'red' }, []],
		['meta', { colour: 'red' }, null],
		['meta', { colour: 'red', size: 'xl' }, { colour: 'red' }],
		['meta', { a: { b: 1 } }, { a: {} }],
		['time-notes', '', 'x'],
		['assignee', '', 5],
	])('%s: %j as %j', (field, sent, shown) => {
		expect(sameValue(named(field), sent, shown)).toBe(false);
	});
});

describe('nothing can be said', () => {
	it.each<[string, unknown, unknown]>([
		['product', 'printer', '12'],
		['product', '12', 'printer'],
		['ticket-tag', [1, 'urgent'], [1, 2]],
		['ticket-tag', [1], [{ id: 1 }]],
		['ticket-tag', { id: 1 }, [1]],
		['product', 'printer', { slug: 'printer' }],
		['title', 'a', { rendered: '<b>a</b>' }],
		['date', '2026-03-31T09:00:00+02:00', '2026-03-31T09:00:00'],
		['date', '2026-03-31T09:00:00Z', '2026-03-31T11:00:00'],
		['date', '2026-03-31T09:00:00+00:00', '2026-03-31T09:00:00'],
		['date', '2026-03-31T11:00:00', '2026-03-31T09:00:00Z'],
		['date', '2026-03-31', 1_774_915_200],
		['meta', { colour: 'red' }, 'red'],
		['locale', '', 'en_US'],
		['locale', null, 'en_US'],
		['meta', { a: { b: 1 } }, { a: 'b' }],
		['title', 'a', { text: 'a' }],
		['roles', ['agent'], [{ name: 'agent' }]],
	])('%s: %j as %j', (field, sent, shown) => {
		expect(sameValue(named(field), sent, shown)).toBeUndefined();
	});

	it('and no exception is thrown, whatever is compared', () => {
		const value = fc.jsonValue({ maxDepth: 3 });
		const field = fc.constantFrom(
			'status',
			'ticket-tag',
			'product',
			'roles',
			'meta',
			'date',
			'time-adjustments-type',
			'x',
		);
		fc.assert(
			fc.property(field, value, value, (name, sent, shown) => {
				expect([true, false, undefined]).toContain(sameValue(named(name), sent, shown));
				expect(sameValue(named(name), sent, structuredClone(sent))).not.toBe(false);
			}),
		);
	});
});

describe('the fields of a response', () => {
	const update = endpoints['ticket.update'];
	const appliedDifferences = (fields: readonly Pick<Field, 'name' | 'kind'>[], sent: object, body: unknown) =>
		contradictions(
			{
				endpoint: { ...update, fields: fields.map((each) => ({ help: '', ...each })) },
				permanent: false,
				ids: { id: '14' },
				sent: { ...sent },
			},
			body,
		);

	it('lists the fields that differ, with both values, and no others', () => {
		const sent = { status: 'hold', title: 'a', assignee: 3, product: 'printer', 'time-notes': 'x', roles: ['a'] };
		const body = { id: 14, status: 'read', title: { raw: 'b' }, assignee: '3', product: '9', extra: 1, roles: ['a'] };
		expect(appliedDifferences(ticketFields, sent, body)).toEqual([
			{ field: 'status', sent: 'hold', shown: 'read' },
			{ field: 'title', sent: 'a', shown: 'b' },
		]);
	});

	it('never compares a password, and sees no inherited fields', () => {
		expect(appliedDifferences(userFields, { password: 'x' }, { password: 'y' })).toEqual([]);
		expect(appliedDifferences(ticketFields, { password: 'x' }, { password: 'y' })).toEqual([]);
		expect(appliedDifferences(ticketFields, { constructor: 'x', toString: 'y' }, {})).toEqual([]);
	});

	it('compares a field by the kind that the table gives it, whatever its name', () => {
		const fields = [
			{ name: 'queue', kind: 'term' },
			{ name: 'due', kind: 'date' },
			{ name: 'direction', kind: 'adjustment' },
		] as const;
		const sent = { queue: 'printer', due: '2026-03-31T09:00', direction: 'positive', other: '12' };
		const body = { queue: '12', due: '2026-03-31 09:00:00', direction: '+', other: 'printer' };
		expect(appliedDifferences(fields, sent, body)).toEqual([{ field: 'other', sent: '12', shown: 'printer' }]);
	});

	it('does not take a meta key for the field of that name', () => {
		expect(appliedDifferences(userFields, { meta: { product: '12' } }, { meta: { product: 'printer' } })).toHaveLength(
			1,
		);
	});

	it.each([null, undefined, 'x', [], 4])('says nothing of the response %j', (body) => {
		expect(appliedDifferences(ticketFields, { status: 'hold' }, body)).toEqual([]);
	});
});

describe('the response to a write of custom fields', () => {
	const differs = [{ field: 'severity', sent: 'high', shown: 'low' }];
	it.each<[unknown, unknown[]]>([
		[{ custom_fields: { severity: 'low', other: 1 } }, differs],
		[{ severity: 'low' }, differs],
		[{ severity: { label: 'Severity', value: 'low' } }, differs],
		[{ custom_fields: { severity: ' high\n' } }, []],
		[{ custom_fields: { other: 'low' } }, []],
		[{ custom_fields: [] }, []],
		[{ severity: { markup: '<b>' } }, []],
		[{ updated: true }, []],
		[null, []],
		[true, []],
		[undefined, []],
	])('%j', (body, differences) => {
		const request = createPlanner(endpoints['ticket.fields.set'])({
			ids: { ticket_id: '14' },
			fields: { severity: 'high' },
		});
		expect(contradictions(request, body)).toEqual(differences);
	});

	it('is taken by names that every object has, too', () => {
		const request = createPlanner(endpoints['ticket.fields.set'])({
			ids: { ticket_id: '14' },
			fields: { constructor: 'x' },
		});
		expect(contradictions(request, {})).toEqual([]);
		expect(contradictions(request, JSON.parse('{"constructor":"y"}'))).toHaveLength(1);
	});
});

describe('the response to a delete', () => {
	it.each<[boolean, unknown, unknown[]]>([
		[false, { id: 5, status: 'trash' }, []],
		[true, { deleted: true, previous: { status: 'publish' } }, []],
		[true, { id: 5, status: 'trash' }, [{ field: 'status', sent: 'permanently deleted', shown: 'trash' }]],
		[false, { id: 5, status: 'publish' }, [{ field: 'status', sent: 'trash', shown: 'publish' }]],
		[false, { deleted: true }, [{ field: 'status', sent: 'trash', shown: 'permanently deleted' }]],
		[false, { deleted: 'true', previous: {} }, [{ field: 'status', sent: 'trash', shown: 'permanently deleted' }]],
		[false, { deleted: false, status: 'trash' }, []],
		[true, {}, []],
		[true, { status: 200 }, []],
		[true, undefined, []],
		[true, [], []],
	])('for good: %j, response %j', (force, body, differences) => {
		const plan = createPlanner(endpoints['ticket.delete']);
		expect(contradictions(plan({ ids: { id: '5' }, force }), body)).toEqual(differences);
	});

	it('is judged by the row of the table, also by a copy of it', () => {
		const row = endpoints['ticket.delete'];
		const plan = createPlanner({ ...row, query: row.query.map((each) => ({ ...each, help: 'For good' })) });
		expect(contradictions(plan({ ids: { id: '5' } }), { status: 'publish' })).toHaveLength(1);
	});

	it('says nothing of what has no trash', () => {
		for (const name of ['user.password.delete', 'term.delete.ticket_priority', 'user.delete'] as const) {
			const request = createPlanner(endpoints[name])({
				ids: { id: '5', user_id: '5', slug: 'laptop' },
				reassign: '6',
			});
			expect(contradictions(request, { id: 5, status: 'revoked' })).toEqual([]);
		}
	});
});

describe('the response to a change of a reply', () => {
	const ids = { ticket_id: '14', id: '101' };
	const parent = { field: 'parent', sent: '14', shown: 15 };
	it.each<[unknown, unknown[]]>([
		[{ id: 101, parent: 14 }, []],
		[{ id: '101', parent: '14' }, []],
		[{ id: 101, parent: 15 }, [parent]],
		[{ id: 7, parent: 14 }, [{ field: 'id', sent: '101', shown: 7 }]],
		[{ id: 7, content: { raw: 'x' } }, [{ field: 'id', sent: '101', shown: 7 }]],
		[{ id: 101, content: 'x', parent: 0 }, []],
		// It may be of any kind.
		[{ id: 7 }, []],
		[[], []],
	])('%j', (body, differences) => {
		const update = createPlanner(endpoints['reply.update'])({ ids, fields: { author: 3 } });
		expect(contradictions(update, body)).toEqual(differences);
		const remove = createPlanner(endpoints['reply.delete'])({ ids, force: true });
		expect(contradictions(remove, { deleted: true, previous: body })).toEqual(differences);
		expect(contradictions(remove, body)).toEqual(differences);
	});

	it('is no question for what belongs to nothing', () => {
		const term = createPlanner(endpoints['term.update.ticket_priority'])({ ids: { id: '5' }, fields: { name: 'a' } });
		expect(contradictions(term, { id: 6, parent: 3, name: 'a' })).toEqual([]);
	});
});

describe('a response that shows another object than the path names', () => {
	const differs = [{ field: 'id', sent: '5', shown: 6 }];
	it.each([
		['ticket.update', { status: 'hold' }],
		['user.update', { email: 'a@b.example' }],
		['attachment.update', { title: 'a' }],
		['term.update.ticket_priority', { name: 'a' }],
		['ticket.delete', undefined],
		['user.delete', undefined],
		['term.delete.product', undefined],
	] as const)('differs for %s', (name, fields) => {
		const request = createPlanner(endpoints[name])({ ids: { id: '5' }, fields, force: true, reassign: '7' });
		const body = { id: 6, slug: 'a', ...fields };
		expect(contradictions(request, request.method === 'DELETE' ? { deleted: true, previous: body } : body)).toEqual(
			differs,
		);
		expect(contradictions(request, { ...body, id: '5', deleted: true })).toEqual([]);
		// It may be of any kind.
		expect(contradictions(request, { id: 6, ...fields, deleted: true })).toEqual([]);
	});
});

describe('readCustomFields', () => {
	it.each([
		[
			'name → value',
			{ colour: 'red', size: 4, off: false, none: null },
			{ colour: 'red', size: 4, off: false, none: null },
		],
		['name → {value}', { colour: { name: 'Colour', value: 'red', markup: '<input>' } }, { colour: 'red' }],
		['below custom_fields', { custom_fields: { colour: 'red' } }, { colour: 'red' }],
		['both', { id: 14, custom_fields: { colour: { value: 'red' } } }, { colour: 'red' }],
		['values of other shapes', { colour: { raw: 'red' }, list: ['a'] }, { colour: { raw: 'red' }, list: ['a'] }],
		[
			'a field that is called custom_fields, among others',
			{ custom_fields: { name: 'C', value: 'a', markup: '' }, x: { name: 'X', value: '2', markup: '' } },
			{ custom_fields: 'a', x: '2' },
		],
		[
			'a field that is called custom_fields, alone',
			{ custom_fields: { value: 'a', markup: '' } },
			{ custom_fields: 'a' },
		],
		[
			'a text that is called custom_fields, among others',
			{ custom_fields: 'a', x: '2' },
			{ custom_fields: 'a', x: '2' },
		],
		['a field that is called value, below custom_fields', { custom_fields: { value: 'a' } }, { value: 'a' }],
		['no fields', {}, {}],
		['no fields, as an empty list', [], {}],
		['no fields, as an empty list below custom_fields', { custom_fields: [] }, {}],
	])('reads %s', (_name, body, fields) => {
		expect({ ...readCustomFields(body) }).toEqual(fields);
	});

	it.each([
		null,
		undefined,
		'red',
		4,
		true,
		[1],
		['a'],
		{ custom_fields: 'red' },
		{ custom_fields: [1] },
		{ custom_fields: null },
	])('makes nothing of %j', (body) => {
		expect(readCustomFields(body)).toBeUndefined();
	});

	it('takes names of the language for names', () => {
		const fields = readCustomFields(JSON.parse('{"__proto__": {"value": "x"}, "constructor": "y", "toString": "z"}'));
		expect(Object.entries(fields ?? {})).toEqual([
			['__proto__', 'x'],
			['constructor', 'y'],
			['toString', 'z'],
		]);
		expect('hasOwnProperty' in (fields ?? {})).toBe(false);
	});
});

describe('customFieldText', () => {
	it.each([
		['red', 'red'],
		['', ''],
		[' x ', ' x '],
		[4, '4'],
		[0, '0'],
		[1.5, '1.5'],
		[true, '1'],
		[false, ''],
		[null, ''],
		[undefined, ''],
		[['a'], undefined],
		[{}, undefined],
	])('of %j is %j', (value, text) => {
		expect(customFieldText(value)).toBe(text);
	});
});

describe('sameCustomField', () => {
	it.each([
		['red', 'red', true],
		['red', 'blue', false],
		[' red ', 'red', true],
		['a\r\nb', 'a\nb', true],
		['4', 4, true],
		['1', true, true],
		['', null, true],
		['', false, true],
		['red', ['red'], undefined],
		[{}, 'red', undefined],
	])('%j and %j: %j', (sent, shown, same) => {
		expect(sameCustomField(sent, shown)).toBe(same);
	});
});
