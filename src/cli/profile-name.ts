/** Which profile a command about profiles means, and what overrides it. */

import { UsageError } from '../errors.js';
import { configFolder, connectionVariables, listed, readVariable } from '../profile/environment.js';
import { readStore } from '../profile/store.js';
import type { Invocation } from './command.js';
import { warn } from './notices.js';

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

/** Says which variables later commands will use before the profile that is now the one in use. */
export function warnOfVariables({ context }: Invocation, name: string): void {
	const { env } = context;
	const chosen = ['SUPPORTCTL_PROFILE', 'SUPPORTCTL_PROFILE_FILE'].filter((each) => env[each] && env[each] !== name);
	const variables = [...chosen, ...connectionVariables(env)];
	if (variables.length === 0) return;
	const [are, override] = variables.length === 1 ? ['is', 'overrides'] : ['are', 'override'];
	warn(context, [
		`${listed(variables)} ${are} set in the environment and ${override} profile "${name}" unless a command says --profile ${name}`,
	]);
}
