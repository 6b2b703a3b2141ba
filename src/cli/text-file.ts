/** A file that the command line names, read as text; what stands in its way is said in the words of `--input`. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../errors.js';

const REASONS: Readonly<Record<string, string>> = {
	ENOENT: 'there is no such file',
	EACCES: 'permission denied',
	EISDIR: 'it is a folder',
	ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text',
};

/** @throws UsageError that names the file, after the flag where there is one */
export async function readTextFile(path: string, cwd: string, flag?: string): Promise<string> {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(resolve(cwd, path)));
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		const asked = flag === undefined ? '' : `${flag} `;
		throw new UsageError(`${asked}can't read ${path}: ${REASONS[code ?? ''] ?? message}`, {
			code: 'unreadable_input',
			cause: error,
		});
	}
}
