/** Lists in pages, by themselves. */

import { expect, test } from 'vitest';
import { type ListedObject, readPages } from '../../../src/bulk/lists/pages.js';

test('a list that does not end is ended, and says so', async () => {
	let next = 0;
	let given = 0;
	const page = (): ListedObject[] => Array.from({ length: 10 }, () => ({ id: ++next }));
	const end = await readPages({
		fetch: async () => ({ result: { outcome: 'ok', status: 200, attempts: 1, ms: 0, body: page() }, headers: {} }),
		concurrency: 2,
		size: 10,
		most: Number.POSITIVE_INFINITY,
		ceiling: 95,
		async onPage(objects) {
			given += objects.length;
			return true;
		},
	});
	expect({ end, given }).toEqual({
		end: { count: 100, whole: false, failure: expect.objectContaining({ code: 'endless_list' }) },
		given: 100,
	});
});

test('objects that come newest first stay in that order where the list shifts', async () => {
	const list = Array.from({ length: 40 }, (_, at) => ({ id: 40 - at }));
	let count = 0;
	const ids: unknown[] = [];
	await readPages({
		async fetch({ page }) {
			const body = list.slice((page - 1) * 10, page * 10);
			const headers = { 'x-wp-total': String(list.length), 'x-wp-totalpages': String(Math.ceil(list.length / 10)) };
			if (++count === 3) list.splice(2, 3);
			return { result: { outcome: 'ok', status: 200, attempts: 1, ms: 0, body }, headers };
		},
		...{ concurrency: 1, size: 10, most: Number.POSITIVE_INFINITY, byId: -1 },
		async onPage(objects) {
			ids.push(...objects.map(({ id }) => id));
			return true;
		},
	});
	expect(ids).toEqual(ids.toSorted((left, right) => Number(right) - Number(left)));
	expect(list.filter(({ id }) => !ids.includes(id))).toEqual([]);
});
