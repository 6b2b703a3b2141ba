/** A write of one object is a run of one row: it can be undone, and its output stays short. */

import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { countOutcome, createCounts } from '../../src/bulk/journal/counts.js';
import { runMain } from '../../src/main.js';
import { isolatedEnvironment, runCli, runHere, startCli } from '../support/cli.js';
import { memoryContext } from '../support/context.js';
import { outcomeOf, startJournal } from '../support/journal.js';
import { json, startRecorder } from '../support/recorder.js';
import { startSandbox } from '../support/sandbox.js';
import { startSandboxUser } from '../support/sandbox-user.js';
import { temporaryFolder } from '../support/temporary.js';

async function desk() {
	const service = await startSandbox({ seed: 30 });
	onTestFinished(service.stop);
	const state = temporaryFolder();
	const env: Record<string, string> = { ...service.env, ...isolatedEnvironment(), SUPPORTCTL_STATE_DIR: state };
	const run = (line: string, input = '') => runHere(line, { env, input });
	const titleOf = async (id: number) => {
		const { body } = await service.call('GET', `/tickets/${id}?context=edit`);
		return (body as { title: { raw: string } }).title.raw;
	};
	const journals = (): string[] => {
		const folder = join(state, 'runs');
		return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.ndjson')) : [];
	};
	return { service, env, state, run, titleOf, journals };
}

test('an update of one ticket prints its row alone, is listed, and can be undone', async () => {
	const { run, titleOf } = await desk();
	const before = await titleOf(14);
	expect(await run('ticket update 14 --title Printer')).toEqual({
		exitCode: 0,
		stdout: expect.stringMatching(/^14\tok\t.*\n$/),
		stderr: '',
	});
	const [listed] = JSON.parse((await run('run list --json')).stdout);
	expect(listed).toMatchObject({ command: 'ticket update', rows: 1, ok: 1, can_undo: true, state: 'finished' });
	const undone = await run('run undo last --yes');
	expect(undone.exitCode, undone.stderr).toBe(0);
	expect(await titleOf(14)).toBe(before);
});

test('run undo last undoes the newest write, also if it is of one object', async () => {
	const { run, titleOf } = await desk();
	const before = await titleOf(22);
	await run('ticket update 20 21 --title first');
	await run('ticket update 22 --title second');
	await run('run undo last --yes');
	expect([await titleOf(20), await titleOf(21), await titleOf(22)]).toEqual(['first', 'first', before]);
});

test.each([
	['ticket update 14 --title second --no-snapshot', 'it did not save old values'],
	['ticket delete 14 --force --yes', 'its deletes were permanent'],
	['user delete 4 --reassign 2 --yes', 'its deletes were permanent'],
	['user password delete 3 PASSWORD --yes', "application passwords can't be restored"],
	['term delete ticket_priority 1 --force --yes', 'its deletes were permanent'],
])('after %s, run undo last says why not, and leaves the write before it alone', async (line, why) => {
	const { service, run, titleOf } = await desk();
	await run('ticket update 20 21 --title first');
	const { stdout } = await run('user password list 3 --field slug');
	const [slug = 'a'.repeat(12)] = stdout.split('\n');
	const term = (await run('term list ticket_priority --field id --limit 1')).stdout.trim();
	const written = await run(line.replace('PASSWORD', slug || 'a'.repeat(12)).replace('priority 1', `priority ${term}`));
	expect(written.exitCode, written.stderr).toBe(0);
	service.requests.length = 0;
	const { exitCode, stderr } = await run('run undo last --yes');
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`can't be undone: ${why}`)]);
	expect(service.requests).toEqual([]);
	expect(await titleOf(20)).toBe('first');
});

test('an edit of one object is undone like an update', async () => {
	const { env, run, titleOf } = await desk();
	const before = await titleOf(14);
	const editor = `sed -i 's/^title: .*/title: edited/'`;
	const edited = await runCli('ticket edit 14', { env: { ...env, EDITOR: editor } });
	expect([edited.exitCode, await titleOf(14)], edited.stderr).toEqual([0, 'edited']);
	await run('run undo last --yes');
	expect(await titleOf(14)).toBe(before);
});

test('lookups and checks leave no journal', async () => {
	const { run, service, journals } = await desk();
	await run(`user id ${service.username}`);
	await run(`user check ${service.username} --password-stdin`, `${service.password}\n`);
	await run('ticket fields get 14');
	await run('ticket update 14 --title x --dry-run');
	expect(journals()).toEqual([]);
});

test('an object whose old values cannot be read is left alone, and the error names the way without them', async () => {
	const { env, requests } = await startRecorder(({ method }) =>
		method === 'GET' ? json(403, { code: 'rest_forbidden', message: 'Sorry.' }) : json(200, { id: 14, status: 'hold' }),
	);
	const run = (line: string) => runHere(line, { env: { ...env, ...isolatedEnvironment() } });
	const refused = await run('ticket update 14 --status hold');
	expect(refused.exitCode).toBe(4);
	expect(refused.stderr).toContain('(HTTP 403 not_read)');
	expect(refused.stderr).toContain('nothing was written');
	expect(refused.stderr).toContain('--no-snapshot');
	// Its list may show what can't be opened.
	expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
	expect((await run('ticket update 14 --status hold --no-snapshot')).exitCode).toBe(0);
});

test.each(['ticket update 99999 --status hold', 'ticket delete 99999 --yes'])(
	'%s says that it is not there, after one request',
	async (line) => {
		const { run, service } = await desk();
		service.requests.length = 0;
		const { exitCode, stderr } = await run(line);
		expect([exitCode, service.requests.length]).toEqual([1, 1]);
		expect(stderr).toBe('error: ticket 99999 not found (HTTP 404 rest_post_invalid_id): nothing was written\n');
	},
);

test('refused credentials are named as such, not as a read that failed', async () => {
	const { env, run } = await desk();
	env.SUPPORTCTL_PASSWORD = 'wrong';
	const { exitCode, stderr } = await run('ticket update 14 --status hold');
	expect(exitCode).toBe(4);
	expect(stderr).not.toContain('--no-snapshot');
	expect(stderr).not.toContain('not_read');
	expect(stderr).toContain('check SUPPORTCTL_PASSWORD');
});

test('a write whose response is lost is settled by run resume', async () => {
	let status = 'read';
	let isLost = true;
	const { env, requests } = await startRecorder((request, response) => {
		if (request.method === 'POST') status = 'hold';
		if (request.method === 'POST' && isLost) response.destroy();
		else json(200, { id: 14, status })(request, response, 0);
	});
	const at = { env: { ...env, ...isolatedEnvironment() } };
	const lost = await runHere('ticket update 14 --status hold --retries 0', at);
	expect([lost.exitCode, lost.stdout]).toEqual([5, expect.stringMatching(/^14\tunknown\t/)]);
	isLost = false;
	requests.length = 0;
	const resumed = await runHere('run resume last', at);
	expect(resumed.exitCode, resumed.stderr).toBe(0);
	expect(resumed.stderr).toMatch(/1 row in .*: 1 ok\n$/);
	expect(requests.map(({ method }) => method)).not.toContain('POST');
});

test('Ctrl-C waits for the write, and its row says how it ended', async () => {
	let respond = (): void => undefined;
	let wake = (): void => undefined;
	const sent = new Promise<void>((resolve) => {
		wake = resolve;
	});
	const { env } = await startRecorder((request, response) => {
		if (request.method === 'GET') return json(200, { id: 14, status: 'read' })(request, response, 0);
		respond = () => json(200, { id: 14, status: 'hold' })(request, response, 0);
		wake();
	});
	const run = startCli('ticket update 14 --status hold', { env });
	await sent;
	run.child.kill('SIGINT');
	await run.until(/waiting for requests in flight/);
	respond();
	expect(await run.ended).toMatchObject({ exitCode: 0, stdout: '14\tok\thold\t\n' });
});

describe('journals of single writes', () => {
	const DAY = 24 * 3_600_000;

	async function journal(stateDir: string, daysAgo: number, rows: number, isEnded = true): Promise<string> {
		const time = new Date(Date.now() - daysAgo * DAY).toISOString();
		const id = `${time.replace(/[-:]/g, '').replace('T', '-').slice(0, 15)}-${isEnded ? 'ended' : 'going'}`;
		const written = startJournal(stateDir, rows, undefined, { id });
		const counts = createCounts();
		for (let row = 1; row <= rows; row++) {
			await written.outcome(outcomeOf(row));
			countOutcome(counts, outcomeOf(row));
		}
		await written.close(isEnded ? { at: time, counts, exit: 0 } : undefined);
		return id;
	}

	test('are removed after 30 days when a run begins; larger, newer and unfinished ones stay', async () => {
		const { state, run, journals } = await desk();
		const gone = [await journal(state, 31, 1), await journal(state, 400, 1)];
		const kept = [await journal(state, 33, 2), await journal(state, 29, 1), await journal(state, 34, 1, false)];
		writeFileSync(join(state, 'runs', '20250101-000000-00abc.ndjson'), 'damaged');
		await run('ticket update 14 --title x');
		const names = journals().map((name) => name.replace('.ndjson', ''));
		expect(names).toEqual(expect.arrayContaining(kept));
		expect(names.filter((name) => gone.includes(name))).toEqual([]);
		expect(names).toHaveLength(kept.length + 2);
	});

	test('are looked through once a day', async () => {
		const { state, run, journals } = await desk();
		await run('ticket update 14 --title x');
		await journal(state, 31, 1);
		await run('ticket update 14 --title y');
		expect(journals()).toHaveLength(3);
		const yesterday = Date.now() / 1000 - 90_000;
		utimesSync(join(state, 'runs', `.pruned-${process.getuid?.()}`), yesterday, yesterday);
		await run('ticket update 14 --title z');
		expect(journals()).toHaveLength(3);
	});
});

test('run show has times as other screens do: relative on a terminal, ISO for programs', async () => {
	const at = await startSandboxUser();
	await at.run('ticket update 14 --title new');
	const context = memoryContext({ argv: ['run', 'show', 'last'], env: at.env, cwd: at.folder, columns: 80 });
	expect(await runMain(context)).toBe(0);
	expect(context.stdout.text).toMatch(/started\S* +\S.* \(\d{4}-\d\d-\d\d \d\d:\d\d GMT\)\n.*ended\S* +\S.* GMT\)\n/);
	expect(context.stdout.text).not.toMatch(/\dT\d\d:/);
	expect(JSON.parse((await at.run('run show last --json')).stdout)).toMatchObject({
		started: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
		ended: expect.stringMatching(/Z$/),
	});
});

test('a run of no rows has nothing to undo, and the reason is not that old values were not saved', async () => {
	const at = await startSandboxUser();
	at.file('none.csv', 'id,title\n');
	expect(await at.run('ticket update --input none.csv')).toMatchObject({ exitCode: 0 });
	const undo = await at.run('run undo last --yes');
	expect([undo.exitCode, undo.stderr]).toEqual([2, expect.stringContaining('wrote nothing that can be restored')]);
});
