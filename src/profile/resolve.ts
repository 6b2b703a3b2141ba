/** Everything a command needs to reach the service, from flags, environment, profile and defaults, and where each came from. */

import { statSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { fileProblem, RefusedError, UsageError } from '../errors.js';
import { readSmallFile } from '../folder.js';
import type { Auth, ProxySettings } from '../net.js';
import { checkSecret, checkUserName, describeStore, fetchSecret, type StoredSecret, secretNoun } from './secrets.js';
import {
	configFolder,
	connectionVariables,
	type Environment,
	type EnvironmentValue,
	isSameOrigin,
	listed,
	parseBaseUrl,
	type ResolvedSettings,
	readVariable,
	resolveSettings,
	type Scheme,
	type Settings,
	withoutConnection,
} from './settings.js';
import { readStore, requireProfile, type StoredProfile, type StoreReading } from './store.js';

export interface ResolvedConnection {
	profileName: string | undefined;
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
	defaults: Pick<Settings, 'concurrency' | 'rate' | 'format' | 'snapshot'>;
	/** Where the secret came from: a variable's name, `profile file`, `system keyring`, `secret command` or `none`. */
	secretSource: string;
	/** To be shown on stderr at each use. */
	warnings: string[];
}

export interface ResolveRequest {
	env: Environment;
	/** Connection options by camel-cased name; others are ignored. */
	flags: Readonly<Record<string, unknown>>;
	cwd?: string;
	/** False leaves credentials out: nothing is fetched, and `auth` is `none`. For runs that send nothing. */
	credentials?: boolean;
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

/** The stored profile of a name, if there is one. */
export function profileNamed({ profiles }: StoreReading['store'], name: string | undefined): StoredProfile | undefined {
	return name === undefined ? undefined : profiles[name];
}

/** Whether a profile is known to be for another place than a base URL. */
function isElsewhere(profile: StoredProfile | undefined, baseUrl: unknown): boolean {
	const own = profile?.baseUrl;
	return isSameOrigin(own, own) && isSameOrigin(baseUrl, baseUrl) && !isSameOrigin(own, baseUrl);
}

/** Which profile a command with these flags would use. */
export function readChoice({ store }: StoreReading, { env, flags, cwd = '.' }: ResolveRequest): Choice {
	if (typeof flags.profile === 'string') return { profileName: flags.profile, chosenBy: '--profile' };
	const variable = readVariable(env, 'PROFILE', cwd);
	if (variable !== undefined) return { profileName: variable.value, chosenBy: variable.name };
	const { current } = store;
	const baseUrl = flags.baseUrl ?? readVariable(env, 'BASE_URL', cwd)?.value;
	if (isElsewhere(profileNamed(store, current), baseUrl)) {
		return { profileName: undefined, chosenBy: undefined, leftOut: current };
	}
	return { profileName: current, chosenBy: current === undefined ? undefined : 'current' };
}

/** Reads the settings without fetching any secret. Throws UsageError for a profile that is not there. */
export function readSituation(request: ResolveRequest): Situation {
	const { flags, cwd = '.' } = request;
	const reading = readStore(configFolder({ env: request.env, cwd }));
	const choice = readChoice(reading, request);
	const { profileName } = choice;
	const profile = profileName === undefined ? undefined : requireProfile(reading.store, profileName);
	// A profile that a flag names beats the connection variables: what they say is for another service.
	const ignored = typeof flags.profile === 'string' ? connectionVariables(request.env) : [];
	const env = ignored.length === 0 ? request.env : withoutConnection(request.env);
	const are = ignored.length === 1 ? 'is' : 'are';
	const warnings =
		ignored.length === 0
			? []
			: [`profile "${profileName}" is used as named: ${listed(ignored)} in the environment ${are} ignored`];
	const values = profile && { name: profileName as string, values: profile, file: reading.file };
	const resolved = resolveSettings({ flags, env, cwd, profile: values });
	return { ...resolved, ...choice, reading, profile, env, cwd, warnings };
}

/** The variable, after SUPPORTCTL_, that holds the secret of a scheme. */
export const secretVariables = { basic: 'PASSWORD', bearer: 'TOKEN', header: 'TOKEN' } as const;

/**
 * The scheme in force, and the secret that the environment has for it: a password or token in the environment beats the
 * profile's scheme as it beats its secret.
 */
export function readScheme({ settings, sources, env, cwd }: ResolvedSettings & Pick<Situation, 'env' | 'cwd'>): {
	scheme: Scheme;
	given?: EnvironmentValue | undefined;
} {
	const { scheme } = settings;
	const { from } = sources.scheme;
	if (from === 'flag') {
		return scheme === 'none' ? { scheme } : { scheme, given: readVariable(env, secretVariables[scheme], cwd) };
	}
	const password = readVariable(env, 'PASSWORD', cwd);
	const token = readVariable(env, 'TOKEN', cwd);
	const own = { basic: password, bearer: token, header: token, none: undefined }[scheme];
	if (from === 'profile' && own !== undefined) return { scheme, given: own };
	if (password !== undefined && token !== undefined) {
		throw new UsageError(`${password.name} and ${token.name} are both set`, {
			hint: 'unset one of them, or choose: --scheme basic or --scheme bearer',
		});
	}
	if (password !== undefined) return { scheme: 'basic', given: password };
	return token === undefined ? { scheme } : { scheme: 'bearer', given: token };
}

/** Why the profile's stored secret is not one for this request, or undefined where it is. */
function whyNotStored({ profile, profileName, settings, leftOut }: Situation, scheme: Scheme): string | undefined {
	if (leftOut !== undefined) return `the profile in use, "${leftOut}", is for another host`;
	if (profile?.secret === undefined) return 'none is stored';
	const own = `the one stored in profile "${profileName}"`;
	if ((profile.scheme ?? 'basic') !== scheme) return `${own} is for the scheme ${profile.scheme ?? 'basic'}`;
	if (isElsewhere(profile, settings.baseUrl)) {
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
	const { profile, profileName, leftOut, reading } = situation;
	const { scheme, given } = readScheme(situation);
	const noun = secretNoun(scheme).replace(' ', '-');
	if (scheme === 'none') return { noun, state: 'not needed', source: 'scheme none' };
	if (given !== undefined) return { noun, state: 'set', source: `environment ${given.name}` };
	const why = whyNotStored(situation, scheme);
	const stored = profile?.secret;
	if (stored === undefined) return { noun, state: 'not set', source: leftOut === undefined ? 'nowhere' : String(why) };
	if (why !== undefined) return { noun, state: 'not used', source: why };
	const place = {
		file: ` ${reading.file}`,
		keyring: `, entry "${'account' in stored ? stored.account : ''}" of "supportctl"`,
		command: '',
	}[stored.store];
	return { noun, state: 'set', source: `${describeStore(stored)}${place} (profile ${profileName})` };
}

/** Puts credentials together. @throws UsageError where they can't be sent under the scheme */
export function makeAuth(
	scheme: Exclude<Scheme, 'none'>,
	{ username, headerName }: { username?: string | undefined; headerName?: string | undefined },
	secret: string,
): Auth {
	if (scheme === 'bearer') return { scheme, token: secret };
	if (scheme === 'basic') {
		if (username === undefined) throw new UsageError('no user name is given', { hint: 'give --username' });
		return { scheme, username: checkUserName(username), password: secret };
	}
	if (headerName === undefined) {
		throw new UsageError('the scheme "header" needs the header\'s name', { hint: 'give --header-name' });
	}
	return { scheme, name: headerName, value: secret };
}

/** Finds the credentials: those of the environment, else the stored ones. @throws RefusedError where there are none */
export async function findAuth(
	request: ResolveRequest,
	situation: Situation,
	baseUrl: string,
): Promise<Pick<ResolvedConnection, 'auth' | 'secretSource'>> {
	const { settings, profile, profileName, chosenBy } = situation;
	const { scheme, given } = readScheme(situation);
	if (scheme === 'none' || request.credentials === false) return { auth: { scheme: 'none' }, secretSource: 'none' };
	if (scheme === 'basic' && settings.username === undefined) {
		throw new RefusedError(`not signed in to ${baseUrl}: no user name`, {
			code: 'not_signed_in',
			hint: 'supportctl login, or --username, or SUPPORTCTL_USERNAME',
		});
	}
	// Before the secret is fetched, so that a mistake in the settings does not ask anyone to unlock a keyring.
	makeAuth(scheme, settings, '');
	const why = given === undefined ? whyNotStored(situation, scheme) : undefined;
	if (why !== undefined) {
		const login = profileName === undefined ? 'supportctl login' : `supportctl login --profile ${profileName}`;
		throw new RefusedError(`not signed in to ${baseUrl}: no ${secretNoun(scheme)} (${why})`, {
			code: 'not_signed_in',
			hint: chosenBy === '--profile' ? login : `${login}, or set SUPPORTCTL_${secretVariables[scheme]}`,
		});
	}
	const stored = profile?.secret as StoredSecret;
	const name = given?.name ?? describeStore(stored);
	const value = given?.value ?? (await fetchSecret(stored, request.env, profileName as string));
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
	const [own, host] = [profile?.baseUrl, baseUrl].map(
		(url) => URL.canParse(String(url)) && new URL(String(url)).hostname,
	);
	const sameHost = own === host;
	const rules = {
		allowHttp: settings.allowHttp && sameHost,
		productPrefix: settings.productPrefix,
		from: from === 'profile' ? `profile "${name}"` : name,
	};
	return { ...parseBaseUrl(baseUrl, rules), allowHttp: rules.allowHttp };
}

/** The deployment's words for support, shop and shopm. */
export function prefixesOf(settings: Settings): ResolvedConnection['prefixes'] {
	return { product: settings.productPrefix, shop: settings.shopPrefix, membership: settings.membershipPrefix };
}

/** A system's whole list of authorities is a fifth of a MiB. */
const MAX_PEM_BYTES = 4 * 1024 * 1024;

/** Reads the PEM files; a private key that others can read is worth a warning. */
export function readTls(settings: Settings, cwd: string, warnings: string[]): ResolvedConnection['tls'] {
	const { caFile, cert: certFile, key: keyFile } = settings;
	const read = (flag: string, file: string, marker: RegExp, hint?: string): string => {
		const path = resolvePath(cwd, file);
		let text = '';
		try {
			text = readSmallFile(path, MAX_PEM_BYTES).toString('latin1');
		} catch (error) {
			throw new UsageError(`${flag}: ${path} can't be read: ${fileProblem(error)}`, { cause: error });
		}
		if (marker.test(text)) return text;
		throw new UsageError(`${flag}: ${path} is not a PEM file of that kind`, { ...(hint && { hint }) });
	};
	const certificate = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/;
	const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
	const ca = caFile === undefined ? {} : { ca: read('--ca-file', caFile, certificate) };
	if (certFile === undefined) {
		if (keyFile === undefined) return ca;
		throw new UsageError('--key needs --cert', { hint: '--cert names the certificate that the key belongs to' });
	}
	const cert = read('--cert', certFile, certificate);
	// A key may stand in the certificate's file, as many tools write it.
	const key =
		keyFile === undefined
			? read(
					'--cert (no --key given)',
					certFile,
					privateKey,
					'--key names the private key, where it is in another file',
				)
			: read('--key', keyFile, privateKey);
	const path = resolvePath(cwd, keyFile ?? certFile);
	if (/ENCRYPTED/.test(key)) {
		throw new UsageError(`--key: ${path} is encrypted, which is not supported`, {
			hint: 'decrypt it with `openssl pkey -in KEY -out NEWKEY` into a file that only you can read',
		});
	}
	if (process.platform !== 'win32' && statSync(path).mode & 0o077) {
		warnings.push(`the private key ${path} can be read by others: chmod 600 ${path}`);
	}
	return { ...ca, cert, key };
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
	const { concurrency, rate, format, snapshot } = settings;
	return {
		profileName,
		baseUrl,
		...(await findAuth(request, situation, baseUrl)),
		timeoutMs: settings.timeout * 1000,
		prefixes: prefixesOf(settings),
		tls,
		proxy: readProxies(request.env),
		allowHttp,
		protected: settings.protected,
		defaults: { concurrency, rate, format, snapshot },
		warnings,
	};
}
