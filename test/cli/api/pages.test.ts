/** Which page of a list comes next. */

import { expect, it } from 'vitest';
import { hasNextPage, pagingOf } from '../../../src/cli/api/pages.js';

it.each([
	['', 1, 'per_page=100', 'per_page=100&page=2'],
	['author=0&per_page=50', 1, 'author=0&per_page=50', 'author=0&per_page=50&page=2'],
	['page=3&author=0', 3, 'author=0&per_page=100', 'author=0&per_page=100&page=2'],
	['per_page=x', 1, 'per_page=x&per_page=100', 'per_page=x&per_page=100&page=2'],
])('pages of %j begin at %i', (query, first, one, two) => {
	const paging = pagingOf(query);
	expect([paging.first, paging.query(1, true), paging.query(2, true)]).toEqual([first, one, two]);
});

it('the size of a page can be left out', () => {
	expect(pagingOf('a=1').query(2, false)).toBe('a=1&page=2');
});

it.each([
	[1, 100, '3', 100, true],
	[3, 100, '3', 100, false],
	[1, 7, '3', 100, true],
	[1, 0, '3', 100, false],
	[1, 100, undefined, 100, true],
	[1, 99, undefined, 100, false],
	[1, 100, ['2', '2'], 100, true],
	[1, 100, 'many', 100, true],
])('after page %i with %i rows of %j pages of %i: %j', (page, rows, total, full, expected) => {
	expect(hasNextPage(page, rows, total, full)).toBe(expected);
});
