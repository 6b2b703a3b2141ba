/** Numbers that look random and are always the same for the same seed. */

/** Draws from one sequence. */
export interface Chance {
	/** 0 ≤ x < 1. */
	next(): number;
	/** A whole number from 0 up to, not including, `limit`. */
	below(limit: number): number;
	pick<T>(from: readonly T[]): T;
}

/** Mulberry32 over a mix of the given numbers: the same numbers give the same sequence, on every machine. */
export function createChance(...seeds: number[]): Chance {
	let state = 0x9e3779b9;
	for (const seed of seeds) state = Math.imul(state ^ (seed + 0x7f4a7c15), 0x85ebca6b) ^ (state >>> 13);
	const next = (): number => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
	const below = (limit: number): number => Math.floor(next() * limit);
	return { next, below, pick: (from) => from[below(from.length)] as never };
}
