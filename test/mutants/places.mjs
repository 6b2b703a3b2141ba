/** Where the bugs of bugs.mjs are planted: each at a text that its file contains exactly once. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bugs } from './bugs.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** @param {import('./bugs.mjs').Bug} bug @returns the file's text with it @throws unless its place is the only one */
export function textWith({ file, was, becomes }) {
	const [before, after, ...more] = readFileSync(join(root, file), 'utf8').split(was);
	if (after === undefined) throw new Error(`not there: ${was}`);
	if (more.length > 0) throw new Error(`there ${more.length + 1} times: ${was}`);
	return before + becomes + after;
}

/**
 * Of all bugs, whichever are run: that takes no time, and a list with gaps is worth less than it says.
 * @returns what is wrong with each bug that can't be planted, or whose tests are gone
 */
export function lostPlaces(planted = bugs) {
	return planted.flatMap((bug) => {
		const gone = bug.tests.filter((test) => !existsSync(join(root, test)));
		if (bug.tests.length === 0 || gone.length > 0)
			return [`${bug.file}: ${bug.loss}\n  no such test: ${gone.join(', ')}`];
		try {
			textWith(bug);
			return [];
		} catch (error) {
			return [`${bug.file}: ${bug.loss}\n  ${error.message}`];
		}
	});
}
