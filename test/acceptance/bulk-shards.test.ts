/** One input on several machines: GNU parallel runs the shards, and their union is the input, each row once. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { binary } from '../support/cli.js';
import { startSandbox } from '../support/sandbox.js';
import { requireTool } from '../support/tools.js';
import { createWorkplace, csv } from '../support/workplace.js';

const run = promisify(execFile);

it('GNU parallel over four shards sends every row of the input once, rows of one id from one shard', async () => {
	const desk = await startSandbox({ seed: 120 });
	try {
		const work = createWorkplace(desk.env);
		// Two rows for each ticket: the second one has to win.
		work.write(
			'edits.csv',
			csv('id,title', 240, (row) => `${((row - 1) % 120) + 1},row ${row}`),
		);
		const { stdout } = await run(
			requireTool('parallel'),
			[
				...[
					'--jobs',
					'2',
					'--will-cite',
					'--tag',
					process.execPath,
					binary,
					'ticket',
					'update',
					'--input',
					'edits.csv',
				],
				...['--shard', '{}/4', '--expect', '240', '--quiet', '--fields', 'row,id,outcome', ':::'],
				...['1', '2', '3', '4'],
			],
			{ cwd: work.folder, env: { ...process.env, ...work.env } },
		);
		const lines = stdout
			.trim()
			.split('\n')
			.map((line) => line.split('\t') as [string, string, string, string]);
		expect(lines.map(([, row]) => Number(row)).sort((left, right) => left - right)).toEqual(
			Array.from({ length: 240 }, (_, index) => index + 1),
		);
		expect(lines.every(([, , , outcome]) => outcome === 'ok')).toBe(true);
		const shardOf = new Map<string, string>();
		for (const [shard, , id] of lines) expect(shardOf.get(id) ?? shard).toBe(shardOf.set(id, shard).get(id));
		expect(new Set(shardOf.values())).toEqual(new Set(['1', '2', '3', '4']));
		const updates = desk.requests.filter(({ method }) => method === 'POST');
		expect(updates).toHaveLength(240);
		for (let id = 1; id <= 120; id++) {
			const { body } = await desk.call('GET', `/tickets/${id}`);
			expect(body).toMatchObject({ title: { raw: `row ${id + 120}` } });
		}
		expect(work.journals()).toHaveLength(4);
	} finally {
		await desk.stop();
	}
});

it('the help shows GNU parallel over ssh, a CI matrix and a Kubernetes indexed job, whose index starts at 0', async () => {
	const work = createWorkplace();
	const { exitCode, stdout } = await work.run(['help', 'bulk']);
	expect(exitCode).toBe(0);
	const section = stdout.slice(stdout.search(/more than one machine/i));
	for (const part of [
		/parallel .*-S host1,host2.*--basefile edits\.csv/s,
		/--shard \{\}\/4 .*::: 1 2 3 4/,
		/shard: \[1, 2, 3, 4\]/,
		/--shard \$\{\{ matrix\.shard \}\}\/4/,
		/completionMode: Indexed/,
		/--shard \$\(\(JOB_COMPLETION_INDEX \+ 1\)\)\/4/,
	]) {
		expect(section).toMatch(part);
	}
});

it('a shard that there is not is a usage error', async () => {
	const work = createWorkplace({
		SUPPORTCTL_BASE_URL: 'http://127.0.0.1:1/wp-json',
		SUPPORTCTL_USERNAME: 'a',
		SUPPORTCTL_PASSWORD: 'b',
	});
	for (const shard of ['0/4', '5/4', '1', '1/0', '-1/4', '1/4/2', 'a/b']) {
		const result = await work.run(['ticket', 'update', '1', '--status', 'hold', '--shard', shard]);
		expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is not K/N with K from 1 to N') });
	}
});
