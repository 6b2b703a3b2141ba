/** Everything a command needs to reach the service, from flags, environment, profile and defaults, and where each came from. */

import { statSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { fileProblem, RefusedError, UsageError } from '../errors.js';
import { readSmallFile } from '../folder.js';
import type { Auth, ProxySettings } from '../net.js';
import { isSameOrigin, parseBaseUrl } from './base-url.js';
import {
	configFolder,
	connectionVariables,
	type Environment,
	type EnvironmentValue,
	listed,
	readVariable,
	withoutConnection,
} from './environment.js';
import { checkSecret, checkUserName, describeStore, fetchSecret, type OpenKeyring, secretNoun } from './secrets.js';
import { type ResolvedSettings, resolveSettings, type Scheme, type Settings } from './settings.js';
import { readStore, requireProfile, type StoredProfile, type StoreReading } from './store.js';

export interface ResolvedConnection {
	profileName?: string;
	/** Without a trailing slash. */
	baseUrl: string;
	auth: Auth;
	timeoutMs: number;
	prefixes: { product: string; shop: string; membership: string };
	/** PEM text. */
	tls: { ca?: string; cert?: string; key?: string };
	proxy: ProxySettings;
	/** Whether http:// to other hosts than loopback is allowed for this base URL. */
	allowHttp: boolean;
	protected: boolean;
	/** What the profile wants where no flag says otherwise. */
	defaults: { concurrency?: number; rate?: number; format?: string; snapshot?: boolean };
	/** Where the secret came from: a variable's name, `profile file`, `system keyring`, `secret command` or `none`. */
	secretSource: string;
	/** To be shown on stderr at each use. */
	warnings: string[];
}

export interface ResolveRequest {
	env: Environment;
	/** Connection options by camel-cased name; others are ignored. */
	flags: Readonly<Record<string, unknown>>;
	/** By default what the environment says. */
	configDir?: string;
	cwd?: string;
	/** False leaves credentials out: nothing is fetched, and `auth` is `none`. For runs that send nothing. */
	credentials?: boolean;
	openKeyring?: OpenKeyring;
}

/** Which profile is meant, by flag, environment or the file's own choice; it need not be stored. */
export interface Choice {
	profileName: string | undefined;
	/** How the profile was chosen: `--profile`, `SUPPORTCTL_PROFILE` or `current`. */
	chosenBy: string | undefined;
	/** The profile in use, where it was left out because the base URL given is on another host than its own. */
	leftOut?: string | undefined;
}

/** The profile that is meant, and the settings that follow. */
export interface Situation extends ResolvedSettings, Choice {
	reading: StoreReading;
	profile: StoredProfile | undefined;
	/** The environment that counts: without its connection variables where a flag names the profile. */
	env: Environment;
	cwd: string;
	/** What is ignored, as sentences for a person. */
	warnings: string[];
}

/** Whether a profile's own base URL is known to be on the same host as another. */
function ownsHost(profile: StoredProfile | undefined, baseUrl: string): boolean | undefined {
	const own = profile?.baseUrl;
	if (typeof own !== 'string' || !URL.canParse(own) || !URL.canParse(baseUrl)) return undefined;
	return isSameOrigin(own, baseUrl);
}

/** The stored profile of a name, if there is one. */
export function profileNamed({ profiles }: StoreReading['store'], name: string | undefined): StoredProfile | undefined {
	return name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** Which profile a command with these flags would use. */
export function readChoice({ store }: StoreReading, { env, flags, cwd = '.' }: ResolveRequest): Choice {
	if (typeof flags.profile === 'string') return { profileName: flags.profile, chosenBy: '--profile' };
	const variable = readVariable(env, 'PROFILE', cwd);
	if (variable !== undefined) return { profileName: variable.value, chosenBy: variable.name };
	const { current } = store;
	const baseUrl = flags.baseUrl ?? readVariable(env, 'BASE_URL', cwd)?.value;
	if (typeof baseUrl === 'string' && ownsHost(profileNamed(store, current), baseUrl) === false) {
		return { profileName: undefined, chosenBy: undefined, leftOut: current };
	}
	return { profileName: current, chosenBy: current === undefined ? undefined : 'current' };
}

/** A profile that a flag names beats the connection variables: what they say is for another service. */
function environmentFor({ env, flags }: ResolveRequest): { env: Environment; warnings: string[] } {
	const ignored = typeof flags.profile === 'string' ? connectionVariables(env) : [];
	if (ignored.length === 0) return { env, warnings: [] };
	const are = ignored.length === 1 ? 'is' : 'are';
	return {
		env: withoutConnection(env),
		warnings: [`profile "${flags.profile}" is used as named: ${listed(ignored)} in the environment ${are} ignored`],
	};
}

/** Reads the settings without fetching any secret. Throws UsageError for a profile that is not there. */
export function readSituation(request: ResolveRequest): Situation {
	const { flags, cwd = '.' } = request;
	const reading = readStore(request.configDir ?? configFolder({ env: request.env, cwd }));
	const choice = readChoice(reading, request);
	const { profileName } = choice;
	const profile = profileName === undefined ? undefined : requireProfile(reading.store, profileName);
	const { env, warnings } = environmentFor(request);
	const baseUrl = flags.baseUrl === undefined ? readVariable(env, 'BASE_URL', cwd) : undefined;
	const username = flags.username === undefined ? readVariable(env, 'USERNAME', cwd) : undefined;
	const resolved = resolveSettings({
		flags,
		environment: { ...(baseUrl && { baseUrl }), ...(username && { username }) },
		profile: profile && { name: profileName as string, values: profile, file: reading.file },
	});
	return { ...resolved, ...choice, reading, profile, env, cwd, warnings };
}

/** The variable, after SUPPORTCTL_, that holds the secret of a scheme. */
export function variableOf(scheme: Exclude<Scheme, 'none'>): 'PASSWORD' | 'TOKEN' {
	return scheme === 'basic' ? 'PASSWORD' : 'TOKEN';
}

/** The scheme in force: a password or token in the environment beats the profile's scheme as it beats its secret. */
export function effectiveScheme({
	settings,
	sources,
	env,
	cwd,
}: ResolvedSettings & Pick<Situation, 'env' | 'cwd'>): Scheme {
	if (sources.scheme.from === 'flag') return settings.scheme;
	const given = { PASSWORD: readVariable(env, 'PASSWORD', cwd), TOKEN: readVariable(env, 'TOKEN', cwd) };
	if (given.PASSWORD === undefined && given.TOKEN === undefined) return settings.scheme;
	const stated = sources.scheme.from === 'profile' ? settings.scheme : 'none';
	if (stated !== 'none' && given[variableOf(stated)] !== undefined) return stated;
	if (given.PASSWORD !== undefined && given.TOKEN !== undefined) {
		throw new UsageError(`${given.PASSWORD.name} and ${given.TOKEN.name} are both set`, {
			hint: 'unset one of them, or choose: --scheme basic or --scheme bearer',
		});
	}
	return given.PASSWORD !== undefined ? 'basic' : 'bearer';
}

/** Why the profile's stored secret is not one for this request, or undefined where it is. */
function whyNotStored(situation: Situation, scheme: Scheme, baseUrl: string): string | undefined {
	const { profile, profileName, settings, leftOut } = situation;
	if (leftOut !== undefined) return `the profile in use, "${leftOut}", is for another host`;
	if (profile?.secret === undefined) return 'none is stored';
	const own = `the one stored in profile "${profileName}"`;
	if ((profile.scheme ?? 'basic') !== scheme) return `${own} is for the scheme ${profile.scheme ?? 'basic'}`;
	if (ownsHost(profile, baseUrl) === false) {
		return `${own} is for ${new URL(profile.baseUrl as string).host} and is not sent to another host`;
	}
	if (scheme === 'basic' && profile.username !== undefined && profile.username !== settings.username) {
		return `${own} is for the user ${profile.username}`;
	}
	if (scheme === 'header' && profile.headerName !== settings.headerName) {
		return `${own} is for the header ${profile.headerName}`;
	}
	return undefined;
}

/** Where the secret in force is, in words for `profile show`; it is neither fetched nor shown. */
export function describeSecret(situation: Situation): { noun: string; state: string; source: string } {
	const { settings, profile, profileName, leftOut, env, cwd, reading } = situation;
	const scheme = effectiveScheme(situation);
	const noun = secretNoun(scheme).replace(' ', '-');
	if (scheme === 'none') return { noun, state: 'not needed', source: 'scheme none' };
	const variable = readVariable(env, variableOf(scheme), cwd);
	if (variable !== undefined) return { noun, state: 'set', source: `environment ${variable.name}` };
	const stored = profile?.secret;
	if (stored === undefined) {
		const source = leftOut === undefined ? 'nowhere' : `the profile in use, "${leftOut}", is for another host`;
		return { noun, state: 'not set', source };
	}
	const why = settings.baseUrl === undefined ? undefined : whyNotStored(situation, scheme, settings.baseUrl);
	if (why !== undefined) return { noun, state: 'not used', source: why };
	const file = stored.store === 'file' ? ` ${reading.file}` : '';
	const entry = stored.store === 'keyring' ? `, entry "${stored.account}" of "supportctl"` : '';
	return { noun, state: 'set', source: `${describeStore(stored)}${file}${entry} (profile ${profileName})` };
}

async function findSecret(
	request: ResolveRequest,
	situation: Situation,
	scheme: Exclude<Scheme, 'none'>,
	baseUrl: string,
): Promise<EnvironmentValue> {
	const { profile, profileName, chosenBy, env, cwd } = situation;
	const variable = variableOf(scheme);
	const fromEnvironment = readVariable(env, variable, cwd);
	if (fromEnvironment !== undefined) return fromEnvironment;
	const why = whyNotStored(situation, scheme, baseUrl);
	if (why !== undefined || profile?.secret === undefined) {
		const login = profileName === undefined ? 'supportctl login' : `supportctl login --profile ${profileName}`;
		throw new RefusedError(`not signed in to ${baseUrl}: no ${secretNoun(scheme)} (${why})`, {
			code: 'not_signed_in',
			hint: chosenBy === '--profile' ? login : `${login}, or set SUPPORTCTL_${variable}`,
		});
	}
	const value = await fetchSecret(profile.secret, {
		env: request.env,
		profileName: profileName as string,
		openKeyring: request.openKeyring,
	});
	return { value, name: describeStore(profile.secret) };
}

/** Puts credentials together. @throws UsageError where they can't be sent under the scheme */
export function makeAuth(
	scheme: Exclude<Scheme, 'none'>,
	{ username, headerName }: { username?: string | undefined; headerName?: string | undefined },
	secret: string,
): Auth {
	switch (scheme) {
		case 'basic':
			if (username === undefined) throw new UsageError('no user name is given', { hint: 'give --username' });
			return { scheme, username: checkUserName(username), password: secret };
		case 'bearer':
			return { scheme, token: secret };
		case 'header':
			if (headerName === undefined) {
				throw new UsageError('the scheme "header" needs the header\'s name', { hint: 'give --header-name' });
			}
			return { scheme, name: headerName, value: secret };
	}
}

/** Fetches the secret in force. @throws RefusedError where there is none, UsageError where it can not be sent */
export async function findAuth(
	request: ResolveRequest,
	situation: Situation,
	baseUrl: string,
): Promise<{ auth: Auth; secretSource: string }> {
	const scheme = effectiveScheme(situation);
	if (scheme === 'none' || request.credentials === false) return { auth: { scheme: 'none' }, secretSource: 'none' };
	const { settings } = situation;
	if (scheme === 'basic' && settings.username === undefined) {
		throw new RefusedError(`not signed in to ${baseUrl}: no user name`, {
			code: 'not_signed_in',
			hint: 'supportctl login, or --username, or SUPPORTCTL_USERNAME',
		});
	}
	// Before the secret is fetched, so that a mistake in the settings does not ask anyone to unlock a keyring.
	makeAuth(scheme, settings, '');
	const { value, name } = await findSecret(request, situation, scheme, baseUrl);
	return { auth: makeAuth(scheme, settings, checkSecret(scheme, value, name)), secretSource: name };
}

/** The base URL in force, checked; `allowHttp` of a profile holds for that profile's own host only. */
export function resolveBaseUrl(situation: Situation): { url: string; warnings: string[]; allowHttp: boolean } {
	const { settings, sources, profile, profileName } = situation;
	const { baseUrl } = settings;
	if (baseUrl === undefined) {
		const why = profileName === undefined ? 'no profile' : `profile "${profileName}" has no base URL`;
		throw new RefusedError(`not signed in: ${why} and no SUPPORTCTL_BASE_URL`, {
			code: 'not_signed_in',
			hint: profileName === undefined ? 'supportctl login' : `supportctl login --profile ${profileName}`,
		});
	}
	const { from, name } = sources.baseUrl;
	const own = profile?.baseUrl;
	const sameHost = typeof own === 'string' && URL.canParse(own) && sameHostName(own, baseUrl);
	const rules = {
		allowHttp: settings.allowHttp && sameHost,
		productPrefix: settings.productPrefix,
		from: from === 'profile' ? `profile "${name}"` : name,
	};
	return { ...parseBaseUrl(baseUrl, rules), allowHttp: rules.allowHttp };
}

function sameHostName(left: string, right: string): boolean {
	return URL.canParse(right) && new URL(left).hostname === new URL(right).hostname;
}

/** The deployment's words for support, shop and shopm. */
export function prefixesOf(settings: Settings): ResolvedConnection['prefixes'] {
	return { product: settings.productPrefix, shop: settings.shopPrefix, membership: settings.membershipPrefix };
}

/** A system's whole list of authorities is a fifth of a MiB. */
const MAX_PEM_BYTES = 4 * 1024 * 1024;

function readPem(flag: string, path: string, marker: RegExp, hint?: string): string {
	let text: string;
	try {
		text = readSmallFile(path, MAX_PEM_BYTES).toString('latin1');
	} catch (error) {
		throw new UsageError(`${flag}: ${path} can't be read: ${fileProblem(error)}`, { cause: error });
	}
	if (marker.test(text)) return text;
	throw new UsageError(`${flag}: ${path} is not a PEM file of that kind`, { ...(hint && { hint }) });
}

/** Reads the PEM files; a private key that others can read is worth a warning. */
export function readTls(settings: Settings, cwd: string, warnings: string[]): ResolvedConnection['tls'] {
	const certificate = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/;
	const { caFile, cert: certFile } = settings;
	const ca = caFile === undefined ? undefined : readPem('--ca-file', resolvePath(cwd, caFile), certificate);
	const cert = certFile === undefined ? undefined : readPem('--cert', resolvePath(cwd, certFile), certificate);
	// A key may stand in the certificate's file, as many tools write it.
	const keyFile = settings.key ?? certFile;
	if (keyFile === undefined) return { ...(ca && { ca }) };
	if (cert === undefined) {
		throw new UsageError('--key needs --cert', { hint: '--cert names the certificate that the key belongs to' });
	}
	const path = resolvePath(cwd, keyFile);
	const beside = settings.key === undefined;
	const key = readPem(
		beside ? '--cert (no --key given)' : '--key',
		path,
		/-----BEGIN [A-Z ]*PRIVATE KEY-----/,
		beside ? '--key names the private key, where it is in another file' : undefined,
	);
	if (/ENCRYPTED/.test(key)) {
		throw new UsageError(`--key: ${keyFile} is encrypted, which is not supported`, {
			hint: 'decrypt it with `openssl pkey -in KEY -out NEWKEY` into a file that only you can read',
		});
	}
	if (process.platform !== 'win32' && statSync(path).mode & 0o077) {
		warnings.push(`the private key ${path} can be read by others: chmod 600 ${path}`);
	}
	return { ...(ca && { ca }), cert, key };
}

/** HTTP_PROXY, HTTPS_PROXY and NO_PROXY; the lower-case spelling wins, as it does for curl. */
export function readProxies(env: Environment): ProxySettings {
	const read = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
	const [httpProxy, httpsProxy, noProxy] = [read('HTTP_PROXY'), read('HTTPS_PROXY'), read('NO_PROXY')];
	return { ...(httpProxy && { httpProxy }), ...(httpsProxy && { httpsProxy }), ...(noProxy && { noProxy }) };
}

/**
 * Resolves the connection: a flag beats the environment, which beats the profile, which beats the default; a profile
 * that a flag names beats the environment. A profile's stored secret goes only to that profile's own host, user and
 * scheme. Throws RefusedError (exit code 4) where no one is signed in, UsageError where a setting can't be used.
 */
export async function resolveConnection(request: ResolveRequest): Promise<ResolvedConnection> {
	const situation = readSituation(request);
	const { settings, profileName } = situation;
	const { url: baseUrl, warnings: ofUrl, allowHttp } = resolveBaseUrl(situation);
	const warnings = [...situation.reading.warnings, ...situation.warnings, ...ofUrl];
	const tls = readTls(settings, situation.cwd, warnings);
	const { auth, secretSource } = await findAuth(request, situation, baseUrl);
	const { concurrency, rate, format, snapshot } = settings;
	return {
		...(profileName !== undefined && { profileName }),
		baseUrl,
		auth,
		timeoutMs: settings.timeout * 1000,
		prefixes: prefixesOf(settings),
		tls,
		proxy: readProxies(request.env),
		allowHttp,
		protected: settings.protected,
		defaults: {
			...(concurrency !== undefined && { concurrency }),
			...(rate !== undefined && { rate }),
			...(format !== undefined && { format }),
			...(snapshot !== undefined && { snapshot }),
		},
		secretSource,
		warnings,
	};
}
