/** Who may call the sandbox, and what each may do. */

import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Role } from '../../src/sandbox/rights.js';
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

describe('an account that is no administrator', () => {
	async function startAs(role: Role) {
		const own = await startSandbox({ role });
		onTestFinished(() => own.stop());
		return own;
	}
	const idsOf = ({ body }: { body: unknown }) => (body as { id: number }[]).map(({ id }) => id);

	test.each(['manager', 'agent', 'customer'] as const)(
		'as %s sees in the user list only users with posts, without usernames, and finds them by slug',
		async (role) => {
			const { call, store, username } = await startAs(role);
			const listed = await call('GET', '/users?per_page=100&context=edit');
			const authors = new Set([...store.tickets.values(), ...store.replies.values()].map(({ author }) => author));
			expect(idsOf(listed).every((id) => authors.has(id))).toBe(true);
			expect(listed.body).not.toEqual(
				expect.arrayContaining([expect.objectContaining({ username: expect.anything() })]),
			);
			const [first] = idsOf(listed).filter((id) => store.users.get(id)?.username !== username);
			const slug = store.users.get(first ?? 0)?.slug;
			expect(idsOf(await call('GET', `/users?slug=${slug}`))).toEqual([first]);
			expect(await call('GET', '/users/me?context=edit')).toMatchObject({ status: 200, body: { username } });
			expect(await call('POST', `/users/${first}`, { name: 'X' })).toMatchObject({
				status: 403,
				body: { code: 'rest_cannot_edit' },
			});
			expect(await call('GET', `/users/${first}/passwords`)).toMatchObject({ status: 403 });
		},
	);

	test('as manager opens and changes every ticket', async () => {
		const { call } = await startAs('manager');
		expect(await call('GET', '/tickets/14')).toMatchObject({ status: 200 });
		expect(await call('POST', '/tickets/14', { status: 'hold' })).toMatchObject({ status: 200 });
		expect((await call('GET', '/tickets')).headers.get('x-wp-total')).toBe('50');
	});

	test('as agent lists its own open tickets, or all if asked for, and opens only its own', async () => {
		const { call, store, username } = await startAs('agent');
		const own = [...store.users.values()].find((user) => user.username === username)?.id;
		const mine = [...store.tickets.values()].filter(({ assignee, state }) => assignee === own && state === 'open');
		expect(idsOf(await call('GET', '/tickets?per_page=100')).sort()).toEqual(mine.map(({ id }) => id).sort());
		const all = await call('GET', '/tickets?assignee=0&author=0&state=any');
		expect(all.headers.get('x-wp-total')).toBe('50');
		const other = [...store.tickets.values()].find(({ assignee }) => assignee !== own)?.id;
		for (const path of [`/tickets/${other}`, `/tickets/${other}/replies`, `/tickets/${other}/custom-fields`]) {
			expect(await call('GET', path), path).toMatchObject({ status: 403, body: { code: 'rest_forbidden' } });
		}
		expect(await call('POST', `/tickets/${other}`, { status: 'hold' })).toMatchObject({ status: 403 });
		expect(await call('POST', `/tickets/${mine[0]?.id}`, { status: 'hold' })).toMatchObject({ status: 200 });
		const product = [...store.terms.values()].find(({ taxonomy }) => taxonomy === 'product')?.id;
		expect(await call('POST', `/product/${product}`, { name: 'X' })).toMatchObject({ status: 403 });
	});

	test('as customer sees only tickets of its own', async () => {
		const { call, store, username } = await startAs('customer');
		const own = [...store.users.values()].find((user) => user.username === username)?.id;
		const listed = await call('GET', '/tickets?per_page=100');
		expect(listed.body).toSatisfy((tickets: { author: number }[]) => tickets.every(({ author }) => author === own));
	});
});

describe('a strict service', () => {
	test('has the documented requests alone, and says so as RFC 9457 describes', async () => {
		const { call, stop } = await startSandbox({ strict: true });
		onTestFinished(stop);
		expect(await call('POST', '/tickets/14', { status: 'hold' })).toMatchObject({ status: 200 });
		const read = await call('GET', '/tickets/14');
		expect(read).toMatchObject({
			status: 405,
			body: { title: 'Method Not Allowed', detail: expect.stringContaining('/tickets/14') },
		});
		expect(read.headers.get('content-type')).toContain('application/problem+json');
		expect(await call('GET', '/product')).toMatchObject({ status: 404, body: { title: 'Not Found', status: 404 } });
		const body = { name: 'X', color: '#fff' };
		expect(await call('POST', '/ticket_priority/10', body)).toMatchObject({
			status: 400,
			body: { detail: expect.stringContaining('color') },
		});
		expect(await call('POST', '/tickets/14', { sticky: true })).toMatchObject({ status: 400 });
	});
});
