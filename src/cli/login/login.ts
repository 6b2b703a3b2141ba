/** Finding the service for `login`: the base URL from an argument, a flag or a person, tried without credentials. */

import { createDialect } from '../../api/dialect.js';
import { endpoints } from '../../api/endpoints.js';
import { createPlanner } from '../../api/plan.js';
import { FailedError, UsageError } from '../../errors.js';
import { readResponse } from '../../http/content.js';
import { judge } from '../../http/judge.js';
import { nextStepFor } from '../../http/problem.js';
import type { Attempt } from '../../http/types.js';
import type { Prompts } from '../../io/context.js';
import type { Auth } from '../../net.js';
import { isSameOrigin, parseBaseUrl } from '../../profile/base-url.js';
import { profileNameFor } from '../../profile/edit.js';
import { configFolder, type Environment, readVariable, withoutConnection } from '../../profile/environment.js';
import { type Ask, findService, type Place, type ProbeAnswer, type Search } from '../../profile/probe.js';
import {
	effectiveScheme,
	prefixesOf,
	profileNamed,
	type ResolvedConnection,
	readProxies,
	readTls,
} from '../../profile/resolve.js';
import { initialSettings, type ResolvedSettings, resolveSettings, type Scheme } from '../../profile/settings.js';
import { ConfigDamaged, checkProfileName, readStore, type Store } from '../../profile/store.js';
import type { Invocation } from '../command.js';
import { say, warn } from '../notices.js';
import { connectionFlags } from '../options/connection.js';
import { impliedScheme } from '../options/secret.js';
import { openClient } from '../session.js';

/** Everything that stays the same while different base URLs and credentials are tried. */
export interface Login {
	invocation: Invocation;
	/** Undefined where nobody can be asked. */
	prompts: Prompts | undefined;
	folder: string;
	store: Store;
	/** The profile's name, where --profile gives it. */
	named: string | undefined;
	flags: Readonly<Record<string, unknown>>;
}

/** A base URL at which the service was seen, and what follows from it. */
export interface Found {
	baseUrl: string;
	/** The profile that it will be stored as. */
	name: string;
	resolved: ResolvedSettings;
	scheme: Scheme;
	/** The environment that credentials may come from. */
	env: Environment;
	/** The response without credentials. */
	without: ProbeAnswer;
}

/** Reads flags and stored profiles before anything is asked. @throws UsageError */
export function openLogin(invocation: Invocation): Login {
	const { context, options, args } = invocation;
	const { env, cwd, prompts } = context;
	const named = options.profile;
	if (named !== undefined) checkProfileName(named);
	if (args[0] !== undefined && options.baseUrl !== undefined) {
		throw new UsageError('the base URL is given twice: as an argument and as --base-url');
	}
	const asks = options.input !== false && options.passwordStdin !== true && options.tokenStdin !== true;
	const scheme = impliedScheme(options);
	const folder = configFolder({ env, cwd });
	return {
		invocation,
		prompts: asks && prompts.available ? prompts : undefined,
		folder,
		store: readStoreOrNothing(invocation, folder),
		named,
		flags: {
			...connectionFlags(options),
			...(args[0] !== undefined && { baseUrl: args[0] }),
			...(scheme && { scheme }),
		},
	};
}

/** A damaged file does not stop a login; it is kept under another name when the profile is stored. */
function readStoreOrNothing({ context }: Invocation, folder: string): Store {
	try {
		const { store, warnings } = readStore(folder);
		warn(context, warnings);
		return store;
	} catch (error) {
		if (error instanceof ConfigDamaged) return { profiles: Object.create(null) };
		throw error;
	}
}

/** The base URL from the command line, a person, or the profile that is signed in to again; never from a variable. */
export async function firstBaseUrl(login: Login): Promise<string> {
	const { flags, prompts, named, store } = login;
	if (typeof flags.baseUrl === 'string') return readBaseUrl(login, flags.baseUrl, 'as given');
	const known = named ?? store.current;
	const stored = profileNamed(store, known)?.baseUrl;
	const initial = typeof stored === 'string' ? stored : undefined;
	if (prompts === undefined) {
		if (initial !== undefined) return readBaseUrl(login, initial, `profile "${known}"`);
		throw new UsageError('no base URL is given, and there is no terminal to ask on', {
			hint: 'name it: supportctl login https://desk.example.com/wp-json',
		});
	}
	const typed = await prompts.text('Base URL of the help desk (what comes before /support-api/v1):', {
		...(initial !== undefined && { initial }),
		check: (text) => complaint(login, text) ?? true,
	});
	return readBaseUrl(login, typed, 'as typed');
}

/** What is wrong with a base URL, in a sentence, unless another can be suggested. */
function complaint(login: Login, text: string): string | undefined {
	try {
		parse(login, text, 'as typed');
		return undefined;
	} catch (error) {
		if (!(error instanceof UsageError)) throw error;
		return error.data.suggested === undefined ? [error.message, error.hint].filter(Boolean).join('; ') : undefined;
	}
}

function parse({ flags, invocation, named, store }: Login, text: string, from: string) {
	const productPrefix = flags.productPrefix as string | undefined;
	const parsed = parseBaseUrl(text, { allowHttp: true, from, ...(productPrefix && { productPrefix }) });
	const own = profileNamed(store, named ?? store.current);
	const { baseUrl } = own ?? {};
	const known =
		typeof baseUrl === 'string' && URL.canParse(baseUrl) && new URL(baseUrl).hostname === new URL(parsed.url).hostname;
	const allowed = invocation.options.allowHttp as boolean | undefined;
	parseBaseUrl(parsed.url, { allowHttp: allowed ?? (known && own?.allowHttp === true), from });
	return parsed;
}

/** A deployment's own abbreviation where the interface's prefix was pasted in with it: /acme-api/v1. */
function adoptPastedPrefix(login: Login, text: string): void {
	const word = /\/([A-Za-z][A-Za-z0-9_]*)-api\/v1(?:\/|$)/.exec(text)?.[1];
	if (word === undefined || word === initialSettings.productPrefix || login.flags.productPrefix !== undefined) return;
	login.flags = { ...login.flags, productPrefix: word };
	warn(login.invocation.context, [`"${word}" in the URL is taken as --product-prefix ${word}`]);
}

/** Checks a base URL; where another can be suggested, a person is asked, and otherwise the error names it. */
async function readBaseUrl(login: Login, text: string, from: string): Promise<string> {
	try {
		adoptPastedPrefix(login, text);
		const { url, warnings } = parse(login, text, from);
		warn(login.invocation.context, warnings);
		return url;
	} catch (error) {
		const suggested = error instanceof UsageError ? error.data.suggested : undefined;
		if (login.prompts === undefined || typeof suggested !== 'string') throw error;
		if (!(await login.prompts.confirm(`Did you mean ${suggested}?`))) throw error;
		return readBaseUrl(login, suggested, from);
	}
}

/**
 * The variables that `login` may use: none where a person can be asked, and none that belong to another base URL or
 * profile.
 */
function environmentFor({ invocation, prompts, named, store }: Login, baseUrl: string): Environment {
	const { env, cwd } = invocation.context;
	const own = readVariable(env, 'BASE_URL', cwd)?.value;
	const isOther = own !== undefined && !(URL.canParse(own) && isSameOrigin(own, baseUrl));
	return prompts !== undefined || isOther || profileNamed(store, named) !== undefined ? withoutConnection(env) : env;
}

/** The name to store a base URL under; SUPPORTCTL_PROFILE never makes a login overwrite a profile of another host. */
function nameFor({ invocation, named, store }: Login, baseUrl: string): string {
	if (named !== undefined) return named;
	const variable = readVariable(invocation.context.env, 'PROFILE', invocation.context.cwd)?.value;
	const own = profileNamed(store, variable)?.baseUrl;
	const isFree = typeof own !== 'string' || (URL.canParse(own) && isSameOrigin(own, baseUrl));
	return variable !== undefined && isFree ? checkProfileName(variable) : profileNameFor(store, baseUrl);
}

/** The settings for a base URL, under the profile that it will be stored as. */
function settingsFor(login: Login, baseUrl: string): Pick<Found, 'name' | 'resolved' | 'env'> {
	const { options, context } = login.invocation;
	const name = nameFor(login, baseUrl);
	const env = environmentFor(login, baseUrl);
	const username = login.flags.username === undefined ? readVariable(env, 'USERNAME', context.cwd) : undefined;
	const stored = profileNamed(login.store, name);
	const isSameHost =
		typeof stored?.baseUrl === 'string' &&
		URL.canParse(stored.baseUrl) &&
		new URL(stored.baseUrl).hostname === new URL(baseUrl).hostname;
	const guards = {
		...(options.protected !== undefined && { protected: options.protected }),
		// What a profile allows is for its own host.
		allowHttp: options.allowHttp ?? (isSameHost && stored.allowHttp === true),
	};
	const resolved = resolveSettings({
		flags: { ...login.flags, baseUrl },
		environment: { ...(username && { username }) },
		profile: { name, values: { ...stored, ...guards }, file: 'config.json' },
	});
	return { name, resolved, env };
}

/** Where a sign-in is tried, and with what. */
export interface SignInTarget
	extends Pick<ResolvedConnection, 'timeoutMs' | 'prefixes' | 'tls' | 'proxy' | 'allowHttp'> {
	/** Sent only when asked for. */
	auth: Auth;
	/** Whose id is looked up: the caller's own name where one is known. */
	username: string | undefined;
}

/** The target that settings describe; what is doubtful about their files goes to `warnings`. */
export function targetOf(
	{ context }: Invocation,
	{ settings }: ResolvedSettings,
	auth: Auth,
	username: string | undefined,
	warnings: string[] = [],
): SignInTarget {
	return {
		auth,
		username,
		timeoutMs: settings.timeout * 1000,
		prefixes: prefixesOf(settings),
		tls: readTls(settings, context.cwd, warnings),
		proxy: readProxies(context.env),
		allowHttp: settings.allowHttp,
	};
}

/** A name to look up where the caller has none: that it is unknown to the service is a response too. */
const ANY_NAME = 'supportctl';

/** Path and body of the call that changes nothing (interface section 4, POST /users/username). */
export function lookUp(target: Pick<SignInTarget, 'prefixes' | 'username'>): { path: string; body: string } {
	const plan = createPlanner(endpoints['user.id'], createDialect(target.prefixes));
	const { path, body } = plan({ ids: {}, fields: { username: target.username ?? ANY_NAME } });
	return { path, body: body ?? '{}' };
}

async function toProbeAnswer(attempt: Attempt): Promise<ProbeAnswer> {
	if (attempt.kind === 'problem') {
		return { kind: 'problem', code: attempt.problem.code, message: attempt.problem.message };
	}
	const { answer } = attempt;
	const verdict = judge({ endpoint: endpoints['user.id'] }, await readResponse(attempt));
	const { body, code, message, location } = verdict;
	if (answer.incomplete !== undefined) {
		return { kind: 'problem', code: answer.incomplete.code, message: answer.incomplete.message };
	}
	return {
		kind: 'answer',
		status: answer.status,
		json: body !== undefined,
		...(code !== undefined && { code }),
		...(message !== undefined && { message }),
		...(location !== undefined && { location }),
	};
}

/** Sends the look-up, each time over a connection of its own. */
export function createAsk(invocation: Invocation, target: SignInTarget): Ask {
	const { path, body } = lookUp(target);
	return async ({ baseUrl, credentials }) => {
		const auth: Auth = credentials ? target.auth : { scheme: 'none' };
		const client = await openClient(invocation, { ...target, baseUrl, auth }, 1);
		try {
			return await toProbeAnswer(await client.send({ method: 'POST', path, body }));
		} finally {
			await client.close();
		}
	};
}

/** Looks for the service without credentials; another base URL is offered, and never used without a yes. */
export async function locate(login: Login, baseUrl: string): Promise<Found> {
	const { invocation, prompts } = login;
	const found = settingsFor(login, baseUrl);
	const { resolved, env } = found;
	const warnings: string[] = [];
	const target = targetOf(invocation, resolved, { scheme: 'none' }, resolved.settings.username, warnings);
	const search = await findService(baseUrl, lookUp(target).path, createAsk(invocation, target));
	const { place, answer, suggested } = search;
	if (place.kind === 'service') {
		warn(invocation.context, warnings);
		const scheme = effectiveScheme({ ...resolved, env, cwd: invocation.context.cwd });
		return { ...found, baseUrl, scheme, without: answer };
	}
	const error = explainPlace(baseUrl, { ...search, place });
	if (prompts === undefined || suggested === undefined) throw error;
	say(invocation, `${error.message}.`);
	if (!(await prompts.confirm(`The help desk is at ${suggested}. Use that?`))) throw error;
	return locate(login, await readBaseUrl(login, suggested, 'as suggested'));
}

/** Why there is no service at a base URL, and the next step. */
function explainPlace(
	baseUrl: string,
	{ place, suggested, hidden }: Search & { place: Exclude<Place, { kind: 'service' }> },
): FailedError {
	if (place.kind === 'unreachable') {
		return new FailedError(explainUnreachable(baseUrl, place), { code: place.code, hint: hintFor(place.code) });
	}
	const better = suggested ?? hidden?.baseUrl;
	const data = better === undefined ? {} : { suggested: better };
	const hint = suggested && `the help desk is at ${suggested}: supportctl login ${suggested}`;
	if (place.kind === 'elsewhere') {
		const usual =
			'the base URL often ends in /wp-json; a deployment with an abbreviation of its own needs --product-prefix';
		return new FailedError(`no help desk was found under ${baseUrl}: ${place.why}`, {
			code: 'no_service',
			hint: hint ?? usual,
			data,
		});
	}
	const moved = `${baseUrl} redirects to ${place.target}; no credentials were sent`;
	if (suggested !== undefined || hidden === undefined) {
		return new FailedError(moved, { code: 'redirect', hint: hint ?? 'give the base URL that does not redirect', data });
	}
	return new FailedError(`${moved}; ${explainUnreachable(hidden.baseUrl, hidden)}`, {
		code: 'redirect',
		hint: `give --base-url ${hidden.baseUrl}; ${hintFor(hidden.code)}`,
		data,
	});
}

/** Codes of responses that are not HTTP, or too long to be read. */
const UNREADABLE = new Set(['bad_http', 'wrong_length', 'answer_too_large']);

/** Why it is not known whether the service is at a base URL. */
function explainUnreachable(baseUrl: string, { code, why }: { code: string; why: string }): string {
	if (code.startsWith('http_') || UNREADABLE.has(code)) return `${baseUrl} responds, but not as a help desk: ${why}`;
	return why.startsWith('could not connect') ? why : `could not connect to ${baseUrl}: ${why}`;
}

function hintFor(code: string): string {
	if (code === 'http_403') return 'a firewall before the service may refuse this machine';
	if (code === 'http_407') return 'put the user name and password for the proxy into HTTP_PROXY';
	if (/^http_5/.test(code)) return 'the host has a problem: look at its log, or try again later';
	return nextStepFor(code) ?? 'try again later; `supportctl doctor` shows more';
}
