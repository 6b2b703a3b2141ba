import { describe, expect, it } from 'vitest';
import { customFieldText, readCustomFields, sameCustomField } from '../../src/api/applied.js';

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
