/** Users and terms by name, wherever an ID is expected: what a text means, and what is refused. */

import { describe, expect, test } from 'vitest';
import { startDirectoryService } from '../support/directory-service.js';
import { json, type RecordedRequest, text } from '../support/recorder.js';
import { startSandbox } from '../support/sandbox.js';
import { runInTerminal } from '../support/terminal.js';
import { createWorkplace, hastyClock } from '../support/workplace.js';

/** 2024 is an ID and a name, 1999 is only a name, 5 is only an ID, and `@home` begins with an @ of its own. */
const tags = [
	{ id: 2024, slug: 'vip', name: 'VIP' },
	{ id: 31, slug: 'y', name: '2024' },
	{ id: 32, slug: '1999', name: 'Party' },
	{ id: 5, slug: 'bug', name: 'Bug' },
	{ id: 6, slug: 'home', name: '@home' },
];
const terms = { 'ticket-tag': tags, product: tags, ticket_priority: tags, department: [], ticket_channel: [] };

describe('a number as a term', () => {
	test.each([
		['--ticket-tag 1999', { 'ticket-tag': [32] }],
		['--ticket-tag 5', { 'ticket-tag': [5] }],
		['--ticket-tag VIP,bug,id:2024,5', { 'ticket-tag': [2024, 5] }],
		['--ticket-tag id:2024', { 'ticket-tag': [2024] }],
		['--ticket-tag #2024,@2024', { 'ticket-tag': [2024, 31] }],
		['--ticket-tag @home', { 'ticket-tag': [6] }],
		['--ticket-tag 77', { 'ticket-tag': [77] }],
		['--add-ticket-tag @2024', { 'ticket-tag': [31] }],
		['--product 1999', { product: '32' }],
		['--product @2024', { product: '31' }],
		['--ticket-priority id:2024', { ticket_priority: '2024' }],
	])('%s is sent as the ID of the one that can be meant', async (flags, sent) => {
		const service = await startDirectoryService({ terms });
		const { exitCode, stderr } = await service.run(['ticket', 'update', '14', ...flags.split(' ')]);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(service.written()).toEqual([['/tickets/14', sent]]);
	});

	test.each([
		'ticket update 14 --ticket-tag 2024',
		'ticket update 14 --add-ticket-tag 2024',
		'ticket update 14 --remove-ticket-tag bug,2024',
		'ticket update 14 --product 2024',
		'ticket update 14 --title x --if product=2024',
		'ticket update 14 --title x --if ticket-tag=bug,2024',
		'ticket delete 14 --yes --if product=2024',
		'ticket update --input tags.csv',
		'ticket update --input product.csv',
		'ticket list --ticket-tag 2024',
		'term get product 2024',
		'term update ticket_priority 2024 --name x',
		'term delete ticket_priority 2024 --yes',
		'term update ticket_priority --input terms.csv',
	])('%s is refused with both ways to write it, where it is an ID and a name', async (command) => {
		const service = await startDirectoryService({ terms });
		service.write('tags.csv', 'id,ticket-tag\n14,"bug,2024"\n');
		service.write('product.csv', 'id,product\n14,2024\n');
		service.write('terms.csv', 'id,name\n2024,x\n');
		const { exitCode, stderr } = await service.run(command);
		expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('id:2024') });
		expect(stderr).toContain('@2024');
		expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	});

	test.each([
		['term update ticket_priority 1999 --name x', '/ticket_priority/32'],
		['term update ticket_priority @2024 --name x', '/ticket_priority/31'],
		['term update ticket_priority id:2024 --name x', '/ticket_priority/2024'],
		['term update ticket_priority --input terms.csv', '/ticket_priority/31'],
	])('%s changes the term that is meant', async (command, path) => {
		const service = await startDirectoryService({ terms });
		service.write('terms.csv', 'id,name\n@2024,x\n');
		const { stderr } = await service.run(command);
		expect([stderr, service.written()]).toEqual([expect.any(String), [[path, { name: 'x' }]]]);
	});

	test('is an ID where the service lists no terms, and a name that is marked as one is refused', async () => {
		const service = await startDirectoryService({ terms, lists: false });
		await service.run('ticket update 14 --ticket-tag 2024,5');
		expect(service.written()).toEqual([['/tickets/14', { 'ticket-tag': [2024, 5] }]]);
		const { exitCode, stderr } = await service.run('ticket update 14 --ticket-tag @2024');
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining("doesn't list its ticket-tag terms; use the ID")]);
	});
});

describe('a condition', () => {
	test('of a delete takes names', async () => {
		const service = await startDirectoryService({ terms });
		await service.run('ticket update 14 --assignee jdoe --ticket-tag bug,vip');
		const { exitCode, stderr } = await service.run(
			'ticket delete 14 --force --yes --if assignee=jdoe --if ticket-tag=vip,bug',
		);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(service.requests.some(({ method }) => method === 'DELETE')).toBe(true);
	});
});

describe('a number as a user', () => {
	test.each([
		['--assignee 12345', 12345],
		['--assignee @12345', 9],
		['--assignee id:7', 7],
		['--assignee #7', 7],
	])('%s', async (flags, assignee) => {
		const service = await startDirectoryService();
		const { exitCode, stderr } = await service.run(['ticket', 'update', '14', ...flags.split(' ')]);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(service.written()).toEqual([['/tickets/14', { assignee }]]);
	});
});

describe('a user in the sandbox', () => {
	test.each([
		['by email', 'jose.kaya@desk.example'],
		['by the only display name like it', 'José Kaya'],
		['by username', 'JOSE.KAYA'],
	])('is found %s by an administrator', async (_, name) => {
		const desk = await startSandbox({ seed: 20 });
		const jose = [...desk.store.users.values()].find(({ username }) => username === 'jose.kaya');
		Object.assign(jose ?? {}, { email: 'jose.kaya@desk.example', name: 'José Kaya' });
		const work = createWorkplace(desk.env);
		const { exitCode, stderr } = await work.run(['ticket', 'update', '14', '--assignee', name]);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(desk.store.tickets.get(14)?.assignee).toBe(jose?.id);
		await desk.stop();
	});

	test('is found by slug by a manager, who is told, and otherwise it is a matter of rights', async () => {
		const desk = await startSandbox({ seed: 20, role: 'manager' });
		const work = createWorkplace(desk.env);
		const [agent] = [...desk.store.users.values()].filter(
			({ roles, id }) =>
				roles.includes('agent') && [...desk.store.replies.values()].some(({ author }) => author === id),
		);
		const found = await work.run(['ticket', 'update', '14', '--assignee', agent?.username ?? '']);
		expect(found).toMatchObject({
			exitCode: 0,
			stderr: `warning: ${agent?.username} by slug: user ${agent?.id} (your account may not see usernames)\n`,
		});
		expect(desk.store.tickets.get(14)?.assignee).toBe(agent?.id);
		const missing = await work.run('ticket update 14 --assignee nobody.here');
		expect([missing.exitCode, missing.stderr]).toEqual([
			2,
			expect.stringContaining(`can't look up user "nobody.here": your account may not see usernames`),
		]);
		await desk.stop();
	});
});

describe('143 names in cells', () => {
	const users = Object.fromEntries(Array.from({ length: 143 }, (_, at) => [`agent${at}`, at + 1]));
	const isUserRequest = ({ url }: RecordedRequest): boolean => url.includes('/users');

	/** A list of users with pages and totals. */
	function pagesOf({ url }: RecordedRequest) {
		const { pathname, searchParams: query } = new URL(url, 'http://x');
		if (!pathname.endsWith('/users') || query.has('include')) return undefined;
		const search = query.get('search') ?? '';
		const found = Object.entries(users)
			.map(([username, id]) => ({ id, username, slug: username }))
			.filter(({ username }) => username.includes(search));
		const from = (Number(query.get('page') ?? 1) - 1) * 100;
		return json(200, found.slice(from, from + 100), {
			'x-wp-total': String(found.length),
			'x-wp-totalpages': String(Math.ceil(found.length / 100)),
		});
	}

	test('cost a request for a hundred users, and nothing at a resume under faults', async () => {
		let isFaulty = false;
		const service = await startDirectoryService({
			users,
			instead(request) {
				if (isFaulty && isUserRequest(request)) return text(502, 'Bad gateway');
				return pagesOf(request);
			},
		});
		service.sheet('t.csv', 'id,assignee', 300, (row) => `${row},agent${row % 143}`);
		await service.run('ticket update --input t.csv -q --first 150');
		// Five one by one, some of them asked twice, and two pages.
		expect(service.requests.filter(isUserRequest).length).toBeLessThanOrEqual(12);
		isFaulty = true;
		const before = service.requests.length;
		const { exitCode, stderr } = await service.run('run resume last -q', { clock: hastyClock(100) });
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		// No name is looked up: only whether the users exist is asked, in one request, which is tried five times.
		const asked = service.requests.slice(before).filter(isUserRequest);
		expect(asked.map(({ method, url }) => [method, /[?&](include|search)=/.exec(url)?.[1]])).toEqual(
			Array.from({ length: 5 }, () => ['GET', 'include']),
		);
		// All but tickets 1, 144 and 287, which are assigned to agent1 already.
		expect(service.written()).toHaveLength(297);
	});

	test('survive a gateway that fails every third request', async () => {
		let count = 0;
		const service = await startDirectoryService({
			users,
			instead: (request) =>
				isUserRequest(request) && count++ % 3 === 0 ? text(502, '<html>Bad gateway</html>') : pagesOf(request),
		});
		service.sheet('t.csv', 'id,assignee', 143, (row) => `${row},agent${row - 1}`);
		const { exitCode, stderr } = await service.run('ticket update --input t.csv -q', { clock: hastyClock(100) });
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		const others = Array.from({ length: 143 }, (_, at) => at + 1).filter((id) => id !== 2);
		expect(new Map(service.written())).toEqual(new Map(others.map((id) => [`/tickets/${id}`, { assignee: id }])));
	});

	test('show that they are looked up at a terminal, where one is tried again', async () => {
		let count = 0;
		const service = await startDirectoryService({
			users,
			instead: (request) => (isUserRequest(request) && count++ === 0 ? text(502, 'Bad gateway') : pagesOf(request)),
		});
		const names = Object.keys(users).slice(0, 8);
		const shell = `{ echo id,assignee; ${names.map((name, at) => `echo ${at + 1},${name};`).join(' ')} } >t.csv; supportctl ticket update --input t.csv`;
		const { exitCode, raw } = await runInTerminal([], { shell, env: service.env });
		expect([exitCode, raw]).toEqual([0, expect.stringContaining('looking up names')]);
	});
});

describe('user id', () => {
	test.each([
		['jdoe', '7\n'],
		['jdoe JOSE.KAYA @12345', '7\n8\n9\n'],
	])('of %s asks the list of users where the lookup is refused, and says so once', async (names, stdout) => {
		const service = await startDirectoryService();
		const result = await service.run(`user id ${names} --format ids -j 1`);
		expect(result).toEqual({
			exitCode: 0,
			stdout,
			stderr: expect.stringMatching(
				/^warning: this service refuses to look up other users; reading its list of users instead\n(?!.*warning)/,
			),
		});
	});

	test('of one that nobody has fails with the nearest name', async () => {
		const service = await startDirectoryService();
		const { exitCode, stderr } = await service.run('user id jdeo');
		expect([exitCode, stderr]).toEqual([1, expect.stringContaining('user "jdeo" not found; did you mean "jdoe"?')]);
	});

	test('is a matter of rights where nobody is listed', async () => {
		const service = await startDirectoryService({ lists: false });
		const { exitCode, stderr } = await service.run('user id jdoe');
		expect([exitCode, stderr]).toEqual([1, expect.stringContaining('your account may only look up itself')]);
	});

	test('of a manager is found by slug', async () => {
		const desk = await startSandbox({ seed: 20, role: 'manager' });
		const authors = new Set([...desk.store.replies.values()].map(({ author }) => author));
		const agent = [...desk.store.users.values()].find(({ id, roles }) => roles.includes('agent') && authors.has(id));
		const { stdout, stderr } = await createWorkplace(desk.env).run(`user id ${agent?.username} --format ids`);
		expect([stdout, stderr]).toEqual([`${agent?.id}\n`, expect.stringContaining(`${agent?.username} by slug`)]);
		await desk.stop();
	});
});
