/** Users and terms by name: each distinct name is looked up at most once, before anything is written. */

import type { TermIndex as ComparedTerms } from '../../api/applied.js';
import type { Dialect } from '../../api/dialect.js';
import { endpoints } from '../../api/endpoints.js';
import { createPlanner, type Request } from '../../api/plan.js';
import { type Read, reads, termReads } from '../../api/reads.js';
import { didYouMean } from '../../api/suggest.js';
import { isId, isObject, looksLikeNumber, NOBODY, OWN_ID, quote } from '../../api/values.js';
import { FailedError } from '../../errors.js';
import { isLost, type Outcome } from '../../http/outcome.js';

export type Found = { readonly id: string } | { readonly problem: string } | { readonly asGiven: true };

export interface Directory {
	/** By ID, username, slug or name. @throws SupportctlError */
	id(text: string): Promise<Found>;
	/** If known by now. */
	name(id: string): string | undefined;
	/** @returns IDs that the service doesn't have; undefined without a list */
	missing(ids: readonly string[]): Promise<string[] | undefined>;
}

export interface TermIndex extends ComparedTerms {
	ofSlug(taxonomy: string, slug: string): string | undefined;
	/** Undefined unless exactly one term can be meant. */
	exported(taxonomy: string, slug: string): string | undefined;
}

/** `of` is `users` or a taxonomy. */
export interface NameRecord {
	of: string;
	name: string;
	id?: string;
	problem?: string;
}

export interface Directories {
	readonly users: Directory & {
		/** Why an account isn't the one of a username; undefined if it is, or without reads. */
		conflict(id: string, username: string): Promise<string | undefined>;
	};
	terms(taxonomy: string): Directory & {
		/** Undefined without a list. */
		ids(): Promise<string[] | undefined>;
	};
	passwords(userId: string): Pick<Directory, 'id'>;
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

type Listed = Readonly<Record<string, unknown>>;

export function createDirectories(options: DirectoryOptions): Directories {
	const known = new Map<string, Map<string, Promise<Found>>>();
	const records: NameRecord[] = [];
	const foundOf = (of: string): Map<string, Promise<Found>> => {
		const found = known.get(of) ?? new Map<string, Promise<Found>>();
		known.set(of, found);
		return found;
	};

	const once = (of: string, lookUp: (name: string) => Promise<Found>) => (name: string) => {
		const found = foundOf(of);
		let looking = found.get(name);
		if (looking === undefined) {
			looking = lookUp(name).then((result) => {
				if (!('asGiven' in result)) records.push({ of, name, ...result });
				return result;
			});
			found.set(name, looking);
		}
		return looking;
	};

	const users = createUsers(options);
	const taxonomies = new Map<string, ReturnType<typeof createTerms>>();
	const termsOf = (taxonomy: string): ReturnType<typeof createTerms> => {
		const terms = taxonomies.get(taxonomy) ?? createTerms(taxonomy, options);
		taxonomies.set(taxonomy, terms);
		return terms;
	};
	const passwordsOf = new Map<string, Pick<Directory, 'id'>>();
	return {
		users: { ...users, id: once('users', users.id) },
		terms(taxonomy) {
			const terms = termsOf(taxonomy);
			return { ...terms, id: once(taxonomy, terms.id) };
		},
		passwords(userId) {
			const passwords = passwordsOf.get(userId) ?? createPasswords(userId, options);
			passwordsOf.set(userId, passwords);
			return { id: once(`passwords of ${userId}`, passwords.id) };
		},
		index: {
			idOf: (taxonomy, text) => taxonomies.get(taxonomy)?.idOf(text),
			isHidden: (taxonomy, id) => taxonomies.get(taxonomy)?.isHidden(id) === true,
			ofSlug: (taxonomy, slug) => taxonomies.get(taxonomy)?.ofSlug(slug),
			exported(taxonomy, slug) {
				const terms = taxonomies.get(taxonomy);
				return terms === undefined ? slug : terms.exported(slug);
			},
		},
		list: async (taxonomy) => void (await termsOf(taxonomy).list()),
		remember({ of, name, id, problem }) {
			const result = id === undefined ? { problem: problem ?? `no match for ${quote(name)}` } : { id };
			foundOf(of).set(name, Promise.resolve(result));
		},
		records: () => records,
	};
}

function withQuery(list: Request, query: Readonly<Record<string, string>>): Request {
	return { ...list, path: `${list.path}?${new URLSearchParams(query)}` };
}

/** Undefined if the service offers you no list. @throws FailedError */
function objectsIn(outcome: Outcome, what: string): Listed[] | undefined {
	const { body, code, message } = outcome;
	if (outcome.outcome === 'ok' && Array.isArray(body)) return body.filter(isObject);
	if (!isLost(outcome)) return undefined;
	throw new FailedError(`could not look up ${what}: ${message ?? code ?? outcome.outcome}; nothing was sent`, {
		code: code ?? 'lookup_failed',
	});
}

function createUsers({ dialect, send, ownId }: DirectoryOptions): Directories['users'] {
	const plan = createPlanner(endpoints['user.id'], dialect);
	const list = createPlanner(reads.user.list, dialect)({ ids: {} });
	const get = createPlanner(reads.user.get, dialect);
	const names = new Map<string, string>();
	/** Live services find your own name only; the list has others. */
	let refusesOthers = false;
	let suggested = 0;

	async function listed(query: Readonly<Record<string, string>>, what: string): Promise<Listed[] | undefined> {
		const found = objectsIn(
			await send(withQuery(list, { context: 'edit', per_page: String(PAGE_SIZE), ...query })),
			what,
		);
		for (const { id, username } of found ?? []) {
			if (isId(id) && typeof username === 'string') names.set(String(id), username);
		}
		return found;
	}

	async function suggestion(name: string, seen: readonly Listed[]): Promise<string> {
		const byEmail = seen.find(({ email }) => typeof email === 'string' && sameText(email, name));
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
			const { body, code, message } = outcome;
			const id = outcome.outcome === 'ok' && isObject(body) ? body.id : undefined;
			if (isId(id)) return { id: String(id) };
			if (outcome.outcome !== 'ok') objectsIn(outcome, what);
			refusesOthers = code === 'invalid_username_access';
			why = message ?? code;
		}
		let seen = await listed({ search: name }, what);
		const isMatch = ({ username }: Listed): boolean => typeof username === 'string' && sameText(username, name);
		let match = seen?.find(isMatch);
		if (match === undefined && seen?.length === PAGE_SIZE) {
			seen = await listed({ slug: name.toLowerCase().replace(/[^a-z0-9_-]+/g, '-') }, what);
			match = seen?.find(isMatch);
		}
		if (match !== undefined && isId(match.id)) return { id: String(match.id) };
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
			const name = text.replace(/^@/, '');
			if (!names.has(id) && text !== OWN_ID) {
				const { outcome, body } = await send(get({ ids: { id } }));
				const isUser = outcome === 'ok' && isObject(body) && String(body.id) === id;
				if (isUser && typeof body.username === 'string') names.set(id, body.username);
			}
			const shown = names.get(id) ?? name;
			if (text === OWN_ID || sameText(shown, name)) return undefined;
			return `the lookup of ${quote(name)} returned user ${id}, who is ${quote(shown)}`;
		},
	};
}

function sameText(left: string, right: string): boolean {
	return left.toLowerCase() === right.toLowerCase();
}

interface Term {
	id: string;
	slug: string;
	name: string;
}

function createTerms(taxonomy: string, { dialect, send }: DirectoryOptions) {
	const read = termReads(taxonomy);
	let listing: Promise<Term[] | undefined> | undefined;
	let terms: Term[] = [];
	let isListed = false;
	const list = (): Promise<Term[] | undefined> => {
		listing ??= listTerms(read, dialect, send).then((found) => {
			terms = found ?? [];
			isListed = found !== undefined;
			return found;
		});
		return listing;
	};

	/** Digits are an ID before a slug; capitals don't count. */
	function matches(text: string): Term[] {
		const byId = terms.filter(({ id }) => id === text);
		if (byId.length > 0) return byId;
		if (text === '') return [];
		const exact = terms.filter(({ slug, name }) => slug === text || name === text);
		if (exact.length > 0) return exact;
		const likely = terms.filter(({ slug, name }) => sameText(slug, text) || sameText(name, text));
		return likely.length > 0 ? likely : terms.filter(({ slug }) => damaged(slug) === text);
	}

	return {
		list,
		ids: async () => (await list())?.map(({ id }) => id),
		isHidden: (id: string) => terms.some((term) => term.id === id && damaged(term.slug) === ''),
		/** An ID of one term and slug of another says nothing. */
		idOf(text: string): string | undefined {
			const found = terms.filter(({ id, slug }) => [id, slug, damaged(slug)].includes(text));
			const [match, ...more] = found.length > 0 ? found : matches(text);
			return text === '' || more.length > 0 ? undefined : match?.id;
		},
		/** What leads an update back to this term. */
		exported(text: string): string | undefined {
			if (!isListed) return text;
			const isSafe = !looksLikeNumber(text) && terms.some(({ slug }) => slug === text);
			const id = this.ofSlug(text);
			return isSafe && id !== undefined ? text : id;
		},
		/** Also slugs that look like a different term's ID. */
		ofSlug(text: string): string | undefined {
			const found = terms.filter(({ slug }) => text !== '' && (slug === text || damaged(slug) === text));
			if (found.length === 0) return terms.find(({ id }) => id === text)?.id;
			return found.length === 1 ? found[0]?.id : undefined;
		},
		name: (id: string) => terms.find((term) => term.id === id)?.name,
		async id(text: string): Promise<Found> {
			if ((await list()) === undefined) return { asGiven: true };
			const [match, ...more] = matches(text);
			if (more.length > 0) {
				const ids = [match, ...more].map((term) => term?.id).join(', ');
				return {
					problem: `${quote(text)} is the name of ${more.length + 1} ${taxonomy} terms: use one of the IDs ${ids}`,
				};
			}
			if (match !== undefined) return { id: match.id };
			if (looksLikeNumber(text)) return { asGiven: true };
			const names = terms.flatMap(({ slug, name }) => [name, slug]);
			const isSeveral = /[;|]/.test(text) ? '; separate several with commas' : '';
			const likely = isSeveral || didYouMean(text, names) || ` (find it with: supportctl term list ${taxonomy})`;
			return { problem: `${taxonomy} term ${quote(text)} not found${likely}` };
		},
		async missing(ids: readonly string[]): Promise<string[] | undefined> {
			const found = await list();
			return found && ids.filter((id) => !found.some((term) => term.id === id));
		},
	};
}

/** What a service makes as a slug is sent as it is. */
const PASSWORD_SLUG = /^[\da-f]{12}$/;

function createPasswords(userId: string, { dialect, send }: DirectoryOptions): Pick<Directory, 'id'> {
	let listing: Promise<Listed[] | undefined> | undefined;
	const list = async (): Promise<Listed[] | undefined> => {
		const outcome = await send(createPlanner(reads.password.list, dialect)({ ids: { user_id: userId } }));
		const { body } = outcome;
		if (outcome.outcome !== 'ok' || !isObject(body)) return objectsIn(outcome, 'application passwords');
		// Services list them by slug.
		const entries = Object.entries(body);
		return entries.every(([, each]) => isObject(each))
			? entries.map(([slug, each]) => ({ slug, ...(each as Listed) }))
			: undefined;
	};
	return {
		async id(text) {
			if (PASSWORD_SLUG.test(text)) return { id: text };
			listing ??= list();
			const passwords = await listing;
			if (passwords === undefined) return { asGiven: true };
			const named = passwords.map(({ slug, name }) => ({ slug: String(slug), name: String(name) }));
			const exact = named.filter(({ slug, name }) => slug === text || name === text);
			const matches = exact.length > 0 ? exact : named.filter(({ name }) => sameText(name, text));
			const [match, ...more] = matches;
			if (match === undefined) {
				const names = named.map(({ name }) => name);
				return { problem: `user ${userId} has no application password ${quote(text)}${didYouMean(text, names)}` };
			}
			if (more.length === 0) return { id: match.slug };
			const slugs = matches.map(({ slug }) => slug).join(', ');
			return {
				problem: `${quote(text)} is the name of ${matches.length} application passwords: use one of the slugs ${slugs}`,
			};
		},
	};
}

/** Without encoded characters. */
const damaged = (slug: string): string => slug.replace(/%[\da-f]{2}/gi, '');

/** Undefined without a list. @throws FailedError */
async function listTerms(read: Read, dialect: Dialect, send: DirectoryOptions['send']): Promise<Term[] | undefined> {
	const list = createPlanner(read.list, dialect)({ ids: {} });
	const terms = new Map<string, Term>();
	let query: Record<string, string> = { ...read.query, per_page: String(PAGE_SIZE) };
	for (let page = 1; ; page++) {
		const outcome = await send(withQuery(list, { ...query, page: String(page) }));
		// Some accounts can't list them for editing.
		if (page === 1 && outcome.forbidden && 'context' in query) {
			const { context: _, ...rest } = query;
			query = rest;
			page = 0;
			continue;
		}
		const found = objectsIn(outcome, read.list.noun);
		if (found === undefined) return page === 1 ? undefined : [...terms.values()];
		const before = terms.size;
		for (const { id, slug, name } of found) {
			if (!isId(id)) continue;
			terms.set(String(id), { id: String(id), slug: String(slug ?? ''), name: plainName(name) });
		}
		if (found.length < PAGE_SIZE || terms.size === before) return [...terms.values()];
	}
}

function plainName(name: unknown): string {
	return String(name ?? '')
		.replaceAll('&amp;', '&')
		.replaceAll('&#039;', "'")
		.replaceAll('&quot;', '"')
		.trim();
}
