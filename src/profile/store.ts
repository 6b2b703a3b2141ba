/** The file of profiles: reading it, and changing what is stored in it. What writing needs is loaded to write. */

import { statSync } from 'node:fs';
import { chmod, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FailedError, fileProblem, SupportctlError, UsageError } from '../errors.js';
import { makeFolder, readSmallFile } from '../folder.js';
import { discardSecret, keepSecret, type StoredSecret } from './secrets.js';
import { isSameOrigin, type SettingName } from './settings.js';

/** One profile as it stands in the file; names and values of settings are checked when they are used. */
export interface StoredProfile {
	secret?: StoredSecret;
	[setting: string]: unknown;
}

export interface Store {
	/** The name of the profile that is used where none is named. */
	current?: string;
	/** Without a prototype, so that any name is just a name. */
	profiles: Record<string, StoredProfile>;
}

export interface StoreReading {
	store: Store;
	/** Path of the file, whether it exists or not. */
	file: string;
	exists: boolean;
	/** What is wrong with the file's permissions. */
	warnings: string[];
}

const FILE_NAME = 'config.json';
const FORMAT_VERSION = 1;

const MAX_BYTES = 16 * 1024 * 1024;

export function configFile(folder: string): string {
	return join(folder, FILE_NAME);
}

/** The file's contents can't be profiles. It is left as it is until something is to be stored. */
export class ConfigDamaged extends UsageError {
	constructor(
		readonly file: string,
		readonly why: string,
	) {
		super(`${file} is damaged: ${why}`, {
			code: 'config_damaged',
			hint: 'fix the file, or sign in again with `supportctl login`, which keeps the damaged file under another name',
		});
	}
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The file's JSON; editors on Windows put a byte order mark before it. */
function parseText(text: string): unknown {
	return JSON.parse(text.replace(/^\uFEFF/, ''));
}

function isStoredSecret(value: unknown): value is StoredSecret {
	if (!isRecord(value)) return false;
	const key = { file: 'value', keyring: 'account', command: 'command' }[String(value.store)];
	return key !== undefined && typeof value[key] === 'string';
}

/** Makes a store of the file's text; throws ConfigDamaged. */
function parseStore(text: string, file: string): Store {
	let data: unknown;
	try {
		data = parseText(text);
	} catch {
		// The parser's own message is not used, nor kept as the cause: it quotes the text, which may be a secret.
		throw new ConfigDamaged(file, text.trim() === '' ? 'it is empty' : 'it is not JSON');
	}
	if (!isRecord(data)) throw new ConfigDamaged(file, 'it is not a JSON object');
	if (typeof data.version === 'number' && data.version > FORMAT_VERSION) {
		throw new UsageError(`${file} was written by a newer supportctl (format ${data.version})`, {
			code: 'config_newer',
			hint: 'update supportctl, or use another folder with SUPPORTCTL_CONFIG_DIR',
		});
	}
	const profiles = data.profiles ?? {};
	if (!isRecord(profiles)) throw new ConfigDamaged(file, '"profiles" is not an object');
	for (const [name, profile] of Object.entries(profiles)) {
		if (!isRecord(profile)) throw new ConfigDamaged(file, `profile ${JSON.stringify(name)} is not an object`);
		if (profile.secret !== undefined && !isStoredSecret(profile.secret)) {
			throw new ConfigDamaged(file, `profile ${JSON.stringify(name)} has a secret of an unknown kind`);
		}
	}
	return {
		...(typeof data.current === 'string' ? { current: data.current } : {}),
		profiles: Object.assign(Object.create(null), profiles),
	};
}

/** What others on this machine could do with the file, as warnings. */
function permissionWarnings(file: string, folder: string): string[] {
	if (process.platform === 'win32') return [];
	const [stats, { mode: folderMode }] = [statSync(file), statSync(folder)];
	const warnings: string[] = [];
	if (stats.mode & 0o077) {
		const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
		const can = stats.mode & 0o022 ? 'changed' : 'read';
		warnings.push(`${file} can be ${can} by others on this machine (mode ${mode}): chmod 600 ${file}`);
	}
	if (folderMode & 0o022 && !(folderMode & 0o1000)) {
		warnings.push(`${folder} can be changed by others on this machine: chmod 700 ${folder}`);
	}
	const self = process.getuid?.();
	if (self !== undefined && self !== 0 && stats.uid !== self) {
		warnings.push(`${file} belongs to another user (uid ${stats.uid})`);
	}
	return warnings;
}

/** Reads the profiles; a missing file is an empty store. Throws ConfigDamaged, or FailedError where it can't be read. */
export function readStore(folder: string): StoreReading {
	const file = configFile(folder);
	try {
		const text = readSmallFile(file, MAX_BYTES).toString('utf8');
		return { store: parseStore(text, file), file, exists: true, warnings: permissionWarnings(file, folder) };
	} catch (error) {
		if (error instanceof SupportctlError) throw error;
		const code = (error as NodeJS.ErrnoException).code;
		if (code === 'ENOENT') return { store: { profiles: Object.create(null) }, file, exists: false, warnings: [] };
		throw new FailedError(`the profiles in ${file} can't be read: ${fileProblem(error)}`, {
			code: 'config_unreadable',
			hint: 'make the file readable for you, or name another folder with SUPPORTCTL_CONFIG_DIR',
			cause: error,
		});
	}
}

/** Checks a profile's name; throws UsageError. */
export function checkProfileName(name: string): string {
	if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
		throw new UsageError(`${JSON.stringify(name.slice(0, 100))} can't be a profile's name`, {
			code: 'invalid_profile_name',
			hint: 'use up to 64 letters, digits, dots, - and _, beginning with a letter or digit',
		});
	}
	return name;
}

/** The profile of a name; throws UsageError that lists those there are. */
export function requireProfile(store: Store, name: string): StoredProfile {
	const profile = store.profiles[name];
	if (profile !== undefined) return profile;
	const names = Object.keys(store.profiles);
	const shown = JSON.stringify(name.slice(0, 100));
	const stored = names.length === 0 ? 'none is stored yet' : `stored: ${names.join(', ')}`;
	throw new UsageError(`there is no profile ${shown}`, {
		code: 'no_such_profile',
		hint: `${stored}; supportctl login --profile NAME makes one`,
	});
}

/** How long another writer is waited for, and how often the lock is tried, in milliseconds. */
const MAX_WAIT_MS = 15_000;
const RETRY_MS = 25;

/**
 * Reads, changes and writes the profiles while no other process can. New folders are 0700, the file is 0600, and the
 * write is atomic. `notices` are for a person. A damaged file throws ConfigDamaged, or is kept under another name where
 * it may be replaced.
 */
export async function updateStore<T>(
	folder: string,
	change: (store: Store, notices: string[]) => T | Promise<T>,
	replaceDamaged = false,
): Promise<{ result: T; notices: string[] }> {
	const [{ default: Conf }, { acquireLock }] = await Promise.all([import('conf'), import('../lock.js')]);
	const file = configFile(folder);
	const notices: string[] = [];
	const lockFile = async (waited = 0): Promise<ReturnType<typeof acquireLock>> => {
		try {
			return acquireLock(`${file}.lock`, file);
		} catch (error) {
			if (!(error instanceof FailedError) || error.code !== 'locked') throw error;
			if (waited < MAX_WAIT_MS) {
				await new Promise((resolve) => setTimeout(resolve, RETRY_MS * (0.5 + Math.random())));
				return lockFile(waited + RETRY_MS);
			}
			throw new FailedError(`${file} is being written by another supportctl`, {
				code: 'config_locked',
				hint: `try again; if no other is running, remove ${file}.lock`,
				cause: error,
			});
		}
	};
	try {
		makeFolder(folder);
		const { mode, uid } = await stat(folder);
		const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0 && uid === process.getuid?.();
		// Only a folder that holds nothing but our files is closed to others.
		const isOurs = isOpen && (await readdir(folder)).every((name) => name.startsWith(FILE_NAME));
		if (isOurs) await chmod(folder, 0o700);
		const lock = await lockFile();
		try {
			// What a writer that was killed half-way left holds a copy of the secrets.
			const names = await readdir(folder);
			const copies = names.filter((name) => name.startsWith(`${FILE_NAME}.tmp-`));
			await Promise.all(copies.map((name) => unlink(join(folder, name)).catch(() => {})));
			let damage: ConfigDamaged | undefined;
			let store: Store = { profiles: Object.create(null) };
			try {
				store = readStore(folder).store;
			} catch (error) {
				if (!replaceDamaged || !(error instanceof ConfigDamaged)) throw error;
				damage = error;
			}
			const result = await change(store, notices);
			if (damage !== undefined) {
				const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
				let aside = `${file}.damaged-${stamp}`;
				for (let number = 2; names.includes(basename(aside)); number++) aside = `${file}.damaged-${stamp}-${number}`;
				await rename(file, aside);
				await chmod(aside, 0o600);
				notices.unshift(`${damage.message}; it was kept as ${aside}, and a new one was made`);
			}
			const conf = new Conf<Record<string, unknown>>({
				cwd: folder,
				configName: basename(FILE_NAME, '.json'),
				configFileMode: 0o600,
				accessPropertiesByDotNotation: false,
				deserialize: (text) => parseText(text) as Record<string, unknown>,
			});
			const { current, profiles } = store;
			conf.store = { version: FORMAT_VERSION, ...(current !== undefined && { current }), profiles };
			// Inside a snap conf writes into the file that is there, whose mode it leaves as it was.
			await chmod(file, 0o600);
			return { result, notices };
		} finally {
			lock.release();
		}
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code;
		if (error instanceof SupportctlError || code === undefined) throw error;
		throw new FailedError(`${file} can't be written (${code})`, {
			code: 'config_unwritable',
			hint: 'name a folder that you can write to with SUPPORTCTL_CONFIG_DIR',
			cause: error,
		});
	}
}

/** A secret that is to be stored, or the command that gives it. */
export type NewSecret = { kind: 'value'; value: string } | { kind: 'command'; command: string };

export interface ProfileChange {
	folder: string;
	name: string;
	/** Checked values; the base URL is normalised, paths are absolute. */
	settings: Partial<Record<SettingName, string | number | boolean>>;
	unset?: readonly SettingName[];
	secret?: NewSecret;
	/** Puts the secret into the file even where there is a keyring. */
	insecureStorage?: boolean;
	makeCurrent?: boolean;
}

export interface ProfileChanged {
	created: boolean;
	secret: StoredSecret | undefined;
	isCurrent: boolean;
	file: string;
	/** What a person should know. */
	notices: string[];
}

/** Why a secret stored for `before` is not one for `after`, or undefined where it still is. */
function whyStale(before: StoredProfile, after: StoredProfile): string | undefined {
	const [from, to] = [before.baseUrl, after.baseUrl];
	const isUpgrade = typeof from === 'string' && isSameOrigin(from.replace(/^http:/, 'https:'), to);
	const isKept = from === to || from === undefined || to === undefined || isSameOrigin(from, to) || isUpgrade;
	if (!isKept) return 'another host';
	if ((before.scheme ?? 'basic') !== (after.scheme ?? 'basic')) return 'another scheme';
	if (before.username !== undefined && before.username !== after.username) return 'another user';
	if (before.headerName !== undefined && before.headerName !== after.headerName) return 'another header';
	return undefined;
}

/** Removes a secret from the keyring unless it is still in use there. */
async function discard(
	old: StoredSecret | undefined,
	kept: StoredSecret | undefined,
	notices: string[],
): Promise<void> {
	if (old?.store !== 'keyring' || (kept?.store === 'keyring' && kept.account === old.account)) return;
	const warning = await discardSecret(old.account);
	if (warning !== undefined) notices.push(warning);
}

/** Makes or changes a profile, and its secret with it. Throws UsageError for a name that can't be one. */
export async function saveProfile(change: ProfileChange): Promise<ProfileChanged> {
	const { folder, name, settings, unset = [], secret: given, insecureStorage = false } = change;
	checkProfileName(name);
	const file = configFile(folder);
	const update = async (store: Store, notices: string[]): Promise<Omit<ProfileChanged, 'notices'>> => {
		const before = store.profiles[name];
		const { secret: old, ...rest } = before ?? {};
		const after: StoredProfile = { ...rest, ...settings };
		for (const setting of unset) delete after[setting];
		const stale = after.scheme === 'none' ? 'another scheme' : whyStale(rest, after);
		let secret = old;
		if (given?.kind === 'command') secret = { store: 'command', command: given.command };
		else if (given !== undefined) {
			const { stored, notice } = await keepSecret(given.value, { profileName: name, file, insecureStorage });
			if (notice !== undefined) notices.push(notice);
			secret = stored;
		} else if (old !== undefined && stale !== undefined) {
			secret = undefined;
			const how = `supportctl login --profile ${name} stores another`;
			notices.push(`the secret of profile "${name}" was for ${stale}; it was removed: ${how}`);
		}
		await discard(old, secret, notices);
		store.profiles[name] = { ...after, ...(secret && { secret }) };
		if (change.makeCurrent === true || store.current === undefined) store.current = name;
		return { created: before === undefined, secret, isCurrent: store.current === name, file };
	};
	const { result, notices } = await updateStore(folder, update, true);
	return { ...result, notices };
}

interface ProfilePlace {
	folder: string;
	name: string;
}

/** Removes a profile's secret from where it is stored, and keeps the rest; `had` is what there was. */
export async function forgetSecret({
	folder,
	name,
}: ProfilePlace): Promise<{ had: StoredSecret | undefined; notices: string[] }> {
	const { result: had, notices } = await updateStore(folder, async (store, notes) => {
		const { secret, ...rest } = requireProfile(store, name);
		await discard(secret, undefined, notes);
		store.profiles[name] = rest;
		return secret;
	});
	return { had, notices };
}

/** Removes a profile and its secret. */
export async function removeProfile({
	folder,
	name,
}: ProfilePlace): Promise<{ wasCurrent: boolean; notices: string[] }> {
	const { result: wasCurrent, notices } = await updateStore(folder, async (store, notes) => {
		await discard(requireProfile(store, name).secret, undefined, notes);
		delete store.profiles[name];
		const isCurrent = store.current === name;
		if (isCurrent) delete store.current;
		return isCurrent;
	});
	return { wasCurrent, notices };
}

/** Makes a profile the one that is used where none is named. */
export async function chooseProfile(folder: string, name: string): Promise<{ notices: string[] }> {
	return updateStore(folder, (store) => {
		requireProfile(store, name);
		store.current = name;
	});
}

/**
 * The profile that a sign-in to `baseUrl` belongs to, where none is named: the current one or another for the same
 * place, else a new one, called `default` if it is the first and by the host's name otherwise.
 */
export function profileNameFor({ current, profiles }: Store, baseUrl: string): string {
	const names = Object.keys(profiles);
	const known = [current ?? '', ...names].find((name) => isSameOrigin(profiles[name]?.baseUrl, baseUrl));
	if (known !== undefined) return known;
	if (names.length === 0) return 'default';
	const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '').replace(/[^A-Za-z0-9.-]/g, '-');
	if (names.includes(host)) {
		throw new UsageError(`there is a profile "${host}" already, for ${profiles[host]?.baseUrl}`, {
			code: 'profile_exists',
			hint: 'give the new profile a name: --profile NAME',
		});
	}
	return checkProfileName(host.replace(/^[.-]+/, 'host-'));
}
