/** A keyring in memory, in the place of `@napi-rs/keyring`. */

/** `gone` and `forgetful` are what can be wrong with one. */
export const ring = { entries: new Map<string, string>(), gone: false, forgetful: false };

export function resetRing(): void {
	ring.entries.clear();
	Object.assign(ring, { gone: false, forgetful: false });
}

export class AsyncEntry {
	constructor(
		_service: string,
		readonly account: string,
	) {
		if (ring.gone) throw new Error("Couldn't access platform storage: no bus");
	}

	getPassword = async () => ring.entries.get(this.account);
	setPassword = async (secret: string) => void (ring.forgetful || ring.entries.set(this.account, secret));
	deleteCredential = async () => ring.entries.delete(this.account);
}
