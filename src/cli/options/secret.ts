/** The flags by which a secret is handed over to be stored; never as a flag's own value, which others could read. */

import { checkSecret } from '../../profile/secrets.js';
import type { Scheme } from '../../profile/settings.js';
import type { NewSecret } from '../../profile/store.js';
import type { Invocation } from '../command.js';
import { readFirstLine } from '../text-file.js';
import { type OptionValues, options } from './option.js';

const group = 'Secret';

export const secretOptions = options([
	{
		flags: '--password-stdin',
		help: 'Read the password, token or header value from stdin',
		group,
		conflicts: ['token-stdin', 'secret-command'],
	},
	{
		flags: '--token-stdin',
		help: 'Read a bearer token from stdin; means --scheme bearer unless that is given',
		group,
		conflicts: ['secret-command'],
	},
	{
		flags: '--secret-command <command>',
		help: 'Store no secret, but run this with the shell at each use and take the line that it prints',
		group,
		conflicts: ['insecure-storage'],
	},
	{
		flags: '--insecure-storage',
		help: 'Keep the secret in the profile file (mode 0600) even where there is a system keyring',
		group,
	},
]);

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
