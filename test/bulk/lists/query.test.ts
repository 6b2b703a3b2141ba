/** What a list is asked for, and what is checked before. */

import { describe, expect, test } from 'vitest';
import { neutralDialect } from '../../../src/api/dialect.js';
import { reads } from '../../../src/api/reads.js';
import { createDirectories } from '../../../src/bulk/lists/directory.js';
import { readQuery } from '../../../src/bulk/lists/query.js';
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
		expect(stderr).toContain(`--${flag} 0 would list every ticket: to the service, 0 means all`);
		expect(stderr).toContain(`hint: to list those without one: supportctl ticket list --${flag} none`);
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
		['--before yesterday', 'use an ISO 8601 date'],
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
	});
	const asked = { read: reads.ticket, dialect: neutralDialect, directories };
	const given = { assignee: 'jdoe', author: 'none', 'ticket-tag': 'VIP,9', status: 'hodl', after: '2026-03-31' };
	expect(await readQuery(given, '-modified_gmt', asked)).toEqual({
		parameters: {
			...reads.ticket.query,
			...{ orderby: 'modified', order: 'desc' },
			...{ assignee: '7', 'ticket-tag': '31,9', status: 'hodl', after: '2026-03-31T00:00:00' },
		},
		byId: undefined,
		absent: ['author'],
		warnings: ['--status: unknown status "hodl"; did you mean "hold"?'],
	});
});
