/** The SUPPORTCTL_… variables, and the files that their …_FILE siblings name. */

import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../errors.js';
import type { Environment } from './folders.js';

/** No secret or URL is larger; a file that is was named by mistake. */
const MAX_BYTES = 64 * 1024;

/** Text without the one line break that editors and `echo` leave at its end. */
export function withoutLastLineBreak(text: string): string {
	return text.replace(/\r?\n$/, '');
}

function readNamedFile(path: string, variable: string): string {
	const fail = (why: string, cause?: unknown): never => {
		const hint = `let ${variable} name a file that has it and that you can read, or unset it`;
		throw new UsageError(`${variable}: ${path} ${why}`, { code: 'unreadable_file', hint, cause });
	};
	let bytes: Buffer;
	try {
		if (statSync(path).size > MAX_BYTES) fail(`is larger than ${MAX_BYTES / 1024} KiB`);
		bytes = readFileSync(path);
	} catch (error) {
		if (error instanceof UsageError) throw error;
		const code = (error as NodeJS.ErrnoException).code;
		return fail(code === 'ENOENT' ? 'does not exist' : `can't be read (${code ?? 'unknown error'})`, error);
	}
	try {
		const text = withoutLastLineBreak(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
		return text === '' ? fail('is empty') : text;
	} catch (error) {
		if (error instanceof UsageError) throw error;
		return fail('is not UTF-8 text');
	}
}

export interface EnvironmentValue {
	value: string;
	/** The variable that it came from: `SUPPORTCTL_TOKEN` or `SUPPORTCTL_TOKEN_FILE`. */
	name: string;
}

/**
 * SUPPORTCTL_<name>, or the contents of the file that SUPPORTCTL_<name>_FILE names. An empty variable counts as not
 * set, which is how CI systems hand over what is not configured. Throws UsageError where both are set.
 */
export function readVariable(
	env: Environment,
	name: 'PROFILE' | 'BASE_URL' | 'USERNAME' | 'PASSWORD' | 'TOKEN',
	cwd = '.',
): EnvironmentValue | undefined {
	const plain = `SUPPORTCTL_${name}`;
	const file = `${plain}_FILE`;
	const [value, path] = [env[plain], env[file]];
	if (value && path) throw new UsageError(`${plain} and ${file} are both set`, { hint: 'unset one of them' });
	if (path) return { value: readNamedFile(resolve(cwd, path), file), name: file };
	return value ? { value, name: plain } : undefined;
}
