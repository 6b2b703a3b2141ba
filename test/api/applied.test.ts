import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	compareAll,
	compareField,
	compareValue,
	customFieldText,
	readCustomFields,
	writtenName,
} from '../../src/api/applied.js';
import { endpointList, endpoints } from '../../src/api/endpoints.js';

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
		['date', '2026-03-31T14:30:00+05:30', '2026-03-31T05:30:00-0330'],
		['date_gmt', '2026-03-31 14:30:00,5+05:30', '2026-03-31T09:00:00.500'],
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
		['title', '\u{1f600} \u{10ffff}', { raw: '&#128512; &#x10FFFF;' }],
		['title', 'R & D', { raw: 'R &AMP; D' }],
		['title', { raw: 'a' }, { raw: 'a', rendered: '<p>a</p>' }],
		['meta', { colour: null, size: '' }, []],
		['meta', {}, []],
		['meta', { colour: 'red' }, { colour: ['red'] }],
	])('%s: %j as %j', (field, sent, shown) => {
		expect(compareValue(named(field), sent, shown)).toBe('same');
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
		['roles', ['agent'], ['editor']],
		['roles', ['agent'], 'editor'],
		['roles', ['agent'], ['agent', 'editor']],
		['roles', [], ['editor']],
		['roles', '', 'editor'],
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
		['title', '\u{10ffff}', '&#x110000;'],
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
		expect(compareValue(named(field), sent, shown)).toBe('other');
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
		expect(compareValue(named(field), sent, shown)).toBe('not comparable');
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
				expect(['same', 'other', 'not comparable']).toContain(compareValue(named(name), sent, shown));
				expect(compareValue(named(name), sent, structuredClone(sent))).not.toBe('other');
			}),
		);
	});
});

describe('a term', () => {
	const slugs: Record<string, string> = { '9': 'vip', '10': 'other', '11': '', '170': '126', '126': 'lamp' };
	const terms = (taxonomy: string) => ({
		isListed: taxonomy === 'product',
		hasHidden: true,
		ofSlug: (slug: string) => Object.keys(slugs).find((id) => slug !== '' && slugs[id] === slug),
		mayShowAs: (id: string, text: string) => slugs[id] === undefined || slugs[id] === text,
		exported: () => undefined,
		exportedId: String,
	});

	it.each<[unknown, unknown, string]>([
		['9', 'vip', 'same'],
		['9', 'other', 'other'],
		['9', 'unlisted', 'other'],
		['12', 'unlisted', 'not comparable'],
		['9', '', 'other'],
		['170', '126', 'same'],
		['126', '126', 'other'],
		['126', 'lamp', 'same'],
		['11', '', 'not comparable'],
		['11', 'vip', 'other'],
	])('%j against %j is %s once the taxonomy is listed', (sent, shown, equality) => {
		expect(compareValue(named('product'), sent, shown, terms)).toBe(equality);
	});

	it.each<[unknown, unknown, string]>([
		['支持', '', 'not comparable'],
		['uni-%f0%9f%8e%89-2', 'uni--2', 'not comparable'],
		['vip', '', 'other'],
		['9', '', 'not comparable'],
		['9', '2024', 'not comparable'],
		['43', '43', 'not comparable'],
		['43', 43, 'same'],
		['vip', 'vip', 'same'],
		['vip', '43', 'not comparable'],
		['', 'vip', 'other'],
	])('%j against %j is %s without a list', (sent, shown, equality) => {
		expect(compareValue(named('product'), sent, shown)).toBe(equality);
	});
});

describe('tags without a list of terms', () => {
	it.each<[unknown[], unknown[], string]>([
		[[5, 6, 'vip'], [5, 6, 9], 'not comparable'],
		[[5, 6, 'vip'], [5, 'vip', 6], 'same'],
		// A text of digits may be the slug of another term.
		[[5, 6, 'vip'], ['5', '6', 'vip'], 'not comparable'],
		[[5, 6], ['5', '7'], 'not comparable'],
		[[5, 6], ['5'], 'other'],
		[[5, 6, 'vip'], [], 'other'],
		[[5, 6, 'vip'], [9], 'other'],
		[[5, 6, 'vip'], [7, 8, 9], 'other'],
		[[5, 6, 'vip'], [5, 9, 10], 'other'],
		[[5, 6], ['urgent', 'vip'], 'not comparable'],
		[[5, 6], [5, 'vip'], 'not comparable'],
		[[5, 6], [7, 'vip'], 'other'],
		[[5], [5, 'vip'], 'other'],
	])('%j against %j is %s', (sent, shown, equality) => {
		expect(compareValue(named('ticket-tag'), sent, shown)).toBe(equality);
	});
});

describe('the comparison of a request with an object', () => {
	const compared = (sent: Record<string, unknown>, shown: Record<string, unknown>) =>
		compareAll(
			sent,
			(name) => shown[name],
			(name, left, right) => compareField(endpoints['ticket.update'], name, left, right),
		);

	it('lists fields that differ with both values, and fields that are not comparable or not shown', () => {
		const sent = { status: 'hold', title: 'a', assignee: 3, product: '12', 'time-notes': 'x' };
		const shown = { status: 'read', title: { raw: 'b' }, assignee: '3', product: 'printer' };
		expect(compared(sent, shown)).toEqual({
			differs: [
				{ field: 'status', sent: 'hold', shown: 'read' },
				{ field: 'title', sent: 'a', shown: 'b' },
			],
			open: ['product', 'time-notes'],
		});
	});

	it('never compares a password, not even with itself', () => {
		expect(compared({ password: 'x' }, { password: 'x' })).toEqual({ differs: [], open: ['password'] });
	});

	it.each([
		['positive', 50, 70, [{ field: 'time-adjustments-type', sent: 'positive', shown: '-' }]],
		['positive', 90, 70, []],
		['+', 50, 70, [{ field: 'time-adjustments-type', sent: '+', shown: '-' }]],
		['negative', 90, 70, [{ field: 'time-adjustments-type', sent: 'negative', shown: '+' }]],
		['negative', 50, 70, []],
		['positive', undefined, 70, []],
		['positive', 41, 70, []],
	])('sees whether an adjustment that is %s moved the time to %s of %s', (type, final, calculated, differs) => {
		const shown = {
			'time-adjustments-type': type,
			'time-adjustments': 20,
			'time-calculated': calculated,
			'time-final': final,
		};
		expect(compared({ 'time-adjustments-type': type }, shown).differs).toEqual(differs);
	});
});

describe('custom fields', () => {
	it('are read from field objects', () => {
		expect({ ...readCustomFields({ color: { name: 'Color', value: 'red', markup: '<input>' } }) }).toEqual({
			color: 'red',
		});
		expect({ ...readCustomFields([]) }).toEqual({});
	});

	it.each([
		[null],
		['red'],
		[[1]],
		[{ success: false }],
		[{ color: 'red' }],
		[{ color: { value: 'red' } }],
		[{ color: { name: 'Color', value: 'red' }, error: 'x' }],
	])('are not read from %j', (body) => {
		expect(readCustomFields(body)).toBeUndefined();
	});

	it('may have names of the language', () => {
		const fields = readCustomFields(JSON.parse('{"__proto__": {"name": "a", "value": "x"}}'));
		expect(Object.entries(fields ?? {})).toEqual([['__proto__', 'x']]);
	});

	it('are written under the name in their markup', () => {
		const field = (markup?: string) => ({ severity: { name: 'Severity', value: '', markup } });
		expect(writtenName(field('<input type="text" name="xx_severity" value="a_severity">'), 'severity')).toBe(
			'xx_severity',
		);
		expect(writtenName(field('<select id="xx_severity" name="xx_severity[]">'), 'severity')).toBe('xx_severity');
		expect(writtenName(field('<input name="severity">'), 'severity')).toBe('severity');
		expect(writtenName(field('<input name="other">'), 'severity')).toBe('severity');
		expect(writtenName(field(), 'severity')).toBe('severity');
	});

	it.each<[unknown, unknown, string]>([
		['red', 'red', 'same'],
		['red', 'blue', 'other'],
		[' red ', 'red', 'same'],
		['a\r\nb', 'a\nb', 'same'],
		['4', 4, 'same'],
		['1.10', 1.1, 'same'],
		['', 0, 'other'],
		[' ', 0, 'other'],
		['1', true, 'same'],
		['', null, 'same'],
		['', undefined, 'same'],
		['red', undefined, 'other'],
		['red', ['red'], 'not comparable'],
	])('compare %j with %j as %s', (sent, shown, equality) => {
		expect(compareField(endpoints['ticket.fields.set'], 'a', sent, shown)).toBe(equality);
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
