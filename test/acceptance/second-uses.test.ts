/** Rules that hold on several ways, each tried on all of them: guards, connections, values and limits. */

import { describe, expect, test } from 'vitest';
import { type EndpointName, endpoints } from '../../src/api/endpoints.js';
import { SHOWN } from '../../src/cli/results.js';
import { writes } from '../../src/http/judge.js';
import { startDesk } from '../support/desk.js';
import { startListService, tickets } from '../support/list-service.js';
import { done, json, startRecorder } from '../support/recorder.js';
import { startSandbox } from '../support/sandbox.js';
import { createWorkplace, startWorkplace, type Workplace } from '../support/workplace.js';

const BARE = { SUPPORTCTL_BASE_URL: undefined, SUPPORTCTL_USERNAME: undefined, SUPPORTCTL_PASSWORD: undefined };

async function setProfile(work: Workplace, name: string, baseUrl: string, flags = ''): Promise<void> {
	const line = `profile set ${name} --base-url ${baseUrl} --username bea --password-stdin --insecure-storage${flags}`;
	expect((await work.run(line, { stdin: 'her password\n', env: BARE })).exitCode).toBe(0);
}

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** A line for each endpoint that writes: one without a line does not compile. */
const lines: Record<EndpointName, string> = {
	'ticket.update': 'ticket update 14 --status hold',
	'ticket.delete': 'ticket delete 14 --yes',
	'ticket.fields.get': 'ticket fields get 14',
	'ticket.fields.set': 'ticket fields set 14 --set a=b',
	'reply.update': 'reply update 14 21 --content x',
	'reply.delete': 'reply delete 14 21 --yes',
	'user.update': 'user update 7 --email a@b.example',
	'user.delete': 'user delete 7 --reassign 1 --yes',
	'user.id': 'user id ada',
	'user.check': 'user check ada --password-stdin',
	'user.password.delete': 'user password delete 7 abc --yes',
	'attachment.update': 'attachment update 14 --title x',
	'term.update': 'term update ticket_priority 3 --name x',
	'term.delete': 'term delete product 3 --force --yes',
};

const nouns = ['ticket', 'reply', 'user', 'attachment', 'term'] as const;
const owners: Partial<Record<(typeof nouns)[number], string>> = { reply: '14 ', term: 'ticket_priority ' };

describe('a protected profile is refused without --confirm, and so is the name of another one, by', () => {
	const writing = Object.entries(lines).filter(([name]) => writes({ endpoint: endpoints[name as EndpointName] }));
	test.each([
		...writing.map(([, line]) => line),
		...writing.map(([, line]) => `${line} --no-snapshot`).filter((line) => /^ticket (update|delete)/.test(line)),
		...nouns.map((noun) => `${noun} edit ${owners[noun] ?? ''}14`),
		...['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `api ${method} tickets/14 --yes`),
		'run resume last',
		'run retry last --yes',
		'run undo last --yes',
		'run apply p.plan --yes',
	])('%s', async (line) => {
		const { recorder, work } = await startDesk(done());
		await setProfile(work, 'live', recorder.baseUrl, ' --protected');
		const env = { ...BARE, EDITOR: 'true' };
		const run = (words: string) => work.run(`${words} --profile live`, { env, stdin: 'x\n' });
		await run('ticket update 1 2 3 --title new --first 1 -q --confirm live');
		await run('ticket update 14 --title planned --plan p.plan -q');
		recorder.writes.length = 0;
		for (const [flag, says] of [
			['', /profile live is protected: pass --confirm=live to /],
			[' --confirm other', /profile live is protected: pass --confirm=live to /],
		] as const) {
			const { exitCode, stderr } = await run(`${line}${flag}`);
			expect([exitCode, stderr]).toEqual([2, expect.stringMatching(says)]);
		}
		// Whose account it is may be looked up.
		expect(recorder.writes.filter(({ url }) => !url.endsWith('/users/username'))).toEqual([]);
	});
});

describe('the account', () => {
	test('of a resume that names its service by --base-url is the one of this call', async () => {
		const { recorder, work } = await startDesk(done());
		await setProfile(work, 'desk', recorder.baseUrl);
		await setProfile(work, 'other', 'https://other.example.com');
		await work.run('profile use other', { env: BARE });
		await work.run('ticket update 1 2 --title new --first 1 -q --profile desk', { env: BARE });
		expect(recorder.writes.at(-1)?.headers.authorization).toBe(basic('bea', 'her password'));
		const named = await work.run(`run resume last --base-url ${recorder.baseUrl}`, {
			env: { SUPPORTCTL_BASE_URL: undefined },
		});
		expect(named, named.stderr).toMatchObject({ exitCode: 0 });
		expect(recorder.writes.at(-1)?.headers.authorization).toBe(basic('ada', 's3cret pass'));
	});

	test('that logout signs out is the one that SUPPORTCTL_PROFILE names', async () => {
		const work = createWorkplace();
		await setProfile(work, 'first', 'https://first.example.com');
		await setProfile(work, 'second', 'https://second.example.com');
		const { stderr } = await work.run('logout', { env: { SUPPORTCTL_PROFILE: 'second' } });
		expect(stderr).toContain('Signed out of profile "second"');
		const stored = JSON.parse((await work.run('profile list --json')).stdout) as Record<string, unknown>[];
		expect(stored.map((each) => [each.profile, each.stored_in])).toEqual([
			['first', 'profile file'],
			['second', 'nowhere'],
		]);
	});

	test('that is removed says whether it was the current one, also as JSON', async () => {
		const work = createWorkplace();
		await setProfile(work, 'first', 'https://first.example.com');
		await setProfile(work, 'second', 'https://second.example.com');
		const removed = async (name: string) =>
			JSON.parse((await work.run(`profile remove ${name} --yes --json`)).stdout) as unknown;
		expect(await removed('second')).toEqual({ profile: 'second', was_current: false });
		expect(await removed('first')).toEqual({ profile: 'first', was_current: true });
	});

	test('that user check is asked about has no @', async () => {
		const { recorder, work } = await startWorkplace(json(200, { id: 7 }));
		await work.run('user check @anna --password-stdin', { stdin: 'x\n' });
		expect(recorder.requests.map(({ url, body }) => url + body).join('\n')).not.toMatch(/@|%40/);
	});
});

describe('a request that gets no response ends with', () => {
	test.each([
		['--timeout', 'ticket update 14 --status hold --no-snapshot --timeout 0.2', ''],
		['--timeout', 'ticket list --timeout 0.2', ''],
		['--timeout', 'api GET tickets --timeout 0.2', ''],
		['the timeout of the profile', 'ticket update 14 --status hold --no-snapshot', ' --timeout 0.2'],
		['the timeout of the profile', 'ticket get 14', ' --timeout 0.2'],
	])('%s: %s', async (_, line, setting) => {
		const recorder = await startRecorder(() => undefined);
		const work = createWorkplace();
		await setProfile(work, 'desk', recorder.baseUrl, setting);
		const { exitCode, stderr } = await work.run(`${line} --retries 0`, { env: BARE });
		expect([exitCode, stderr]).toEqual([expect.toBeOneOf([1, 5]), expect.stringContaining('0.2 s')]);
	});
});

describe('values', () => {
	test('of --data and of a flag come together in a map, and in nothing else', async () => {
		const { recorder, work } = await startDesk(done());
		const line = ['user', 'update', '7', '--no-snapshot', '--data', '{"meta":{"a":"1","b":"2"}}', '--meta', 'b=3'];
		await work.run([...line, '--meta', 'c=4']);
		expect(JSON.parse(recorder.writes[0]?.body ?? '')).toEqual({ meta: { a: '1', b: '3', c: '4' } });
		const { exitCode, stderr } = await work.run([...line, '--data', '{}']);
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--data was passed twice')]);
	});

	test.each([
		['ticket fields set 14 --set api_token=@secret.txt', '{"api_token":"one line"}'],
		['api POST tickets/14 -F api_token=@secret.txt', '{"api_token":"one line"}'],
		['api POST tickets/14 -F note=@secret.txt', '{"note":"one line\\n"}'],
	])('that are secret have no line break of their file: %s', async (line, body) => {
		const { recorder, work } = await startDesk(done());
		work.write('secret.txt', 'one line\n');
		await work.run(line);
		expect(recorder.writes.at(-1)?.body.replace('{"custom_fields":', '').replace('}}', '}')).toBe(body);
	});

	test.each([
		['--map a=b=status', 'id,a=b', 'a mapped column has = in its name'],
		[
			'--ignore-column Shift,|Day --map a=b=status',
			'id,Shift,Day,a=b',
			'ignored columns have a space behind their comma',
		],
	])('come from the columns that are meant: %s', async (flags, header) => {
		const { recorder, work } = await startDesk(done());
		const cells = header.split(',').map((name) => ({ id: '1', 'a=b': 'hold' })[name] ?? 'x');
		work.write('edits.csv', `${header}\n${cells.join(',')}\n`);
		const words = flags.split(' ').map((word) => word.replace('|', ' '));
		await work.run(['ticket', 'update', '--input', 'edits.csv', ...words]);
		expect(recorder.writes.map(({ body }) => JSON.parse(body) as unknown)).toEqual([{ status: 'hold' }]);
	});

	test('of which one may differ may all differ, if --allow-differs says both', async () => {
		const { work } = await startDesk((...all) => json(200, { id: 14, status: 'read', title: 'other' })(...all));
		const line = 'ticket update 14 --status hold --title new --no-snapshot';
		const exitCodes = [];
		for (const flags of [
			'',
			' --allow-differs=title',
			' --allow-differs=title --allow-differs=status',
			' --allow-differs=title --allow-differs',
		]) {
			exitCodes.push((await work.run(line + flags)).exitCode);
		}
		expect(exitCodes).toEqual([6, 6, 0, 0]);
	});
});

describe('limits', () => {
	test.each([SHOWN, SHOWN + 1])(
		'of %i rows a terminal shows the first twenty of a dry run, and --all shows all',
		async (rows) => {
			const { work } = await startDesk(done());
			work.edits(rows);
			const line = 'ticket update --input edits.csv -n --no-color --no-pager';
			const shown = async (flags: string) => {
				const { stdout, stderr } = await work.run(line + flags, { columns: 100 });
				return [stdout.match(/hold/g)?.length, /… and 1 more; to print all: --all/.test(stderr)];
			};
			expect(await shown('')).toEqual([SHOWN, rows > SHOWN]);
			expect(await shown(' --all')).toEqual([rows, false]);
			expect(await shown(' --format csv')).toEqual([rows * 2, false]);
		},
	);

	test.each([SHOWN, SHOWN + 1])('of %i failed rows run show prints the first twenty', async (rows) => {
		const { work } = await startDesk(json(400, { code: 'no', message: 'No.' }));
		work.edits(rows);
		await work.run('ticket update --input edits.csv -q');
		expect(JSON.parse((await work.run('run show last --json')).stdout).failures).toHaveLength(SHOWN);
	});

	test('of a list over several tickets are those of all of them', async () => {
		const recorder = await startRecorder(({ url }) => {
			const own = url.includes('/14/') ? [{ id: 1 }, { id: 2 }] : [{ id: 3 }, { id: 4 }, { id: 5 }];
			return json(200, own, { 'x-wp-total': `${own.length}`, 'x-wp-totalpages': '1' });
		});
		const work = createWorkplace(recorder.env);
		expect((await work.run('reply list 14 15 --limit 3 --format ids')).stdout).toBe('1\n2\n3\n');
		recorder.requests.length = 0;
		expect((await work.run('reply list 14 15 --limit 2 --format ids')).stdout).toBe('1\n2\n');
		expect(recorder.requests.filter(({ url }) => url.includes('/15/'))).toEqual([]);
	});

	test.each([
		[403, 4],
		[400, 3],
	])(
		'a list whose second page is refused with %i ends with %i, and prints no part of a count',
		async (status, exitCode) => {
			const list = (total?: null) =>
				startListService({
					objects: tickets(150),
					...(total === null && { total, totalPages: total }),
					instead: ({ url }) =>
						/[?&]page=2(&|$)/.test(url) ? json(status, { code: 'no', message: 'No.' }) : undefined,
				});
			const ids = await (await list()).run('ticket list --format ids --sort id');
			expect([ids.exitCode, ids.stdout.trim().split('\n').length]).toEqual([exitCode, 101]);
			// Without a count of the service, its pages are counted.
			const count = await (await list(null)).run('ticket list --format count --sort id');
			expect([count.exitCode, count.stdout]).toEqual([exitCode, '']);
		},
	);
});

test('a log is JSON where the errors are', async () => {
	const { work } = await startDesk(done());
	const { stderr } = await work.run('ticket update 14 --status hold -v --json');
	const log = stderr.trim().split('\n');
	expect(log.length).toBeGreaterThan(1);
	for (const line of log) expect(JSON.parse(line)).toBeTypeOf('object');
});

test('a sandbox with its own words names the flags that other commands need', async () => {
	const work = createWorkplace();
	const { context, ended } = work.begin('sandbox --port 0 --seed 3 --product-prefix acme --shop-prefix wc');
	const [line = ''] = await context.stdout.until(/^supportctl ticket update .*\n/m);
	expect(line).toBe('supportctl ticket update 3 --status hold --product-prefix acme --shop-prefix wc\n');
	context.signal('SIGTERM');
	expect((await ended).exitCode).toBe(0);
});

test('tickets are moved with the checks and the reason of the delete, and a run of their own says what for', async () => {
	const service = await startSandbox();
	const work = createWorkplace(service.env);
	const before = service.requests.length;
	const { exitCode } = await work.run('user delete 3 --reassign 5 --move-tickets --verify --yes');
	await service.stop();
	expect(exitCode).toBe(0);
	const own = service.requests.slice(before).map(({ method, path }) => `${method} ${path.replace(/.*v1/, '')}`);
	const isWrite = (line: string) => /^POST \/tickets\//.test(line);
	const deleted = own.findIndex((line) => line.startsWith('DELETE'));
	// Read back after the last move, before the delete.
	expect(own.slice(own.findLastIndex(isWrite) + 1, deleted).some((line) => line.startsWith('GET /tickets'))).toBe(true);
	const runs = JSON.parse((await work.run('run list --json')).stdout) as Record<string, unknown>[];
	const [last] = runs.filter(({ command }) => command === 'user delete');
	const moves = runs.filter(({ command }) => command === 'ticket update');
	expect(moves.length).toBeGreaterThan(0);
	for (const { note } of moves) expect(note).toMatch(new RegExp(`^before run ${last?.run} deletes `));
});

describe('settings have the same limits in a profile and as flags', () => {
	test.each([
		['--concurrency', '1024', '1025'],
		['--concurrency', '1', '0'],
		['--timeout', '86400', '86401'],
		['--timeout', '0.001', '0.0001'],
		['--rate', '1000000', '1000001'],
		['--rate', '0.0001', '0'],
		['--product-prefix', 'x'.repeat(32), 'x'.repeat(33)],
	])('%s %s is the last that is taken', async (flag, last, beyond) => {
		const { recorder, work } = await startWorkplace(done());
		const exitCodes = [];
		for (const value of [last, beyond]) {
			exitCodes.push((await work.run(`profile set desk ${flag} ${value}`, { env: BARE })).exitCode);
			exitCodes.push((await work.run(`ticket update 14 --status hold -n -v ${flag} ${value}`)).exitCode);
		}
		expect(exitCodes).toEqual([0, 0, 2, 2]);
		expect(recorder.requests).toEqual([]);
	});
});

describe('credentials that contradict themselves are refused before a request', () => {
	const pem = (what: string) => `-----BEGIN ${what}-----\nAAAA\n-----END ${what}-----\n`;
	test.each<[string, Record<string, string>, string]>([
		['', { SUPPORTCTL_TOKEN: 'abc' }, 'SUPPORTCTL_PASSWORD and SUPPORTCTL_TOKEN are both set'],
		[' --username a:b', {}, "usernames can't contain a colon"],
		[' --scheme header', { SUPPORTCTL_TOKEN: 'abc' }, '--scheme header needs --header-name'],
		[' --key key.pem', {}, '--key needs --cert'],
		[' --cert cert.pem --key key.pem', {}, '--key: '],
		[' --cert key.pem', {}, '--cert: '],
		[' --ca-file key.pem', {}, '--ca-file: '],
	])('%s %j', async (flags, env, says) => {
		const { recorder, work } = await startWorkplace(done());
		work.write('cert.pem', pem('CERTIFICATE'));
		work.write('key.pem', pem('ENCRYPTED PRIVATE KEY'));
		for (const line of ['ticket update 14 --status hold', 'ticket list', 'api GET tickets']) {
			const { exitCode, stderr } = await work.run(line + flags, { env });
			expect([exitCode, stderr]).toEqual([2, expect.stringContaining(says)]);
		}
		expect(recorder.requests).toEqual([]);
	});
});

test.each([
	['TF_BUILD', 'True'],
	['TEAMCITY_VERSION', '2026.1'],
	['GITHUB_ACTIONS', 'true'],
])('no title is a command to the runner that sets %s', async (name, value) => {
	const { work } = await startWorkplace(json(200, { id: 14, title: '##vso[task.complete]' }));
	const get = 'ticket get 14 --format csv --fields title';
	expect((await work.run(get)).stdout).toBe('title\n##vso[task.complete]\n');
	expect((await work.run(get, { env: { [name]: value } })).stdout).not.toContain('##vso[');
});

test('a profile that goes back to the usual scheme takes a secret of that scheme', async () => {
	const work = createWorkplace();
	await work.run('profile set desk --base-url https://desk.example.com --scheme bearer', { env: BARE });
	const set = (flags: string) =>
		work.run(`profile set desk --password-stdin --insecure-storage${flags}`, { stdin: 'two words\n', env: BARE });
	expect((await set('')).stderr).toContain('the token from --password-stdin contains spaces');
	expect((await set(' --unset scheme')).exitCode).toBe(0);
});

test('a history counts the runs on other services, in text and as JSON', async () => {
	const [here, there] = [await startDesk(done()), await startDesk(done())];
	const { work } = here;
	await work.run('ticket update 14 --status hold');
	await work.run(`ticket update 14 --status read --base-url ${there.recorder.baseUrl}`);
	expect((await work.run('ticket history 14')).stderr).toContain('; 1 run on other services left out;');
	const { summary } = JSON.parse((await work.run('ticket history 14 --json')).stderr);
	expect(summary).toMatchObject({ runs: 2, other_services: 1 });
});

test('rows that were not sent are counted for each shard', async () => {
	const { work } = await startDesk(json(400, { code: 'no', message: 'No.' }));
	for (const part of ['1/2', '2/2']) {
		const line = 'ticket update 1 2 3 4 5 6 7 8 --status hold -j 1 --stop-on-error -q --shard';
		await work.run(`${line} ${part} --journal ${part[0]}.ndjson`);
	}
	const { stderr } = await work.run('run show 1.ndjson 2.ndjson --outcome not-sent --format count');
	const counts = [...stderr.matchAll(/^(\d+) rows? (?:was|were) not sent; /gm)].map(([, count]) => Number(count));
	expect([counts.length, counts.reduce((sum, each) => sum + each, 0)]).toEqual([2, 6]);
});

test('a dry run of api prints no secret of its query', async () => {
	const { work } = await startWorkplace();
	work.write('secret.txt', 'abcdefgh');
	const { stdout } = await work.run('api GET tickets -F api_token=@secret.txt -n');
	expect(JSON.parse(stdout)).toMatchObject({ path: expect.stringMatching(/[?]api_token=\[redacted\]$/) });
});
