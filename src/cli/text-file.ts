/** Text from files and stdin, and secrets, which are never in argv. */

import { resolve } from 'node:path';
import { nestingProblem } from '../api/values.js';
import { fileProblem, UsageError } from '../errors.js';
import { readSmallFile } from '../folder.js';
import type { Context } from '../io/context.js';
import { isSecretName, redact } from '../output/redact.js';

const MAX_BYTES = 64 * 1024 * 1024;

/** @param path `-` for stdin @throws UsageError */
export async function readText(path: string, { stdin, cwd }: Context, flag?: string): Promise<string> {
	try {
		if (path === '-') return await stdin.text();
		return new TextDecoder('utf-8', { fatal: true }).decode(readSmallFile(resolve(cwd, path), MAX_BYTES));
	} catch (cause) {
		const asked = flag === undefined ? '' : `${flag} `;
		const name = path === '-' ? 'stdin' : path;
		const message = `${asked}can't read ${name}: ${fileProblem(cause)}`;
		throw new UsageError(message, { code: 'unreadable_input', cause });
	}
}

const isFile = (text: string): boolean => text.startsWith('@') && !text.startsWith('@@');

/** Reads `@file` and `@-` (stdin); other text is the value, with `@@` for a leading @. */
export async function readTextValue(flag: string, text: string, context: Context): Promise<string> {
	return isFile(text) ? readText(text.slice(1), context, flag) : text.replace(/^@@/, '@');
}

/** The value of a flag such as `--set NAME=VALUE`. @throws UsageError for a secret that is not in a file */
export async function readNamedText(flag: string, name: string, text: string, context: Context): Promise<string> {
	if (!isFile(text)) {
		refuseSecrets(`${flag} ${name}`, { [name]: text }, `pass it with ${flag} NAME=@file or ${flag} NAME=@-`);
	}
	const value = await readTextValue(flag, text, context);
	// The file's last line break is not part of a password.
	return isSecretName(name) ? value.replace(/\r?\n$/, '') : value;
}

/** @throws UsageError */
export async function readFirstLine(context: Context, flag: string): Promise<string> {
	if (context.stdin.isTTY) throw new UsageError(`${flag} needs a pipe or a file on stdin`);
	const line = (await readText('-', context, flag)).split('\n', 1)[0]?.replace(/\r$/, '') ?? '';
	if (line === '') throw new UsageError(`${flag}: the first line of stdin is empty`);
	return line;
}

/** @param from `--data`, `body.json` @throws UsageError */
export function parseJson(text: string, from: string, code: string): unknown {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		// The parser's message quotes the text, which may be a password.
		throw new UsageError(`${from} is not valid JSON`, { code });
	}
	const problem = nestingProblem(value);
	if (problem !== undefined) throw new UsageError(`${from}: ${problem}`, { code });
	return value;
}

/** @param given from the command line, by name @param way how to pass a secret instead @throws UsageError */
export function refuseSecrets(flag: string, given: unknown, way: string): void {
	if (redact(given) === given) return;
	throw new UsageError(`${flag}: a secret is not accepted on the command line, where other users can see it`, {
		code: 'secret_on_command_line',
		hint: way,
	});
}
