/** Removes old journals of single writes: a shell loop leaves thousands, and nobody prunes those by hand. */

import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE } from '../../folder.js';
import {
	idTime,
	isOwnJournal,
	journalPath,
	readRunHeader,
	removeRun,
	runIds,
	runStates,
	runsFolder,
	summariseRun,
} from './folder.js';

const SMALL_KEPT_MS = 30 * 24 * 3_600_000;

const DAY_MS = 24 * 3_600_000;
/** Each costs a tenth of a millisecond. The newest of the old come first, so that larger runs, which stay, keep none of them from its turn. */
const MOST_AT_ONCE = 1000;

/** Once a day. Never fails: a run that starts has other work. */
export async function pruneSmallRuns(stateDir: string, now: number): Promise<void> {
	try {
		if (!isDue(join(runsFolder(stateDir), markName()), now)) return;
		const before = idTime(now - SMALL_KEPT_MS);
		const old = runIds(stateDir).filter((id) => id < before);
		for (const id of old.reverse().slice(0, MOST_AT_ONCE)) {
			const path = journalPath(stateDir, id);
			// Of a shared folder, everybody's own.
			if (isOwnJournal(stateDir, id, path) && (await isSmall(path, id))) removeRun(stateDir, id);
		}
	} catch {}
}

/** A row that is not done has to be looked at first, as with `run prune`. */
async function isSmall(path: string, id: string): Promise<boolean> {
	try {
		// Larger ones may have to be read whole to know their state.
		if (readRunHeader(path).input.rows !== 1) return false;
		const { state } = await summariseRun(path, id);
		const { isOpen, hasEnded } = runStates[state];
		return hasEnded && !isOpen;
	} catch {
		// A damaged one keeps no other from its turn.
		return false;
	}
}

/** In a shared folder, everybody's own turn. */
function markName(): string {
	const user = process.getuid?.();
	return user === undefined ? '.pruned' : `.pruned-${user}`;
}

/** @param mark a file that was touched when it was last done */
function isDue(mark: string, now: number): boolean {
	const last = statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0;
	// A clock that was set back must not keep it from being due.
	if (Math.abs(now - last) < DAY_MS) return false;
	writeFileSync(mark, '', { mode: PRIVATE });
	utimesSync(mark, now / 1000, now / 1000);
	return true;
}
