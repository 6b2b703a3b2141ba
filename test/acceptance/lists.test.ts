/** Lists by the built binary: everything once, whatever the list does meanwhile. */

import { describe, expect, test } from 'vitest';
import { runCli, runHere } from '../support/cli.js';
import { startListService, ticket, tickets } from '../support/list-service.js';
import { json, type Responder, startRecorder, text } from '../support/recorder.js';
import { hastyClock } from '../support/workplace.js';

/** Without the comment at the end of a list that is incomplete. */
const idsIn = (text: string): number[] =>
	text
		.replace(/^# incomplete: .* came\n$/m, '')
		.split('\n')
		.filter(Boolean)
		.map(Number);
const idsOf = (objects: readonly { id: number }[]): number[] => objects.map(({ id }) => id);

describe('a list', () => {
	test('is everything that the service has, in the order of ids, with its default filters overridden', async () => {
		const service = await startListService({ objects: tickets(250) });
		const { stdout, stderr, exitCode } = await runCli('ticket list --format ids', { env: service.env });
		expect({ exitCode, stderr, ids: idsIn(stdout) }).toEqual({ exitCode: 0, stderr: '', ids: idsOf(service.objects) });
		const [first] = service.requests;
		expect(Object.fromEntries(new URL(first?.url as string, 'http://x').searchParams)).toEqual({
			assignee: '0',
			author: '0',
			state: 'any',
			status: 'any',
			orderby: 'id',
			order: 'asc',
			context: 'edit',
			per_page: '100',
			_fields: 'id',
		});
		expect(
			service.requests.every(({ method, url }) => method === 'GET' && url.includes('/support-api/v1/tickets?')),
		).toBe(true);
	});

	test.each([
		['reply list 14', { status: 'any' }],
		['reply list 14 --status read', { status: 'read' }],
		['user list', {}],
		['attachment list', {}],
		['term list product', {}],
	])('%s overrides the default filters of its objects, and no others', async (command, filters) => {
		const { env, requests } = await startRecorder(json(200, []));
		await runHere(command, { env });
		const query = new URL(requests[0]?.url as string, 'http://x').searchParams;
		for (const name of ['per_page', '_fields']) query.delete(name);
		expect(Object.fromEntries(query)).toEqual({ orderby: 'id', order: 'asc', context: 'edit', ...filters });
	});

	test('takes the filters of the caller in place of its own', async () => {
		const service = await startListService({ objects: tickets(1) });
		const flags = [
			'--state',
			'open',
			'--assignee',
			'7',
			'--search',
			'a & b',
			'--before',
			'2026-03-31',
			'--ticket-tag',
			'5,7',
		];
		await service.run(['ticket', 'list', ...flags]);
		const list = service.requests.find(({ url }) => url.includes('/tickets?'));
		const query = Object.fromEntries(new URL(list?.url as string, 'http://x').searchParams);
		expect(query).toMatchObject({
			state: 'open',
			assignee: '7',
			search: 'a & b',
			before: '2026-03-31T00:00:00',
			'ticket-tag': '5,7',
			author: '0',
		});
	});

	test.each([
		['hodl', 'warning: --status: unknown status "hodl"; did you mean "hold"?\n'],
		...['hold', 'any', 'trash', 'publish', 'escalated'].map((status) => [status, '']),
	])('by the status %s is sent as asked', async (status, stderr) => {
		const service = await startListService({ objects: tickets(1) });
		const run = await service.run(['ticket', 'list', '--format', 'count', '--status', status as string]);
		expect(run).toMatchObject({ exitCode: 0, stderr });
		expect(service.requests[0]?.url).toContain(`status=${status}`);
	});

	test('is asked for no more than --limit', async () => {
		const service = await startListService({ objects: tickets(250) });
		const few = await service.run('ticket list --limit 3 --format ids');
		expect(idsIn(few.stdout)).toEqual(idsOf(service.objects.slice(0, 3)));
		expect(service.requests.map(({ url }) => new URL(url, 'http://x').searchParams.get('per_page'))).toEqual(['3']);
		const more = await service.run('ticket list --limit 150 --format count');
		expect(more).toMatchObject({ exitCode: 0, stdout: '150\n', stderr: '' });
		const part = await service.run('ticket list --limit 150 --format ids');
		expect(idsIn(part.stdout)).toEqual(idsOf(service.objects.slice(0, 150)));
	});

	test.each([
		['what an update reads', ['--format', 'csv'], /^id,date,.*,modified_gmt$/],
		['the columns of a table', [], /^id,title,status,state,assignee,ticket_priority,modified_gmt$/],
		['the fields that are named', ['--fields', 'title,status'], /^id,title,status$/],
		['fields that no update has', ['--fields', 'title,link.self'], /^id,title,link$/],
		['all, for a query', ['--query', '[].id'], undefined],
		['all, for whole objects', ['--format', 'yaml'], undefined],
	])('asks the service for no more than is printed: %s', async (_name, flags, fields) => {
		const service = await startListService({ objects: tickets(1) });
		await service.run(['ticket', 'list', ...flags]);
		const asked = new URL(service.requests[0]?.url as string, 'http://x').searchParams.get('_fields');
		if (fields === undefined) expect(asked).toBeNull();
		else expect(asked).toMatch(fields);
	});

	test('--assignee @me lists the tickets assigned to your own account', async () => {
		const service = await startListService({
			objects: tickets(1),
			instead: ({ url }) => (url.endsWith('/users/username') ? json(200, { id: 42 }) : undefined),
		});
		await service.run('ticket list --assignee @me');
		expect(service.requests[1]?.url).toContain('assignee=42');
	});
});

describe('a list that shifts while it is read', () => {
	// Objects go away before the place that is read, so that those behind it move to pages that were read already.
	for (const at of [1, 2, 3, 4]) {
		test.each([
			['and counts rightly', undefined, undefined],
			['with a new one at its end, so that the count stays', undefined, 'new'],
			['and a count that is always the same', 500, undefined],
			['and no count at all', null, undefined],
		])(`loses none that stay, with objects deleted after response ${at}, %s`, async (_name, total, more) => {
			const objects = tickets(450);
			const service = await startListService({
				objects,
				...(total === undefined ? {} : { total }),
				...(total === null ? { totalPages: null } : {}),
				afterPage(_page, { objects: list }, count) {
					if (count !== at) return;
					list.splice(5, 2);
					if (more === 'new') list.push(ticket(9000), ticket(9003));
				},
			});
			const before = idsOf(objects);
			const { stdout, exitCode } = await service.run('ticket list --format ids -j 2');
			const ids = idsIn(stdout);
			const stayed = before.filter((id) => service.objects.some((each) => each.id === id));
			expect(exitCode).toBe(0);
			expect(stayed.filter((id) => !ids.includes(id))).toEqual([]);
			expect(new Set(ids).size).toBe(ids.length);
			if (total === undefined && more === undefined) expect(ids).toEqual(ids.toSorted((left, right) => left - right));
		});
	}

	test('loses none where more than a page goes away at once', async () => {
		const service = await startListService({
			objects: tickets(700),
			afterPage(_page, { objects: list }, count) {
				if (count === 5) list.splice(0, 130);
			},
		});
		const { stdout } = await service.run('ticket list --format ids -j 1');
		const ids = idsIn(stdout);
		expect(idsOf(service.objects).filter((id) => !ids.includes(id))).toEqual([]);
	});

	test('prints an object once that comes on two pages', async () => {
		const service = await startListService({
			objects: tickets(250),
			afterPage(_page, { objects: list }, count) {
				// One comes back from the trash, and moves all the others.
				if (count === 3) list.unshift(ticket(1));
			},
		});
		const { stdout } = await service.run('ticket list --format ids -j 1');
		const ids = idsIn(stdout);
		expect(new Set(ids).size).toBe(ids.length);
		expect(idsOf(tickets(250)).filter((id) => !ids.includes(id))).toEqual([]);
	});

	test('says when the service counts another number than it lists', async () => {
		const service = await startListService({ objects: tickets(250), total: 260 });
		const { stderr, exitCode } = await service.run('ticket list --format ids');
		expect({ stderr, exitCode }).toEqual({
			stderr: 'warning: 250 tickets were listed, but the service counts 260 (X-WP-Total)\n',
			exitCode: 0,
		});
	});

	test.each<[string, (page: number, url: string) => Responder | undefined, number, RegExp]>([
		[
			'is repeated',
			() => json(200, tickets(100)),
			0,
			/^warning: the service repeats a page after 100 tickets, so there may be more\n$/,
		],
		[
			'is repeated, of 300',
			() => json(200, tickets(100), { 'x-wp-total': '300' }),
			0,
			/100 tickets were listed, but the service counts 300/,
		],
		[
			'is repeated, of a billion',
			() => json(200, tickets(100), { 'x-wp-totalpages': '1000000000' }),
			3,
			/the service repeats pages: 100 objects were read/,
		],
		[
			'is refused',
			(page) => (page === 2 ? json(404, { code: 'rest_forbidden', message: 'No.' }) : undefined),
			3,
			/the list is incomplete: 100 were printed/,
		],
		[
			'is HTML',
			(page) => (page === 2 ? text(200, '<html>Hi</html>') : undefined),
			3,
			/the list is incomplete: 100 were printed/,
		],
	])('whose second page %s says so, and ends', async (_what, answer, exitCode, says) => {
		const service = await startListService({
			objects: tickets(250),
			instead: ({ url }) => answer(Number(new URL(url, 'http://x').searchParams.get('page') ?? 1), url),
		});
		const result = await service.run('ticket list --format ids --retries 0 -j 1');
		expect(result).toMatchObject({ exitCode, stderr: expect.stringMatching(says) });
		expect(idsIn(result.stdout)).toHaveLength(100);
		expect(service.requests.length).toBeLessThan(8);
	});

	test('with fewer objects a page than were asked for is read on by what comes', async () => {
		const all = tickets(120);
		const service = await startListService({
			objects: [],
			instead({ url }) {
				const page = Number(new URL(url, 'http://x').searchParams.get('page') ?? 1);
				return json(200, all.slice((page - 1) * 50, page * 50));
			},
		});
		const { stdout, stderr, exitCode } = await service.run('ticket list --format ids');
		expect({ stderr, exitCode, ids: idsIn(stdout) }).toEqual({ stderr: '', exitCode: 0, ids: idsOf(all) });
	});

	test.each([
		['too few pages', 2],
		['too many pages', 9],
		['no pages', null],
	])('is read to its end though the service says %s', async (_name, totalPages) => {
		const service = await startListService({ objects: tickets(520), totalPages });
		const { stdout } = await service.run('ticket list --format ids');
		expect(idsIn(stdout)).toEqual(idsOf(service.objects));
	});
});

describe('pages', () => {
	test('are fetched as many at a time as -j says, and printed in order', async () => {
		let underWay = 0;
		let most = 0;
		const service = await startListService({
			objects: tickets(1200),
			delayMs: 40,
			instead() {
				most = Math.max(most, ++underWay);
				return undefined;
			},
			afterPage: () => underWay--,
		});
		const { stdout } = await service.run('ticket list --format ids -j 3');
		expect({ most, ids: idsIn(stdout) }).toEqual({ most: 3, ids: idsOf(service.objects) });
	});

	test('are not kept: a list that is larger than the memory is exported', async () => {
		const content = 'Some text & more. '.repeat(600);
		const objects = tickets(4000).map((each) => ({ ...each, content }));
		const service = await startListService({ objects });
		const env = { ...service.env, NODE_OPTIONS: '--max-old-space-size=56' };
		const { stdout, stderr, exitCode } = await runCli('ticket list --format csv -q', { env });
		expect({ stderr, exitCode, lines: stdout.split('\n').length }).toEqual({ stderr: '', exitCode: 0, lines: 4002 });
	});
});

describe('failures on the way', () => {
	test('a request that a busy service refuses is retried, at a pace for all pages', async () => {
		const service = await startListService({
			objects: tickets(450),
			instead: (_request, count) =>
				count === 3 || count === 4 ? json(429, { code: 'busy', message: 'Slow down.', data: null }) : undefined,
		});
		const { stdout, exitCode } = await service.run('ticket list --format count');
		expect({ stdout, exitCode }).toEqual({ stdout: '450\n', exitCode: 0 });
	});

	test('a page that can not be read ends the list with what was printed', async () => {
		const service = await startListService({
			objects: tickets(450),
			instead: ({ url }) =>
				url.includes('page=4') ? json(500, { code: 'db_error', message: 'Database gone.', data: null }) : undefined,
		});
		const { stdout, stderr, exitCode } = await service.run('ticket list --format ids --retries 0');
		expect(idsIn(stdout)).toEqual(idsOf(service.objects.slice(0, 300)));
		expect(exitCode).toBe(3);
		expect(stderr).toContain(
			'list tickets failed (HTTP 500 db_error): Database gone.; the list is incomplete: 300 were printed',
		);
	});

	test('a service without lists is named, with the way to go on', async () => {
		const service = await startRecorder(
			json(404, { code: 'rest_no_route', message: 'No route.', data: { status: 404 } }),
		);
		const { stderr, exitCode } = await runHere('ticket list', { env: service.env });
		expect(exitCode).toBe(1);
		expect(stderr).toContain('this service has no lists (404 rest_no_route)');
		expect(stderr).toContain('ids.txt');
	});

	test('where raw values are refused, columns of rendered text are left out with a warning', async () => {
		const service = await startListService({
			objects: [ticket(14, { title: 'R & D', slug: 'r-d' })],
			instead: ({ url }) =>
				url.includes('context=edit')
					? json(403, { code: 'rest_forbidden_context', message: 'Sorry.', data: { status: 403 } })
					: undefined,
		});
		const { stdout, stderr } = await service.run('ticket list --format csv');
		expect(stdout).not.toContain('<p>');
		expect(stdout.split('\n')[0]).not.toContain('title');
		expect(stderr).toContain('title: skipped: the service only returns rendered text');
		expect(stderr).toContain('context=edit');
	});
});

describe('single objects', () => {
	test('are shown by their ids, and each that is not there is said', async () => {
		const service = await startListService({ objects: [ticket(14, { title: 'A' }), ticket(15, { title: 'B' })] });
		const { stdout, stderr, exitCode } = await service.run('ticket get 14 99 15 --fields id,title');
		expect({ stdout, exitCode }).toEqual({ stdout: '14\tA\n15\tB\n', exitCode: 3 });
		expect(stderr).toContain('ticket 99 not found (HTTP 404 rest_post_invalid_id)');
		const one = await service.run('ticket get 14 --json');
		expect(JSON.parse(one.stdout)).toMatchObject({ id: 14, title: 'A', status: 'hold' });
	});

	test.each([
		[['get', '14'], 'csv'],
		[['get', '14', '15'], 'csv'],
		[['list'], 'tsv'],
		[['list'], 'table'],
	])('with a column that none has, %j --format %s prints the error alone', async (words, format) => {
		const service = await startListService({ objects: [ticket(14, { title: 'A' }), ticket(15)] });
		const argv = ['ticket', ...words, '--format', format, '--fields', 'id,titel'];
		const { stdout, stderr, exitCode } = await service.run(argv);
		expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
		expect(stderr).toMatch(/^error: no row has a column "titel"; did you mean "title"\?\nhint: there are id, .*\n$/);
	});

	test('with a column that only later objects have, are all shown', async () => {
		const service = await startListService({ objects: [ticket(14), ticket(15, { title: 'B' })] });
		const argv = ['ticket', 'get', '14', '15', '--fields', 'id,title'];
		expect(await service.run(argv)).toEqual({ exitCode: 0, stdout: '14\t\n15\tB\n', stderr: '' });
	});

	test('whoami shows the account, and its id alone where the service reads no users', async () => {
		const service = await startRecorder((request, response, count) =>
			request.url.includes('/users/me')
				? json(200, { id: 7, username: 'ada', roles: ['agent'] })(request, response, count)
				: json(200, { id: 7 })(request, response, count),
		);
		const clock = hastyClock(100);
		const all = await runHere('whoami --json', { env: service.env, clock });
		expect(JSON.parse(all.stdout)).toMatchObject({ id: 7, roles: ['agent'], service: service.baseUrl });
		const bare = await startRecorder((request, response, count) =>
			request.url.includes('/users/me')
				? json(404, { code: 'rest_no_route', message: 'No route.', data: null })(request, response, count)
				: json(200, { id: 7 })(request, response, count),
		);
		expect((await runHere('whoami --field id', { env: bare.env, clock })).stdout).toBe('7\n');
	});
});
