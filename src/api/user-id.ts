/** The id in the answer of `POST /users/username`, whose shape the interface does not show (section 7). */

import { isObject } from './values.js';

/** The keys under which services put a user's id, the likeliest first. */
const KEYS = ['id', 'ID', 'user_id'] as const;

/** A bare id, one under a key that names it, or the only thing that is told; undefined where the answer shows none. */
export function userIdIn(body: unknown): string | undefined {
	const found = isObject(body) ? (KEYS.map((key) => body[key]).find(isId) ?? onlyValue(body)) : body;
	return isId(found) ? String(found) : undefined;
}

function onlyValue(object: Record<string, unknown>): unknown {
	const values = Object.values(object);
	return values.length === 1 ? values[0] : undefined;
}

/** Whether a value can be an id. */
export function isId(value: unknown): boolean {
	return (
		(Number.isSafeInteger(value) && (value as number) > 0) || (typeof value === 'string' && /^[1-9]\d*$/.test(value))
	);
}
