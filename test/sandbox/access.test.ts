/** Who may call the sandbox, and what each may do. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashSecret } from '../../src/sandbox/secrets.js';
import { basic, startSandbox, type TestSandbox } from '../support/sandbox.js';

let sandbox: TestSandbox;

beforeEach(async () => {
	sandbox = await startSandbox();
});
afterEach(() => sandbox.stop());

async function callAs(authorization: string | undefined, method: string, path: string, body?: unknown) {
	const response = await fetch(`${sandbox.baseUrl}/support-api/v1${path}`, {
		method,
		headers: {
			...(authorization === undefined ? {} : { authorization }),
			...(body === undefined ? {} : { 'content-type': 'application/json' }),
		},
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	const answer = (await response.json()) as { code?: string; data?: { status: number } };
	return [response.status, answer?.code] as const;
}

/** Gives a user an application password and returns the header that signs in with it. */
function signInAs(id: number): string {
	const user = sandbox.store.users.get(id);
	if (user === undefined) throw new Error(`no user ${id}`);
	const password = { slug: 'test', name: 'Test', hash: hashSecret('testtesttest'), created: '', last_used: null };
	user.passwords.push(password);
	sandbox.store.users.put(user);
	return basic(user.username, 'test test test');
}

const ofRole = (role: string): number =>
	[...sandbox.store.users.values()].find((each) => each.roles.includes(role))?.id ?? Number.NaN;

test('blanks in an application password do not matter', async () => {
	const { username, password } = sandbox;
	expect(password).toMatch(/^(?:[A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4}$/);
	for (const spelled of [password, password.replaceAll(' ', ''), ` ${password} `]) {
		expect(await callAs(basic(username, spelled), 'GET', '/users/me')).toEqual([200, undefined]);
	}
});

test('no, wrong or unreadable credentials are 401 with a JSON body', async () => {
	const { username, password } = sandbox;
	const post = (authorization: string | undefined) => callAs(authorization, 'POST', '/tickets/14', { status: 'hold' });
	expect(await post(undefined)).toEqual([401, 'rest_not_logged_in']);
	expect(await post('Bearer abc')).toEqual([401, 'rest_not_logged_in']);
	expect(await post('Basic')).toEqual([401, 'rest_not_logged_in']);
	expect(await post('Basic ###')).toEqual([401, 'rest_not_logged_in']);
	expect(await post(basic(username, 'wrong'))).toEqual([401, 'incorrect_password']);
	expect(await post(basic(username, password.toLowerCase()))).toEqual([401, 'incorrect_password']);
	expect(await post(basic('nobody', password))).toEqual([401, 'invalid_username']);
	expect(await post(basic(username, 'desk-admin'))).toEqual([401, 'incorrect_password']);
});

test('without credentials every route but the list of routes is refused', async () => {
	for (const [method, path] of [
		['GET', '/tickets'],
		['GET', '/tickets/14'],
		['GET', '/tickets/14/custom-fields'],
		['GET', '/tickets/14/replies'],
		['GET', '/users'],
		['GET', '/users/me'],
		['GET', '/users/1/passwords'],
		['GET', '/product'],
		['GET', '/attachments'],
		['DELETE', '/tickets/14'],
		['DELETE', '/users/3?force=true&reassign=2'],
		['DELETE', '/product/11?force=true'],
	] as const) {
		expect(await callAs(undefined, method, path), `${method} ${path}`).toEqual([401, 'rest_not_logged_in']);
	}
});

test('an application password that is deleted stops working, at once', async () => {
	const own = sandbox.authorization;
	const other = signInAs(1);
	expect(await callAs(own, 'GET', '/users/me')).toEqual([200, undefined]);
	const deleted = await sandbox.call('DELETE', '/users/1/passwords/sandbox');
	expect(deleted).toMatchObject({
		status: 200,
		body: { deleted: true, previous: { slug: 'sandbox', password: expect.stringMatching(/^\$/) } },
	});
	expect(await callAs(own, 'GET', '/users/me')).toEqual([401, 'incorrect_password']);
	expect(await callAs(other, 'GET', '/users/me')).toEqual([200, undefined]);
	expect(await callAs(other, 'DELETE', '/users/1/passwords/sandbox')).toEqual([404, 'rest_password_not_found']);
});

test('a deleted user is signed out', async () => {
	const agent = signInAs(3);
	expect(await callAs(agent, 'GET', '/users/me')).toEqual([200, undefined]);
	await sandbox.call('DELETE', '/users/3?force=true&reassign=2');
	expect(await callAs(agent, 'GET', '/users/me')).toEqual([401, 'invalid_username']);
});

test('an agent edits tickets, and is refused what belongs to the administrator', async () => {
	const agent = signInAs(ofRole('agent'));
	expect(await callAs(agent, 'POST', '/tickets/14', { status: 'hold' })).toEqual([200, undefined]);
	expect(await callAs(agent, 'DELETE', '/tickets/14')).toEqual([200, undefined]);
	expect(await callAs(agent, 'POST', '/users/1', { name: 'x' })).toEqual([403, 'rest_cannot_edit']);
	expect(await callAs(agent, 'DELETE', '/users/5?force=true&reassign=2')).toEqual([403, 'rest_user_cannot_delete']);
	expect(await callAs(agent, 'POST', '/ticket_priority/21', { name: 'x' })).toEqual([403, 'rest_cannot_update']);
	expect(await callAs(agent, 'DELETE', '/product/11?force=true')).toEqual([403, 'rest_cannot_delete']);
	expect(await callAs(agent, 'GET', '/tickets/2/custom-fields')).toEqual([403, 'rest_cannot_create']);
	expect(await callAs(agent, 'DELETE', '/users/1/passwords/sandbox')).toEqual([403, 'rest_cannot_list_passwords']);
});

test('a customer reads and writes only what is their own', async () => {
	const id = ofRole('customer');
	const customer = signInAs(id);
	await sandbox.call('POST', '/tickets/14', { author: id });
	expect(await callAs(customer, 'GET', '/tickets/14')).toEqual([200, undefined]);
	expect(await callAs(customer, 'GET', '/tickets/14/custom-fields')).toEqual([200, undefined]);
	const fields = { custom_fields: { website: 'https://x.example' } };
	expect(await callAs(customer, 'POST', '/tickets/14/custom-fields', fields)).toEqual([200, undefined]);
	expect(await callAs(customer, 'POST', '/tickets/2/custom-fields', fields)).toEqual([403, 'rest_cannot_create']);
	expect(await callAs(customer, 'GET', '/tickets/2')).toEqual([403, 'rest_forbidden']);
	expect(await callAs(customer, 'POST', '/tickets/14', { status: 'hold' })).toEqual([403, 'rest_cannot_edit']);
	expect(await callAs(customer, 'POST', `/users/${id}`, { nickname: 'me' })).toEqual([200, undefined]);
	expect(await callAs(customer, 'POST', `/users/${id}`, { roles: ['administrator'] })).toEqual([
		403,
		'rest_cannot_edit_roles',
	]);
	expect(await callAs(customer, 'GET', '/users')).toEqual([403, 'rest_forbidden_context']);
});

test('only an administrator asks about other names', async () => {
	const agent = signInAs(3);
	const username = sandbox.store.users.get(3)?.username;
	expect(await callAs(agent, 'POST', '/users/username', { username })).toEqual([200, undefined]);
	expect(await callAs(agent, 'POST', '/users/username', { username: 'admin' })).toEqual([
		400,
		'invalid_username_access',
	]);
	expect(await callAs(agent, 'POST', '/users/check', { username: 'admin', password: 'x' })).toEqual([
		400,
		'invalid_username_access',
	]);
});
