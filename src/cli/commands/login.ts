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
import { checkProfileName, profileNameFor, type Store, saveProfile } from '../../profile/store.js';
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
	description:
		'The credentials are checked with POST /users/username, which changes nothing. The secret is stored in the system keyring where there is one, else in the profile file, which only you can read.',
	examples: {
		'supportctl login https://desk.example.com/wp-json': 'asks for the rest',
		'pass desk | supportctl login --base-url https://desk.example.com/wp-json --username anna --password-stdin --no-input':
			'asks for nothing',
		"supportctl login --profile ci --base-url https://desk.example.com/wp-json --username bot --secret-command 'pass show desk'":
			'stores a command that prints the secret',
	},
	arguments: [
		{ name: 'url', help: "The service's base URL: what comes before /support-api/v1; or --base-url", required: false },
	],
	options: [
		{ flags: '--no-input', help: 'Never ask; what is missing is an error', group: 'Secret' },
		...secretOptions,
		...connectionOptions,
		...guardDefaults,
		...allBut(outputOptions, 'quiet'),
		{ flags: '-q, --quiet', help: 'Print only errors and warnings', group: 'Output' },
	],
	run: (invocation) => runChange(invocation, KEYS, () => signInAndStore(invocation)),
});

/** What stays the same while different base URLs and credentials are tried. */
interface Login {
	invocation: Invocation;
	/** Undefined where no one can be asked. */
	prompts: Prompts | undefined;
	store: Store;
	flags: Readonly<Record<string, unknown>>;
}

/** A base URL at which the service was found, and what follows from it. */
interface Found {
	baseUrl: string;
	/** The profile that it will be stored as. */
	name: string;
	resolved: ResolvedSettings;
	reach: Omit<Reach, 'baseUrl' | 'auth'>;
	scheme: Scheme;
	/** The secret of the environment. */
	exported: EnvironmentValue | undefined;
	/** The response without credentials. */
	without: Probed;
}

const TRIES = 3;

/** @throws UsageError, FailedError, RefusedError, InterruptedError; nothing is stored then */
async function signInAndStore(invocation: Invocation): Promise<Change> {
	const { context, options, args } = invocation;
	if (options.profile !== undefined) checkProfileName(options.profile);
	if (args[0] !== undefined && options.baseUrl !== undefined) {
		throw new UsageError('the base URL is given twice: as an argument and as --base-url');
	}
	const asks = options.input !== false && options.passwordStdin !== true && options.tokenStdin !== true;
	const given = { ...options, baseUrl: args[0] ?? options.baseUrl, scheme: options.scheme ?? impliedScheme(options) };
	const login: Login = {
		invocation,
		prompts: asks && context.prompts.available ? context.prompts : undefined,
		store: readStoreToChange(invocation),
		flags: connectionFlags(given),
	};
	const unlisten = leaveOnSignal(invocation, 'nothing was stored');
	let found: Found;
	let accepted: Awaited<ReturnType<typeof signIn>>;
	try {
		found = await locate(login, await firstBaseUrl(login));
		accepted = await signIn(login, found);
	} catch (error) {
		if (error instanceof InterruptedError) throw new InterruptedError('interrupted; nothing was stored');
		throw error;
	} finally {
		unlisten();
	}
	const { name, baseUrl, scheme, reach } = found;
	const { note, username, headerName, secret } = accepted;
	const allowHttp = options.allowHttp ?? (reach.allowHttp || undefined);
	const kept = { ...login.flags, protected: options.protected, allowHttp, baseUrl, scheme, username, headerName };
	const changed = await saveProfile({
		folder: configFolder(context),
		name,
		settings: settingsIn(kept, context.cwd),
		secret,
		insecureStorage: options.insecureStorage === true,
		makeCurrent: true,
	});
	const storedIn = describeStore(changed.secret);
	const as = username === undefined ? '' : ` as ${username}`;
	const preposition = changed.secret?.store === 'command' ? 'from' : 'in';
	const where = changed.secret === undefined ? '' : `, with the ${secretNoun(scheme)} ${preposition} the ${storedIn}`;
	return {
		warnings: [...changed.notices, ...(note === undefined ? [] : [note]), ...overridesOf(invocation, name)],
		says: `Signed in to ${baseUrl}${as}. Profile "${name}" was saved${where}, and is now the current one.`,
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

/** The base URL from the command line, a person, or the profile that is signed in to again; never from a variable. */
async function firstBaseUrl(login: Login): Promise<string> {
	const { flags, prompts, store, invocation } = login;
	if (typeof flags.baseUrl === 'string') return readBaseUrl(login, flags.baseUrl, 'as given');
	const name = invocation.options.profile ?? store.current ?? '';
	const stored = store.profiles[name]?.baseUrl;
	const initial = typeof stored === 'string' ? { initial: stored } : {};
	if (prompts !== undefined) {
		const question = 'Base URL (what comes before /support-api/v1):';
		return readBaseUrl(login, await prompts.text(question, initial), 'as typed');
	}
	if (typeof stored === 'string') return readBaseUrl(login, stored, `profile "${name}"`);
	throw new UsageError("no base URL is given, and login can't ask for it", {
		hint: 'name it: supportctl login https://desk.example.com/wp-json',
	});
}

/** Checks a base URL; where another can be suggested, a person is asked, and otherwise the error names it. */
async function readBaseUrl(login: Login, text: string, from: string): Promise<string> {
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
		if (!(await prompts.confirm(`Did you mean ${suggested}?`))) throw error;
		return readBaseUrl(login, suggested, from);
	}
}

/** Whether credentials may travel unencrypted: a flag says so, or the profile in use allows it for this host. */
function mayUseHttp({ store, invocation }: Login, url: string): boolean {
	const { profile: name = store.current, allowHttp: given } = invocation.options;
	if (typeof given === 'boolean') return given;
	const { baseUrl, allowHttp } = (name === undefined ? undefined : store.profiles[name as string]) ?? {};
	return allowHttp === true && isSameOrigin(baseUrl, url);
}

/**
 * Looks for the service without credentials; another base URL is offered, and never used without a yes. Variables count
 * where no person can be asked, and not where they belong to another base URL or profile.
 */
async function locate(login: Login, baseUrl: string): Promise<Found> {
	const { invocation, prompts, store, flags } = login;
	const { context, options } = invocation;
	const { env, cwd } = context;
	// SUPPORTCTL_PROFILE never makes a login overwrite a profile of another host.
	const variable = readVariable(env, 'PROFILE', cwd)?.value;
	const own = store.profiles[variable ?? '']?.baseUrl;
	const isFree = variable !== undefined && (typeof own !== 'string' || isSameOrigin(own, baseUrl));
	const name = options.profile ?? (isFree ? checkProfileName(variable) : profileNameFor(store, baseUrl));
	const exported = readVariable(env, 'BASE_URL', cwd)?.value;
	const isMeant = exported === undefined || isSameOrigin(exported, baseUrl);
	const usesVariables = prompts === undefined && isMeant && store.profiles[options.profile ?? ''] === undefined;
	const resolved = resolveSettings({
		flags: { ...flags, baseUrl },
		env: usesVariables ? env : withoutConnection(env),
		cwd,
		profile: { name, values: store.profiles[name] ?? {}, file: 'config.json' },
	});
	const warnings: string[] = [];
	const { settings, sources } = resolved;
	const tls = readTls(resolved, warnings);
	const reach = { settings, tls, proxy: readProxies(env), allowHttp: mayUseHttp(login, baseUrl) };
	const probe = createProbe(invocation, reach, settings.username);
	const { without, found, problem } = await findService(baseUrl, probe, 'supportctl login');
	if (problem !== undefined) {
		const error = new FailedError(problem.message, problem);
		if (prompts === undefined || found === undefined) throw error;
		say(invocation, `${problem.message}.`);
		if (!(await prompts.confirm(`The service is at ${found}. Use that?`))) throw error;
		return locate(login, await readBaseUrl(login, found, 'as suggested'));
	}
	warn(context, warnings);
	let { scheme, given } = readScheme(resolved);
	const isDecided =
		sources.scheme.from !== 'default' ||
		flags.username !== undefined ||
		options.secretCommand !== undefined ||
		store.profiles[name] !== undefined;
	if (prompts !== undefined && !isDecided) {
		const choices = [
			{ value: 'basic', label: 'user name and password, or application password' },
			{ value: 'bearer', label: 'bearer token' },
			{ value: 'header', label: 'a header with a secret value' },
			{ value: 'none', label: 'no credentials' },
		];
		scheme = (await prompts.choice('How to sign in:', choices, scheme)) as Scheme;
	}
	return { baseUrl, name, resolved, reach, scheme, exported: given, without };
}

/** Tries credentials until they are accepted or a person gives up. @throws RefusedError, FailedError */
async function signIn(login: Login, found: Found) {
	const { invocation, prompts } = login;
	let username: string | undefined;
	for (let tries = 1; ; tries++) {
		const credentials = await readCredentials(login, found, username);
		({ username } = credentials);
		const probe = createProbe(invocation, found.reach, credentials.username);
		try {
			const doubt = await trySignIn(probe, found.baseUrl, credentials, found.without);
			return { ...credentials, note: doubt?.note };
		} catch (error) {
			const isTyped = prompts !== undefined && credentials.secret?.kind === 'value';
			if (!(error instanceof RefusedError) || !isTyped || tries === TRIES) throw error;
			warn(invocation.context, [`${error.message}; ${error.hint}. Try again, or stop with Ctrl-C`]);
		}
	}
}

/** The credentials from flags, variables or a person, who gave the name `typed` before. @throws UsageError for what is missing, RefusedError */
async function readCredentials(login: Login, found: Found, typed?: string) {
	const { prompts, invocation } = login;
	const { scheme, name, exported } = found;
	const { settings, sources, env } = found.resolved;
	let { headerName } = settings;
	let username = typed ?? settings.username;
	if (scheme === 'none') return { username, headerName, auth: { scheme } as const };
	if (scheme === 'basic' && prompts !== undefined && (typed !== undefined || sources.username.from !== 'flag')) {
		username = await prompts.text('User name:', {
			initial: username,
			check: (text) => /^[^:]+$/.test(text) || 'enter a user name without a colon',
		});
	}
	if (scheme === 'header' && headerName === undefined && prompts !== undefined) {
		const { read, expected } = settingTable.headerName;
		headerName = await prompts.text('Header name:', {
			check: (text) => read(text) !== undefined || `enter ${expected}`,
		});
	}
	// What is missing is found before a secret is asked for.
	makeAuth(scheme, { username, headerName }, '');
	const noun = secretNoun(scheme);
	let secret = await readGivenSecret(invocation, scheme);
	let from = 'the secret command';
	if (secret === undefined && exported !== undefined) {
		secret = { kind: 'value', value: exported.value };
		from = exported.name;
	} else if (secret === undefined && prompts !== undefined) {
		const label = scheme === 'basic' ? 'Password or application password' : noun[0]?.toUpperCase() + noun.slice(1);
		secret = { kind: 'value', value: await prompts.secret(`${label} (not shown):`) };
		from = 'the prompt';
	} else if (secret === undefined) {
		throw new UsageError(`no ${noun} is given, and login can't ask for it`, {
			hint: 'pipe it in with --password-stdin, or give --secret-command',
		});
	}
	const value =
		secret.kind === 'command'
			? await runSecretCommand(secret.command, { env, owner: `profile "${name}"` })
			: secret.value;
	const auth = makeAuth(scheme, { username, headerName }, checkSecret(scheme, value, from));
	// Its source is a variable's name, or some words.
	return { username, headerName, secret, auth, source: from };
}
