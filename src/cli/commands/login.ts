/** `login`: finds the service, tries credentials until it accepts them, and stores both as a profile. */

import { ExitCode, SupportctlError, UsageError } from '../../errors.js';
import type { Prompts } from '../../io/context.js';
import { findService, trySignIn } from '../../profile/probe.js';
import { anonymous, makeAuth, readProxies, readScheme, readTls } from '../../profile/resolve.js';
import { checkSecret, describeStore, fetchSecret, type StoredSecret } from '../../profile/secrets.js';
import {
	configFolder,
	type Flags,
	isSameOrigin,
	parseBaseUrl,
	readVariable,
	resolveSettings,
	schemes,
	withoutConnection,
	withScheme,
} from '../../profile/settings.js';
import { checkProfileName, profileNameFor, type Store, saveProfile } from '../../profile/store.js';
import { capitalized } from '../../text.js';
import { defineCommand, type Invocation } from '../command.js';
import { leaveOnSignal } from '../interruption.js';
import { say, warn } from '../notices.js';
import { connectionOptions, guardDefaults, outputOptions, secretOptions } from '../options/shared.js';
import { createProbe } from '../session.js';
import { type ChangedProfile, overridesOf, readGivenSecret, readProfiles, runChange, settingsIn } from './profile.js';

const KEYS = ['profile', 'base_url', 'scheme', 'username', 'stored_in', 'proved', 'note'];

export const command = defineCommand({
	arguments: [{ name: 'url', help: 'Base URL: the part before /support-api/v1', required: false }],
	options: [
		{ flags: '--no-input', help: 'Never prompt; fail if something is missing', group: 'Secret' },
		...secretOptions,
		...connectionOptions,
		...guardDefaults,
		...outputOptions,
	],
	run: (invocation) => runChange(invocation, KEYS, () => signInAndStore(invocation)),
});

/** What stays while different base URLs and credentials are tried. */
interface Login {
	invocation: Invocation;
	/** Undefined if nobody can be asked. */
	prompts: Prompts | undefined;
	store: Store;
	flags: Flags;
}

const TRIES = 3;

async function signInAndStore(invocation: Invocation): Promise<ChangedProfile> {
	const login = openLogin(invocation);
	const unlisten = leaveOnSignal(invocation, 'nothing was stored');
	const place = await locate(login, await readBaseUrl(login));
	const signedIn = await signIn(login, place);
	unlisten();
	return await saveLogin(login, place, signedIn);
}

/** Reads flags and stored profiles before anything is asked. @throws UsageError */
function openLogin(invocation: Invocation): Login {
	const { context, options, args } = invocation;
	if (options.profile !== undefined) checkProfileName(options.profile);
	if (args[0] !== undefined && options.baseUrl !== undefined) {
		throw new UsageError('pass the base URL once, as an argument or as --base-url');
	}
	const mayAsk = options.input !== false && options.passwordStdin !== true && context.prompts.available;
	return {
		invocation,
		prompts: mayAsk ? context.prompts : undefined,
		store: readProfiles(invocation),
		// --format is how this command prints.
		flags: { ...options, baseUrl: args[0] ?? options.baseUrl, format: undefined },
	};
}

async function saveLogin({ invocation, flags }: Login, place: Place, signedIn: SignedIn): Promise<ChangedProfile> {
	const { context, options } = invocation;
	const { name, baseUrl, settings } = place;
	const { scheme, username, secret, note } = signedIn;
	const { allowHttp = place.allowHttp || undefined } = options;
	const given = { ...flags, username, headerName: settings.headerName, baseUrl, scheme, allowHttp };
	const changed = await saveProfile({
		folder: configFolder(context),
		name,
		settings: settingsIn(given, context.cwd),
		secret,
		insecureStorage: options.insecureStorage === true,
		makeCurrent: true,
	});
	warn(context, [...changed.notices, ...(note === undefined ? [] : [note]), ...overridesOf(invocation, name)]);
	const as = username === undefined ? '' : ` as ${username}`;
	const storedIn = describeStore(changed.secret);
	const preposition = changed.secret?.store === 'command' ? 'from' : 'in';
	const where = changed.secret === undefined ? '' : `, ${schemes[scheme].secret} ${preposition} the ${storedIn}`;
	return {
		says: `Signed in to ${baseUrl}${as}. Saved as the current profile, "${name}"${where}.`,
		row: {
			profile: name,
			base_url: baseUrl,
			scheme,
			username: username ?? null,
			stored_in: storedIn,
			proved: note === undefined,
			note: note ?? null,
		},
	};
}

/** SUPPORTCTL_BASE_URL never counts: it may be for a different service. */
async function readBaseUrl(login: Login): Promise<string> {
	const { flags, prompts, store, invocation } = login;
	const stored = store.profiles[invocation.options.profile ?? store.current ?? '']?.baseUrl;
	const initial = typeof stored === 'string' ? stored : undefined;
	if (typeof flags.baseUrl === 'string') return flags.baseUrl;
	if (prompts !== undefined) {
		const check = (text: string): true | string => {
			try {
				parse(login, withScheme(text));
				return true;
			} catch (error) {
				const { message, hint } = error as UsageError;
				return hint === undefined ? message : `${message}; ${hint}`;
			}
		};
		return withScheme(await prompts.text('Help desk address:', { initial, check }));
	}
	if (initial !== undefined) return initial;
	const hint = 'use: supportctl login https://desk.example.com/wp-json';
	throw new UsageError('missing help desk address', { hint });
}

/** http:// may be used by flag, or because the profile allows it for this origin. @throws UsageError */
function parse({ store, invocation }: Login, text: string) {
	const { profile: name = store.current ?? '', allowHttp: given } = invocation.options;
	const { baseUrl, allowHttp: stored } = store.profiles[name] ?? {};
	const allowHttp = typeof given === 'boolean' ? given : stored === true && isSameOrigin(baseUrl, text);
	return { ...parseBaseUrl(text, { allowHttp }), allowHttp };
}

type Place = Awaited<ReturnType<typeof locate>>;

/**
 * Looks for the service without credentials. Variables count only if no one can be asked and they are for this base URL.
 * @returns the profile to change, and the settings in force
 */
async function locate(login: Login, text: string) {
	const { invocation, prompts, store, flags } = login;
	const { context } = invocation;
	const { profile } = invocation.options;
	const { url: baseUrl, allowHttp, warnings } = parse(login, text);
	const name = profile ?? profileNameFor(store, baseUrl, readVariable(context, 'PROFILE')?.value);
	const exported = readVariable(context, 'BASE_URL')?.value;
	const isMeant = exported === undefined || isSameOrigin(exported, baseUrl);
	const isNamed = store.profiles[profile ?? ''] !== undefined;
	const env = prompts === undefined && isMeant && !isNamed ? context.env : withoutConnection(context.env);
	const stored = { name, values: store.profiles[name] ?? {}, file: 'config.json' };
	const resolved = resolveSettings({ env, cwd: context.cwd }, { ...flags, baseUrl }, stored);
	const { tls, warnings: ofKey } = readTls(resolved);
	warn(context, [...warnings, ...ofKey]);
	const reach = { ...resolved, tls, proxy: readProxies(env), allowHttp };
	const { without, found, problem } = await findService(baseUrl, createProbe(invocation, reach));
	if (problem === undefined) return { ...reach, baseUrl, name, without };
	if (prompts === undefined || found === undefined) throw problem;
	say(invocation, `${problem.message}.`);
	if (!(await prompts.confirm(`Found the API at ${found}. Use it?`, true))) throw problem;
	return locate(login, found);
}

const PROMPT = 'the prompt';

type SignedIn = Awaited<ReturnType<typeof signIn>>;

/** Asks again after a wrong secret, not for the rest. */
async function signIn(login: Login, place: Place) {
	const { invocation, prompts } = login;
	const { name, env, baseUrl, without, sources } = place;
	const exported = readScheme(place);
	const { scheme } = exported;
	let { username } = place.settings;
	if (prompts !== undefined && schemes[scheme].sentWith?.setting === 'username' && sources.username.from !== 'flag') {
		const check = (text: string) => /^[^:]+$/.test(text) || 'enter a username without a colon';
		username = await prompts.text('Username:', { initial: username, check });
	}
	const settings = { ...place.settings, username };
	const probe = createProbe(invocation, { ...place, settings });
	if (scheme === 'none') {
		const doubt = await trySignIn(probe, baseUrl, anonymous, without);
		return { scheme, username, secret: undefined, note: doubt?.note };
	}
	makeAuth(scheme, settings, '');
	for (let tries = 1; ; tries++) {
		const { secret, source } = await readSecret(login, exported);
		const value = await fetchSecret(secret, env, name);
		try {
			const auth = makeAuth(scheme, settings, checkSecret(scheme, value, source));
			const doubt = await trySignIn(probe, baseUrl, { auth, secretSource: source }, without);
			return { scheme, username, secret, note: doubt?.note };
		} catch (error) {
			const isLast = source !== PROMPT || tries === TRIES;
			if (isLast || !(error instanceof SupportctlError)) throw error;
			if (error.exitCode !== ExitCode.refused && error.exitCode !== ExitCode.usage) throw error;
			const hint = error.hint === undefined ? '' : `; ${error.hint}`;
			warn(invocation.context, [`${error.message}${hint}. Try again, or press Ctrl-C`]);
		}
	}
}

/** From a flag, the environment or a prompt. @throws UsageError */
async function readSecret(
	{ prompts, invocation }: Login,
	{ scheme, value: exported, source }: ReturnType<typeof readScheme>,
): Promise<{ secret: StoredSecret; source: string }> {
	const given = await readGivenSecret(invocation, scheme);
	if (given !== undefined) return { secret: given, source: given.store === 'command' ? 'the secret command' : 'stdin' };
	if (exported !== undefined) return { secret: { store: 'file', value: exported }, source };
	const noun = schemes[scheme].secret;
	if (prompts === undefined) {
		throw new UsageError(`missing ${noun}`, { hint: 'pipe it in with --password-stdin, or pass --secret-command' });
	}
	if (scheme === 'basic') {
		say(invocation, 'Use an application password. In most help desks you create one under Users > Profile.');
	}
	const label = scheme === 'basic' ? 'Application password' : capitalized(noun);
	return { secret: { store: 'file', value: await prompts.secret(`${label} (hidden):`) }, source: PROMPT };
}
