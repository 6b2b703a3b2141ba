/** Texts as the service makes them: slugs, dates, passwords; and random draws that repeat. */

import { createHash } from 'node:crypto';

/** To the second, as services show it. */
export function stamp(ms: number): string {
	return new Date(ms).toISOString().slice(0, 19);
}

/** Letters beyond ASCII are kept percent-encoded. */
export function slugify(text: string): string {
	return text
		.normalize('NFKD')
		.replace(/[\u0300-\u036f]/g, '')
		.toLowerCase()
		.replace(/[^\x00-\x7f]+/g, (letters) => encodeURIComponent(letters).toLowerCase())
		.replace(/[^a-z0-9%]+/g, '-')
		.replace(/^-+|-+$/g, '');
}

/** Spaces in passwords don't count. */
export function withoutSpaces(password: string): string {
	return password.replace(/\s+/g, '');
}

export function passwordSlug(password: string): string {
	return createHash('sha256').update(password).digest('hex').slice(0, 12);
}

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/** @param random 0 ≤ x < 1 */
export function makePassword(random: () => number): string {
	const letter = (): string => LETTERS[Math.floor(random() * LETTERS.length)] as string;
	return Array.from({ length: 6 }, () => letter() + letter() + letter() + letter()).join(' ');
}

/** Mulberry32: the same numbers on every machine. */
export function createChance(...seeds: number[]) {
	let state = 0x9e3779b9;
	for (const seed of seeds) state = Math.imul(state ^ (seed + 0x7f4a7c15), 0x85ebca6b) ^ (state >>> 13);
	// 0 ≤ x < 1.
	const next = (): number => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
	// A whole number from 0 up to, not including, `limit`.
	const below = (limit: number): number => Math.floor(next() * limit);
	return { next, below, pick: <T>(from: readonly T[]): T => from[below(from.length)] as T };
}
