/** Which machine takes a row: a stable hash of what the request is about, cut into equal parts. */

import { UsageError } from '../errors.js';

/** One of `count` parts, counted from 1. */
export interface Shard {
	readonly index: number;
	readonly count: number;
}

/** Whether JSON is a shard. */
export function isShard(value: unknown): value is Shard {
	const { index, count } = (value ?? {}) as Partial<Shard>;
	return (
		Number.isSafeInteger(count) && Number.isSafeInteger(index) && Number(index) >= 1 && Number(index) <= Number(count)
	);
}

/** FNV-1a over UTF-16 units, then murmur3's finaliser, since FNV's low bits are uneven for ids that follow each other. */
export function hashKey(key: string): number {
	let hash = 0x811c9dc5;
	for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return (hash ^ (hash >>> 16)) >>> 0;
}

/** True where the key's row belongs to the shard; each key belongs to exactly one. */
export function inShard(key: string, shard: Shard): boolean {
	return Math.floor((hashKey(key) / 0x1_0000_0000) * shard.count) === shard.index - 1;
}

/** Reads `2/4`: the second of four parts. Throws UsageError. */
export function parseShard(text: string): Shard {
	const match = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(text.trim());
	const shard = match === null ? undefined : { index: Number(match[1]), count: Number(match[2]) };
	if (shard === undefined || shard.index > shard.count) {
		throw new UsageError(`--shard ${JSON.stringify(text)} is not K/N with K from 1 to N, such as 1/4 … 4/4`, {
			code: 'invalid_value',
		});
	}
	return shard;
}

export function formatShard(shard: Shard): string {
	return `${shard.index}/${shard.count}`;
}
