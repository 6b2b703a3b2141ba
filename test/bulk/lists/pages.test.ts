/** Lists in pages, by themselves. */

import { expect, test } from 'vitest';
import { type ListedObject, objectsIn, readPages } from '../../../src/bulk/lists/pages.js';

test('a list that does not end is ended, and says so', async () => {
	let next = 0;
	let given = 0;
	const page = (): ListedObject[] => Array.from({ length: 10 }, () => ({ id: ++next }));
	const end = await readPages({
		fetch: async () => ({ outcome: 'ok', status: 200, attempts: 1, ms: 0, body: page() }),
		concurrency: 2,
		size: 10,
		most: Number.POSITIVE_INFINITY,
		rowsIn: objectsIn,
		isWatched: true,
		ceiling: 95,
		async onPage(objects) {
			given += objects.length;
			return true;
		},
	});
	expect({ end, given }).toEqual({
		end: { count: 100, failure: expect.objectContaining({ code: 'endless_list' }), isWhole: false },
		given: 100,
	});
});

test('objects that come newest first stay in that order where the list shifts', async () => {
	const list = Array.from({ length: 40 }, (_, at) => ({ id: 40 - at }));
	let count = 0;
	const ids: unknown[] = [];
	await readPages({
		async fetch(page) {
			const body = list.slice((page - 1) * 10, page * 10);
			const headers = { 'x-wp-total': String(list.length), 'x-wp-totalpages': String(Math.ceil(list.length / 10)) };
			if (++count === 3) list.splice(2, 3);
			return { outcome: 'ok', status: 200, attempts: 1, ms: 0, body, headers };
		},
		...{ concurrency: 1, size: 10, most: Number.POSITIVE_INFINITY, byId: -1, isWatched: true, rowsIn: objectsIn },
		async onPage(objects) {
			ids.push(...objects.map(({ id }) => id));
			return true;
		},
	});
	expect(ids).toEqual(ids.toSorted((left, right) => Number(right) - Number(left)));
	expect(list.filter(({ id }) => !ids.includes(id))).toEqual([]);
});

const ended = {
	rowsIn: objectsIn,
	isWatched: true,
	concurrency: 2,
	size: 10,
	most: Number.POSITIVE_INFINITY,
	onPage: async () => true,
};
const read = (outcome: 'ok' | 'failed', body?: unknown) => ({ outcome, status: 200, attempts: 1, ms: 0, body });

test('a service that repeats a page is not read for as many pages as it claims to have', async () => {
	let requests = 0;
	const fetch = async () => {
		// Else a reading that goes on would not let the test fail.
		if (++requests === 100) throw new Error('it reads on');
		const body = Array.from({ length: 10 }, (_, at) => ({ id: at + 1 }));
		return { ...read('ok', body), headers: { 'x-wp-totalpages': '1000000000' } };
	};
	expect(await readPages({ ...ended, fetch })).toMatchObject({ count: 10, failure: { code: 'incomplete_list' } });
	expect(requests).toBeLessThan(10);
});

test('a response that is no list ends the reading', async () => {
	const refused = { ...read('failed'), code: 'rest_forbidden' };
	expect(await readPages({ ...ended, fetch: async () => refused })).toMatchObject({
		count: 0,
		failure: refused,
		isWhole: false,
	});
});

test('a count alone is taken from a full page that fits it', async () => {
	let requests = 0;
	const counted = await readPages({
		...ended,
		countsOnly: true,
		async fetch(page) {
			requests++;
			const body = Array.from({ length: 10 }, (_, at) => ({ id: page * 10 + at }));
			return { ...read('ok', body), headers: { 'x-wp-total': ['95'], 'x-wp-totalpages': '10' } };
		},
	});
	expect({ counted, requests }).toEqual({ counted: { count: 95, isWhole: true }, requests: 1 });
});

test('a service that ignores `page` ends a list of objects without IDs at the first repetition, and says so', async () => {
	const body = Array.from({ length: 10 }, (_, at) => ({ title: `Printer ${at}` }));
	const given: unknown[] = [];
	const onPage = async (objects: readonly ListedObject[]) => given.push(...objects) > 0;
	const end = await readPages({ ...ended, onPage, fetch: async () => read('ok', body) });
	expect(end).toEqual({ count: 10, failure: expect.objectContaining({ code: 'endless_list' }), isWhole: false });
	expect(given).toEqual(body);
});

test('pages of objects without IDs are given once each', async () => {
	const titles = Array.from({ length: 25 }, (_, at) => ({ title: `Printer ${at}` }));
	const given: unknown[] = [];
	const onPage = async (objects: readonly ListedObject[]) => given.push(...objects) > 0;
	const end = await readPages({
		...ended,
		onPage,
		fetch: async (page) => read('ok', titles.slice((page - 1) * 10, page * 10)),
	});
	expect({ end, given }).toEqual({ end: { count: 25, isWhole: true, isRepeated: false }, given: titles });
});

test('a page behind the last one is no failure, whatever the count said', async () => {
	const behind = { ...read('failed'), status: 400, code: 'rest_post_invalid_page_number' };
	const body = Array.from({ length: 10 }, (_, at) => ({ id: at + 1 }));
	const headers = { 'x-wp-total': '10', 'x-wp-totalpages': '2' };
	const fetch = async (page: number) => (page === 1 ? { ...read('ok', body), headers } : behind);
	expect(await readPages({ ...ended, fetch })).toEqual({ count: 10, total: 10, isWhole: true, isRepeated: false });
});

test('a list without a count that is full up to the last page that is wanted is not whole', async () => {
	const page = (number: number) => Array.from({ length: 10 }, (_, at) => ({ id: 10 * number + at }));
	const fetch = async (number: number) => read('ok', page(number));
	expect(await readPages({ ...ended, most: 2, fetch })).toMatchObject({ count: 20, isWhole: false });
	const short = async (number: number) => read('ok', page(number).slice(0, number === 2 ? 9 : 10));
	expect(await readPages({ ...ended, most: 3, fetch: short })).toMatchObject({ count: 19, isWhole: true });
});

test('a list that repeats its last page, and has no count, may not be whole', async () => {
	const page = (number: number) => Array.from({ length: 10 }, (_, at) => ({ id: 10 * Math.min(number, 2) + at }));
	const fetch = async (number: number) => read('ok', page(number));
	expect(await readPages({ ...ended, fetch })).toMatchObject({ count: 20, isWhole: false, isRepeated: true });
});
