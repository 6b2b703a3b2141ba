/** A run in parts: failed rows again, the first rows only, and the shards of one input together. */

import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { jsonLines } from '../support/cli.js';
import { type Desk, startDesk } from '../support/desk.js';
import { done, json, type Responder } from '../support/recorder.js';
import type { Workplace } from '../support/workplace.js';

const ok = done();
const busy = json(400, { code: 'no', message: 'busy' });

/** Which ticket each request was for. */
const ids = ({ writes }: Desk): number[] => writes.map(({ url }) => Number(url.split('/').at(-1)));

/** A service that refuses these tickets until they are let go. */
async function place(...refused: number[]) {
	const bad = new Set(refused);
	const responder: Responder = (request) => (bad.has(Number(request.url.split('/').at(-1))) ? busy : ok);
	const { recorder, work } = await startDesk(responder);
	const heal = (): void => {
		bad.clear();
		recorder.writes.length = 0;
	};
	return { recorder, work, heal };
}

async function listed(work: Workplace): Promise<Record<string, unknown>[]> {
	return JSON.parse((await work.run('run list --json')).stdout) as Record<string, unknown>[];
}

describe('run retry', () => {
	it('sends the failed rows again, with the mapping, values and checks of their run, in the same run', async () => {
		const { recorder, work, heal } = await place(2, 4);
		work.write('edits.csv', 'No,Betreff,other\n1,a,x\n2,b,x\n3,c,x\n4,d,x\n');
		const flags = ['--map', 'Betreff=title', '--map', 'No=id', '--ignore-other-columns', '--status', 'hold', '-q'];
		expect((await work.run(['ticket', 'update', '--input', 'edits.csv', ...flags])).exitCode).toBe(3);
		const [first] = await listed(work);
		heal();
		const again = await work.run('run retry last --fields row,id,outcome -j 1 -q');
		expect(again).toEqual({ exitCode: 0, stdout: '2\t2\tok\n4\t4\tok\n', stderr: '' });
		expect(recorder.writes.map(({ body }) => JSON.parse(body))).toEqual([
			{ title: 'b', status: 'hold' },
			{ title: 'd', status: 'hold' },
		]);
		expect(await listed(work)).toEqual([
			expect.objectContaining({ run: first?.run, state: 'finished', ok: 4, open: 0 }),
		]);
		expect((await work.run('run retry last')).stderr).toMatch(/^nothing to send: no failed rows/);
		expect(recorder.writes).toHaveLength(2);
	});

	it('sends rows without a final outcome, and rows with other outcomes if they are named', async () => {
		const { recorder, work } = await startDesk((request, response, count) =>
			count < 3 ? void response.destroy() : ok(request, response, count),
		);
		expect((await work.run('ticket update 1 2 --title x --retries 0 -q')).exitCode).toBe(5);
		const wrong = await work.run('run retry last --outcome ok');
		expect([wrong.exitCode, wrong.stderr]).toEqual([
			2,
			expect.stringContaining('--outcome: "ok" is not allowed; use failed, differs'),
		]);
		expect((await work.run('run retry last -q')).exitCode).toBe(0);
		expect(ids(recorder).slice(2).sort()).toEqual([1, 2]);
	});

	it('refuses a changed input, and sends nothing', async () => {
		const { recorder, work, heal } = await place(2);
		work.write('edits.csv', 'id,status\n1,hold\n2,hold\n');
		await work.run('ticket update --input edits.csv -q');
		heal();
		work.write('edits.csv', 'id,status\n1,hold\n3,hold\n');
		const result = await work.run('run retry last');
		expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining('the input changed since run')]);
		expect(recorder.writes).toEqual([]);
	});

	it('finds the input elsewhere with --input', async () => {
		const { recorder, work, heal } = await place(2);
		const path = work.write('edits.csv', 'id,status\n1,hold\n2,hold\n');
		await work.run('ticket update --input edits.csv -q');
		expect((await work.run('run retry last -q')).exitCode).toBe(3);
		renameSync(path, `${path}.moved`);
		heal();
		const lost = await work.run('run retry last -q');
		expect([lost.exitCode, lost.stderr]).toEqual([2, expect.stringContaining('point to the input with --input FILE')]);
		expect((await work.run('run retry last --input edits.csv.moved -q')).exitCode).toBe(0);
		expect(ids(recorder)).toEqual([2]);
	});

	it('sends what failed again as often as it is asked, and leaves the rest with --first', async () => {
		const { recorder, work, heal } = await place(2, 3);
		work.write('edits.csv', 'id,status\n1,hold\n2,hold\n3,hold\n');
		await work.run('ticket update --input edits.csv -q');
		expect((await work.run('run retry last -q --first 1')).exitCode).toBe(3);
		const rejects = ['run', 'rejects', 'last', '--fields', 'id,error', '--format', 'csv'];
		expect((await work.run(rejects)).stdout).toBe('id,error\n2,400 no: busy\n3,400 no: busy\n');
		expect((await work.run('run resume last -q')).exitCode).toBe(3);
		expect(ids(recorder)).toEqual([1, 2, 3, 2]);
		heal();
		expect((await work.run('run retry last -q')).exitCode).toBe(0);
		expect(ids(recorder).sort()).toEqual([2, 3]);
	});

	it('takes a delete that is gone for ok if the service failed before', async () => {
		let isGone = false;
		const { work } = await startDesk(() => {
			const response = json(isGone ? 404 : 500, { code: isGone ? 'rest_post_invalid_id' : 'oops', message: 'No.' });
			isGone = true;
			return response;
		});
		expect((await work.run('ticket delete 1 --journal one --yes -q')).exitCode).toBe(1);
		expect((await work.run('run retry one --yes -q')).exitCode).toBe(0);
	});

	it('verifies with --verify', async () => {
		let status = 'read';
		let isBusy = true;
		const { work } = await startDesk(({ method, body }) => {
			if (method === 'GET') return json(200, { id: 1, status });
			if (isBusy) return busy;
			status = (JSON.parse(body) as { status: string }).status;
			return json(200, {});
		});
		await work.run('ticket update 1 --status hold --journal one -q');
		isBusy = false;
		expect((await work.run('run retry one --verify -q')).exitCode).toBe(0);
	});
});

describe('--first', () => {
	it('sends the first rows, leaves the rest open, and run resume sends it', async () => {
		const { recorder, work } = await place();
		work.edits(5);
		const piloted = await work.run('ticket update --input edits.csv --first 2 -j 1');
		expect(piloted.exitCode).toBe(0);
		expect(piloted.stderr).toContain('Send the rest: supportctl run resume ');
		expect(ids(recorder)).toEqual([1, 2]);
		expect((await listed(work))[0]).toMatchObject({ rows: 5, ok: 2, not_sent: 3, open: 3 });
		expect((await work.run('run resume last --first 1 -j 1 -q')).exitCode).toBe(0);
		expect((await work.run('run resume last -j 1 -q')).exitCode).toBe(0);
		expect(ids(recorder)).toEqual([1, 2, 3, 4, 5]);
		expect((await listed(work))[0]).toMatchObject({ state: 'finished', rows: 5, ok: 5, not_sent: 0, open: 0 });
	});

	it('checks all rows before it sends the first', async () => {
		const { recorder, work } = await place();
		work.write('edits.csv', 'id,status\n1,hold\n2,hodl\n');
		expect((await work.run('ticket update --input edits.csv --first 1')).exitCode).toBe(2);
		expect(recorder.writes).toEqual([]);
	});
});

it('--ignore-other-columns ignores columns that are no field, and --ignore-column the named ones', async () => {
	const { recorder, work } = await place();
	work.write('edits.csv', 'id,title,Shift,date checked\n1,a,late,today\n');
	const args = ['ticket', 'update', '--input', 'edits.csv', '-q', '--send-unchanged'];
	expect((await work.run(args)).exitCode).toBe(2);
	expect((await work.run([...args, '--ignore-column', 'Shift'])).exitCode).toBe(2);
	expect(recorder.writes).toEqual([]);
	for (const flags of [['--ignore-other-columns'], ['--ignore-column', 'Shift,date checked']]) {
		expect((await work.run([...args, ...flags])).exitCode).toBe(0);
	}
	expect(recorder.writes.map(({ body }) => body)).toEqual(['{"title":"a"}', '{"title":"a"}']);
});

describe('run show of several runs', () => {
	it('adds up the shards of one input, and finds those that are missing or there twice', async () => {
		const { work } = await place(3);
		work.edits(40);
		for (const [part, file] of [
			['1/3', 'one'],
			['2/3', 'two'],
			['3/3', 'three'],
			['2/3', 'again'],
		]) {
			const args = ['ticket', 'update', '--input', 'edits.csv', '--shard', part as string, '-q'];
			await work.run([...args, '--journal', `${file}.ndjson`]);
		}
		const show = async (...files: string[]) => {
			const result = await work.run(['run', 'show', ...files.map((each) => `${each}.ndjson`), '--json']);
			expect(result.exitCode).toBe(0);
			return JSON.parse(result.stdout) as Record<string, unknown>;
		};
		expect(await show('one', 'two', 'three')).toMatchObject({
			...{ input_rows: 40, rows: 40, ok: 39, failed: 1, open: 0, exit_code: 3, state: 'finished' },
			...{ shard: '1/3, 2/3, 3/3', missing_shards: [], shards_twice: [] },
			failures: [{ id: 3, outcome: 'failed' }],
		});
		const overlap = await show('one', 'two', 'again');
		expect(overlap).toMatchObject({ missing_shards: ['3/3'], shards_twice: ['2/3'] });
		const text = await work.run('run show one.ndjson two.ndjson again.ndjson');
		expect(text.stdout + text.stderr).toMatch(/3\/3/);
	});

	it('writes reports on one run and on the shards of one input', async () => {
		const { work } = await place(3);
		work.edits(40);
		for (const part of [1, 2, 3]) {
			const args = ['ticket', 'update', '--input', 'edits.csv', '--shard', `${part}/3`, '-q'];
			await work.run([...args, '--journal', `${part}.ndjson`]);
		}
		const report = async (...args: string[]) => {
			const result = await work.run(['run', 'show', ...args, '--report', 'junit:out.xml', '--report', 'html:out.html']);
			expect(result, result.stderr).toMatchObject({ exitCode: 0 });
			return work.read('out.xml');
		};
		expect(await report('1.ndjson', '2.ndjson', '3.ndjson')).toContain('tests="40" failures="1" errors="0"');
		expect(work.read('out.html')).toContain('40 rows from edits.csv');
		expect(await report('1.ndjson', '2.ndjson')).toContain('shard 3/3 is missing');
		expect(await report('1.ndjson')).not.toContain('tests="40"');
		const onto = await work.run('run show 1.ndjson --report junit:1.ndjson');
		expect([onto.exitCode, onto.stderr]).toEqual([2, expect.stringContaining('journal')]);
	});

	it.each([
		['--shard=1/2', '--shard=2/3', 'are not shards of one run'],
		['--shard=1/2', '--first=9', 'are not shards of one run'],
		['--first=9', '--first=9', 'are not shards of one run'],
	])('refuses runs whose rows overlap: %s and %s', async (first, second, says) => {
		const { work } = await place();
		for (const [flag, file] of [
			[first, 'a.ndjson'],
			[second, 'b.ndjson'],
		] as const) {
			await work.run(['ticket', 'update', '1', '2', '3', '4', '--title', 'x', '-q', flag, '--journal', file]);
		}
		const result = await work.run(['run', 'show', 'a.ndjson', 'b.ndjson']);
		expect([result.exitCode, result.stderr]).toEqual([2, expect.stringMatching(says)]);
	});

	it('refuses runs of different inputs', async () => {
		const { work } = await place();
		await work.run('ticket update 1 2 --title x -q --journal a.ndjson');
		await work.run('ticket update 1 3 --title x -q --journal b.ndjson');
		const result = await work.run('run show a.ndjson b.ndjson');
		expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining('have different inputs')]);
	});
});

it('rejects keep the reasons of many fields', async () => {
	const params = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`p${at}`, 'y'.repeat(60)]));
	const { work } = await startDesk(json(400, { code: 'rest_invalid_param', message: 'No.', data: { params } }));
	work.write('edits.csv', 'id,title\n1,a\n2,b\n');
	expect((await work.run('ticket update --input edits.csv -q'.split(' '))).exitCode).toBe(1);
	const { stdout } = await work.run('run rejects last --format ndjson'.split(' '));
	const rejects = jsonLines<Record<string, string>>(stdout);
	expect(rejects.map(({ id, title }) => [id, title])).toEqual([
		['1', 'a'],
		['2', 'b'],
	]);
	for (const { error } of rejects) expect(error).toMatch(/^400 rest_invalid_param: No\..*p49: y{60}/);
});
