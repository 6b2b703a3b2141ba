/** What a list is asked for, and what is checked before. */

import { describe, expect, test } from 'vitest';
import { neutralDialect } from '../../../src/api/dialect.js';
import { reads } from '../../../src/api/reads.js';
import { createDirectories } from '../../../src/bulk/lists/directory.js';
import { objectId, ownerIds, readQuery } from '../../../src/bulk/lists/query.js';
import { systemClock } from '../../../src/io/context.js';
import { runHere } from '../../support/cli.js';
import { startListService, ticket, tickets } from '../../support/list-service.js';
import { json, type Recorder } from '../../support/recorder.js';
import { startSandbox } from '../../support/sandbox.js';

const queryOf = ({ requests }: Recorder, at = 0): Record<string, string> =>
	Object.fromEntries(new URL(requests[at]?.url as string, 'http://x').searchParams);

const people = [
	ticket(14, { assignee: 3, author: 7 }),
	ticket(15, { assignee: 0, author: 7 }),
	ticket(16, { assignee: 3, author: 0 }),
	ticket(17, { assignee: 0, author: 0 }),
];

describe('a filter by a user', () => {
	test.each(['assignee', 'author'])('--%s 0, which means everyone to the service, is refused', async (flag) => {
		const service = await startListService({ objects: [...people] });
		const { exitCode, stderr } = await service.run(`ticket list --${flag} 0`);
		expect({ exitCode, requests: service.requests.length }).toEqual({ exitCode: 2, requests: 0 });
		expect(stderr).toContain(`--${flag} 0 would match every ticket`);
		expect(stderr).toContain(`hint: for tickets without one: supportctl ticket list --${flag} none`);
	});

	test.each([
		['--assignee none', '15\n17\n'],
		['--author none', '16\n17\n'],
		['--assignee none --author none', '17\n'],
		['--assignee none --limit 1', '15\n'],
	])('%s lists the objects without one', async (flags, stdout) => {
		const service = await startListService({ objects: [...people] });
		expect(await service.run(`ticket list ${flags} --format ids`)).toEqual({ exitCode: 0, stdout, stderr: '' });
	});

	test('none reads as many pages as it needs, and counts what is printed', async () => {
		const objects = tickets(250).map((each, at) => ({ ...each, assignee: at % 50 === 0 ? 0 : 3 }));
		const service = await startListService({ objects });
		expect(await service.run('ticket list --assignee none --format count')).toEqual({
			...{ exitCode: 0, stdout: '5\n', stderr: '' },
		});
		expect((await service.run('ticket list --assignee none -L 4 --format count')).stdout).toBe('4\n');
	});
});

describe('a filter by a term', () => {
	test('none excludes all terms, since a ticket may show an empty slug for one that it has', async () => {
		const sandbox = await startSandbox({ seed: 20 });
		for (const each of sandbox.store.tickets.values()) if (each.id % 2 === 0) each.product = 0;
		const { stdout } = await runHere('ticket list --product none --format ids', { env: sandbox.env });
		const wanted = [...sandbox.store.tickets.keys()].filter((id) => id % 2 === 0);
		expect(stdout).toBe(wanted.map((id) => `${id}\n`).join(''));
		expect(sandbox.requests.at(-1)?.path).toContain('product_exclude=');
		await sandbox.stop();
	});

	test('none looks for empty fields where the service has no list of terms', async () => {
		const service = await startListService({
			objects: [ticket(14, { product: '' }), ticket(15, { product: 'x' }), ticket(16, { product: [] })],
			instead: ({ url }) =>
				url.includes('/tickets') ? undefined : json(404, { code: 'rest_no_route', message: 'No.', data: null }),
		});
		expect((await service.run('ticket list --product none --format ids')).stdout).toBe('14\n16\n');
	});
});

describe('a value that no ticket can have', () => {
	test.each([
		['--status closed', 'did you mean: supportctl ticket list --state closed'],
		['--status Open', 'did you mean: supportctl ticket list --state open'],
		['--state hold', 'use open, closed, any'],
		['--state opne', 'did you mean "open"?'],
		['--before yesterday', 'use a date such as 2026-03-31'],
		['--sort colour', 'use id, date, '],
		['--sort titel', 'did you mean "title"?'],
	])('%s is a usage error with a way on', async (flags, way) => {
		const service = await startListService({ objects: tickets(1) });
		const { exitCode, stdout, stderr } = await service.run(`ticket list ${flags}`);
		expect({ exitCode, stdout, requests: service.requests.length }).toEqual({ exitCode: 2, stdout: '', requests: 0 });
		expect(stderr).toContain(way);
	});

	test('--state is read in any case', async () => {
		const service = await startListService({ objects: tickets(1) });
		await service.run('ticket list --state Open');
		expect(queryOf(service)).toMatchObject({ state: 'open' });
	});
});

describe('--sort', () => {
	test.each([
		[[], { orderby: 'id', order: 'asc' }],
		[['--sort', 'modified'], { orderby: 'modified', order: 'asc' }],
		[['--sort', '-modified_gmt'], { orderby: 'modified', order: 'desc' }],
		[['--sort=-id'], { orderby: 'id', order: 'desc' }],
	])('%j in a pipe asks for %j', async (flags, query) => {
		const service = await startListService({ objects: tickets(1) });
		expect(await service.run(['ticket', 'list', ...flags])).toMatchObject({ exitCode: 0, stderr: '' });
		expect(queryOf(service)).toMatchObject(query);
	});

	test('that the service refuses is an error, and no other order is printed', async () => {
		const body = { code: 'rest_invalid_param', message: 'Invalid.', data: { params: { orderby: 'not one of id' } } };
		const service = await startListService({ objects: tickets(3), instead: () => json(400, body) });
		const { exitCode, stdout, stderr } = await service.run('ticket list --sort title');
		expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
		expect(stderr).toContain('not one of id');
	});
});

test.each([
	['In Progress', 'in-progress'],
	['HOLD', 'hold'],
	['shop_on_hold', 'shop-on-hold'],
])('--status "%s" asks for %s', async (given, asked) => {
	const service = await startListService({ objects: [] });
	const { exitCode, stderr } = await service.run(['ticket', 'list', '--status', given]);
	expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'no tickets match\n' });
	expect(queryOf(service).status).toBe(asked);
});

test('a filter by a user takes one', async () => {
	const service = await startListService({ objects: [] });
	const { exitCode, stderr } = await service.run('ticket list --assignee ada,jdoe');
	expect([exitCode, stderr]).toEqual([2, 'error: --assignee takes one user\n']);
});

test('what filters name is looked up, and the service is asked by ID', async () => {
	const terms = [{ id: 31, slug: 'vip', name: 'VIP' }];
	const directories = createDirectories({
		dialect: neutralDialect,
		send: async ({ path }) => {
			const users = path.includes('/users/username') ? { id: 7 } : [{ id: 7, username: 'jdoe' }];
			const headers = { 'x-wp-total': '1' };
			return { outcome: 'ok', status: 200, body: path.includes('/users') ? users : terms, headers, attempts: 1, ms: 1 };
		},
		account: async () => undefined,
		tell: () => undefined,
	});
	const asked = { read: reads.ticket, dialect: neutralDialect, directories, now: 0 };
	const given = { assignee: 'jdoe', author: 'none', 'ticket-tag': 'VIP,9', status: 'hodl', after: '2026-03-31' };
	expect(await readQuery(given, '-modified_gmt', asked)).toEqual({
		parameters: {
			...reads.ticket.query,
			...{ orderby: 'modified', order: 'desc' },
			...{ assignee: '7', 'ticket-tag': '31,9', status: 'hodl', after: '2026-03-31T00:00:00' },
		},
		byId: undefined,
		conditions: [{ field: 'author', holds: expect.any(Function) }],
		warnings: ['--status: unknown status "hodl"; did you mean "hold"?'],
		doubts: [],
	});
});

describe('dates', () => {
	const NOW = Date.parse('2026-11-27T12:00:00Z');
	const objects = [
		ticket(14, { date_gmt: '2026-01-01T00:00:00', modified_gmt: '2026-11-26T12:00:01' }),
		ticket(15, { date_gmt: '2026-11-01T00:00:00', modified_gmt: '2026-08-01T00:00:00' }),
		ticket(16, { date_gmt: '2026-01-01T00:00:00', modified_gmt: null }),
	];
	const clock = { ...systemClock, now: () => NOW };

	test.each([
		['--modified-before 90d', '15\n'],
		['--modified-after 24h', '14\n'],
		['--modified-before 2026-11-26T12:00:01Z', '15\n'],
		['--modified-before 2026-11-26T13:00:02+01:00', '14\n15\n'],
		['--modified-after 2026-07-31 --modified-before 2026-08-02', '15\n'],
	])('%s compares modification dates here, and says which objects show none', async (flags, stdout) => {
		const service = await startListService({ objects: [...objects] });
		const { stderr, ...ended } = await service.run(`ticket list ${flags} --format ids`, { clock });
		expect(ended).toEqual({ exitCode: 0, stdout });
		expect(stderr).toContain("1 ticket left out: the modified_gmt can't be read");
		expect(Object.keys(queryOf(service)).filter((name) => name.startsWith('modified'))).toEqual([]);
	});

	test.each([
		['--created-before 90d', { before: '2026-08-29T12:00:00Z' }],
		['--before 90d', { before: '2026-08-29T12:00:00Z' }],
		['--created-after 2026-03-31', { after: '2026-03-31T00:00:00' }],
		['--after 12h', { after: '2026-11-27T00:00:00Z' }],
	])('%s is asked of the service', async (flags, asked) => {
		for (const list of ['ticket list', 'reply list 14', 'attachment list']) {
			const service = await startListService({ objects: [] });
			expect(await service.run(`${list} ${flags}`, { clock })).toMatchObject({ exitCode: 0 });
			expect(queryOf(service)).toMatchObject(asked);
		}
	});

	test('users are compared by when they registered', async () => {
		const { env } = await startSandbox();
		const all = await runHere('user list --field id', { env });
		expect(await runHere('user list --created-after 2000-01-01 --field id', { env })).toEqual(all);
		expect(await runHere('user list --created-before 2000-01-01', { env })).toMatchObject({
			stderr: 'no users match\n',
		});
	});

	test('other texts and both names of one filter are refused', async () => {
		const service = await startListService({ objects: [] });
		const odd = await service.run('ticket list --modified-before soon');
		expect([odd.exitCode, odd.stderr]).toEqual([
			2,
			expect.stringContaining('--modified-before: "soon" is not a date or an age\nhint: use a date such as'),
		]);
		const twice = await service.run('ticket list --before 1d --created-before 2d');
		expect([twice.exitCode, twice.stderr]).toEqual([2, expect.stringContaining("--created-before can't be used with")]);
		expect(service.requests).toEqual([]);
	});
});

test('a status that nobody knows is a warning where no ticket has it', async () => {
	const service = await startListService({ objects: [] });
	expect((await service.run('ticket list --status nope')).stderr).toBe(
		'warning: --status: unknown status "nope"; see "supportctl help statuses"\nno tickets match\n',
	);
});

describe('one of several values that may be a typo', () => {
	const UNKNOWN = 'warning: --status: unknown status "nope"; see "supportctl help statuses"\n';

	test.each([
		['nope,hold', UNKNOWN],
		['hold, nope', UNKNOWN],
		['escalated,hold', ''],
		['hold,trash', ''],
		['hodl,hold', 'warning: --status: unknown status "hodl"; did you mean "hold"?\n'],
	])('is told about in %s, unless an object has it', async (status, stderr) => {
		for (const format of ['ids', 'table', 'count']) {
			const service = await startListService({ objects: [ticket(14), ticket(15, { status: 'escalated' })] });
			const run = await service.run(['ticket', 'list', '--format', format, '--status', status]);
			expect({ format, ...run, stdout: run.stdout !== '' }).toEqual({ format, exitCode: 0, stdout: true, stderr });
		}
	});

	test('is asked for in documented spelling, and a state among them is refused', async () => {
		const service = await startListService({ objects: tickets(1) });
		await service.run(['ticket', 'list', '--status', 'Hold, In Progress']);
		expect(queryOf(service).status).toBe('hold,in-progress');
		const { exitCode, stderr } = await service.run(['ticket', 'list', '--status', 'hold,Closed']);
		expect([exitCode, stderr]).toEqual([
			2,
			expect.stringContaining('"Closed" is a state, not a status\nhint: did you'),
		]);
	});
});

describe('a role that no user has', () => {
	test.each([
		['nope', 'no user has the role "nope"; roles in use: administrator, agent, customer, manager'],
		['agnt', 'no user has the role "agnt"; did you mean "agent"?'],
		['Agent,customer', 'no user has the role "Agent"; did you mean "agent"?'],
	])('is a warning: %s', async (roles, warning) => {
		const { env } = await startSandbox();
		for (const format of [[], ['--format', 'csv'], ['--format', 'count']]) {
			const { exitCode, stderr } = await runHere(['user', 'list', '--roles', roles, ...format], { env });
			expect([exitCode, stderr.split('\n')[0]]).toEqual([0, `warning: --roles: ${warning}`]);
		}
		const { stderr } = await runHere(['user', 'list', '--roles', roles, '--json'], { env });
		expect(JSON.parse(stderr.split('\n')[0] as string)).toEqual({ warning: `--roles: ${warning}` });
	});

	test.each(['--roles agent,customer', '--roles agent --search zzz', '--roles administrator --limit 1'])(
		'is none where another filter left nothing: %s',
		async (flags) => {
			const { env } = await startSandbox();
			expect((await runHere(`user list ${flags}`, { env })).stderr).not.toContain('warning');
		},
	);
});

test.each(["[?modified_gmt<'2026-08-25']", "[?'a' >= title && id > `3`]"])(
	'--query %s would never be true, and is refused with the flags for dates',
	async (query) => {
		const service = await startListService({ objects: [] });
		const { exitCode, stderr } = await service.run(['ticket', 'list', '--query', query]);
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--modified-before 90d')]);
		expect((await service.run(['ticket', 'list', '--query', '[?id > `3`]'])).exitCode).toBe(0);
	},
);

describe('terms', () => {
	/** A service with one product, or without lists. */
	function askedOf(hasLists: boolean) {
		const listed = { outcome: 'ok', status: 200, body: [{ id: 11, slug: 'billing', name: 'Billing' }] } as const;
		const noRoute = { outcome: 'failed', status: 404, code: 'rest_no_route', message: 'No route.' } as const;
		const directories = createDirectories({
			dialect: neutralDialect,
			send: async () => ({ ...(hasLists ? listed : noRoute), attempts: 1, ms: 1, headers: { 'x-wp-total': '1' } }),
			account: async () => undefined,
			tell: () => undefined,
		});
		return { read: reads.term, dialect: neutralDialect, directories, now: systemClock.now() };
	}

	test.each([
		['none', '0'],
		['0', '0'],
		['11', '11'],
		['#11', '11'],
	])('are filtered by their parent: %s', async (parent, sent) => {
		expect((await readQuery({ parent }, 'id', askedOf(true))).parameters).toMatchObject({ parent: sent });
	});

	test('have a parent with an ID', async () => {
		await expect(readQuery({ parent: 'x' }, 'id', askedOf(true))).rejects.toThrow(/^--parent: invalid ID "x"/);
	});

	test('are named by ID, slug or name, as far as the service lists them', async () => {
		const owner = { taxonomy: 'product' };
		expect(await ownerIds(['product', 'product'], askedOf(true))).toEqual([owner]);
		for (const text of ['11', '#11', 'billing', 'Billing']) {
			expect(await objectId(owner, text, askedOf(true))).toBe('11');
		}
		await expect(objectId(owner, 'biling', askedOf(true))).rejects.toThrow(/biling/);
		await expect(objectId(owner, 'billing', askedOf(false))).rejects.toThrow(/invalid ID "billing"/);
	});
});
