/** The order in which runs were started, whatever the clock said: one id a line, in the folder of their journals. */

import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = '.order';

/** What createRunId makes. */
const RUN_ID = /^\d{8}-\d{6}-[0-9a-z]{5}$/;

/** Notes that a run was started, after all that are noted already. */
export function noteStarted(folder: string, id: string): void {
	try {
		// Appended in one piece, so that runs which start at once lose nothing; the break comes first, so that a line
		// that was cut off by a crash spoils no other.
		appendFileSync(join(folder, FILE), `\n${id}`, { mode: 0o600 });
	} catch {
		// Its id still says when it was started.
	}
}

function readNoted(folder: string): string[] {
	try {
		return [...new Set(readFileSync(join(folder, FILE), 'utf8').split('\n'))];
	} catch {
		return [];
	}
}

/**
 * Puts runs into the order of their starts, the oldest first. One that nobody noted, such as a copied journal, stands
 * right behind the last start that its id is later than; what is no run's id comes before all others.
 */
export function inStartOrder(folder: string, ids: readonly string[]): string[] {
	const there = new Set(ids);
	const noted = readNoted(folder).filter((id) => there.has(id));
	for (const id of noted) there.delete(id);
	const others = [...there].sort();
	const named = others.filter((id) => RUN_ID.test(id));
	const newestFirst: string[] = [];
	for (;;) {
		const [left, right] = [noted.at(-1), named.at(-1)];
		if (left === undefined && right === undefined) break;
		const isNamed = right !== undefined && (left === undefined || right > left);
		newestFirst.push((isNamed ? named.pop() : noted.pop()) as string);
	}
	return [...others.filter((id) => !RUN_ID.test(id)), ...newestFirst.reverse()];
}
