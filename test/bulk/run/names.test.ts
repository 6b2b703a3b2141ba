/** Usernames and names of terms wherever an ID is expected. */

import { describe, expect, test } from 'vitest';
import { DIGITS, SUPPORT, startDirectoryService, VIP } from '../../support/directory-service.js';
import { json } from '../../support/recorder.js';
import { hastyClock } from '../../support/workplace.js';

describe('a username stands for its ID', () => {
	test.each([
		['a flag', 'ticket update 14 --assignee jdoe', '/tickets/14', { assignee: 7 }],
		['a flag with other capitals', 'ticket update 14 --assignee Jose.Kaya', '/tickets/14', { assignee: 8 }],
		['a name of digits', 'ticket update 14 --author @12345', '/tickets/14', { author: 9 }],
		['nobody', 'ticket update 14 --assignee none', '/tickets/14', { assignee: 0 }],
		['your own', 'ticket update 14 --assignee @me', '/tickets/14', { assignee: 1 }],
		['JSON', `ticket update 14 --data {"assignee":"jdoe"}`, '/tickets/14', { assignee: 7 }],
		['an argument', 'user update jdoe --nickname J', '/users/7', { nickname: 'J' }],
		['a condition', 'ticket update 14 --title x --if title=old', '/tickets/14', { title: 'x' }],
	])('in %s', async (_where, line, path, body) => {
		const service = await startDirectoryService();
		const { exitCode, stderr } = await service.run(line.split(' '));
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(service.written()).toEqual([[path, body]]);
	});

	test('in a condition, which is compared by ID', async () => {
		const service = await startDirectoryService();
		await service.run('ticket update 14 --assignee jdoe');
		const { exitCode, stderr } = await service.run('ticket update 14 --title x --if assignee=jdoe');
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(service.written().at(-1)).toEqual(['/tickets/14', { title: 'x' }]);
	});

	test('in cells, each distinct name looked up once, also for a dry run', async () => {
		const service = await startDirectoryService();
		service.sheet('t.csv', 'id,assignee', 300, (row) => `${row},${row % 2 === 0 ? 'jdoe' : 'jose.kaya'}`);
		const dry = await service.run('ticket update --input t.csv --dry-run --format ndjson');
		expect({ exitCode: dry.exitCode, stderr: dry.stderr }).toMatchObject({ exitCode: 0 });
		expect(JSON.parse(dry.stdout.split('\n')[0] as string).body).toEqual({ assignee: 8 });
		// Each name, and once the name of the old assignee, who is gone.
		const asked = (): (string | null)[] =>
			service.requests
				.filter(({ url }) => url.includes('/users?'))
				.map(({ url }) => new URLSearchParams(url.split('?')[1]))
				.map((query) => query.get('search') ?? query.get('include'));
		expect([service.written().length, asked()]).toEqual([0, ['jose.kaya', 'jdoe', '2']]);
		const before = asked().length;
		const { exitCode, stderr } = await service.run('ticket update --input t.csv -q');
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		// Each name, and once whether the new assignees exist.
		expect(asked().slice(before)).toEqual(['jose.kaya', 'jdoe', '8,7']);
		expect(new Set(service.written().map(([, body]) => JSON.stringify(body)))).toEqual(
			new Set(['{"assignee":7}', '{"assignee":8}']),
		);
	});

	test('in a list, an owner and a deletion', async () => {
		const service = await startDirectoryService();
		await service.run('ticket list --author jdoe');
		expect(service.requests.at(-1)?.url).toContain('author=7');
		await service.run('user get jdoe');
		expect(service.requests.at(-1)?.url).toContain('/users/7?');
		await service.run('user password delete jdoe abc --yes');
		expect(service.requests.at(-1)?.url).toContain('/users/7/passwords/abc');
		await service.run('user delete jdoe --reassign jose.kaya --yes');
		expect(service.requests.at(-1)?.url).toContain('/users/7?force=true&reassign=8');
	});
});

describe('a name that nobody has', () => {
	test('makes its rows invalid, before anything is sent, with the nearest name', async () => {
		const service = await startDirectoryService();
		service.write('t.csv', 'id,assignee\n14,jdeo\n15,jdoe\n');
		const { exitCode, stderr } = await service.run('ticket update --input t.csv');
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining('user "jdeo" not found; did you mean "jdoe"?')]);
		expect(service.written()).toEqual([]);
	});

	test('is refused as a flag', async () => {
		const service = await startDirectoryService();
		const { exitCode, stderr } = await service.run('ticket update 14 --assignee jdeo');
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining('user "jdeo" not found; did you mean "jdoe"?')]);
		expect(service.written()).toEqual([]);
	});

	test.each([
		'user delete eve --reassign 1 --yes --ignore-missing',
		'user delete eve bob --reassign 1 --yes --ignore-missing -q',
	])('is skipped with --ignore-missing, and never counts as deleted: %s', async (line) => {
		const service = await startDirectoryService();
		const { exitCode, stdout } = await service.run(`${line} --json`);
		expect(exitCode, stdout).toBe(0);
		const skipped = { outcome: 'skipped', code: 'not_found' };
		expect(JSON.parse(stdout)).toMatchObject(line.includes('bob') ? [skipped, skipped] : [skipped]);
		expect(service.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
	});
});

test.each([
	['another cell of its row is wrong', 'username,force\neve,maybe\n', '--reassign 1', 'is not true or false'],
	['it is who receives the posts', 'id,reassign\n7,eve\n', '', 'user "eve" not found'],
])('a name that nobody has is no leaver who is gone with --ignore-missing where %s', async (_, sheet, flags, why) => {
	const service = await startDirectoryService();
	service.write('leavers.csv', sheet);
	const words = `user delete --input leavers.csv ${flags} --yes --ignore-missing`.replace('  ', ' ');
	const { exitCode, stderr } = await service.run(words);
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)]);
	expect(service.written()).toEqual([]);
});

test('a lookup that returns another account deletes nobody', async () => {
	const service = await startDirectoryService({
		instead: ({ url }) => (url.endsWith('/users/username') ? json(200, { id: 7 }) : undefined),
	});
	for (const names of ['jose.kaya', 'jose.kaya jdoe']) {
		const { exitCode, stderr } = await service.run(`user delete ${names} --reassign 1 --yes`);
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining('returned user 7, who is "jdoe"')]);
	}
	expect(service.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
});

test('a lookup that shows no ID finds nobody', async () => {
	const service = await startDirectoryService({
		lists: false,
		instead: ({ url }) => (url.endsWith('/users/username') ? json(200, { exists: 1 }) : undefined),
	});
	const { exitCode, stderr } = await service.run('user delete jdoe --reassign 1 --yes');
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining('couldn\'t look up user "jdoe"')]);
	const ignoring = await service.run('user delete jdoe --reassign 1 --yes --ignore-missing');
	expect([ignoring.exitCode, service.written()]).toEqual([2, []]);
});

describe('a term by its slug or name', () => {
	test.each([
		['its ID in a list of terms', '--ticket-tag VIP', { 'ticket-tag': [VIP.id] }],
		['its ID as text', '--department 支持', { department: String(SUPPORT.id) }],
		['its ID where its name is like no slug', `--department Year\u00202024`, { department: String(DIGITS.id) }],
		['an ID as it is', '--ticket-tag 31,5', { 'ticket-tag': [31, 5] }],
	])('is sent as %s', async (_what, flags, body) => {
		const service = await startDirectoryService();
		const [flag = '', ...value] = flags.split(' ');
		const { exitCode, stderr } = await service.run(['ticket', 'update', '14', flag, value.join(' ')]);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(service.written()).toEqual([['/tickets/14', body]]);
	});

	test('is removed from the tags of a ticket', async () => {
		const service = await startDirectoryService();
		await service.run('ticket update 14 --ticket-tag 5,31');
		const { exitCode, stderr } = await service.run('ticket update 14 --remove-ticket-tag vip');
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(service.written().at(-1)).toEqual(['/tickets/14', { 'ticket-tag': [5] }]);
	});

	test('costs one list a taxonomy and run, and is found in cells and added to tags', async () => {
		const service = await startDirectoryService();
		service.sheet('t.csv', 'id,department', 200, (row) => `${row},支持`);
		const { exitCode, stderr } = await service.run('ticket update --input t.csv --add-ticket-tag VIP -q');
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect([service.count('/department'), service.count('/ticket-tag')]).toEqual([1, 1]);
		expect(service.written()[0]?.[1]).toEqual({ department: '41', 'ticket-tag': [31] });
	});

	test('that two terms share is refused with the IDs', async () => {
		const terms = {
			product: [
				{ id: 5, slug: 'a', name: 'Pro' },
				{ id: 6, slug: 'b', name: 'Pro' },
			],
		};
		const service = await startDirectoryService({ terms });
		const { exitCode, stderr } = await service.run('ticket update 14 --product Pro');
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining('use the ID: 5 or 6')]);
		expect(service.written()).toEqual([]);
	});

	test('goes out as given where the service has no lists', async () => {
		const service = await startDirectoryService({ lists: false });
		await service.run('ticket update 14 --department sales --ticket-tag vip');
		expect(service.written()).toEqual([['/tickets/14', { department: 'sales', 'ticket-tag': ['vip'] }]]);
	});

	test('names the object of a command', async () => {
		const terms = { ticket_priority: [{ id: 21, slug: 'high', name: 'High' }] };
		const service = await startDirectoryService({ terms });
		await service.run(['term', 'update', 'ticket_priority', 'High', '--description', 'x']);
		expect(service.written().at(-1)?.[0]).toBe('/ticket_priority/21');
	});
});

test('a resume looks nothing up again, though the user is gone', async () => {
	const service = await startDirectoryService();
	service.write('t.csv', 'id,reassign\njdoe,1\njose.kaya,ada\n');
	await service.run('user delete --input t.csv --yes -q -j 1 --first 1');
	const before = service.count('search=');
	const { exitCode, stderr } = await service.run('run resume last --yes -q');
	expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
	expect(service.count('search=')).toBe(before);
	expect(
		service.requests.filter(({ method }) => method === 'DELETE').map(({ url }) => url.split('/users/')[1]),
	).toEqual(['7?force=true&reassign=1', '8?force=true&reassign=1']);
});

test('a list exports terms so that an update finds the same ones', async () => {
	const terms = {
		department: [
			{ id: 41, slug: '%e6%94%af', name: '支' },
			{ id: 42, slug: '2024', name: 'Year' },
			{ id: 43, slug: 'sales', name: 'Sales' },
			{ id: 44, slug: 'uni-%f0%9f-2', name: 'Uni' },
		],
	};
	const shown = ['2024', 'sales', 'uni--2', '', 'gone'].map((department, at) => ({ id: at + 1, department }));
	const service = await startDirectoryService({
		terms,
		instead: ({ url, method }) => (method === 'GET' && url.includes('/tickets?') ? json(200, shown) : undefined),
	});
	const { stdout, stderr } = await service.run('ticket list --format ndjson');
	const departments = stdout
		.trim()
		.split('\n')
		.map((line) => (JSON.parse(line) as { department?: string }).department);
	expect(departments).toEqual(['42', 'sales', '44', undefined, undefined]);
	expect(stderr).toContain('department: 1 value left out (ticket 5)');
});

test.each(['-q', '-q --verify'])('a term whose slug is shown empty is no different one %s', async (flags) => {
	const shown: Record<string, string> = { '41': '', '42': '2024', '43': 'sales' };
	const held = new Map<string, string>();
	const service = await startDirectoryService({
		terms: {
			department: [
				{ id: 41, slug: '%e6%94%af', name: '支' },
				{ id: 42, slug: '2024', name: 'Year' },
				{ id: 43, slug: 'sales', name: 'Sales' },
			],
		},
		instead({ url, method, body }) {
			const show = (id: string) => ({ id: Number(id), department: shown[held.get(id) ?? '42'] ?? '' });
			const several = /\/tickets\?.*include=([\d%C]+)/.exec(url)?.[1];
			if (several !== undefined) return json(200, several.split('%2C').map(show));
			const id = /\/tickets\/(\d+)/.exec(url)?.[1];
			if (id === undefined) return undefined;
			const { department = '' } = method === 'POST' ? (JSON.parse(body) as { department: string }) : {};
			if (method === 'POST') held.set(id, id === '3' ? '42' : department);
			return json(200, show(id));
		},
	});
	const { exitCode, stdout } = await service.run(`ticket update 1 2 --department 支 ${flags} --json`);
	expect({ exitCode, outcomes: JSON.parse(stdout) }).toMatchObject({
		exitCode: 0,
		outcomes: [{ outcome: 'ok' }, { outcome: 'ok' }],
	});
	const other = await service.run(`ticket update 3 4 -j 1 --department 支 ${flags} --json`);
	expect(JSON.parse(other.stdout)).toMatchObject([
		{ id: 3, outcome: 'differs' },
		{ id: 4, outcome: 'ok' },
	]);
});

test.each(['csv', 'ndjson'])('an export as %s has no assignee for a ticket without one', async (format) => {
	const tickets = [
		{ id: 14, title: 'a', assignee: 0, 'secondary-assignee': 0 },
		{ id: 15, title: 'b', assignee: 7, 'secondary-assignee': 0 },
	];
	const service = await startDirectoryService({
		instead: ({ url }) => (/\/tickets\?(?!.*include=)/.test(url) ? json(200, tickets) : undefined),
	});
	const { stdout } = await service.run(`ticket list --format ${format}`);
	service.write(`t.${format}`, stdout);
	const { exitCode } = await service.run(`ticket update --input t.${format} -q`);
	expect(exitCode).toBe(0);
	expect(service.written()).toEqual([
		['/tickets/14', { title: 'a', 'secondary-assignee': 0 }],
		['/tickets/15', { title: 'b', assignee: 7, 'secondary-assignee': 0 }],
	]);
});

test('an export leaves out what a user only inherits', async () => {
	const user = { id: 7, username: 'jdoe', locale: 'en_US', meta: { persisted_preferences: [] } };
	const service = await startDirectoryService({
		instead: ({ url, method }) => (method === 'GET' && url.includes('/users?') ? json(200, [user]) : undefined),
	});
	const { stdout } = await service.run('user list --format ndjson');
	expect(JSON.parse(stdout)).toEqual({ id: 7, username: 'jdoe' });
});

test.each(['term update ticket_priority 21 --name High', 'term update ticket_priority 21 22 --name High -q'])(
	'a priority keeps its color: %s',
	async (line) => {
		const service = await startDirectoryService({
			terms: { ticket_priority: [21, 22].map((id) => ({ id, slug: `s${id}`, name: 'old' })) },
			instead: ({ method, url }) =>
				method === 'GET' && !url.includes('orderby=id')
					? json(200, { id: Number(/\d+(?=\?)/.exec(url)?.[0]), name: 'old', slug: 'x', color: '#f00' })
					: undefined,
		});
		const { exitCode, stderr } = await service.run(line, { clock: hastyClock(100) });
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		for (const [, body] of service.written()) expect(body).toEqual({ name: 'High', color: '#f00' });
	},
);

describe('an application password by its name', () => {
	const slugs = { laptop: '0758e859a3a2', runner: '1758e859a3a2', other: '2758e859a3a2' };
	const listed = {
		[slugs.laptop]: { name: 'Laptop', slug: slugs.laptop },
		[slugs.runner]: { name: 'CI runner', slug: slugs.runner },
		[slugs.other]: { name: 'ci runner', slug: slugs.other },
	};
	const open = () =>
		startDirectoryService({
			instead: ({ url, method }) =>
				method === 'GET' && url.includes('/users/7/passwords') ? json(200, listed) : undefined,
		});
	const deleted = ({ requests }: Awaited<ReturnType<typeof open>>): (string | undefined)[] =>
		requests.filter(({ method }) => method === 'DELETE').map(({ url }) => url.split('/passwords/')[1]);

	test.each([
		['one', ['jdoe', 'laptop'], [slugs.laptop]],
		['the one that is spelt so', ['7', 'CI runner'], [slugs.runner]],
		['several', ['jdoe', 'Laptop', 'ci runner', '-q'], [slugs.laptop, slugs.other]],
	])('deletes %s', async (_what, words, expected) => {
		const service = await open();
		const { exitCode, stderr } = await service.run(['user', 'password', 'delete', ...words, '--yes']);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(deleted(service)).toEqual(expected);
		expect(service.count('/users/7/passwords?')).toBeLessThanOrEqual(1);
	});

	test('in cells, before or behind those of the user', async () => {
		const service = await open();
		service.write('p.csv', 'slug,user_id\nLaptop,jdoe\nCI runner,7\n');
		const { exitCode, stderr } = await service.run('user password delete --input p.csv --yes -q');
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(deleted(service)).toEqual([slugs.laptop, slugs.runner]);
	});

	test.each([
		['that nobody has', 'Labtop', 'no application password "Labtop"; did you mean "Laptop"?'],
		['that two share', 'CI Runner', `use the ID: ${slugs.runner} or ${slugs.other}`],
	])('%s is refused', async (_what, name, message) => {
		const service = await open();
		const { exitCode, stderr } = await service.run(['user', 'password', 'delete', 'jdoe', name, '--yes']);
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
		expect(deleted(service)).toEqual([]);
	});

	test.each([['Phone'], ['Phone', 'Tablet']])(
		'that is not found is skipped with --ignore-missing: %s',
		async (...names) => {
			const service = await open();
			const words = ['user', 'password', 'delete', 'jdoe', ...names, '--yes', '--ignore-missing', '--json'];
			const { exitCode, stdout } = await service.run(words);
			expect(exitCode).toBe(0);
			expect(JSON.parse(stdout)).toMatchObject(names.map((slug) => ({ slug, outcome: 'skipped', code: 'not_found' })));
			expect(deleted(service)).toEqual([]);
		},
	);

	test('is sent as a slug where the service lists none', async () => {
		const service = await startDirectoryService();
		await service.run('user password delete jdoe abc --yes');
		expect(deleted(service)).toEqual(['abc']);
		const { exitCode, stderr } = await service.run(['user', 'password', 'delete', 'jdoe', 'CI runner', '--yes']);
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining('invalid slug')]);
	});
});

test.each([
	[
		'a username that this account may not look up',
		{ lists: false },
		'--assignee jdoe',
		`can't look up user "jdoe": your account may only look up itself, and can't list users; use the ID`,
	],
	['a username like no other', {}, '--assignee zzz', 'user "zzz" not found; list users: supportctl user list'],
	['several tags with semicolons', {}, '--add-tag VIP;Login', '"VIP;Login" not found; separate several with commas'],
	['a term like no other', {}, '--add-tag zzz', '"zzz" not found; list terms: supportctl term list ticket-tag'],
])('%s is refused with a way on', async (_what, options, flags, message) => {
	const service = await startDirectoryService(options);
	const { exitCode, stderr } = await service.run(`ticket update 14 ${flags}`);
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
	expect(service.written()).toEqual([]);
});

test.each([
	['ticket update 14 --assignee none', 500, 'incorrect_agent', 'assign an agent'],
	['user id jdoe', 400, 'invalid_username_access', 'supportctl user list --search TEXT'],
	['term delete ticket_priority 21 --yes', 501, 'rest_trash_not_supported', 'pass --force'],
])('%s: what the service refuses has a next step', async (line, status, code, hint) => {
	const service = await startDirectoryService({
		lists: line.startsWith('user id') ? false : undefined,
		instead: ({ method }) => (method === 'GET' ? undefined : json(status, { code, message: 'No.', data: { status } })),
	});
	const { exitCode, stderr } = await service.run(`${line} --retries 0`);
	expect([exitCode, stderr]).toEqual([1, expect.stringContaining(hint)]);
});

test('@ before a username is not sent', async () => {
	const service = await startDirectoryService();
	const looked = await service.run('user id @ada --format ids');
	expect(looked).toMatchObject({ exitCode: 0, stdout: '1\n' });
	const checked = await service.run('user check @ada --password-stdin', { stdin: 'x\n' });
	expect(checked.stdout).toContain('ada');
	const bodies = service.requests.map(({ body }) => JSON.parse(body) as { username: string });
	expect(bodies.map(({ username }) => username)).toEqual(['ada', 'ada']);
	const own = await service.run('user check @me --password-stdin', { stdin: 'x\n' });
	expect([own.exitCode, own.stderr]).toEqual([2, expect.stringContaining('supportctl whoami')]);
});
