/** Secrets: which ones can be sent, and where they are stored. */

import { ExitCode, SupportctlError, UsageError } from '../errors.js';
import { type Environment, MAX_SECRET_BYTES, type Scheme, schemes, secretVariables } from './settings.js';

/** `origin` is what a secret was stored for: a base URL edited by hand must not get it. */
export type StoredSecret = { origin?: string } & (
	| { store: 'file'; value: string }
	| { store: 'keyring'; account: string }
	| { store: 'command'; command: string }
);

/** @throws UsageError that does not repeat the secret */
export function checkSecret(scheme: Scheme, secret: string, from: string): string {
	let why: string | undefined;
	if (secret === '') why = 'is empty';
	else if (/[\r\n]/.test(secret)) why = 'has more than one line';
	// What a command prints is decoded by then: it would be sent as a different password.
	else if (secret.includes('\ufffd')) why = 'is not UTF-8 text';
	else if (/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(secret)) why = 'contains control characters';
	else if (scheme === 'bearer' && /\s/.test(secret)) why = 'contains spaces';
	else if (scheme !== 'basic' && /[^\t\x20-\x7e]/.test(secret)) {
		why = "contains characters that an HTTP header can't carry";
	}
	if (why === undefined) return secret;
	throw new UsageError(`the ${schemes[scheme].secret} from ${from} ${why}`, { code: 'invalid_secret' });
}

export function describeStore(secret: StoredSecret | undefined): string {
	if (secret === undefined) return 'nowhere';
	return { file: 'profile file', keyring: 'system keyring', command: 'secret command' }[secret.store];
}

const KEYRING_SERVICE = 'supportctl';

/** Uses an entry of the system's keyring. Rejects with an Error whose message says in a few words why that can't be. */
async function useKeyring<T>(
	account: string,
	use: (entry: import('@napi-rs/keyring').AsyncEntry) => Promise<T>,
): Promise<T> {
	const { AsyncEntry } = await import('@napi-rs/keyring').catch((cause) => {
		throw new Error('the package @napi-rs/keyring is not installed', { cause });
	});
	try {
		// On Linux the library would fall back to the kernel's keyring, which is empty after the next boot.
		return await use(new AsyncEntry(KEYRING_SERVICE, account, { linux: { store: 'secret-service' as never } }));
	} catch (cause) {
		const reason = messageOf(cause).replace(/^(Platform failure|Couldn't access platform storage): /, '');
		throw new Error(reason.replace(/\s+/g, ' ').slice(0, 200), { cause });
	}
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** @throws SupportctlError with exit code 4 that names the profile and the next step */
export async function fetchSecret(stored: StoredSecret, env: Environment, profileName: string): Promise<string> {
	const owner = `profile "${profileName}"`;
	if (stored.store === 'file') return stored.value;
	if (stored.store === 'command') return runSecretCommand(stored.command, owner, env);
	const hint = `sign in again: supportctl login --profile ${profileName}`;
	const secret = await useKeyring(stored.account, (entry) => entry.getPassword()).catch((cause) => {
		throw new SupportctlError(`can't read the secret of ${owner} from the system keyring`, ExitCode.refused, {
			code: 'keyring_unavailable',
			details: [messageOf(cause)],
			hint: `unlock the keyring, or ${hint}`,
			cause,
		});
	});
	if (typeof secret === 'string') return secret;
	const message = `the secret of ${owner} is gone from the system keyring`;
	throw new SupportctlError(message, ExitCode.refused, { code: 'secret_gone', hint });
}

/** Stores a secret in the keyring, or if there is none in the file. */
export async function keepSecret(
	value: string,
	account: string,
	file: string,
): Promise<{ stored: StoredSecret; notice?: string }> {
	try {
		const kept = await useKeyring(account, async (entry) => {
			await entry.setPassword(value);
			return entry.getPassword();
		});
		if (kept === value) return { stored: { store: 'keyring', account } };
		throw new Error('it did not return what was stored in it');
	} catch {
		const notice = `no system keyring; the secret is stored unencrypted in ${file} (only you can read it)`;
		return { stored: { store: 'file', value }, notice };
	}
}

/** @returns a warning if that failed */
export async function discardSecret(account: string): Promise<string | undefined> {
	try {
		await useKeyring(account, (entry) => entry.deleteCredential());
		return undefined;
	} catch (error) {
		return `can't reach the system keyring (${messageOf(error)}): remove entry "${account}" of "${KEYRING_SERVICE}" by hand`;
	}
}

/** Long enough for a person to type a passphrase. */
const COMMAND_TIMEOUT_MS = 60_000;

/** Runs the command without our own secrets in its environment. @throws SupportctlError without the command or its output, which may contain a secret */
export async function runSecretCommand(
	command: string,
	owner: string,
	env: Environment,
	timeoutMs = COMMAND_TIMEOUT_MS,
): Promise<string> {
	const refusal = (why: string): SupportctlError => {
		const hint = 'run it by hand to see why';
		const message = `the secret command of ${owner} ${why}`;
		return new SupportctlError(message, ExitCode.refused, { code: 'secret_command_failed', hint });
	};
	const others = Object.fromEntries(Object.entries(env).filter(([name]) => !secretVariables.includes(name)));
	const { exec } = await import('node:child_process');
	return new Promise<string>((resolve, reject) => {
		const child = exec(command, { env: others, timeout: timeoutMs, maxBuffer: MAX_SECRET_BYTES }, (error, stdout) => {
			if (error === null) resolve(stdout.replace(/\r?\n$/, ''));
			else if (String(error.code) === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') reject(refusal('printed too much'));
			else if (error.killed) reject(refusal(`took longer than ${timeoutMs / 1000} s`));
			else reject(refusal(`failed with ${error.signal ?? `exit code ${error.code}`}`));
		});
		// It may ask at the terminal, but stdin may be the input of a run.
		child.stdin?.end();
	});
}
