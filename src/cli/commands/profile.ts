/** `profile` and `logout`, and what `login` shares with them: nothing is sent to the service. */

import { resolve } from 'node:path';
import { ExitCode, UsageError } from '../../errors.js';
import { readFirstLine } from '../../io/files.js';
import type { Column } from '../../output/columns.js';
import { redactBaseUrl } from '../../output/redact.js';
import { describeSecret, readChoice, readSetup } from '../../profile/resolve.js';
import { checkSecret, describeStore } from '../../profile/secrets.js';
import {
	checkSetting,
	configFolder,
	connectionVariables,
	listed,
	parseBaseUrl,
	readVariable,
	type Scheme,
	secretVariables,
	settingSpecs,
	stateFolder,
} from '../../profile/settings.js';
import {
	checkProfileName,
	configFile,
	type ProfileChange,
	readStore,
	requireProfile,
	type Store,
	saveProfile,
	updateStore,
} from '../../profile/store.js';
import { defineCommand, type Invocation } from '../command.js';
import { askToConfirm, say, warn } from '../notices.js';
import { allBut, type OptionValues, pick } from '../options/option.js';
import {
	connectionOptions,
	guardDefaults,
	guardOptions,
	outputOptions,
	runDefaults,
	secretOptions,
} from '../options/shared.js';
import { asksForData, openResults, printAll, printDone } from '../results.js';

const nameArgument = { name: 'name', help: 'The profile', required: true, completes: 'profiles' } as const;
const anyProfile = { ...nameArgument, help: 'The profile (default: the current one)', required: false } as const;

/** From the argument or --profile. @throws UsageError for two different names */
function namedProfile({ args, options }: Invocation): string | undefined {
	const [name = options.profile] = args;
	if (options.profile === undefined || name === options.profile) return name;
	throw new UsageError(`the argument is ${name}, but --profile is ${options.profile}`);
}

export const list = defineCommand({
	arguments: [],
	options: [...pick(connectionOptions, 'profile'), ...outputOptions],
	async run(invocation) {
		const { context, options } = invocation;
		const store = readProfiles(invocation);
		const { profileName, chosenBy, leftOut } = readChoice(store, context, options);
		const rows = Object.entries(store.profiles).map(([name, profile]) => ({
			current: name === profileName,
			profile: name,
			// Edited by hand, it can be anything.
			base_url: profile.baseUrl === undefined ? null : redactBaseUrl(String(profile.baseUrl)),
			scheme: profile.scheme ?? 'basic',
			username: profile.username ?? null,
			stored_in: describeStore(profile.secret),
			protected: profile.protected === true,
			chosen_by: name === profileName ? chosenBy : null,
		}));
		if (rows.length === 0) say(invocation, 'No profiles yet. Create one: supportctl login');
		if (leftOut !== undefined)
			say(invocation, `Profile "${leftOut}" is not used: SUPPORTCTL_BASE_URL points to a different host.`);
		else if (profileName !== store.current) say(invocation, `Using "${profileName}" (${chosenBy}).`);
		const keys = columns.map(({ path }) => path);
		await printAll(invocation, { columns, keys, idOf: ({ profile }) => profile }, rows);
	},
});

const columns: readonly Column[] = [
	{ path: 'current', label: '', key: 'current', get: ({ current }) => (current === true ? '*' : '') },
	// It is typed again, so it is never cut.
	{ path: 'profile', whole: true },
	{ path: 'base_url', important: true, least: 16 },
	{ path: 'scheme', optional: true, usual: 'basic' },
	{ path: 'username' },
	{ path: 'stored_in' },
	{ path: 'protected', optional: true, usual: 'false' },
];

export const show = defineCommand({
	arguments: [anyProfile],
	options: [...connectionOptions, ...outputOptions],
	async run(invocation) {
		const { context, options, args } = invocation;
		// --format is how this command prints.
		const flags = { ...options, format: undefined, profile: namedProfile(invocation) };
		const setup = readSetup(context, flags);
		const { profileName, chosenBy = 'none chosen', settings, sources } = setup;
		warn(context, setup.warnings);
		const by = args[0] === undefined ? chosenBy : 'argument';
		const rows = [
			{ setting: 'profile', value: profileName ?? null, source: by },
			{ setting: 'config-file', value: setup.file, source: setup.exists ? 'exists' : 'not found' },
			...settingSpecs
				.filter(({ name }) => settings[name] !== undefined)
				.map(({ name, flag }) => ({
					setting: flag.slice(2),
					value: name === 'baseUrl' ? redactBaseUrl(String(settings[name])) : settings[name],
					source: `${sources[name].from} ${sources[name].name}`.trim(),
				})),
			describeSecret(setup),
		];
		await printAll(invocation, { keys: ['setting', 'value', 'source'], idOf: ({ setting }) => setting }, rows);
	},
});

export const path = defineCommand({
	arguments: [],
	options: outputOptions,
	async run(invocation) {
		const { context } = invocation;
		const config = configFolder(context);
		const row = { file: configFile(config), config, state: stateFolder(context) };
		if (asksForData(invocation)) {
			await printAll(invocation, { single: true, keys: Object.keys(row), idOf: ({ file }) => file }, [row]);
		} else context.stdout.write(`${row.file}\n`);
	},
});

export const set = defineCommand({
	arguments: [{ ...nameArgument, help: 'The profile; created if missing' }],
	options: [
		...allBut(connectionOptions, 'profile'),
		...guardDefaults,
		...runDefaults,
		...secretOptions,
		...allBut(outputOptions, 'format'),
	],
	run(invocation) {
		// --format is a setting here, not how this command prints.
		const printing = { ...invocation, options: { ...invocation.options, format: undefined } };
		return runChange(printing, ['profile', 'created', 'current', 'stored_in'], () => change(invocation));
	},
});

async function change(invocation: Invocation): Promise<ChangedProfile> {
	const { context, options: given } = invocation;
	const name = checkProfileName(invocation.args[0] ?? '');
	const before = readProfiles(invocation).profiles[name] ?? {};
	const settings = settingsIn(given, context.cwd);
	const names = (given.unset ?? []) as string[];
	const unset = settingSpecs.filter(({ flag }) => names.includes(flag.slice(2))).map((spec) => spec.name);
	const scheme = (settings.scheme ?? (unset.includes('scheme') ? 'basic' : before.scheme) ?? 'basic') as Scheme;
	const secret = await readGivenSecret(invocation, scheme);
	if (Object.keys(settings).length === 0 && unset.length === 0 && secret === undefined) {
		throw new UsageError('nothing to set', { hint: 'list the settings: supportctl profile set --help' });
	}
	const { baseUrl, allowHttp } = { ...before, ...settings };
	if (typeof baseUrl === 'string') {
		const from = given.baseUrl === undefined ? 'as stored' : '--base-url';
		const { url, warnings } = parseBaseUrl(baseUrl, { allowHttp: allowHttp === true, from });
		warn(context, warnings);
		settings.baseUrl = url;
	}
	const { created, isCurrent, ...changed } = await saveProfile({
		folder: configFolder(context),
		name,
		settings,
		unset,
		secret,
		insecureStorage: given.insecureStorage === true,
	});
	warn(context, changed.notices);
	const use = isCurrent ? ', the current one' : '';
	return {
		says: `${created ? 'Created' : 'Changed'} profile "${name}"${use}. Credentials were not verified.`,
		row: { profile: name, created, current: isCurrent, stored_in: describeStore(changed.secret) },
	};
}

export const use = defineCommand({
	arguments: [nameArgument],
	options: outputOptions,
	run: (invocation) =>
		changeProfiles(invocation, ['profile'], (store) => {
			const [name] = invocation.args;
			requireProfile(store, name);
			store.current = name;
			warn(invocation.context, overridesOf(invocation, name));
			return { says: `Profile "${name}" is now the current one.`, row: { profile: name } };
		}),
});

export const rename = defineCommand({
	arguments: [nameArgument, { name: 'new-name', help: 'The new name', required: true }],
	options: outputOptions,
	run: (invocation) =>
		changeProfiles(invocation, ['profile', 'renamed_from', 'current'], (store) => {
			const [from, name] = invocation.args;
			const profile = requireProfile(store, from);
			if (store.profiles[checkProfileName(name)] !== undefined) {
				const hint = `remove it first: supportctl profile remove ${name}`;
				throw new UsageError(`profile "${name}" already exists`, { code: 'profile_exists', hint });
			}
			store.profiles[name] = profile;
			delete store.profiles[from];
			if (store.current === from) store.current = name;
			const row = { profile: name, renamed_from: from, current: store.current === name };
			return { says: `Profile "${from}" is now "${name}".`, row };
		}),
});

export const remove = defineCommand({
	arguments: [nameArgument],
	options: [...pick(guardOptions, 'yes'), ...outputOptions],
	async run(invocation) {
		const { context, options } = invocation;
		const [name] = invocation.args;
		requireProfile(readStore(configFolder(context)).store, name);
		if (options.yes !== true) {
			const question = `Remove profile "${name}" and its stored secret?`;
			await askToConfirm(context, `remove profile "${name}"`, 'nothing was removed', question);
		}
		return changeProfiles(invocation, ['profile', 'was_current'], (store) => {
			requireProfile(store, name);
			delete store.profiles[name];
			const wasCurrent = store.current === name;
			if (wasCurrent) delete store.current;
			const isLast = Object.keys(store.profiles).length === 0;
			const next = wasCurrent && !isLast ? ' Choose a new current one: supportctl profile use NAME' : '';
			return {
				says: `Removed profile "${name}".${next}`,
				row: { profile: name, was_current: wasCurrent },
			};
		});
	},
});

export const logout = defineCommand({
	arguments: [{ ...anyProfile, name: 'profile' }],
	options: [
		{ flags: '--profile <name>', help: 'Same as the argument', group: 'Connection', completes: 'profiles' },
		...outputOptions,
	],
	run: (invocation) =>
		changeProfiles(invocation, ['profile', 'removed_from'], (store) => {
			const { context } = invocation;
			const name = namedProfile(invocation) ?? readVariable(context, 'PROFILE')?.value ?? store.current;
			if (name === undefined) {
				throw new UsageError('no current profile', { hint: 'use: supportctl logout PROFILE' });
			}
			const profile = requireProfile(store, name);
			const from = describeStore(profile.secret);
			const isStored = profile.secret !== undefined;
			delete profile.secret;
			const left = connectionVariables(context.env).filter((each) =>
				secretVariables.some((name) => each.startsWith(name)),
			);
			warn(
				context,
				left.map((each) => `${each} is still set and will be used`),
			);
			return {
				says: isStored
					? `Signed out of profile "${name}": removed its secret (${from}).`
					: `Profile "${name}" has no stored secret.`,
				row: { profile: name, removed_from: from },
			};
		}),
});

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

function changeProfiles(
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

/** Warns of variables that take precedence over the profile. */
export function overridesOf({ context: { env } }: Invocation, name: string): string[] {
	const chosen = ['SUPPORTCTL_PROFILE', 'SUPPORTCTL_PROFILE_FILE'].filter((each) => env[each] && env[each] !== name);
	const variables = [...chosen, ...connectionVariables(env)];
	if (variables.length === 0) return [];
	const override = variables.length === 1 ? 'overrides' : 'override';
	return [`${listed(variables)} ${override} profile "${name}" unless you pass --profile ${name}`];
}
