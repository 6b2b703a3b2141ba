/** `login`: finds the service, tries credentials until it accepts them, and stores both as a profile. */

import { FailedError, InterruptedError, RefusedError, UsageError } from '../../errors.js';
import type { Prompts } from '../../io/context.js';
import { makeAuth, readProxies, readScheme, readTls } from '../../profile/resolve.js';
import { checkSecret, describeStore, runSecretCommand, secretNoun } from '../../profile/secrets.js';
import {
	configFolder,
	type EnvironmentValue,
	isSameOrigin,
	parseBaseUrl,
	type ResolvedSettings,
	readVariable,
	resolveSettings,
	type Scheme,
	settings as settingTable,
	withoutConnection,
} from '../../profile/settings.js';
import { checkProfileName, type NewSecret, profileNameFor, type Store, saveProfile } from '../../profile/store.js';
import { defineCommand, type Invocation } from '../command.js';
import { leaveOnSignal } from '../interruption.js';
import { say, warn } from '../notices.js';
import { allBut } from '../options/option.js';
import { connectionFlags, connectionOptions, guardDefaults, outputOptions, secretOptions } from '../options/shared.js';
import { createProbe, findService, type Probed, trySignIn } from '../probe.js';
import {
	type Change,
	howToAllowHttp,
	impliedScheme,
	overridesOf,
	readGivenSecret,
	readStoreToChange,
	runChange,
	settingsIn,
} from '../profile-results.js';
import type { Reach } from '../session.js';

const KEYS = ['profile', 'base_url', 'scheme', 'username', 'stored_in', 'proved', 'note'];

export const command = defineCommand({
	arguments: [{ name: 'url', help: 'Base URL: the part before /support-api/v1', required: false }],
	options: [
		{ flags: '--no-input', help: 'Never prompt; fail if something is missing', group: 'Secret' },
		...secretOptions,
		...connectionOptions,
		...guardDefaults,
		...allBut(outputOptions, 'quiet'),
		{ flags: '-q, --quiet', help: 'Print only errors and warnings', group: 'Output' },
	],
	run: (invocation) => runChange(invocation, KEYS, () => signInAndStore(invocation)),
});

interface Login {
	invocation: Invocation;
	prompts: Prompts | undefined;
	store: Store;
	flags: Readonly<Record<string, unknown>>;
}

interface Found {
	baseUrl: string;
	name: string;
	resolved: ResolvedSettings;
	reach: Omit<Reach, 'baseUrl' | 'auth'>;
	scheme: Scheme;
	exported: EnvironmentValue | undefined;
	without: Probed;
}

const TRIES = 3;

/** @throws before anything is stored */
async function signInAndStore(invocation: Invocation): Promise<Change> {
	const { context, options, args } = invocation;
	if (options.profile !== undefined) checkProfileName(options.profile);
	if (args[0] !== undefined && options.baseUrl !== undefined) {
		throw new UsageError('pass the base URL once, as an argument or as --base-url');
	}
	const isPiped = options.passwordStdin === true || options.tokenStdin === true;
	const mayAsk = options.input !== false && !isPiped && context.prompts.available;
	const login: Login = {
		invocation,
		prompts: mayAsk ? context.prompts : undefined,
		store: readStoreToChange(invocation),
		flags: connectionFlags({
			...options,
			baseUrl: args[0] ?? options.baseUrl,
			scheme: options.scheme ?? impliedScheme(options),
		}),
	};
	const { found, accepted } = await findAndSignIn(login);
	const { name, baseUrl, scheme, reach } = found;
	const { note, username, headerName, secret } = accepted;
	const changed = await saveProfile({
		folder: configFolder(context),
		name,
		settings: settingsIn(
			{
				...login.flags,
				protected: options.protected,
				allowHttp: options.allowHttp ?? (reach.allowHttp || undefined),
				...{ baseUrl, scheme, username, headerName },
			},
			context.cwd,
		),
		secret,
		insecureStorage: options.insecureStorage === true,
		makeCurrent: true,
	});
	const storedIn = describeStore(changed.secret);
	const as = username === undefined ? '' : ` as ${username}`;
	const preposition = changed.secret?.store === 'command' ? 'from' : 'in';
	const where = changed.secret === undefined ? '' : `, ${secretNoun(scheme)} ${preposition} the ${storedIn}`;
	return {
		warnings: [...changed.notices, ...(note === undefined ? [] : [note]), ...overridesOf(invocation, name)],
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

async function findAndSignIn(login: Login) {
	const unlisten = leaveOnSignal(login.invocation, 'nothing was stored');
	try {
		const found = await locate(login, await firstBaseUrl(login));
		return { found, accepted: await signIn(login, found) };
	} catch (error) {
		if (!(error instanceof InterruptedError)) throw error;
		throw new InterruptedError('canceled; nothing was stored');
	} finally {
		unlisten();
	}
}

/** Never from a variable. */
async function firstBaseUrl(login: Login): Promise<string> {
	const { flags, prompts, store, invocation } = login;
	if (typeof flags.baseUrl === 'string') return readBaseUrl(login, flags.baseUrl);
	const name = invocation.options.profile ?? store.current ?? '';
	const stored = store.profiles[name]?.baseUrl;
	const initial = typeof stored === 'string' ? stored : undefined;
	if (prompts === undefined) {
		if (initial !== undefined) return readBaseUrl(login, initial, `profile "${name}"`);
		throw new UsageError('missing help desk address', {
			hint: 'use: supportctl login https://desk.example.com/wp-json',
		});
	}
	for (;;) {
		const typed = await prompts.text('Help desk address:', { initial });
		try {
			return await readBaseUrl(login, typed);
		} catch (error) {
			if (!(error instanceof UsageError)) throw error;
			warn(invocation.context, [`${error.message}; ${error.hint}`]);
		}
	}
}

async function readBaseUrl(login: Login, text: string, from?: string): Promise<string> {
	const { invocation, prompts } = login;
	const { productPrefix } = invocation.options;
	try {
		const rules = { allowHttp: mayUseHttp(login, text), howToAllowHttp, from, productPrefix };
		const { url, warnings } = parseBaseUrl(text, rules);
		warn(invocation.context, warnings);
		return url;
	} catch (error) {
		const suggested = error instanceof UsageError ? error.data.suggested : undefined;
		if (prompts === undefined || typeof suggested !== 'string') throw error;
		// Nothing secret is sent before the service is found there.
		if (!(await prompts.confirm(`Did you mean ${suggested}?`, true))) throw error;
		return readBaseUrl(login, suggested, from);
	}
}

/** By flag, or because the profile allows it for this origin. */
function mayUseHttp({ store, invocation }: Login, url: string): boolean {
	const { profile: name = store.current ?? '', allowHttp: given } = invocation.options;
	if (typeof given === 'boolean') return given;
	const stored = store.profiles[name];
	return stored?.allowHttp === true && isSameOrigin(stored.baseUrl, url);
}

/** Looks for the service without credentials. Variables count only if no one can be asked and they are for this base URL. */
async function locate(login: Login, baseUrl: string): Promise<Found> {
	const { invocation, prompts, store, flags } = login;
	const { context, options } = invocation;
	const { env, cwd } = context;
	// SUPPORTCTL_PROFILE never makes a login overwrite a profile for a different host.
	const variable = readVariable(env, 'PROFILE', cwd)?.value;
	const own = store.profiles[variable ?? '']?.baseUrl;
	const isFree = variable !== undefined && (typeof own !== 'string' || isSameOrigin(own, baseUrl));
	const usual = isFree ? checkProfileName(variable) : profileNameFor(store, baseUrl);
	const name = options.profile ?? usual;
	const known = store.profiles[name];
	const exported = readVariable(env, 'BASE_URL', cwd)?.value;
	const isMeant = exported === undefined || isSameOrigin(exported, baseUrl);
	const isNamed = store.profiles[options.profile ?? ''] !== undefined;
	const resolved = resolveSettings({
		flags: { ...flags, baseUrl },
		env: prompts === undefined && isMeant && !isNamed ? env : withoutConnection(env),
		cwd,
		profile: { name, values: known ?? {}, file: 'config.json' },
	});
	const { settings, sources } = resolved;
	const warnings: string[] = [];
	const tls = readTls(resolved, warnings);
	const reach = { settings, tls, proxy: readProxies(env), allowHttp: mayUseHttp(login, baseUrl) };
	const probe = createProbe(invocation, reach, settings.username);
	const { without, found, problem } = await findService(baseUrl, probe, 'supportctl login');
	if (problem !== undefined) {
		const error = new FailedError(problem.message, problem);
		if (prompts === undefined || found === undefined) throw error;
		say(invocation, `${problem.message}.`);
		if (!(await prompts.confirm(`Found the service at ${found}. Use it?`, true))) throw error;
		return locate(login, await readBaseUrl(login, found));
	}
	warn(context, warnings);
	let { scheme, given } = readScheme(resolved);
	const isDecided =
		sources.scheme.from !== 'default' ||
		flags.username !== undefined ||
		options.secretCommand !== undefined ||
		known !== undefined;
	if (prompts !== undefined && !isDecided) scheme = await prompts.choice('How do you sign in?', WAYS, scheme);
	return { baseUrl, name, resolved, reach, scheme, exported: given, without };
}

const WAYS: readonly { value: Scheme; label: string }[] = [
	{ value: 'basic', label: 'Username and application password' },
	{ value: 'bearer', label: 'Bearer token' },
	{ value: 'header', label: 'Custom header' },
	{ value: 'none', label: 'No sign-in' },
];

/** Until the service accepts them or the person gives up. */
async function signIn(login: Login, found: Found) {
	const { invocation } = login;
	const { scheme, baseUrl, reach, without } = found;
	const identity = await readIdentity(login, found);
	const probe = createProbe(invocation, reach, identity.username);
	if (scheme === 'none') {
		const doubt = await trySignIn(probe, baseUrl, { auth: { scheme } }, without);
		return { ...identity, secret: undefined, note: doubt?.note };
	}
	makeAuth(scheme, identity, '');
	for (let tries = 1; ; tries++) {
		const given = await readSecret(login, found, scheme);
		try {
			const auth = makeAuth(scheme, identity, checkSecret(scheme, given.value, given.source));
			const doubt = await trySignIn(probe, baseUrl, { auth, source: given.source }, without);
			return { ...identity, secret: given.secret, note: doubt?.note };
		} catch (error) {
			const isRefusal =
				error instanceof RefusedError || (error instanceof UsageError && error.code === 'invalid_secret');
			if (!isRefusal || !given.isTyped || tries === TRIES) throw error;
			const hint = error.hint === undefined ? '' : `; ${error.hint}`;
			warn(invocation.context, [`${error.message}${hint}. Try again, or press Ctrl-C to stop`]);
		}
	}
}

/** Asked for once, whatever becomes of the secret. */
async function readIdentity({ prompts }: Login, { scheme, resolved }: Found) {
	const { settings, sources } = resolved;
	let { username, headerName } = settings;
	if (prompts !== undefined && scheme === 'basic' && sources.username.from !== 'flag') {
		username = await prompts.text('Username:', {
			initial: username,
			check: (text) => /^[^:]+$/.test(text) || 'enter a username without a colon',
		});
	}
	if (prompts !== undefined && scheme === 'header' && headerName === undefined) {
		const { read, expected } = settingTable.headerName;
		headerName = await prompts.text('Header name:', {
			check: (text) => read(text) !== undefined || `enter ${expected}`,
		});
	}
	return { username, headerName };
}

interface GivenSecret {
	secret: NewSecret;
	value: string;
	source: string;
	isTyped: boolean;
}

/** @throws UsageError, RefusedError */
async function readSecret({ prompts, invocation }: Login, found: Found, scheme: Scheme): Promise<GivenSecret> {
	const { name, exported, resolved } = found;
	const noun = secretNoun(scheme);
	const given = await readGivenSecret(invocation, scheme);
	if (given?.kind === 'command') {
		const value = await runSecretCommand(given.command, { env: resolved.env, owner: `profile "${name}"` });
		return { secret: given, value, source: 'the secret command', isTyped: false };
	}
	const piped = given?.value ?? exported?.value;
	if (piped !== undefined) {
		const source = given === undefined && exported !== undefined ? exported.name : 'stdin';
		return { secret: { kind: 'value', value: piped }, value: piped, source, isTyped: false };
	}
	if (prompts === undefined) {
		throw new UsageError(`missing ${noun}`, {
			hint: 'pipe it in with --password-stdin, or pass --secret-command',
		});
	}
	if (scheme === 'basic') {
		say(invocation, 'Use an application password. In most help desks you create one under Users > Profile.');
	}
	const label = scheme === 'basic' ? 'Application password' : `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
	let value = '';
	while (value === '') value = await prompts.secret(`${label} (hidden):`);
	return { secret: { kind: 'value', value }, value, source: 'the prompt', isTyped: true };
}
