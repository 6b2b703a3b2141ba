/** `api` sends below the prefix of its own service and nowhere else, however the path is spelled, and what `gh api` would make of fields. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDialect } from '../../../../src/api/dialect.js';
import {
	bodyOf,
	refuseOverride,
	resolveTarget,
	typedValue,
	withFields,
} from '../../../../src/cli/commands/api/request.js';

const baseUrl = 'https://desk.example/wp-json';
const rules = { baseUrl, dialect: createDialect() };
const resolve = (text: string, given = rules): string => {
	const { path, query } = resolveTarget(text, given.baseUrl, given.dialect.root);
	return query === '' ? path : `${path}?${query}`;
};

describe('a path', () => {
	it.each([
		['tickets', '/support-api/v1/tickets'],
		['/tickets/14', '/support-api/v1/tickets/14'],
		['tickets?page=2&per_page=5', '/support-api/v1/tickets?page=2&per_page=5'],
		['', '/support-api/v1'],
		['/', '/support-api/v1'],
		['support-api/v1', '/support-api/v1'],
		['support-api/v1/tickets', '/support-api/v1/tickets'],
		['/support-api/v1/tickets/', '/support-api/v1/tickets/'],
		['/wp-json/support-api/v1/users/me?x=1', '/support-api/v1/users/me?x=1'],
		['wp-json/support-api/v1/users/me', '/support-api/v1/users/me'],
		['tickets?search=two words&name=Zoë', '/support-api/v1/tickets?search=two%20words&name=Zo%C3%AB'],
		['tickets?search=50%25&status[]=hold', '/support-api/v1/tickets?search=50%25&status[]=hold'],
		['tickets-archive', '/support-api/v1/tickets-archive'],
		['users/a..b', '/support-api/v1/users/a..b'],
		['tickets/%2e%2e/./users', '/support-api/v1/users'],
		['javascript:alert(1)', '/support-api/v1/javascript:alert(1)'],
	])('%j is %s', (text, path) => {
		expect(resolve(text)).toBe(path);
	});

	it('under a deployment that has its own word, the neutral prefix and its own are both understood', () => {
		const own = { baseUrl, dialect: createDialect({ product: 'acme' }) };
		for (const text of ['tickets', '/support-api/v1/tickets', '/wp-json/acme-api/v1/tickets']) {
			expect(resolve(text, own)).toBe('/acme-api/v1/tickets');
		}
	});

	it('of a service at the root of its host needs no path of its own', () => {
		const root = { baseUrl: 'http://127.0.0.1:8700', dialect: createDialect() };
		expect(resolve('/support-api/v1/tickets', root)).toBe('/support-api/v1/tickets');
		expect(resolve('/tickets', root)).toBe('/support-api/v1/tickets');
	});
});

describe('a path that leads elsewhere:', () => {
	it.each([
		'../users',
		'tickets/../../../wp/v2/users',
		'tickets/..%2fusers',
		'tickets/14%2F..%2Fx',
		'tickets/%ff%2f..%2fusers',
		'tickets/..;/users',
		'.x/../../../wp/v2/users',
		'tickets/.x/%2e%2E/../../../../wp/v2/users',
		'tickets/%5c..%5cusers',
		'..\\..\\users',
		'%2e%2e/%2E./users',
		'tickets\r\nX: y',
		'tickets//14',
		'tickets#14',
		'//evil.example/tickets',
		'https://desk.example/wp-json/support-api/v1/tickets',
		'HTTP://evil.example',
		'file:///etc/passwd',
		'/wp-json/wp/v2/users',
		'/wp-json/support-api/v2/tickets',
	])('%j', (text) => {
		expect(() => resolve(text)).toThrow(
			expect.objectContaining({
				exitCode: 2,
				message: expect.stringMatching(/ is not a path below \/support-api\/v1$/),
			}),
		);
	});
});

it('whatever is typed, a URL parser ends up below the prefix on the same origin, or nothing is sent', () => {
	const piece = fc.oneof(
		fc.constantFrom(
			'..',
			'.',
			'%2e%2e',
			'%2f',
			'%5c',
			'/',
			'//',
			'\\',
			'@',
			':',
			'?',
			'#',
			';',
			'support-api',
			'v1',
			'wp-json',
		),
		fc.constantFrom('https://desk.example', 'http://evil.example', 'tickets', '14', '%', '%25', '\t', ' ', 'é', '%00'),
		fc.string({ maxLength: 4 }),
	);
	let taken = 0;
	let refused = 0;
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
			let path: string;
			try {
				path = resolve(pieces.join(''));
			} catch (error) {
				expect(error).toMatchObject({ exitCode: 2 });
				refused++;
				return;
			}
			const url = new URL(baseUrl + path);
			expect(url.origin).toBe('https://desk.example');
			expect(url.pathname).toMatch(/^\/wp-json\/support-api\/v1(\/|$)/);
			const bytes = url.pathname.replace(/%([0-9a-f]{2})/gi, (_, byte) =>
				String.fromCharCode(Number.parseInt(byte, 16)),
			);
			expect(bytes).not.toMatch(/\/\.\.?(\/|$)/);
			expect(bytes.split('/')).toHaveLength(url.pathname.split('/').length);
			expect(path).toMatch(/^[\x21-\x7e]+$/);
			taken++;
		}),
		{ numRuns: 3000 },
	);
	expect(Math.min(taken, refused)).toBeGreaterThan(100);
});

it.each([
	...['_method', '.method', ' _method', '+_method', '%20_method', '_method%00x', '_method[]', '_method[', '[method'],
	...['_METHOD', '++.method', 'rest_route', 'rest.route', 'rest+route', 'rest[route'],
])('%j is a name that PHP reads as _method or rest_route, wherever it stands', (name) => {
	for (const text of [name, `/tickets/14?page=1&${name}=DELETE`, `x?${encodeURIComponent(name)}=DELETE`]) {
		expect(() => refuseOverride(text), text).toThrow('would change the method or path');
	}
});

it.each(['method', 'x_method_y', 'tickets/14?search=payment+method', 'rest', 'route', 'forest-route'])(
	'%j changes neither method nor path',
	(text) => {
		expect(() => refuseOverride(text)).not.toThrow();
	},
);

it('fields join a query encoded, and names keep their brackets', () => {
	const fields = [
		['status', 'shop-active'],
		['meta[color name]', 'red+blue'],
		['tags[]', 'ä'],
		['acme', 'a&b=c'],
	] as const;
	const typed = [7, true, null].map((value, at) => [`n${at}`, value] as const);
	const dialect = createDialect({ product: 'acme', shop: 'wc' });
	expect(withFields('a=1', [...fields, ...typed], dialect)).toBe(
		'a=1&status=wc-active&meta[color%20name]=red%2Bblue&tags[]=%C3%A4&acme=a%26b%3Dc&n0=7&n1=true&n2=',
	);
	expect(withFields('', [['support_after_reply', 'stay']], dialect)).toBe('acme_after_reply=stay');
	expect(withFields('', [], dialect)).toBe('');
});

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
