/** What `gh api` would make of fields. */

import { describe, expect, it } from 'vitest';
import { bodyOf, typedValue } from '../../../../src/cli/commands/api/request.js';

describe('the fields of a body', () => {
	it.each([
		[[['title', '']], { title: '' }],
		[[['title', 'a=b[c]']], { title: 'a=b[c]' }],
		[[['__proto__', 'x']], JSON.parse('{"__proto__":"x"}')],
	] as const)('%j', (fields, expected) => {
		expect(JSON.parse(JSON.stringify(bodyOf(fields)))).toEqual(expected);
	});

	it.each([
		[
			[
				['a', 1],
				['a', 2],
			],
		],
		[[['meta[color]', 'red']]],
		[[['roles[]', 'agent']]],
	] as const)('%j is a usage error', (fields) => {
		expect(() => bodyOf(fields)).toThrow(expect.objectContaining({ exitCode: 2 }));
	});
});

describe('-F', () => {
	it.each([
		['true', true],
		['false', false],
		['null', null],
		['7', 7],
		['-3', -3],
		['1.5', 1.5],
		['1e3', 1000],
		['0', 0],
		['007', '007'],
		['+1', '+1'],
		['1.', '1.'],
		['Infinity', 'Infinity'],
		['True', 'True'],
		['', ''],
		['9007199254740991', 9007199254740991],
	])('%j is %j', (text, value) => {
		expect(typedValue('x', text)).toBe(value);
	});

	it('refuses a number that would be sent as another', () => {
		expect(() => typedValue('x', '9007199254740993')).toThrow(
			expect.objectContaining({ exitCode: 2, hint: expect.stringContaining('-f x=') }),
		);
	});
});
