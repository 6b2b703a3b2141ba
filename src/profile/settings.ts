/** Every setting as data, and which of flag, environment, profile and default it takes its value from. */

import { UsageError } from '../errors.js';

/** How requests may be signed. */
export const schemes = ['basic', 'bearer', 'header', 'none'] as const;

/** The defaults. */
export const initialSettings = {
	scheme: 'basic',
	/** Seconds. */
	timeout: 30,
	protected: false,
	allowHttp: false,
	productPrefix: 'support',
	shopPrefix: 'shop',
	membershipPrefix: 'shopm',
} as const;

/** Spelled out: looking up `\p{Cc}` in Unicode's tables takes half a millisecond at each start. */
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

/** No setting has any use for control characters. */
export function hasControlCharacter(text: string): boolean {
	return CONTROL.test(text);
}

export type Scheme = (typeof schemes)[number];

/** The settings in force, from wherever they come. */
export interface Settings {
	/** As given: base-url.ts checks it. */
	baseUrl?: string;
	scheme: Scheme;
	username?: string;
	/** Name of the header that carries the secret under the scheme `header`. */
	headerName?: string;
	/** Seconds. */
	timeout: number;
	concurrency?: number;
	/** Requests a second. */
	rate?: number;
	format?: string;
	/** Whether updates keep old values for `run undo`. */
	snapshot?: boolean;
	/** Every write needs --confirm=PROFILE. */
	protected: boolean;
	/** Allows http:// to hosts other than this machine. */
	allowHttp: boolean;
	caFile?: string;
	cert?: string;
	key?: string;
	productPrefix: string;
	shopPrefix: string;
	membershipPrefix: string;
}

export type SettingName = keyof Settings;

export interface Source {
	from: 'flag' | 'environment' | 'profile' | 'default';
	/** `--timeout`, `SUPPORTCTL_USERNAME`, `desk`; empty for defaults. */
	name: string;
}

export interface SettingSpec {
	readonly name: SettingName;
	readonly flag: string;
	/** Name after SUPPORTCTL_ of the variable that holds it. */
	readonly variable?: 'BASE_URL' | 'USERNAME';
	/** True where only a profile can say it. */
	readonly profileOnly?: boolean;
	/** True where it is a path, which a profile keeps as an absolute one. */
	readonly path?: boolean;
	/** Makes a value of text or of what a profile holds; undefined where it can't be one. */
	read(given: unknown): string | number | boolean | undefined;
	/** What it must be, after "must be". */
	readonly expected: string;
}

const text = (given: unknown): string | undefined =>
	typeof given === 'string' && given !== '' && !hasControlCharacter(given) ? given : undefined;

const number =
	(least: number, most: number, whole: boolean) =>
	(given: unknown): number | undefined => {
		const value = typeof given === 'string' && /^\d+(\.\d+)?$/.test(given.trim()) ? Number(given) : given;
		const fits = typeof value === 'number' && value >= least && value <= most;
		return fits && (!whole || Number.isInteger(value)) ? value : undefined;
	};

const oneOf =
	(values: readonly string[]) =>
	(given: unknown): string | undefined =>
		values.includes(given as string) ? (given as string) : undefined;

const bool = (given: unknown): boolean | undefined =>
	typeof given === 'boolean' ? given : given === 'true' ? true : given === 'false' ? false : undefined;

const prefix = (given: unknown): string | undefined =>
	typeof given === 'string' && /^[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(given) ? given : undefined;

/** A header may have any name but those by which HTTP itself works. */
const headerName = (given: unknown): string | undefined =>
	typeof given === 'string' &&
	/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(given) &&
	!/^(host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|accept.*|user-agent)$/i.test(
		given,
	)
		? given
		: undefined;

const anyText = 'text without control characters';
const aPrefix = 'a letter, then letters, digits, - or _';
const aFlag = 'true or false';
const aRate = 'a number above 0, at most 1000000';

export const settingSpecs: readonly SettingSpec[] = [
	{ name: 'baseUrl', flag: '--base-url', variable: 'BASE_URL', read: text, expected: 'a URL' },
	{ name: 'scheme', flag: '--scheme', read: oneOf(schemes), expected: schemes.join(', ') },
	{ name: 'username', flag: '--username', variable: 'USERNAME', read: text, expected: anyText },
	{ name: 'headerName', flag: '--header-name', read: headerName, expected: "a header's name" },
	{ name: 'timeout', flag: '--timeout', read: number(0.001, 86_400, false), expected: '0.001 to 86400' },
	{ name: 'concurrency', flag: '--concurrency', read: number(1, 1024, true), expected: 'a whole number, 1 to 1024' },
	{ name: 'rate', flag: '--rate', read: number(Number.MIN_VALUE, 1_000_000, false), expected: aRate },
	{ name: 'format', flag: '--format', read: text, expected: 'the name of a format' },
	{ name: 'snapshot', flag: '--snapshot', profileOnly: true, read: bool, expected: aFlag },
	{ name: 'protected', flag: '--protected', profileOnly: true, read: bool, expected: aFlag },
	{ name: 'allowHttp', flag: '--allow-http', profileOnly: true, read: bool, expected: aFlag },
	{ name: 'caFile', flag: '--ca-file', path: true, read: text, expected: 'a path' },
	{ name: 'cert', flag: '--cert', path: true, read: text, expected: 'a path' },
	{ name: 'key', flag: '--key', path: true, read: text, expected: 'a path' },
	{ name: 'productPrefix', flag: '--product-prefix', read: prefix, expected: aPrefix },
	{ name: 'shopPrefix', flag: '--shop-prefix', read: prefix, expected: aPrefix },
	{ name: 'membershipPrefix', flag: '--membership-prefix', read: prefix, expected: aPrefix },
];

/** Checks one setting's value; `where` names the place in errors, `hint` how to fix it there. */
export function checkSetting(
	spec: SettingSpec,
	given: unknown,
	where: string,
	hint?: string,
): string | number | boolean {
	const value = spec.read(given);
	if (value === undefined) {
		const shown = typeof given === 'string' ? JSON.stringify(given.slice(0, 100)) : JSON.stringify(given);
		throw new UsageError(`${where}: ${shown} must be ${spec.expected}`, {
			code: 'invalid_setting',
			...(hint !== undefined && { hint }),
		});
	}
	return value;
}

export interface SettingPlaces {
	/** Option values by camel-cased name. */
	flags: Readonly<Record<string, unknown>>;
	/** What the environment says, already read from files where it names them. */
	environment: Partial<Record<SettingName, { value: string; name: string }>>;
	profile: { name: string; values: Readonly<Record<string, unknown>>; file: string } | undefined;
}

export interface ResolvedSettings {
	settings: Settings;
	sources: Record<SettingName, Source>;
}

/** Takes each setting from the first place that has it: flag, environment, profile, default. */
export function resolveSettings({ flags, environment, profile }: SettingPlaces): ResolvedSettings {
	const settings: Record<string, unknown> = { ...initialSettings };
	const sources: Record<string, Source> = {};
	const take = (spec: SettingSpec, given: unknown, source: Source, where: string, hint?: string): void => {
		settings[spec.name] = checkSetting(spec, given, where, hint);
		sources[spec.name] = source;
	};
	for (const spec of settingSpecs) {
		const fromEnvironment = environment[spec.name];
		if (!spec.profileOnly && flags[spec.name] !== undefined) {
			take(spec, flags[spec.name], { from: 'flag', name: spec.flag }, spec.flag);
		} else if (fromEnvironment !== undefined) {
			const { value, name } = fromEnvironment;
			take(spec, value, { from: 'environment', name }, name);
		} else if (profile !== undefined && Object.hasOwn(profile.values, spec.name)) {
			const where = `${profile.file}: profile "${profile.name}": ${spec.name}`;
			const hint = `supportctl profile set ${profile.name} ${spec.flag} puts another value in its place`;
			take(spec, profile.values[spec.name], { from: 'profile', name: profile.name }, where, hint);
		} else {
			sources[spec.name] = { from: 'default', name: '' };
		}
	}
	return { settings: settings as unknown as Settings, sources: sources as Record<SettingName, Source> };
}
