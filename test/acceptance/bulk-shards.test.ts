/** One input on several machines: the union of the shards is the input, each row once. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startSandbox } from '../support/sandbox.js';
import { createWorkplace } from '../support/workplace.js';

it('four shards at once send every row of the input once, rows of one id from one shard', async () => {
	const desk = await startSandbox({ seed: 120 });
	const work = createWorkplace(desk.env);
	// Two rows for each ticket: the second one has to win.
	work.sheet('edits.csv', 'id,title', 240, (row) => `${((row - 1) % 120) + 1},row ${row}`);
	const args = ['ticket', 'update', '--input', 'edits.csv', '--expect', '240', '--quiet', '--fields', 'row,id,outcome'];
	const shards = await Promise.all([1, 2, 3, 4].map((shard) => work.run([...args, '--shard', `${shard}/4`])));
	const lines = shards.flatMap(({ stdout }, shard) =>
		stdout
			.trim()
			.split('\n')
			.map((line) => [shard, ...line.split('\t')] as [number, string, string, string]),
	);
	expect(lines.map(([, row]) => Number(row)).sort((left, right) => left - right)).toEqual(
		Array.from({ length: 240 }, (_, index) => index + 1),
	);
	expect(lines.every(([, , , outcome]) => outcome === 'ok')).toBe(true);
	const shardOf = new Map<string, number>();
	for (const [shard, , id] of lines) expect(shardOf.get(id) ?? shard).toBe(shardOf.set(id, shard).get(id));
	expect(new Set(shardOf.values()).size).toBe(4);
	expect(desk.requests.filter(({ method }) => method === 'POST')).toHaveLength(240);
	for (let id = 1; id <= 120; id++) {
		const { body } = await desk.call('GET', `/tickets/${id}?context=edit`);
		expect(body).toMatchObject({ title: { raw: `row ${id + 120}` } });
	}
	expect(work.journals()).toHaveLength(4);
	await desk.stop();
});

it('docs/ci.md has recipes for GNU parallel over ssh, a CI matrix and an indexed job, whose index starts at 0', () => {
	const recipes = readFileSync(new URL('../../docs/ci.md', import.meta.url), 'utf8');
	for (const part of [
		/parallel .*-S host1,host2.*--basefile edits\.csv/s,
		/--shard \{\}\/4 .*::: 1 2 3 4/,
		/shard: \[1, 2, 3, 4\]/,
		/--shard \$\{\{ matrix\.shard \}\}\/4/,
		/completionMode: Indexed/,
		/--shard \$\(\(JOB_COMPLETION_INDEX \+ 1\)\)\/4/,
	]) {
		expect(recipes).toMatch(part);
	}
});
