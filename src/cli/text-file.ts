/** Text from files and stdin, and secrets, which are never in argv. */

import { resolve } from 'node:path';
import { fileProblem, UsageError } from '../errors.js';
import { readSmallFile } from '../folder.js';
import type { Context } from '../io/context.js';
import { isSecretName } from '../output/redact.js';

const MAX_BYTES = 64 * 1024 * 1024;

/** @param path `-` for stdin @throws UsageError */
export async function readText(
	path: string,
	{ stdin, cwd }: Pick<Context, 'stdin' | 'cwd'>,
	flag?: string,
): Promise<string> {
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

export const isFile = (text: string): boolean => text.startsWith('@') && !text.startsWith('@@');

/** Reads `@file` and `@-` (stdin); other text is the value, with `@@` for a leading @. */
export async function readTextValue(flag: string, text: string, context: Context): Promise<string> {
	return isFile(text) ? readText(text.slice(1), context, flag) : text.replace(/^@@/, '@');
}

/** @throws UsageError */
export async function readFirstLine(context: Context, flag: string): Promise<string> {
	if (context.stdin.isTTY) throw new UsageError(`${flag} needs a pipe or a file on stdin`);
	const line = (await readText('-', context, flag)).split('\n', 1)[0]?.replace(/\r$/, '') ?? '';
	if (line === '') throw new UsageError(`${flag}: the first line of stdin is empty`);
	return line;
}

function secretKeyIn(value: unknown): string | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	const { name, value: paired } = value as { name?: unknown; value?: unknown };
	if (typeof name === 'string' && paired !== undefined && isSecretName(name)) return name;
	for (const [key, inner] of Object.entries(value)) {
		if (!Array.isArray(value) && inner !== null && isSecretName(key)) return key;
		const found = secretKeyIn(inner);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** @param way how to pass the value instead. @throws UsageError */
export function refuseSecretNames(flag: string, names: readonly string[], way: string): void {
	const name = names.find(isSecretName);
	if (name === undefined) return;
	throw new UsageError(`${flag}: ${name} is not accepted on the command line, where other users can see it`, {
		code: 'secret_on_command_line',
		hint: way,
	});
}

export function refuseSecretKeys(flag: string, value: unknown, way: string): void {
	const key = secretKeyIn(value);
	if (key !== undefined) refuseSecretNames(flag, [key], way);
}
