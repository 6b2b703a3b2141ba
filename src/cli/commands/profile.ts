/** `profile` and `logout`: what is stored, what is in force, and changes to it. Nothing is sent to the service. */

import { ExitCode, UsageError } from '../../errors.js';
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
const anyProfile = { ...nameArgument, help: 'The profile; by default the current one', required: false } as const;

export const list = defineCommand({
	description:
		'--profile, SUPPORTCTL_PROFILE or "supportctl profile use" choose the current profile; with --json, chosen_by shows which.',
	examples: {
		'supportctl profile list': 'a table',
		'supportctl profile list --field profile': 'bare names',
	},
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
			// The file may have been edited by hand, so that anything stands there.
			base_url: baseUrl === undefined ? null : redactBaseUrl(String(baseUrl)),
			scheme: scheme ?? 'basic',
			username: username ?? null,
			stored_in: describeStore(secret),
			protected: profile.protected === true,
			chosen_by: name === profileName ? (chosenBy ?? null) : null,
		}));
		if (rows.length === 0) say(invocation, 'No profile is stored yet: supportctl login makes one.');
		if (leftOut !== undefined) {
			say(invocation, `No profile is used: SUPPORTCTL_BASE_URL is on another host than profile "${leftOut}".`);
		} else if (profileName !== undefined && profileName !== current) {
			const otherwise = current === undefined ? 'none is' : `"${current}" is`;
			if (Object.hasOwn(profiles, profileName))
				say(invocation, `${chosenBy} chooses "${profileName}"; without it ${otherwise} the current one.`);
			else warn(context, [`${chosenBy} names the profile "${profileName}", which is not stored`]);
		}
		const shape: ResultShape = {
			keys: ['current', 'profile', 'base_url', 'scheme', 'username', 'stored_in', 'protected'],
			columns: [
				{ path: 'current', label: '', key: 'current', get: ({ current }) => (current === true ? '*' : '') },
				// The name is typed again.
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
	description:
		'A flag beats the environment, which beats the profile, which beats the default. The secret itself is never shown.',
	examples: {
		'supportctl profile show': 'the current profile',
		'supportctl profile show staging --json': 'another one, for a program',
	},
	arguments: [anyProfile],
	options: [...connectionOptions, ...outputOptions],
	async run(invocation) {
		const { context, options, args } = invocation;
		const { env, cwd } = context;
		// Two different names are refused; without an argument the usual order of choice holds.
		namedProfile(invocation);
		const flags = { ...connectionFlags(options), ...(args[0] !== undefined && { profile: args[0] }) };
		const setup = readSetup({ env, flags, cwd });
		const { profileName, chosenBy, settings, sources } = setup;
		warn(context, setup.warnings);
		const by = args[0] === undefined ? (chosenBy ?? 'none chosen') : 'argument';
		const rows = [
			{ setting: 'profile', value: profileName ?? null, source: by },
			{ setting: 'config-file', value: setup.file, source: setup.exists ? 'exists' : 'not there' },
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
		// The rows are of one thing, the profile, whose name is all that `--format ids` prints, unless rows are picked.
		const isId = chosenFormat(options) === 'ids' && options.fields === undefined && options.query === undefined;
		await printAll(invocation, shape, isId ? rows.slice(0, profileName === undefined ? 0 : 1) : rows);
		return ExitCode.ok;
	},
});

export const path = defineCommand({
	description: 'SUPPORTCTL_CONFIG_DIR and SUPPORTCTL_STATE_DIR choose other folders. The file need not exist yet.',
	examples: {
		'supportctl profile path': 'the file',
		'supportctl profile path --field state': 'the folder of journals',
	},
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
	description:
		'Credentials are not tried: "supportctl login" does that. A new host, user or scheme removes the old secret.',
	examples: {
		'supportctl profile set desk --protected --concurrency 8': 'defaults and guards',
		'supportctl profile set desk --password-stdin < password.txt': 'another password',
		'supportctl profile set desk --unset rate': 'back to the default',
	},
	arguments: [{ ...nameArgument, help: 'The profile; created if it does not exist' }],
	options: [
		...allBut(connectionOptions, 'profile'),
		...guardDefaults,
		...runDefaults,
		...options('Kept in the profile', [
			{ flags: '--unset <setting>', help: 'Forget a setting: timeout, ca-file …', repeatable: true },
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
				throw new UsageError(`--unset ${JSON.stringify(text)}: there is no such setting`, {
					hint: `there are ${names}`,
				});
			});
			const scheme = (settings.scheme ?? (unset.includes('scheme') ? 'basic' : before.scheme) ?? 'basic') as Scheme;
			const secret = await readGivenSecret(printing, scheme);
			if (Object.keys(settings).length === 0 && unset.length === 0 && secret === undefined) {
				const hint = 'supportctl profile set --help lists the settings';
				throw new UsageError('profile set: nothing to set', { hint });
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
			const use = isCurrent ? ' It is the current one.' : '';
			return {
				warnings: changed.notices,
				says: `Profile "${name}" was ${created ? 'created' : 'changed'}, without a check.${use}`,
				row: { profile: name, created, current: isCurrent, stored_in: describeStore(changed.secret) },
			};
		});
	},
});

export const use = defineCommand({
	examples: {
		'supportctl profile use staging': 'staging from now on',
		'supportctl ticket update 14 --status hold --profile live': 'another one, once',
	},
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
	description: 'Its settings and its secret stay as they are.',
	examples: {
		'supportctl profile rename default staging': 'the profile that login made',
		'supportctl profile rename live old-live': 'makes room for another one',
	},
	arguments: [nameArgument, { name: 'new-name', help: 'Its new name', required: true }],
	options: outputOptions,
	run: (invocation) =>
		changeProfiles(invocation, ['profile', 'renamed_from', 'current'], (store) => {
			const [from, name] = invocation.args;
			const profile = requireProfile(store, from);
			if (store.profiles[checkProfileName(name)] !== undefined) {
				const hint = `supportctl profile remove ${name} removes it`;
				throw new UsageError(`there is a profile "${name}" already`, { code: 'profile_exists', hint });
			}
			store.profiles[name] = profile;
			delete store.profiles[from];
			if (store.current === from) store.current = name;
			const row = { profile: name, renamed_from: from, current: store.current === name };
			return { says: `Profile "${from}" is now "${name}".`, row };
		}),
});

export const remove = defineCommand({
	description: 'Nothing changes at the service; "supportctl login" creates the profile again.',
	examples: {
		'supportctl profile remove staging': 'the profile and its password',
		'supportctl logout staging': 'only the password',
	},
	arguments: [nameArgument],
	options: outputOptions,
	run: (invocation) =>
		changeProfiles(invocation, ['profile', 'was_current'], (store) => {
			const [name] = invocation.args;
			requireProfile(store, name);
			delete store.profiles[name];
			const wasCurrent = store.current === name;
			if (wasCurrent) delete store.current;
			const isLast = Object.keys(store.profiles).length === 0;
			const next = !wasCurrent || isLast ? '' : ' It was the current one: supportctl profile use NAME chooses another.';
			return { says: `Profile "${name}" was removed.${next}`, row: { profile: name, was_current: wasCurrent } };
		}),
});

export const logout = defineCommand({
	description: 'The profile stays, with its base URL and settings; "supportctl profile remove" removes it too.',
	examples: {
		'supportctl logout': 'the current profile',
		'supportctl logout staging': 'another one',
	},
	arguments: [{ ...anyProfile, name: 'profile' }],
	options: [
		{ flags: '--profile <name>', help: 'The same as the argument', group: 'Connection', completes: 'profiles' },
		...outputOptions,
	],
	run: (invocation) =>
		changeProfiles(invocation, ['profile', 'removed_from'], (store) => {
			const name = namedProfile(invocation) ?? store.current;
			if (name === undefined) {
				throw new UsageError('there is no current profile', { hint: 'name one: supportctl logout PROFILE' });
			}
			const profile = requireProfile(store, name);
			const from = describeStore(profile.secret);
			delete profile.secret;
			const left = ['PASSWORD', 'PASSWORD_FILE', 'TOKEN', 'TOKEN_FILE'].map((each) => `SUPPORTCTL_${each}`);
			const set = left.filter((each) => invocation.context.env[each]);
			return {
				warnings: set.map((each) => `${each} is still set in the environment and will be used`),
				says:
					from === 'nowhere'
						? `Profile "${name}" had no secret stored.`
						: from === 'secret command'
							? `Signed out: the secret command of profile "${name}" was removed.`
							: `Signed out: the secret of profile "${name}" was removed from the ${from}.`,
				row: { profile: name, removed_from: from },
			};
		}),
});
