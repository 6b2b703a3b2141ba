/** Reads and changes the profile file. */

import { randomUUID } from 'node:crypto';
import { chmodSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FailedError, fileProblem, SupportctlError, UsageError } from '../errors.js';
import { makeFolder, PRIVATE, readSmallFile } from '../folder.js';
import { discardSecret, keepSecret, type StoredSecret } from './secrets.js';
import {
	isProfileName,
	isSameOrigin,
	originOf,
	type SettingName,
	schemeNames,
	schemes,
	shellWord,
} from './settings.js';

/** As in the file: settings are checked when they are used. */
export interface StoredProfile {
	secret?: StoredSecret;
	[setting: string]: unknown;
}

export interface Store {
	current?: string;
	/** Without a prototype, so that any name is just a name. */
	profiles: Record<string, StoredProfile>;
}

const FILE_NAME = 'config.json';
/** Of the file. A later one may have what this version would lose when it writes. */
const VERSION = 1;
const MAX_BYTES = 16 * 1024 * 1024;

export function configFile(folder: string): string {
	return join(folder, FILE_NAME);
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Editors on Windows add a byte order mark. */
function parseText(text: string): unknown {
	return JSON.parse(text.replace(/^\uFEFF/, ''));
}

function isStoredSecret(value: unknown): value is StoredSecret {
	if (!isRecord(value)) return false;
	const key = { file: 'value', keyring: 'account', command: 'command' }[String(value.store)];
	return key !== undefined && typeof value[key] === 'string';
}

/** @throws UsageError with the code `config_damaged` or `config_newer` */
function parseStore(text: string, file: string): Store {
	const damaged = (why: string): UsageError =>
		new UsageError(`${file} is damaged: ${why}`, { code: 'config_damaged', hint: 'fix the file or move it away' });
	let data: unknown;
	try {
		data = parseText(text);
	} catch {
		// The parser's message quotes the text, which may be a secret.
		throw damaged('it is not JSON');
	}
	if (!isRecord(data)) throw damaged('it is not a JSON object');
	const { version, current, profiles = {} } = data;
	if (typeof version === 'number' && version > VERSION) {
		throw new UsageError(`${file} was written by a newer supportctl (format ${version})`, {
			code: 'config_newer',
			hint: 'update supportctl, or set SUPPORTCTL_CONFIG_DIR to a different directory',
		});
	}
	if (!isRecord(profiles)) throw damaged('"profiles" is not an object');
	// Whoever edited one of ten profiles by hand is told which.
	for (const [name, profile] of Object.entries(profiles)) {
		if (!isRecord(profile)) throw damaged(`profile ${JSON.stringify(name)} is not an object`);
		const isUsable = profile.secret === undefined || isStoredSecret(profile.secret);
		if (!isUsable) throw damaged(`profile ${JSON.stringify(name)} has a secret of an unknown kind`);
	}
	return {
		current: typeof current === 'string' ? current : undefined,
		profiles: Object.assign(Object.create(null), profiles),
	};
}

/** What to say of a file that only its owner should read. */
export function permissionWarnings(file: string): string[] {
	const { mode } = statSync(file);
	if (process.platform === 'win32' || !(mode & 0o077)) return [];
	const octal = (mode & 0o777).toString(8).padStart(4, '0');
	const can = mode & 0o022 ? 'change' : 'read';
	return [`other users can ${can} ${file} (mode ${octal}); fix: chmod 600 ${shellWord(file)}`];
}

/** A missing file is an empty store. @throws UsageError for a damaged file, FailedError */
export function readStore(folder: string) {
	const file = configFile(folder);
	let store: Store = { profiles: Object.create(null) };
	try {
		store = parseStore(readSmallFile(file, MAX_BYTES).toString('utf8'), file);
		return { store, file, exists: true, warnings: permissionWarnings(file) };
	} catch (error) {
		if (error instanceof SupportctlError) throw error;
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { store, file, exists: false, warnings: [] };
		throw new FailedError(`can't read ${file}: ${fileProblem(error)}`, {
			code: 'config_unreadable',
			hint: 'make the file readable, or set SUPPORTCTL_CONFIG_DIR to a different directory',
			cause: error,
		});
	}
}

export function checkProfileName(name: string): string {
	if (isProfileName(name)) return name;
	throw new UsageError(`invalid profile name ${JSON.stringify(name.slice(0, 100))}`, {
		code: 'invalid_profile_name',
		hint: 'use up to 64 letters, digits, dots, - and _, starting with a letter or digit',
	});
}

export function requireProfile(store: Store, name: string): StoredProfile {
	const profile = store.profiles[name];
	if (profile !== undefined) return profile;
	const names = Object.keys(store.profiles);
	const known = names.length === 0 ? '' : `profiles: ${names.join(', ')}; `;
	throw new UsageError(`profile ${JSON.stringify(name.slice(0, 100))} not found`, {
		code: 'no_such_profile',
		hint: `${known}create one: supportctl login --profile NAME`,
	});
}

/** For another writer. */
const MAX_WAIT_MS = 15_000;
const RETRY_MS = 25;

async function lockFile(file: string): Promise<{ release(): void }> {
	const { acquireLock } = await import('../lock.js');
	const { setTimeout } = await import('node:timers/promises');
	for (let waited = 0; ; waited += RETRY_MS) {
		try {
			return acquireLock(`${file}.lock`, file);
		} catch (error) {
			const isLocked = error instanceof FailedError && error.code === 'locked';
			if (!isLocked || waited >= MAX_WAIT_MS) throw error;
			await setTimeout(RETRY_MS * (0.5 + Math.random()));
		}
	}
}

/** The keyring's entries that profiles refer to. */
function accountsIn({ profiles }: Store): string[] {
	return Object.values(profiles).flatMap(({ secret }) => (secret?.store === 'keyring' ? secret.account : []));
}

/** Changes the profiles under a lock, and removes keyring entries that no profile uses any more. */
export async function updateStore<T>(
	folder: string,
	change: (store: Store) => T | Promise<T>,
): Promise<{ result: T; notices: string[] }> {
	const file = configFile(folder);
	const notices: string[] = [];
	try {
		makeFolder(folder);
		const lock = await lockFile(file);
		try {
			const { store } = readStore(folder);
			const accounts = accountsIn(store);
			const result = await change(store);
			await writeStore(folder, store);
			const kept = accountsIn(store);
			for (const account of accounts.filter((each) => !kept.includes(each))) {
				const warning = await discardSecret(account);
				if (warning !== undefined) notices.push(warning);
			}
			return { result, notices };
		} finally {
			lock.release();
		}
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code;
		if (error instanceof SupportctlError || code === undefined) throw error;
		throw new FailedError(`can't write ${file} (${code})`, {
			code: 'config_unwritable',
			hint: 'set SUPPORTCTL_CONFIG_DIR to a writable directory',
			cause: error,
		});
	}
}

async function writeStore(folder: string, store: Store): Promise<void> {
	// A killed writer leaves a copy of the secrets.
	const copies = readdirSync(folder).filter((name) => name.startsWith(`${FILE_NAME}.tmp-`));
	for (const name of copies) rmSync(join(folder, name), { recursive: true, force: true });
	const { default: Conf } = await import('conf');
	const conf = new Conf<Record<string, unknown>>({
		cwd: folder,
		configName: basename(FILE_NAME, '.json'),
		configFileMode: PRIVATE,
		accessPropertiesByDotNotation: false,
		deserialize: (text) => parseText(text) as Record<string, unknown>,
	});
	conf.store = JSON.parse(JSON.stringify({ version: VERSION, ...store }));
	// Inside a snap, conf keeps the file's mode.
	chmodSync(configFile(folder), PRIVATE);
}

/** @returns what the secret is for, if not for these settings */
export function secretIsFor(profile: StoredProfile, use: Readonly<Record<string, unknown>>): string | undefined {
	const { scheme = 'basic', baseUrl, secret } = profile;
	if (scheme !== (use.scheme ?? 'basic')) return `the scheme ${scheme}`;
	const bound = secret?.origin ?? (baseUrl && (originOf(baseUrl) ?? 'a different base URL'));
	const secure = String(bound).replace(/^http:/, 'https:');
	const isBound = bound !== undefined && use.baseUrl !== undefined;
	if (isBound && ![bound, secure].includes(originOf(use.baseUrl) ?? '')) return String(bound);
	const known = schemeNames.find((name) => name === scheme);
	const sentWith = known && schemes[known].sentWith;
	if (sentWith === undefined) return undefined;
	const own = profile[sentWith.setting];
	return own === undefined || own === use[sentWith.setting] ? undefined : `the ${sentWith.noun} ${own}`;
}

export interface ProfileChange {
	folder: string;
	name: string;
	/** Checked; paths are absolute. */
	settings: Partial<Record<SettingName, string | number | boolean>>;
	unset?: readonly SettingName[];
	/** One for the file goes to the keyring if there is one. */
	secret?: StoredSecret | undefined;
	/** Puts the secret into the file even if there is a keyring. */
	insecureStorage?: boolean;
	makeCurrent?: boolean;
}

/** @returns `notices` for a person */
export async function saveProfile(change: ProfileChange) {
	const { folder, name, settings, unset = [], secret: given, insecureStorage = false } = change;
	checkProfileName(name);
	const notes: string[] = [];
	const { result, notices } = await updateStore(folder, async (store) => {
		const before = store.profiles[name];
		const after: StoredProfile = { ...before, ...settings };
		for (const setting of unset) delete after[setting];
		const stale = before?.secret && secretIsFor(before, after);
		if (given?.store === 'file' && !insecureStorage) {
			const file = configFile(folder);
			// A profile that was renamed keeps the entry of its old name.
			const account = `${name} in ${file} (${randomUUID()})`;
			const { stored, notice } = await keepSecret(given.value, account, file);
			if (notice !== undefined) notes.push(notice);
			after.secret = stored;
		} else if (given !== undefined) after.secret = given;
		else if (stale !== undefined) {
			delete after.secret;
			const how = `sign in again: supportctl login --profile ${name}`;
			notes.push(`removed the secret of profile "${name}", which was for ${stale}; ${how}`);
		}
		const origin = originOf(after.baseUrl);
		if (after.secret !== undefined && origin !== undefined) after.secret = { ...after.secret, origin };
		store.profiles[name] = after;
		if (change.makeCurrent === true) store.current = name;
		store.current ??= name;
		return { created: before === undefined, secret: after.secret, isCurrent: store.current === name };
	});
	return { ...result, notices: [...notes, ...notices] };
}

/** The profile to store a login in, never one for a different host. */
export function profileNameFor({ current, profiles }: Store, baseUrl: string, preferred?: string): string {
	const names = Object.keys(profiles);
	const own = profiles[preferred ?? '']?.baseUrl;
	if (preferred !== undefined && (own === undefined || isSameOrigin(own, baseUrl))) return checkProfileName(preferred);
	const known = [current ?? '', ...names].find((name) => isSameOrigin(profiles[name]?.baseUrl, baseUrl));
	if (known !== undefined) return known;
	if (names.length === 0) return 'default';
	const host = new URL(baseUrl).hostname.replace(/[^A-Za-z0-9.-]/g, '-').replace(/^[.-]+/, 'host-');
	if (!names.includes(host)) return checkProfileName(host);
	throw new UsageError(`profile "${host}" already exists, for ${profiles[host]?.baseUrl}`, {
		code: 'profile_exists',
		hint: 'choose a name: --profile NAME',
	});
}
