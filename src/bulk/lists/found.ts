/** What looking up a name found, and what the lookups of users and terms share. */

import type { Dialect } from '../../api/dialect.js';
import type { Request } from '../../api/request.js';
import { isProblem, parseId } from '../../api/values.js';
import { FailedError } from '../../errors.js';
import { isLost, type Outcome } from '../../http/outcome.js';
import { type ListedObject, objectsIn } from './pages.js';

export type Found = { readonly id: string } | NotFound | { readonly asGiven: true };

export interface NotFound {
	readonly problem: string;
	/** The service itself, or a whole list, says that there is none; without it, nobody knows. */
	readonly missing?: true;
}

export type NameRecord = { readonly of: string; readonly name: string } & Exclude<Found, { asGiven: true }>;

/** The code of a service that looks up nobody but its caller. */
export const REFUSES_OTHERS = 'invalid_username_access';

/** Names of one kind of object. */
export interface Directory {
	/** By ID, username, slug or name. @throws SupportctlError */
	id(text: string): Promise<Found>;
}

export interface DirectoryOptions {
	dialect: Dialect;
	/** @throws SupportctlError for refused credentials */
	send(request: Request): Promise<Outcome>;
	/** Undefined without credentials. */
	account(): Promise<{ username?: string | undefined } | undefined>;
	/** How a name was understood, where that is not plain. */
	tell(text: string): void;
	/** `what` is waited for: `looking up names`. */
	onWait?(response: Promise<Outcome>, what: string): void;
}

/** What lookups share. */
export interface Setting extends DirectoryOptions {
	memory: Memory;
	lookUp(request: Request): Promise<Outcome>;
}

/** Each distinct name is looked up once; a journal keeps what was found. */
export class Memory {
	readonly records: NameRecord[] = [];
	readonly #known = new Map<string, Promise<Found>>();

	remember({ of, name, ...found }: NameRecord): void {
		this.#known.set(`${of} ${name}`, Promise.resolve(found));
	}

	once(of: string, name: string, lookUp: () => Promise<Found>): Promise<Found> {
		const key = `${of} ${name}`;
		const known = this.#known.get(key);
		if (known !== undefined) return known;
		const looking = lookUp().then((found) => {
			if (!('asGiven' in found)) this.records.push({ of, name, ...found });
			return found;
		});
		this.#known.set(key, looking);
		return looking;
	}
}

export function isSameText(left: unknown, right: string): boolean {
	return typeof left === 'string' && left.toLowerCase() === right.toLowerCase();
}

/** Of digits that were written as an ID. */
export function idFrom(text: string): Found {
	const parsed = parseId(text);
	return isProblem(parsed) ? parsed : { id: parsed.value };
}

/** Undefined if the service offers you no list. @throws FailedError */
export function listedIn(outcome: Outcome, what: string): ListedObject[] | undefined {
	const { code, message } = outcome;
	const objects = objectsIn(outcome);
	if (objects !== undefined || !isLost(outcome)) return objects;
	throw new FailedError(`could not look up ${what}: ${message ?? code ?? outcome.outcome}; nothing was sent`, {
		code: code ?? 'lookup_failed',
	});
}
