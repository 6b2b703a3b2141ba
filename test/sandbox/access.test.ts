/** Who may call the sandbox, and what each may do. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { basic, startSandbox, type TestSandbox } from '../support/sandbox.js';

let sandbox: TestSandbox;

beforeEach(async () => {
	sandbox = await startSandbox();
});
afterEach(() => sandbox.stop());

async function callAs(authorization: string, method: string, path: string, body?: unknown) {
	const response = await sandbox.call(method, path, body, authorization);
	return [response.status, (response.body as { code?: string } | null)?.code] as const;
}

/** Gives a user an application password and returns the header that signs in with it. */
function signInAs(id: number, by: 'username' | 'email' = 'username'): string {
	const user = sandbox.store.users.get(id);
	if (user === undefined) throw new Error(`no user ${id}`);
	const password = { slug: 'a1b2c3d4e5f6', name: 'Test', password: 'test', created: '', last_used: null };
	user.passwords.push(password);
	return basic(user[by], 't e s t');
}

const OK = [200, undefined];

test('a user signs in with the login name or the email address; spaces in an application password do not matter', async () => {
	const { username, password } = sandbox;
	expect(password).toMatch(/^(?:[A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4}$/);
	for (const name of [username, 'admin@desk.example']) {
		for (const spelled of [password, password.replaceAll(' ', ''), ` ${password} `]) {
			expect(await callAs(basic(name, spelled), 'GET', '/users/me')).toEqual(OK);
		}
	}
	expect(await callAs(signInAs(3, 'email'), 'GET', '/users/me')).toEqual(OK);
});

test('no, wrong or unreadable credentials are 401 with a JSON body', async () => {
	const { username, password } = sandbox;
	const post = (authorization: string) => callAs(authorization, 'POST', '/tickets/14', { status: 'hold' });
	for (const header of ['', 'Bearer abc', 'Basic', 'Basic ###']) {
		expect(await post(header)).toEqual([401, 'rest_not_logged_in']);
	}
	for (const secret of ['wrong', password.toLowerCase(), 'desk-admin']) {
		expect(await post(basic(username, secret))).toEqual([401, 'incorrect_password']);
	}
	expect(await post(basic('missing', password))).toEqual([401, 'incorrect_password']);
});

test('without credentials every route but the root is refused', async () => {
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
		expect(await callAs('', method, path), `${method} ${path}`).toEqual([401, 'rest_not_logged_in']);
	}
});

test('an application password that is deleted, and a user who is, sign in no more', async () => {
	const own = sandbox.authorization;
	const other = signInAs(1);
	const slug = sandbox.store.users.get(1)?.passwords.find((each) => each.name === 'Sandbox')?.slug;
	expect(await sandbox.call('DELETE', `/users/1/passwords/${slug}`)).toMatchObject({
		status: 200,
		body: { deleted: true, previous: { slug, password: expect.any(String) } },
	});
	expect(await callAs(own, 'GET', '/users/me')).toEqual([401, 'incorrect_password']);
	const agent = signInAs(3);
	expect(await callAs(agent, 'GET', '/users/me')).toEqual(OK);
	expect(await callAs(other, 'DELETE', '/users/3?force=true&reassign=2')).toEqual(OK);
	expect(await callAs(agent, 'GET', '/users/me')).toEqual([401, 'incorrect_password']);
});
