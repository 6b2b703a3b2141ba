/** The file of profiles as it is read, without any library because every command reads it; edit.ts writes it. */

import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { FailedError, fileProblem, UsageError } from '../errors.js';
import { readSmallFile } from '../folder.js';

/** Where a profile's secret lives; only `file` holds it here. */
export type StoredSecret =
	| { store: 'file'; value: string }
	| { store: 'keyring'; account: string }
	| { store: 'command'; command: string };

/** One profile as it stands in the file; names and values of settings are checked when they are used. */
export interface StoredProfile {
	secret?: StoredSecret;
	[setting: string]: unknown;
}

export interface Store {
	/** The name of the profile that is used where none is named. */
	current?: string;
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
export const FORMAT_VERSION = 1;

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
export function parseText(text: string): unknown {
	return JSON.parse(text.replace(/^\uFEFF/, ''));
}

function isStoredSecret(value: unknown): value is StoredSecret {
	if (!isRecord(value)) return false;
	const key = { file: 'value', keyring: 'account', command: 'command' }[String(value.store)];
	return key !== undefined && typeof value[key] === 'string';
}

/** Makes a store of the file's text; throws ConfigDamaged. Objects have no prototype, so that any name is just a name. */
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
function permissionWarnings(file: string, stats: Stats, folder: Stats): string[] {
	if (process.platform === 'win32') return [];
	const warnings: string[] = [];
	const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
	if (stats.mode & 0o077) {
		const can = stats.mode & 0o022 ? 'changed' : 'read';
		warnings.push(`${file} can be ${can} by others on this machine (mode ${mode}): chmod 600 ${file}`);
	}
	if (folder.mode & 0o022 && !(folder.mode & 0o1000)) {
		const path = file.slice(0, -FILE_NAME.length - 1);
		warnings.push(`${path} can be changed by others on this machine: chmod 700 ${path}`);
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
	let text: string;
	let warnings: string[];
	try {
		text = readSmallFile(file, MAX_BYTES).toString('utf8');
		warnings = permissionWarnings(file, statSync(file), statSync(folder));
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code;
		if (code === 'ENOENT') return { store: { profiles: Object.create(null) }, file, exists: false, warnings: [] };
		throw new FailedError(`the profiles in ${file} can't be read: ${fileProblem(error)}`, {
			code: 'config_unreadable',
			hint: 'make the file readable for you, or name another folder with SUPPORTCTL_CONFIG_DIR',
			cause: error,
		});
	}
	return { store: parseStore(text, file), file, exists: true, warnings };
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
	const profile = Object.hasOwn(store.profiles, name) ? store.profiles[name] : undefined;
	if (profile !== undefined) return profile;
	const names = Object.keys(store.profiles);
	const shown = JSON.stringify(name.slice(0, 100));
	const stored = names.length === 0 ? 'none is stored yet' : `stored: ${names.join(', ')}`;
	throw new UsageError(`there is no profile ${shown}`, {
		code: 'no_such_profile',
		hint: `${stored}; supportctl login --profile NAME makes one`,
	});
}
