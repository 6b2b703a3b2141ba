/** What a command needs to reach the service, and where each part comes from. */

import { resolve as resolvePath } from 'node:path';
import { ExitCode, fileProblem, NOT_SIGNED_IN, SupportctlError, UsageError } from '../errors.js';
import { readSmallFile } from '../folder.js';
import type { Auth, ProxySettings, TlsFiles } from '../net.js';
import { checkSecret, describeStore, fetchSecret, type StoredSecret } from './secrets.js';
import {
	configFolder,
	connectionVariables,
	type Environment,
	emptied,
	type Flags,
	isSameOrigin,
	listed,
	originOf,
	type Place,
	parseBaseUrl,
	type ResolvedSettings,
	readVariable,
	resolveSettings,
	type Scheme,
	type Settings,
	schemes,
	withoutConnection,
} from './settings.js';
import { permissionWarnings, readStore, requireProfile, type Store, secretIsFor } from './store.js';

/** `leftOut` is the current profile if the base URL given is on a different host. */
export function readChoice({ profiles, current }: Store, place: Place, flags: Flags) {
	if (typeof flags.profile === 'string') return { profileName: flags.profile, chosenBy: '--profile' };
	const variable = readVariable(place, 'PROFILE');
	if (variable !== undefined) return { profileName: variable.value, chosenBy: variable.name };
	const own = originOf(profiles[current ?? '']?.baseUrl);
	const origin = originOf(flags.baseUrl ?? readVariable(place, 'BASE_URL')?.value) ?? own;
	if (own === undefined || own === origin) return { profileName: current, chosenBy: current && 'current' };
	return { profileName: undefined, chosenBy: undefined, leftOut: current };
}

export type Setup = ReturnType<typeof readSetup>;

/** Fetches no secret. @throws UsageError for an unknown profile */
export function readSetup(place: Place, flags: Flags) {
	const { store, file, exists, warnings } = readStore(configFolder(place));
	const choice = readChoice(store, place, flags);
	const { profileName } = choice;
	const profile = profileName === undefined ? undefined : requireProfile(store, profileName);
	// A profile from a flag overrides the connection variables: they are for a different service.
	const ignored = typeof flags.profile === 'string' ? connectionVariables(place.env) : [];
	if (ignored.length > 0) warnings.push(`--profile ${profileName} overrides ${listed(ignored)}`);
	const env = ignored.length > 0 ? withoutConnection(place.env) : place.env;
	const named = profile && { name: profileName ?? '', values: profile, file };
	const resolved = resolveSettings({ env, cwd: place.cwd }, flags, named);
	return { ...resolved, ...choice, profile, file, exists, warnings };
}

interface SecretPlace {
	scheme: Scheme;
	value?: string;
	stored?: StoredSecret;
	source: string;
}

export function readScheme(resolved: ResolvedSettings): SecretPlace {
	const { settings, sources } = resolved;
	const { scheme } = settings;
	const password = readVariable(resolved, 'PASSWORD');
	const token = readVariable(resolved, 'TOKEN');
	const given = (of: Scheme, variable: typeof token): SecretPlace => ({
		scheme: of,
		value: variable?.value,
		source: variable?.name ?? missing(resolved.env, schemes[of].variable, `no ${schemes[of].secret}`),
	});
	const { variable } = schemes[scheme];
	const own = variable && { PASSWORD: password, TOKEN: token }[variable];
	const { from } = sources.scheme;
	if (from === 'flag' || (from === 'profile' && own !== undefined)) return given(scheme, own);
	if (password !== undefined && token !== undefined) {
		const hint = 'unset one, or pass --scheme basic or --scheme bearer';
		throw new UsageError(`${password.name} and ${token.name} are both set`, { hint });
	}
	if (password !== undefined) return given('basic', password);
	return token === undefined ? given(scheme, undefined) : given('bearer', token);
}

/** A script that lost a setting should not look for another one. */
function missing(env: Environment, variable: Parameters<typeof emptied>[1] | undefined, text: string): string {
	const name = variable && emptied(env, variable);
	return name === undefined ? text : `${name} is empty`;
}

function locateSecret(setup: Setup): SecretPlace {
	const { profile, profileName, settings, leftOut } = setup;
	const place = readScheme(setup);
	const { scheme, value, source: none } = place;
	if (scheme === 'none' || value !== undefined) return place;
	if (leftOut !== undefined) return { scheme, source: `${none} (profile "${leftOut}" is for a different host)` };
	if (profile?.secret === undefined) return place;
	const other = secretIsFor(profile, { ...settings, scheme });
	if (other === undefined) return { scheme, stored: profile.secret, source: describeStore(profile.secret) };
	return { scheme, source: `the secret stored in profile "${profileName}" is for ${other}` };
}

/** For `profile show`; the secret is neither fetched nor shown. */
export function describeSecret(setup: Setup): { setting: string; value: string; source: string } {
	const { scheme, value, stored, source } = locateSecret(setup);
	const setting = schemes[scheme].secret.replace(' ', '-');
	if (scheme === 'none') return { setting, value: 'not needed', source: 'scheme none' };
	if (value !== undefined) return { setting, value: 'set', source: `environment ${source}` };
	if (stored !== undefined) return { setting, value: 'set', source: `${source} (profile ${setup.profileName})` };
	return { setting, value: setup.profile?.secret === undefined ? 'not set' : 'not used', source };
}

export function makeAuth(scheme: Exclude<Scheme, 'none'>, { username, headerName }: Settings, secret: string): Auth {
	if (scheme === 'bearer') return { scheme, token: secret };
	if (scheme === 'basic') {
		if (username === undefined) throw new UsageError('missing username', { hint: 'pass --username' });
		if (!username.includes(':')) return { scheme, username, password: secret };
		throw new UsageError(`usernames can't contain a colon under --scheme basic: ${JSON.stringify(username)}`);
	}
	if (headerName !== undefined) return { scheme, name: headerName, value: secret };
	throw new UsageError('--scheme header needs --header-name', { hint: 'for example --header-name X-Api-Key' });
}

export interface SignIn {
	auth: Auth;
	secretSource: string;
}

export const anonymous: SignIn = { auth: { scheme: 'none' }, secretSource: 'none' };

/** @throws SupportctlError if there are no credentials */
export async function findAuth(setup: Setup, baseUrl: string): Promise<SignIn> {
	const { settings, profileName, chosenBy, env } = setup;
	const { scheme, value, stored, source } = locateSecret(setup);
	if (scheme === 'none') return anonymous;
	const refusal = (reason: string, variable: string | undefined, flag = ''): SupportctlError => {
		// Beside --profile, variables are ignored.
		const orSet = chosenBy === '--profile' ? '' : `, or set SUPPORTCTL_${variable}`;
		return notSignedIn(`not signed in to ${baseUrl}: ${reason}`, setup, flag + orSet);
	};
	const { sentWith, variable } = schemes[scheme];
	if (sentWith?.setting === 'username' && settings.username === undefined) {
		throw refusal(missing(env, 'USERNAME', 'no username'), 'USERNAME', ', or pass --username');
	}
	// A wrong setting should not ask anyone to unlock a keyring.
	makeAuth(scheme, settings, '');
	const secret = value ?? (stored && (await fetchSecret(stored, env, profileName ?? '')));
	if (secret === undefined) throw refusal(source, variable);
	return { auth: makeAuth(scheme, settings, checkSecret(scheme, secret, source)), secretSource: source };
}

function notSignedIn(message: string, { profileName }: Setup, otherWays = ''): SupportctlError {
	const login = `supportctl login${profileName === undefined ? '' : ` --profile ${profileName}`}`;
	return new SupportctlError(message, ExitCode.refused, { code: NOT_SIGNED_IN, hint: login + otherWays });
}

/** `allowHttp` applies to the profile's own origin only. */
export function resolveBaseUrl(setup: Setup): { url: string; warnings: string[]; allowHttp: boolean } {
	const { settings, sources, profile, profileName } = setup;
	const { baseUrl } = settings;
	if (baseUrl === undefined) {
		const why = profileName === undefined ? 'no profile' : `profile "${profileName}" has no base URL`;
		const unset = missing(setup.env, 'BASE_URL', 'no SUPPORTCTL_BASE_URL');
		throw notSignedIn(`not signed in: ${why} and ${unset}`, setup);
	}
	const { from, name } = sources.baseUrl;
	// A script that lost its setting must not write to another host.
	if (from === 'profile' && setup.chosenBy === 'current' && emptied(setup.env, 'BASE_URL') !== undefined) {
		throw new UsageError(`SUPPORTCTL_BASE_URL is empty; the current profile "${name}" is at ${baseUrl}`, {
			code: 'empty_base_url',
			hint: `set it, unset it, or pass --profile ${name}`,
		});
	}
	const allowHttp = settings.allowHttp && isSameOrigin(profile?.baseUrl, baseUrl);
	const parsed = parseBaseUrl(baseUrl, { allowHttp, from: from === 'profile' ? `profile "${name}"` : name });
	return { ...parsed, allowHttp };
}

/** A system's whole list of authorities is a fifth of a MiB. */
const MAX_PEM_BYTES = 4 * 1024 * 1024;

const TLS_HINT = 'check that --ca-file, --cert and --key point to readable PEM files';

function readPem(flag: string, path: string, what: string): string {
	let text: string;
	try {
		text = readSmallFile(path, MAX_PEM_BYTES).toString('latin1');
	} catch (cause) {
		throw new UsageError(`${flag}: ${path} can't be read: ${fileProblem(cause)}`, { hint: TLS_HINT, cause });
	}
	if (new RegExp(`-----BEGIN [A-Z0-9 ]*${what}-----`, 'i').test(text)) return text;
	throw new UsageError(`${flag}: ${path} contains no PEM ${what}`, { hint: TLS_HINT });
}

export function readTls({ settings, cwd }: ResolvedSettings): { tls: TlsFiles; warnings: string[] } {
	const { caFile, cert: certFile, key: keyFile } = settings;
	const ca = caFile && readPem('--ca-file', resolvePath(cwd, caFile), 'certificate');
	if (certFile === undefined) {
		if (keyFile === undefined) return { tls: { ca }, warnings: [] };
		throw new UsageError('--key needs --cert', { hint: 'pass the certificate with --cert' });
	}
	const cert = readPem('--cert', resolvePath(cwd, certFile), 'certificate');
	// The key may be in the certificate's file.
	const path = resolvePath(cwd, keyFile ?? certFile);
	const key = readPem('--key', path, 'private key');
	// ssh refuses a key that others can read; a warning is enough for one that a group may share.
	if (!key.includes('ENCRYPTED')) return { tls: { ca, cert, key }, warnings: permissionWarnings(path) };
	throw new UsageError(`--key: ${path} is encrypted, which is not supported`, {
		hint: 'decrypt it: openssl pkey -in KEY -out NEWKEY',
	});
}

/** The lower-case spelling takes precedence, as for curl. */
export function readProxies(env: Environment): ProxySettings {
	const read = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
	return { httpProxy: read('HTTP_PROXY'), httpsProxy: read('HTTPS_PROXY'), noProxy: read('NO_PROXY') };
}

/** A stored secret goes only to the origin, user and scheme it is for. @throws SupportctlError if not signed in */
export async function resolveConnection(place: Place, flags: Flags, credentials = true) {
	const setup = readSetup(place, flags);
	const { settings, profileName, env } = setup;
	const { url: baseUrl, warnings: ofUrl, allowHttp } = resolveBaseUrl(setup);
	const { tls, warnings: ofKey } = readTls(setup);
	const warnings = [...setup.warnings, ...ofUrl, ...ofKey];
	const signIn = credentials ? await findAuth(setup, baseUrl) : anonymous;
	return { ...signIn, profileName, baseUrl, settings, tls, allowHttp, warnings, proxy: readProxies(env) };
}

export type Connection = Awaited<ReturnType<typeof resolveConnection>>;
