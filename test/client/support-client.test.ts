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

test('values that the interface does not allow are refused before anything is sent', async () => {
	const { client, recorder } = await openClient();
	const calls = [
		client.call('ticket.update', { id: '../users/1', fields: { status: 'hold' } }),
		client.call('ticket.update', { id: 14, fields: { status: 'hodl' } }),
		client.call('ticket.update', { id: 14, fields: {} }),
		client.call('ticket.update', { id: 14, fields: { nonsense: 1 } as object }),
		client.call('user.delete', { id: 14, reassign: '1e3' }),
		client.call('user.delete', { id: 14 } as never),
		client.call('user.check', { fields: { username: 'ada' } as never }),
		client.call('ticket.fields.set', { ticket_id: 14, fields: { n: 1 as never } }),
	];
	for (const call of calls) await expect(call).rejects.toThrow(UsageError);
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

test.each<[string, Partial<SupportClientOptions>, RegExp]>([
	['unencrypted to another machine', { baseUrl: 'http://desk.example/wp-json' }, /unencrypted.*/],
	['with a password in it', { baseUrl: 'https://ada:hunter2@desk.example/' }, /must not carry a user name/],
	['with a query', { baseUrl: 'https://desk.example/?lang=en' }, /has a query/],
	['that is no URL', { baseUrl: 'desk' }, /has no scheme/],
	['that is missing', { baseUrl: undefined }, /baseUrl must be a string/],
])('a base URL %s is refused', async (_what, options, why) => {
	const opened = openClient(undefined, options);
	await expect(opened).rejects.toThrow(UsageError);
	await expect(opened).rejects.toThrow(why);
	await expect(opened).rejects.not.toThrow('hunter2');
});

test('http:// to another machine is let through where that is asked for', async () => {
	const { client } = await openClient(undefined, { baseUrl: 'http://desk.example/wp-json', allowHttp: true });
	expect(client).toBeInstanceOf(SupportClient);
});

test.each<[string, unknown, string]>([
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
});

test('a delete that left its thing where it was is told', async () => {
	const { client } = await openClient(json(200, { id: 14, status: 'publish' }));
	expect(await client.call('ticket.delete', { id: 14 })).toMatchObject({
		outcome: 'differs',
		differs: [{ field: 'status', sent: 'trash', shown: 'publish' }],
	});
});

test('an endpoint that is none is refused, and so is a user who shall inherit from themselves', async () => {
	const { client, recorder } = await openClient();
	for (const name of ['ticket.close', 'constructor', 'toString'] as never[]) {
		await expect(client.call(name, {} as never)).rejects.toThrow(`there is no endpoint "${name}"`);
	}
	await expect(client.call('user.delete', { id: 7, reassign: '7' })).rejects.toThrow(
		"what user 7 leaves can't go to user 7",
	);
	expect(recorder.requests).toEqual([]);
});

test('errors carry their names', async () => {
	const { client } = await openClient();
	await expect(client.call('ticket.delete', { id: 0 })).rejects.toMatchObject({ name: 'UsageError' });
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
	const nothing = client.call('ticket.update', { id: 14, fields: { title: undefined as never } });
	await expect(nothing).rejects.toThrow('there is nothing to send');
});

test('closing ends calls under way, and later ones are not sent', async () => {
	const { client, recorder } = await openClient(() => undefined, { retries: 0 });
	const call = client.call('ticket.update', { id: 14, fields: { title: 'x' } });
	await expect.poll(() => recorder.requests).toHaveLength(1);
	await client.close();
	expect(await call).toMatchObject({ outcome: 'unknown' });
	expect(await client.call('ticket.delete', { id: 14 })).toMatchObject({ outcome: 'not-sent', code: 'closed' });
});

test('a force that has to be true is missing where it is false', async () => {
	const { client } = await openClient();
	const call = client.call('term.delete.product', { id: 9, force: false as never });
	await expect(call).rejects.toThrow('force is missing');
});
