/** Where a profile's secret lives: putting it there, fetching it, and making it gone. */

import { RefusedError } from '../errors.js';
import type { Environment } from './folders.js';
import { type Keyring, KeyringUnavailable, openKeyring } from './keyring.js';
import type { StoredProfile, StoredSecret } from './store.js';

export type OpenKeyring = () => Promise<Keyring>;

/** Where a secret is, for a person. */
export function describeStore(secret: StoredSecret | undefined): string {
	if (secret === undefined) return 'nowhere';
	return { file: 'profile file', keyring: 'system keyring', command: 'secret command' }[secret.store];
}

export interface FetchOptions {
	env: Environment;
	profileName: string;
	openKeyring?: OpenKeyring;
}

/** Fetches a stored secret; throws RefusedError where it can't be had. */
export async function fetchSecret(stored: StoredSecret, options: FetchOptions): Promise<string> {
	const { profileName } = options;
	if (stored.store === 'file') return stored.value;
	if (stored.store === 'command') {
		const { runSecretCommand } = await import('./secret-command.js');
		return runSecretCommand(stored.command, { env: options.env, owner: `profile "${profileName}"` });
	}
	const hint = `sign in again: supportctl login --profile ${profileName}`;
	try {
		const keyring = await (options.openKeyring ?? openKeyring)();
		const secret = await keyring.get(stored.account);
		if (secret !== undefined) return secret;
	} catch (error) {
		if (!(error instanceof KeyringUnavailable)) throw error;
		throw new RefusedError(`the system keyring, where the secret of profile "${profileName}" lives, can't be read`, {
			code: 'keyring_unavailable',
			details: [error.message],
			hint: `unlock it, or ${hint}`,
			cause: error,
		});
	}
	throw new RefusedError(`the system keyring no longer has the secret of profile "${profileName}"`, {
		code: 'secret_gone',
		hint,
	});
}

export interface KeepOptions {
	profileName: string;
	/** Path of the file of profiles: profiles of the same name in different files are different. */
	file: string;
	/** The file was asked for. */
	insecureStorage: boolean;
	openKeyring?: OpenKeyring;
}

/** Puts a secret into the keyring, or, where there is none or the file was asked for, hands it back to go into the file. */
export async function keepSecret(
	secret: string,
	options: KeepOptions,
): Promise<{ stored: StoredSecret; notice?: string }> {
	const { file } = options;
	const inFile: StoredSecret = { store: 'file', value: secret };
	if (options.insecureStorage) return { stored: inFile };
	const account = `${options.profileName} in ${file}`;
	try {
		const keyring = await (options.openKeyring ?? openKeyring)();
		await keyring.set(account, secret);
		if ((await keyring.get(account)) === secret) return { stored: { store: 'keyring', account } };
		throw new KeyringUnavailable('it did not give back what was stored in it');
	} catch (error) {
		if (!(error instanceof KeyringUnavailable)) throw error;
		const notice = `no system keyring can be used (${error.message}): the secret is stored in ${file}, unencrypted, readable only by you`;
		return { stored: inFile, notice };
	}
}

/** Removes a secret from where it lives outside the file; a warning comes back where that failed. */
export async function discardSecret(
	stored: StoredSecret | undefined,
	open: OpenKeyring = openKeyring,
): Promise<string | undefined> {
	if (stored?.store !== 'keyring') return undefined;
	try {
		const keyring = await open();
		await keyring.delete(stored.account);
		return undefined;
	} catch (error) {
		if (!(error instanceof KeyringUnavailable)) throw error;
		return `the system keyring can't be reached (${error.message}): its entry "${stored.account}" of the service "supportctl" may still be there`;
	}
}

/** A profile without its secret. */
export function withoutSecret(profile: StoredProfile): StoredProfile {
	const { secret: _secret, ...rest } = profile;
	return rest;
}
