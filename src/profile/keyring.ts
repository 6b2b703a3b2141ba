/** The system's keyring, if there is one; its library is optional and loaded only here. */

export interface Keyring {
	get(account: string): Promise<string | undefined>;
	set(account: string, secret: string): Promise<void>;
	/** False where there was nothing to delete. */
	delete(account: string): Promise<boolean>;
}

/** There is no keyring, or it would not open; the message says why in a few words. */
export class KeyringUnavailable extends Error {
	constructor(message: string, cause?: unknown) {
		super(message, { cause });
		this.name = 'KeyringUnavailable';
	}
}

const SERVICE = 'supportctl';

/** The library's reason, in one line and without its own prefixes. */
function reasonOf(error: unknown): string {
	const message = error instanceof Error ? error.message : String(error);
	return message
		.replace(/\s+/g, ' ')
		.replace(/^(Platform failure|Couldn't access platform storage): /, '')
		.slice(0, 200);
}

async function guarded<T>(act: () => Promise<T>): Promise<T> {
	try {
		return await act();
	} catch (error) {
		throw new KeyringUnavailable(reasonOf(error), error);
	}
}

/** Opens the keyring; throws KeyringUnavailable where its library is missing. */
export async function openKeyring(): Promise<Keyring> {
	let library: typeof import('@napi-rs/keyring');
	try {
		library = await import('@napi-rs/keyring');
	} catch (error) {
		throw new KeyringUnavailable('the package @napi-rs/keyring is not installed', error);
	}
	// On Linux the library would fall back to the kernel's keyring, which forgets everything at the next boot.
	const entry = (account: string) =>
		new library.AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' as never } });
	return {
		get: (account) => guarded(async () => (await entry(account).getPassword()) ?? undefined),
		set: (account, secret) => guarded(() => entry(account).setPassword(secret)),
		delete: (account) => guarded(() => entry(account).deleteCredential()),
	};
}
