/** Rules of a profile: on every way that sends rows, with what each refusal says. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliResult, isolatedEnvironment, runHere } from '../support/cli.js';
import { startSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';
import { whenTestEnds } from '../support/test-end.js';

/** A sandbox and a profile with rules. */
async function deskWith(...rules: readonly string[]) {
	const sandbox = await startSandbox();
	whenTestEnds(() => sandbox.stop());
	const { SUPPORTCTL_BASE_URL: url, SUPPORTCTL_USERNAME: user, SUPPORTCTL_PASSWORD: password = '' } = sandbox.env;
	const cwd = temporaryFolder();
	const env = { ...isolatedEnvironment(), EDITOR: 'false' };
	const run = (words: readonly string[], input = ''): Promise<CliResult> => runHere(words, { env, cwd, input });
	const set = ['profile', 'set', 'prod', '--base-url', `${url}`, '--username', `${user}`, '--password-stdin'];
	expect((await run([...set, '--insecure-storage', ...rules], `${password}\n`)).exitCode).toBe(0);
	const count = async (): Promise<number> => {
		const { stdout } = await run(['run', 'list', '--json']);
		return (JSON.parse(stdout) as unknown[]).length;
	};
	return { run, count, plan: join(cwd, 'changes.plan') };
}

const update = (...ids: readonly string[]): string[] => ['ticket', 'update', ...ids, '--status', 'hold'];

describe.each([
	[['--max', '2'], update('1', '2', '3'), 'profile prod (--max): at most 2 rows, but there are 3', '--max 3'],
	[
		['--max-deletes', '1'],
		['ticket', 'delete', '1', '2', '--yes'],
		'profile prod (--max-deletes): at most 1 delete, but there are 2',
		'profile set prod --max-deletes 2',
	],
	[['--require-note'], update('1'), 'profile prod (--require-note): every change needs a note', '--note TEXT'],
	[
		['--require-note'],
		['user', 'delete', '6', '--reassign', '2', '--yes'],
		'profile prod (--require-note): every change needs a note',
		'--note TEXT',
	],
	[['--require-note'], ['ticket', 'edit', '1'], 'profile prod (--require-note): every change needs a note', '--note'],
	[
		['--require-plan', '2'],
		update('1', '2', '3'),
		'profile prod (--require-plan): more than 2 rows need a plan; there are 3',
		'supportctl run apply FILE',
	],
])('%j refuses %j', (rules, words, why, hint) => {
	it('before anything is sent, names the rule, and says what satisfies it', async () => {
		const { run, count } = await deskWith(...rules);
		const { exitCode, stderr } = await run(words);
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`error: ${why}; nothing was sent`)]);
		expect(stderr).toContain(hint);
		expect(await count()).toBe(0);
	});
});

describe('what keeps the rules is sent', () => {
	it('as many rows as the limits allow, with a note', async () => {
		const { run } = await deskWith('--max', '2', '--max-deletes', '1', '--require-note', '--require-plan', '2');
		expect((await run([...update('1', '2'), '--note', 'why'])).exitCode).toBe(0);
		expect((await run(['ticket', 'delete', '3', '--yes', '--note', 'why'])).exitCode).toBe(0);
	});

	it('a --max on the command line takes precedence', async () => {
		const { run } = await deskWith('--max', '2');
		expect((await run([...update('1', '2', '3'), '--max', '3'])).exitCode).toBe(0);
	});

	it('more rows through a plan, also on a resume, and back through a plan of the undo', async () => {
		const { run, plan } = await deskWith('--require-plan', '1', '--require-note');
		const refused = await run([...update('1', '3', '4'), '--plan', plan]);
		expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('--require-note')]);
		const saved = await run([...update('1', '3', '4'), '--plan', plan, '--note', 'why']);
		expect([saved.exitCode, saved.stderr]).toEqual([0, expect.any(String)]);
		expect((await run(['run', 'apply', plan, '--yes', '--first', '1'])).exitCode).toBe(0);
		expect((await run(['run', 'resume', 'last'])).exitCode).toBe(0);
		const undo = await run(['run', 'undo', 'last', '--yes', '--note', 'back']);
		expect([undo.exitCode, undo.stderr]).toEqual([2, expect.stringContaining('--require-plan')]);
		const back = await run(['run', 'undo', 'last', '--plan', `${plan}.undo`, '--note', 'back']);
		expect([back.exitCode, back.stderr]).toEqual([0, expect.any(String)]);
		expect((await run(['run', 'apply', `${plan}.undo`, '--yes'])).exitCode).toBe(0);
	});

	it('reads, dry runs and lookups need neither note nor plan', async () => {
		const { run } = await deskWith('--require-note', '--require-plan', '0');
		expect((await run([...update('1', '2'), '--dry-run'])).exitCode).toBe(0);
		expect((await run(['ticket', 'get', '1'])).exitCode).toBe(0);
		expect((await run(['user', 'id', 'admin'])).exitCode).toBe(0);
	});
});
