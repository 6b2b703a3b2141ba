/** What commands that change profiles share. */

import { resolve } from 'node:path';
import { ExitCode, UsageError } from '../errors.js';
import { readFirstLine } from '../io/files.js';
import { checkSecret } from '../profile/secrets.js';
import {
	checkSetting,
	configFolder,
	connectionVariables,
	listed,
	type Scheme,
	settingSpecs,
} from '../profile/settings.js';
import { type ProfileChange, readStore, type Store, updateStore } from '../profile/store.js';
import type { Invocation } from './command.js';
import { say, warn } from './notices.js';
import type { OptionValues } from './options/option.js';
import { chosenFormat, openResults, picksValues, printDone } from './results.js';

export function asksForData(invocation: Invocation): boolean {
	return chosenFormat(invocation) !== undefined || picksValues(invocation.options);
}

export interface ChangedProfile {
	says: string;
	row: Readonly<Record<string, unknown>>;
}

/** @throws UsageError for bad columns or queries, before the change */
export async function runChange(
	invocation: Invocation,
	keys: readonly string[],
	change: () => Promise<ChangedProfile>,
): Promise<undefined> {
	const shape = { single: true, keys, idOf: ({ profile }: ChangedProfile['row']) => profile };
	const results = asksForData(invocation) ? await openResults(invocation, shape) : undefined;
	const { says, row } = await change();
	say(invocation, says);
	if (results !== undefined) await printDone(results, row, 'the change was saved', ExitCode.ok);
}

export function changeProfiles(
	invocation: Invocation,
	keys: readonly string[],
	change: (store: Store) => ChangedProfile,
): Promise<undefined> {
	return runChange(invocation, keys, async () => {
		const { result, notices } = await updateStore(configFolder(invocation.context), change);
		warn(invocation.context, notices);
		return result;
	});
}

export function readProfiles({ context }: Invocation): Store {
	const { store, warnings } = readStore(configFolder(context));
	warn(context, warnings);
	return store;
}

/** Checked, with absolute paths. @throws UsageError */
export function settingsIn(options: OptionValues, cwd: string): ProfileChange['settings'] {
	const found: ProfileChange['settings'] = {};
	for (const spec of settingSpecs) {
		if (options[spec.name] === undefined) continue;
		const value = checkSetting(spec, options[spec.name], spec.flag);
		found[spec.name] = spec.path ? resolve(cwd, String(value)) : value;
	}
	return found;
}

export async function readGivenSecret({ context, options }: Invocation, scheme: Scheme) {
	const { secretCommand: command } = options;
	if (command === '') throw new UsageError('--secret-command is empty');
	if (typeof command === 'string') return { store: 'command', command } as const;
	if (options.passwordStdin !== true) return undefined;
	const flag = '--password-stdin';
	const value = checkSecret(scheme, await readFirstLine(context, flag), flag);
	return { store: 'file', value } as const;
}

export function overridesOf({ context: { env } }: Invocation, name: string): string[] {
	const chosen = ['SUPPORTCTL_PROFILE', 'SUPPORTCTL_PROFILE_FILE'].filter((each) => env[each] && env[each] !== name);
	const variables = [...chosen, ...connectionVariables(env)];
	if (variables.length === 0) return [];
	const override = variables.length === 1 ? 'overrides' : 'override';
	return [`${listed(variables)} ${override} profile "${name}" unless you pass --profile ${name}`];
}
