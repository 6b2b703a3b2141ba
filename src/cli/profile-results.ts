/** What commands about profiles share: which profile is meant, and how a change is reported. */

import { ExitCode, UsageError } from '../errors.js';
import { configFolder, connectionVariables, listed, readVariable } from '../profile/settings.js';
import { readStore, type Store } from '../profile/store.js';
import type { Invocation } from './command.js';
import { say, warn } from './notices.js';
import {
	chosenFormat,
	createSentResults,
	onlyOutputFailed,
	openResults,
	picksValues,
	type ResultShape,
} from './results.js';

type ResultRow = Readonly<Record<string, unknown>>;

/** Whether data is asked for; what commands do is otherwise said on stderr. */
export function asksForData({ options }: Invocation): boolean {
	return chosenFormat(options) !== undefined || picksValues(options);
}

/** Prints rows on stdout. @throws UsageError for a column or a query that can't be used */
export async function printRows(
	invocation: Invocation,
	rows: readonly ResultRow[],
	shape: ResultShape,
): Promise<ExitCode> {
	const keys = shape.columns?.map(({ path }) => path);
	const results = await openResults(invocation, { ...(keys && { keys }), ...shape });
	for (const row of rows) await results.row(row);
	await results.end();
	return ExitCode.ok;
}

/** A change that was made: warnings, a sentence for a person, and the row for a program, with the keys named before. */
export interface Change {
	warnings: readonly string[];
	says: string;
	row: ResultRow;
}

/**
 * Makes a change to the profiles and reports it.
 * @throws UsageError, before the change is made, for a column or a query that can't be used
 */
export async function runChange(
	invocation: Invocation,
	keys: readonly string[],
	change: () => Promise<Change>,
): Promise<ExitCode> {
	const shape: ResultShape = { single: true, keys, idOf: ({ profile }) => profile };
	const results = asksForData(invocation) ? createSentResults(await openResults(invocation, shape)) : undefined;
	const { warnings, says, row } = await change();
	warn(invocation.context, warnings);
	say(invocation, says);
	await results?.row(row);
	const trouble = await results?.end();
	if (trouble !== undefined) throw onlyOutputFailed(trouble, 'the change was made', ExitCode.ok);
	return ExitCode.ok;
}

/** The stored profiles; a damaged file counts as empty, and is kept under another name when a profile is stored. */
export function readStoreToChange({ context }: Invocation): Store {
	const { store, warnings } = readStore(configFolder(context), true);
	warn(context, warnings);
	return store;
}

/** The name from the first argument, --profile, SUPPORTCTL_PROFILE, or the current profile. @throws UsageError */
export function namedProfile({ args, options, context }: Invocation): string | undefined {
	const flag = options.profile;
	if (args[0] !== undefined && flag !== undefined && args[0] !== flag) {
		throw new UsageError(`the argument says ${args[0]} and --profile says ${flag}`);
	}
	const given = args[0] ?? flag ?? readVariable(context.env, 'PROFILE', context.cwd)?.value;
	return given ?? readStore(configFolder(context)).store.current;
}

/** A warning of the variables that later commands will use before a profile that is now the current one. */
export function overridesOf({ context: { env } }: Invocation, name: string): string[] {
	const chosen = ['SUPPORTCTL_PROFILE', 'SUPPORTCTL_PROFILE_FILE'].filter((each) => env[each] && env[each] !== name);
	const variables = [...chosen, ...connectionVariables(env)];
	if (variables.length === 0) return [];
	const [are, override] = variables.length === 1 ? ['is', 'overrides'] : ['are', 'override'];
	return [
		`${listed(variables)} ${are} set in the environment and ${override} profile "${name}" unless a command says --profile ${name}`,
	];
}
