/** Changes to the stored profiles: keeping one, choosing one, and making a secret or a whole profile go away. */

import { UsageError } from '../errors.js';
import { isSameOrigin } from './base-url.js';
import { discardSecret, keepSecret, type OpenKeyring, withoutSecret } from './secrets.js';
import type { SettingName } from './settings.js';
import {
	checkProfileName,
	configFile,
	requireProfile,
	type Store,
	type StoredProfile,
	type StoredSecret,
	updateStore,
} from './store.js';

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

/** Whether a secret stays with its profile when the base URL becomes another: it does unless the origin changes, but for the better. */
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
		...(change.openKeyring && { openKeyring: change.openKeyring }),
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
				`the secret of profile "${name}" was for ${stale}; it was forgotten: supportctl login --profile ${name}`,
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
		...(change.now && { now: change.now }),
	});
	return { ...update.result, notices: update.notices };
}

export interface ProfileRemoval {
	folder: string;
	name: string;
	openKeyring?: OpenKeyring;
}

/** Forgets a profile's secret, wherever it lives, and keeps the rest. `had` is false where there was none. */
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
			hint: 'name the one that is to be made: --profile NAME',
		});
	}
	return checkProfileName(name.replace(/^[.-]+/, 'host-'));
}
