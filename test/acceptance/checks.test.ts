/** What is read before and after a write: items of lists, conditions, conflicts, snapshots, undo. */

import { expect, test } from 'vitest';
import { isolatedEnvironment, jsonLines, runCli, runHere } from '../support/cli.js';
import { json, startRecorder } from '../support/recorder.js';
import type { TestSandbox } from '../support/sandbox.js';
import { type SandboxUser, startSandboxUser } from '../support/sandbox-user.js';
import { temporaryFolder } from '../support/temporary.js';

const changes = ({ requests }: TestSandbox) => requests.filter(({ method }) => method !== 'GET');

async function object({ service }: SandboxUser, path: string): Promise<Record<string, unknown>> {
	return (await service.call('GET', `${path}?context=edit`)).body as Record<string, unknown>;
}

/** `code` and `outcome` of each row, in the order of the input. */
function outcomes(stdout: string): string[] {
	return jsonLines<{ row: number; outcome: string; code: string | null }>(stdout)
		.sort((one, other) => one.row - other.row)
		.map(({ outcome, code }) => (code == null ? outcome : `${outcome} ${code}`));
}

test('items are added to lists and removed from them, and nothing is sent where they are as asked', async () => {
	const at = await startSandboxUser();
	const { run } = at;
	await at.service.call('POST', '/tickets/14', { 'ticket-tag': [] });
	const [one, two] = (await run('term list ticket-tag --format ids')).stdout.split('\n');
	const first = await run(`ticket update 14 --add-ticket-tag ${one},${two} --format ndjson`);
	expect([first.exitCode, outcomes(first.stdout)]).toEqual([0, ['ok']]);
	const again = await run(`ticket update 14 15 --add-ticket-tag ${one} --first 1 --format ndjson`);
	expect(outcomes(again.stdout)).toEqual(['skipped unchanged']);
	const both = at.file('t.csv', 'id,title\n14,a\n14,b\n');
	await run(`ticket update --input ${both} --remove-ticket-tag ${one}`);
	expect(await object(at, '/tickets/14')).toMatchObject({ 'ticket-tag': [Number(two)], title: { raw: 'b' } });
	const { roles } = await object(at, '/users/4');
	await run('user update 4 --add-roles manager');
	expect((await object(at, '/users/4')).roles).toEqual([...(roles as string[]), 'manager']);
	await run('user update 4 --remove-roles manager --verify');
	expect((await object(at, '/users/4')).roles).toEqual(roles);
});

test('a list is either given as a whole or changed, and a dry run shows the change', async () => {
	const at = await startSandboxUser();
	const refused = async (line: string, message: string): Promise<void> => {
		const { exitCode, stderr } = await at.run(line);
		expect([exitCode, stderr], line).toEqual([2, expect.stringContaining(message)]);
	};
	await refused(
		'ticket update 14 --ticket-tag 5 --add-ticket-tag 6',
		"--add-ticket-tag can't be combined with a value",
	);
	await refused('user update 4 --add-roles a --remove-roles a', "can't be both added to roles and removed");
	expect(at.service.requests).toEqual([]);
	// 6 may be the name of a tag, and is looked up before the file is read.
	const input = at.file('t.csv', 'id,ticket-tag\n14,5\n');
	await refused(`ticket update --input ${input} --remove-ticket-tag 6`, '--ignore-column ticket-tag');
	expect(changes(at.service)).toEqual([]);
	const dry = await at.run('ticket update 14 15 --add-ticket-tag 6 --dry-run --format ndjson');
	expect(JSON.parse(dry.stdout.split('\n')[0] as string)).toMatchObject({ id: 14, changes: [{ added: [{ id: 6 }] }] });
	await at.service.call('POST', '/tickets/14', { 'ticket-tag': [] });
	const diff = await at.run('ticket update 14 --add-ticket-tag 6 --dry-run --diff --format ndjson');
	expect(JSON.parse(diff.stdout)).toMatchObject({ id: 14, changes: [{ field: 'ticket-tag', old: [], new: [6] }] });
});

test.each([
	['ticket update 14 --assignee @', '"@" is not a username'],
	['ticket update 14 --assignee id:abc', 'invalid ID "id:abc"'],
	['ticket update 14 --title x --if assignee=@', '"@" is not a username'],
	['user delete 4 --reassign none --yes', '"none" is nobody'],
	['user delete 4 --reassign id:x --yes', 'invalid ID "id:x"'],
	['user delete none --reassign 4 --yes', '"none" is nobody'],
	['user get none', '"none" is nobody'],
	['user get @', '"@" is not a username'],
	['ticket list --author id:x', 'invalid ID "id:x"'],
	['ticket list --assignee sofia.bauer --created-after nonsense', 'is not a date or an age'],
	['ticket list --assignee sofia.bauer --status closed', 'is a state, not a status'],
	['ticket update 14 --assignee sofia.bauer --max 0', '--max 0, but there is 1 row'],
	['ticket update 14 #14 15 --assignee sofia.bauer --max 1', '--max 1, but there are 3 rows'],
	['ticket update 14 15 --add-ticket-tag VIP --expect 3', '--expect 3, but there are 2 rows'],
	['ticket update 14 15 --add-ticket-tag VIP --expect 1', '--expect 1, but there are 2 rows'],
	['user delete emeka.park amir.rossi --reassign sofia.bauer --yes --max 0', '--max 0, but there are 2 rows'],
	[
		'user delete emeka.park --reassign Emeka.Park --yes',
		"can't reassign to user Emeka.Park, who is also being deleted",
	],
	['user delete amir.rossi @emeka.park --reassign emeka.park --yes', "can't reassign to user emeka.park"],
	['user delete 3 --reassign id:3 --yes', "can't reassign to user id:3, who is also being deleted"],
	['ticket update 14 --assignee sofia.bauer --status hodl', 'did you mean "hold"'],
	['user update sofia.bauer --email nobody', 'is not an email address'],
])('%s is refused without a request', async (line, message) => {
	const at = await startSandboxUser();
	const { exitCode, stderr } = await at.run(line);
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
	expect(at.service.requests).toEqual([]);
});

test('--if writes only objects that hold every value, and empty means that there is none', async () => {
	const at = await startSandboxUser();
	const { call } = at.service;
	for (const [id, status, assignee] of [
		[14, 'hold', 0],
		[15, 'queued', 0],
		[16, 'hold', 3],
	] as const) {
		await call('POST', `/tickets/${id}`, { status });
		Object.assign(at.service.store.tickets.get(id) ?? {}, { assignee });
	}
	const input = at.file('t.csv', 'id\n14\n15\n16\n');
	const update = await at.run(
		`ticket update --input ${input} --status pending --if status=hold --if assignee= --format ndjson`,
	);
	expect([update.exitCode, outcomes(update.stdout)]).toEqual([0, ['ok', 'skipped condition', 'skipped condition']]);
	expect((await object(at, '/tickets/16')).status).toBe('hold');
	const gone = await at.run(`ticket delete 14 16 --yes --if status=hold --format ndjson`);
	expect(outcomes(gone.stdout)).toEqual(['skipped condition', 'ok']);
	const own = (await object(at, '/users/me')).id;
	await call('POST', '/tickets/15', { assignee: own });
	const mine = await at.run('ticket update 14 15 --title x --if assignee=@me --format ndjson');
	expect(outcomes(mine.stdout)).toEqual(['skipped condition', 'ok']);
	for (const [flag, message] of [
		['statsu=hold', 'did you mean "status"'],
		['status=hodl', 'hold'],
		['hold', 'is not FIELD=VALUE'],
	] as const) {
		const refused = await at.run(`ticket delete 15 --yes --if ${flag}`);
		expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
	}
});

test('--if compares custom fields too', async () => {
	const at = await startSandboxUser();
	await at.run('ticket fields set 14 --set severity=high');
	await at.run('ticket fields set 15 --set severity=low');
	const run = await at.run('ticket fields set 14 15 --set severity=urgent --if severity=high --format ndjson');
	expect([run.exitCode, outcomes(run.stdout)]).toEqual([0, ['ok', 'skipped condition']]);
});

test.each(['', ' --verify', ' -j 1'])('--if-unmodified takes no row of the run for somebody else%s', async (flags) => {
	const at = await startSandboxUser();
	const [modified] = (await at.run('ticket list --limit 1 --sort id --format csv --fields modified_gmt')).stdout
		.trim()
		.split('\n')
		.slice(1);
	const stale = '2001-01-01T00:00:00';
	at.file('t.csv', `id,title,modified_gmt\n1,a,${modified}\n1,b,${modified}\n1,c,${stale}\n`);
	const update = await at.run(`ticket update --input t.csv --if-unmodified --format ndjson${flags}`);
	expect(outcomes(update.stdout), update.stderr).toEqual(['ok', 'ok', 'skipped conflict']);
	expect((await object(at, '/tickets/1')).title).toMatchObject({ raw: 'b' });
});

test('nor does an apply of a plan that was made with it', async () => {
	const at = await startSandboxUser();
	const list = await at.run('ticket list --limit 1 --sort id --format csv --fields modified_gmt');
	const modified = list.stdout.trim().split('\n')[1];
	at.file('t.csv', `id,title,modified_gmt\n1,a,${modified}\n1,b,${modified}\n`);
	await at.run('ticket update --input t.csv --if-unmodified --plan p.plan');
	const apply = await at.run('run apply p.plan --yes --format ndjson');
	expect(outcomes(apply.stdout), apply.stderr).toEqual(['ok', 'ok']);
	expect((await object(at, '/tickets/1')).title).toMatchObject({ raw: 'b' });
});

test('--if-unmodified leaves alone what was changed since the export, and run rejects gives those rows back', async () => {
	const at = await startSandboxUser();
	const list = await at.run('ticket list --limit 3 --format csv --fields id,title,modified_gmt');
	const [head, ...rows] = list.stdout.trim().split('\n');
	const ids = rows.map((row) => row.split(',')[0]);
	at.file('t.csv', `${[head, ...rows].join('\n')}\n`);
	const record = at.service.store.tickets.get(Number(ids[1])) as { modified: string };
	record.modified = '2030-01-01T00:00:00';
	const before = changes(at.service).length;
	const update = await at.run(
		'ticket update --input - --if-unmodified --title new --format ndjson --ignore-column title',
		list.stdout,
	);
	expect(outcomes(update.stdout)).toEqual(['ok', 'skipped conflict', 'ok']);
	expect(update.stderr).toContain('"conflicts":1');
	expect(update.exitCode).toBe(3);
	expect((await at.run('run show last')).stderr + (await at.run('run show last')).stdout).toContain(
		'supportctl run rejects',
	);
	expect(changes(at.service)).toHaveLength(before + 2);
	const rejects = await at.run('run rejects last --format csv --fields id');
	expect(rejects.stdout).toBe(`id\n${ids[1]}\n`);
	const alone = await at.run(
		'ticket update --input - --if-unmodified --title newer --ignore-column title',
		list.stdout,
	);
	expect(alone.stderr).toContain('was skipped: modified by someone else at');
	expect([alone.exitCode, changes(at.service).length]).toEqual([1, before + 2]);
	const missing = await at.run(
		`ticket update --input ${at.file('u.csv', 'id,modified_gmt\n14,\n')} --title x --if-unmodified`,
	);
	expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('modified_gmt is missing')]);
	expect((await at.run('user update 4 --name x --if-unmodified')).stderr).toContain('unknown flag');
});

test('where the service offers no reads, each check says so before anything is written', async () => {
	const at = await startSandboxUser({ documentedOnly: true });
	const sheet = at.file('t.csv', 'id,modified_gmt\n14,2026-11-01T00:00:00\n');
	for (const flags of [
		'14 --title x --verify',
		'14 --title x --snapshot',
		'14 15 --title x --only-changed --verify',
		'14 --title x --if status=hold',
		`--input ${sheet} --title x --if-unmodified`,
		'14 --add-ticket-tag 5',
		'14 --remove-ticket-tag 5',
	]) {
		const { exitCode, stderr } = await at.run(`ticket update ${flags}`);
		const message =
			"this service can't read tickets (404 rest_no_route); nothing was written\nhint: drop the flags that need reads";
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
	}
	const dry = await at.run('ticket update 14 --title x --dry-run --format json');
	expect([dry.exitCode, JSON.parse(dry.stdout)]).toMatchObject([0, [{ id: 14, method: 'POST', body: { title: 'x' } }]]);
	expect(dry.stderr).toContain('the dry run prints requests, not changes');
	expect((await at.run('ticket delete 14 --yes --verify')).exitCode).toBe(2);
	expect(changes(at.service)).toEqual([]);
	expect((await at.run('ticket fields set 14 --set severity=x --verify')).exitCode).toBe(0);
});

test('run undo says so where the service does not offer reads any more', async () => {
	let reads = true;
	const service = await startRecorder((request) => {
		const noRoute = json(404, { code: 'rest_no_route', message: 'No route.', data: { status: 404 } });
		const title = { raw: request.method === 'GET' ? 'old' : 'new' };
		return request.method === 'GET' && !reads ? noRoute : json(200, { id: 14, title });
	});
	const at = { env: { ...isolatedEnvironment(), ...service.env }, cwd: temporaryFolder() };
	expect((await runHere('ticket update 14 --title new --snapshot -q'.split(' '), at)).exitCode).toBe(0);
	reads = false;
	const { exitCode, stderr } = await runHere('run undo last --yes'.split(' '), at);
	const message = "this service can't read tickets (404 rest_no_route); run undo needs it; nothing was written";
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
	expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test('a profile can keep the old values of single objects too, or of none', async () => {
	const at = await startSandboxUser();
	const { SUPPORTCTL_BASE_URL: url, SUPPORTCTL_USERNAME: user, ...env } = at.env as Record<string, string>;
	const cwd = temporaryFolder();
	const run = (line: string) => runHere(line.split(' '), { env, cwd });
	await run(`profile set desk --base-url ${url} --username ${user} --snapshot`);
	const title = ((await object(at, '/tickets/14')).title as { raw: string }).raw;
	expect((await run('ticket update 14 --title new')).exitCode).toBe(0);
	expect((await run('run undo last --yes')).exitCode).toBe(0);
	expect(await object(at, '/tickets/14')).toMatchObject({ title: { raw: title } });
	expect((await run('ticket delete 15 --force --yes')).exitCode).toBe(0);
	expect((await run('ticket update 14 --title new --no-snapshot --journal j.ndjson')).exitCode).toBe(0);
	expect((await run('run undo j.ndjson --yes')).stderr).toContain('did not save old values');
	await run('profile set desk --no-snapshot');
	await run('ticket update 14 16 --title newer');
	expect((await run('run undo last --yes')).stderr).toContain('did not save old values');
});

test('a delete to the trash is verified and undone; a permanent one with --snapshot is refused', async () => {
	const at = await startSandboxUser();
	const { status } = await object(at, '/tickets/14');
	const gone = await at.run('ticket delete 14 --snapshot --verify --yes --format ndjson');
	expect([gone.exitCode, outcomes(gone.stdout)]).toEqual([0, ['ok']]);
	expect((await object(at, '/tickets/14')).status).toBe('trash');
	expect((await at.run('run undo last --yes')).exitCode).toBe(0);
	expect((await object(at, '/tickets/14')).status).toBe(status);
	const before = at.service.requests.length;
	for (const line of [
		'ticket delete 14 --force --snapshot --yes',
		'ticket delete 14 15 --force --snapshot --dry-run',
	]) {
		const { exitCode, stderr } = await at.run(line);
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining("a permanent delete can't be undone")]);
	}
	expect(at.service.requests).toHaveLength(before);
	expect((await at.run('ticket delete 14 --force --verify --yes')).exitCode).toBe(0);
});

test('run undo restores every kind of object, apart from when it was modified', async () => {
	const at = await startSandboxUser();
	const first = async (line: string) => JSON.parse((await at.run(`${line} --limit 1 --json`)).stdout)[0].id as number;
	const attachment = await first('attachment list');
	const reply = JSON.parse((await at.run('reply list 14 --json')).stdout)[0].id as number;
	const terms = new Map<string, number>();
	for (const taxonomy of ['product', 'ticket_priority']) terms.set(taxonomy, await first(`term list ${taxonomy}`));
	const sheet = [...terms].map(([taxonomy, id]) => `${taxonomy},${id},Renamed,renamed-${id}\n`).join('');
	at.file('terms.csv', `taxonomy,id,name,slug\n${sheet}`);
	const updates = [
		'ticket update 14 15 --title Fish&Chips --content <b>x</b> --status hold --assignee 3 --add-ticket-tag 1 --time-notes a',
		`reply update 14 ${reply} --content other --status unread`,
		'user update 4 --name Other --add-roles manager --email other@example.com --support-can-be-assigned false',
		`attachment update ${attachment} --title Other --alt-text y --caption z`,
		'term update --input terms.csv --undocumented',
		'ticket fields set 14 --set severity=urgent',
		'ticket delete 16 --yes',
		`reply delete 14 ${reply} --yes`,
	];
	const dump = async () => {
		const lists = ['ticket list', 'reply list 14', 'user list', 'attachment list', 'ticket fields get 14'];
		const all = [...lists, ...[...terms.keys()].map((taxonomy) => `term list ${taxonomy}`)];
		const texts = await Promise.all(all.map((line) => at.run(`${line} --json`)));
		return texts.map(({ stdout }) =>
			JSON.parse(stdout, (key, value) => (/^modified|^ms$/.test(key) ? undefined : value)),
		);
	};
	const before = await dump();
	for (const line of updates) {
		const done = await at.run(`${line} --snapshot`);
		expect([line, done.exitCode, done.stderr]).toEqual([line, 0, expect.any(String)]);
		expect(await dump(), line).not.toEqual(before);
		const undone = await at.run('run undo last --yes');
		expect([line, undone.exitCode, undone.stderr]).toEqual([line, 0, expect.any(String)]);
		expect(await dump(), line).toEqual(before);
	}
});

test('the built program names the moment that --if-unmodified leaves', async () => {
	expect((await runCli('help flags')).stdout).toContain('(not atomic)');
});
