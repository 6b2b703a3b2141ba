/** What commands say behind or beside their results, on each of the ways to the same end: text and JSON, one object and several. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../support/cli.js';
import { startDesk } from '../support/desk.js';
import { idOf, json, type Responder, startRecorder, text } from '../support/recorder.js';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';
import { scriptedPrompts } from '../support/scripted-prompts.js';
import { createWorkplace, startWorkplace, type Workplace } from '../support/workplace.js';

describe('a failure names the next step', () => {
	const page = text(404, '<html>not here</html>');
	const busy = json(429, { code: 'busy', message: 'Slow down.' });
	const stale: Responder = (...all) => json(200, { id: idOf(all[0]), status: 'read' })(...all);
	test.each([
		[page, 'nothing found at that path: is /wp-json missing from the base URL? Run "supportctl doctor"'],
		[busy, 'try again later, or slow down with --rate'],
		[stale, 'to accept different values: --allow-differs=FIELDS'],
	])('of one object and of several, in text and as JSON', async (response, hint) => {
		const { work } = await startDesk(response);
		for (const ids of ['14', '14 15']) {
			const line = `ticket update ${ids} --status hold --retries 0 --no-snapshot`;
			expect((await work.run(line)).stderr).toContain(`hint: ${hint}\n`);
		}
		const { stderr } = await work.run('ticket update 14 --status hold --retries 0 --no-snapshot --json');
		expect(JSON.parse(stderr).error.hint).toBe(hint);
	});
});

test('values that differ are in the JSON error of one object, and in the annotation of a run', async () => {
	const { work } = await startDesk((...all) => json(200, { id: idOf(all[0]), status: 'read' })(...all));
	const line = 'ticket update 14 --status hold --no-snapshot';
	expect(JSON.parse((await work.run(`${line} --json`)).stderr).error).toMatchObject({
		details: ['status is "read", not "hold"'],
		differs: [{ field: 'status', sent: 'hold', shown: 'read' }],
	});
	const { stderr } = await work.run(`${line} --shard 1/1 --format count`, { env: { GITHUB_ACTIONS: 'true' } });
	expect(stderr).toMatch(/^::warning title=row 1%3A differs::.*; status is "read", not "hold"$/m);
});

test('each failure of a run is one line, whatever line breaks the service has', async () => {
	const { work } = await startDesk(json(400, { code: 'no', message: 'One\nline.\r\n Two.' }));
	const { stderr } = await work.run('ticket update 14 15 --status hold --no-snapshot --format count');
	expect(stderr.split('\n').filter((line) => line.includes('One line. Two.'))).toHaveLength(2);
});

describe('a run that stopped', () => {
	const refusing = () => startDesk(json(400, { code: 'no', message: 'No.' }));

	test.each(['', ' --quiet'])('says why, and what sends the rest, in text and as JSON%s', async (quiet) => {
		const { work } = await refusing();
		const line = `ticket update 14 15 --status hold -j 1 --stop-on-error${quiet}`;
		const { stderr } = await work.run(line);
		expect(stderr).toContain('stopped at row 1: it failed (--stop-on-error)\nSend the rest: supportctl run resume ');
		const lines = (await work.run(`${line} --json`)).stderr.trim().split('\n');
		const [{ error }, { summary }] = lines.map((each) => JSON.parse(each));
		expect(error).toMatchObject({ stopped: 'failure', hint: `to send the rest: supportctl run resume ${error.run}` });
		expect(summary.next).toContain(`supportctl run resume ${error.run}`);
	});

	test('is not one that reached its end', async () => {
		const { work } = await refusing();
		const [line = ''] = (await work.run('ticket update 14 15 --status hold --json')).stderr.split('\n');
		expect(JSON.parse(line).error).not.toHaveProperty('stopped');
		expect(JSON.parse(line).error).not.toHaveProperty('hint');
	});
});

describe('on a desk of fifty tickets', () => {
	let service: TestSandbox;
	beforeAll(async () => {
		service = await startSandbox();
	});
	afterAll(() => service.stop());

	let work: Workplace;
	beforeEach(() => {
		work = createWorkplace(service.env);
	});

	test("several permanent deletes say that they can't be undone, and writes without old values on request do not", async () => {
		const { stderr } = await work.run('user delete 7 8 --reassign 1 --yes --format count');
		expect(stderr).toContain("can't be undone: its deletes were permanent\n");
		const asked = await work.run('ticket update 20 21 --title x --no-snapshot');
		expect(asked.stderr).not.toContain("can't be undone");
	});

	test('names that nobody has are in the text and in the JSON summary', async () => {
		const line = 'user delete 9 nobody.here --reassign 1 --yes --ignore-missing';
		const { stderr } = await work.run(`${line} --json`);
		expect(JSON.parse(stderr)).toMatchObject({ summary: { counts: { not_found: 1 }, not_found: ['nobody.here'] } });
		expect((await work.run(line)).stderr).toContain('1 not found: nobody.here\n');
	});

	test('a dry run without credentials shows requests, and says what is needed for changes', async () => {
		const env = { SUPPORTCTL_PASSWORD: '' };
		const { exitCode, stdout, stderr } = await work.run('ticket update 14 --status hold -n', { env });
		expect([exitCode, stdout]).toEqual([0, 'POST\t/support-api/v1/tickets/14\t{"status":"hold"}\n']);
		expect(stderr).toMatch(/^warning: not signed in .*, so the dry run shows requests; to see .*: supportctl login/);
	});

	test.each(['', ' --since 1d', ' --user admin', ' --id 30'])(
		'run list%s says how many it leaves out',
		async (filter) => {
			for (const title of ['a', 'b', 'c']) await work.run(`ticket update 30 --title ${title}`);
			const { stdout, stderr } = await work.run(`run list --limit 1 --format count${filter}`);
			expect([stdout, stderr]).toEqual(['1\n', expect.stringMatching(/^… and 2 older; --limit shows more/)]);
			expect((await work.run(`run list --limit 3${filter}`)).stderr).toBe('');
		},
	);

	test('a plan prints its rows with -q where a format is asked for, and writes its report', async () => {
		const plan = 'ticket update 14 15 --title new --plan';
		expect((await work.run(`${plan} p1.plan -q`)).stdout).toBe('');
		expect((await work.run(`${plan} p2.plan -q --format ids`)).stdout).toBe('14\n15\n');
		expect((await work.run(`${plan} p3.plan -q --report markdown:p.md`)).exitCode).toBe(0);
		expect(work.read('p.md')).toContain('2 titles: new');
	});

	test('a plan of nothing has no next step, in text and as JSON', async () => {
		await work.run('ticket update 16 --status hold');
		const plan = 'ticket update 16 --status hold --plan';
		const { stderr } = await work.run(`${plan} n1.plan --json`);
		expect(JSON.parse(stderr).summary).toMatchObject({ rows: 0, next: [] });
		expect((await work.run(`${plan} n2.plan`)).stderr).not.toContain('run apply');
	});

	test('an apply says what is sent of a plan that was applied in part, and why nothing is', async () => {
		await work.run('ticket update 14 15 16 --title part --plan part.plan -q');
		const none = await work.run('run apply part.plan --except 14,15,16 --yes');
		expect(none.stderr).toContain('error: --ids and --except leave nothing to send\n');
		await work.run('run apply part.plan --ids 14 --yes');
		const rest = await work.run('run apply part.plan --ids 14,15 --yes');
		expect(rest.stderr).toMatch(/^1 object of the plan was already applied by run \S+; sending only the rest$/m);
		const again = await work.run('run apply part.plan --ids 14,15 --yes');
		expect(again.stderr).toMatch(/^error: these objects were already applied by run \S+, \S+; nothing was sent$/m);
		const left = await work.run('run apply part.plan --except 14,15,16 --yes --json');
		expect(JSON.parse(left.stderr.trim().split('\n').at(-1) ?? '').error).toMatchObject({ code: 'nothing_to_send' });
	});

	test('a question is about the rows that --first leaves', async () => {
		const prompts = scriptedPrompts([/^Continue/, false]);
		const { stderr } = await work.run('ticket delete 20 21 22 --first 1', { prompts });
		expect(stderr).toMatch(/^Move 1 ticket to the trash on /);
	});

	test('a report says which shards are missing, and which are there twice', async () => {
		for (const [part, file] of ['1/2 a', '2/2 b', '1/2 c'].map((each) => each.split(' '))) {
			await work.run(`ticket update 40 41 42 43 --title s --shard ${part} --journal ${file}.ndjson -q`);
		}
		await work.run('run show a.ndjson c.ndjson --report markdown:shards.md');
		const report = work.read('shards.md').replaceAll('\\', '');
		expect(report).toContain('shard 2/2 is missing');
		expect(report).toContain('shard 1/2 appears more than once');
		await work.run('run show a.ndjson b.ndjson --report markdown:whole.md');
		expect(work.read('whole.md')).not.toMatch(/is missing|more than once/);
	});
});

test('columns that come when the header is printed are named', async () => {
	// The header waits for 200 rows, and a hundred come at a time.
	const last = 301;
	const { work } = await startWorkplace((...all) => {
		const id = idOf(all[0]);
		return json(200, { a: { name: 'a', value: 1 }, ...(id === last && { late: { name: 'late', value: 2 } }) })(...all);
	});
	work.sheet('ids.csv', 'id', last, String);
	const get = 'ticket fields get --input ids.csv -j 1 --rate 1000000';
	const { stdout, stderr } = await work.run(`${get} --format csv -q`);
	expect(stdout.split('\n')[0]).not.toContain('late');
	expect(stderr).toContain(
		'warning: later rows have more columns: "late"; print them with --fields or --format ndjson',
	);
	expect((await work.run(`${get} --format ndjson -q`)).stderr).toBe('');
});

describe('whoami says what an account may do', () => {
	test.each([
		['administrator', 'all', 'username'],
		['manager', 'all', 'slug'],
		['agent', 'own', 'slug'],
	] as const)('with the role %s', async (role, tickets, names) => {
		const service = await startSandbox({ role });
		const { stdout } = await createWorkplace(service.env).run('whoami --json');
		await service.stop();
		expect(JSON.parse(stdout).may).toMatchObject({ tickets, names });
	});

	test.each([
		[[], null, 'the list of tickets is empty'],
		[
			[
				{ id: 1, assignee: 1 },
				{ id: 2, author: 1 },
			],
			'own',
			'lists 2 tickets, only your own',
		],
	])('where its list of tickets is %j', async (list, tickets, says) => {
		const me = { id: 1, username: 'ada', roles: ['agent'] };
		const recorder = await startRecorder(({ url }) => {
			if (url.includes('/users/me')) return json(200, me);
			return json(200, url.includes('/users') ? [me] : list, { 'x-wp-total': '2', 'x-wp-totalpages': '1' });
		});
		const { stdout } = await createWorkplace(recorder.env).run('whoami --json');
		const { may } = JSON.parse(stdout);
		// Your own account proves nothing about others.
		expect(may).toMatchObject({ tickets, names: null, text: expect.stringContaining(says) });
	});

	test('and asks for nothing but the account where one of its fields is wanted', async () => {
		const { recorder, work } = await startWorkplace(json(200, { id: 7, username: 'ada' }));
		expect((await work.run('whoami --field id')).stdout).toBe('7\n');
		expect(recorder.requests).toHaveLength(1);
	});
});

test('at a terminal, a JSON error is one line, and behind -- nothing asks for JSON', async () => {
	const { work } = await startWorkplace();
	const line = 'ticket update 14 --status hold --allow-differs=nosuch';
	const { stderr } = await work.run(`${line} --json`, { columns: 40 });
	expect(stderr.trim().split('\n')).toHaveLength(1);
	expect(JSON.parse(stderr).error.code).toBe('invalid_value');
	expect((await work.run('profile show -- --json')).stderr).toMatch(/^error: /);
});

test
	.runIf(process.platform === 'linux')
	.each(['version', 'help', 'profile path', 'completion bash', 'run list --json'])(
	'what is lost on a full disk is no success: %s',
	async (line) => {
		const { exitCode, stderr } = await runCli(line, { through: ['sh', '-c', 'exec "$@" >/dev/full', 'sh'] });
		expect([exitCode, stderr]).toEqual([1, expect.stringContaining('the disk is full')]);
	},
);
