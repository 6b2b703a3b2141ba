/** Everything a command needs to reach the service, from flags, environment, profile and defaults, and where each came from. */

import { statSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { RefusedError, UsageError } from '../errors.js';
import { readSmallFile } from '../folder.js';
import { isSameOrigin, parseBaseUrl } from './base-url.js';
import { checkSecret, checkUserName, secretNoun } from './credential-rules.js';
import { type EnvironmentValue, readVariable } from './environment.js';
import { configFolder, type Environment } from './folders.js';
import { describeStore, fetchSecret, type OpenKeyring } from './secrets.js';
import { type ResolvedSettings, resolveSettings, type Scheme, type Settings } from './settings.js';
import { readStore, requireProfile, type StoredProfile, type StoreReading } from './store.js';

/** Credentials in the clear. */
export type Auth =
	| { scheme: 'basic'; username: string; password: string }
	| { scheme: 'bearer'; token: string }
	| { scheme: 'header'; name: string; value: string }
	| { scheme: 'none' };

export interface ProxySettings {
	httpProxy?: string | undefined;
	httpsProxy?: string | undefined;
	noProxy?: string | undefined;
}

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
	allowHttp: boolean;
	protected: boolean;
	/** What the profile wants where no flag says otherwise. */
	defaults: { concurrency?: number; rate?: number; format?: string };
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
	/** The profile in use, where it was left out because the base URL given is another place than its own. */
	leftOut?: string | undefined;
}

/** The profile that is meant, and the settings that follow. */
export interface Situation extends ResolvedSettings, Choice {
	reading: StoreReading;
	profile: StoredProfile | undefined;
}

/** Whether the profile in use is for another place than the base URL that was given: then it has nothing to say. */
function isForAnotherPlace({ store }: StoreReading, given: string | undefined): boolean {
	const { current } = store;
	if (current === undefined || given === undefined || !Object.hasOwn(store.profiles, current)) return false;
	const own = store.profiles[current]?.baseUrl;
	return typeof own === 'string' && URL.canParse(own) && URL.canParse(given) && !isSameOrigin(own, given);
}

/** Which profile a command with these flags would use. */
export function readChoice(reading: StoreReading, { env, flags, cwd = '.' }: ResolveRequest): Choice {
	const variable = readVariable(env, 'PROFILE', cwd);
	const baseUrl = flags.baseUrl ?? readVariable(env, 'BASE_URL', cwd)?.value;
	const flag = typeof flags.profile === 'string' ? flags.profile : undefined;
	const named = flag ?? variable?.value;
	const { current } = reading.store;
	const leftOut = named === undefined && isForAnotherPlace(reading, baseUrl as string | undefined);
	const profileName = named ?? (leftOut ? undefined : current);
	const chosenBy =
		flag !== undefined ? '--profile' : (variable?.name ?? (profileName === undefined ? undefined : 'current'));
	return { profileName, chosenBy, ...(leftOut && { leftOut: current }) };
}

/** Reads the settings without fetching any secret. Throws UsageError for a profile that is not there. */
export function readSituation(request: ResolveRequest): Situation {
	const { env, flags, cwd = '.' } = request;
	const reading = readStore(request.configDir ?? configFolder({ env, cwd }));
	const choice = readChoice(reading, request);
	const { profileName } = choice;
	const baseUrl = flags.baseUrl === undefined ? readVariable(env, 'BASE_URL', cwd) : undefined;
	const profile = profileName === undefined ? undefined : requireProfile(reading.store, profileName);
	const username = flags.username === undefined ? readVariable(env, 'USERNAME', cwd) : undefined;
	const resolved = resolveSettings({
		flags,
		environment: { ...(baseUrl && { baseUrl }), ...(username && { username }) },
		profile: profile && { name: profileName as string, values: profile, file: reading.file },
	});
	return { ...resolved, ...choice, reading, profile };
}

/** The variable, after SUPPORTCTL_, that holds the secret of a scheme. */
export function variableOf(scheme: Exclude<Scheme, 'none'>): 'PASSWORD' | 'TOKEN' {
	return scheme === 'basic' ? 'PASSWORD' : 'TOKEN';
}

/** The scheme in force: a password or token in the environment beats the profile's scheme as it beats its secret. */
export function effectiveScheme({ settings, sources }: ResolvedSettings, env: Environment, cwd = '.'): Scheme {
	if (sources.scheme.from === 'flag') return settings.scheme;
	const given = { PASSWORD: readVariable(env, 'PASSWORD', cwd), TOKEN: readVariable(env, 'TOKEN', cwd) };
	if (given.PASSWORD === undefined && given.TOKEN === undefined) return settings.scheme;
	const stated = sources.scheme.from === 'profile' ? settings.scheme : 'none';
	if (stated !== 'none' && given[variableOf(stated)] !== undefined) return stated;
	if (given.PASSWORD !== undefined && given.TOKEN !== undefined) {
		throw new UsageError(`${given.PASSWORD.name} and ${given.TOKEN.name} are both set`, {
			hint: 'unset one of them, or say which is meant: --scheme basic or --scheme bearer',
		});
	}
	return given.PASSWORD !== undefined ? 'basic' : 'bearer';
}

/** Why the profile's stored secret is not one for this request, or undefined where it is. */
function whyNotStored(situation: Situation, scheme: Scheme, baseUrl: string): string | undefined {
	const { profile, profileName, settings } = situation;
	if (profile === undefined && situation.leftOut !== undefined) {
		return `the profile in use, "${situation.leftOut}", is for another host`;
	}
	if (profile?.secret === undefined) return 'none is stored';
	const own = `the one stored in profile "${profileName}"`;
	if ((profile.scheme ?? 'basic') !== scheme) return `${own} is for the scheme ${profile.scheme ?? 'basic'}`;
	if (typeof profile.baseUrl === 'string' && URL.canParse(profile.baseUrl) && !isSameOrigin(profile.baseUrl, baseUrl)) {
		return `${own} is for ${new URL(profile.baseUrl).host} and is not sent to another host`;
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
export function describeSecret(
	situation: Situation,
	env: Environment,
	cwd = '.',
): { noun: string; state: string; source: string } {
	const scheme = effectiveScheme(situation, env, cwd);
	const noun = secretNoun(scheme).replace(' ', '-');
	if (scheme === 'none') return { noun, state: 'not needed', source: 'scheme none' };
	const variable = readVariable(env, variableOf(scheme), cwd);
	if (variable !== undefined) return { noun, state: 'set', source: `environment ${variable.name}` };
	const { settings, profile, profileName } = situation;
	const stored = profile?.secret;
	const target = settings.baseUrl ?? profile?.baseUrl;
	const why =
		stored !== undefined && typeof target === 'string' && URL.canParse(target)
			? whyNotStored(situation, scheme, target)
			: undefined;
	if (stored === undefined) {
		const { leftOut } = situation;
		const source = leftOut === undefined ? 'nowhere' : `the profile in use, "${leftOut}", is for another host`;
		return { noun, state: 'not set', source };
	}
	const place = stored.store === 'file' ? `${describeStore(stored)} ${situation.reading.file}` : describeStore(stored);
	if (why !== undefined) return { noun, state: 'not used', source: why };
	const entry = stored.store === 'keyring' ? `, entry "${stored.account}" of "supportctl"` : '';
	return { noun, state: 'set', source: `${place}${entry} (profile ${profileName})` };
}

async function findSecret(
	request: ResolveRequest,
	situation: Situation,
	scheme: Exclude<Scheme, 'none'>,
	baseUrl: string,
): Promise<EnvironmentValue> {
	const { env, cwd } = request;
	const { profile, profileName } = situation;
	const variable = variableOf(scheme);
	const fromEnvironment = readVariable(env, variable, cwd);
	if (fromEnvironment !== undefined) return fromEnvironment;
	const why = whyNotStored(situation, scheme, baseUrl);
	if (why !== undefined || profile?.secret === undefined) {
		const login = profileName === undefined ? 'supportctl login' : `supportctl login --profile ${profileName}`;
		throw new RefusedError(`not signed in to ${baseUrl}: no ${secretNoun(scheme)} (${why})`, {
			code: 'not_signed_in',
			hint: `${login}, or set SUPPORTCTL_${variable}`,
		});
	}
	const value = await fetchSecret(profile.secret, {
		env,
		profileName: profileName as string,
		...(request.openKeyring && { openKeyring: request.openKeyring }),
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

async function findAuth(
	request: ResolveRequest,
	situation: Situation,
	baseUrl: string,
): Promise<{ auth: Auth; secretSource: string }> {
	const scheme = effectiveScheme(situation, request.env, request.cwd);
	if (scheme === 'none' || request.credentials === false) return { auth: { scheme: 'none' }, secretSource: 'none' };
	const { settings } = situation;
	if (scheme === 'basic' && settings.username === undefined) {
		throw new RefusedError(`not signed in to ${baseUrl}: no user name`, {
			code: 'not_signed_in',
			hint: 'supportctl login, or --username, or SUPPORTCTL_USERNAME',
		});
	}
	// Before the secret is fetched, so that a mistake in the settings asks nobody to unlock anything.
	makeAuth(scheme, settings, '');
	const { value, name } = await findSecret(request, situation, scheme, baseUrl);
	return { auth: makeAuth(scheme, settings, checkSecret(scheme, value, name)), secretSource: name };
}

/** The base URL in force, checked; `allowHttp` of a profile holds for that profile's own host only. */
export function resolveBaseUrl(situation: Situation): { url: string; warnings: string[] } {
	const { settings, sources, profile, profileName } = situation;
	if (settings.baseUrl === undefined) {
		const why = profileName === undefined ? 'no profile' : `profile "${profileName}" has no base URL`;
		throw new RefusedError(`not signed in: ${why} and no SUPPORTCTL_BASE_URL`, {
			code: 'not_signed_in',
			hint: 'supportctl login',
		});
	}
	const { from, name } = sources.baseUrl;
	const own = profile?.baseUrl;
	const sameHost = typeof own === 'string' && URL.canParse(own) && sameHostName(own, settings.baseUrl);
	return parseBaseUrl(settings.baseUrl, {
		allowHttp: settings.allowHttp && sameHost,
		productPrefix: settings.productPrefix,
		from: from === 'profile' ? `profile "${name}"` : name,
	});
}

function sameHostName(left: string, right: string): boolean {
	return URL.canParse(right) && new URL(left).hostname === new URL(right).hostname;
}

/** The deployment's words for support, shop and shopm. */
export function prefixesOf(settings: Settings): ResolvedConnection['prefixes'] {
	return { product: settings.productPrefix, shop: settings.shopPrefix, membership: settings.membershipPrefix };
}

/** A private key that is looked for in the certificate's file. */
const KEY_BESIDE = '--cert (no --key given)';

/** A system's whole list of authorities has a fifth of a MiB. */
const MAX_PEM_BYTES = 4 * 1024 * 1024;

/** Reads the PEM files; a private key that others can read is worth a warning. */
export function readTls(settings: Settings, cwd: string, warnings: string[]): ResolvedConnection['tls'] {
	const read = (flag: string, given: string | undefined, marker: RegExp): string | undefined => {
		if (given === undefined) return undefined;
		const path = resolvePath(cwd, given);
		let text: string;
		try {
			text = readSmallFile(path, MAX_PEM_BYTES).toString('latin1');
		} catch (error) {
			const code = (error as NodeJS.ErrnoException).code;
			const why = code === 'ERR_SMALL_FILE' ? (error as Error).message : code;
			throw new UsageError(`${flag}: ${path} ${code === 'ENOENT' ? 'does not exist' : `can't be read (${why})`}`);
		}
		if (!marker.test(text)) {
			const hint = flag === KEY_BESIDE ? '--key names the private key, where it has a file of its own' : undefined;
			throw new UsageError(`${flag}: ${path} is not a PEM file of that kind`, { ...(hint && { hint }) });
		}
		return text;
	};
	const certificate = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/;
	const ca = read('--ca-file', settings.caFile, certificate);
	const cert = read('--cert', settings.cert, certificate);
	// A key may stand in the certificate's file, as many tools write it.
	const keyPath = settings.key ?? settings.cert;
	const key = read(settings.key === undefined ? KEY_BESIDE : '--key', keyPath, /-----BEGIN [A-Z ]*PRIVATE KEY-----/);
	if (key !== undefined && cert === undefined) {
		throw new UsageError('--key needs --cert', { hint: '--cert names the certificate that the key belongs to' });
	}
	if (key !== undefined && /ENCRYPTED/.test(key)) {
		throw new UsageError(`--key: ${keyPath} is encrypted, which is not supported`, {
			hint: 'decrypt it with `openssl pkey -in KEY -out NEWKEY` into a file that only you can read',
		});
	}
	if (key !== undefined && process.platform !== 'win32') {
		const path = resolvePath(cwd, keyPath as string);
		if (statSync(path).mode & 0o077) warnings.push(`the private key ${path} can be read by others: chmod 600 ${path}`);
	}
	return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

/** HTTP_PROXY, HTTPS_PROXY and NO_PROXY; the lower-case spelling wins, as it does for curl. */
export function readProxies(env: Environment): ProxySettings {
	const read = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
	const [httpProxy, httpsProxy, noProxy] = [read('HTTP_PROXY'), read('HTTPS_PROXY'), read('NO_PROXY')];
	return { ...(httpProxy && { httpProxy }), ...(httpsProxy && { httpsProxy }), ...(noProxy && { noProxy }) };
}

/**
 * Resolves the connection: a flag beats the environment, which beats the profile, which beats the default. A profile's
 * stored secret goes only to that profile's own host, user and scheme. Throws RefusedError (exit code 4) where no one
 * is signed in, UsageError where a setting can't be used.
 */
export async function resolveConnection(request: ResolveRequest): Promise<ResolvedConnection> {
	const situation = readSituation(request);
	const { settings, profileName } = situation;
	const baseUrl = resolveBaseUrl(situation);
	const warnings = [...situation.reading.warnings, ...baseUrl.warnings];
	const tls = readTls(settings, request.cwd ?? '.', warnings);
	const { auth, secretSource } = await findAuth(request, situation, baseUrl.url);
	const { concurrency, rate, format } = settings;
	return {
		...(profileName !== undefined && { profileName }),
		baseUrl: baseUrl.url,
		auth,
		timeoutMs: settings.timeout * 1000,
		prefixes: prefixesOf(settings),
		tls,
		proxy: readProxies(request.env),
		allowHttp: settings.allowHttp,
		protected: settings.protected,
		defaults: {
			...(concurrency !== undefined && { concurrency }),
			...(rate !== undefined && { rate }),
			...(format !== undefined && { format }),
		},
		secretSource,
		warnings,
	};
}
