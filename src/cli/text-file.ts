/** A file that the command line names, or standard input, read as text; what stands in its way is said in the words of `--input`. */

import { resolve } from 'node:path';
import { fileProblem, isKnownFileProblem, UsageError } from '../errors.js';
import { readSmallFile } from '../folder.js';
import type { Input } from '../io/context.js';

const MAX_BYTES = 64 * 1024 * 1024;

/** @throws UsageError that names the file, after the flag where there is one */
export function readTextFile(path: string, cwd: string, flag?: string): string {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(readSmallFile(resolve(cwd, path), MAX_BYTES));
	} catch (error) {
		throw unreadable(path, error, flag);
	}
}

/** All of standard input. @throws UsageError for bytes that are no text */
export async function readTextInput(stdin: Pick<Input, 'text'>, flag?: string): Promise<string> {
	try {
		return await stdin.text();
	} catch (error) {
		throw unreadable('standard input', error, flag);
	}
}

/** A secret on standard input: its first line, without the line's end. @throws UsageError where there is none */
export async function readFirstLine(stdin: Input, flag: string): Promise<string> {
	if (stdin.isTTY) throw new UsageError(`${flag} reads a pipe or a file, and stdin is a terminal`);
	const line = (await readTextInput(stdin, flag)).split('\n', 1)[0]?.replace(/\r$/, '') ?? '';
	if (line === '') throw new UsageError(`${flag} got an empty first line`);
	return line;
}

function unreadable(name: string, error: unknown, flag: string | undefined): UsageError {
	const asked = flag === undefined ? '' : `${flag} `;
	return new UsageError(`${asked}can't read ${name}: ${fileProblem(error)}`, {
		code: 'unreadable_input',
		// What is said in words already needs no system's words below it.
		...(isKnownFileProblem(error) ? {} : { cause: error }),
	});
}
