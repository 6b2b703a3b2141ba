import { describe, expect, it } from 'vitest';
import { createDialect } from '../../../src/api/dialect.js';
import { endpoints } from '../../../src/api/endpoints.js';
import { createPlanner, type Request } from '../../../src/api/request.js';
import { BatchReader, type Write } from '../../../src/bulk/lists/batches.js';
import type { Outcome } from '../../../src/http/outcome.js';

const dialect = createDialect();

type Answer = (path: string, query: URLSearchParams) => Outcome;

const ok = (body: unknown): Outcome => ({ outcome: 'ok', status: 200, body, attempts: 1, ms: 1 });
const missing: Outcome = { outcome: 'failed', status: 404, code: 'rest_post_invalid_id', attempts: 1, ms: 1 };
const notServed: Outcome = { outcome: 'failed', status: 404, code: 'rest_no_route', attempts: 1, ms: 1 };

/** A service whose objects have even IDs, and a record of what was asked. */
function readerOf(answer: Answer) {
	const paths: string[] = [];
	const reader = new BatchReader(dialect, async ({ path }: Request) => {
		paths.push(path);
		const [place = '', query] = path.split('?');
		return answer(place, new URLSearchParams(query));
	});
	async function read(writes: readonly Write[]): Promise<Outcome[]> {
		const lists = await reader.readLists(writes);
		return await Promise.all(writes.map((write) => lists.get(write) ?? reader.readAlone(write)));
	}
	return { read, paths };
}

const single: Answer = (path) => {
	const id = Number(path.split('/').at(-1));
	return id % 2 === 0 ? ok({ id, from: 'single' }) : missing;
};

const listed: Answer = (path, query) => {
	const include = query.get('include');
	if (include === null) return single(path, query);
	const ids = include.split(',').map(Number);
	return ok(ids.filter((id) => id % 2 === 0).map((id) => ({ id, from: 'list' })));
};

function ticket(id: number): Write {
	return createPlanner(endpoints['ticket.update'], dialect)({ ids: { id: String(id) }, fields: {} });
}

const shown = (outcomes: readonly Outcome[]) => outcomes.map(({ body, code }) => body ?? code);

describe('reads in batches', () => {
	it('asks for a hundred tickets at once, whatever state and assignee they have', async () => {
		const { read, paths } = readerOf(listed);
		const writes = Array.from({ length: 100 }, (_, at) => ticket(2 * at + 2));
		const outcomes = await read(writes);
		expect(outcomes.map(({ body }) => (body as { id: number }).id)).toEqual(writes.map(({ ids }) => Number(ids.id)));
		expect(paths).toHaveLength(1);
		const query = new URLSearchParams(paths[0]?.split('?')[1]);
		expect(Object.fromEntries(query)).toMatchObject({
			...{ per_page: '100', context: 'edit', orderby: 'include' },
			...{ assignee: '0', author: '0', state: 'any', status: 'any' },
		});
	});

	it('reads alone what a list leaves out', async () => {
		const { read, paths } = readerOf(listed);
		const outcomes = await read([ticket(2), ticket(3), ticket(4)]);
		expect(shown(outcomes)).toEqual([{ id: 2, from: 'list' }, 'rest_post_invalid_id', { id: 4, from: 'list' }]);
		expect(paths).toHaveLength(2);
	});

	it('reads one object alone, and the same object once', async () => {
		const { read, paths } = readerOf(listed);
		expect(shown(await read([ticket(2)]))).toEqual([{ id: 2, from: 'single' }]);
		expect(shown(await read([ticket(2), ticket(2)]))).toEqual([
			{ id: 2, from: 'list' },
			{ id: 2, from: 'list' },
		]);
		expect(paths).toHaveLength(2);
	});

	it('asks no more for a list that is not served', async () => {
		const { read, paths } = readerOf((path, query) => (query.has('include') ? notServed : single(path, query)));
		await read([ticket(2), ticket(4)]);
		await read([ticket(6), ticket(8)]);
		expect(paths.filter((path) => path.includes('include'))).toHaveLength(1);
		expect(paths).toHaveLength(5);
	});

	it('notices a service that ignores include', async () => {
		const other = Array.from({ length: 10 }, (_, at) => ({ id: 1000 + at }));
		const { read, paths } = readerOf((path, query) => (query.has('include') ? ok(other) : single(path, query)));
		expect(shown(await read([ticket(2), ticket(4)]))).toEqual([
			{ id: 2, from: 'single' },
			{ id: 4, from: 'single' },
		]);
		await read([ticket(6), ticket(8)]);
		expect(paths.filter((path) => path.includes('include'))).toHaveLength(1);
	});

	it('asks again for lists after one odd response', async () => {
		let lists = 0;
		const page: Outcome = { outcome: 'failed', status: 403, code: 'html_response', attempts: 1, ms: 1 };
		const { read } = readerOf((path, query) => (query.has('include') && ++lists === 1 ? page : listed(path, query)));
		expect(shown(await read([ticket(2), ticket(4)]))).toMatchObject([{ from: 'single' }, { from: 'single' }]);
		expect(shown(await read([ticket(6), ticket(8)]))).toMatchObject([{ from: 'list' }, { from: 'list' }]);
	});

	it('reads alone an object that a list shows twice', async () => {
		const twice = [
			{ id: 2, title: 'old' },
			{ id: 4, from: 'list' },
			{ id: 2, title: 'new' },
		];
		const { read } = readerOf((path, query) => (query.has('include') ? ok(twice) : single(path, query)));
		expect(shown(await read([ticket(2), ticket(4)]))).toEqual([
			{ id: 2, from: 'single' },
			{ id: 4, from: 'list' },
		]);
	});

	it.each([
		['is about the object where the list is there', ok([]), 'http_404'],
		['is about the route where the list has none either', notServed, 'rest_no_route'],
	])("a 404 that is not the service's own %s", async (_, list, code) => {
		const bare: Outcome = { ...missing, code: 'http_404', gone: 'missing' };
		const { read, paths } = readerOf((path) => (path.endsWith('/tickets') ? list : bare));
		const [outcome] = await read([ticket(2)]);
		expect([outcome?.code, outcome?.gone]).toEqual([code, code === 'http_404' ? 'missing' : undefined]);
		expect(paths).toHaveLength(2);
	});

	it('lists replies per ticket and terms per taxonomy', async () => {
		const { read, paths } = readerOf(listed);
		const reply = createPlanner(endpoints['reply.update'], dialect);
		const term = createPlanner(endpoints['term.update'], dialect);
		await read([
			...['2', '4'].map((id) => reply({ ids: { ticket_id: '14', id }, fields: {} })),
			...['2', '4'].map((id) => reply({ ids: { ticket_id: '15', id }, fields: {} })),
			...['2', '4'].map((id) => term({ ids: { taxonomy: 'ticket_priority', id }, fields: {} })),
		]);
		expect(paths.map((path) => path.split('?')[0])).toEqual([
			'/support-api/v1/tickets/14/replies',
			'/support-api/v1/tickets/15/replies',
			'/support-api/v1/ticket_priority',
		]);
	});

	it('reads custom fields one by one', async () => {
		const { read, paths } = readerOf(() => ok({}));
		const set = createPlanner(endpoints['ticket.fields.set'], dialect);
		await read(['2', '4'].map((id) => set({ ids: { ticket_id: id }, fields: {} })));
		expect(paths).toEqual(['/support-api/v1/tickets/2/custom-fields', '/support-api/v1/tickets/4/custom-fields']);
	});
});
