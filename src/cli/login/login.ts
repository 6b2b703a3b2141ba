/** `login`: finds the service, tries credentials until it accepts them, and stores both as a profile. */

import { resolve } from 'node:path';
import { type ExitCode, FailedError, InterruptedError, RefusedError, UsageError } from '../../errors.js';
import { PromptInterrupted, type Prompts } from '../../io/context.js';
import type { Auth } from '../../net.js';
import { findService, type ProbeResponse } from '../../profile/probe.js';
import { makeAuth, profileNamed, readScheme, readTls, secretVariables } from '../../profile/resolve.js';
import { checkSecret, describeStore, runSecretCommand, secretNoun } from '../../profile/secrets.js';
import {
	configFolder,
	type Environment,
	isSameOrigin,
	parseBaseUrl,
	type ResolvedSettings,
	readVariable,
	resolveSettings,
	type Scheme,
	settingSpecs,
	withoutConnection,
} from '../../profile/settings.js';
import { checkProfileName, type NewSecret, profileNameFor, type Store, saveProfile } from '../../profile/store.js';
import type { Invocation } from '../command.js';
import { leaveOnSignal } from '../interruption.js';
import { say, warn } from '../notices.js';
import { connectionFlags } from '../options/shared.js';
import { type Change, overridesOf, readStoreToChange, runChange } from '../profile-results.js';
import { impliedScheme, readGivenSecret } from '../secret-input.js';
import { createAsk, explainSearch, trySignIn, type Way, wayOf } from './probe.js';

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
	way: Way;
	scheme: Scheme;
	/** The environment that credentials may come from. */
	env: Environment;
	/** The response without credentials. */
	without: ProbeResponse;
}

interface Credentials {
	auth: Auth;
	username: string | undefined;
	headerName: string | undefined;
	secret: NewSecret | undefined;
	/** The variable that the secret came from. */
	variable?: string | undefined;
}

const KEYS = ['profile', 'base_url', 'scheme', 'username', 'stored_in', 'proved', 'note'];

/** Settings that are stored as the service accepted them, wherever they came from. */
const TRIED: ReadonlySet<string> = new Set(['baseUrl', 'scheme', 'username', 'headerName']);

/** How often a person may try. */
const TRIES = 3;

/** @throws UsageError, FailedError, RefusedError, InterruptedError; nothing is stored then */
export async function runLogin(invocation: Invocation): Promise<ExitCode> {
	return runChange(invocation, KEYS, () => signInAndStore(invocation));
}

async function signInAndStore(invocation: Invocation): Promise<Change> {
	const { context, options } = invocation;
	const login = openLogin(invocation);
	const unlisten = leaveOnSignal(invocation, 'nothing was stored');
	let found: Found;
	let credentials: Credentials;
	let note: string | undefined;
	try {
		found = await locate(login, await firstBaseUrl(login));
		found.scheme = await chooseScheme(login, found);
		({ credentials, note } = await signIn(login, found));
	} catch (error) {
		if (error instanceof PromptInterrupted) throw new InterruptedError('interrupted; nothing was stored');
		throw error;
	} finally {
		unlisten();
	}
	const { name, baseUrl, scheme } = found;
	const { username, headerName, secret } = credentials;
	const { settings, sources } = found.resolved;
	const values = { ...settings, baseUrl, scheme, username, headerName };
	const kept = settingSpecs.flatMap(({ name: setting, path, profileOnly }) => {
		const isGiven = sources[setting].from === 'flag' || (profileOnly && options[setting] !== undefined);
		const value = isGiven || TRIED.has(setting) ? values[setting] : undefined;
		return value === undefined ? [] : [[setting, path ? resolve(context.cwd, value as string) : value]];
	});
	const changed = await saveProfile({
		folder: configFolder(context),
		name,
		settings: Object.fromEntries(kept),
		...(secret && { secret }),
		insecureStorage: options.insecureStorage === true,
		makeCurrent: true,
	});
	const storedIn = describeStore(changed.secret);
	const as = username === undefined ? '' : ` as ${username}`;
	const where = changed.secret === undefined ? '' : `, with the ${secretNoun(scheme)} in the ${storedIn}`;
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

/** Reads flags and stored profiles before anything is asked. @throws UsageError */
function openLogin(invocation: Invocation): Login {
	const { context, options, args } = invocation;
	if (options.profile !== undefined) checkProfileName(options.profile);
	if (args[0] !== undefined && options.baseUrl !== undefined) {
		throw new UsageError('the base URL is given twice: as an argument and as --base-url');
	}
	const asks = options.input !== false && options.passwordStdin !== true && options.tokenStdin !== true;
	const scheme = impliedScheme(options);
	return {
		invocation,
		prompts: asks && context.prompts.available ? context.prompts : undefined,
		store: readStoreToChange(invocation),
		flags: {
			...connectionFlags(options),
			...(args[0] !== undefined && { baseUrl: args[0] }),
			...(scheme && { scheme }),
		},
	};
}

/** The base URL from the command line, a person, or the profile that is signed in to again; never from a variable. */
async function firstBaseUrl(login: Login): Promise<string> {
	const { flags, prompts, store, invocation } = login;
	if (typeof flags.baseUrl === 'string') return readBaseUrl(login, flags.baseUrl, 'as given');
	const name = invocation.options.profile ?? store.current;
	const stored = profileNamed(store, name)?.baseUrl;
	const initial = typeof stored === 'string' ? stored : undefined;
	if (prompts === undefined) {
		if (initial !== undefined) return readBaseUrl(login, initial, `profile "${name}"`);
		throw new UsageError('no base URL is given, and there is no terminal to ask on', {
			hint: 'name it: supportctl login https://desk.example.com/wp-json',
		});
	}
	const typed = await prompts.text('Base URL (what comes before /support-api/v1):', {
		...(initial !== undefined && { initial }),
	});
	return readBaseUrl(login, typed, 'as typed');
}

/** Checks a base URL; where another can be suggested, a person is asked, and otherwise the error names it. */
async function readBaseUrl(login: Login, text: string, from: string): Promise<string> {
	const { flags, store, invocation, prompts } = login;
	const allowHttp = mayUseHttp(login, invocation.options.profile ?? store.current, text);
	const productPrefix = flags.productPrefix as string | undefined;
	try {
		const { url, warnings } = parseBaseUrl(text, { allowHttp, from, ...(productPrefix && { productPrefix }) });
		warn(invocation.context, warnings);
		return url;
	} catch (error) {
		const suggested = error instanceof UsageError ? error.data.suggested : undefined;
		if (prompts === undefined || typeof suggested !== 'string') throw error;
		if (!(await prompts.confirm(`Did you mean ${suggested}?`))) throw error;
		return readBaseUrl(login, suggested, from);
	}
}

/** Whether credentials may travel unencrypted: by flag, or because the profile allows it for its own host. */
function mayUseHttp({ store, invocation }: Login, name: string | undefined, url: string): boolean {
	if (typeof invocation.options.allowHttp === 'boolean') return invocation.options.allowHttp;
	const { baseUrl, allowHttp } = profileNamed(store, name) ?? {};
	if (allowHttp !== true || typeof baseUrl !== 'string' || !URL.canParse(baseUrl) || !URL.canParse(url)) return false;
	return new URL(baseUrl).hostname === new URL(url).hostname;
}

/** Looks for the service without credentials; another base URL is offered, and never used without a yes. */
async function locate(login: Login, baseUrl: string): Promise<Found> {
	const { invocation, prompts } = login;
	const { context } = invocation;
	const { name, resolved, env } = settingsFor(login, baseUrl);
	const warnings: string[] = [];
	const way = wayOf(invocation, resolved, readTls(resolved.settings, context.cwd, warnings));
	const { path, ask } = createAsk(invocation, way, { scheme: 'none' }, resolved.settings.username);
	const search = await findService(baseUrl, path, ask);
	const problem = explainSearch(baseUrl, search, 'supportctl login');
	if (problem === undefined) {
		warn(context, warnings);
		const { scheme } = readScheme({ ...resolved, env, cwd: context.cwd });
		return { baseUrl, name, resolved, way, scheme, env, without: search.response };
	}
	const { message, code, hint, suggested } = problem;
	const error = new FailedError(message, { code, hint, data: suggested === undefined ? {} : { suggested } });
	if (prompts === undefined || search.suggested === undefined) throw error;
	say(invocation, `${message}.`);
	if (!(await prompts.confirm(`The service is at ${search.suggested}. Use that?`))) throw error;
	return locate(login, await readBaseUrl(login, search.suggested, 'as suggested'));
}

/**
 * The settings for a base URL, under the profile that it will be stored as, and the variables that may be used: none
 * where a person can be asked, and none that belong to another base URL or profile.
 */
function settingsFor(login: Login, baseUrl: string): Pick<Found, 'name' | 'resolved' | 'env'> {
	const { invocation, prompts, store, flags } = login;
	const { env, cwd } = invocation.context;
	const { profile: named, protected: isProtected } = invocation.options;
	// SUPPORTCTL_PROFILE never makes a login overwrite a profile of another host.
	const variable = readVariable(env, 'PROFILE', cwd)?.value;
	const own = profileNamed(store, variable)?.baseUrl;
	const isFree = variable !== undefined && (typeof own !== 'string' || isSameOrigin(own, baseUrl));
	const name = named ?? (isFree ? checkProfileName(variable) : profileNameFor(store, baseUrl));
	const exported = readVariable(env, 'BASE_URL', cwd)?.value;
	const isMeant =
		(exported === undefined || isSameOrigin(exported, baseUrl)) && profileNamed(store, named) === undefined;
	const usable = prompts === undefined && isMeant ? env : withoutConnection(env);
	const guards = {
		...(isProtected !== undefined && { protected: isProtected }),
		allowHttp: mayUseHttp(login, name, baseUrl),
	};
	const resolved = resolveSettings({
		flags: { ...flags, baseUrl },
		env: usable,
		cwd,
		profile: { name, values: { ...profileNamed(store, name), ...guards }, file: 'config.json' },
	});
	return { name, resolved, env: usable };
}

/** The scheme that flags, variables or the stored profile give, else the one that a person chooses. */
async function chooseScheme({ prompts, store, invocation, flags }: Login, found: Found): Promise<Scheme> {
	const isDecided =
		found.resolved.sources.scheme.from !== 'default' ||
		flags.username !== undefined ||
		invocation.options.secretCommand !== undefined ||
		profileNamed(store, found.name) !== undefined;
	if (prompts === undefined || isDecided) return found.scheme;
	const choices = [
		{ value: 'basic', label: 'user name and password, or application password' },
		{ value: 'bearer', label: 'bearer token' },
		{ value: 'header', label: 'a header with a secret value' },
		{ value: 'none', label: 'no credentials' },
	];
	return (await prompts.choice('How to sign in:', choices, found.scheme)) as Scheme;
}

/** Tries credentials until they are accepted or a person gives up. @throws RefusedError, FailedError */
async function signIn(login: Login, found: Found): Promise<{ credentials: Credentials; note: string | undefined }> {
	for (let tries = 1; ; tries++) {
		const credentials = await readCredentials(login, found, tries > 1);
		const { auth, username, secret, variable } = credentials;
		const { ask } = createAsk(login.invocation, found.way, auth, username);
		const verdict = await trySignIn(ask, found.baseUrl, auth, found.without);
		if (verdict.kind === 'accepted') return { credentials, note: verdict.doubt?.note };
		if (verdict.kind === 'unclear') {
			throw new FailedError(`could not check the credentials: ${verdict.why}`, {
				code: verdict.code,
				hint: 'nothing was stored; try again later',
			});
		}
		const hint = variable === undefined ? verdict.hint : `the secret is from ${variable}; ${verdict.hint}`;
		const error = new RefusedError(`not signed in: ${verdict.why}`, { code: 'refused', hint });
		if (login.prompts === undefined || secret?.kind !== 'value' || tries === TRIES) throw error;
		say(login.invocation, `${error.message}; ${hint}. Try again, or stop with Ctrl-C.`);
	}
}

async function readCredentials(login: Login, found: Found, isRetry: boolean): Promise<Credentials> {
	const { prompts, invocation } = login;
	const { scheme, name } = found;
	const { settings, sources } = found.resolved;
	let { username, headerName } = settings;
	if (scheme === 'none') return { username, headerName, secret: undefined, auth: { scheme } };
	if (scheme === 'basic' && prompts !== undefined && (isRetry || sources.username.from !== 'flag')) {
		username = await prompts.text('User name:', {
			...(username !== undefined && { initial: username }),
			check: (text) => /^[^:]+$/.test(text) || 'enter a user name without a colon',
		});
	}
	if (scheme === 'header' && headerName === undefined && prompts !== undefined) {
		const spec = settingSpecs.find((each) => each.name === 'headerName');
		headerName = await prompts.text('Header name:', {
			check: (text) => spec?.read(text) !== undefined || `enter ${spec?.expected}`,
		});
	}
	// What is missing is found before a secret is asked for.
	makeAuth(scheme, { username, headerName }, '');
	const { secret, from } = await readSecret(login, found.env, scheme);
	const isCommand = secret.kind === 'command';
	const value = isCommand
		? await runSecretCommand(secret.command, { env: invocation.context.env, owner: `profile "${name}"` })
		: secret.value;
	const auth = makeAuth(scheme, { username, headerName }, checkSecret(scheme, value, from));
	return { username, headerName, secret, auth, variable: from.startsWith('SUPPORTCTL_') ? from : undefined };
}

/** The secret from flags, a variable or a person, and where it is from. */
async function readSecret(
	{ invocation, prompts }: Login,
	env: Environment,
	scheme: Exclude<Scheme, 'none'>,
): Promise<{ secret: NewSecret; from: string }> {
	const given = await readGivenSecret(invocation, scheme);
	if (given !== undefined) return { secret: given, from: given.kind === 'command' ? '--secret-command' : 'stdin' };
	const variable = readVariable(env, secretVariables[scheme], invocation.context.cwd);
	if (variable !== undefined) return { secret: { kind: 'value', value: variable.value }, from: variable.name };
	const noun = secretNoun(scheme);
	if (prompts === undefined) {
		throw new UsageError(`no ${noun} is given, and there is no terminal to ask on`, {
			hint: 'pipe it in with --password-stdin, or give --secret-command',
		});
	}
	const label = scheme === 'basic' ? 'Password or application password' : noun[0]?.toUpperCase() + noun.slice(1);
	return { secret: { kind: 'value', value: await prompts.secret(`${label} (not shown):`) }, from: 'the prompt' };
}
