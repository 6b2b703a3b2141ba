/** Lists and reads as the live service has them: filters, pages, links and contexts (service notes, "Reading"). */

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { taxonomies } from '../../src/api/fields.js';
import { type filterKinds, type Read, reads } from '../../src/api/reads.js';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';

let sandbox: TestSandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ seed: 230 });
});
afterAll(() => sandbox.stop());

type Row = { id: number } & Record<string, unknown>;
const ALL = 'assignee=0&author=0&state=any&per_page=100';

async function list(path: string): Promise<{ rows: Row[]; ids: number[]; headers: Headers }> {
	const { status, body, headers } = await sandbox.call('GET', path);
	expect(status, JSON.stringify(body)).toBe(200);
	return { rows: body as Row[], ids: (body as Row[]).map((each) => each.id), headers };
}

const tickets = () => [...sandbox.store.tickets.values()];

test('a list has ten objects a page', async () => {
	const { ids, headers } = await list('/tickets');
	expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
	expect([headers.get('x-wp-total'), headers.get('x-wp-totalpages')]).toEqual(['230', '23']);
});

test('pages by number give every object once', async () => {
	const ids: number[] = [];
	for (const page of [1, 2, 3]) ids.push(...(await list(`/tickets?${ALL}&orderby=id&order=asc&page=${page}`)).ids);
	expect(ids).toEqual(Array.from({ length: 230 }, (_, index) => index + 1));
});

test('a base URL with ?rest_route= serves writes and reads', async () => {
	const url = `http://127.0.0.1:${sandbox.port}/?rest_route=/support-api/v1/tickets/14`;
	const headers = { authorization: sandbox.authorization, 'content-type': 'application/json' };
	const written = await fetch(url, { method: 'POST', headers, body: '{"title":"By query"}' });
	expect(await written.json()).toMatchObject({ title: { raw: 'By query' } });
	expect(await (await fetch(`${url}&context=edit`, { headers })).json()).toMatchObject({
		title: { raw: 'By query' },
	});
	expect((await fetch(`${url}/nothing`, { headers })).status).toBe(404);
});

/** What no object has. A kind of filter that is not here does not compile. */
const nothing: Readonly<Record<keyof typeof filterKinds, (parameter: string) => string>> = {
	text: () => 'no such text',
	// Some objects are closed, and some are not.
	state: () => 'closed',
	status: () => 'private',
	user: () => '999999',
	term: () => '999999',
	id: () => '999999',
	role: () => 'no-such-role',
	date: (parameter) => (parameter === 'before' ? '1900-01-01T00:00:00' : '2999-01-01T00:00:00'),
};

const filtered = Object.values(reads).flatMap((read: Read) => {
	const sent = read.filters.filter(({ compares }) => compares === undefined);
	return sent.map(({ parameter, kind, asks = parameter }) => [asks, kind, read.list.path, read.query] as const);
});

test.each(filtered)('%s, a filter by %s, narrows the list %s', async (parameter, kind, path, query) => {
	const place = path.replace('<taxonomy>', 'product').replace('<ticket_id>', '14');
	const ask = (more: Readonly<Record<string, string>>) =>
		sandbox.call('GET', `${place}?${new URLSearchParams({ ...query, per_page: '100', ...more })}`);
	const [all, some] = [await ask({}), await ask({ [parameter]: nothing[kind](parameter) })];
	expect(all.status, JSON.stringify(all.body)).toBe(200);
	expect(some.status, JSON.stringify(some.body)).toBe(200);
	expect(Number(all.headers.get('x-wp-total'))).toBeGreaterThan(0);
	expect(Number(some.headers.get('x-wp-total'))).toBeLessThan(Number(all.headers.get('x-wp-total')));
});

const shown = Object.values(reads).map((read: Read) => [read.list.path, read] as const);

test.each(shown)(
	'the sandbox shows every column of the table of %s',
	async (path, { shown: columns, query, owners }) => {
		const place = path.replace('<taxonomy>', 'product').replace('<ticket_id>', '14').replace('<user_id>', '1');
		// Passwords come by their slugs.
		const { body } = await sandbox.call('GET', `${place}?${new URLSearchParams(query)}`);
		const names = new Set(Object.values(body as object).flatMap((each) => Object.keys(each as object)));
		// They are known from the path.
		expect(columns.filter((name) => !owners.includes(name) && !names.has(name))).toEqual([]);
	},
);

test('each filter narrows the list', async () => {
	const product = [...sandbox.store.terms.values()].find((each) => each.slug === 'lumen-lamp')?.id;
	const sent = {
		status: 'shop-failed',
		assignee: 3,
		author: 8,
		product: 'lumen-lamp',
		state: 'closed',
		'ticket-tag': [4],
	};
	await sandbox.call('POST', '/tickets/14', { ...sent, title: 'Unlike any other', date: '2030-01-01T00:00:00' });
	const query = async (text: string) => (await list(`/tickets?assignee=0&state=any&per_page=100&${text}`)).ids;
	for (const text of [
		'status=shop-failed',
		'status=shop-failed,shop-active',
		'after=2029-12-31T00:00:00',
		'search=unlike',
		'include=14',
		'author=8&status=shop-failed',
		'state=closed&search=unlike',
	]) {
		expect(await query(text), text).toEqual([14]);
	}
	for (const text of ['assignee=3', 'author=8', `product=${product}`, 'ticket-tag=4']) {
		const ids = await query(text);
		expect(ids, text).toContain(14);
		expect(ids.length, text).toBeLessThan(100);
	}
	for (const text of ['assignee=4', 'before=2029-12-31T00:00:00', 'state=open', 'product=9999']) {
		expect(await query(text), text).not.toContain(14);
	}
	await sandbox.call('DELETE', '/tickets/14');
	expect(await query('status=any&search=unlike')).toEqual([]);
	expect(await query('status=trash')).toEqual([]);
	expect(await query('include=14')).toEqual([]);
});

test('a list is in the order that is asked for', async () => {
	const ids = async (text: string) => (await list(`/tickets?${ALL}&per_page=5&${text}`)).ids;
	expect(await ids('orderby=id&order=asc')).toEqual([1, 2, 3, 4, 5]);
	await sandbox.call('POST', '/tickets/77', { title: 'Changed last' });
	expect((await ids('orderby=modified&order=desc'))[0]).toBe(77);
	const names = (await list('/users?per_page=100&orderby=name')).rows.map((each) => each.name as string);
	expect(names).toEqual([...names].sort());
});

test.each([
	['/tickets?per_page=x', 'per_page'],
	['/tickets?author=me', 'author'],
	['/tickets?after=soon', 'after'],
	['/tickets?product=lumen-lamp', 'product'],
	['/tickets?ticket-tag=refund', 'ticket-tag'],
])('%s is refused with a reason', async (path, name) => {
	const { status, body } = await sandbox.call('GET', path);
	expect(status).toBe(400);
	expect(body).toMatchObject({ code: 'rest_invalid_param', data: { params: { [name]: expect.any(String) } } });
});

test('a page past the last is an error; an empty list is one empty page', async () => {
	for (const path of ['/tickets', '/attachments', '/tickets/14/replies', '/users', '/product']) {
		expect(await sandbox.call('GET', `${path}?page=999`)).toMatchObject({
			status: 400,
			body: { code: 'rest_post_invalid_page_number' },
		});
	}
	const { rows, headers } = await list('/tickets?search=nothing-has-this');
	expect([rows, headers.get('x-wp-total'), headers.get('x-wp-totalpages')]).toEqual([[], '0', '0']);
});

test('users, terms, attachments, replies and application passwords have lists and single reads', async () => {
	expect((await list('/users?roles=administrator')).ids).toEqual([1]);
	for (const taxonomy of taxonomies) {
		const { rows, ids } = await list(`/${taxonomy}?per_page=100`);
		expect(rows.length).toBeGreaterThan(3);
		expect(new Set(rows.map((each) => each.taxonomy))).toEqual(new Set([taxonomy]));
		expect((await sandbox.call('GET', `/${taxonomy}/${ids[0]}`)).body).toEqual(rows[0]);
	}
	expect((await list('/attachments?per_page=100')).headers.get('x-wp-total')).toBe(
		String(sandbox.store.attachments.size),
	);
	const talked = tickets().find((each) => each['total-reply-count'] > 1)?.id ?? 0;
	const replies = sandbox.store.repliesOf(talked).map((each) => each.id);
	expect((await list(`/tickets/${talked}/replies`)).ids).toEqual(replies);
	const { body: passwords } = await sandbox.call('GET', '/users/1/passwords');
	const slugs = sandbox.store.users.get(1)?.passwords.map((each) => each.slug) ?? [];
	expect(Object.entries(passwords as object).map(([key, { slug, name }]) => [key, slug, name])).toEqual([
		[slugs[0], slugs[0], 'Laptop'],
		[slugs[1], slugs[1], 'CI runner'],
		[slugs[2], slugs[2], 'Sandbox'],
	]);
	expect(JSON.stringify(passwords)).not.toContain('"password"');
	const customer = [...sandbox.store.users.values()].find((each) => each.passwords.length === 0)?.id;
	expect((await sandbox.call('GET', `/users/${customer}/passwords`)).body).toEqual([]);
	expect((await sandbox.call('GET', '/users/me')).body).toMatchObject({ id: 1, name: 'Desk Administrator' });
});

test('users are found by their slug or a part of their name', async () => {
	const user = sandbox.store.users.get(4);
	expect((await list(`/users?slug=${user?.slug}`)).ids).toEqual([4]);
	expect((await list(`/users?search=${user?.username}`)).ids).toContain(4);
});

test('include gives up to a hundred objects of every list, with the values of single reads', async () => {
	for (const path of ['/tickets', '/users', '/attachments', '/department', '/tickets/14/replies']) {
		const all = `${path}?context=edit&per_page=100&assignee=0&author=0&state=any`;
		const known = (await list(all)).ids.slice(0, 5);
		const { rows, ids } = await list(`${all}&include=${known}`);
		expect(ids).toEqual(known);
		for (const row of rows) expect((await sandbox.call('GET', `${path}/${row.id}?context=edit`)).body).toEqual(row);
	}
});

test('texts are shown raw and rendered', async () => {
	await sandbox.call('POST', '/tickets/20', { title: 'Fish & Chips' });
	expect((await sandbox.call('GET', '/tickets/20')).body).toMatchObject({
		title: { raw: 'Fish & Chips', rendered: 'Fish &amp; Chips' },
	});
});

test('the root of the API needs no credentials and shows its namespace', async () => {
	const { status, body } = await sandbox.call('GET', '', undefined, '');
	expect([status, body]).toEqual([200, { namespace: 'support-api/v1' }]);
});

test('with documentedOnly the documented endpoints are served, and no reads', async () => {
	const documented = await startSandbox({ documentedOnly: true });
	onTestFinished(() => documented.stop());
	for (const path of [
		'/tickets',
		'/tickets/14',
		'/users',
		'/users/me',
		'/users/1/passwords',
		'/attachments',
		'/product',
		'/tickets/14/replies',
	]) {
		expect(await documented.call('GET', path), path).toMatchObject({ status: 404, body: { code: 'rest_no_route' } });
	}
	expect((await documented.call('POST', '/product/11', { name: 'x' })).status).toBe(404);
	expect((await documented.call('POST', '/tickets/14', { status: 'hold' })).status).toBe(200);
	expect((await documented.call('GET', '/tickets/14/custom-fields')).status).toBe(200);
});

test('terms of one ticket are listed by its ID, also where its slugs do not tell', async () => {
	const sandbox = await startSandbox({ seed: 20 });
	const hidden = [...sandbox.store.terms.values()].find(({ slug }) => slug.startsWith('%')) as { id: number };
	Object.assign(sandbox.store.tickets.get(14) ?? {}, { department: hidden.id, 'ticket-tag': [] });
	const list = async (path: string) => ((await sandbox.call('GET', path)).body as { id: number }[]).map(({ id }) => id);
	expect(await list('/department?post=14')).toEqual([hidden.id]);
	expect(await list('/ticket-tag?post=14')).toEqual([]);
	expect(await list('/department?post=99999')).toEqual([]);
	expect((await list('/department')).length).toBeGreaterThan(1);
});
