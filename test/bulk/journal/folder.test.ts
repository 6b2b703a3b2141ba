import { appendFileSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCounts } from '../../../src/bulk/journal/counts.js';
import {
	createRunId,
	findRun,
	journalPath,
	listRuns,
	readRunHeader,
	runIdBefore,
	runIds,
	summariseRun,
} from '../../../src/bulk/journal/folder.js';
import { scanJournal } from '../../../src/bulk/journal/read.js';
import { headerOf, journalIn, lineOf, outcomeOf, startJournal } from '../../support/journal.js';
import { temporaryFolder } from '../../support/temporary.js';

describe('run ids', () => {
	it('sort by time, to the millisecond', () => {
		const at = Date.UTC(2026, 10, 21, 7, 45, 12);
		expect(createRunId(at, () => 0)).toBe('20261121-074512-00000');
		expect(createRunId(at + 999, () => 0.999)).toBe('20261121-074512-rrzyp');
		for (const later of [1, 31, 32, 999, 1000]) {
			expect(createRunId(at + later, () => 0) > createRunId(at, () => 0.999)).toBe(true);
		}
	});

	it('of runs that come before another one are never taken', () => {
		const id = '20261121-074512-00000';
		const stateDir = temporaryFolder();
		const draws = [0, 0, 0, 0, 0.5, 0.5];
		const random = () => draws.shift() ?? 0;
		const first = runIdBefore(id, stateDir, random);
		mkdirSync(join(stateDir, 'runs'));
		writeFileSync(journalPath(stateDir, first), '');
		const second = runIdBefore(id, stateDir, random);
		expect(first < id && second < id && first !== second).toBe(true);
	});
});

describe('findRun', () => {
	const ids = ['20261121-074512-aaaaa', '20261121-074512-bbbbb', '20261122-000000-ccccc'];

	function createRuns(): string {
		const stateDir = temporaryFolder();
		for (const id of ids) startJournal(stateDir, 1, undefined, { id }).close();
		return stateDir;
	}

	it('finds a run by its id, by a start that only it has, and the last one', () => {
		const stateDir = createRuns();
		for (const id of ids) expect(findRun(stateDir, id)).toContain(id);
		expect(findRun(stateDir, '20261121-074512-b')).toContain(ids[1]);
		expect(findRun(stateDir, 'last')).toContain(ids[2]);
		expect(findRun(stateDir, join(stateDir, 'runs', `${ids[0]}.ndjson`))).toContain(ids[0]);
		expect(runIds(stateDir)).toEqual(ids);
	});

	it('goes by the ID of a journal, and by no other name', async () => {
		const stateDir = createRuns();
		copyFileSync(journalIn(stateDir, ids[0]), journalIn(stateDir, 'notes'));
		expect(runIds(stateDir)).toEqual(ids);
		rmSync(journalIn(stateDir, ids[2]));
		expect(findRun(stateDir, 'last')).toContain(ids[1]);
	});

	it('takes the name of a file beside it for a journal, whatever it ends in', async () => {
		const stateDir = createRuns();
		const folder = temporaryFolder();
		await startJournal(stateDir, 1, join(folder, 'mine.journal'), { id: '20270101-000000-ddddd' }).close();
		expect(findRun(stateDir, 'mine.journal', folder)).toContain('mine.journal');
		expect(() => findRun(stateDir, '.', folder)).toThrow('run "." not found');
	});

	it('finds a run by the last five characters of its ID, as run list prints it', () => {
		const stateDir = createRuns();
		expect(findRun(stateDir, 'bbbbb')).toBe(journalIn(stateDir, ids[1]));
	});

	it('refuses what fits several, none, or nothing at all', () => {
		const stateDir = createRuns();
		expect(() => findRun(stateDir, '20261121')).toThrow(`2 runs match "20261121": ${ids[0]}, ${ids[1]}`);
		expect(() => findRun(stateDir, '2025')).toThrow('run "2025" not found');
		expect(() => findRun(stateDir, '')).toThrow('run "" not found');
		expect(() => findRun(stateDir, '../secrets')).toThrow('journal ../secrets not found');
		expect(() => findRun(temporaryFolder(), 'last')).toThrow('no runs yet');
	});

	it('says so of a journal elsewhere that is gone', async () => {
		const stateDir = createRuns();
		const path = join(temporaryFolder(), 'mine');
		await startJournal(stateDir, 1, path, { id: '20270101-000000-ddddd' }).close();
		expect(findRun(stateDir, 'last')).toContain('mine');
		rmSync(path);
		expect(() => findRun(stateDir, 'last')).toThrow('journal of run 20270101-000000-ddddd not found');
		const [first, second] = await listRuns(stateDir);
		expect([first?.state, second?.state]).toEqual(['unreadable', 'crashed']);
	});

	it('lists nothing where there is no state folder', async () => {
		expect(await listRuns(join(temporaryFolder(), 'none'))).toEqual([]);
	});
});

describe('the state of a run', () => {
	const end = { at: 'x', counts: { ...createCounts(), ok: 7 }, exit: 0 } as const;

	it('is running while a process has its journal, finished or interrupted by its last record, else broken off', async () => {
		const journal = startJournal(temporaryFolder(), 3);
		const state = async () => (await summariseRun(journal.path, 'x')).state;
		expect(await state()).toBe('running');
		await journal.close();
		expect(await state()).toBe('crashed');
		appendFileSync(journal.path, `${lineOf({ type: 'end', ...end, interrupted: true })}\n`);
		expect(await state()).toBe('interrupted');
		appendFileSync(journal.path, `${lineOf({ type: 'end', ...end })}\n`);
		expect(await state()).toBe('finished');
		appendFileSync(journal.path, '{"type":"end",\n');
		expect(await state()).toBe('crashed');
	});

	it('has the counts that its end tells, or those that its records come to', async () => {
		const journal = startJournal(temporaryFolder(), 3);
		await journal.outcome(outcomeOf(1, { outcome: 'failed' }));
		const counted = { ...createCounts(), failed: 1 };
		expect((await summariseRun(journal.path, 'x')).counts).toEqual(counted);
		expect((await summariseRun(journal.path, 'x', await scanJournal(journal.path))).counts).toEqual(counted);
		await journal.close(end);
		expect(await summariseRun(journal.path, 'x')).toEqual({
			id: headerOf(0).id,
			path: journal.path,
			state: 'finished',
			header: headerOf(3),
			counts: end.counts,
			end: { type: 'end', ...end },
		});
		expect(readRunHeader(journal.path)).toEqual(headerOf(3));
	});

	it('is read whatever length its header has: every id may have been an argument', async () => {
		const ids = Array.from({ length: 150_000 }, (_, index) => String(1_000_000 + index));
		const source = { from: 'ids', ids } as const;
		const header = headerOf(ids.length, { source });
		const journal = startJournal(temporaryFolder(), ids.length, undefined, { source });
		await journal.close();
		expect(readRunHeader(journal.path)).toEqual(header);
		expect(await summariseRun(journal.path, 'x')).toMatchObject({ state: 'crashed', header });
	});

	it.each([
		['', 'its first line is damaged (wrong checksum)'],
		['no line end', 'its first line is damaged (wrong checksum)'],
		['{"type":"plan","version":2}\n', 'it has format version 2; this supportctl reads version 3'],
		[`${lineOf({ type: 'row' })}\n`, 'its first line has no valid "id"'],
	])('is damaged, with the reason, where the file holds %j', async (text, reason) => {
		const path = join(temporaryFolder(), 'a.ndjson');
		writeFileSync(path, text);
		expect(await summariseRun(path, 'a')).toEqual({
			id: 'a',
			path,
			state: 'damaged',
			problem: reason,
		});
	});
});
