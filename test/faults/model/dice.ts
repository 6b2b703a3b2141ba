/** Choices that a seed repeats. */

import { chances } from '../../support/small-host.js';

export class Dice {
	readonly #random: () => number;

	/** @param seed a number, or a text that stands for one */
	constructor(seed: number | string) {
		this.#random = chances(typeof seed === 'number' ? seed : hashOf(seed));
	}

	is(chance: number): boolean {
		return this.#random() < chance;
	}

	/** From 1. */
	to(most: number): number {
		return 1 + Math.floor(this.#random() * most);
	}

	of<T>(all: readonly T[]): T {
		return all[Math.floor(this.#random() * all.length)] as T;
	}

	some<T>(most: number, all: readonly T[]): T[] {
		return Array.from({ length: this.to(most) }, () => this.of(all));
	}
}

/** FNV-1a. */
function hashOf(text: string): number {
	let hash = 0x811c9dc5;
	for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
	return hash >>> 0;
}
