/** Users, terms and application passwords by name: each distinct name is looked up at most once, before anything is written. */

import { decodeEntities, type TermIndex } from '../../api/applied.js';
import type { Dialect } from '../../api/dialect.js';
import { endpoints } from '../../api/endpoints.js';
import { createPlanner, type Request } from '../../api/plan.js';
import { reads } from '../../api/reads.js';
import { didYouMean } from '../../api/suggest.js';
import { isId, looksLikeNumber, NOBODY, OWN_ID, quote } from '../../api/values.js';
import { FailedError } from '../../errors.js';
import { lookedUpId } from '../../http/judge.js';
import { isLost, type Outcome } from '../../http/outcome.js';
import { type ListedObject, objectsIn } from './pages.js';

interface Id {
	readonly id: string;
}

interface Problem {
	readonly problem: string;
}

export type Found = Id | Problem | { readonly asGiven: true };

export interface Directory {
	/** By ID, username, slug or name. @throws SupportctlError */
	id(text: string): Promise<Found>;
	name(id: string): string | undefined;
}

/** `of` is `users` or a taxonomy. */
export type NameRecord = { readonly of: string; readonly name: string } & (Id | Problem);

export interface Directories {
	readonly users: Directory & {
		/** Why an account isn't the one of a username; undefined if it is, or without reads. */
		conflict(id: string, username: string): Promise<string | undefined>;
		/** @returns IDs that the service doesn't have; undefined without a list */
		missing(ids: readonly string[]): Promise<string[] | undefined>;
	};
	terms(taxonomy: string): Directory & {
		/** Undefined without a list. */
		ids(): Promise<string[] | undefined>;
	};
	passwords(userId: string): {
		id(text: string): Promise<Found>;
		name(slug: string): Promise<string | undefined>;
	};
	readonly index: TermIndex;
	/** Adds its terms to the index. */
	list(taxonomy: string): Promise<void>;
	/** From an earlier part of the run. */
	remember(record: NameRecord): void;
	records(): Iterable<NameRecord>;
}

export interface DirectoryOptions {
	dialect: Dialect;
	/** @throws RefusedError for refused credentials */
	send(request: Request): Promise<Outcome>;
	/** @throws UsageError */
	ownId(): Promise<number>;
}

const PAGE_SIZE = 100;
/** Searches for suggestions. */
const SUGGESTED = 5;

export function createDirectories(options: DirectoryOptions): Directories {
	const known = new Map<string, Promise<Found>>();
	const records: NameRecord[] = [];
	const keyOf = (of: string, name: string): string => `${of} ${name}`;
	const once = (of: string, lookUp: (name: string) => Promise<Found>) => (name: string) => {
		const key = keyOf(of, name);
		let looking = known.get(key);
		if (looking === undefined) {
			looking = lookUp(name).then((result) => {
				if (!('asGiven' in result)) records.push({ of, name, ...result });
				return result;
			});
			known.set(key, looking);
		}
		return looking;
	};

	const users = createUsers(options);
	const taxonomies = new Map<string, Terms>();
	const termsOf = (taxonomy: string): Terms => {
		const terms = taxonomies.get(taxonomy) ?? new Terms(taxonomy, options);
		taxonomies.set(taxonomy, terms);
		return terms;
	};
	const passwordsOf = new Map<string, ReturnType<typeof createPasswords>>();
	return {
		users: { ...users, id: once('users', users.id) },
		terms(taxonomy) {
			const terms = termsOf(taxonomy);
			return {
				id: once(taxonomy, (text) => terms.id(text)),
				name: (id) => terms.all.find((term) => term.id === id)?.name,
				ids: async () => (await terms.list())?.map(({ id }) => id),
			};
		},
		passwords(userId) {
			const passwords = passwordsOf.get(userId) ?? createPasswords(userId, options);
			passwordsOf.set(userId, passwords);
			return { ...passwords, id: once(`passwords of ${userId}`, passwords.id) };
		},
		index: {
			idOf: (taxonomy, text) => termsOf(taxonomy).idOf(text),
			isHidden: (taxonomy, id) => termsOf(taxonomy).isHidden(id),
			ofSlug: (taxonomy, slug) => termsOf(taxonomy).ofSlug(slug),
			exported: (taxonomy, slug) => termsOf(taxonomy).exported(slug),
		},
		list: async (taxonomy) => void (await termsOf(taxonomy).list()),
		remember({ of, name, ...found }) {
			known.set(keyOf(of, name), Promise.resolve(found));
		},
		records: () => records,
	};
}

function withQuery(list: Request, query: Readonly<Record<string, string>>): Request {
	return { ...list, path: `${list.path}?${new URLSearchParams(query)}` };
}

/** Undefined if the service offers you no list. @throws FailedError */
function listedIn(outcome: Outcome, what: string): ListedObject[] | undefined {
	const { body, code, message } = outcome;
	const objects = outcome.outcome === 'ok' ? objectsIn(body) : undefined;
	if (objects !== undefined || !isLost(outcome)) return objects;
	throw new FailedError(`could not look up ${what}: ${message ?? code ?? outcome.outcome}; nothing was sent`, {
		code: code ?? 'lookup_failed',
	});
}

function createUsers({ dialect, send, ownId }: DirectoryOptions): Directories['users'] {
	const plan = createPlanner(endpoints['user.id'], dialect);
	const list = createPlanner(reads.user.list, dialect)({ ids: {} });
	const names = new Map<string, string>();
	/** Live services find your own name only; the list has others. */
	let refusesOthers = false;
	let suggested = 0;

	async function listed(query: Readonly<Record<string, string>>, what: string): Promise<ListedObject[] | undefined> {
		const request = withQuery(list, { context: 'edit', per_page: String(PAGE_SIZE), ...query });
		const found = listedIn(await send(request), what);
		for (const { id, username } of found ?? []) {
			if (isId(id) && typeof username === 'string') names.set(String(id), username);
		}
		return found;
	}

	async function suggestion(name: string, seen: readonly ListedObject[]): Promise<string> {
		const byEmail = seen.find(({ email }) => isSameText(email, name));
		if (byEmail !== undefined) return `; did you mean "${byEmail.username}"?`;
		if (suggested++ >= SUGGESTED) return '';
		const others = await listed({ search: [...name].slice(0, 2).join('') }, `user ${quote(name)}`);
		const all = [...seen, ...(others ?? [])].map(({ username }) => String(username ?? ''));
		return didYouMean(name, all);
	}

	async function lookUp(name: string): Promise<Found> {
		const what = `user ${quote(name)}`;
		let why: string | undefined;
		if (!refusesOthers) {
			const outcome = await send(plan({ ids: { username: name }, fields: { username: name } }));
			const id = outcome.outcome === 'ok' ? lookedUpId(outcome.body) : undefined;
			if (id !== undefined) return { id };
			if (outcome.outcome !== 'ok') listedIn(outcome, what);
			refusesOthers = outcome.code === 'invalid_username_access';
			why = outcome.message ?? outcome.code;
		}
		let seen = await listed({ search: name }, what);
		const isMatch = ({ id, username }: ListedObject): boolean => isId(id) && isSameText(username, name);
		let match = seen?.find(isMatch);
		if (match === undefined && seen?.length === PAGE_SIZE) {
			seen = await listed({ slug: name.toLowerCase().replace(/[^a-z0-9_-]+/g, '-') }, what);
			match = seen?.find(isMatch);
		}
		if (match !== undefined) return { id: String(match.id) };
		if (seen === undefined && refusesOthers) return { problem: `can't look up ${what} here: use the ID` };
		if (seen === undefined) return { problem: `${what} not found${why === undefined ? '' : `: ${why}`}` };
		return { problem: `${what} not found${(await suggestion(name, seen)) || ' (find it with: supportctl user list)'}` };
	}

	return {
		name: (id) => names.get(id),
		async id(text) {
			if (text === OWN_ID) return { id: String(await ownId()) };
			if (text === NOBODY) return { id: '0' };
			if (looksLikeNumber(text)) return { id: text };
			return await lookUp(text.replace(/^@/, ''));
		},
		async missing(ids) {
			const batch = ids.slice(0, PAGE_SIZE);
			if (batch.length === 0) return [];
			const found = await listed({ include: batch.join(',') }, 'users');
			const there = new Set(found?.map(({ id }) => String(id)));
			return found === undefined ? undefined : batch.filter((id) => !there.has(id));
		},
		async conflict(id, text) {
			if (text === OWN_ID) return undefined;
			const name = text.replace(/^@/, '');
			if (!names.has(id)) await listed({ include: id }, 'users');
			const shown = names.get(id) ?? name;
			if (isSameText(shown, name)) return undefined;
			return `the lookup of ${quote(name)} returned user ${id}, who is ${quote(shown)}`;
		},
	};
}

function isSameText(left: unknown, right: string): boolean {
	return typeof left === 'string' && left.toLowerCase() === right.toLowerCase();
}

interface Named {
	id: string;
	slug: string;
	name: string;
}

/** As objects show it: without encoded characters. */
function damaged(slug: string): string {
	return slug.replace(/%[\da-f]{2}/gi, '');
}

/** Digits are an ID before a slug; capitals don't count if there is no exact match. */
function matchesIn(all: readonly Named[], text: string): Named[] {
	if (text === '') return [];
	const tests: ((each: Named) => boolean)[] = [
		({ id }) => id === text,
		({ slug, name }) => slug === text || name === text,
		({ slug, name }) => isSameText(slug, text) || isSameText(name, text),
		({ slug }) => damaged(slug) === text,
	];
	const matches = tests.map((test) => all.filter(test));
	return matches.find(({ length }) => length > 0) ?? [];
}

/** Undefined without a match. @param what several of them are, and what they have: `terms`, `IDs` */
function foundIn(matches: readonly Named[], text: string, what: string, ids: string): Found | undefined {
	const [match, ...more] = matches;
	if (match === undefined || more.length === 0) return match && { id: match.id };
	const choice = matches.map(({ id }) => id).join(', ');
	return { problem: `${quote(text)} is the name of ${matches.length} ${what}: use one of the ${ids} ${choice}` };
}

class Terms {
	/** Empty until they are listed. */
	all: Named[] = [];
	#listing: Promise<Named[] | undefined> | undefined;
	#isListed = false;

	constructor(
		private readonly taxonomy: string,
		private readonly options: DirectoryOptions,
	) {}

	/** Undefined without a list. @throws FailedError */
	list(): Promise<Named[] | undefined> {
		this.#listing ??= this.#readList();
		return this.#listing;
	}

	async #readList(): Promise<Named[] | undefined> {
		const request = createPlanner(reads.term.list, this.options.dialect)({ ids: { taxonomy: this.taxonomy } });
		const terms = new Map<string, Named>();
		for (let page = 1; ; page++) {
			const query = { orderby: 'id', order: 'asc', per_page: String(PAGE_SIZE), page: String(page) };
			const found = listedIn(await this.options.send(withQuery(request, query)), `${this.taxonomy} term`);
			if (found === undefined && page === 1) return undefined;
			const before = terms.size;
			for (const { id, slug, name } of found ?? []) {
				const plain = decodeEntities(String(name ?? '')).trim();
				if (isId(id)) terms.set(String(id), { id: String(id), slug: String(slug ?? ''), name: plain });
			}
			if (found?.length !== PAGE_SIZE || terms.size === before) break;
		}
		this.#isListed = true;
		this.all = [...terms.values()];
		return this.all;
	}

	async id(text: string): Promise<Found> {
		if ((await this.list()) === undefined) return { asGiven: true };
		const found = foundIn(matchesIn(this.all, text), text, `${this.taxonomy} terms`, 'IDs');
		if (found !== undefined) return found;
		if (looksLikeNumber(text)) return { asGiven: true };
		const names = this.all.flatMap(({ slug, name }) => [name, slug]);
		const isSeveral = /[;|]/.test(text) ? '; separate several with commas' : '';
		const likely = isSeveral || didYouMean(text, names) || ` (find it with: supportctl term list ${this.taxonomy})`;
		return { problem: `${this.taxonomy} term ${quote(text)} not found${likely}` };
	}

	isHidden(id: string): boolean {
		return this.all.some((term) => term.id === id && damaged(term.slug) === '');
	}

	/** An ID of one term and slug of another says nothing. */
	idOf(text: string): string | undefined {
		const found = this.all.filter(({ id, slug }) => [id, slug, damaged(slug)].includes(text));
		const [match, ...more] = found.length > 0 ? found : matchesIn(this.all, text);
		return text === '' || more.length > 0 ? undefined : match?.id;
	}

	/** What leads an update back to this term. */
	exported(text: string): string | undefined {
		if (!this.#isListed) return text;
		const id = this.ofSlug(text);
		const isSafe = !looksLikeNumber(text) && this.all.some(({ slug }) => slug === text);
		return isSafe && id !== undefined ? text : id;
	}

	ofSlug(text: string): string | undefined {
		const found = this.all.filter(({ slug }) => text !== '' && (slug === text || damaged(slug) === text));
		if (found.length === 0) return this.all.find(({ id }) => id === text)?.id;
		return found.length === 1 ? found[0]?.id : undefined;
	}
}

/** What a service makes as a slug is sent as it is. */
const PASSWORD_SLUG = /^[\da-f]{12}$/;

function createPasswords(userId: string, { dialect, send }: DirectoryOptions): ReturnType<Directories['passwords']> {
	const request = createPlanner(reads.password.list, dialect)({ ids: { user_id: userId } });
	let listing: Promise<Outcome> | undefined;
	const list = async (): Promise<Named[] | undefined> => {
		listing ??= send(request);
		const listed = listedIn(await listing, 'application passwords');
		return listed?.map(({ slug, name }) => ({ id: String(slug), slug: String(slug), name: String(name) }));
	};
	return {
		async id(text) {
			if (PASSWORD_SLUG.test(text)) return { id: text };
			const passwords = await list();
			if (passwords === undefined) return { asGiven: true };
			const found = foundIn(matchesIn(passwords, text), text, 'application passwords', 'slugs');
			if (found !== undefined) return found;
			const likely = didYouMean(
				text,
				passwords.map(({ name }) => name),
			);
			return { problem: `user ${userId} has no application password ${quote(text)}${likely}` };
		},
		async name(slug) {
			const passwords = await list().catch(() => undefined);
			return passwords?.find((each) => each.slug === slug)?.name;
		},
	};
}
