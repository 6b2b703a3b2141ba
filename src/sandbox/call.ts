/** One request as the resources see it: who calls, with which arguments, and what the caller may do. */

import type { Dialect } from '../api/dialect.js';
import type { Arguments } from './arguments.js';
import { forbidden, notSignedIn, type SandboxResponse, ServiceError } from './responses.js';
import type { UserRecord } from './seed.js';
import type { Store } from './store.js';
import { hashPassword } from './text.js';

/** What every resource works with. */
export interface Service {
	readonly store: Store;
	readonly dialect: Dialect;
	/** Now, as the interface writes dates. */
	now(): string;
	/** Waits a moment between reading and writing a stored value. */
	pause(): Promise<void>;
}

export interface Call {
	/** Undefined for a caller without credentials. */
	readonly caller: UserRecord | undefined;
	/** The path below `/support-api/v1`. */
	readonly path: string;
	/** Checked arguments by neutral name. */
	readonly values: Readonly<Record<string, unknown>>;
	readonly query: URLSearchParams;
	/** Whether raw values are shown: for writes, and under `context=edit`. */
	readonly edit: boolean;
	/** `http://host:port`, as the caller wrote it. */
	readonly origin: string;
	/** The address of a path below `/support-api/v1`, in the form that the caller uses. */
	url(path: string): string;
	/** An object's `_links`. @param collection the path of its list */
	links(collection: string, id: number): unknown;
}

/** What a kind of object answers to, and what its list takes. */
export interface Resource {
	readonly handlers: Readonly<Record<'list' | 'get' | 'update' | 'delete', Handler>>;
	readonly listArguments: Arguments;
}

export type Handler = (call: Call) => SandboxResponse | Promise<SandboxResponse>;

/** Customers see only themselves; agents and supervisors work on tickets; the rest is for administrators. */
export type Role = 'staff' | 'administrator';

export function may({ roles }: UserRecord, role: Role): boolean {
	if (roles.includes('administrator')) return true;
	return role === 'staff' && (roles.includes('supervisor') || roles.includes('agent'));
}

/** The caller, or 401. */
export function signedIn({ caller }: Call): UserRecord {
	if (caller === undefined) throw notSignedIn();
	return caller;
}

/** The caller where the role is theirs, else 401 or 403 with the code. */
export function allowed(call: Call, role: Role, code: string): UserRecord {
	const caller = signedIn(call);
	if (!may(caller, role)) throw forbidden(code);
	return caller;
}

/**
 * The caller that an Authorization header names by user name or e-mail address, with an application password.
 * @returns undefined without a header
 * @throws ServiceError 401 for wrong credentials
 */
export function callerOf(store: Store, header: string | undefined): UserRecord | undefined {
	if (header === undefined) return undefined;
	const encoded = /^basic +([a-z0-9+/=_-]+)\s*$/i.exec(header)?.[1];
	if (encoded === undefined) throw notSignedIn();
	const [name = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
	const user = findUser(store, (each) => each.username === name || each.email === name);
	if (user === undefined) {
		throw new ServiceError(401, 'invalid_username', 'Unknown username. Check again or try your email address.');
	}
	const hash = hashPassword(rest.join(':'));
	if (user.passwords.every((each) => each.hash !== hash)) {
		throw new ServiceError(401, 'incorrect_password', 'The provided password is an invalid application password.');
	}
	return user;
}

export function findUser(store: Store, test: (user: UserRecord) => boolean): UserRecord | undefined {
	for (const user of store.users.values()) if (test(user)) return user;
	return undefined;
}
