/** Secrets: what they may look like, and storing, fetching and removing them: profile file, system keyring or secret command. */

import { RefusedError, UsageError } from '../errors.js';
import { type Environment, MAX_SECRET_BYTES, textOf } from './environment.js';
import { hasControlCharacter, type Scheme } from './settings.js';
import type { StoredProfile, StoredSecret } from './store.js';

/** What the secret of a scheme is called. */
export function secretNoun(scheme: Scheme): string {
	return { basic: 'password', bearer: 'token', header: 'header value', none: 'secret' }[scheme];
}

/** Checks that a secret can be sent under its scheme; throws UsageError that does not repeat it. */
export function checkSecret(scheme: Scheme, secret: string, from: string): string {
	const refuse = (why: string): never => {
		throw new UsageError(`the ${secretNoun(scheme)} from ${from} ${why}`, { code: 'invalid_secret' });
	};
	if (secret === '') refuse('is empty');
	if (/[\r\n]/.test(secret)) refuse('has more than one line');
	if (hasControlCharacter(secret.replaceAll('\t', ''))) refuse('has control characters in it');
	if (scheme !== 'basic' && /[^\t\x20-\x7e]/.test(secret)) refuse("has letters that an HTTP header can't carry");
	if (scheme === 'bearer' && /\s/.test(secret)) refuse('has spaces in it');
	return secret;
}

/** @throws UsageError for a user name that HTTP Basic can't carry */
export function checkUserName(username: string): string {
	if (!username.includes(':')) return username;
	throw new UsageError(`the user name ${JSON.stringify(username)} has a colon, which the scheme basic can't carry`);
}

/** The system's keyring. */
export interface Keyring {
	get(account: string): Promise<string | undefined>;
	set(account: string, secret: string): Promise<void>;
	/** False where there was nothing to delete. */
	delete(account: string): Promise<boolean>;
}

export type OpenKeyring = () => Promise<Keyring>;

/** There is no keyring, or it would not open; the message says why in a few words. */
export class KeyringUnavailable extends Error {
	override readonly name = 'KeyringUnavailable';
}

const KEYRING_SERVICE = 'supportctl';

/** The library's reason, in one line and without its own prefixes. */
function keyringProblem(error: unknown): KeyringUnavailable {
	const message = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
	const reason = message.replace(/^(Platform failure|Couldn't access platform storage): /, '').slice(0, 200);
	return new KeyringUnavailable(reason, { cause: error });
}

/** Opens the keyring; throws KeyringUnavailable where its optional library is missing. */
async function openSystemKeyring(): Promise<Keyring> {
	let library: typeof import('@napi-rs/keyring');
	try {
		library = await import('@napi-rs/keyring');
	} catch (cause) {
		throw new KeyringUnavailable('the package @napi-rs/keyring is not installed', { cause });
	}
	// On Linux the library would fall back to the kernel's keyring, which is empty after the next boot.
	const options = { linux: { store: 'secret-service' as never } };
	const use = async <T>(account: string, act: (entry: InstanceType<typeof library.AsyncEntry>) => Promise<T>) => {
		try {
			return await act(new library.AsyncEntry(KEYRING_SERVICE, account, options));
		} catch (error) {
			throw keyringProblem(error);
		}
	};
	return {
		get: async (account) => (await use(account, (entry) => entry.getPassword())) ?? undefined,
		set: (account, secret) => use(account, (entry) => entry.setPassword(secret)),
		delete: (account) => use(account, (entry) => entry.deleteCredential()),
	};
}

/** Where a secret is, for a person. */
export function describeStore(secret: StoredSecret | undefined): string {
	if (secret === undefined) return 'nowhere';
	return { file: 'profile file', keyring: 'system keyring', command: 'secret command' }[secret.store];
}

/** Fetches a stored secret; throws RefusedError that names the profile and the next step. */
export async function fetchSecret(
	stored: StoredSecret,
	{ env, profileName, openKeyring }: { env: Environment; profileName: string; openKeyring?: OpenKeyring | undefined },
): Promise<string> {
	if (stored.store === 'file') return stored.value;
	if (stored.store === 'command') {
		return runSecretCommand(stored.command, { env, owner: `profile "${profileName}"` });
	}
	const hint = `sign in again: supportctl login --profile ${profileName}`;
	try {
		const keyring = await (openKeyring ?? openSystemKeyring)();
		const secret = await keyring.get(stored.account);
		if (secret !== undefined) return secret;
	} catch (error) {
		if (!(error instanceof KeyringUnavailable)) throw error;
		throw new RefusedError(`the system keyring, which holds the secret of profile "${profileName}", can't be read`, {
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
	openKeyring?: OpenKeyring | undefined;
}

/** Puts a secret into the keyring or, where there is none or the file was asked for, returns it for the file. */
export async function keepSecret(
	secret: string,
	{ profileName, file, insecureStorage, openKeyring }: KeepOptions,
): Promise<{ stored: StoredSecret; notice?: string }> {
	const inFile: StoredSecret = { store: 'file', value: secret };
	if (insecureStorage) return { stored: inFile };
	const account = `${profileName} in ${file}`;
	try {
		const keyring = await (openKeyring ?? openSystemKeyring)();
		await keyring.set(account, secret);
		if ((await keyring.get(account)) === secret) return { stored: { store: 'keyring', account } };
		throw new KeyringUnavailable('it did not return what was stored in it');
	} catch (error) {
		if (!(error instanceof KeyringUnavailable)) throw error;
		const notice = `no system keyring can be used (${error.message}): the secret is stored in ${file}, unencrypted, readable only by you`;
		return { stored: inFile, notice };
	}
}

/** Removes a secret from the keyring; a warning comes back where that failed. */
export async function discardSecret(
	{ account }: Extract<StoredSecret, { store: 'keyring' }>,
	openKeyring: OpenKeyring = openSystemKeyring,
): Promise<string | undefined> {
	try {
		const keyring = await openKeyring();
		await keyring.delete(account);
		return undefined;
	} catch (error) {
		if (!(error instanceof KeyringUnavailable)) throw error;
		return `the system keyring can't be reached (${error.message}): its entry "${account}" of the service "${KEYRING_SERVICE}" may still be there`;
	}
}

/** A profile without its secret. */
export function withoutSecret(profile: StoredProfile): StoredProfile {
	const { secret: _secret, ...rest } = profile;
	return rest;
}

/** Long enough for a person to type a passphrase. */
const COMMAND_TIMEOUT_MS = 60_000;

interface CommandEnd {
	output: Buffer;
	/** Why it failed, in words that hold none of its output. */
	failure?: string;
}

async function runShell(command: string, env: Environment, timeoutMs: number): Promise<CommandEnd> {
	const { spawn } = await import('node:child_process');
	return new Promise((resolve) => {
		// Its error stream is dropped because it may hold the secret; questions go to the terminal itself.
		const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'ignore'], env: env as NodeJS.ProcessEnv });
		const chunks: Buffer[] = [];
		let bytes = 0;
		const end = (failure?: string): void => {
			clearTimeout(timer);
			child.stdout.destroy();
			child.kill();
			child.unref();
			resolve({ output: Buffer.concat(chunks), ...(failure === undefined ? {} : { failure }) });
		};
		const timer = setTimeout(() => end(`took longer than ${timeoutMs / 1000} s`), timeoutMs);
		child.stdout.on('data', (chunk: Buffer) => {
			bytes += chunk.length;
			if (bytes > MAX_SECRET_BYTES) end(`printed more than ${MAX_SECRET_BYTES / 1024} KiB`);
			else chunks.push(chunk);
		});
		child.on('error', (error: NodeJS.ErrnoException) => end(`could not be started (${error.code ?? 'unknown error'})`));
		child.on('close', (code, signal) => {
			if (signal !== null) end(`was ended by ${signal}`);
			else end(code === 0 ? undefined : `failed with exit code ${code}`);
		});
	});
}

/**
 * Runs the command with the shell and returns what it printed, without the last line break. The command gets the
 * environment without our own secrets. Throws RefusedError that names the failure and the profile, but neither the
 * command's output nor, since it may hold a secret, its text.
 */
export async function runSecretCommand(
	command: string,
	{ env, owner, timeoutMs = COMMAND_TIMEOUT_MS }: { env: Environment; owner: string; timeoutMs?: number },
): Promise<string> {
	const { SUPPORTCTL_PASSWORD: _password, SUPPORTCTL_TOKEN: _token, ...rest } = env;
	const { output, failure } = await runShell(command, rest, timeoutMs);
	const refuse = (why: string, hint: string): never => {
		throw new RefusedError(`the secret command of ${owner} ${why}`, { code: 'secret_command_failed', hint });
	};
	if (failure !== undefined) refuse(failure, 'run it by hand to see why; its output is never shown here');
	const text = textOf(output);
	if (text === undefined) return refuse('printed something that is not UTF-8 text', 'run it by hand to see');
	if (text === '') refuse('printed nothing', 'it must print the secret on one line');
	if (/[\r\n]/.test(text)) {
		const lines = text.split(/\r?\n/).length;
		refuse(`printed ${lines} lines`, 'it must print the secret on one line; add `| head -n 1` to take the first');
	}
	return text;
}
