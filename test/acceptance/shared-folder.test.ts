/** A state folder of several people: who did what, what nobody else may read, and whose run is the last. */

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createJournal } from '../../src/bulk/journal/write.js';
import { redact } from '../../src/output/redact.js';
import { isolatedEnvironment, runHere } from '../support/cli.js';
import { headerOf, outcomeOf } from '../support/journal.js';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';

let service: TestSandbox;
beforeAll(async () => {
	service = await startSandbox();
});
afterAll(() => service.stop());

let env: Record<string, string>;
let folder: string;
beforeEach(() => {
	env = { ...isolatedEnvironment(), ...service.env };
	folder = temporaryFolder();
});

const run = (line: string) => runHere(line.split(' '), { env, cwd: folder });
const { username } = userInfo();
const THEIRS = '20990101-000000-bbbbb';

/** A run of somebody else, newer than all of this user's, and entries that nothing can be read from. */
async function shared(): Promise<void> {
	await run(`ticket update 17 18 --title ${folder.slice(-6)}`);
	const stateDir = env.SUPPORTCTL_STATE_DIR as string;
	const who = { user: 'bea', host: 'laptop', account: 'bea@desk.example' };
	const journal = createJournal({ ...headerOf(1, { id: THEIRS }), who, note: 'hers' }, stateDir, undefined, redact);
	await journal.outcome(outcomeOf(1, { ids: { id: '17' }, outcome: 'failed' }));
	await journal.close();
	const place = (id: string) => join(stateDir, 'runs', `${id}.ndjson`);
	mkdirSync(place('20000101-000000-aaaaa'));
	symlinkSync(join(folder, 'gone'), place('20000101-000000-ccccc'));
	writeFileSync(place('20000101-000000-ddddd'), 'rubbish');
}

test('run list has everybody, and says of what it cannot read why', async () => {
	await shared();
	const runs = JSON.parse((await run('run list --json')).stdout) as Record<string, unknown>[];
	expect(runs.map(({ user, state, reason }) => [user, state, reason])).toEqual([
		['bea', 'crashed', expect.stringContaining('killed')],
		[username, 'finished', null],
		[null, 'damaged', 'its first line is damaged (wrong checksum)'],
		[null, 'unreadable', 'file not found'],
		[null, 'unreadable', 'it is a directory'],
	]);
	expect((await run('run list --user bea --format ids')).stdout).toBe(`${THEIRS}\n`);
	const { stdout, stderr } = await run('run list --id 17 --format count');
	expect(stdout).toBe('2\n');
	expect(stderr).toContain('skipped 3 journals: ');
});

test('commands that write do not take the last run of somebody else for yours', async () => {
	await shared();
	for (const command of ['undo', 'resume', 'retry']) {
		const refused = await run(`run ${command} last --yes`);
		expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
		expect(refused.stderr).toContain(`the newest run, ${THEIRS}, was started by bea on laptop`);
		expect(refused.stderr).toContain(`supportctl run list --user ${username}`);
	}
	expect((await run('run show last --field note')).stdout).toBe('hers\n');
	expect((await run('run undo 20000101-000000-aaaaa --yes')).stderr).toMatch(
		/can't read the journal .*: it is a directory/,
	);
});

test('a plan is applied, and told of journals that may have applied it before', async () => {
	await shared();
	await run('ticket update 19 --title planned --plan p.plan');
	const { exitCode, stderr } = await run('run apply p.plan --yes');
	expect(exitCode).toBe(0);
	expect(stderr).toContain('skipped 3 journals: ');
	expect((await run('run apply p.plan --yes')).stderr).toContain('already applied by run');
});

test('pruning and history go on past what they cannot read', async () => {
	await shared();
	const pruned = await run('run prune --older-than 0h --dry-run');
	expect(pruned).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('run would be removed') });
	const { stdout, stderr } = await run('ticket history 17');
	expect(stdout).toContain(`\t${username}\ttitle\t`);
	expect(stderr).toContain('skipped 3 journals: ');
});

test('what cannot be looked at is neither "not found" nor "changed nothing"', async () => {
	await shared();
	// As a folder of somebody else, also for those who may read everything: the link leads nowhere.
	const id = '20000101-000000-eeeee';
	const place = join(env.SUPPORTCTL_STATE_DIR as string, 'runs', `${id}.ndjson`);
	symlinkSync(place, place);
	for (const command of [
		`run show ${id}`,
		`run undo ${id} --yes`,
		`run resume ${id}`,
		`run rejects ${id}`,
		`run show ${place}`,
	]) {
		const { exitCode, stderr } = await run(command);
		expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^error: can't read the journal \S+: /)]);
	}
	const { exitCode, stderr } = await run('ticket history 4');
	expect([exitCode, stderr]).toEqual([
		0,
		expect.stringContaining('no readable run changed ticket 4\nread 2 readable runs in'),
	]);
	expect(stderr).toContain('warning: skipped 4 journals: ');
});
