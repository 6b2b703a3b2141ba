/** A part of a plan, and a part of an undo: what is sent, what is left out, and what each later command does with that. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isolatedEnvironment, jsonLines, runHere } from '../support/cli.js';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';

let service: TestSandbox;
beforeAll(async () => {
	service = await startSandbox();
});
afterAll(() => service.stop());

let folder: string;
let env: Record<string, string>;
const TICKETS = [14, 15, 16, 17];

beforeEach(async () => {
	folder = temporaryFolder();
	env = { ...isolatedEnvironment(), ...service.env };
	for (const id of TICKETS) await service.call('POST', `/tickets/${id}`, { status: 'hold', title: `t${id}` });
});

const run = (line: string, input = '') => runHere(line.split(' '), { env, cwd: folder, input });

async function values(field = 'status'): Promise<unknown[]> {
	const shown = TICKETS.map(async (id) => {
		const { body } = await service.call('GET', `/tickets/${id}?context=edit`);
		const value = (body as Record<string, unknown>)[field];
		return typeof value === 'object' && value !== null && 'raw' in value ? value.raw : value;
	});
	return await Promise.all(shown);
}

async function outcomes(line: string, input = '') {
	const { exitCode, stdout, stderr } = await run(`${line} --yes --format ndjson`, input);
	const rows = jsonLines(stdout).map(({ id, outcome, code }) => [id, code === 'left_out' ? 'left_out' : outcome]);
	return { exitCode, stderr, rows: Object.fromEntries(rows) };
}

const plan = () => run('ticket update 14 15 16 17 --status read --plan p.plan');
const left = 'left_out';

describe('a part of a plan', () => {
	test.each([
		['--ids 14,16', ''],
		['--except 15,17', ''],
		['--ids 14 --ids 16', ''],
		['--ids #14,id:16', ''],
		['--except #15,id:17', ''],
		['--ids -', '14\tPrinter on fire\n# a comment\n16\n'],
		['--ids @ids.txt', ''],
	])('%s sends its rows, and leaves the others out with exit code 0', async (part, input) => {
		await plan();
		writeFileSync(join(folder, 'ids.txt'), '14\n16\n');
		expect(await outcomes(`run apply p.plan ${part}`, input)).toMatchObject({
			exitCode: 0,
			rows: { 14: 'ok', 15: left, 16: 'ok', 17: left },
		});
		expect(await values()).toEqual(['read', 'hold', 'read', 'hold']);
		const shown = JSON.parse((await run('run show last --json')).stdout);
		expect(shown).toMatchObject({ state: 'finished', result: '2 ok, 2 left out', ok: 2, not_sent: 2, open: 0 });
	});

	/** What later commands do with rows that were left out: docs/bulk.md has the same table. */
	test.each([
		['run resume last', {}, ['read', 'hold', 'read', 'hold']],
		['run retry last', {}, ['read', 'hold', 'read', 'hold']],
		['run undo last', { 14: 'ok', 16: 'ok' }, ['hold', 'hold', 'hold', 'hold']],
		['run apply p.plan', { 15: 'ok', 17: 'ok' }, ['read', 'read', 'read', 'read']],
		['run apply p.plan --ids 15', { 15: 'ok', 17: left }, ['read', 'read', 'read', 'hold']],
		['run apply p.plan --except 15', { 15: left, 17: 'ok' }, ['read', 'hold', 'read', 'read']],
	])('%s leaves left-out rows alone unless it applies the plan again', async (line, rows, status) => {
		await plan();
		await outcomes('run apply p.plan --ids 14,16');
		expect(await outcomes(line)).toMatchObject({ exitCode: 0, rows });
		expect(await values()).toEqual(status);
	});

	test('is not taken from a list that broke off', async () => {
		await plan();
		for (const end of ['# incomplete: No response', '# incomplete']) {
			writeFileSync(join(folder, 'ids.txt'), `14\n${end}\n`);
			const { exitCode, stderr } = await outcomes('run apply p.plan --ids @ids.txt');
			expect([exitCode, stderr]).toEqual([2, expect.stringContaining('this is an incomplete list')]);
		}
		expect(await values()).toEqual(['hold', 'hold', 'hold', 'hold']);
	});

	test('is applied until nothing is left, and then refused', async () => {
		await plan();
		await outcomes('run apply p.plan --ids 14');
		const second = await outcomes('run apply p.plan --ids 14,15');
		expect(second).toMatchObject({ exitCode: 0, rows: { 15: 'ok', 16: left, 17: left } });
		expect(second.stderr).toContain('1 object of the plan was already applied by run ');
		const third = await outcomes('run apply p.plan --ids 14,15');
		expect(third).toMatchObject({ exitCode: 2, rows: {} });
		expect(third.stderr).toMatch(/these objects were already applied by run \S+, \S+; nothing was sent/);
		expect((await outcomes('run apply p.plan')).rows).toEqual({ 16: 'ok', 17: 'ok' });
		expect((await outcomes('run apply p.plan')).stderr).toContain('the plan was already applied by run ');
		expect((await outcomes('run apply p.plan --ids 14 --again')).rows).toMatchObject({ 14: 'skipped', 15: left });
	});

	test('that was killed is resumed with its own rows alone', async () => {
		await plan();
		await outcomes('run apply p.plan --ids 14,16 --first 1');
		const path = join(env.SUPPORTCTL_STATE_DIR as string, 'runs');
		const [journal] = readdirSync(path).filter((name) => name.endsWith('.ndjson'));
		const lines = readFileSync(join(path, journal as string), 'utf8').split('\n');
		writeFileSync(join(path, journal as string), `${lines.filter((line) => !line.includes('"end"')).join('\n')}`);
		expect((await outcomes('run apply p.plan')).rows).toEqual({ 15: 'ok', 17: 'ok' });
		const [, first] = JSON.parse((await run('run list --json')).stdout);
		expect(await outcomes(`run resume ${first.run}`)).toMatchObject({ exitCode: 0 });
		expect(await values()).toEqual(['read', 'read', 'read', 'read']);
		expect(JSON.parse((await run(`run show ${first.run} --json`)).stdout)).toMatchObject({
			ok: 2,
			not_sent: 2,
			open: 0,
		});
	});

	test('counts for --expect, and IDs that are not in the plan are refused', async () => {
		await plan();
		expect(await outcomes('run apply p.plan --ids 14 --expect 2')).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining('--expect 2, but there is 1 row'),
		});
		expect(await outcomes('run apply p.plan --except 15,99')).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining("99 isn't in the plan; nothing was sent"),
		});
		expect(await outcomes('run apply p.plan --except 14,15,16,17')).toMatchObject({ exitCode: 2 });
		expect(await values()).toEqual(['hold', 'hold', 'hold', 'hold']);
	});
});

describe('a part of an undo', () => {
	const edit = () => run('ticket update 14 15 16 17 --status read --title changed');

	test.each([
		[
			'--ids 14,16',
			{ 14: 'ok', 15: left, 16: 'ok', 17: left },
			['hold', 'read', 'hold', 'read'],
			['t14', 'changed', 't16', 'changed'],
		],
		[
			'--except 14',
			{ 14: left, 15: 'ok', 16: 'ok', 17: 'ok' },
			['read', 'hold', 'hold', 'hold'],
			['changed', 't15', 't16', 't17'],
		],
		[
			'--fields status',
			{ 14: 'ok', 15: 'ok', 16: 'ok', 17: 'ok' },
			['hold', 'hold', 'hold', 'hold'],
			['changed', 'changed', 'changed', 'changed'],
		],
		[
			'--fields title --ids 17',
			{ 14: left, 15: left, 16: left, 17: 'ok' },
			['read', 'read', 'read', 'read'],
			['changed', 'changed', 'changed', 't17'],
		],
	])('%s puts back that part, and a second undo of the run the rest', async (part, rows, status, title) => {
		await edit();
		const { run: id } = JSON.parse((await run('run show last --json')).stdout);
		expect(await outcomes(`run undo ${id} ${part}`)).toMatchObject({ exitCode: 0, rows });
		expect([await values(), await values('title')]).toEqual([status, title]);
		const undone = JSON.parse((await run('run show last --json')).stdout);
		expect(undone).toMatchObject({ undoes: id, open: 0 });
		expect((await outcomes('run resume last')).exitCode).toBe(0);
		expect([await values(), await values('title')]).toEqual([status, title]);
		expect((await outcomes(`run undo ${id}`)).exitCode).toBe(0);
		expect(await values()).toEqual(['hold', 'hold', 'hold', 'hold']);
		expect(await values('title')).toEqual(['t14', 't15', 't16', 't17']);
	});

	test('can be undone itself, without touching what it left out', async () => {
		await edit();
		await outcomes('run undo last --ids 14');
		expect((await outcomes('run undo last')).rows).toEqual({ 14: 'ok' });
		expect(await values()).toEqual(['read', 'read', 'read', 'read']);
	});

	test('refuses IDs and fields that the run did not write', async () => {
		await edit();
		expect(await outcomes('run undo last --ids 99')).toMatchObject({
			exitCode: 2,
			stderr: expect.stringMatching(/99 isn't in run \S+; nothing was sent/),
		});
		expect(await outcomes('run undo last --fields statsu')).toMatchObject({
			exitCode: 2,
			stderr: expect.stringMatching(/did not change .*statsu.*; did you mean .*status/),
		});
		expect(await values()).toEqual(['read', 'read', 'read', 'read']);
	});
});
