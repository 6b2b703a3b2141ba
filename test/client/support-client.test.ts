/** The client as a program uses it: types from the table, and the same requests, checks and outcomes as the binary's. */

import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { type CallInput, SupportClient, type SupportClientOptions, UsageError } from '../../src/index.js';
import { startForwardProxy } from '../support/forward-proxy.js';
import { json, type Responder, startRecorder } from '../support/recorder.js';

async function openClient(answer = json(200, { id: 14 }), options: Partial<SupportClientOptions> = {}) {
	const recorder = await startRecorder(answer);
	const client = await SupportClient.open({
		baseUrl: recorder.baseUrl,
		auth: { scheme: 'basic', username: 'ada', password: 'secret' },
		...options,
	});
	onTestFinished(() => client.close());
	return { client, recorder };
}

describe('types follow from the table', () => {
	test('ids, required parameters and required fields must be there', () => {
		expectTypeOf<{ id: number; fields: { status: 'hold' } }>().toExtend<CallInput<'ticket.update'>>();
		expectTypeOf<{ fields: { status: 'hold' } }>().not.toExtend<CallInput<'ticket.update'>>();
		expectTypeOf<{ id: number; fields: { assignee: boolean } }>().not.toExtend<CallInput<'ticket.update'>>();
		expectTypeOf<{ id: number; fields: { product: '12'; 'ticket-tag': [3, 'urgent'] } }>().toExtend<
			CallInput<'ticket.update'>
		>();
		expectTypeOf<{ id: number; fields: { product: 12 } }>().not.toExtend<CallInput<'ticket.update'>>();
		expectTypeOf<{ id: number }>().not.toExtend<CallInput<'user.delete'>>();
		expectTypeOf<{ id: number; reassign: number }>().toExtend<CallInput<'user.delete'>>();
		expectTypeOf<{ id: number }>().not.toExtend<CallInput<'term.delete.product'>>();
		expectTypeOf<{ id: number; force: true }>().toExtend<CallInput<'term.delete.product'>>();
		expectTypeOf<{ fields: { username: string } }>().not.toExtend<CallInput<'user.check'>>();
		expectTypeOf<{ user_id: number; slug: string }>().toExtend<CallInput<'user.password.delete'>>();
		expectTypeOf<{ ticket_id: number; fields: { any: string } }>().toExtend<CallInput<'ticket.fields.set'>>();
	});
});

test('an update is sent, and what the service holds otherwise is told', async () => {
	const { client, recorder } = await openClient(json(200, { id: 14, status: 'publish' }));
	const result = await client.call('ticket.update', { id: 14, fields: { status: 'hold', assignee: 7 } });
	expect(result).toMatchObject({
		outcome: 'differs',
		status: 200,
		differs: [{ field: 'status', sent: 'hold', shown: 'publish' }],
	});
	expect(recorder.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
		['POST', '/wp-json/support-api/v1/tickets/14', '{"status":"hold","assignee":7}'],
	]);
});

test('the query, slugs and custom fields travel as the interface writes them', async () => {
	const { client, recorder } = await openClient();
	await client.call('user.delete', { id: '21', reassign: 2 });
	await client.call('user.password.delete', { user_id: 21, slug: 'laptop' });
	await client.call('ticket.fields.set', { ticket_id: 14, fields: { color: 'red' } });
	expect(recorder.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
		['DELETE', '/wp-json/support-api/v1/users/21?force=true&reassign=2', ''],
		['DELETE', '/wp-json/support-api/v1/users/21/passwords/laptop', ''],
		['POST', '/wp-json/support-api/v1/tickets/14/custom-fields', '{"custom_fields":{"color":"red"}}'],
	]);
});

test("the service's no is an outcome", async () => {
	const { client } = await openClient(json(404, { code: 'rest_post_invalid_id', message: 'Invalid post ID.' }));
	expect(await client.call('ticket.delete', { id: 14 })).toMatchObject({
		outcome: 'failed',
		status: 404,
		code: 'rest_post_invalid_id',
		differs: [],
	});
});

test.each<[name: string, input: object, says: string]>([
	['ticket.update', { id: '../users/1', fields: { status: 'hold' } }, '"../users/1" is not an id'],
	['ticket.update', { id: 14, fields: { status: 'hodl' } }, 'did you mean "hold"?'],
	['ticket.update', { id: 14, fields: {} }, 'there is nothing to send'],
	['ticket.update', { id: 14, fields: { title: undefined } }, 'there is nothing to send'],
	['ticket.update', { id: 14, fields: { nonsense: 1 } }, 'there is no field "nonsense"'],
	['ticket.delete', { id: 0 }, '"0" is not an id'],
	['user.delete', { id: 14, reassign: '1e3' }, 'reassign "1e3" is not an id'],
	['user.delete', { id: 14 }, 'reassign is missing'],
	['user.delete', { id: 7, reassign: '7' }, "what user 7 leaves can't go to user 7"],
	['user.check', { fields: { username: 'ada' } }, 'password is missing'],
	['ticket.fields.set', { ticket_id: 14, fields: { n: 1 } }, 'custom field n is not a string'],
	['term.delete.product', { id: 9, force: false }, 'force is missing'],
	['ticket.close', {}, 'there is no endpoint "ticket.close"'],
	['constructor', {}, 'there is no endpoint "constructor"'],
])('%s of %j is refused before anything is sent', async (name, input, says) => {
	const { client, recorder } = await openClient();
	const error = { name: 'UsageError', message: expect.stringContaining(says) };
	await expect(client.call(name as never, input as never)).rejects.toMatchObject(error);
	expect(recorder.requests).toEqual([]);
});

test('a deployment’s own words are spoken', async () => {
	const { client, recorder } = await openClient(json(200, { acme_can_be_assigned: false }), {
		prefixes: { product: 'acme' },
	});
	const result = await client.call('user.update', { id: 7, fields: { support_can_be_assigned: true } });
	expect(recorder.requests[0]).toMatchObject({
		url: '/wp-json/acme-api/v1/users/7',
		body: '{"acme_can_be_assigned":true}',
	});
	expect(result.differs).toEqual([{ field: 'support_can_be_assigned', sent: true, shown: false }]);
});

test('http:// to another machine is let through where that is asked for', async () => {
	const { client } = await openClient(undefined, { baseUrl: 'http://desk.example/wp-json', allowHttp: true });
	expect(client).toBeInstanceOf(SupportClient);
});

test.each<[string, unknown, string]>([
	['baseUrl', 'http://desk.example/wp-json', 'unencrypted'],
	['baseUrl', 'https://ada:hunter2@desk.example/', 'must not carry a user name'],
	['baseUrl', 'https://desk.example/?lang=en', 'has a query'],
	['baseUrl', 'desk', 'has no scheme'],
	['baseUrl', undefined, 'baseUrl must be a string'],
	['auth', undefined, 'auth.scheme: "" must be basic, bearer, header, none'],
	['auth', { scheme: 'Basic', username: 'ada', password: 'x' }, 'auth.scheme: "Basic" must be'],
	['auth', { scheme: 'basic', username: 'ada' }, 'auth.password must be a string'],
	['auth', { scheme: 'basic', username: 'a:b', password: 'x' }, 'has a colon'],
	['auth', { scheme: 'bearer', token: 'a b' }, 'the token from auth.token has spaces in it'],
	[
		'auth',
		{ scheme: 'header', name: 'x-key', value: 'a\nb' },
		'the header value from auth.value has more than one line',
	],
	['auth', { scheme: 'header', name: 'host', value: 'x' }, 'auth.name: "host" must be'],
	['timeout', 0, 'timeout: 0 must be'],
	['retries', -1, 'retries must be'],
	['connections', 1.5, 'connections: 1.5 must be'],
	['prefixes', { product: '../..' }, 'prefixes.product: "../.." must be'],
])('the option %s can not be %j', async (name, value, why) => {
	const opened = openClient(undefined, { [name]: value });
	await expect(opened).rejects.toThrow(UsageError);
	await expect(opened).rejects.toThrow(why);
	await expect(opened).rejects.not.toThrow('hunter2');
});

test('a delete that left its thing where it was is told', async () => {
	const { client } = await openClient(json(200, { id: 14, status: 'publish' }));
	expect(await client.call('ticket.delete', { id: 14 })).toMatchObject({
		outcome: 'differs',
		differs: [{ field: 'status', sent: 'trash', shown: 'publish' }],
	});
});

describe('what a client is opened with is what its calls keep to', () => {
	const slow: Responder = (_request, response) =>
		void setTimeout(() => response.setHeader('content-type', 'application/json').end('{"id":14}'), 300);
	const rename = (client: SupportClient) => client.call('ticket.update', { id: 14, fields: { title: 'x' } });

	test('the timeout is in seconds', async () => {
		const patient = await openClient(slow, { timeout: 5, retries: 0 });
		expect(await rename(patient.client)).toMatchObject({ outcome: 'ok' });
		const hasty = await openClient(slow, { timeout: 0.05, retries: 0 });
		expect(await rename(hasty.client)).toMatchObject({ outcome: 'unknown', code: 'timeout', attempts: 1 });
		const unsaid = await openClient(slow, { retries: 0 });
		expect(await rename(unsaid.client)).toMatchObject({ outcome: 'ok' });
	});

	test('no retries are none', async () => {
		const { client, recorder } = await openClient(json(503, {}), { retries: 0 });
		expect(await rename(client)).toMatchObject({ outcome: 'unknown', attempts: 1 });
		expect(recorder.requests).toHaveLength(1);
	});

	test('the proxy is used', async () => {
		const proxy = await startForwardProxy();
		const baseUrl = 'http://desk.test:1';
		const { client } = await openClient(undefined, {
			baseUrl,
			allowHttp: true,
			retries: 0,
			proxy: { httpProxy: proxy.url },
		});
		await rename(client);
		expect(proxy.seen).toEqual([`POST ${baseUrl}/support-api/v1/tickets/14`]);
	});
});

test('fields that are undefined are left out', async () => {
	const { client, recorder } = await openClient();
	await client.call('ticket.update', { id: 14, fields: { title: 'x', assignee: undefined as never } });
	expect(recorder.requests[0]?.body).toBe('{"title":"x"}');
});

test('closing ends calls under way, and later ones are not sent', async () => {
	const { client, recorder } = await openClient(() => undefined, { retries: 0 });
	const call = client.call('ticket.update', { id: 14, fields: { title: 'x' } });
	await expect.poll(() => recorder.requests).toHaveLength(1);
	await client.close();
	expect(await call).toMatchObject({ outcome: 'unknown' });
	expect(await client.call('ticket.delete', { id: 14 })).toMatchObject({ outcome: 'not-sent', code: 'closed' });
});
