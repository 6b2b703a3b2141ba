/** A command's own words → its arguments and flags, without the program around it. */

import { parseWords as parse } from '../../src/cli/parse.js';

/** The arguments and flags of words that stand behind a command's own. @throws UsageError */
export function parseWords(...given: Parameters<typeof parse>): NonNullable<ReturnType<typeof parse>> {
	const parsed = parse(...given);
	if (parsed === undefined) throw new Error(`${given[2].join(' ')} asks for help`);
	return parsed;
}
