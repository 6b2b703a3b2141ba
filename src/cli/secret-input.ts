/** How secrets are given: on standard input or by a command, never in the words of a command line, which others can read. */

import { UsageError } from '../errors.js';
import { isSecretName } from '../output/redact.js';
import { checkSecret } from '../profile/secrets.js';
import type { Scheme } from '../profile/settings.js';
import type { NewSecret } from '../profile/store.js';
import type { Invocation } from './command.js';
import type { OptionValues } from './options/option.js';
import { readFirstLine } from './text-file.js';

/** The scheme that the secret's flags imply, if any. */
export function impliedScheme(options: OptionValues): Scheme | undefined {
	return options.tokenStdin === true && options.scheme === undefined ? 'bearer' : undefined;
}

/** The secret that the flags hand over; undefined where they hand over none. @throws UsageError */
export async function readGivenSecret(
	{ context, options }: Invocation,
	scheme: Scheme,
): Promise<NewSecret | undefined> {
	if (typeof options.secretCommand === 'string') return { kind: 'command', command: options.secretCommand };
	const flag = options.passwordStdin === true ? '--password-stdin' : '--token-stdin';
	if (options.passwordStdin !== true && options.tokenStdin !== true) return undefined;
	const value = checkSecret(scheme, await readFirstLine(context.stdin, flag), flag);
	return { kind: 'value', value };
}

/** The first key in a JSON value that is named like a secret and holds something. */
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

/** @param way how the value can be given instead. @throws UsageError where a name is that of a secret */
export function refuseSecretNames(flag: string, names: readonly string[], way: string): void {
	const name = names.find(isSecretName);
	if (name === undefined) return;
	throw new UsageError(`${flag}: ${name} on the command line could be read by other users of the machine`, {
		code: 'secret_on_command_line',
		hint: way,
	});
}

/** The same for the keys of a JSON value, at any depth. @throws UsageError */
export function refuseSecretKeys(flag: string, value: unknown, way: string): void {
	const key = secretKeyIn(value);
	if (key !== undefined) refuseSecretNames(flag, [key], way);
}
