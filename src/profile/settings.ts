/** Every setting as data, and where each takes its value from. */

import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { fileProblem, UsageError } from '../errors.js';
import { readSmallFile } from '../folder.js';
import { mayBeLoopback } from '../net.js';

interface SchemeFacts {
	/** What its secret is called. */
	readonly secret: string;
	/** Behind SUPPORTCTL_, for the secret; undefined if there is none. */
	readonly variable: 'PASSWORD' | 'TOKEN' | undefined;
	/** The setting that is sent with the secret: a stored one is for this value alone. */
	readonly sentWith: { readonly setting: 'username' | 'headerName'; readonly noun: string } | undefined;
}

/** How to sign in. A member that lacks a column does not compile. */
const schemeRows = {
	basic: { secret: 'password', variable: 'PASSWORD', sentWith: { setting: 'username', noun: 'user' } },
	bearer: { secret: 'token', variable: 'TOKEN', sentWith: undefined },
	header: { secret: 'header value', variable: 'TOKEN', sentWith: { setting: 'headerName', noun: 'header' } },
	none: { secret: 'secret', variable: undefined, sentWith: undefined },
} as const satisfies Record<string, SchemeFacts>;

export type Scheme = keyof typeof schemeRows;

export const schemes: Readonly<Record<Scheme, SchemeFacts>> = schemeRows;

export const schemeNames = Object.keys(schemes) as Scheme[];

/** Variables that contain a secret. */
export const secretVariables: readonly string[] = schemeNames.flatMap((name) => {
	const { variable } = schemes[name];
	return variable === undefined ? [] : [`SUPPORTCTL_${variable}`];
});

export interface SettingKind<Value> {
	/** @returns undefined if it isn't valid */
	read(given: unknown): Value | undefined;
	/** The text after "is not" in an error. */
	expected: string;
}

/** Spelled out: looking up `\p{Cc}` takes half a millisecond at each start. */
const NO_CONTROLS = /^[^\x00-\x1f\x7f-\x9f]+$/;

const text = (expected = 'text without control characters', pattern = NO_CONTROLS): SettingKind<string> => ({
	expected,
	read: (given) => (typeof given === 'string' && pattern.test(given) ? given : undefined),
});

export const number = (
	least: number,
	most: number,
	expected = `a number from ${least} to ${most}`,
	fits: (value: unknown) => boolean = Number.isFinite,
): SettingKind<number> => ({
	expected,
	read(given) {
		const value = typeof given === 'string' && /^\d+(\.\d+)?$/.test(given.trim()) ? Number(given) : given;
		return typeof value === 'number' && fits(value) && value >= least && value <= most ? value : undefined;
	},
});

export function whole(least: number, most = Number.MAX_SAFE_INTEGER): SettingKind<number> {
	const range = most === Number.MAX_SAFE_INTEGER ? ` of ${least} or more` : ` from ${least} to ${most}`;
	return number(least, most, `a whole number${range}`, Number.isInteger);
}

const oneOf = <Value extends string | boolean>(expected: string, values: readonly Value[]): SettingKind<Value> => ({
	expected,
	read: (given) => values.find((each) => String(each) === String(given)),
});

const flag = oneOf('true or false', [true, false]);

const prefix = text('a prefix: a letter, then letters, digits, - or _', /^[A-Za-z][A-Za-z0-9_-]{0,31}$/);

const headerName = text('a header name', /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/i);

export const DEFAULT_RETRIES = 4;
export const DEFAULT_CONCURRENCY = 4;

/** `variable` follows SUPPORTCTL_; a `path` is absolute in a profile; `profileOnly` settings have no effect as flags. */
export const settings = {
	/** As given: `parseBaseUrl` checks it. */
	baseUrl: { ...text('a URL'), variable: 'BASE_URL' },
	scheme: { ...oneOf(schemeNames.join(', '), schemeNames), initial: 'basic' },
	username: { ...text(), variable: 'USERNAME' },
	headerName,
	/** Seconds. */
	timeout: { ...number(0.001, 86_400), initial: 30 },
	concurrency: whole(1, 1024),
	/** Requests a second. */
	rate: number(Number.MIN_VALUE, 1_000_000, 'a number above 0, at most 1000000'),
	max: whole(0),
	maxDeletes: { ...whole(0), profileOnly: true },
	requireNote: { ...flag, profileOnly: true, initial: false },
	requirePlan: { ...whole(0), profileOnly: true },
	format: text('the name of a format'),
	/** Whether updates keep old values for `run undo`. */
	snapshot: { ...flag, profileOnly: true },
	/** Every write needs --confirm=PROFILE. */
	protected: { ...flag, profileOnly: true, initial: false },
	/** Allows http:// to hosts other than this machine. */
	allowHttp: { ...flag, profileOnly: true, initial: false },
	caFile: { ...text('a path'), path: true },
	cert: { ...text('a path'), path: true },
	key: { ...text('a path'), path: true },
	productPrefix: { ...prefix, initial: 'support' },
	shopPrefix: { ...prefix, initial: 'shop' },
	membershipPrefix: { ...prefix, initial: 'shopm' },
} as const;

export type SettingName = keyof typeof settings;

type ValueOf<Spec> =
	Spec extends SettingKind<infer Value> ? Value | (Spec extends { initial: Value } ? never : undefined) : never;

export type Settings = { [Name in SettingName]: ValueOf<(typeof settings)[Name]> };

export interface SettingSpec extends SettingKind<string | number | boolean> {
	readonly name: SettingName;
	readonly flag: string;
	readonly variable?: 'BASE_URL' | 'USERNAME';
	readonly profileOnly?: boolean;
	readonly path?: boolean;
	readonly initial?: string | number | boolean;
}

export const settingSpecs: readonly SettingSpec[] = Object.entries(settings).map(([name, spec]) => ({
	...spec,
	name: name as SettingName,
	flag: `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
}));

export function checkSetting<Value>(spec: SettingKind<Value>, given: unknown, where: string, hint?: string): Value {
	const value = spec.read(given);
	if (value !== undefined) return value;
	const shown = JSON.stringify(typeof given === 'string' ? given.slice(0, 100) : given);
	throw new UsageError(`${where}: ${shown} is not ${spec.expected}`, { code: 'invalid_setting', hint });
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Place {
	env: Environment;
	cwd?: string;
	platform?: NodeJS.Platform;
}

/** SUPPORTCTL_CONFIG_DIR and SUPPORTCTL_STATE_DIR, or where the platform keeps such files. */
function folderOf(kind: 'CONFIG' | 'STATE', { env, cwd = '.', platform = process.platform }: Place): string {
	const own = env[`SUPPORTCTL_${kind}_DIR`];
	if (own) return resolve(cwd, own);
	const isState = kind === 'STATE';
	const windows = env[isState ? 'LOCALAPPDATA' : 'APPDATA'];
	if (platform === 'win32' && windows) return join(windows, 'supportctl', isState ? 'state' : '');
	const home = env.HOME || env.USERPROFILE || homedir();
	const xdg = env[`XDG_${kind}_HOME`] ?? '';
	// XDG says to ignore relative paths.
	return join(isAbsolute(xdg) ? xdg : join(home, isState ? '.local/state' : '.config'), 'supportctl');
}

/** Of config.json. */
export const configFolder = (place: Place): string => folderOf('CONFIG', place);

/** Of journals. */
export const stateFolder = (place: Place): string => folderOf('STATE', place);

/** Variables that say where the service is and who signs in. */
const CONNECTION = ['BASE_URL', 'USERNAME', 'PASSWORD', 'TOKEN'] as const;

/** The connection variables that are set, by their whole names. */
export function connectionVariables(env: Environment): string[] {
	return CONNECTION.flatMap((name) => [`SUPPORTCTL_${name}`, `SUPPORTCTL_${name}_FILE`]).filter((name) => env[name]);
}

export function withoutConnection(env: Environment): Environment {
	const names = connectionVariables(env);
	return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}

export function listed(names: readonly string[]): string {
	return new Intl.ListFormat('en-GB').format(names);
}

/** A larger file can't be meant. */
export const MAX_SECRET_BYTES = 64 * 1024;

/** SUPPORTCTL_<name>, or the contents of the file in SUPPORTCTL_<name>_FILE. CI systems leave unset variables empty. @throws UsageError */
export function readVariable(
	{ env, cwd = '.' }: Place,
	variable: 'PROFILE' | (typeof CONNECTION)[number],
): { value: string; name: string } | undefined {
	const plain = `SUPPORTCTL_${variable}`;
	const name = `${plain}_FILE`;
	const value = env[plain];
	const file = env[name];
	if (value && file) throw new UsageError(`${plain} and ${name} are both set`, { hint: 'unset one of them' });
	if (value) return { value, name: plain };
	if (!file) return undefined;
	const path = resolve(cwd, file);
	try {
		const text = new TextDecoder('utf-8', { fatal: true }).decode(readSmallFile(path, MAX_SECRET_BYTES));
		// Editors and `echo` add a line break.
		const content = text.replace(/\r?\n$/, '');
		if (content === '') throw new Error('it is empty');
		return { value: content, name };
	} catch (cause) {
		const hint = `set ${name} to a readable file that contains the value, or unset it`;
		const message = `${name}: can't read ${path}: ${fileProblem(cause)}`;
		throw new UsageError(message, { code: 'unreadable_file', hint, cause });
	}
}

/** The variable that is set and empty, as CI systems leave it without a value. */
export function emptied(env: Environment, variable: (typeof CONNECTION)[number]): string | undefined {
	return [`SUPPORTCTL_${variable}`, `SUPPORTCTL_${variable}_FILE`].find((name) => env[name] === '');
}

export interface Source {
	from: 'flag' | 'environment' | 'profile' | 'default';
	/** `--timeout`, `SUPPORTCTL_USERNAME`, `desk`; empty for defaults. */
	name: string;
}

export type Flags = Readonly<Record<string, unknown>>;

interface NamedProfile {
	name: string;
	values: Readonly<Record<string, unknown>>;
	file: string;
}

export type ResolvedSettings = ReturnType<typeof resolveSettings>;

export function resolveSettings({ env, cwd = '.' }: Place, flags: Flags, profile: NamedProfile | undefined) {
	const values: Partial<Record<SettingName, unknown>> = {};
	const sources: Partial<Record<SettingName, Source>> = {};
	for (const spec of settingSpecs) {
		const { name, flag, variable, initial } = spec;
		const given = spec.profileOnly ? undefined : flags[name];
		const exported = given === undefined && variable ? readVariable({ env, cwd }, variable) : undefined;
		if (given !== undefined) {
			values[name] = checkSetting(spec, given, flag);
			sources[name] = { from: 'flag', name: flag };
		} else if (exported !== undefined) {
			values[name] = checkSetting(spec, exported.value, exported.name);
			sources[name] = { from: 'environment', name: exported.name };
		} else if (profile !== undefined && Object.hasOwn(profile.values, name)) {
			const where = `${profile.file}: profile "${profile.name}": ${name}`;
			const hint = `change it: supportctl profile set ${profile.name} ${flag} …`;
			values[name] = checkSetting(spec, profile.values[name], where, hint);
			sources[name] = { from: 'profile', name: profile.name };
		} else {
			if (initial !== undefined) values[name] = initial;
			sources[name] = { from: 'default', name: '' };
		}
	}
	return { settings: values as Settings, sources: sources as Record<SettingName, Source>, env, cwd };
}

/** `https://desk.example.com`; undefined for anything but a URL. */
export function originOf(url: unknown): string | undefined {
	const text = String(url);
	return URL.canParse(text) ? new URL(text).origin : undefined;
}

/** A secret of one may only be sent to the other if so. The port is part of it. */
export function isSameOrigin(left: unknown, right: unknown): boolean {
	const origin = originOf(left);
	return origin !== undefined && origin === originOf(right);
}

export function isProfileName(text: string): boolean {
	return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);
}

/** Quoted if a shell needs it. */
export function shellWord(text: string): string {
	return /^[\w.~:/%@,+-][\w.~:/%@,+=-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Normalizes a base URL, without a slash at its end.
 * @param from for errors: `--base-url`, `SUPPORTCTL_BASE_URL`, `profile "desk"`
 * @throws UsageError without the URL's password
 */
export function parseBaseUrl(
	given: string,
	{ allowHttp = false, from }: { allowHttp?: boolean; from?: string | undefined } = {},
): { url: string; warnings: string[] } {
	const invalid = (why: string, hint = 'for example https://desk.example.com/wp-json') => {
		const where = from === undefined ? 'base URL' : `base URL (${from})`;
		return new UsageError(`${where}: ${why}`, { code: 'invalid_base_url', hint });
	};
	const text = given.trim();
	// Whatever stands before an @ may be a password, and a fragment a token.
	const address = text.replace(/^([a-z]+:\/\/)?.*@/is, '$1…@').replace(/#.*$/s, '#…');
	const shown = JSON.stringify(address.slice(0, 200));
	const parsed = URL.canParse(text) && !/[\s\\]/.test(text) ? new URL(text) : undefined;
	if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
		const completed = withScheme(text);
		if (completed !== text) throw invalid(`${shown} has no scheme`, `use ${completed}`);
		throw invalid(`${shown} is ${parsed === undefined ? 'not a URL' : 'neither https:// nor http://'}`);
	}
	const { protocol, origin, hostname, pathname, search, username, password } = parsed;
	if (username !== '' || password !== '') {
		throw invalid('must not contain a username or password', 'pass --username; the password is asked for');
	}
	// Sites without pretty URLs take the path as a parameter.
	const route = /^\?rest_route=([^&]*)$/.exec(search)?.[1];
	const isFragment = text.includes('#');
	if (isFragment || (text.includes('?') && route === undefined)) {
		throw invalid(`${shown} has a ${isFragment ? 'fragment (#)' : 'query'}`, `use ${origin}${pathname}`);
	}
	const start = route === undefined ? origin : `${origin}${pathname}?rest_route=`;
	const path = (route?.replace(/%2f/gi, '/') ?? pathname).replace(/\/{2,}/g, '/').replace(/\/+$/, '');
	// The API's own path was pasted with it.
	const pasted = /\/[A-Za-z][\w-]*-api(?:\/v1(?:\/.*)?)?$/.exec(path)?.[0] ?? '';
	const url = start + path.slice(0, path.length - pasted.length);
	if (protocol === 'http:' && !mayBeLoopback(hostname) && !allowHttp) {
		const hint = `use ${url.replace('http', 'https')}, or sign in with --allow-http`;
		throw invalid(`${shown} would send credentials unencrypted`, hint);
	}
	return { url, warnings: pasted ? [`using ${url} as the base URL, without ${pasted}`] : [] };
}

/** Adds `https://` to `desk.example.com`. */
export function withScheme(text: string): string {
	if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || text.includes('@')) return text;
	const meant = `https://${text.replace(/^\/+/, '')}`;
	if (!URL.canParse(meant)) return text;
	const { href, hostname } = new URL(meant);
	return (mayBeLoopback(hostname) ? href.replace('https', 'http') : href).replace(/\/+$/, '');
}
