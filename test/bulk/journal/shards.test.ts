import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closeRuns, combine, openRuns } from '../../../src/bulk/journal/shards.js';
import type { Journal } from '../../../src/bulk/journal/write.js';
import { outcomeOf, startJournal } from '../../support/journal.js';
import { temporaryFolder } from '../../support/temporary.js';

describe('shards of one input', () => {
	async function combined(...indexes: number[]) {
		const folder = temporaryFolder();
		const paths = [];
		for (const [at, index] of indexes.entries()) {
			const path = join(folder, `${at}.ndjson`);
			const more = { id: `20261121-074512-aaaa${at}`, own: 2, shard: { index, count: 3 } };
			const journal = startJournal(folder, 6, path, more);
			await journal.outcome(outcomeOf(index));
			await journal.close();
			paths.push(path);
		}
		const runs = await openRuns(paths);
		closeRuns(runs);
		return combine(runs);
	}

	it('count as one run, with the rows that none of them reached', async () => {
		const { summary, counts, missing, twice, next } = await combined(1, 2, 3);
		expect(summary).toMatchObject({ id: '20261121-074512-aaaa0,20261121-074512-aaaa1,20261121-074512-aaaa2' });
		expect(summary.header).toMatchObject({ plan: { shard: undefined }, input: { own: 6 } });
		expect(counts).toMatchObject({ ok: 3, 'not-sent': 3 });
		expect([missing, twice]).toEqual([[], []]);
		expect(next.map(([, command]) => command)[0]).toBe('supportctl run resume 20261121-074512-aaaa0');
	});

	it('that still runs needs no next step, though its rows are open', async () => {
		const folder = temporaryFolder();
		const [stopped, running] = [1, 2].map((index) => {
			const more = { id: `20261121-074512-aaaa${index}`, own: 2, shard: { index, count: 2 } };
			return startJournal(folder, 4, undefined, more);
		}) as [Journal, Journal];
		await stopped.outcome(outcomeOf(1));
		await running.outcome(outcomeOf(2));
		await stopped.close();
		const runs = await openRuns([stopped.path, running.path]);
		closeRuns(runs);
		expect(combine(runs).next.map(([, command]) => command)).toEqual([`supportctl run resume ${stopped.header.id}`]);
		await running.close();
	});

	it('may be missing, or there twice; a shard alone lacks nothing', async () => {
		expect(await combined(1, 2, 2)).toMatchObject({ missing: ['3/3'], twice: ['2/3'] });
		expect(await combined(2)).toMatchObject({ missing: [], twice: [], counts: { ok: 1, 'not-sent': 1 } });
	});
});
