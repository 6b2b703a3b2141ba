/** Changes to the stored profiles: how the file is written, and storing, choosing and removing a profile or its secret. */

import { chmod, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FailedError, SupportctlError, UsageError } from '../errors.js';
import { makeFolder } from '../folder.js';
import { acquireLock, type Lock } from '../lock.js';
import { isSameOrigin } from './base-url.js';
import { discardSecret, keepSecret, type OpenKeyring, withoutSecret } from './secrets.js';
import type { SettingName } from './settings.js';
import {
	ConfigDamaged,
	checkProfileName,
	configFile,
	FORMAT_VERSION,
	parseText,
	readStore,
	requireProfile,
	type Store,
	type StoredProfile,
	type StoredSecret,
} from './store.js';

/** How long another writer is waited for, and how often the lock is tried, in milliseconds. */
const PATIENCE_MS = 15_000;
const RETRY_MS = 25;

async function waitForLock(file: string): Promise<Lock> {
	for (let waited = 0; ; waited += RETRY_MS) {
		try {
			return acquireLock(`${file}.lock`, file);
		} catch (error) {
			if (!(error instanceof FailedError) || error.code !== 'locked') throw error;
			if (waited >= PATIENCE_MS) {
				throw new FailedError(`${file} is being written by another supportctl`, {
					code: 'config_locked',
					hint: `try again; if no other is running, remove ${file}.lock`,
					cause: error,
				});
			}
		}
		await new Promise((resolve) => setTimeout(resolve, RETRY_MS * (0.5 + Math.random())));
	}
}

function explain(error: unknown, file: string): unknown {
	if (error instanceof SupportctlError) return error;
	const code = (error as NodeJS.ErrnoException).code;
	return code === undefined
		? error
		: new FailedError(`${file} can't be written (${code})`, {
				code: 'config_unwritable',
				hint: 'name a folder that you can write to with SUPPORTCTL_CONFIG_DIR',
				cause: error,
			});
}

/** Makes the folder with access for the owner only, and so restricts one that holds nothing but our files. */
async function prepareFolder(folder: string): Promise<void> {
	makeFolder(folder);
	if (process.platform === 'win32') return;
	const { mode, uid } = await stat(folder);
	if ((mode & 0o077) === 0 || uid !== process.getuid?.()) return;
	const ours = basename(configFile(folder));
	const others = (await readdir(folder)).filter((name) => !name.startsWith(ours));
	if (others.length === 0) await chmod(folder, 0o700);
}

/** `config.json.damaged-20261121T075000Z`, with a number where that name is taken. */
async function keepAside(file: string, now: number): Promise<string> {
	const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
	const taken = new Set(await readdir(dirname(file)));
	let path = `${file}.damaged-${stamp}`;
	for (let number = 2; taken.has(basename(path)); number++) path = `${file}.damaged-${stamp}-${number}`;
	await rename(file, path);
	await chmod(path, 0o600);
	return path;
}

/** Removes what a writer that was killed half-way left: it holds a copy of the secrets. */
async function sweep(file: string): Promise<void> {
	const folder = dirname(file);
	for (const name of await readdir(folder)) {
		if (name.startsWith(`${basename(file)}.tmp-`)) await unlink(join(folder, name)).catch(() => {});
	}
}

/** The store, and, where the file is damaged and may be replaced, what is wrong with it. */
function readForChange(folder: string, replaceDamaged: boolean): { store: Store; damage?: ConfigDamaged } {
	try {
		return { store: readStore(folder).store };
	} catch (error) {
		if (!replaceDamaged || !(error instanceof ConfigDamaged)) throw error;
		return { store: { profiles: Object.create(null) }, damage: error };
	}
}

export interface StoreUpdate<T> {
	result: T;
	/** What a person should know: a damaged file that was kept under another name, for instance. */
	notices: string[];
}

export interface UpdateOptions {
	/** A damaged file is kept beside the new one under a name that says so; otherwise ConfigDamaged is thrown. */
	replaceDamaged?: boolean;
	now?: (() => number) | undefined;
}

/**
 * Reads, changes and writes the profiles while no other process can. New folders are 0700, the file is 0600, and the
 * write is atomic.
 */
export async function updateStore<T>(
	folder: string,
	change: (store: Store, notices: string[]) => T | Promise<T>,
	options: UpdateOptions = {},
): Promise<StoreUpdate<T>> {
	const { default: Conf } = await import('conf');
	const file = configFile(folder);
	const notices: string[] = [];
	try {
		await prepareFolder(folder);
		const lock = await waitForLock(file);
		try {
			await sweep(file);
			const { store, damage } = readForChange(folder, options.replaceDamaged === true);
			const result = await change(store, notices);
			if (damage !== undefined) {
				const aside = await keepAside(file, (options.now ?? Date.now)());
				notices.unshift(`${damage.message}; it was kept as ${aside}, and a new one was made`);
			}
			const conf = new Conf<Record<string, unknown>>({
				cwd: folder,
				configName: basename(file, '.json'),
				configFileMode: 0o600,
				accessPropertiesByDotNotation: false,
				deserialize: (text) => parseText(text) as Record<string, unknown>,
			});
			conf.store = {
				version: FORMAT_VERSION,
				...(store.current === undefined ? {} : { current: store.current }),
				profiles: store.profiles,
			};
			// Inside a snap conf writes into the file that is there, whose mode it leaves as it was.
			await chmod(file, 0o600);
			return { result, notices };
		} finally {
			lock.release();
		}
	} catch (error) {
		throw explain(error, file);
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
	openKeyring?: OpenKeyring;
	now?: () => number;
}

export interface ProfileChanged {
	created: boolean;
	secret: StoredSecret | undefined;
	isCurrent: boolean;
	file: string;
	/** What a person should know. */
	notices: string[];
}

/** Whether a secret stays with its profile when the base URL changes: the origin must stay, or turn from http to https. */
function followsTo(before: unknown, after: unknown): boolean {
	if (typeof before !== 'string' || typeof after !== 'string' || before === after) return true;
	if (!URL.canParse(before) || !URL.canParse(after)) return false;
	const [from, to] = [new URL(before), new URL(after)];
	const upgraded = from.hostname === to.hostname && from.protocol === 'http:' && to.protocol === 'https:';
	return upgraded || isSameOrigin(before, after);
}

/** Why a secret stored for `before` is not one for `after`, or undefined where it still is. */
function whyStale(before: StoredProfile, after: StoredProfile): string | undefined {
	if (!followsTo(before.baseUrl, after.baseUrl)) return 'another host';
	if ((before.scheme ?? 'basic') !== (after.scheme ?? 'basic')) return 'another scheme';
	if (before.username !== undefined && before.username !== after.username) return 'another user';
	if (before.headerName !== undefined && before.headerName !== after.headerName) return 'another header';
	return undefined;
}

/** The stored form of a new secret; what could not be done as asked becomes a notice. */
async function storedForm(change: ProfileChange, secret: NewSecret, notices: string[]): Promise<StoredSecret> {
	if (secret.kind === 'command') return { store: 'command', command: secret.command };
	const { stored, notice } = await keepSecret(secret.value, {
		profileName: change.name,
		file: configFile(change.folder),
		insecureStorage: change.insecureStorage === true,
		openKeyring: change.openKeyring,
	});
	if (notice !== undefined) notices.push(notice);
	return stored;
}

/** Removes a secret from the keyring unless it is still in use there. */
async function discard(
	old: StoredSecret | undefined,
	kept: StoredSecret | undefined,
	open: OpenKeyring | undefined,
	notices: string[],
): Promise<void> {
	if (old?.store !== 'keyring' || (kept?.store === 'keyring' && kept.account === old.account)) return;
	const warning = await discardSecret(old, open);
	if (warning !== undefined) notices.push(warning);
}

async function changeProfile(store: Store, change: ProfileChange, notices: string[]): Promise<ProfileChanged> {
	const { name } = change;
	const before: StoredProfile = Object.hasOwn(store.profiles, name) ? (store.profiles[name] as StoredProfile) : {};
	const created = !Object.hasOwn(store.profiles, name);
	const after: StoredProfile = { ...withoutSecret(before), ...change.settings };
	for (const setting of change.unset ?? []) delete after[setting];
	const stale = whyStale(before, after);
	let secret = before.secret;
	if (change.secret !== undefined) {
		secret = await storedForm(change, change.secret, notices);
	} else if (after.scheme === 'none' || (secret !== undefined && stale !== undefined)) {
		if (secret !== undefined) {
			notices.push(
				`the secret of profile "${name}" was for ${stale}; it was removed: supportctl login --profile ${name} stores another`,
			);
		}
		secret = undefined;
	}
	await discard(before.secret, secret, change.openKeyring, notices);
	if (secret !== undefined) after.secret = secret;
	store.profiles[name] = after;
	if (change.makeCurrent === true || store.current === undefined) store.current = name;
	return { created, secret, isCurrent: store.current === name, file: configFile(change.folder), notices };
}

/** Makes or changes a profile, and its secret with it. Throws UsageError for a name that can't be one. */
export async function saveProfile(change: ProfileChange): Promise<ProfileChanged> {
	checkProfileName(change.name);
	const update = await updateStore(change.folder, (store, notices) => changeProfile(store, change, notices), {
		replaceDamaged: true,
		now: change.now,
	});
	return { ...update.result, notices: update.notices };
}

export interface ProfileRemoval {
	folder: string;
	name: string;
	openKeyring?: OpenKeyring;
}

/** Removes a profile's secret from where it is stored, and keeps the rest; `had` is what there was. */
export async function forgetSecret({
	folder,
	name,
	openKeyring,
}: ProfileRemoval): Promise<{ had: StoredSecret | undefined; notices: string[] }> {
	const { result, notices } = await updateStore(folder, async (store, notes) => {
		const profile = requireProfile(store, name);
		await discard(profile.secret, undefined, openKeyring, notes);
		store.profiles[name] = withoutSecret(profile);
		return profile.secret;
	});
	return { had: result, notices };
}

/** Removes a profile and its secret. */
export async function removeProfile({
	folder,
	name,
	openKeyring,
}: ProfileRemoval): Promise<{ wasCurrent: boolean; notices: string[] }> {
	const { result, notices } = await updateStore(folder, async (store, notes) => {
		const profile = requireProfile(store, name);
		await discard(profile.secret, undefined, openKeyring, notes);
		delete store.profiles[name];
		const wasCurrent = store.current === name;
		if (wasCurrent) delete store.current;
		return wasCurrent;
	});
	return { wasCurrent: result, notices };
}

/** Makes a profile the one that is used where none is named. */
export async function chooseProfile(folder: string, name: string): Promise<{ notices: string[] }> {
	const { notices } = await updateStore(folder, (store) => {
		requireProfile(store, name);
		store.current = name;
	});
	return { notices };
}

/**
 * The profile that a sign-in to `baseUrl` belongs to, where none is named: the current one or another for the same
 * place, else a new one, called `default` if it is the first and by the host's name otherwise.
 */
export function profileNameFor(store: Store, baseUrl: string): string {
	const isFor = (name: string | undefined): boolean => {
		const own = name !== undefined && Object.hasOwn(store.profiles, name) ? store.profiles[name]?.baseUrl : undefined;
		return typeof own === 'string' && URL.canParse(own) && new URL(own).origin === new URL(baseUrl).origin;
	};
	if (isFor(store.current)) return store.current as string;
	const names = Object.keys(store.profiles);
	const known = names.find(isFor);
	if (known !== undefined) return known;
	if (names.length === 0) return 'default';
	const { hostname } = new URL(baseUrl);
	const name = hostname.replace(/^\[|\]$/g, '').replace(/[^A-Za-z0-9.-]/g, '-');
	if (names.includes(name)) {
		throw new UsageError(`there is a profile "${name}" already, for ${store.profiles[name]?.baseUrl}`, {
			code: 'profile_exists',
			hint: 'give the new profile a name: --profile NAME',
		});
	}
	return checkProfileName(name.replace(/^[.-]+/, 'host-'));
}
