/** Plan, review, apply: what a plan holds, what an apply refuses, and what it leaves alone. */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runMain } from '../../src/main.js';
import { jsonLines, runCli, startCli } from '../support/cli.js';
import { memoryContext } from '../support/context.js';
import { forge } from '../support/forged-plan.js';
import type { TestSandbox } from '../support/sandbox.js';
import { startSandboxUser } from '../support/sandbox-user.js';

async function desk(options: Parameters<typeof startSandboxUser>[0] = {}) {
	const user = await startSandboxUser(options);
	return { ...user, writes: () => user.service.requests.filter(({ method }) => method !== 'GET') };
}

type Desk = Awaited<ReturnType<typeof desk>>;

async function object({ service }: { service: TestSandbox }, path: string): Promise<Record<string, unknown>> {
	return (await service.call('GET', `${path}?context=edit`)).body as Record<string, unknown>;
}

/** Three tickets on hold, and a plan that sets them to read. */
async function planned(words = ''): Promise<Desk & { digest: string }> {
	const at = await desk();
	for (const id of [14, 15, 16]) await at.service.call('POST', `/tickets/${id}`, { status: 'hold', title: `t${id}` });
	at.service.requests.length = 0;
	const { exitCode, stderr } = await at.run(
		`ticket update 14 15 16 --status read --plan p.plan --note because${words}`,
	);
	expect(exitCode, stderr).toBe(0);
	expect(at.writes(), 'a plan writes nothing').toEqual([]);
	const digest = /digest: ([0-9a-f]{64})/.exec(stderr)?.[1] ?? '';
	return { ...at, digest };
}

test('a plan is made, shown, applied and undone', async () => {
	const at = await planned();
	expect(statSync(at.path('p.plan')).mode & 0o777).toBe(0o600);
	const shown = await at.run('run show p.plan --format ndjson');
	expect(jsonLines(shown.stdout)).toMatchObject(
		[14, 15, 16].map((id) => ({
			id,
			title: `t${id}`,
			action: 'update',
			changes: [{ field: 'status', old: 'hold', new: 'read' }],
			body: { status: 'read' },
		})),
	);
	expect((await at.run('run show p.plan')).stderr).toContain(`digest: ${at.digest}`);
	const refused = await at.run('run apply p.plan');
	expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('--yes')]);
	const applied = await at.run(`run apply p.plan --yes --digest ${at.digest}`);
	expect(applied.exitCode, applied.stderr).toBe(0);
	for (const id of [14, 15, 16]) expect(await object(at, `/tickets/${id}`)).toMatchObject({ status: 'read' });
	const undone = await at.run('run undo last --yes');
	expect(undone.exitCode, undone.stderr).toBe(0);
	expect(await object(at, '/tickets/14')).toMatchObject({ status: 'hold' });
});

test('a row whose object changed since is skipped as drift, unless drift is allowed', async () => {
	const at = await planned();
	await at.service.call('POST', '/tickets/15', { status: 'pending' });
	// Another field is no drift, and what already has the planned value has nothing to send.
	await at.service.call('POST', '/tickets/14', { content: 'new' });
	await at.service.call('POST', '/tickets/16', { status: 'read' });
	const { exitCode, stdout, stderr } = await at.run('run apply p.plan --yes --format ndjson -j 1');
	expect(exitCode, stderr).toBe(3);
	expect(jsonLines(stdout).map(({ id, outcome, code }) => [id, outcome, code])).toEqual([
		[14, 'ok', null],
		[15, 'skipped', 'drift'],
		[16, 'skipped', 'unchanged'],
	]);
	expect(await object(at, '/tickets/15')).toMatchObject({ status: 'pending' });
	const again = await at.run('run apply p.plan --yes --again --allow-drift');
	expect(again.exitCode, again.stderr).toBe(0);
	expect(await object(at, '/tickets/15')).toMatchObject({ status: 'read' });
});

test('a row whose object has another title than the plan showed is skipped as drift', async () => {
	const at = await planned();
	await at.service.call('POST', '/tickets/14', { title: 'Payroll, do not touch' });
	const { exitCode, stdout, stderr } = await at.run('run apply p.plan --yes --format ndjson -j 1');
	expect(exitCode, stderr).toBe(3);
	expect(jsonLines(stdout)[0]).toMatchObject({
		...{ id: 14, outcome: 'skipped', code: 'drift' },
		message: expect.stringMatching(/^the plan calls it ".*", but it is "Payroll, do not touch"; to overwrite it: /),
	});
});

test('a plan is applied once, unless --again is given', async () => {
	const at = await planned();
	await at.run('run apply p.plan --yes');
	const second = await at.run('run apply p.plan --yes');
	expect([second.exitCode, second.stderr]).toEqual([2, expect.stringContaining('already applied by run')]);
	// That run is complete: there is nothing to resume.
	expect(second.stderr).toMatch(/hint: to see what it did: supportctl run show \S+; to apply the plan again: --again/);
	expect((await at.run('run apply p.plan --yes --again')).exitCode).toBe(0);
});

test('a plan that was changed, cut off or replaced is refused before anything is sent', async () => {
	const at = await planned();
	const good = at.read('p.plan');
	const bad: Record<string, string> = {
		'one byte': good.replace('"read"', '"hold"'),
		'no end': good.split('\n').slice(0, -2).join('\n'),
		'cut off': good.slice(0, -10),
		'a line less': good
			.split('\n')
			.filter((_, index) => index !== 2)
			.join('\n'),
		'a line more': `${good}${good.split('\n')[1]}\n`,
		empty: '',
		'another file': 'id,status\n14,hold\n',
		'another path': forge(good, (row) => Object.assign(row, { ids: { id: '14/../../users/1' } })),
		'an ID in the body': forge(good, (row) => Object.assign(row, { fields: { id: 7, status: 'read' } })),
		'an unknown field': forge(good, (row) => Object.assign(row, { fields: { nope: 7 } })),
		'an unknown command': forge(good, (_row, [header]) =>
			Object.assign((header as { plan: object }).plan, { endpoint: 'user.check' }),
		),
		'rows out of order': forge(good, (_row, lines) => lines.reverse().unshift(lines.pop() ?? {})),
	};
	for (const [what, text] of Object.entries(bad)) {
		at.file('bad.plan', text);
		const { exitCode, stderr } = await at.run('run apply bad.plan --yes');
		expect([what, exitCode], stderr).toEqual([what, 2]);
	}
	// An empty one is what a script passes whose variable is not set.
	for (const other of ['0'.repeat(64), at.digest.slice(0, -1), '']) {
		const { exitCode, stderr } = await at.run(`run apply p.plan --yes --digest=${other}`);
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining("the plan's digest is")]);
	}
	expect(at.writes()).toEqual([]);
});

test('a plan for another service or other API prefixes is refused', async () => {
	const at = await planned();
	const other = await desk();
	other.file('p.plan', at.read('p.plan'));
	const host = await other.run('run apply p.plan --yes');
	expect([host.exitCode, host.stderr]).toEqual([2, expect.stringContaining('the plan is for')]);
	at.file(
		'prefix.plan',
		forge(at.read('p.plan'), (_row, [header]) => {
			const { plan } = header as { plan: { service: { prefixes: object } } };
			Object.assign(plan.service.prefixes, { product: 'wp' });
		}),
	);
	const prefixes = await at.run('run apply prefix.plan --yes');
	expect([prefixes.exitCode, prefixes.stderr]).toEqual([2, expect.stringContaining('different API prefixes')]);
	expect([...at.writes(), ...other.writes()]).toEqual([]);
});

test('secrets can not be planned', async () => {
	const at = await desk();
	const { exitCode, stderr } = await at.run('user update 4 5 --password-stdin --plan p.plan', 's3cret\n');
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining('plans contain no secrets')]);
	expect(existsSync(at.path('p.plan'))).toBe(false);
	expect(at.service.requests).toEqual([]);
});

test('a plan without changes says so, and its apply sends nothing', async () => {
	const at = await desk();
	await at.service.call('POST', '/tickets/14', { status: 'hold' });
	const { exitCode, stderr } = await at.run('ticket update 14 --status hold --plan p.plan');
	expect([exitCode, stderr]).toEqual([0, expect.stringContaining('no changes')]);
	at.service.requests.length = 0;
	const applied = await at.run('run apply p.plan --yes');
	expect([applied.exitCode, applied.stderr]).toEqual([0, expect.stringContaining('no changes')]);
	expect(at.service.requests).toEqual([]);
});

test('a file that is no plan is never replaced, and a plan of rows that can not be read is not written', async () => {
	const at = await desk();
	at.file('notes.txt', 'mine');
	const place = await at.run('ticket update 14 --status hold --plan notes.txt');
	expect([place.exitCode, at.read('notes.txt')], place.stderr).toEqual([2, 'mine']);
	const unread = await at.run('ticket update 14 99999 --title x --plan p.plan');
	expect([unread.exitCode, existsSync(at.path('p.plan'))], unread.stderr).toEqual([3, false]);
	const rest = await at.run('ticket update 14 99999 --title x --plan p.plan --skip-invalid');
	expect([rest.exitCode, existsSync(at.path('p.plan'))], rest.stderr).toEqual([3, true]);
	expect(at.writes()).toEqual([]);
});

test.each([
	['A', 'original', 'original'],
	['A', 'B', 'B'],
	['A', 'A', 'A'],
])('rows of one ticket in a plan, %s and then %s, leave what a direct run leaves', async (first, second, left) => {
	for (const isPlanned of [false, true]) {
		const at = await desk();
		for (const id of [5, 6]) await at.service.call('POST', `/tickets/${id}`, { title: 'original', status: 'hold' });
		at.file('e.csv', `id,title,status\n5,${first},\n6,other,\n5,,read\n5,${second},\n`);
		if (isPlanned) {
			const made = await at.run('ticket update --input e.csv --plan p.plan');
			expect(made.exitCode, made.stderr).toBe(0);
		}
		const sent = await at.run(isPlanned ? 'run apply p.plan --yes' : 'ticket update --input e.csv');
		expect(sent.exitCode, sent.stderr).toBe(0);
		expect(await object(at, '/tickets/5')).toMatchObject({ title: { raw: left }, status: 'read' });
		const undone = await at.run('run undo last --yes');
		expect(undone.exitCode, undone.stderr).toBe(0);
		expect(await object(at, '/tickets/5')).toMatchObject({ title: { raw: 'original' }, status: 'hold' });
	}
});

test('deletes, tags, custom fields and an undo can be planned', async () => {
	const at = await desk();
	const tags = (await at.run('term list ticket-tag --format ids')).stdout.trim().split('\n');
	await at.service.call('POST', '/tickets/14', { status: 'hold', 'ticket-tag': [] });
	await at.service.call('POST', '/tickets/15', { status: 'hold' });
	for (const line of [
		`ticket update 14 --add-ticket-tag ${tags[0]}`,
		'ticket fields set 14 --set severity=critical',
		'ticket delete 15',
	]) {
		const made = await at.run(`${line} --plan p.plan`);
		expect(made.exitCode, `${line}\n${made.stderr}`).toBe(0);
		const applied = await at.run('run apply p.plan --yes');
		expect(applied.exitCode, `${line}\n${applied.stderr}`).toBe(0);
	}
	expect(await object(at, '/tickets/14')).toMatchObject({ 'ticket-tag': [Number(tags[0])] });
	expect(await object(at, '/tickets/15')).toMatchObject({ status: 'trash' });
	const undo = await at.run('run undo last --plan undo.plan');
	expect(undo.exitCode, undo.stderr).toBe(0);
	const undone = await at.run('run apply undo.plan --yes');
	expect(undone.exitCode, undone.stderr).toBe(0);
	expect(await object(at, '/tickets/15')).toMatchObject({ status: 'hold' });
});

test('a delete is drift where the object changed since', async () => {
	const at = await desk();
	await at.service.call('POST', '/tickets/15', { status: 'hold', title: 'old' });
	await at.run('ticket delete 15 --force --plan p.plan');
	await at.service.call('POST', '/tickets/15', { title: 'in use again' });
	const { stdout, stderr } = await at.run('run apply p.plan --yes --format ndjson');
	expect(jsonLines(stdout), stderr).toMatchObject([{ outcome: 'skipped', code: 'drift' }]);
	expect(await object(at, '/tickets/15')).toMatchObject({ id: 15 });
});

test('reports of a plan show old and new values', async () => {
	const at = await planned(' --report markdown:p.md');
	expect(at.read('p.md')).toContain('hold → read');
	const shown = await at.run('run show p.plan --report html:p.html');
	expect(shown.exitCode, shown.stderr).toBe(0);
	expect(at.read('p.html')).toContain('</html>');
	const junit = await at.run('ticket update 14 --status read --plan q.plan --report junit:q.xml');
	expect([junit.exitCode, existsSync(at.path('q.plan'))], junit.stderr).toEqual([2, false]);
});

test('a plan with hundreds of rows costs one request for a hundred, and an apply killed on the way is resumed', async () => {
	const at = await desk({ seed: 300 });
	const ids = (await at.run('ticket list --format ids')).stdout.trim().split('\n').slice(0, 200);
	const input = at.file('t.csv', `id,title\n${ids.map((id) => `${id},new ${id}\n`).join('')}`);
	at.service.requests.length = 0;
	const made = await at.run(`ticket update --input ${input} --plan p.plan`);
	expect([made.exitCode, at.service.requests.length], made.stderr).toEqual([0, 2]);
	const apply = startCli('run apply p.plan --yes -j 2 --rate 60', { env: at.env, cwd: at.folder });
	await expect.poll(() => at.writes().length, { timeout: 20_000 }).toBeGreaterThan(20);
	apply.child.kill('SIGKILL');
	await apply.ended;
	const again = await at.run('run apply p.plan --yes');
	expect([again.exitCode, again.stderr]).toEqual([
		2,
		expect.stringMatching(/hint: to finish that run: supportctl run resume \S+;/),
	]);
	const rest = await runCli('run resume last', { env: at.env, cwd: at.folder });
	expect(rest.exitCode, rest.stderr).toBe(0);
	const [id = ''] = ids.slice(-1);
	expect(await object(at, `/tickets/${id}`)).toMatchObject({ title: { raw: `new ${id}` } });
	const sent = at.writes().length;
	expect(sent, 'at most the rows that were under way are sent twice').toBeLessThanOrEqual(ids.length + 2);
});

test.each([
	['from the start', 0],
	['half way', 64],
])('a plan on a disk that is full %s leaves no file behind', async (_, blocks) => {
	const at = await desk();
	const rows = [14, 15, 16].map((id) => `${id},${'x'.repeat(40_000)}`);
	at.file('edits.csv', `id,title\n${rows.join('\n')}\n`);
	const through = ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, 'sh'];
	const line = 'ticket update --input edits.csv --plan p.plan -q';
	const { exitCode, stderr } = await startCli(line, { env: at.env, cwd: at.folder, through }).ended;
	expect([exitCode, stderr]).toEqual([
		1,
		`error: can't write the plan ${at.path('p.plan')}: the file has reached its size limit\n`,
	]);
	expect(readdirSync(at.folder)).toEqual(['edits.csv']);
});

test('rows that keep a plan from being written are counted, and the error says how to see those not printed', async () => {
	const at = await startSandboxUser();
	const ids = Array.from({ length: 24 }, (_, index) => 90_001 + index);
	const input = at.file('gone.csv', `id,title\n${ids.map((id) => `${id},x\n`).join('')}14,new\n`);
	const words = `ticket update --input ${input} --plan changes.plan`.split(' ');
	const on = async (...flags: string[]): Promise<{ shown: number; stderr: string }> => {
		const context = memoryContext({ argv: [...words, ...flags], env: at.env, cwd: at.folder, columns: 80 });
		expect(await runMain(context)).toBe(3);
		return { shown: (context.stdout.text.match(/^900\d\d /gm) ?? []).length, stderr: context.stderr.text };
	};
	const first = await on();
	expect(first).toMatchObject({ shown: 20, stderr: expect.stringContaining("24 tickets can't be planned; no plan") });
	expect(first.stderr).toContain('to print all: --all; to plan the others: --skip-invalid');
	expect(await on('--all')).toMatchObject({ shown: 24, stderr: expect.not.stringContaining('--all') });
	const quiet = await on('--quiet');
	expect(quiet).toMatchObject({ shown: 0, stderr: expect.stringContaining('to print them: leave out --quiet') });
});
