/** What the program says about a command line that it does not take. */

import { expect } from 'vitest';
import { findCommand } from '../../src/cli/manifest.js';
import { parseWords } from '../../src/cli/parse.js';
import { runnable, unknownCommand } from '../../src/cli/unknown.js';
import { UsageError } from '../../src/errors.js';

/** The words of a printed line, as a shell reads them. */
export function wordsOf(line: string): string[] {
	const [, ...words] = line.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
	return words.map((word) => word.replaceAll("'", ''));
}

/** Without running anything; undefined if the program takes the line. */
export async function hintFor(words: readonly string[]): Promise<string | undefined> {
	const { entry, path, flags, rest } = await findCommand(words);
	if (entry === undefined) return rest.length === 0 ? undefined : (await unknownCommand(path, rest)).hint;
	try {
		parseWords(await entry.load(), path, [...flags, ...rest]);
	} catch (error) {
		if (error instanceof UsageError) return error.hint;
		throw error;
	}
	return undefined;
}

/** A line that is suggested is one that the program takes. */
export async function expectTaken(typed: string, hint: string | undefined): Promise<void> {
	const line = /(?:did you mean: |such as: |custom fields: )(supportctl (?:'[^']*'|[^\n;'])+)/.exec(hint ?? '')?.[1];
	if (line === undefined || line.includes('NAME=VALUE')) return;
	const words = wordsOf(line);
	const isPage = words.at(-1) === '--help' && (await findCommand(words.slice(0, -1))).rest.length === 0;
	expect({ typed, hint, taken: isPage || (await runnable(words)) !== undefined }).toEqual({ typed, hint, taken: true });
}
