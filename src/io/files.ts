/** Text of files and stdin. */

import { resolve } from 'node:path';
import { fileProblem, UsageError } from '../errors.js';
import { readSmallFile } from '../folder.js';
import { decodedText } from '../text.js';
import type { Context } from './context.js';

type Place = Pick<Context, 'stdin' | 'cwd'>;

const MAX_BYTES = 64 * 1024 * 1024;

/** @param path `-` for stdin @param flag for errors @throws UsageError */
export async function readText(path: string, { stdin, cwd }: Place, flag?: string): Promise<string> {
	try {
		if (path === '-') return await stdin.text();
		return decodedText(readSmallFile(resolve(cwd, path), MAX_BYTES));
	} catch (cause) {
		throw unreadable(path === '-' ? 'stdin' : path, cause, flag);
	}
}

export function unreadable(name: string, cause: unknown, flag?: string): UsageError {
	const asked = flag === undefined ? '' : `${flag} `;
	return new UsageError(`${asked}can't read ${name}: ${fileProblem(cause)}`, { code: 'unreadable_input', cause });
}

/** @param flag for errors @throws UsageError */
export async function readFirstLine(place: Place, flag: string): Promise<string> {
	if (place.stdin.isTTY) throw new UsageError(`${flag} needs a pipe or a file on stdin`);
	const line = (await readText('-', place, flag)).split('\n', 1)[0]?.replace(/\r$/, '') ?? '';
	if (line === '') throw new UsageError(`${flag}: the first line of stdin is empty`);
	return line;
}
