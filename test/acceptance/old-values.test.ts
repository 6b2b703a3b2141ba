/** Runs of two rows or more keep old values, so that they can be undone. */

import { describe, expect, it, test } from 'vitest';
import { runHere } from '../support/cli.js';
import { json, type Responder, startRecorder, text } from '../support/recorder.js';
import { startSandboxUser } from '../support/sandbox-user.js';
import { temporaryFolder } from '../support/temporary.js';

async function desk(options: Parameters<typeof startSandboxUser>[0] = {}) {
	const user = await startSandboxUser(options);
	user.file('one.csv', 'id,status\n14,hold\n');
	user.file('gone.csv', 'id,force\n14,true\n15,true\n');
	return { ...user, reads: () => user.service.requests.filter(({ method }) => method === 'GET').length };
}

test('a run of two rows can be undone without a flag', async () => {
	const { service, run } = await desk();
	for (const id of [14, 15]) await service.call('POST', `/tickets/${id}`, { status: 'read' });
	const { exitCode, stderr } = await run('ticket update 14 15 --status hold');
	expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/Undo: supportctl run undo \S+/)]);
	const undone = await run('run undo last --yes');
	expect(undone.exitCode, undone.stderr).toBe(0);
	const { body } = await service.call('GET', '/tickets/15?context=edit');
	expect(body).toMatchObject({ status: 'read' });
});

test('tickets that were moved to the trash come back', async () => {
	const { service, run } = await desk();
	await service.call('POST', '/tickets/14', { status: 'hold' });
	await run('ticket delete 14 15 --yes');
	const undone = await run('run undo last --yes');
	expect(undone.exitCode, undone.stderr).toBe(0);
	const { body } = await service.call('GET', '/tickets/14?context=edit');
	expect(body).toMatchObject({ status: 'hold' });
});

test('with --ignore-missing a ticket that is gone is ok, and an undo does not count it as left', async () => {
	const { run } = await desk();
	const deleted = await run('ticket delete 14 99999 --yes --ignore-missing');
	expect(deleted.exitCode, deleted.stderr).toBe(0);
	expect(deleted.stdout).toContain('already deleted');
	const undone = await run('run undo last --yes');
	expect(undone.exitCode, undone.stderr).toBe(0);
});

test.each([
	'ticket update 14 --status hold --no-snapshot',
	'ticket update --input one.csv --no-snapshot',
	'ticket update 14 15 --status hold --no-snapshot',
])('%s reads nothing', async (line) => {
	const { run, reads } = await desk();
	const { exitCode, stderr } = await run(line);
	expect([exitCode, reads()], stderr).toEqual([0, 0]);
});

test('a profile says never, and a flag says otherwise', async () => {
	const { env, reads, run } = await desk();
	const { SUPPORTCTL_BASE_URL: url = '', SUPPORTCTL_USERNAME: user = '', SUPPORTCTL_PASSWORD: password = '' } = env;
	const words = `--base-url ${url} --username ${user} --no-snapshot --password-stdin --insecure-storage`;
	const set = await run(`profile set desk ${words}`, `${password}\n`);
	expect(set.exitCode, set.stderr).toBe(0);
	const quiet = await run('ticket update 14 15 --status hold --profile desk');
	expect(quiet.stderr).toContain("can't be undone: it did not save old values");
	expect(reads()).toBe(0);
	await run('ticket update 14 15 --status hold --profile desk --snapshot');
	expect(reads()).toBeGreaterThan(0);
});

test('permanent deletes read nothing, and say that they can not be undone', async () => {
	const { run, reads } = await desk();
	for (const line of ['ticket delete 14 15 --force --yes', 'ticket delete --input gone.csv --yes']) {
		const { stderr } = await run(line);
		expect(reads(), stderr).toBe(0);
	}
	expect((await run('ticket delete 16 17 --force --yes')).stderr).toContain(
		"can't be undone: its deletes were permanent",
	);
});

test('where a service offers no reads, a notice says so and the run goes on; --snapshot is refused', async () => {
	const { service, run } = await desk({ documentedOnly: true });
	const { exitCode, stderr } = await run('ticket update 14 15 --status hold');
	expect([exitCode, stderr]).toEqual([0, expect.stringContaining("can't read tickets")]);
	expect(stderr.match(/can't read/g)).toHaveLength(1);
	service.requests.length = 0;
	const refused = await run('ticket update 14 15 --status hold --snapshot');
	expect(refused.exitCode, refused.stderr).toBe(2);
	expect(service.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

describe('one odd first read does not turn old values off', () => {
	const odd: [string, Responder][] = [
		['another object', json(200, { id: 1, status: 'read' })],
		['a 403', json(403, { code: 'rest_forbidden', message: 'No.' })],
		['a 409', json(409, { code: 'conflict', message: 'No.' })],
		['an empty object', json(200, {})],
		['an object without the field', json(200, { id: 14 })],
		['a page', text(200, '<html><title>Sorry</title>')],
		['a 404 page', text(404, '<html><title>Sorry</title>')],
		['a 303', text(303, '', { location: '/login' })],
	];
	it.each(odd)('%s fails its row, with nothing written', async (_, response) => {
		const recorder = await startRecorder((request) => {
			const id = Number(/tickets\/(\d+)/.exec(request.url)?.[1]);
			if (request.method !== 'GET') return json(200, { id, status: 'hold' });
			return id === 15 ? json(200, { id, status: 'read' }) : response;
		});
		const options = { env: recorder.env };
		const { exitCode, stderr, stdout } = await runHere(
			'ticket update 14 15 --status hold --retries 0 --format json',
			options,
		);
		expect(exitCode, stderr).toBe(3);
		const outcomes = JSON.parse(stdout) as { id: number; outcome: string; code: string; message: string }[];
		const [failed] = outcomes.filter(({ id }) => id === 14);
		expect([failed?.outcome, failed?.code], failed?.message).toEqual(['failed', 'not_read']);
		expect(failed?.message).toMatch(/nothing was written.*--no-snapshot/);
		const writes = recorder.requests.filter(({ method }) => method === 'POST');
		expect(writes.map(({ url }) => url)).toEqual([expect.stringContaining('/tickets/15')]);
	});
});

describe('a ticket that an account may list and change, but not open', () => {
	const LISTED = /\/tickets\?.*include=([\d,]+)/;

	/** An agent's desk: the list shows tickets, and each alone is a 403. */
	async function agentDesk() {
		const statuses = new Map([4, 53].map((id) => [id, 'read']));
		const recorder = await startRecorder(({ method, url, body }) => {
			const id = Number(/tickets\/(\d+)/.exec(url)?.[1]);
			if (method !== 'GET') {
				statuses.set(id, (JSON.parse(body) as { status: string }).status);
				return json(200, { id, status: statuses.get(id) });
			}
			const asked = LISTED.exec(decodeURIComponent(url))?.[1]?.split(',').map(Number) ?? [];
			if (asked.length === 0) return json(403, { code: 'rest_forbidden', message: 'Not yours.' });
			return json(
				200,
				asked.map((each) => ({ id: each, status: statuses.get(each) })),
				{
					'x-wp-total': String(asked.length),
				},
			);
		});
		const state = { SUPPORTCTL_STATE_DIR: temporaryFolder() };
		return { statuses, run: (line: string) => runHere(line, { env: { ...recorder.env, ...state } }) };
	}

	it.each(['4', '4 53'])('keeps its old value (%s), and undo puts it back', async (ids) => {
		const { statuses, run } = await agentDesk();
		const update = await run(`ticket update ${ids} --status hold`);
		expect(update.exitCode, update.stderr).toBe(0);
		expect(statuses.get(4)).toBe('hold');
		const undo = await run('run undo last --yes');
		expect(undo.exitCode, undo.stderr).toBe(0);
		expect(statuses.get(4)).toBe('read');
	});

	it('is not written over by an undo if someone changed it', async () => {
		const { statuses, run } = await agentDesk();
		await run('ticket update 4 53 --status hold');
		statuses.set(4, 'queued');
		const undo = await run('run undo last --yes');
		expect(undo.exitCode, undo.stderr).toBe(3);
		expect(Object.fromEntries(statuses)).toEqual({ 4: 'queued', 53: 'read' });
	});
});

test('a run of which no row can be read stops before its first write, and says what came back', async () => {
	const recorder = await startRecorder(({ method }) =>
		method === 'GET' ? json(403, { code: 'rest_forbidden', message: 'Not yours.' }) : json(200, { id: 1 }),
	);
	const ids = Array.from({ length: 60 }, (_, at) => String(at + 1));
	const { exitCode, stderr } = await runHere(['ticket', 'update', ...ids, '--status', 'hold'], {
		env: recorder.env,
	});
	expect(exitCode, stderr).not.toBe(0);
	expect(stderr).toMatch(/stopped: none of the first 20 rows could be read: .*Not yours.*--no-snapshot/);
	expect(recorder.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('an ID that no user has is a warning before the run', async () => {
	const { service, run, reads } = await desk();
	const input = 'id,assignee\n14,999\n15,3\n16,999\n';
	const { stderr } = await run('ticket update --input -', input);
	const lines = stderr.split('\n').filter((line) => line.includes('no such user'));
	expect(lines, stderr).toEqual([expect.stringMatching(/^warning: assignee 999: /)]);
	expect(stderr.indexOf('no such user')).toBeLessThan(stderr.indexOf('run '));
	expect(reads(), 'one read each for reads, users and old values, and those of rows').toBeLessThanOrEqual(6);
	service.requests.length = 0;
	const known = await run('ticket update 14 15 --assignee 3');
	expect(known.stderr).not.toContain('no such user');
});
