/** Old journals of single writes, in a state folder that people share. */

import { afterEach, expect, test, vi } from 'vitest';
import { createCounts } from '../../../src/bulk/journal/counts.js';
import { runIds } from '../../../src/bulk/journal/folder.js';
import { pruneSmallRuns } from '../../../src/bulk/journal/prune.js';
import { outcomeOf, startJournal } from '../../support/journal.js';
import { temporaryFolder } from '../../support/temporary.js';

afterEach(() => void vi.restoreAllMocks());

test('a journal of someone else stays until its owner removes it', async () => {
	const folder = temporaryFolder();
	const journal = startJournal(folder, 1);
	await journal.outcome(outcomeOf(1));
	await journal.close({ at: '2026-11-21T07:45:13.000Z', counts: { ...createCounts(), ok: 1 }, exit: 0 });
	const later = Date.parse('2027-02-01T00:00:00Z');
	const user = process.getuid?.() ?? 0;
	const getuid = vi.spyOn(process, 'getuid').mockReturnValue(user + 1);
	await pruneSmallRuns(folder, later);
	expect(runIds(folder)).toEqual([journal.header.id]);
	getuid.mockReturnValue(user);
	await pruneSmallRuns(folder, later);
	expect(runIds(folder)).toEqual([]);
});
