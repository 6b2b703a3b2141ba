import type * as FileSystem from 'node:fs';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scanJournal } from '../../../src/bulk/journal/read.js';
import type { EndRecord } from '../../../src/bulk/journal/records.js';
import { type Journal, openJournal } from '../../../src/bulk/journal/write.js';
import { redact } from '../../../src/output/redact.js';
import { outcomeOf, startJournal } from '../../support/journal.js';
import { temporaryFolder } from '../../support/temporary.js';

/** A disk that does what a test wants, one call after another; otherwise it is the real one. */
const disk = vi.hoisted(() => ({
	/** How many bytes of the next writes are taken, or the code that they fail with. */
	writes: [] as (number | string)[],
	syncs: [] as (string | undefined)[],
	truncates: [] as string[],
	/** Waits of the disk that were begun in the background. */
	background: 0,
	/** Takes the end of such a wait instead of letting the disk come to it. */
	hold: undefined as ((end: () => void) => void) | undefined,
	/** What was waited for at once, in turn: a folder, or a file and what was in it. */
	forced: [] as string[],
}));

const failure = (code: string): Error => Object.assign(new Error(`${code}: as the test wants it`), { code });

vi.mock('node:fs', async (original) => {
	const real = await original<typeof FileSystem>();
	return {
		...real,
		writeSync(fd: number, bytes: Uint8Array, offset = 0): number {
			const next = disk.writes.shift();
			if (typeof next === 'string') throw failure(next);
			return real.writeSync(fd, bytes, offset, next ?? bytes.length - offset);
		},
		fdatasync(fd: number, done: (error: Error | null) => void): void {
			disk.background++;
			if (disk.hold !== undefined) {
				const held = disk.syncs.shift();
				disk.hold(() => done(held === undefined ? null : failure(held)));
				return;
			}
			const code = disk.syncs.shift();
			if (code === undefined) real.fdatasync(fd, done);
			else done(failure(code));
		},
		fdatasyncSync(fd: number): void {
			const code = disk.syncs.shift();
			if (code !== undefined) throw failure(code);
			disk.forced.push(`file of ${real.fstatSync(fd).size} bytes`);
			real.fdatasyncSync(fd);
		},
		fsyncSync(fd: number): void {
			disk.forced.push(real.fstatSync(fd).isDirectory() ? 'folder' : 'file');
			real.fsyncSync(fd);
		},
		ftruncateSync(fd: number, length: number): void {
			const code = disk.truncates.shift();
			if (code !== undefined) throw failure(code);
			real.ftruncateSync(fd, length);
		},
	};
});

const codeOf = (step: () => unknown): unknown => {
	try {
		step();
	} catch (error) {
		return (error as { code: unknown }).code;
	}
	return undefined;
};

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
	vi.useRealTimers();
	Object.assign(disk, { writes: [], syncs: [], truncates: [], background: 0, hold: undefined, forced: [] });
});

/** The code of what closing a journal fails with. */
async function endOf(journal: Journal, end?: EndRecord): Promise<unknown> {
	return await journal.close(end).then(
		() => undefined,
		(error: { code?: unknown }) => error.code,
	);
}

describe('a write that fails half-way', () => {
	it.each([
		['ENOSPC', 'the disk is full'],
		['EFBIG', 'the file has reached its size limit'],
		['EIO', 'EIO: as the test wants it'],
	])('by %s fails this and every later append in words', async (code, reason) => {
		const journal = startJournal(temporaryFolder(), 9);
		await journal.outcome(outcomeOf(1));
		disk.writes = [30, code];
		const expected = {
			code: 'journal_failed',
			message: `can't write the journal ${journal.path}: ${reason}`,
			hint: `free some space, then: supportctl run resume ${journal.header.id}`,
		};
		await expect(journal.outcome(outcomeOf(2))).rejects.toMatchObject(expected);
		expect(journal.failure).toMatchObject(expected);
		await expect(journal.outcome(outcomeOf(3))).rejects.toBe(journal.failure);
		const end = { at: 'x', counts: (await scanJournal(journal.path)).counts, exit: 1 as const };
		expect(await endOf(journal, end)).toBe('journal_failed');
		expect(await scanJournal(journal.path)).toMatchObject({ done: 1, tornBytes: 30, corrupt: [], end: undefined });
	});

	it('and one that comes in pieces is one record all the same', async () => {
		const journal = startJournal(temporaryFolder(), 3);
		disk.writes = [5, 1];
		await journal.outcome(outcomeOf(1));
		await journal.close();
		expect(await scanJournal(journal.path)).toMatchObject({ done: 1, corrupt: [], tornBytes: 0 });
	});

	it('keeps the records of the same write that are whole', async () => {
		const journal = startJournal(temporaryFolder(), 9);
		const first = journal.outcome(outcomeOf(1));
		const second = journal.outcome(outcomeOf(2));
		disk.writes = [120, 'ENOSPC'];
		await expect(Promise.all([first, second])).rejects.toMatchObject({ code: 'journal_failed' });
		expect(await endOf(journal)).toBe('journal_failed');
		const scan = await scanJournal(journal.path);
		expect([scan.states.isDone(1), scan.states.isDone(2)]).toEqual([true, false]);
	});

	it('and takes no byte at all is a full disk, not a loop without end', async () => {
		const journal = startJournal(temporaryFolder(), 9);
		disk.writes = [0];
		await expect(journal.outcome(outcomeOf(1))).rejects.toMatchObject({
			message: expect.stringContaining('the disk is full'),
		});
		expect(await endOf(journal)).toBe('journal_failed');
	});

	it('leaves a torn line, which a resume drops', async () => {
		const journal = startJournal(temporaryFolder(), 9);
		await journal.outcome(outcomeOf(1));
		disk.writes = [30, 'EIO'];
		await expect(journal.outcome(outcomeOf(2))).rejects.toMatchObject({ code: 'journal_failed' });
		expect(await endOf(journal)).toBe('journal_failed');
		expect((await scanJournal(journal.path)).tornBytes).toBe(30);
		const { journal: resumed, scan } = await openJournal(journal.path, redact);
		await resumed.outcome(outcomeOf(2));
		await resumed.close();
		expect(scan.done).toBe(1);
		expect(await scanJournal(journal.path)).toMatchObject({ done: 2, tornBytes: 0, corrupt: [] });
	});
});

describe('the disk itself', () => {
	it('has the header and the name of the file before anything is sent', async () => {
		const journal = startJournal(temporaryFolder(), 3);
		const { length } = readFileSync(journal.path);
		expect(disk.forced).toEqual([`file of ${length} bytes`, 'folder']);
		await journal.close();
	});

	it('is waited for once more where records came while it was at work', async () => {
		const ends: (() => void)[] = [];
		disk.hold = (end) => void ends.push(end);
		const journal = startJournal(temporaryFolder(), 3);
		await journal.outcome(outcomeOf(1));
		await vi.advanceTimersByTimeAsync(250);
		await journal.outcome(outcomeOf(2));
		await vi.advanceTimersByTimeAsync(250);
		expect(disk.background).toBe(1);
		ends.shift()?.();
		await vi.advanceTimersByTimeAsync(250);
		expect(disk.background).toBe(2);
		const closed = journal.close();
		ends.shift()?.();
		await closed;
	});

	it('is waited for a quarter of a second after a record, once for all that came meanwhile, and not without one', async () => {
		const journal = startJournal(temporaryFolder(), 9);
		await vi.advanceTimersByTimeAsync(1000);
		expect(disk.background).toBe(0);
		await journal.outcome(outcomeOf(1));
		await journal.outcome(outcomeOf(2));
		await vi.advanceTimersByTimeAsync(249);
		expect(disk.background).toBe(0);
		await vi.advanceTimersByTimeAsync(1);
		expect(disk.background).toBe(1);
		await journal.close();
	});

	it('is waited for again where a record came while it was', async () => {
		const journal = startJournal(temporaryFolder(), 9);
		await journal.outcome(outcomeOf(1));
		// What can't be synced, such as a pipe, is no failure.
		disk.syncs = ['EINVAL', 'ENOTSUP'];
		await vi.advanceTimersByTimeAsync(250);
		await journal.outcome(outcomeOf(2));
		await vi.advanceTimersByTimeAsync(250);
		expect([disk.background, journal.failure]).toEqual([2, undefined]);
		await journal.close();
	});

	it.each([['EIO'], [undefined]])('that says %s in the background: a later append knows', async (code) => {
		const journal = startJournal(temporaryFolder(), 9);
		await journal.outcome(outcomeOf(1));
		disk.syncs = [code];
		await vi.advanceTimersByTimeAsync(250);
		const later = journal.outcome(outcomeOf(2));
		if (code === undefined) {
			await later;
			await journal.close();
		} else {
			await expect(later).rejects.toMatchObject({ code: 'journal_failed', message: expect.stringContaining('EIO') });
			expect(await endOf(journal)).toBe('journal_failed');
		}
	});

	it('that fails in the background while the journal is closed makes the end fail', async () => {
		const ends: (() => void)[] = [];
		disk.hold = (end) => void ends.push(end);
		const journal = startJournal(temporaryFolder(), 9);
		await journal.outcome(outcomeOf(1));
		disk.syncs = ['EIO'];
		await vi.advanceTimersByTimeAsync(250);
		const closed = endOf(journal);
		ends.shift()?.();
		expect(await closed).toBe('journal_failed');
	});

	it('that fails at the end makes the end fail, and the lock is free', async () => {
		const journal = startJournal(temporaryFolder(), 9);
		await journal.outcome(outcomeOf(1));
		disk.syncs = ['EIO'];
		expect(await endOf(journal)).toBe('journal_failed');
		expect(await endOf(journal)).toBeUndefined();
		const { journal: again } = await openJournal(journal.path, redact);
		await again.close();
	});

	it.each([['EINVAL'], ['ENOTSUP'], ['EROFS']])('that has no way to sync (%s) is no failure', async (code) => {
		disk.syncs = [code];
		const journal = startJournal(temporaryFolder(), 9);
		await journal.outcome(outcomeOf(1));
		disk.syncs = [code];
		expect(await endOf(journal)).toBeUndefined();
	});
});

describe('a journal that can’t be begun', () => {
	it('leaves no file', async () => {
		const folder = temporaryFolder();
		const [fresh, empty] = [join(folder, 'fresh'), join(folder, 'empty')];
		writeFileSync(empty, '');
		for (const path of [fresh, empty]) {
			disk.writes = [10, 'ENOSPC'];
			expect(codeOf(() => startJournal(folder, 9, path))).toBe('journal_failed');
		}
		for (const path of [fresh, empty]) expect(() => readFileSync(path)).toThrow(/ENOENT/);
		await startJournal(folder, 9, empty).close();
	});
});

describe('a journal that can’t be gone on with', () => {
	it('is as it was, and free for the next', async () => {
		const journal = startJournal(temporaryFolder(), 9);
		await journal.outcome(outcomeOf(1));
		await journal.close();
		appendFileSync(journal.path, '{"type":"ro');
		disk.truncates = ['EIO'];
		await expect(openJournal(journal.path, redact)).rejects.toMatchObject({ code: 'journal_failed' });
		expect((await scanJournal(journal.path)).tornBytes).toBe(11);
		await (await openJournal(journal.path, redact)).journal.close();
	});
});
