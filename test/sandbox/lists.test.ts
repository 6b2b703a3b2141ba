/** Lists: pages, totals, links and conditions (service notes, "Beyond the interface"). */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';

let sandbox: TestSandbox;

beforeEach(async () => {
	sandbox = await startSandbox({ seed: 230 });
});
afterEach(() => sandbox.stop());

type Row = { id: number } & Record<string, unknown>;

async function list(path: string): Promise<{ rows: Row[]; headers: Headers }> {
	const { status, body, headers } = await sandbox.call('GET', path);
	expect(status, JSON.stringify(body)).toBe(200);
	return { rows: body as Row[], headers };
}

/** Follows rel="next" to the end. */
async function follow(path: string): Promise<Row[]> {
	const rows: Row[] = [];
	for (let next: string | undefined = path; next !== undefined; ) {
		const page: Awaited<ReturnType<typeof list>> = await list(next);
		rows.push(...page.rows);
		const url: string | undefined = /<([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
		if (url !== undefined) expect(url.startsWith(`${sandbox.baseUrl}/support-api/v1/`)).toBe(true);
		next = url?.slice(`${sandbox.baseUrl}/support-api/v1`.length);
	}
	return rows;
}

test("tickets are the caller's own unless the query says whose, ten a page, the newest first", async () => {
	const own = [...sandbox.store.tickets.values()].filter((each) => each.author === 1).map((each) => each.id);
	const { rows, headers } = await list('/tickets');
	expect(rows.map((each) => each.id)).toEqual(own.reverse().slice(0, 10));
	expect(own.length).toBeGreaterThan(20);
	expect(headers.get('x-wp-total')).toBe(String(own.length));
	expect(headers.get('x-wp-totalpages')).toBe(String(Math.ceil(own.length / 10)));
	const all = await list('/tickets?author=0');
	expect(all.headers.get('x-wp-total')).toBe('230');
	const of7 = await list('/tickets?author=7&per_page=100');
	expect(new Set(of7.rows.map((each) => each.author))).toEqual(new Set([7]));
});

test('following the links gives every ticket once', async () => {
	const rows = await follow('/tickets?author=0&per_page=100&order=asc');
	expect(rows.map((each) => each.id)).toEqual(Array.from({ length: 230 }, (_, index) => index + 1));
});

test('links keep the query and the address that the caller used', async () => {
	const { port } = sandbox;
	const response = await fetch(`http://localhost:${port}/wp-json/support-api/v1/tickets?author=0&page=2`, {
		headers: { authorization: sandbox.authorization },
	});
	const link = response.headers.get('link') ?? '';
	expect(link).toContain(`<http://localhost:${port}/wp-json/support-api/v1/tickets?author=0&page=3>; rel="next"`);
	expect(link).toContain(`<http://localhost:${port}/wp-json/support-api/v1/tickets?author=0&page=1>; rel="prev"`);
});

test('conditions narrow the list', async () => {
	await sandbox.call('POST', '/tickets/14', {
		status: 'shop-failed',
		assignee: 3,
		product: 'lumen-lamp',
		state: 'closed',
	});
	const ids = async (query: string) =>
		(await list(`/tickets?author=0&per_page=100&${query}`)).rows.map((each) => each.id);
	expect(await ids('status=shop-failed')).toEqual([14]);
	for (const query of ['assignee=3', 'product=lumen-lamp', 'state=closed']) expect(await ids(query)).toContain(14);
	expect(await ids('assignee=4')).not.toContain(14);
	expect(await ids('product=no-such')).toEqual([]);
	await sandbox.call('DELETE', '/tickets/14');
	expect(await ids('order=asc')).not.toContain(14);
	expect(await ids('status=trash')).toEqual([14]);
});

test('a list shows changes made since it was asked for last', async () => {
	const before = await list('/tickets?author=0&status=shop-failed');
	await sandbox.call('POST', '/tickets/14', { status: 'shop-failed' });
	const after = await list('/tickets?author=0&status=shop-failed');
	expect([before.rows.length, after.rows.length]).toEqual([0, 1]);
});

test.each([
	['/tickets?per_page=101', 'per_page'],
	['/tickets?per_page=0', 'per_page'],
	['/tickets?per_page=x', 'per_page'],
	['/tickets?page=0', 'page'],
	['/users?page=-1', 'page'],
	['/tickets?author=me', 'author'],
	['/tickets?order=sideways', 'order'],
])('%s is refused with a reason', async (path, name) => {
	const { status, body } = await sandbox.call('GET', path);
	expect(status).toBe(400);
	expect(body).toMatchObject({
		code: 'rest_invalid_param',
		data: { params: { [name]: expect.stringContaining(name) } },
	});
});

test('a page past the last is an error for posts, and empty for users and terms', async () => {
	expect(await sandbox.call('GET', '/tickets?page=999')).toMatchObject({
		status: 400,
		body: { code: 'rest_post_invalid_page_number' },
	});
	expect(await sandbox.call('GET', '/users?page=999')).toMatchObject({ status: 200, body: [] });
	expect(await sandbox.call('GET', '/product?page=999')).toMatchObject({ status: 200, body: [] });
});

test('an empty list is one empty page', async () => {
	const { rows, headers } = await list('/tickets?status=shop-failed');
	expect([rows, headers.get('x-wp-total'), headers.get('x-wp-totalpages'), headers.get('link')]).toEqual([
		[],
		'0',
		'0',
		null,
	]);
});

test('users, terms, attachments, replies and application passwords have lists', async () => {
	expect((await follow('/users?per_page=30')).length).toBe(sandbox.store.users.size);
	expect((await list('/users?roles=administrator')).rows.map((each) => each.id)).toEqual([1]);
	for (const taxonomy of ['ticket-tag', 'product', 'department', 'ticket_priority', 'ticket_channel']) {
		const { rows } = await list(`/${taxonomy}?per_page=100`);
		expect(rows.length).toBeGreaterThan(3);
		expect(new Set(rows.map((each) => each.taxonomy))).toEqual(new Set([taxonomy]));
	}
	expect((await follow('/attachments?per_page=20')).length).toBe(sandbox.store.attachments.size);
	const replies = sandbox.store.repliesOf(14).map((each) => each.id);
	expect((await list('/tickets/14/replies')).rows.map((each) => each.id)).toEqual(replies);
	const { rows } = await list('/users/1/passwords');
	expect(rows.map((each) => each.slug)).toEqual(['laptop', 'ci-runner', 'sandbox']);
	expect(JSON.stringify(rows)).not.toContain('$desk$');
});
