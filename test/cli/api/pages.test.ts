/** A next page is followed only where it stays with the service that named it. */

import { describe, expect, it } from 'vitest';
import { followLink, LoopGuard, nextLink } from '../../../src/cli/api/pages.js';

describe('the Link header', () => {
	it.each([
		['<https://d.example/x?page=2>; rel="next"', 'https://d.example/x?page=2'],
		['</x?page=2>;rel=next', '/x?page=2'],
		['<a>; rel="prev", <b>; rel="next"', 'b'],
		['<a>; rel="last next"', 'a'],
		['<a>; title="x; y, z"; REL="NEXT"', 'a'],
		['<a,b;c>; rel="next"', 'a,b;c'],
		['<a>; rel="next", <b>; rel="next"', 'a'],
		['<a>; rel="prev"', undefined],
		['<a>; rel="nextish"', undefined],
		['<a>; title="rel=next"', undefined],
		['garbage', undefined],
		['', undefined],
	])('%s', (header, target) => {
		expect(nextLink(header)).toBe(target);
	});

	it('may come in several lines, or not at all', () => {
		expect(nextLink(['<a>; rel="prev"', '<b>; rel="next"'])).toBe('b');
		expect(nextLink(undefined)).toBeUndefined();
	});

	it('is read in linear time', () => {
		const started = performance.now();
		nextLink(`<a>${'; x '.repeat(20_000)}`);
		nextLink('<'.repeat(100_000));
		expect(performance.now() - started).toBeLessThan(2000);
	});
});

describe('a link', () => {
	const rules = { baseUrl: 'https://desk.example/wp-json', root: 'support-api' };
	const follow = (link: string): string => followLink(link, '/support-api/v1/tickets?page=1', rules);

	it.each([
		['https://desk.example/wp-json/support-api/v1/tickets?page=2', '/support-api/v1/tickets?page=2'],
		['https://desk.example:443/wp-json/support-api/v1/tickets?page=2', '/support-api/v1/tickets?page=2'],
		['/wp-json/support-api/v1/tickets?page=2', '/support-api/v1/tickets?page=2'],
		['?page=2', '/support-api/v1/tickets?page=2'],
	])('%s is followed', (link, path) => {
		expect(follow(link)).toBe(path);
	});

	it.each([
		'https://evil.example/wp-json/support-api/v1/tickets?page=2',
		'http://desk.example/wp-json/support-api/v1/tickets?page=2',
		'//evil.example/wp-json/support-api/v1/tickets',
		'https://desk.example/wp-json/wp/v2/users',
		'/wp-json/support-api/v1x/tickets?page=2',
		'/wp-json/support-api/v10',
		'/wp-jsonx/support-api/v1/tickets',
		'https://desk.example/wp-json/support-api/v1/../../wp/v2/users',
		'https://desk.example/wp-json/support-api/v1/%2e%2e/users',
		'https://desk.example/wp-json/support-api/v1/a%2fb',
		'https://desk.example/other/support-api/v1/tickets',
		'https://me:pw@desk.example/wp-json/support-api/v1/tickets',
		'https://desk.example\\@evil.example/',
		'/wp-json/support-api/v1/tickets/1?_method=DELETE',
		'http://[',
	])('%s is not', (link) => {
		expect(() => follow(link)).toThrow(expect.objectContaining({ exitCode: 1, code: 'stray_next_page' }));
	});
});

it('a page that comes again ends the list, and so do two empty ones in a row', () => {
	const guard = new LoopGuard();
	guard.enter('/a');
	guard.enter('/b');
	expect(() => guard.enter('/a')).toThrow(expect.objectContaining({ code: 'page_loop' }));
	guard.left(0);
	guard.left(3);
	guard.left(0);
	expect(() => guard.left(0)).toThrow(expect.objectContaining({ code: 'page_loop' }));
});
