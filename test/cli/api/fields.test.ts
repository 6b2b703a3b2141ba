/** `-f` and `-F` make the body that `gh api` would make of them. */

import { describe, expect, it } from 'vitest';
import { bodyOf, splitField, typedValue } from '../../../src/cli/commands/api/request.js';

const body = (...texts: string[]): unknown => JSON.parse(JSON.stringify(bodyOf(texts.map(splitField))));

describe('names with brackets', () => {
	it.each([
		[['title=Hello'], { title: 'Hello' }],
		[['title='], { title: '' }],
		[['title=a=b[c]'], { title: 'a=b[c]' }],
		[['meta[color]=red', 'meta[size]=4'], { meta: { color: 'red', size: '4' } }],
		[['roles[]=agent', 'roles[]=editor'], { roles: ['agent', 'editor'] }],
		[['roles[]'], { roles: [] }],
		[['__proto__=x', 'constructor[prototype]=y'], JSON.parse('{"__proto__":"x","constructor":{"prototype":"y"}}')],
	])('%j', (given, expected) => {
		expect(body(...given)).toEqual(expected);
	});

	it('leave the prototype of everything else alone', () => {
		body('__proto__[polluted]=yes', 'a[__proto__]=yes');
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	it.each([
		[['title']],
		[['=x']],
		[['[a]=x']],
		[['a[b=x']],
		[['a]b[=x']],
		[['a[b]c=x']],
		[['a=1', 'a=2']],
		[['a=1', 'a[b]=2']],
		[['a[b]=1', 'a[]=2']],
		[['a[]=1', 'a[b]=2']],
		[['a[b]=1', 'a[b]=2']],
		[['a[][x]=1']],
		[['meta[a][b]=1']],
	])('%j is a usage error', (given) => {
		expect(() => body(...given)).toThrow(expect.objectContaining({ exitCode: 2 }));
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
