/** `profile` and `logout`: nothing is sent to the service. */

import { ExitCode, UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { redactBaseUrl } from '../../output/redact.js';
import { describeSecret, readChoice, readSetup } from '../../profile/resolve.js';
import { describeStore } from '../../profile/secrets.js';
import { configFolder, parseBaseUrl, type Scheme, settingSpecs, stateFolder } from '../../profile/settings.js';
import { checkProfileName, configFile, readStore, requireProfile, saveProfile } from '../../profile/store.js';
import { defineCommand } from '../command.js';
import { say, warn } from '../notices.js';
import { allBut, options, pick } from '../options/option.js';
import {
	connectionFlags,
	connectionOptions,
	guardDefaults,
	guardOptions,
	outputOptions,
	runDefaults,
	secretOptions,
} from '../options/shared.js';
import {
	asksForData,
	changeProfiles,
	howToAllowHttp,
	impliedScheme,
	namedProfile,
	overridesOf,
	readGivenSecret,
	readStoreToChange,
	runChange,
	settingsIn,
} from '../profile-results.js';
import { chosenFormat, printAll, type ResultShape } from '../results.js';

const nameArgument = { name: 'name', help: 'The profile', required: true, completes: 'profiles' } as const;
const anyProfile = { ...nameArgument, help: 'The profile (default: the current one)', required: false } as const;

export const list = defineCommand({
	arguments: [],
	options: [...pick(connectionOptions, 'profile'), ...outputOptions],
	async run(invocation) {
		const { context, options } = invocation;
		const { env, cwd } = context;
		const { store, warnings } = readStore(configFolder(context));
		const { profiles, current } = store;
		const { profileName, chosenBy, leftOut } = readChoice(store, { env, flags: connectionFlags(options), cwd });
		warn(context, warnings);
		const rows = Object.entries(profiles).map(([name, { baseUrl, scheme, username, secret, ...profile }]) => ({
			current: name === profileName,
			profile: name,
			// Edited by hand, it can be anything.
			base_url: baseUrl === undefined ? null : redactBaseUrl(String(baseUrl)),
			scheme: scheme ?? 'basic',
			username: username ?? null,
			stored_in: describeStore(secret),
			protected: profile.protected === true,
			chosen_by: name === profileName ? (chosenBy ?? null) : null,
		}));
		if (rows.length === 0) say(invocation, 'No profiles yet. Create one: supportctl login');
		if (leftOut !== undefined) {
			say(invocation, `No profile in use: SUPPORTCTL_BASE_URL is a different host than profile "${leftOut}".`);
		} else if (profileName !== undefined && profileName !== current) {
			const instead = current === undefined ? '' : ` instead of "${current}"`;
			if (Object.hasOwn(profiles, profileName)) say(invocation, `Using "${profileName}"${instead} (${chosenBy}).`);
			else warn(context, [`profile "${profileName}" not found (${chosenBy})`]);
		}
		const shape: ResultShape = {
			keys: ['current', 'profile', 'base_url', 'scheme', 'username', 'stored_in', 'protected'],
			columns: [
				{ path: 'current', label: '', key: 'current', get: ({ current }) => (current === true ? '*' : '') },
				{ path: 'profile', whole: true },
				{ path: 'base_url', important: true, least: 16 },
				{ path: 'scheme', optional: true, usual: 'basic' },
				{ path: 'username' },
				{ path: 'stored_in' },
				{ path: 'protected', optional: true, usual: 'false' },
			],
			idOf: ({ profile }) => profile,
		};
		await printAll(invocation, shape, rows);
		return ExitCode.ok;
	},
});

export const show = defineCommand({
	arguments: [anyProfile],
	options: [...connectionOptions, ...outputOptions],
	async run(invocation) {
		const { context, options, args } = invocation;
		const { env, cwd } = context;
		// Fails for two different names.
		namedProfile(invocation);
		const flags = { ...connectionFlags(options), ...(args[0] !== undefined && { profile: args[0] }) };
		const setup = readSetup({ env, flags, cwd });
		const { profileName, chosenBy, settings, sources } = setup;
		warn(context, setup.warnings);
		const by = args[0] === undefined ? (chosenBy ?? 'none chosen') : 'argument';
		const rows = [
			{ setting: 'profile', value: profileName ?? null, source: by },
			{ setting: 'config-file', value: setup.file, source: setup.exists ? 'exists' : 'not found' },
			...settingSpecs
				.filter(({ name }) => settings[name] !== undefined)
				.map(({ name, flag }) => ({
					setting: flag.slice(2),
					value: name === 'baseUrl' ? redactBaseUrl(settings[name] as string) : settings[name],
					source: [sources[name].from, sources[name].name].filter(Boolean).join(' '),
				})),
			describeSecret(setup),
		];
		const shape: ResultShape = {
			keys: ['setting', 'value', 'source'],
			idOf: ({ setting, value }) => (setting === 'profile' ? value : setting),
		};
		// All rows are about one profile.
		const isId = chosenFormat(options) === 'ids' && options.fields === undefined && options.query === undefined;
		await printAll(invocation, shape, isId ? rows.slice(0, profileName === undefined ? 0 : 1) : rows);
		return ExitCode.ok;
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
		return ExitCode.ok;
	},
});

export const set = defineCommand({
	arguments: [{ ...nameArgument, help: 'The profile; created if missing' }],
	options: [
		...allBut(connectionOptions, 'profile'),
		...guardDefaults,
		...runDefaults,
		...options('Kept in the profile', [
			{ flags: '--unset <setting>', help: 'Reset a setting to its default', repeatable: true },
		]),
		...secretOptions,
		...allBut(outputOptions, 'format'),
	],
	run(invocation) {
		const { context, options: given } = invocation;
		// --format is a setting here, not how this command prints.
		const printing = { ...invocation, options: { ...given, format: undefined } };
		return runChange(printing, ['profile', 'created', 'current', 'stored_in'], async () => {
			const name = checkProfileName(invocation.args[0]);
			const before = readStoreToChange(printing).profiles[name] ?? {};
			const implied = impliedScheme(given);
			const settings = settingsIn({ ...given, ...(implied && { scheme: implied }) }, context.cwd);
			const unset = (given.unset ?? []).map((text) => {
				const spec = settingSpecs.find((each) => each.flag === `--${text.replace(/^--/, '')}` || each.name === text);
				if (spec !== undefined) return spec.name;
				const names = settingSpecs.map((each) => each.flag.slice(2)).join(', ');
				throw new UsageError(`--unset ${JSON.stringify(text)}: unknown setting`, {
					hint: `settings: ${names}`,
				});
			});
			const scheme = (settings.scheme ?? (unset.includes('scheme') ? 'basic' : before.scheme) ?? 'basic') as Scheme;
			const secret = await readGivenSecret(printing, scheme);
			if (Object.keys(settings).length === 0 && unset.length === 0 && secret === undefined) {
				const hint = 'list the settings: supportctl profile set --help';
				throw new UsageError('nothing to set', { hint });
			}
			const after = { ...before, ...settings };
			if (typeof after.baseUrl === 'string') {
				const { url, warnings } = parseBaseUrl(after.baseUrl, {
					allowHttp: after.allowHttp === true,
					howToAllowHttp,
					from: given.baseUrl === undefined ? 'as stored' : '--base-url',
					...(typeof after.productPrefix === 'string' && { productPrefix: after.productPrefix }),
				});
				warn(context, warnings);
				if (!unset.includes('baseUrl')) settings.baseUrl = url;
			}
			const changed = await saveProfile({
				folder: configFolder(context),
				name,
				settings,
				unset,
				secret,
				insecureStorage: given.insecureStorage === true,
			});
			const { created, isCurrent } = changed;
			const use = isCurrent ? ', the current one' : '';
			return {
				warnings: changed.notices,
				says: `${created ? 'Created' : 'Changed'} profile "${name}"${use}. Credentials were not verified.`,
				row: { profile: name, created, current: isCurrent, stored_in: describeStore(changed.secret) },
			};
		});
	},
});

export const use = defineCommand({
	arguments: [nameArgument],
	options: outputOptions,
	run: (invocation) =>
		changeProfiles(invocation, ['profile'], (store) => {
			const [name] = invocation.args;
			requireProfile(store, name);
			store.current = name;
			const says = `Profile "${name}" is now the current one.`;
			return { warnings: overridesOf(invocation, name), says, row: { profile: name } };
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
		const { context, args, options } = invocation;
		const [name] = args;
		requireProfile(readStore(configFolder(context)).store, name);
		if (options.yes !== true) await confirmRemoval(context, name);
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

async function confirmRemoval({ prompts }: Context, name: string): Promise<void> {
	if (!prompts.available) {
		const message = `refusing to remove profile "${name}" without confirmation; pass --yes`;
		throw new UsageError(message, { code: 'needs_yes' });
	}
	if (await prompts.confirm(`Remove profile "${name}" and its stored secret?`)) return;
	throw new UsageError('canceled; nothing was removed', { code: 'cancelled' });
}

export const logout = defineCommand({
	arguments: [{ ...anyProfile, name: 'profile' }],
	options: [
		{ flags: '--profile <name>', help: 'Same as the argument', group: 'Connection', completes: 'profiles' },
		...outputOptions,
	],
	run: (invocation) =>
		changeProfiles(invocation, ['profile', 'removed_from'], (store) => {
			const name = namedProfile(invocation) ?? store.current;
			if (name === undefined) {
				throw new UsageError('no current profile', { hint: 'use: supportctl logout PROFILE' });
			}
			const profile = requireProfile(store, name);
			const from = describeStore(profile.secret);
			delete profile.secret;
			const left = ['PASSWORD', 'PASSWORD_FILE', 'TOKEN', 'TOKEN_FILE'].map((each) => `SUPPORTCTL_${each}`);
			const set = left.filter((each) => invocation.context.env[each]);
			return {
				warnings: set.map((each) => `${each} is still set and will be used`),
				says:
					from === 'nowhere'
						? `Profile "${name}" has no stored secret.`
						: `Signed out of profile "${name}": removed its secret (${from}).`,
				row: { profile: name, removed_from: from },
			};
		}),
});
