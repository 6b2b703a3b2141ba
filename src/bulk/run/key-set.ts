/** Which objects a run has seen. */

import { hashKey } from '../plan.js';

const BITS = 24;

/** In constant memory: of many keys it may mistake a few for its own. */
export class KeySet {
	readonly #bits = new DataView(new ArrayBuffer(1 << (BITS - 3)));

	/** @returns whether it may have been there */
	add(key: string): boolean {
		const [byte, bit] = this.#placeOf(key);
		const before = this.#bits.getUint8(byte);
		this.#bits.setUint8(byte, before | bit);
		return (before & bit) !== 0;
	}

	mayHave(key: string): boolean {
		const [byte, bit] = this.#placeOf(key);
		return (this.#bits.getUint8(byte) & bit) !== 0;
	}

	#placeOf(key: string): [byte: number, bit: number] {
		const place = hashKey(key) >>> (32 - BITS);
		return [place >>> 3, 1 << (place & 7)];
	}
}
