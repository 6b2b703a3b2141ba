/** A secret that comes on standard input: its first line, without the line's end. */

import { UsageError } from '../errors.js';
import type { Input } from '../io/context.js';
import { readTextInput } from './text-file.js';

/** @throws UsageError where there is nothing to read. */
export async function readFirstLine(stdin: Input, flag: string): Promise<string> {
	if (stdin.isTTY) throw new UsageError(`${flag} reads a pipe or a file, and stdin is a terminal`);
	const text = await readTextInput(stdin, flag);
	const line = text.split('\n', 1)[0]?.replace(/\r$/, '') ?? '';
	if (line === '') throw new UsageError(`${flag} got an empty first line`);
	return line;
}
