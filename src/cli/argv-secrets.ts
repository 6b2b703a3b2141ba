/** Secrets do not come from the command line: other users of the machine can read it, and shells keep it in a history. */

import { UsageError } from '../errors.js';
import { isSecretName } from '../output/redact.js';

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
	if (name !== undefined) throw refusal(flag, name, way);
}

/** The same for the keys of a JSON value, at any depth. @throws UsageError */
export function refuseSecretKeys(flag: string, value: unknown, way: string): void {
	const key = secretKeyIn(value);
	if (key !== undefined) throw refusal(flag, key, way);
}

function refusal(flag: string, name: string, way: string): UsageError {
	return new UsageError(`${flag}: ${name} on the command line could be read by other users of the machine`, {
		code: 'secret_on_command_line',
		hint: way,
	});
}
