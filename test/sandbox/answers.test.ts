/** The sandbox answers as the live service did: shapes, codes and reasons (service notes). */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { endpointList } from '../../src/api/endpoints.js';
import { customFields } from '../../src/sandbox/words.js';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';

let sandbox: TestSandbox;

beforeEach(async () => {
	sandbox = await startSandbox();
});
afterEach(() => sandbox.stop());

/** The status and the service's code of a refusal. */
async function refusal(method: string, path: string, body?: unknown): Promise<[number, unknown]> {
	const answer = await sandbox.call(method, path, body);
	return [answer.status, (answer.body as { code?: unknown }).code];
}

async function answered(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
	const answer = await sandbox.call(method, path, body);
	expect(answer.status, JSON.stringify(answer.body)).toBe(200);
	return answer.body as Record<string, unknown>;
}

const keys = (text: string): string[] => text.split(' ');
const replyOf = (ticketId: number): number => sandbox.store.repliesOf(ticketId)[0]?.id ?? Number.NaN;
const termId = (taxonomy: string, slug: string): number =>
	[...sandbox.store.terms.values()].find((each) => each.taxonomy === taxonomy && each.slug === slug)?.id ?? Number.NaN;

test('every row of the endpoint table has a route', async () => {
	for (const { method, path } of endpointList) {
		const target = path.replace('<slug>', 'none').replace(/<[a-z_]+>/g, '999999');
		const [, code] = await refusal(method, target, method === 'POST' ? {} : undefined);
		expect(code, `${method} ${path}`).not.toBe('rest_no_route');
	}
});

test('a ticket is updated and answered in full, with texts as raw and rendered', async () => {
	const body = await answered('POST', '/tickets/14', {
		status: 'hold',
		title: 'a < b',
		product: 'pocket-reader',
		'ticket-tag': [1, '2'],
		assignee: '4',
		'time-calculated': 60,
		'time-adjustments': 10,
		'time-adjustments-type': '-',
	});
	expect(body).toMatchObject({
		id: 14,
		status: 'hold',
		title: { raw: 'a < b', rendered: 'a &lt; b' },
		product: 'pocket-reader',
		'ticket-tag': [1, 2],
		assignee: 4,
		'time-adjustments-type': '-',
		'time-final': 50,
	});
	expect(Object.keys(body)).toEqual(
		keys(
			'id date date_gmt modified modified_gmt slug status type link title content author ticket-tag product department ' +
				'ticket_priority ticket_channel state assignee secondary-assignee tertiary-assignee customer-reply-count ' +
				'agent-reply-count total-reply-count time-calculated time-adjustments time-final time-adjustments-type time-notes _links',
		),
	);
	expect(Object.keys(body.content as object)).toEqual(['raw', 'rendered', 'protected']);
	expect(sandbox.store.tickets.get(14)).toMatchObject({ status: 'hold', title: 'a < b' });
});

test('every field of a ticket is stored as it was sent', async () => {
	const sent = {
		date: '2026-01-02T03:04:05',
		slug: 'a-new-slug',
		status: 'shop-on-hold',
		title: 'New title',
		content: 'New content',
		'ticket-tag': [3, 1],
		product: 'lumen-lamp',
		department: 'sales',
		ticket_priority: 'low',
		ticket_channel: 'chat',
		state: 'closed',
		author: 7,
		assignee: 2,
		'secondary-assignee': 3,
		'tertiary-assignee': 4,
		'customer-reply-count': 11,
		'agent-reply-count': 12,
		'total-reply-count': 23,
		'time-calculated': 30,
		'time-adjustments': 5,
		'time-adjustments-type': '+',
		'time-notes': 'Two calls',
	};
	const body = await answered('POST', '/tickets/14', sent);
	const { title, content, ...plain } = sent;
	expect(body).toMatchObject({ ...plain, title: { raw: title }, content: { raw: content }, 'time-final': 35 });
	expect(await answered('GET', '/tickets/14')).toEqual(body);
});

test('values that are not allowed are refused with a reason for each field, and nothing is changed', async () => {
	const before = structuredClone(sandbox.store.tickets.get(14));
	const { status, body } = await sandbox.call('POST', '/tickets/14', {
		status: 'hodl',
		author: 'x',
		date: '2026-02-30',
		product: 3,
		'ticket-tag': ['refund'],
		title: 'new',
	});
	expect(status).toBe(400);
	expect(body).toMatchObject({
		code: 'rest_invalid_param',
		message: 'Invalid parameter(s): status, author, date, product, ticket-tag',
		data: {
			status: 400,
			params: {
				status: expect.stringContaining('status is not one of publish, future,'),
				author: 'author is not of type integer.',
				date: 'Invalid date.',
				product: 'product is not of type string.',
				'ticket-tag': 'ticket-tag[0] is not of type integer.',
			},
			details: { author: { code: 'rest_invalid_type' } },
		},
	});
	expect(sandbox.store.tickets.get(14)).toEqual(before);
});

test('unknown fields, an unknown state and unknown terms are ignored without a word', async () => {
	const before = await answered('GET', '/tickets/14');
	const after = await answered('POST', '/tickets/14', {
		nonsense: 1,
		state: 'ajar',
		product: 'no-such-product',
		department: 'lumen-lamp',
		assignee: 99_999,
	});
	expect({ ...after, modified: 0, modified_gmt: 0 }).toEqual({ ...before, modified: 0, modified_gmt: 0 });
});

test('a term may be given by slug or by its id in a string, and taken away with the empty string', async () => {
	const id = termId('product', 'lumen-lamp');
	expect(await answered('POST', '/tickets/14', { product: String(id) })).toMatchObject({ product: 'lumen-lamp' });
	expect(await answered('POST', '/tickets/14', { product: '' })).toMatchObject({ product: '' });
});

test.each([
	['+', '+'],
	['-', '-'],
	['positive', '-'],
	['negative', '-'],
])('time-adjustments-type %s is stored as %s: anything but + counts as negative', async (sent, stored) => {
	expect(await answered('POST', '/tickets/14', { 'time-adjustments-type': sent })).toMatchObject({
		'time-adjustments-type': stored,
	});
});

test.each([
	['2026-03-31', '2026-03-31T00:00:00'],
	['2026-03-31T09:00', '2026-03-31T09:00:00'],
	['2026-03-31T09:00:00+02:00', '2026-03-31T07:00:00'],
	['2026-03-31 09:00:00Z', '2026-03-31T09:00:00'],
	['2026-03-31T09:00:00,5Z', '2026-03-31T09:00:00'],
])('the date %s is stored in GMT', async (sent, stored) => {
	expect(await answered('POST', '/tickets/14', { date: sent })).toMatchObject({ date: stored, date_gmt: stored });
	expect(await answered('POST', '/tickets/15', { date_gmt: sent })).toMatchObject({ date: stored, date_gmt: stored });
});

test('an id in the body beats the one in the path', async () => {
	const before = structuredClone(sandbox.store.tickets.get(14));
	expect(await answered('POST', '/tickets/14', { id: 15, status: 'hold' })).toMatchObject({ id: 15, status: 'hold' });
	expect(sandbox.store.tickets.get(14)).toEqual(before);
	expect(await answered('POST', '/users/2', { id: '3', nickname: 'Nick' })).toMatchObject({ id: 3, nickname: 'Nick' });
	expect(await refusal('POST', '/tickets/14', { id: 'x' })).toEqual([400, 'rest_invalid_param']);
});

test('a slug that another ticket has gets a number', async () => {
	await answered('POST', '/tickets/14', { slug: 'Same Slug!' });
	expect(await answered('POST', '/tickets/15', { slug: 'same-slug' })).toMatchObject({ slug: 'same-slug-2' });
	expect(await answered('POST', '/tickets/14', { slug: 'same-slug' })).toMatchObject({ slug: 'same-slug' });
	await answered('POST', '/tickets/14', { slug: 'other' });
	expect(await answered('POST', '/tickets/16', { slug: 'same-slug' })).toMatchObject({ slug: 'same-slug' });
});

test('a ticket goes to the trash, once, and then for good', async () => {
	expect(await answered('DELETE', '/tickets/14')).toMatchObject({ id: 14, status: 'trash' });
	expect(await refusal('DELETE', '/tickets/14')).toEqual([410, 'rest_already_trashed']);
	expect(await answered('DELETE', '/tickets/14?force=true')).toMatchObject({
		deleted: true,
		previous: { id: 14, status: 'trash' },
	});
	expect(await refusal('DELETE', '/tickets/14?force=true')).toEqual([404, 'rest_post_invalid_id']);
	expect(await refusal('POST', '/tickets/14', { status: 'hold' })).toEqual([404, 'rest_post_invalid_id']);
	expect(await refusal('GET', '/tickets/14/replies')).toEqual([404, 'rest_post_invalid_id']);
});

test('attachments of a ticket that is deleted for good stay, on their own', async () => {
	const attachment = [...sandbox.store.attachments.values()][0];
	await answered('DELETE', `/tickets/${attachment?.post}`);
	expect(await answered('GET', `/attachments/${attachment?.id}`)).toMatchObject({ post: attachment?.post });
	await answered('DELETE', `/tickets/${attachment?.post}?force=true`);
	expect(await answered('GET', `/attachments/${attachment?.id}`)).toMatchObject({ post: 0 });
});

test('force=false is the trash, and force=maybe is refused', async () => {
	expect(await answered('DELETE', '/tickets/14?force=false')).toMatchObject({ status: 'trash' });
	expect(await refusal('DELETE', '/tickets/15?force=maybe')).toEqual([400, 'rest_invalid_param']);
});

test('a reply is updated, trashed and deleted, only under its own ticket', async () => {
	const id = replyOf(14);
	const body = await answered('POST', `/tickets/14/replies/${id}`, { status: 'unread', content: 'New', author: 2 });
	expect(body).toMatchObject({ id, status: 'unread', content: { raw: 'New' }, author: 2, parent: 14 });
	expect(Object.keys(body)).toEqual(
		keys('id date date_gmt modified modified_gmt slug status type title content author parent _links'),
	);
	expect(await answered('GET', `/tickets/14/replies/${id}`)).toEqual(body);
	expect(await refusal('POST', `/tickets/15/replies/${id}`, { content: 'x' })).toEqual([404, 'rest_post_invalid_id']);
	expect(await refusal('POST', `/tickets/14/replies/${id}`, { status: 'hold' })).toEqual([400, 'rest_invalid_param']);
	expect(await answered('DELETE', `/tickets/14/replies/${id}`)).toMatchObject({ id, status: 'trash' });
	expect(await refusal('DELETE', `/tickets/14/replies/${id}`)).toEqual([410, 'rest_already_trashed']);
	expect(await answered('DELETE', `/tickets/14/replies/${id}?force=1`)).toMatchObject({
		deleted: true,
		previous: { id },
	});
	expect(await refusal('GET', `/tickets/14/replies/${id}`)).toEqual([404, 'rest_post_invalid_id']);
});

test('an update of one meta field keeps the others', async () => {
	await answered('POST', '/users/3', { meta: { phone: '123' } });
	expect(await answered('POST', '/users/3', { meta: { floor: '4' } })).toMatchObject({
		meta: { phone: '123', floor: '4' },
	});
});

test('a user is updated and answered without a password', async () => {
	const body = await answered('POST', '/users/3', {
		name: 'New Name',
		email: 'new@desk.example',
		roles: ['supervisor'],
		password: 'new secret',
		meta: { phone: '123', __proto__: 'x' },
		locale: 'fr_FR',
		support_can_be_assigned: 'false',
		support_smart_tickets_order: true,
		support_after_reply: 'back',
	});
	expect(body).toMatchObject({
		id: 3,
		name: 'New Name',
		email: 'new@desk.example',
		roles: ['supervisor'],
		meta: { phone: '123' },
		locale: 'fr_FR',
		support_can_be_assigned: false,
		support_smart_tickets_order: true,
		support_after_reply: 'back',
	});
	expect(Object.keys(body)).toEqual(
		keys(
			'id username name first_name last_name email url description link locale nickname slug roles registered_date ' +
				'capabilities extra_capabilities avatar_urls meta support_can_be_assigned support_smart_tickets_order ' +
				'support_after_reply _links',
		),
	);
});

test.each([
	[{ username: 'other' }, 'rest_user_invalid_argument'],
	[{ email: 'admin@desk.example' }, 'rest_user_invalid_email'],
	[{ email: 'nobody' }, 'rest_invalid_param'],
	[{ roles: ['king'] }, 'rest_user_invalid_role'],
	[{ locale: 'xx_XX' }, 'rest_invalid_param'],
	[{ support_after_reply: 'leave' }, 'rest_invalid_param'],
	[{ support_can_be_assigned: 'perhaps' }, 'rest_invalid_param'],
	[{ password: '' }, 'rest_invalid_param'],
	[{ slug: 'admin' }, 'rest_user_invalid_slug'],
	[{ meta: { deep: { er: 1 } } }, 'rest_invalid_param'],
])('a user is not updated with %j', async (body, code) => {
	expect(await refusal('POST', '/users/3', body)).toEqual([400, code]);
});

test('credentials are checked against the account password and application passwords', async () => {
	const { username, password } = sandbox;
	const agent = sandbox.store.users.get(3)?.username ?? '';
	expect(await answered('POST', '/users/check', { username, password })).toEqual({ id: 1 });
	expect(await answered('POST', '/users/check', { username: agent, password: `desk-${agent}` })).toEqual({ id: 3 });
	const wrong = { username: agent, password: 'wrong' };
	expect(await refusal('POST', '/users/check', wrong)).toEqual([400, 'invalid_user_credentials']);
	expect(await refusal('POST', '/users/check', { username: 'nobody', password: 'x' })).toEqual([
		400,
		'invalid_username',
	]);
	const missing = await sandbox.call('POST', '/users/check', { username });
	expect(missing).toMatchObject({
		status: 400,
		body: { code: 'rest_missing_callback_param', data: { params: ['password'] } },
	});
});

test('a changed account password counts from then on', async () => {
	const username = sandbox.store.users.get(3)?.username ?? '';
	await answered('POST', '/users/3', { password: 'brand new' });
	expect(await answered('POST', '/users/check', { username, password: 'brand new' })).toEqual({ id: 3 });
	const old = { username, password: `desk-${username}` };
	expect(await refusal('POST', '/users/check', old)).toEqual([400, 'invalid_user_credentials']);
});

test('a user name is looked up', async () => {
	expect(await answered('POST', '/users/username', { username: 'admin' })).toEqual({ id: 1 });
	expect(await refusal('POST', '/users/username', { username: 'nobody' })).toEqual([400, 'invalid_username']);
	expect(await refusal('POST', '/users/username', {})).toEqual([400, 'rest_missing_callback_param']);
});

test('a deleted user leaves tickets, replies, attachments and assignments to the receiver', async () => {
	const { store } = sandbox;
	const author = [...store.tickets.values()].find((each) => each.author > 5)?.author ?? 0;
	await answered('POST', '/tickets/3', { author, assignee: 3 });
	const attachment = [...store.attachments.values()][0];
	await answered('POST', `/attachments/${attachment?.id}`, { author: 3 });
	const authoredBy = (id: number): number[] => [
		...[...store.tickets.values()].filter((each) => each.author === id).map((each) => each.id),
		...[...store.attachments.values()].filter((each) => each.author === id).map((each) => each.id),
		...[...store.tickets.values()].flatMap((each) =>
			store
				.repliesOf(each.id)
				.filter((reply) => reply.author === id)
				.map((reply) => reply.id),
		),
	];
	const assignedTo = (id: number): number[] =>
		[...store.tickets.values()].filter((each) => each.assignee === id).map((each) => each.id);
	const expected = {
		posts: [...authoredBy(2), ...authoredBy(3)].sort(),
		assigned: [...assignedTo(2), ...assignedTo(3)].sort(),
	};
	expect(authoredBy(3).length).toBeGreaterThan(3);
	const body = await answered('DELETE', '/users/3?force=true&reassign=2');
	expect(body).toMatchObject({ deleted: true, previous: { id: 3 } });
	expect(authoredBy(3)).toEqual([]);
	expect(authoredBy(2).sort()).toEqual(expected.posts);
	expect(assignedTo(2).sort()).toEqual(expected.assigned);
	expect(await refusal('DELETE', '/users/3?force=true&reassign=2')).toEqual([404, 'rest_user_invalid_id']);
});

test('what went to a user who is deleted later goes on to the next', async () => {
	const { store } = sandbox;
	const reply = [...store.tickets.values()]
		.flatMap((each) => store.repliesOf(each.id))
		.find((each) => each.author === 3);
	await answered('DELETE', '/users/3?force=true&reassign=4');
	await answered('DELETE', '/users/4?force=true&reassign=2');
	expect(await answered('GET', `/tickets/${reply?.ticket}/replies/${reply?.id}`)).toMatchObject({ author: 2 });
});

test.each([
	['/users/3', 400, 'rest_missing_callback_param'],
	['/users/3?force=true', 400, 'rest_missing_callback_param'],
	['/users/3?reassign=2', 501, 'rest_trash_not_supported'],
	['/users/3?force=true&reassign=3', 400, 'rest_user_invalid_reassign'],
	['/users/3?force=true&reassign=99999', 400, 'rest_user_invalid_reassign'],
	['/users/3?force=true&reassign=x', 400, 'rest_user_invalid_reassign'],
	['/users/99999?force=true&reassign=2', 404, 'rest_user_invalid_id'],
	['/users/1?force=true&reassign=2', 403, 'rest_user_cannot_delete'],
	[`/product/99999?force=true`, 404, 'rest_term_invalid'],
	[`/ticket_priority/99999?force=true`, 404, 'rest_term_invalid'],
	['/users/3/passwords/none', 404, 'rest_password_not_found'],
])('DELETE %s is refused with %i %s', async (path, status, code) => {
	expect(await refusal('DELETE', path)).toEqual([status, code]);
});

test('a term is only deleted with force, and then leaves every ticket', async () => {
	for (const [taxonomy, slug] of [
		['product', 'lumen-lamp'],
		['ticket_priority', 'high'],
	] as const) {
		const id = termId(taxonomy, slug);
		await answered('POST', '/tickets/14', { [taxonomy]: slug });
		expect(await refusal('DELETE', `/${taxonomy}/${id}`)).toEqual([501, 'rest_trash_not_supported']);
		expect(await answered('DELETE', `/${taxonomy}/${id}?force=true`)).toMatchObject({
			deleted: true,
			previous: { slug },
		});
		expect(await answered('GET', '/tickets/14')).toMatchObject({ [taxonomy]: '' });
		expect(await refusal('DELETE', `/${taxonomy}/${id}?force=true`)).toEqual([404, 'rest_term_invalid']);
	}
	await answered('DELETE', `/ticket-tag/1?force=true`);
	expect([...sandbox.store.tickets.values()].some((each) => each['ticket-tag'].includes(1))).toBe(false);
});

test('a term is updated; its tickets show the new slug', async () => {
	const id = termId('ticket_priority', 'high');
	await answered('POST', '/tickets/14', { ticket_priority: 'high' });
	const body = await answered('POST', `/ticket_priority/${id}`, {
		name: 'Very high',
		slug: 'very-high',
		description: 'At once',
		parent: termId('ticket_priority', 'normal'),
		meta: { order: '1' },
	});
	expect(body).toMatchObject({
		id,
		name: 'Very high',
		slug: 'very-high',
		taxonomy: 'ticket_priority',
		meta: { order: '1' },
	});
	expect(Object.keys(body)).toEqual(keys('id count description link name slug taxonomy parent meta color _links'));
	expect(await answered('GET', '/tickets/14')).toMatchObject({ ticket_priority: 'very-high' });
	expect(await refusal('POST', `/ticket_priority/${id}`, { slug: 'low' })).toEqual([400, 'duplicate_term_slug']);
	expect(await refusal('POST', `/ticket_priority/${id}`, { parent: id })).toEqual([400, 'rest_term_invalid']);
	expect(await refusal('POST', '/ticket_priority/1', { name: 'x' })).toEqual([404, 'rest_term_invalid']);
});

test('the children of a deleted term go to its parent', async () => {
	const [top, middle, low] = ['low', 'normal', 'high'].map((slug) => termId('ticket_priority', slug));
	await answered('POST', `/ticket_priority/${middle}`, { parent: top });
	await answered('POST', `/ticket_priority/${low}`, { parent: middle });
	expect(await refusal('POST', `/ticket_priority/${top}`, { parent: low })).toEqual([400, 'rest_term_invalid']);
	await answered('DELETE', `/ticket_priority/${middle}?force=true`);
	expect(await answered('GET', `/ticket_priority/${low}`)).toMatchObject({ parent: top });
});

test('a term counts its tickets', async () => {
	const id = termId('product', 'lumen-lamp');
	const count = async (): Promise<unknown> => (await answered('GET', `/product/${id}`)).count;
	await answered('POST', '/tickets/14', { product: '' });
	const before = (await count()) as number;
	await answered('POST', '/tickets/14', { product: 'lumen-lamp' });
	expect(await count()).toBe(before + 1);
});

test('an attachment is updated and answered in full', async () => {
	const id = [...sandbox.store.attachments.values()][0]?.id;
	const sent = {
		date: '2026-01-02T03:04:05',
		slug: 'new-slug',
		status: 'private',
		author: 2,
		comment_status: 'open',
		ping_status: 'open',
		meta: { a: 'b' },
		template: 'wide.php',
		alt_text: 'A cracked display',
		post: 14,
	};
	const body = await answered('POST', `/attachments/${id}`, {
		...sent,
		title: 'Photo',
		caption: 'Seen from above',
		description: 'The whole story',
	});
	expect(body).toMatchObject({
		id,
		...sent,
		title: { raw: 'Photo' },
		caption: { raw: 'Seen from above' },
		description: { raw: 'The whole story' },
	});
	expect(await refusal('POST', `/attachments/${id}`, { comment_status: 'ajar' })).toEqual([400, 'rest_invalid_param']);
	expect(await refusal('POST', `/attachments/${id}`, { author: 99_999 })).toEqual([400, 'rest_invalid_author']);
	expect(await refusal('POST', '/attachments/14', { title: 'x' })).toEqual([404, 'rest_post_invalid_id']);
});

test('custom fields are answered with label, value and an HTML control', async () => {
	const body = await answered('GET', '/tickets/14/custom-fields');
	expect(Object.keys(body)).toEqual(customFields.map((each) => each.name));
	expect(body.order_number).toEqual({
		name: 'Order number',
		value: expect.stringMatching(/^A-\d{5}$/),
		markup: expect.stringMatching(/^<input type="text" name="order_number"/),
	});
});

test('custom fields are set with the answer null, and unknown names are ignored without a word', async () => {
	const { status, body } = await sandbox.call('POST', '/tickets/14/custom-fields', {
		custom_fields: { website: '"><script>', severity: 'major', nope: 'x', __proto__: 'y' },
	});
	expect([status, body]).toEqual([200, null]);
	const after = await answered('GET', '/tickets/14/custom-fields');
	expect(after.website).toMatchObject({
		value: '"><script>',
		markup: expect.stringContaining('value="&quot;&gt;&lt;script&gt;"'),
	});
	expect(after.severity).toMatchObject({ value: 'major' });
	expect(Object.keys(after)).not.toContain('nope');
});

test.each([
	[{}, 'rest_missing_callback_param'],
	[{ custom_fields: 'x' }, 'rest_invalid_param'],
	[{ custom_fields: { website: {} } }, 'rest_invalid_param'],
])('custom fields are not set with %j', async (body, code) => {
	expect(await refusal('POST', '/tickets/14/custom-fields', body)).toEqual([400, code]);
});

test('the list of routes is there without credentials', async () => {
	const response = await fetch(`${sandbox.baseUrl}/support-api/v1`);
	expect(response.status).toBe(200);
	const body = (await response.json()) as { namespace: string; routes: Record<string, { methods: string[] }> };
	expect(body.namespace).toBe('support-api/v1');
	expect(body.routes['/support-api/v1/tickets/(?P<id>[\\d]+)']?.methods.sort()).toEqual(['DELETE', 'GET', 'POST']);
	expect(body.routes['/support-api/v1/users/(?P<user_id>[\\d]+)/passwords/(?P<slug>[\\w-]+)']?.methods).toContain(
		'DELETE',
	);
});

test.each([
	['GET', '/nothing'],
	['PUT', '/tickets/14'],
	['POST', '/tickets'],
	['POST', '/tickets/abc'],
	['DELETE', '/tickets/14/custom-fields'],
	['GET', '/tickets/14/nothing'],
	['GET', '/tickets//14'],
	['GET', '/tickets/%zz'],
	['GET', '/tickets/14abc'],
	['DELETE', '/users/3/passwords/a.b'],
])('%s %s has no route', async (method, path) => {
	expect(await refusal(method, path)).toEqual([404, 'rest_no_route']);
});

test('outside the prefix stands a site that answers in HTML', async () => {
	const { origin } = new URL(sandbox.baseUrl);
	const look = async (url: string): Promise<[number, string | null]> => {
		const response = await fetch(url);
		await response.text();
		return [response.status, response.headers.get('content-type')];
	};
	expect(await look(`${origin}/`)).toEqual([200, 'text/html; charset=UTF-8']);
	expect(await look(`${origin}/support-api/v1/tickets/14`)).toEqual([404, 'text/html; charset=UTF-8']);
	expect(await look(`${origin}/wp-json/other/v1`)).toEqual([404, 'application/json; charset=UTF-8']);
	expect(await look(`${origin}/wp-json`)).toEqual([200, 'application/json; charset=UTF-8']);
});
