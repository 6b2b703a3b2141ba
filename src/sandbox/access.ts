/** Who is calling, and what they may do. */

import { ServiceError } from './answers.js';
import type { UserRecord } from './records.js';
import { hashSecret, withoutBlanks } from './secrets.js';
import type { Store } from './store.js';

/** What a role allows; also what a user's answer lists as capabilities. */
const capabilitiesByRole: Readonly<Record<string, readonly string[]>> = {
	administrator: [
		'read',
		'read_tickets',
		'edit_tickets',
		'delete_tickets',
		'edit_attachments',
		'list_users',
		'manage_users',
		'manage_terms',
		'manage_custom_fields',
	],
	supervisor: ['read', 'read_tickets', 'edit_tickets', 'delete_tickets', 'edit_attachments', 'list_users'],
	agent: ['read', 'read_tickets', 'edit_tickets', 'delete_tickets', 'edit_attachments'],
	customer: ['read'],
};

export type Capability =
	| 'read_tickets'
	| 'edit_tickets'
	| 'delete_tickets'
	| 'edit_attachments'
	| 'list_users'
	| 'manage_users'
	| 'manage_terms'
	| 'manage_custom_fields';

export function capabilitiesOf(user: UserRecord): Record<string, true> {
	const result: Record<string, true> = {};
	for (const role of user.roles) for (const each of capabilitiesByRole[role] ?? []) result[each] = true;
	return result;
}

export function may(user: UserRecord, capability: Capability): boolean {
	return user.roles.some((role) => capabilitiesByRole[role]?.includes(capability));
}

/** The caller, or 401 `rest_not_logged_in`. */
export function signedIn(caller: UserRecord | undefined): UserRecord {
	if (caller === undefined) throw new ServiceError(401, 'rest_not_logged_in', 'You are not currently logged in.');
	return caller;
}

/** 403, in the service's words. */
export function forbidden(code: string, action: string): ServiceError {
	return new ServiceError(403, code, `Sorry, you are not allowed to ${action}.`);
}

/** The caller, if they have the right: else 401 or 403. */
export function allowed(
	caller: UserRecord | undefined,
	capability: Capability,
	code: string,
	action: string,
): UserRecord {
	const user = signedIn(caller);
	if (!may(user, capability)) throw forbidden(code, action);
	return user;
}

export interface SignIn {
	/** The caller that an Authorization header names; undefined without one. Throws a 401 for wrong credentials. */
	callerOf(header: string | undefined): UserRecord | undefined;
	/** Forgets what was remembered, because a password or a user is gone. */
	forget(): void;
}

const REMEMBERED = 1000;

/** Basic authentication with a user name and an application password; headers that were right are remembered. */
export function createSignIn(store: Store): SignIn {
	const remembered = new Map<string, number>();

	function read(header: string): UserRecord {
		const match = /^basic +([a-z0-9+/=_-]+)\s*$/i.exec(header);
		if (match === null) throw new ServiceError(401, 'rest_not_logged_in', 'You are not currently logged in.');
		const text = Buffer.from(match[1] as string, 'base64').toString('utf8');
		const colon = text.indexOf(':');
		const username = colon === -1 ? text : text.slice(0, colon);
		const hash = hashSecret(colon === -1 ? '' : withoutBlanks(text.slice(colon + 1)));
		const user = store.userByName(username);
		if (user === undefined) {
			throw new ServiceError(401, 'invalid_username', 'Unknown username. Check again or try your email address.');
		}
		if (!user.passwords.some((each) => each.hash === hash)) {
			throw new ServiceError(401, 'incorrect_password', 'The provided password is an invalid application password.');
		}
		if (remembered.size >= REMEMBERED) remembered.clear();
		remembered.set(header, user.id);
		return user;
	}

	return {
		callerOf(header) {
			if (header === undefined) return undefined;
			const known = remembered.get(header);
			return (known === undefined ? undefined : store.users.get(known)) ?? read(header);
		},
		forget: () => remembered.clear(),
	};
}
