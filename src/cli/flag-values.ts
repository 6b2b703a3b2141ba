/** Values of flags that may be in a file, and secrets, which are never in argv. */

import { readReference } from '../api/references.js';
import { jsonProblem, quote } from '../api/values.js';
import { idsIn } from '../bulk/input/lines.js';
import { UsageError } from '../errors.js';
import type { Context } from '../io/context.js';
import { readText } from '../io/files.js';
import { isSecretName, redact } from '../output/redact.js';

export function pairOf(
	flag: string,
	text: string,
	form: string,
	at = text.indexOf('='),
): [name: string, value: string] {
	if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
	throw new UsageError(`${flag} ${quote(text)} is not ${form}`, { code: 'invalid_value' });
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

/** @param from `--data`, `body.json` @throws UsageError */
export function parseJson(text: string, from: string, code: string): unknown {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		// The parser's message quotes the text, which may be a password.
		throw new UsageError(`${from} is not valid JSON`, { code });
	}
	const problem = jsonProblem(text, value);
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

/**
 * `14,16`, `@file`, or `-` for stdin: one a line there, the first cell counts, and `#` begins a comment.
 * @returns without marks such as `id:` @throws UsageError for none
 */
export async function readIdList(
	flag: string,
	texts: readonly string[] | undefined,
	context: Context,
): Promise<string[] | undefined> {
	if (texts === undefined) return undefined;
	const ids: string[] = [];
	for (const each of texts) {
		const text = each === '-' ? '@-' : each;
		const given = isFile(text) ? idsIn(await readText(text.slice(1), context, flag)) : text.split(',');
		ids.push(...given.map((id) => readReference(id.trim()).text).filter((id) => id !== ''));
	}
	if (ids.length > 0) return ids;
	throw new UsageError(`${flag} has no IDs`, { code: 'invalid_value' });
}
