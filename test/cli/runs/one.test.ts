/** One call of a command that sends rows: its values, its dry run, and the columns of its results. */

import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Words } from '../../support/cli.js';
import { startDesk } from '../../support/desk.js';
import { json, text } from '../../support/recorder.js';
import { startSandbox, type TestSandbox } from '../../support/sandbox.js';
import { createWorkplace, startWorkplace } from '../../support/workplace.js';

describe('--data', () => {
	it.each(['id', 'ID', 'Id', 'ticket_id', 'user_id'])('never sends %s in the body', async (name) => {
		const { recorder, work } = await startDesk(json(200, { id: 14 }));
		const run = (id: number) =>
			work.run(['ticket', 'update', '14', '--data', JSON.stringify({ [name]: id, title: 'x' })]);
		expect((await run(14)).exitCode).toBe(0);
		expect(recorder.requests.map(({ method, body }) => [method, body])).toEqual([
			['GET', ''],
			['POST', '{"title":"x"}'],
		]);
		expect(await run(15)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('but the path says 14') });
		expect(recorder.requests).toHaveLength(2);
	});

	it('of a reply has its ticket compared with the ticket, not the reply', async () => {
		const { recorder, work } = await startDesk(json(200, { id: 101 }));
		const run = (ticket_id: number) =>
			work.run(['reply', 'update', '14', '101', '--data', JSON.stringify({ ticket_id, id: 101, content: 'x' })]);
		expect((await run(14)).exitCode).toBe(0);
		expect((await run(101)).exitCode).toBe(2);
		expect(recorder.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
	});
});

test.each(['failed', 'outcome', 'message', 'rest_invalid_param', 'hunter2', 'hunter22', '3000'])(
	'a new password that is an ordinary word changes nothing of the outcome, and is not repeated: %s',
	async (password) => {
		const body = {
			code: 'rest_invalid_param',
			message: `no ${password}`,
			data: { status: 400, params: { password: `not ${password}`, name: 'no' } },
			seen: [password],
		};
		const { work } = await startDesk(json(400, body));
		const words = 'user update 3 --password-stdin --name x --json --journal j.ndjson';
		const { exitCode, stdout } = await work.run(words, { stdin: `${password}\n` });
		expect(exitCode).toBe(1);
		const [row] = JSON.parse(stdout);
		expect(row).toMatchObject({
			...{ row: 1, id: 3, outcome: 'failed', message: 'no [redacted]', attempts: 1 },
			code: password === body.code ? '[redacted]' : body.code,
			reasons: { password: '[redacted]', name: 'no' },
			body: { seen: ['[redacted]'] },
		});
		const outcome = work.records(`${work.folder}/j.ndjson`).find(({ type }) => type === 'row');
		expect(outcome).toMatchObject({ outcome: 'failed', message: 'no [redacted]' });
	},
);

test('a custom field that is given twice is refused, and nothing is sent', async () => {
	const { recorder, work } = await startWorkplace();
	const { exitCode, stderr } = await work.run('ticket fields set 1 --set size=L --set size=M');
	expect([exitCode, stderr, recorder.requests]).toEqual([2, expect.stringContaining('--set has "size" twice'), []]);
});

describe('a dry run on a terminal', () => {
	const title = 'The printer on the second floor is on fire again';
	const service = {
		NO_COLOR: '1',
		SUPPORTCTL_BASE_URL: 'http://127.0.0.1:9/wp-json',
		SUPPORTCTL_USERNAME: 'anna',
		SUPPORTCTL_PASSWORD: 'hunter2',
	};
	async function dryRun(columns: number, ...flags: string[]): Promise<string> {
		const { exitCode, stdout } = await createWorkplace(service).run(['ticket', 'update', ...flags, '--dry-run', '-v'], {
			columns,
		});
		expect(exitCode).toBe(0);
		return stdout;
	}

	it('shows method and path whole where it is narrow, and cuts the body', async () => {
		expect(await dryRun(60, '14', '20015', '--title', title)).toBe(
			[
				'METHOD  PATH                           BODY',
				'POST    /support-api/v1/tickets/14     {"title":"The printe…',
				'POST    /support-api/v1/tickets/20015  {"title":"The printe…',
				'',
			].join('\n'),
		);
	});

	it('turns to blocks where the path leaves no room for a body', async () => {
		expect(await dryRun(40, '14', '--title', title)).toBe(
			`method  POST\npath    /support-api/v1/tickets/14\nbody    {"title":"${title}"}\n\n`,
		);
	});

	it('shows 20 requests, and all of them with --all', async () => {
		const ids = Array.from({ length: 25 }, (_, at) => String(at + 1));
		for (const [flags, count] of [
			[[], 20],
			[['--all'], 25],
		] as const) {
			const shown = await dryRun(80, ...ids, '--status', 'hold', ...flags);
			expect(shown.match(/tickets\/\d+/g)).toHaveLength(count);
		}
	});

	it('shows the rows of --first alone, as the run would send them', async () => {
		const shown = await dryRun(80, '14', '15', '16', '--status', 'hold', '--first', '2');
		expect(shown.match(/tickets\/\d+/g)).toEqual(['tickets/14', 'tickets/15']);
	});
});

describe('columns of results', () => {
	let desk: TestSandbox;
	beforeAll(async () => {
		desk = await startSandbox({ seed: 10 });
	});
	afterAll(() => desk.stop());

	async function run(words: Words) {
		const work = createWorkplace(desk.env);
		const before = desk.requests.length;
		return {
			...(await work.run(words)),
			sent: desk.requests.slice(before).filter(({ method }) => method !== 'GET').length,
			work,
		};
	}

	it.each(['--fields', '--field'])('refuse an unknown one of %s before anything is sent', async (flag) => {
		expect(await run(`ticket update 1 2 --status hold ${flag} outcom`)).toMatchObject({
			...{ exitCode: 2, stdout: '', sent: 0 },
			stderr: expect.stringMatching(
				/^error: no row has a column "outcom"; did you mean "outcome"\?\nhint: there are row, id, outcome,/,
			),
		});
	});

	it('warn of a field that no response has, after the rows are sent', async () => {
		expect(await run('ticket update 1 2 --status hold -q --fields id,body.stauts')).toMatchObject({
			...{ exitCode: 0, stdout: '1\t\n2\t\n', stderr: 'warning: no row has "body.stauts"\n' },
		});
	});

	it.each([
		['1 --query sum([].body.title)', 1, /sum\(\)/],
		['1 --query [0].body.title --format ids', 1, /result 1 has no ID to print/],
		['1 2 3 --concurrency=1 --format ids --fields code', 3, /result 1 has no ID to print/],
	])(
		'that fail after rows were sent stop no row, and the error says that every row is ok: %s',
		async (words, sent, why) => {
			const result = await run(['ticket', 'update', ...words.split(' '), '--title', `for ${words}`, '-q']);
			expect(result).toMatchObject({ exitCode: 1, sent });
			expect(result.stderr).toMatch(/^error: every row is ok; only the output failed: /);
			expect(result.stderr).toMatch(why);
		},
	);

	it('that fail leave the exit code of a run that was not ok, and the copy of stdin that its resume needs', async () => {
		const { work } = await startDesk(text(504, ''));
		const words = 'ticket update --input - --retries 0 -q --query sum([].outcome)';
		const { exitCode, stderr } = await work.run(words, { stdin: 'id,status\n14,hold\n' });
		expect(exitCode).toBe(5);
		expect(stderr).toMatch(/error: the outcomes are not affected; only the output failed: --query "sum/);
		expect(work.spooled()).toHaveLength(1);
	});

	it('of a lookup that fail are an error of their own, since it can be made again', async () => {
		const stderr = expect.stringMatching(/^error: --query "sum/);
		expect(await run('user id admin --query sum([].outcome)')).toMatchObject({ exitCode: 1, stderr });
	});

	it('refuse a query that is not JMESPath before anything is sent, and leave no run behind', async () => {
		const { exitCode, sent, work } = await run('ticket update 1 2 --status hold --query [].');
		expect([exitCode, sent, work.journals()]).toEqual([2, 0, []]);
	});

	it('have the id that a lookup found, in every format', async () => {
		for (const flags of ['--field id', '--format ids'])
			expect((await run(`user id admin ${flags}`)).stdout).toBe('1\n');
		const { stdout, exitCode } = await run('user id admin nobody-at-all --json -q');
		expect(exitCode).toBe(3);
		expect((JSON.parse(stdout) as { id: unknown }[]).map((row) => row.id)).toEqual([1, null]);
	});

	it.each(['set 1 2 --set severity=high', 'get 1 2'])(
		'have both names of the id of a ticket: fields %s',
		async (words) => {
			for (const name of ['id', 'ticket_id']) {
				const fields = `ticket fields ${words} -q`;
				expect(await run(`${fields} --field ${name}`)).toMatchObject({ exitCode: 0, stdout: '1\n2\n', stderr: '' });
				expect((await run(`${fields} --format csv --fields ${name},row`)).stdout).toBe(`${name},row\n1,1\n2,2\n`);
			}
		},
	);
});
