/** JSON keeps every token when it is laid out anew, and numbers that a parser changes are found. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasOddNumber, inexactNumber, layOut } from '../../src/output/json-text.js';

describe('laid out anew', () => {
	it('JSON without odd numbers is what a printer makes of it, however it was spaced', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
				const json = JSON.stringify(value, null, space);
				expect(layOut(json, true)).toBe(JSON.stringify(JSON.parse(json), null, 2));
				const lines = Array.isArray(value) && value.length > 0 ? value.map((each) => JSON.stringify(each)) : undefined;
				expect(layOut(json, false)).toBe(
					lines === undefined ? JSON.stringify(JSON.parse(json)) : `[\n${lines.join(',\n')}\n]`,
				);
			}),
		);
	});

	it('numbers, escapes and keys that come twice stay as they are', () => {
		expect(layOut(' {"a" : 1.10 ,"a":1e400,\n"b":[ "\\u00e9\\"]," , -0.0 ]}', false)).toBe(
			'{"a":1.10,"a":1e400,"b":["\\u00e9\\"],",-0.0]}',
		);
		expect(layOut('[1.10,{}]', true)).toBe('[\n  1.10,\n  {}\n]');
	});

	it('a long text takes time in proportion to its length', () => {
		const json = `[${Array(300_000).fill('{"a":1.10}').join(',')},"${'x'.repeat(5_000_000)}"]`;
		expect(layOut(json, false)).toHaveLength(json.length + 300_002);
	});
});

describe('numbers', () => {
	it.each([
		['14', false, undefined],
		['-1.5', false, undefined],
		['1.10', true, undefined],
		['1E5', true, undefined],
		['-0', true, undefined],
		['0.00', true, undefined],
		['100000000000000000000000', true, undefined],
		['9007199254740993', true, '9007199254740993'],
		['12345678901234567890', true, '12345678901234567890'],
		['0.12345678901234567890', true, '0.12345678901234567890'],
		['1e400', true, '1e400'],
		['1e-400', true, '1e-400'],
		['"1e400"', false, undefined],
	])('%s', (number, odd, inexact) => {
		for (const json of [number, `{"a":[${number}]}`]) {
			expect(hasOddNumber(json)).toBe(odd);
			expect(inexactNumber(json)).toBe(inexact);
		}
	});

	it('that a printer wrote are never odd', () => {
		fc.assert(fc.property(fc.jsonValue(), (value) => !hasOddNumber(JSON.stringify(value))));
	});
});
