/** What an account may see and do, by its role. */

import { ServiceError } from './responses.js';
import type { User } from './samples.js';

interface Rights {
	/** Sees and changes all users; others see only users with posts, and no usernames. */
	readonly users: boolean;
	/** Which tickets it may open one by one; an agent's list can show more. */
	readonly tickets: 'all' | 'assigned' | 'own';
	readonly terms: boolean;
}

export const roles = {
	administrator: { users: true, tickets: 'all', terms: true },
	manager: { users: false, tickets: 'all', terms: true },
	agent: { users: false, tickets: 'assigned', terms: false },
	customer: { users: false, tickets: 'own', terms: false },
} as const satisfies Record<string, Rights>;

export type Role = keyof typeof roles;

/** Without a known role an account has the least rights. */
export function rightsOf({ roles: own }: Pick<User, 'roles'>): Rights {
	const role = (Object.keys(roles) as Role[]).find((each) => own.includes(each));
	return roles[role ?? 'customer'];
}

export function forbidden(code: string, what: string): ServiceError {
	return new ServiceError(403, code, `Sorry, you are not allowed to ${what}.`);
}
