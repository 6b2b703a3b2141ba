/** Lists and their requests, from a service that each test plays. */

import { expect, test } from 'vitest';
import { neutralDialect } from '../../../src/api/dialect.js';
import { reads } from '../../../src/api/reads.js';
import { type ListPlan, rawIfAllowed, readList, type SendRead } from '../../../src/bulk/lists/list.js';
import type { Outcome } from '../../../src/http/outcome.js';

const ok = (body: unknown): Outcome => ({ outcome: 'ok', status: 200, body, attempts: 1, ms: 1 });

function listOf(objects: readonly Record<string, unknown>[], more: Partial<ListPlan> = {}) {
	const sent: URLSearchParams[] = [];
	const sendRead: SendRead = async ({ path }) => {
		const query = new URL(path, 'http://service').searchParams;
		sent.push(query);
		const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page'))];
		return ok(objects.slice((page - 1) * size, page * size));
	};
	const list: ListPlan = {
		...{ read: reads.ticket, dialect: neutralDialect, sendRead, concurrency: 1 },
		query: { parameters: {}, conditions: [], byId: 1, warnings: [], doubts: [] },
		fields: undefined,
		countsOnly: false,
		...more,
	};
	const given: unknown[] = [];
	const read = (most: number) =>
		readList(list, {}, most, async (found) => {
			given.push(...found.map(({ id }) => id));
			return true;
		});
	return { read, sent, given };
}

const objects = Array.from({ length: 250 }, (_, at) => ({ id: at + 1, assignee: at % 2 }));

test('no more is asked for than is wanted', async () => {
	const { read, sent, given } = listOf(objects);
	expect(await read(3)).toEqual({ count: 3, warnings: [], failure: undefined });
	expect(given).toEqual([1, 2, 3]);
	expect(sent.map((query) => query.get('per_page'))).toEqual(['3']);
});

test('what a service can not filter is left out, and counts as little as it is given', async () => {
	const conditions = [{ field: 'assignee', holds: (value: unknown) => value === 0 }];
	const query = { parameters: { state: 'open' }, conditions, byId: 1 as const, warnings: [], doubts: [] };
	const { read, sent, given } = listOf(objects, { query, fields: ['id'] });
	expect(await read(2)).toMatchObject({ count: 2 });
	expect(given).toEqual([1, 3]);
	expect(Object.fromEntries(sent[0] ?? [])).toMatchObject({ state: 'open', per_page: '100', _fields: 'id,assignee' });
});

test('raw values are asked for until the account may not read them, which is said once', async () => {
	const paths: string[] = [];
	let said = 0;
	const send = rawIfAllowed(
		async ({ path }) => {
			paths.push(path);
			const isRaw = path.includes('context=edit');
			return isRaw ? { outcome: 'failed', code: 'rest_forbidden_context', attempts: 1, ms: 1 } : ok([]);
		},
		() => said++,
	);
	const request = { method: 'GET', path: '/tickets?context=edit&page=2' } as Parameters<SendRead>[0];
	expect(await send(request)).toEqual(ok([]));
	await send(request);
	expect(paths).toEqual(['/tickets?context=edit&page=2', '/tickets?page=2', '/tickets?page=2']);
	expect(said).toBe(1);
});
