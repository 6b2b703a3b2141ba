/** `ticket history` and `run show --changes`: what a run changed, from the journals alone. */

import { appendFileSync, chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isolatedEnvironment, jsonLines, runHere } from '../support/cli.js';
import { journalIn, outcomeOf, startJournal } from '../support/journal.js';
import { json } from '../support/recorder.js';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';
import { startWorkplace } from '../support/workplace.js';

let service: TestSandbox;
beforeAll(async () => {
	service = await startSandbox();
});
afterAll(() => service.stop());

let env: Record<string, string>;
const stateDir = (): string => env.SUPPORTCTL_STATE_DIR as string;

beforeEach(async () => {
	env = { ...isolatedEnvironment(), ...service.env };
	await service.call('POST', '/tickets/17', { status: 'hold', title: 'Printer on fire', assignee: 3 });
});

const run = (line: string) => runHere(line.split(' '), { env, cwd: temporaryFolder() });
const lastRun = async () => JSON.parse((await run('run show last --json')).stdout);

/** What a person sees in a pipe: field, old, new, outcome, note. */
async function history(line: string) {
	const { exitCode, stdout, stderr } = await run(line);
	expect(exitCode, stderr).toBe(0);
	const rows = stdout.split('\n').slice(0, -1);
	return { rows: rows.map((row) => row.split('\t').slice(3, 7)), stdout, stderr };
}

describe('history', () => {
	test('lists what each run changed, newest first, and how to restore it', async () => {
		await run('ticket update 17 18 --status read --note first');
		await run('ticket update 17 --title Fixed');
		await run('ticket fields set 17 --set severity=major');
		const { run: newest } = await lastRun();
		const { rows, stderr } = await history('ticket history 17');
		expect(rows).toEqual([
			['severity', expect.any(String), 'major', 'ok'],
			['title', 'Printer on fire', 'Fixed', 'ok'],
			['status', 'hold', 'read', 'ok'],
		]);
		expect(stderr).toContain(`read 3 runs in ${stateDir()}/runs, the oldest from 20`);
		expect(stderr).toContain(`to restore the newest change: supportctl run undo ${newest} --ids 17\n`);
		expect((await run(`run undo ${newest} --ids 17 --yes`)).exitCode).toBe(0);
		expect((await history('ticket history 17')).rows[0]).toEqual(['severity', 'major', expect.any(String), 'ok']);
	});

	test('has the names of people and terms, also if the newest run has no fields, such as a delete', async () => {
		await run('ticket update 17 --product 15 --assignee 4');
		const { stdout } = await run('run show last --changes');
		const changes = stdout
			.trimEnd()
			.split('\n')
			.map((line) => line.split('\t').slice(3, 7));
		expect(changes.flat().every((word) => !/^\d+$/.test(word))).toBe(true);
		await run('ticket delete 17 --yes');
		const { rows } = await history('ticket history 17');
		expect(rows.slice(1)).toEqual(changes);
	});

	test.each(['', '--verify'])(
		'has no delete of what was gone already, whatever it took to see that: %s',
		async (flags) => {
			let count = 0;
			const { work } = await startWorkplace(() => {
				return json(++count === 1 ? 503 : 404, {
					code: 'rest_post_invalid_id',
					message: 'Invalid ID.',
					data: { status: 404 },
				});
			});
			const deleted = await work.run(`ticket delete 5 --yes --ignore-missing --json ${flags}`.trim());
			expect(JSON.parse(deleted.stdout)[0], deleted.stderr).toMatchObject({ outcome: 'ok', attempts: 2 });
			expect((await work.run('run show last --changes')).stderr).toContain('this run changed nothing');
			expect((await work.run('ticket history 5')).stderr).toContain('no run changed ticket 5');
		},
	);

	test('says who and why in every format, with one object a row of a run for programs', async () => {
		await run('ticket update 17 18 --status read --title x --note because');
		const { run: id } = await lastRun();
		const { stdout, stderr } = await run('ticket history 17 --json');
		const facts = { run: id, user: userInfo().username, note: 'because', command: 'ticket update', outcome: 'ok' };
		expect(JSON.parse(stdout)).toMatchObject([
			{ ...facts, action: 'update', changes: [{ field: 'status', old: 'hold', new: 'read' }, { field: 'title' }] },
		]);
		expect(JSON.parse(stderr).summary).toMatchObject({ runs: 1, next: [`supportctl run undo ${id} --ids 17`] });
		expect(jsonLines((await run('ticket history 17 --format ndjson')).stdout)).toHaveLength(1);
		expect((await run('ticket history 17 --format csv')).stdout).toMatch(/^run,started,user,.*,field,old,new,/);
		expect((await run('ticket history 17 --format csv')).stdout.split('\n')).toHaveLength(4);
		expect((await run('ticket history 17 --format ids')).stdout).toBe(`${id}\n`);
		expect((await run('ticket history 17 --format count')).stdout).toBe('1\n');
		expect((await run('ticket history 17 --fields run,field --format tsv')).stdout).toBe(
			`run\tfield\n${id}\tstatus\n${id}\ttitle\n`,
		);
	});

	test('covers replies, users by name, attachments and terms, and each of them alone', async () => {
		await run('reply update 14 73 --content changed');
		await run('user update 7 --first-name Ada');
		await run('attachment update 51 --title scan');
		await run('term update ticket_priority 23 --name Urgent');
		await run('ticket update 7 --status read');
		const changed = async (line: string) => (await history(line)).rows.map(([field, , to]) => [field, to]);
		expect(await changed('reply history 14 73')).toEqual([['content', 'changed']]);
		expect(await changed('user history 7')).toEqual([['first_name', 'Ada']]);
		expect(await changed('attachment history 51')).toEqual([['title', 'scan']]);
		expect(await changed('term history ticket_priority 23')).toEqual([['name', 'Urgent']]);
		expect(await run('user history nobody.here')).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining('pass the ID'),
		});
	});

	test('finds a user by a name that a run used', async () => {
		const { body } = await service.call('GET', '/users/7?context=edit');
		const { username } = body as { username: string };
		await run(`user update ${username} --last-name Lovelace`);
		for (const user of [username, `@${username}`, 'id:7', '#7']) {
			expect((await history(`user history ${user}`)).rows).toMatchObject([
				['last_name', expect.any(String), 'Lovelace', 'ok'],
			]);
		}
	});

	test('finds a user by email, display name and name, and a term by slug and name, also once they are gone', async () => {
		const { body } = await service.call('GET', '/users/7?context=edit');
		const { username, email, name } = body as Record<'username' | 'email' | 'name', string>;
		await run('user update 7 --first-name Grace');
		for (const user of [username, email, name]) {
			const { stdout, stderr, exitCode } = await runHere(['user', 'history', user], { env });
			expect([exitCode, stdout], stderr).toEqual([0, expect.stringContaining('\tfirst_name\t')]);
		}
		await run('term update ticket_priority High --description x');
		await run('term delete ticket_priority High --force --yes');
		for (const term of ['High', '@High', 'high', '23', '#23']) {
			const { stdout, stderr, exitCode } = await run(`term history ticket_priority ${term}`);
			const isGone = term === 'high';
			expect([term, exitCode, stdout.split('\n').length], stderr).toEqual([term, isGone ? 2 : 0, isGone ? 1 : 3]);
		}
		await run('term update ticket_priority Low --description x');
		expect((await run('term history ticket_priority low')).stdout).toContain('\tdescription\t');
		await run('user update @me --description boss');
		expect((await run('user history @me')).stdout).toContain('\tdescription\t');
		for (const line of ['ticket history abc', 'ticket history 17,18', 'attachment history x', 'reply history 14 0']) {
			expect(await run(line)).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^error: \w+: .*ID/) });
		}
		const away = { ...env, SUPPORTCTL_PASSWORD: 'wrong' };
		const unknown = await runHere(['user', 'history', 'Nobody Here'], { env: away });
		expect([unknown.exitCode, unknown.stderr]).toEqual([
			2,
			expect.stringContaining(
				'no run mentions user "Nobody Here"; pass the ID\nhint: to find it: supportctl user id \'Nobody Here\'\n',
			),
		]);
	});

	test('shows names: those that the journal keeps, or else those of the service, and IDs where it is away', async () => {
		const { body } = await service.call('GET', '/users/4?context=edit');
		const { username } = body as { username: string };
		await run('ticket update 17 --assignee 4 --ticket-priority 22');
		const [priority, assignee] = (await history('ticket history 17')).rows;
		expect(priority).toEqual(['ticket_priority', expect.stringMatching(/^[A-Z]/), 'Normal', 'ok']);
		expect(assignee).toEqual(['assignee', expect.stringMatching(/^[a-z]+\.[a-z]+$/), username, 'ok']);
		const shown = JSON.parse((await run('run show last --changes --json')).stdout);
		expect(shown[0].changes[1]).toMatchObject({ old: 3, new: 4, new_name: username });
		const signedOut: Record<string, string> = { SUPPORTCTL_PASSWORD: '', SUPPORTCTL_USERNAME: '' };
		for (const away of [{ SUPPORTCTL_PASSWORD: 'wrong' }, signedOut]) {
			const { stdout, exitCode } = await runHere(['ticket', 'history', '17'], { env: { ...env, ...away } });
			expect({ exitCode, rows: stdout.split('\n').map((line) => line.split('\t').slice(3, 6)) }).toMatchObject({
				exitCode: 0,
				rows: [priority?.slice(0, 3), ['assignee', '3', '4'], []],
			});
		}
	});

	test('shows deletes, runs without old values, and rows of a run that was killed as what they are', async () => {
		await run('ticket delete 17 --yes');
		expect((await history('ticket history 17')).rows).toEqual([['', '', 'to the trash', 'ok']]);
		await run('ticket update 18 --status read --no-snapshot');
		const { stdout, stderr } = await run('ticket history 18');
		expect(stdout).toContain('\tstatus\t(not shown)\tread\tok\t');
		expect(stdout).toContain('no old values were saved');
		expect(stderr).not.toContain('to restore');
		const journal = startJournal(stateDir(), 2, undefined, { id: '20990101-000000-aaaaa', service: await serviceOf() });
		await journal.before(1, { id: '19' }, { values: { status: 'hold' }, sent: { status: 'read' }, absent: [] });
		await journal.close();
		const killed = await run('ticket history 19');
		expect(killed.stdout).toContain('\tstatus\thold\tread\tunknown\t');
		expect(killed.stdout).toContain('the run was killed');
	});

	test('leaves out rows that wrote nothing, other services, and other objects with that ID', async () => {
		await run('ticket update 17 --status hold');
		expect((await lastRun()).result).toBe('1 skipped');
		await run('user update 17 --first-name x');
		const elsewhere = startJournal(stateDir(), 1, undefined, { id: '20990101-000000-bbbbb' });
		await elsewhere.outcome(outcomeOf(1, { ids: { id: '17' } }));
		await elsewhere.close();
		const { rows, stderr } = await history('ticket history 17');
		expect(rows).toEqual([]);
		expect(stderr).toContain('no run changed ticket 17\n');
		expect(stderr).toContain('1 run on other services left out');
	});

	test('needs no connection and no profile', async () => {
		await run('ticket update 17 --status read');
		const { SUPPORTCTL_STATE_DIR: own = '' } = env;
		env = { ...isolatedEnvironment(), SUPPORTCTL_STATE_DIR: own };
		expect((await history('ticket history 17')).rows).toEqual([['status', 'hold', 'read', 'ok']]);
	});

	test('goes on past damaged journals and those of others that it may not read, and says so', async () => {
		await run('ticket update 17 --status read');
		await run('ticket update 18 --status read');
		const [first, second] = readdirSync(join(stateDir(), 'runs'))
			.filter((name) => name.endsWith('.ndjson'))
			.sort();
		const path = join(stateDir(), 'runs', first as string);
		writeFileSync(path, readFileSync(path, 'utf8').replace('"outcome":"ok"', '"outcome":"no"'));
		writeFileSync(journalIn(stateDir(), '20000101-000000-aaaaa'), 'rubbish\n');
		appendFileSync(join(stateDir(), 'runs', second as string), '{"type":"torn');
		const { rows, stderr } = await history('ticket history 17');
		expect(rows).toEqual([['status', 'hold', 'read', 'unknown']]);
		expect(stderr).toContain(
			'warning: skipped 1 journal: 20000101-000000-aaaaa (its first line is damaged (wrong checksum))',
		);
		expect(stderr).toContain('1 damaged line, which may be about ticket 17');
		// Root may read everything.
		if (process.getuid?.() === 0) return;
		chmodSync(path, 0);
		expect((await history('ticket history 17')).stderr).toContain('permission denied');
	});
});

describe('run show --changes', () => {
	test('lists old and new values of each row that was written', async () => {
		await run('ticket update 17 30 999901 --status read --title y');
		const { stdout } = await run('run show last --changes');
		const rows = stdout
			.split('\n')
			.slice(0, -1)
			.map((line) => line.split('\t').slice(0, 7));
		expect(rows).toEqual([
			['1', '17', 'Printer on fire', 'status', 'hold', 'read', 'ok'],
			['1', '17', 'Printer on fire', 'title', 'Printer on fire', 'y', 'ok'],
			['2', '30', expect.any(String), 'status', expect.any(String), 'read', 'ok'],
			['2', '30', expect.any(String), 'title', expect.any(String), 'y', 'ok'],
		]);
		const json = JSON.parse((await run('run show last --changes --json')).stdout);
		expect(json).toMatchObject([{ id: 17, changes: [{ field: 'status', old: 'hold' }, {}] }, { id: 30 }]);
		expect((await run('run show last --changes --outcome failed --format count')).stdout).toBe('1\n');
		await run('ticket update 999901 --title y');
		const none = await run('run show last --changes');
		expect([none.stdout, none.stderr]).toEqual(['', 'this run changed nothing\n']);
	});
});

async function serviceOf() {
	await run('ticket update 20 --status read');
	return (await lastRun()).plan.service;
}
