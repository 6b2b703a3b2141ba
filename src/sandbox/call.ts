/** One request as the resources see it: who calls, with which parameters, and what is at hand to answer it. */

import type { Dialect } from '../api/dialect.js';
import { toBoolean, toInteger } from './accept.js';
import { type Answer, invalidParameter, noRoute } from './answers.js';
import type { UserRecord } from './records.js';
import type { Store } from './store.js';

/** What every resource works with. */
export interface Desk {
	readonly store: Store;
	readonly dialect: Dialect;
	/** The path of the interface's root: `/wp-json/support-api/v1`. */
	readonly root: string;
	/** Now, as the interface writes dates. */
	now(): string;
	/** Forgets remembered sign-ins, because a password or a user is gone. */
	signInsChanged(): void;
}

export interface Call {
	/** Undefined for a caller without credentials. */
	readonly caller: UserRecord | undefined;
	/** The path below the interface's root, without the query. */
	readonly route: string;
	/** Placeholders of the path by name, as they stand in it. */
	readonly path: Readonly<Record<string, string>>;
	readonly query: URLSearchParams;
	readonly body: Readonly<Record<string, unknown>>;
	/** `http://host:port`, as the caller addressed the sandbox. */
	readonly origin: string;
}

export type Meaning = (call: Call) => Answer;

/** A parameter wherever it stands: the body beats the query, which beats the path. */
export function parameter(call: Call, name: string): unknown {
	if (Object.hasOwn(call.body, name)) return call.body[name];
	return call.query.get(name) ?? call.path[name];
}

/** An id, with the body's beating the path's. Anything but an integer is refused. */
export function idParameter(call: Call, name: string): number {
	const value = parameter(call, name);
	// Digits too long for a number name nothing that exists.
	if (typeof value === 'string' && /^\d{17,}$/.test(value)) return Number.MAX_SAFE_INTEGER;
	const id = toInteger(value);
	if (id === undefined) throw invalidParameter(name, `${name} is not of type integer.`, 'rest_invalid_type');
	return id;
}

/** `force`: absent is false. */
export function forced(call: Call): boolean {
	const value = parameter(call, 'force');
	if (value === undefined) return false;
	const force = toBoolean(value);
	if (force === undefined) throw invalidParameter('force', 'force is not of type boolean.', 'rest_invalid_type');
	return force;
}

/** A placeholder that every route of the meaning has. */
export function pathText(call: Call, name: string): string {
	const text = call.path[name];
	if (text === undefined) throw noRoute();
	return text;
}

export const ok = (body: unknown, headers?: Record<string, string>): Answer => ({
	status: 200,
	body,
	...(headers === undefined ? {} : { headers }),
});
