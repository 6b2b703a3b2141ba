/** Listed users by what people call them. */

import { counted } from '../../api/names.js';
import { didYouMean } from '../../api/suggest.js';
import { isId, quote } from '../../api/values.js';
import type { Found } from './found.js';
import type { ListedObject } from './pages.js';

type By = 'username' | 'email' | 'name' | 'slug';

export class UserIndex {
	readonly #by: Readonly<Record<By, Map<string, ListedObject[]>>> = {
		username: new Map(),
		email: new Map(),
		name: new Map(),
		slug: new Map(),
	};

	readonly #hidesUsernames: boolean;

	/** @param isWhole whether nobody is left out */
	constructor(
		listed: readonly ListedObject[],
		readonly isWhole: boolean,
	) {
		const users = listed.filter(({ id }) => isId(id));
		this.#hidesUsernames = users.some(({ username }) => typeof username !== 'string');
		for (const user of users) {
			for (const [by, found] of Object.entries(this.#by)) {
				const text = user[by];
				if (typeof text !== 'string' || text === '') continue;
				const key = text.toLowerCase();
				found.set(key, [...(found.get(key) ?? []), user]);
			}
		}
	}

	/**
	 * Undefined if nobody is called so, or nobody can say who. A username needs no whole list, since it is not given twice.
	 * @param isUsername not an email or a display name
	 */
	match(name: string, isUsername: boolean): (Found & { by?: 'slug' }) | undefined {
		const byUsername = this.#called('username', name);
		const exact = byUsername.filter(({ username }) => username === name);
		if (byUsername.length > 0) return onlyOne(name, exact.length > 0 ? exact : byUsername);
		if (this.#hidesUsernames) return this.#bySlug(name);
		if (isUsername || !this.isWhole) return undefined;
		const byEmail = this.#called('email', name);
		const found = byEmail.length > 0 ? byEmail : this.#called('name', name);
		return found.length > 0 ? onlyOne(name, found) : undefined;
	}

	/** Of those whose usernames are hidden. A slug that the name was changed for may belong to another name. */
	#bySlug(name: string): (Found & { by?: 'slug' }) | undefined {
		const found = slugsOf(name).flatMap((slug) => this.#called('slug', slug));
		const [user, ...more] = new Set(found.filter(({ username }) => typeof username !== 'string'));
		if (user === undefined) return undefined;
		return more.length > 0 ? onlyOne(name, [user, ...more]) : { id: String(user.id), by: 'slug' };
	}

	#called(by: By, text: string): readonly ListedObject[] {
		return this.#by[by].get(text.toLowerCase()) ?? [];
	}

	didYouMean(name: string): string {
		// People confuse usernames with both.
		const [other] = [...this.#called('email', name), ...this.#called('name', name)];
		if (other !== undefined) return `; did you mean ${quote(writtenAs(other))}?`;
		const all = this.#hidesUsernames ? this.#by.slug : this.#by.username;
		return didYouMean(name, [...all.values()].flat().map(writtenAs));
	}
}

const writtenAs = ({ username, slug }: ListedObject): string => String(username ?? slug);

function onlyOne(name: string, users: readonly ListedObject[]): Found {
	const ids = users.map(({ id }) => String(id));
	const [id = ''] = ids;
	if (ids.length === 1) return { id };
	return { problem: `${quote(name)} is ambiguous (${counted(ids.length, 'user')}); use the ID: ${ids.join(' or ')}` };
}

/** Services cut a slug there. */
const SLUG_LENGTH = 50;

/**
 * The slugs that a service may have made from a username. Two names can lead to one slug: then the second got a number,
 * so for a name that was changed, that one may also be meant.
 */
export function slugsOf(name: string): string[] {
	const text = name.slice(0, SLUG_LENGTH).toLowerCase();
	const tidied = (slug: string): string => slug.replace(/-+/g, '-').replace(/^-|-$/g, '');
	const made = [
		tidied(text.replace(/[.\s]+/g, '-').replace(/[^\p{L}\p{N}_-]/gu, '')),
		tidied(text.replace(/[^\p{L}\p{N}_-]+/gu, '-')),
	].filter((slug) => slug !== '');
	const changed = made.filter((slug) => slug !== text).map((slug) => `${slug}-2`);
	return [...new Set([text, ...made, ...changed])];
}
