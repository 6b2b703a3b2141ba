/** The sandbox writes as the live service did: shapes, codes, reasons and what it changes of what was sent (service notes). */

import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { endpointList } from '../../src/api/endpoints.js';
import { customFields } from '../../src/sandbox/samples.js';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';

let sandbox: TestSandbox;

beforeEach(async () => {
	sandbox = await startSandbox();
});
afterEach(() => sandbox.stop());

/** The status and the service's code of a refusal. */
async function refusal(method: string, path: string, body?: unknown): Promise<[number, unknown]> {
	const response = await sandbox.call(method, path, body);
	return [response.status, (response.body as { code?: unknown } | null)?.code];
}

async function send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
	const response = await sandbox.call(method, path, body);
	expect(response.status, JSON.stringify(response.body)).toBe(200);
	return response.body as Record<string, unknown>;
}

const update = (path: string, body: unknown) => send('POST', path, body);
const read = (path: string) => send('GET', `${path}?context=edit`);
const keys = (text: string): string[] => text.split(' ').sort();
const replyOf = (ticketId: number): number => sandbox.store.repliesOf(ticketId)[0]?.id ?? Number.NaN;
const termId = (taxonomy: string, slug: string): number =>
	[...sandbox.store.terms.values()].find((each) => each.taxonomy === taxonomy && each.slug === slug)?.id ?? Number.NaN;

test('every row of the endpoint table has a route', async () => {
	for (const { method, path } of endpointList) {
		const target = path
			.replace('<slug>', 'none')
			.replace('<taxonomy>', 'product')
			.replace(/<[a-z_]+>/g, '999999');
		const [, code] = await refusal(method, target, method === 'POST' ? {} : undefined);
		expect(code, `${method} ${path}`).not.toBe('rest_no_route');
	}
});

test('every field of a ticket is stored as it was sent, and the response shows the whole ticket', async () => {
	const sent = {
		date: '2026-01-02T03:04:05',
		slug: 'a-new-slug',
		status: 'shop-on-hold',
		title: 'a < b & "c"',
		content: 'New content',
		'ticket-tag': [3, '1'],
		product: 'lumen-lamp',
		department: 'sales',
		ticket_priority: 'low',
		ticket_channel: 'chat',
		state: 'closed',
		author: 7,
		assignee: '2',
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
	const body = await update('/tickets/14', sent);
	const { title, content, ...plain } = sent;
	expect(body).toMatchObject({
		...plain,
		id: 14,
		'ticket-tag': [3, 1],
		assignee: 2,
		title: { raw: title, rendered: 'a &lt; b &amp; &quot;c&quot;' },
		content: { raw: content, rendered: content },
	});
	expect(Object.keys(body).sort()).toEqual(
		keys(
			'id date date_gmt modified modified_gmt slug status title content author ticket-tag product department ' +
				'ticket_priority ticket_channel state assignee secondary-assignee tertiary-assignee customer-reply-count ' +
				'agent-reply-count total-reply-count time-calculated time-adjustments time-final time-adjustments-type time-notes',
		),
	);
	expect(await read('/tickets/14')).toEqual(body);
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
		message: expect.stringMatching(/^Invalid parameter\(s\): .*\bauthor\b/),
		data: {
			status: 400,
			params: {
				status: expect.stringContaining('status is not one of publish, future,'),
				author: 'author is not of type integer.',
				date: 'date is not a date.',
				product: 'product is not of type string.',
				'ticket-tag': 'ticket-tag is not of type integer.',
			},
		},
	});
	expect(sandbox.store.tickets.get(14)).toEqual(before);
});

test('unknown fields and an unknown state are ignored without a message', async () => {
	const before = await read('/tickets/14');
	const after = await update('/tickets/14', { nonsense: 1, state: 'ajar' });
	expect({ ...after, modified: 0, modified_gmt: 0 }).toEqual({ ...before, modified: 0, modified_gmt: 0 });
});

test('a term may be given by slug or by its ID in a string; digits are an ID', async () => {
	const id = termId('product', 'lumen-lamp');
	expect(await update('/tickets/14', { product: String(id) })).toMatchObject({ product: 'lumen-lamp' });
	expect(await update('/tickets/14', { product: '12' })).toMatchObject({ product: 'nimbus-backup' });
	expect(await update('/tickets/14', { product: String(termId('product', '12')) })).toMatchObject({ product: '12' });
});

test('a ticket shows slugs without their encoded characters, and such a slug finds no term', async () => {
	const fields = {
		department: 'department=支持',
		product: 'product=Uni 🎉',
		ticket_priority: 'ticket_priority=Срочно',
	};
	const shown: Record<string, unknown> = {};
	for (const [field, term] of Object.entries(fields)) {
		const found = [...sandbox.store.terms.values()].find((each) => `${each.taxonomy}=${each.name}` === term);
		shown[field] = (await update('/tickets/14', { [field]: String(found?.id) }))[field];
	}
	expect(shown).toEqual({ department: '', product: 'uni--2', ticket_priority: '' });
	expect(await refusal('POST', '/tickets/14', { product: 'uni--2' })).toEqual([500, 'invalid_term']);
	expect(await update('/tickets/14', { product: 'uni-%f0%9f%8e%89-2' })).toMatchObject({ product: 'uni--2' });
	const channels = (await sandbox.call('GET', '/ticket_channel?search=chat')).body as { name: string }[];
	expect(channels.map((each) => each.name)).toEqual(['Chat', 'Chat']);
});

test.each([
	['product', '', 'invalid_term'],
	['department', 'lumen-lamp', 'invalid_term'],
	['ticket_priority', '8888', 'invalid_term'],
	['assignee', 0, 'incorrect_agent'],
	['assignee', 30, 'incorrect_agent'],
])('%s %j is a 500 after title, content, status and tags were saved', async (field, value, code) => {
	const before = await read('/tickets/14');
	const rest = { state: before.state === 'open' ? 'closed' : 'open', 'time-notes': 'x' };
	const sent = { ...rest, [field]: value, title: 'New', content: 'New', status: 'shop-failed', 'ticket-tag': [5] };
	if (field === 'assignee') delete (sent as { state?: string }).state;
	expect(await refusal('POST', '/tickets/14', sent)).toEqual([500, code]);
	const { modified, modified_gmt, slug, ...kept } = before;
	expect(await read('/tickets/14')).toMatchObject({
		...kept,
		title: { raw: 'New' },
		content: { raw: 'New' },
		status: 'shop-failed',
		'ticket-tag': [5],
	});
});

test('a secondary assignee can be removed', async () => {
	await update('/tickets/14', { 'secondary-assignee': 3 });
	expect(await update('/tickets/14', { 'secondary-assignee': 0 })).toMatchObject({ 'secondary-assignee': 0 });
});

test('a lenient sandbox has no such traps', async () => {
	const lenient = await startSandbox({ lenient: true });
	onTestFinished(() => lenient.stop());
	const sent = { product: '', department: '%e6%94%af%e6%8c%81', assignee: 0 };
	expect(await lenient.call('POST', '/tickets/14', sent)).toMatchObject({ status: 200, body: sent });
	const username = lenient.store.users.get(3)?.username;
	expect(await lenient.call('POST', '/users/username', { username })).toMatchObject({ status: 200, body: { id: 3 } });
});

test.each([
	['2026-03-31', '2026-03-31T00:00:00'],
	['2026-03-31T09:00', '2026-03-31T09:00:00'],
	['2026-03-31T09:00:00+02:00', '2026-03-31T07:00:00'],
	['2026-03-31 09:00:00Z', '2026-03-31T09:00:00'],
	['2026-03-31T09:00:00,5Z', '2026-03-31T09:00:00'],
])('the date %s is stored in GMT', async (sent, stored) => {
	expect(await update('/tickets/14', { date: sent })).toMatchObject({ date: stored, date_gmt: stored });
	expect(await update('/tickets/15', { date_gmt: sent })).toMatchObject({ date: stored, date_gmt: stored });
});

test('slugs are normalised', async () => {
	expect(await update('/tickets/14', { slug: 'Same Slug!' })).toMatchObject({ slug: 'same-slug' });
});

test('an id in the body beats the one in the path', async () => {
	const before = structuredClone(sandbox.store.tickets.get(14));
	expect(await update('/tickets/14', { id: 15, status: 'hold' })).toMatchObject({ id: 15, status: 'hold' });
	expect(sandbox.store.tickets.get(14)).toEqual(before);
	expect(await update('/users/2', { id: '3', nickname: 'Nick' })).toMatchObject({ id: 3, nickname: 'Nick' });
	expect(await refusal('POST', '/tickets/14', { id: 'x' })).toEqual([400, 'rest_invalid_param']);
});

test('a ticket goes to the trash, once, comes back with a status, and then goes for good', async () => {
	expect(await send('DELETE', '/tickets/14')).toMatchObject({ id: 14, status: 'trash' });
	expect(await refusal('DELETE', '/tickets/14')).toEqual([410, 'rest_already_trashed']);
	expect(await update('/tickets/14', { status: 'hold' })).toMatchObject({ status: 'hold' });
	expect(await send('DELETE', '/tickets/14?force=true')).toMatchObject({ deleted: true, previous: { id: 14 } });
	expect(await refusal('DELETE', '/tickets/14?force=true')).toEqual([404, 'rest_post_invalid_id']);
	expect(await refusal('POST', '/tickets/14', { status: 'hold' })).toEqual([404, 'rest_post_invalid_id']);
	expect(await refusal('GET', '/tickets/14/replies')).toEqual([404, 'rest_post_invalid_id']);
	expect(await send('DELETE', '/tickets/15?force=false')).toMatchObject({ status: 'trash' });
	expect(await refusal('DELETE', '/tickets/16?force=maybe')).toEqual([400, 'rest_invalid_param']);
});

test("the ticket in a reply's path is not checked: an update moves the reply, a delete deletes it", async () => {
	const id = replyOf(14);
	const body = await update(`/tickets/14/replies/${id}`, { status: 'unread', content: 'New', author: 2 });
	expect(body).toMatchObject({ id, status: 'unread', content: { raw: 'New' }, author: 2, parent: 14 });
	expect(Object.keys(body).sort()).toEqual(
		keys('id date date_gmt modified modified_gmt slug status content author parent'),
	);
	expect(await read(`/tickets/15/replies/${id}`)).toEqual(body);
	expect(await update(`/tickets/15/replies/${id}`, { content: 'x' })).toMatchObject({ id, parent: 15 });
	expect(replyOf(14)).not.toBe(id);
	expect(sandbox.store.repliesOf(15).map((each) => each.id)).toContain(id);
	expect(await send('DELETE', `/tickets/99/replies/${id}`)).toMatchObject({ id, status: 'trash' });
	expect(await refusal('DELETE', `/tickets/14/replies/${id}`)).toEqual([410, 'rest_already_trashed']);
	expect(await send('DELETE', `/tickets/14/replies/${id}?force=1`)).toMatchObject({ deleted: true, previous: { id } });
	expect(await refusal('GET', `/tickets/15/replies/${id}`)).toEqual([404, 'rest_post_invalid_id']);
});

test('a user is updated, and the response shows no password', async () => {
	const sent = {
		name: 'New Name',
		email: 'new@desk.example',
		roles: ['manager'],
		locale: 'fr_FR',
		support_smart_tickets_order: true,
		support_after_reply: 'back',
	};
	const body = await update('/users/3', { ...sent, password: 'new secret', support_can_be_assigned: 'false' });
	expect(body).toMatchObject({ id: 3, ...sent, support_can_be_assigned: false });
	expect(Object.keys(body).sort()).toEqual(
		keys(
			'id username name first_name last_name email url description locale nickname slug roles registered_date ' +
				'meta support_can_be_assigned support_smart_tickets_order ' +
				'support_after_reply',
		),
	);
	expect(JSON.stringify(body)).not.toContain('secret');
});

test('the own username may be sent', async () => {
	const username = sandbox.store.users.get(3)?.username;
	expect(await update('/users/3', { username, nickname: 'x' })).toMatchObject({ username, nickname: 'x' });
});

test('an empty locale and preferences that are not stored are shown all the same', async () => {
	Object.assign(sandbox.store.users.get(3) ?? {}, { locale: '' });
	const { locale, meta } = await read('/users/3');
	expect([locale, meta]).toEqual(['en_US', { persisted_preferences: [] }]);
});

test.each([
	['+', 70],
	['-', 50],
	['positive', 50],
	['negative', 50],
])('time-adjustments-type %s is stored as it is sent; anything but + subtracts', async (type, final) => {
	const sent = { 'time-calculated': 60, 'time-adjustments': 10, 'time-adjustments-type': type };
	expect(await update('/tickets/14', sent)).toMatchObject({ ...sent, 'time-final': final });
});

test('credentials are checked against the account password and application passwords, by login name alone', async () => {
	const { username, password } = sandbox;
	const agent = sandbox.store.users.get(3)?.username ?? '';
	const checks = (name: string, secret: string) =>
		refusal('POST', '/users/check', { username: name, password: secret });
	expect(await update('/users/check', { username, password })).toEqual({ id: 1 });
	expect(await update('/users/check', { username: agent, password: `desk-${agent}` })).toEqual({ id: 3 });
	expect(await checks(agent, 'wrong')).toEqual([400, 'invalid_user_credentials']);
	expect(await checks('missing', 'x')).toEqual([400, 'invalid_username']);
	expect(await checks('admin@desk.example', password)).toEqual([400, 'invalid_username']);
	expect(await refusal('POST', '/users/check', { username })).toEqual([400, 'invalid_user_credentials']);
	await update('/users/3', { password: 'brand new' });
	expect(await update('/users/check', { username: agent, password: 'brand new' })).toEqual({ id: 3 });
	expect(await checks(agent, `desk-${agent}`)).toEqual([400, 'invalid_user_credentials']);
});

test("a lookup finds the caller's own username only; an email address is none", async () => {
	expect(await update('/users/username', { username: 'admin' })).toEqual({ id: 1 });
	for (const username of ['missing', 'admin@desk.example', sandbox.store.users.get(3)?.username]) {
		expect(await refusal('POST', '/users/username', { username })).toEqual([400, 'invalid_username_access']);
	}
	expect(await refusal('POST', '/users/username', {})).toEqual([400, 'invalid_username_access']);
});

test('a deleted user leaves posts to the receiver, while tickets keep the deleted assignee', async () => {
	const { store } = sandbox;
	const tickets = [...store.tickets.values()];
	const attachment = [...store.attachments.values()][0];
	await update('/tickets/3', { author: 3, assignee: 3 });
	await update(`/attachments/${attachment?.id}`, { author: 3 });
	const reply = tickets.flatMap((each) => store.repliesOf(each.id)).find((each) => each.author === 3);
	const assigned = tickets.filter((each) => each.assignee === 3).length;
	expect(await send('DELETE', '/users/3?force=true&reassign=4')).toMatchObject({ deleted: true, previous: { id: 3 } });
	await send('DELETE', '/users/4?force=true&reassign=2');
	expect(await read('/tickets/3')).toMatchObject({ author: 2, assignee: 3 });
	expect(await read(`/attachments/${attachment?.id}`)).toMatchObject({ author: 2 });
	expect(await read(`/tickets/${reply?.parent}/replies/${reply?.id}`)).toMatchObject({ author: 2 });
	expect(tickets.filter((each) => each.assignee === 3).length).toBe(assigned);
	expect(await refusal('DELETE', '/users/3?force=true&reassign=2')).toEqual([404, 'rest_user_invalid_id']);
});

test("a user's application passwords can be deleted", async () => {
	const slugs = () => sandbox.store.users.get(3)?.passwords.map((each) => each.slug) ?? [];
	const [first, second] = slugs();
	expect(first).toMatch(/^[0-9a-f]{12}$/);
	await send('DELETE', `/users/3/passwords/${first}`);
	expect(slugs()).toEqual([second]);
});

test('a term is only deleted with force, and no ticket shows it then', async () => {
	const middle = termId('ticket_priority', 'normal');
	await update('/tickets/14', { ticket_priority: 'normal' });
	await update('/tickets/15', { ticket_priority: 'normal' });
	const count = (await read(`/ticket_priority/${middle}`)).count as number;
	await update('/tickets/14', { ticket_priority: 'low' });
	expect(await read(`/ticket_priority/${middle}`)).toMatchObject({ count: count - 1 });
	expect(await refusal('DELETE', `/ticket_priority/${middle}`)).toEqual([501, 'rest_trash_not_supported']);
	expect(await send('DELETE', `/ticket_priority/${middle}?force=true`)).toMatchObject({
		deleted: true,
		previous: { slug: 'normal' },
	});
	expect(await refusal('DELETE', `/ticket_priority/${middle}?force=true`)).toEqual([404, 'rest_term_invalid']);
	expect(await read('/tickets/15')).toMatchObject({ ticket_priority: '' });
});

test('a term is updated; its tickets show the new slug, and a priority without a color in the body loses it', async () => {
	const id = termId('ticket_priority', 'high');
	await update('/tickets/14', { ticket_priority: 'high' });
	const sent = { name: 'Very high', slug: 'very-high', description: 'At once', color: '#112233' };
	const body = await update(`/ticket_priority/${id}`, sent);
	expect(body).toMatchObject({ id, ...sent, taxonomy: 'ticket_priority' });
	expect(Object.keys(body).sort()).toEqual(keys('id count description name slug taxonomy parent meta color'));
	expect(await read('/tickets/14')).toMatchObject({ ticket_priority: 'very-high' });
	expect(await update(`/ticket_priority/${id}`, { description: 'Today' })).toMatchObject({ color: '' });
	expect(await refusal('POST', '/ticket_priority/1', { name: 'x' })).toEqual([404, 'rest_term_invalid']);
});

test('an attachment is updated, and the response shows the whole attachment', async () => {
	const id = [...sandbox.store.attachments.values()][0]?.id;
	const sent = {
		date: '2026-01-02T03:04:05',
		slug: 'new-slug',
		status: 'private',
		author: 2,
		comment_status: 'open',
		ping_status: 'open',
		template: 'wide.php',
		alt_text: 'A cracked display',
		post: 14,
	};
	const rich = { title: 'Photo', caption: 'Seen from above', description: 'The whole story' };
	expect(await update(`/attachments/${id}`, { ...sent, ...rich })).toMatchObject({
		id,
		...sent,
		title: { raw: 'Photo' },
		caption: { raw: 'Seen from above' },
		description: { raw: 'The whole story' },
	});
	expect(await refusal('POST', '/attachments/14', { title: 'x' })).toEqual([404, 'rest_post_invalid_id']);
});

test('custom fields are shown with label, value and an HTML control; a write ignores unknown names and shows nothing', async () => {
	const set = (id: number, fields: unknown) =>
		sandbox.call('POST', `/tickets/${id}/custom-fields`, { custom_fields: fields });
	expect(await set(14, { website: '"><script>', severity: 'major', nope: 'x', __proto__: 'y' })).toMatchObject({
		status: 200,
		body: null,
	});
	expect(await set(15, { severity: 'major' })).toMatchObject({ status: 200, body: '' });
	const after = await read('/tickets/14/custom-fields');
	expect(Object.keys(after)).toEqual(customFields.map(({ name }) => name));
	expect(after.order_number).toEqual({
		name: 'Order number',
		value: expect.stringMatching(/^A-\d{5}$/),
		markup: expect.stringMatching(/^<input type="text" name="order_number"/),
	});
	expect(after.website).toMatchObject({
		value: '"><script>',
		markup: expect.stringContaining('value="&quot;&gt;&lt;script&gt;"'),
	});
	expect(after.severity).toMatchObject({ value: 'major' });
});

test.each<[string, unknown, number, string]>([
	['POST /users/3', { username: 'other' }, 400, 'rest_user_invalid_argument'],
	['POST /users/3', { support_can_be_assigned: 'perhaps' }, 400, 'rest_invalid_param'],
	['DELETE /users/3', undefined, 400, 'rest_missing_callback_param'],
	['DELETE /users/3?force=true', undefined, 400, 'rest_missing_callback_param'],
	['DELETE /users/3?reassign=2', undefined, 501, 'rest_trash_not_supported'],
	['DELETE /users/3?force=true&reassign=3', undefined, 400, 'rest_user_invalid_reassign'],
	['DELETE /users/3?force=true&reassign=99999', undefined, 400, 'rest_user_invalid_reassign'],
	['DELETE /users/3?force=true&reassign=x', undefined, 400, 'rest_invalid_param'],
	['DELETE /users/99999?force=true&reassign=2', undefined, 404, 'rest_user_invalid_id'],
	['DELETE /product/99999?force=true', undefined, 404, 'rest_term_invalid'],
	['DELETE /ticket_priority/99999?force=true', undefined, 404, 'rest_term_invalid'],
	['DELETE /users/3/passwords/none', undefined, 404, 'rest_application_password_not_found'],
	['POST /tickets/14/custom-fields', { custom_fields: 'x' }, 400, 'rest_invalid_param'],
	...[
		'GET /nothing',
		'PUT /tickets/14',
		'POST /tickets',
		'POST /tickets/abc',
		'DELETE /tickets/14/custom-fields',
		'GET /tickets/14/nothing',
		'GET /tickets//14',
		'GET /tickets/%zz',
		'GET /tickets/14abc',
		'DELETE /users/3/passwords/a.b',
	].map((line): [string, unknown, number, string] => [line, undefined, 404, 'rest_no_route']),
])('%s with %j is refused with %i %s', async (line, body, status, code) => {
	const [method = '', path = ''] = line.split(' ');
	expect(await refusal(method, path, body)).toEqual([status, code]);
});

test('outside the prefix is a site that responds in HTML', async () => {
	const { origin } = new URL(sandbox.baseUrl);
	const look = async (url: string): Promise<[number, string | null]> => {
		const response = await fetch(url);
		await response.text();
		return [response.status, response.headers.get('content-type')];
	};
	expect(await look(`${origin}/`)).toEqual([404, 'text/html; charset=UTF-8']);
	expect(await look(`${origin}/support-api/v1/tickets/14`)).toEqual([404, 'text/html; charset=UTF-8']);
	expect(await look(`${origin}/wp-json/other/v1`)).toEqual([404, 'application/json; charset=UTF-8']);
	expect(await look(`${origin}/wp-json`)).toEqual([200, 'application/json; charset=UTF-8']);
});
