/** Which profile a command about profiles means. */

import { UsageError } from '../errors.js';
import { readVariable } from '../profile/environment.js';
import { configFolder } from '../profile/folders.js';
import { readStore } from '../profile/store.js';
import type { Invocation } from './command.js';

/** The name from the first argument, --profile, SUPPORTCTL_PROFILE, or the profile in use. @throws UsageError */
export function namedProfile({ args, options, context }: Invocation): string | undefined {
	const { env, cwd } = context;
	const flag = options.profile;
	if (args[0] !== undefined && flag !== undefined && args[0] !== flag) {
		throw new UsageError(`the argument says ${args[0]} and --profile says ${flag}`);
	}
	const given = args[0] ?? flag ?? readVariable(env, 'PROFILE', cwd)?.value;
	return given ?? readStore(configFolder({ env, cwd })).store.current;
}
