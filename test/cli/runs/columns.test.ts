import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runMain } from '../../../src/main.js';
import { memoryContext } from '../../support/context.js';
import { startRecorder, text } from '../../support/recorder.js';
import { startSandbox, type TestSandbox } from '../../support/sandbox.js';
import { temporaryFolder } from '../../support/temporary.js';
import { createWorkplace } from '../../support/workplace.js';

let desk: TestSandbox;
beforeAll(async () => {
	desk = await startSandbox({ seed: 10 });
});
afterAll(() => desk.stop());

async function run(...argv: string[]) {
	const folder = temporaryFolder();
	const env = { ...desk.env, SUPPORTCTL_CONFIG_DIR: `${folder}/config`, SUPPORTCTL_STATE_DIR: `${folder}/state` };
	const before = desk.requests.length;
	const context = memoryContext({ argv, env });
	const exitCode = await runMain(context);
	return {
		exitCode,
		stdout: context.stdout.text,
		stderr: context.stderr.text,
		sent: desk.requests.length - before,
		env,
	};
}

describe('columns of results', () => {
	it('an unknown one is refused before anything is sent, with the nearest', async () => {
		for (const flag of ['--fields', '--field']) {
			const { exitCode, stdout, stderr, sent } = await run(
				'ticket',
				'update',
				'1',
				'2',
				'--status',
				'hold',
				flag,
				'outcom',
			);
			expect({ exitCode, stdout, sent }).toEqual({ exitCode: 2, stdout: '', sent: 0 });
			expect(stderr).toMatch(
				/^error: no row has a column "outcom"; did you mean "outcome"\?\nhint: there are row, id, outcome,/,
			);
		}
	});

	it('a field that the answers do not have is only said: what was sent is sent', async () => {
		const { exitCode, stdout, stderr } = await run(
			'ticket',
			'update',
			'1',
			'2',
			'--status',
			'hold',
			'-q',
			'--fields',
			'id,body.stauts',
		);
		expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '1\t\n2\t\n' });
		expect(stderr).toBe('warning: no row has "body.stauts"\n');
	});

	it.each([
		[['1', '--query', 'sum([].body.title)'], /sum\(\)/],
		[['1', '--query', '[0].body.title', '--format', 'ids'], /result 1 has no id to print/],
		[['1', '2', '3', '--concurrency=1', '--format', 'ids', '--fields', 'code'], /result 1 has no id to print/],
	])(
		'output that fails after rows were sent stops none of them, and the error says that they are ok: %j',
		async (argv, why) => {
			const ids = argv.filter((word) => /^[1-3]$/.test(word)).length;
			const { exitCode, stderr, sent } = await run('ticket', 'update', ...argv, '--title', 'x', '-q');
			expect({ exitCode, sent }).toEqual({ exitCode: 1, sent: ids });
			expect(stderr).toMatch(/^error: every row is ok; only the output failed: /);
			expect(stderr).toMatch(why);
		},
	);

	it('output that fails leaves the exit code of a run that was not ok, and the copy of stdin that its resume needs', async () => {
		const work = createWorkplace((await startRecorder(text(504, ''))).env);
		const argv = ['ticket', 'update', '--input', '-', '--retries', '0', '-q', '--query', 'sum([].outcome)'];
		const { exitCode, stderr } = await work.run(argv, { stdin: 'id,status\n14,hold\n' });
		expect(exitCode).toBe(5);
		expect(stderr).toMatch(/error: the outcomes of the rows stand; only the output failed: --query "sum/);
		expect(work.spooled()).toHaveLength(1);
	});

	it('output of a look-up that fails is an error of its own, since it can be made again', async () => {
		const { exitCode, stderr } = await run('user', 'id', 'admin', '--query', 'sum([].outcome)');
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/^error: --query "sum/);
	});

	it('a query that is not JMESPath is refused before anything is sent, and leaves no run behind', async () => {
		const { exitCode, sent, env } = await run('ticket', 'update', '1', '2', '--status', 'hold', '--query', '[].');
		expect({ exitCode, sent }).toEqual({ exitCode: 2, sent: 0 });
		const context = memoryContext({ argv: ['run', 'list', '--format', 'count'], env });
		await runMain(context);
		expect(context.stdout.text).toBe('0\n');
	});

	it('a look-up has the id that was found, in every format', async () => {
		expect((await run('user', 'id', 'admin', '--field', 'id')).stdout).toBe('1\n');
		expect((await run('user', 'id', 'admin', '--format', 'ids')).stdout).toBe('1\n');
		const { stdout, exitCode } = await run('user', 'id', 'admin', 'nobody-at-all', '--json', '-q');
		expect(exitCode).toBe(3);
		expect((JSON.parse(stdout) as { id: unknown }[]).map((row) => row.id)).toEqual([1, null]);
	});

	it('the id of a ticket goes by both of its names where custom fields are read and set', async () => {
		const set = ['ticket', 'fields', 'set', '1', '2', '--set', 'colour=red', '-q'];
		const get = ['ticket', 'fields', 'get', '1', '2', '-q'];
		for (const argv of [set, get]) {
			for (const name of ['id', 'ticket_id']) {
				expect(await run(...argv, '--field', name)).toMatchObject({ exitCode: 0, stdout: '1\n2\n', stderr: '' });
				expect((await run(...argv, '--format', 'csv', '--fields', `${name},row`)).stdout).toBe(
					`${name},row\n1,1\n2,2\n`,
				);
			}
		}
	});
});
