/** Users, terms and application passwords by name: each distinct name is looked up at most once, before anything is written. */

import { decodeEntities } from '../../api/compare.js';
import type { Dialect } from '../../api/dialect.js';
import { endpoints } from '../../api/endpoints.js';
import type { Field } from '../../api/fields.js';
import { kinds } from '../../api/kinds.js';
import { listRequest, ownAccount, PAGE_SIZE, reads } from '../../api/reads.js';
import { readReference } from '../../api/references.js';
import { createPlanner, type Request } from '../../api/request.js';
import { didYouMean } from '../../api/suggest.js';
import { isId, isProblem, looksLikeNumber, NOBODY, OWN_ID, parseId, quote } from '../../api/values.js';
import { FailedError, NOT_SIGNED_IN, SupportctlError, UsageError } from '../../errors.js';
import { isRouteMissing, lookedUpId } from '../../http/judge.js';
import { type Known, knownObject } from '../../http/known.js';
import { isLost, type Outcome, unsent } from '../../http/outcome.js';
import { headerOf } from '../../http/response.js';
import { isNothing } from '../held.js';
import { type ListedObject, objectsIn } from './pages.js';

export type Found = { readonly id: string } | NotFound | { readonly asGiven: true };

interface NotFound {
	readonly problem: string;
	/** The service itself, or a whole list, says that there is none; without it, nobody knows. */
	readonly missing?: true;
}

export type NameRecord = { readonly of: string; readonly name: string } & Exclude<Found, { asGiven: true }>;

export interface Directory {
	/** By ID, username, slug or name. @throws SupportctlError */
	id(text: string): Promise<Found>;
}

export type Directories = ReturnType<typeof createDirectories>;

export interface DirectoryOptions {
	dialect: Dialect;
	/** @throws SupportctlError for refused credentials */
	send(request: Request): Promise<Outcome>;
	/** Undefined without credentials. */
	account(): Promise<{ username?: string } | undefined>;
	/** How a name was understood, where that is not plain. */
	tell(text: string): void;
}

/** Searches for suggestions. */
const SUGGESTED = 5;

type NamedField = Pick<Field, 'name' | 'kind'>;

interface Setting extends DirectoryOptions {
	memory: Memory;
}

export function createDirectories(options: DirectoryOptions) {
	const memory = new Memory();
	const setting: Setting = { ...options, memory };
	const users = new Users(setting);
	const terms = madeOnce((taxonomy) => new Terms(taxonomy, setting));
	return {
		memory,
		send: options.send,
		users,
		terms,
		passwords: madeOnce((userId) => new Passwords(userId, setting)),
		/** So that `nameOf` knows what objects show in these fields of users and terms. */
		async learn(fields: readonly NamedField[], objects: readonly ListedObject[]): Promise<void> {
			const ofUsers = fields.filter(({ kind }) => kinds[kind].names?.of === 'users');
			const isShown = ({ name }: NamedField): boolean => objects.some((each) => !isNothing(each[name]));
			const shown = fields.filter((field) => !ofUsers.includes(field) && isShown(field));
			const learning = users.learn(objects.flatMap((each) => ofUsers.map(({ name }) => each[name])));
			await Promise.allSettled([learning, ...shown.map(({ name }) => terms(name).list())]);
		},
		/** @param value as we keep it: of terms the ID, or a slug where the service doesn't list them */
		nameOf({ name, kind }: NamedField, value: unknown): string | undefined {
			const text = String(value);
			if (kinds[kind].names?.of === 'users') return users.name(text);
			return terms(name).name(text) ?? terms(name).name(terms(name).idOf(text) ?? '');
		},
		/** @param value as an object shows it: a text is the slug of a term, even one that looks like an ID */
		nameShown({ name, kind }: NamedField, value: unknown): string | undefined {
			if (kinds[kind].names?.of === 'users') return users.name(String(value));
			const id = typeof value === 'string' ? terms(name).ofSlug(value) : String(value);
			return terms(name).name(id ?? '');
		},
	};
}

function madeOnce<T>(make: (name: string) => T): (name: string) => T {
	const made = new Map<string, T>();
	return (name) => {
		const own = made.get(name) ?? make(name);
		made.set(name, own);
		return own;
	};
}

class Memory {
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

/** Undefined if the service offers you no list. @throws FailedError */
function listedIn(outcome: Outcome, what: string): ListedObject[] | undefined {
	const { code, message } = outcome;
	const objects = objectsIn(outcome);
	if (objects !== undefined || !isLost(outcome)) return objects;
	throw new FailedError(`could not look up ${what}: ${message ?? code ?? outcome.outcome}; nothing was sent`, {
		code: code ?? 'lookup_failed',
	});
}

class Users implements Directory {
	readonly #names = new Map<string, string>();
	/** Live services find your own name only; the list has others. */
	#refusesOthers = false;
	#suggested = 0;
	#hasList = true;

	constructor(private readonly setting: Setting) {}

	name(id: string): string | undefined {
		return this.#names.get(id);
	}

	id(text: string): Promise<Found> {
		return this.setting.memory.once('users', text, async () => {
			if (text === NOBODY) return { id: '0' };
			const { by, text: given } = readReference(text);
			if (by === 'id') return idFrom(given);
			if (by === 'either' && looksLikeNumber(text)) return { id: text };
			if (text !== OWN_ID) return await this.#lookUp(given);
			const own = await this.own();
			if (own !== undefined && 'id' in own) return { id: own.id };
			const why = own?.why ?? 'you are not signed in';
			throw new UsageError(`${OWN_ID}: can't determine your user ID: ${why}; nothing was sent`, {
				code: 'own_id_unknown',
				hint: 'pass the ID instead',
			});
		});
	}

	/** Your account: by name, or by GET /users/me if the service doesn't know the name, such as an email. */
	async own(): Promise<{ id: string; username?: string } | { why: string } | undefined> {
		const { dialect, send, account } = this.setting;
		const own = await account();
		if (own === undefined) return undefined;
		const requests = [createPlanner(ownAccount, dialect)({ ids: {} })];
		if (own.username !== undefined) requests.unshift(this.#lookUpOf(own.username));
		let why = 'the service does not return your account';
		for (const request of requests) {
			const { outcome, body, message } = await send(request);
			const id = outcome === 'ok' ? lookedUpId(body) : undefined;
			if (id !== undefined) return { id, username: own.username };
			why = message ?? why;
		}
		return { why };
	}

	#lookUpOf(username: string): Request {
		return createPlanner(endpoints['user.id'], this.setting.dialect)({ ids: { username }, fields: { username } });
	}

	async learn(shown: readonly unknown[]): Promise<void> {
		const ids = [...new Set(shown.filter(isId).map(String))].filter((id) => !this.#names.has(id));
		for (let at = 0; this.#hasList && at < ids.length; at += PAGE_SIZE) {
			this.#hasList = (await this.missing(ids.slice(at, at + PAGE_SIZE))) !== undefined;
		}
	}

	/** @returns those of the first hundred IDs that the service doesn't have; undefined without a list */
	async missing(ids: readonly string[]): Promise<string[] | undefined> {
		const batch = ids.slice(0, PAGE_SIZE);
		if (batch.length === 0) return [];
		const found = await this.#list({ include: batch.join(',') }, 'users');
		const there = new Set(found?.map(({ id }) => String(id)));
		return found === undefined ? undefined : batch.filter((id) => !there.has(id));
	}

	/** A lookup names no account: where reads are served, the account behind the ID has to show the name. */
	async #confirmed(id: string, name: string): Promise<Found> {
		const { dialect, send } = this.setting;
		const what = `user ${quote(name)}`;
		const query = { context: 'edit', per_page: '1', include: id };
		const listed = await send(listRequest(reads.user, {}, query, dialect));
		let account = listedIn(listed, what)?.find((each) => String(each.id) === id);
		let why = listed;
		if (account === undefined || !isNamed(account)) {
			why = await send(createPlanner(reads.user.get, dialect)({ ids: { id } }));
			if (isRouteMissing(listed) && isRouteMissing(why)) return { id };
			const known = knownObject(why);
			if (known.is === 'shown') account = known.value;
		}
		const asked = `the lookup of ${quote(name)} returned user ${id}`;
		if (account === undefined) {
			const reason = (why.message ?? why.code ?? 'it is not in the list').replace(/\.$/, '');
			return { problem: `${asked}, but the service doesn't show that account: ${reason}; use the ID` };
		}
		const { username, slug } = account;
		if (typeof username === 'string') {
			this.#names.set(id, username);
			if (isSameText(username, name)) return { id };
			return { problem: `${asked}, who is ${quote(username)}` };
		}
		// Accounts that are no administrators see slugs only.
		if (isSameText(slug, slugOf(name))) return { id };
		return { problem: `${asked}, but your account may not see usernames, so that can't be confirmed: use the ID` };
	}

	async #lookUp(name: string): Promise<Found> {
		const what = `user ${quote(name)}`;
		let why: string | undefined;
		let isRefused = false;
		if (!this.#refusesOthers) {
			const outcome = await this.setting.send(this.#lookUpOf(name));
			const id = outcome.outcome === 'ok' ? lookedUpId(outcome.body) : undefined;
			if (id !== undefined) return await this.#confirmed(id, name);
			listedIn(outcome, what);
			this.#refusesOthers = outcome.code === 'invalid_username_access';
			why = outcome.message ?? outcome.code;
			isRefused = outcome.refused === true || outcome.gone !== undefined;
		}
		let seen = await this.#list({ search: name }, what);
		const isMatch = ({ id, username }: ListedObject): boolean => isId(id) && isSameText(username, name);
		let match = seen?.find(isMatch);
		if (match === undefined && seen?.length === PAGE_SIZE) {
			seen = await this.#list({ slug: slugOf(name) }, what);
			match = seen?.find(isMatch);
		}
		if (match !== undefined) return { id: String(match.id) };
		if (seen === undefined) {
			if (this.#refusesOthers) return { problem: `can't look up ${what} here: use the ID` };
			if (!isRefused) return { problem: `couldn't look up ${what}: ${why ?? 'the response shows no ID'}; use the ID` };
			return { problem: `${what} not found${why === undefined ? '' : `: ${why}`}`, missing: true };
		}
		const suggestion = await this.#suggestion(name, seen);
		return { problem: `${what} not found${suggestion || '; list users: supportctl user list'}`, missing: true };
	}

	async #list(query: Readonly<Record<string, string>>, what: string): Promise<ListedObject[] | undefined> {
		const { dialect, send } = this.setting;
		const all = { context: 'edit', per_page: String(PAGE_SIZE), ...query };
		const found = listedIn(await send(listRequest(reads.user, {}, all, dialect)), what);
		for (const { id, username } of found ?? []) {
			if (isId(id) && typeof username === 'string') this.#names.set(String(id), username);
		}
		return found;
	}

	async #suggestion(name: string, seen: readonly ListedObject[]): Promise<string> {
		const byEmail = seen.find(({ email }) => isSameText(email, name));
		if (byEmail !== undefined) return `; did you mean "${byEmail.username}"?`;
		if (this.#suggested++ >= SUGGESTED) return '';
		const others = await this.#list({ search: [...name].slice(0, 2).join('') }, `user ${quote(name)}`);
		const all = [...seen, ...(others ?? [])].map(({ username }) => String(username ?? ''));
		return didYouMean(name, all);
	}
}

/** As services make it from a username. */
const slugOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9_-]+/g, '-');

const isNamed = ({ username }: ListedObject): boolean => typeof username === 'string';

function isSameText(left: unknown, right: string): boolean {
	return typeof left === 'string' && left.toLowerCase() === right.toLowerCase();
}

function idFrom(text: string): Found {
	const parsed = parseId(text);
	return isProblem(parsed) ? parsed : { id: parsed.value };
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

/** Capitals don't count if there is no exact match. */
function calledIn(all: readonly Named[], text: string): Named[] {
	if (text === '') return [];
	const tests: ((each: Named) => boolean)[] = [
		({ slug, name }) => slug === text || name === text,
		({ slug, name }) => isSameText(slug, text) || isSameText(name, text),
		({ slug }) => damaged(slug) === text,
	];
	const matches = tests.map((test) => all.filter(test));
	return matches.find(({ length }) => length > 0) ?? [];
}

/** What a reference can mean: those that are called so, and the one with this ID, of which nobody means another's slug. */
function meantBy(all: readonly Named[], reference: string): { byId: Named | undefined; called: Named[] } {
	const { by, text } = readReference(reference);
	const byId = by === 'name' ? undefined : all.find(({ id }) => id === text);
	if (by === 'id') return { byId, called: [] };
	const called = calledIn(all, text);
	// A name may begin with an @ of its own.
	if (by === 'name' && called.length === 0) return { byId, called: calledIn(all, reference) };
	if (byId === undefined) return { byId, called };
	return { byId, called: called.filter((each) => each !== byId && isSameText(each.name, text)) };
}

/** What is named in a list, which is read once. */
abstract class Listing implements Directory {
	#listing: Promise<Named[] | undefined> | undefined;
	#isTold = false;

	constructor(
		private readonly what: string,
		protected readonly setting: Setting,
	) {}

	protected abstract read(): Promise<Named[] | undefined>;

	protected abstract missing(text: string, all: readonly Named[]): Found;

	/** Undefined if the service offers no list. @throws FailedError */
	list(): Promise<Named[] | undefined> {
		this.#listing ??= this.read();
		return this.#listing;
	}

	id(text: string): Promise<Found> {
		return this.setting.memory.once(this.what, text, async () => {
			const { by, text: given } = readReference(text);
			if (by === 'id') return idFrom(given);
			const all = await (by === 'either' && isId(given) ? this.#listForId() : this.list());
			if (all === undefined) return this.#unlisted(text);
			const { byId, called } = meantBy(all, text);
			const [only, ...more] = byId === undefined ? called : [byId, ...called];
			if (only === undefined) return this.missing(text, all);
			if (more.length === 0) return { id: only.id };
			if (byId !== undefined) return this.#either(given, byId, called);
			const ids = called.map(({ id }) => id).join(' or ');
			return { problem: `${quote(given)} is ambiguous (${called.length} ${this.what}); use the ID: ${ids}` };
		});
	}

	/** A number is an ID first: it needs no list, which only says whether it may be a name. */
	async #listForId(): Promise<Named[] | undefined> {
		try {
			return await this.list();
		} catch (error) {
			if (!(error instanceof SupportctlError)) throw error;
			if (error.code === NOT_SIGNED_IN) return undefined;
			if (!(error instanceof FailedError)) throw error;
			if (!this.#isTold)
				this.setting.tell(`could not list the ${this.what}, so numbers were read as IDs, not as names`);
			this.#isTold = true;
			return undefined;
		}
	}

	#either(text: string, { name }: Named, called: readonly Named[]): Found {
		const others = called.map(({ id }) => id).join(', ');
		const problem = `${text} is the ID of one of the ${this.what} (${quote(name)}) and the name of another (ID ${others})`;
		return { problem: `${problem}: write id:${text} for the first, @${text} for the other` };
	}

	/** The service would read a number as an ID. */
	#unlisted(text: string): Found {
		const { by, text: given } = readReference(text);
		if (by === 'either' || !looksLikeNumber(given)) return { asGiven: true };
		return { problem: `${quote(text)}: this service doesn't list its ${this.what}; use the ID` };
	}
}

class Terms extends Listing {
	/** Empty until they are listed. */
	#all: readonly Named[] = [];
	#isListed = false;

	constructor(
		private readonly taxonomy: string,
		setting: Setting,
	) {
		super(`${taxonomy} terms`, setting);
	}

	name(id: string): string | undefined {
		return this.#all.find((term) => term.id === id)?.name;
	}

	get isListed(): boolean {
		return this.#isListed;
	}

	get hasHidden(): boolean {
		return this.#all.some(({ slug }) => damaged(slug) === '');
	}

	mayShowAs(id: string, text: string): boolean {
		const term = this.#all.find((each) => each.id === id);
		// A term that was made since the list was read may have any slug.
		return term === undefined || term.slug === text || damaged(term.slug) === text;
	}

	/** The one term of an object, which the slug that it shows may not tell; empty if it has none. */
	async ofObject(id: string): Promise<Known<string>> {
		const { dialect, send } = this.setting;
		const query = { post: id, per_page: String(PAGE_SIZE) };
		const outcome = await send(listRequest(reads.term, { taxonomy: this.taxonomy }, query, dialect));
		const objects = objectsIn(outcome);
		if (objects === undefined) return { is: 'unknown', why: outcome };
		const ids = objects.map((each) => String(each.id));
		const total = totalIn(outcome) ?? ids.length;
		// A service that ignores `post` lists more than the one term that a field holds.
		const isWhole = ids.every(isId) && ids.length <= 1 && ids.length === total;
		if (isWhole) return { is: 'shown', value: ids[0] ?? '' };
		const message = `the service lists ${ids.length} of ${total} ${this.taxonomy} terms, where one can be set`;
		return { is: 'unknown', why: unsent('failed', 'incomplete_list', message) };
	}

	idOf(text: string): string | undefined {
		const found = this.#all.filter(({ id, slug }) => [id, slug, damaged(slug)].includes(text));
		const [match, ...more] = found.length > 0 ? found : calledIn(this.#all, text);
		return text === '' || more.length > 0 ? undefined : match?.id;
	}

	/** Also slugs that look like the ID of a different term. */
	ofSlug(text: string): string | undefined {
		const found = this.#all.filter(({ slug }) => slug === text || damaged(slug) === text);
		// An empty text is a term without a readable slug, or none.
		if (text === '' || found.length > 1) return undefined;
		return (found[0] ?? this.#all.find(({ id }) => id === text))?.id;
	}

	exported(text: string): string | undefined {
		if (this.#all.length === 0) return text;
		const id = this.ofSlug(text);
		if (id === undefined) return undefined;
		const isSafe = !looksLikeNumber(text) && this.#all.some(({ slug }) => slug === text);
		return [...(isSafe ? [text] : []), id, `id:${id}`].find((each) => this.#isOnly(id, each));
	}

	#isOnly(id: string, text: string): boolean {
		const { byId, called } = meantBy(this.#all, text);
		return [byId, ...called].every((each) => each === undefined || each.id === id);
	}

	/** Undefined only if the service has no such list: "not found" and "the only one" need a whole one. */
	protected async read(): Promise<Named[] | undefined> {
		const { taxonomy } = this;
		const { dialect, send } = this.setting;
		const terms = new Map<string, Named>();
		let before = Number.POSITIVE_INFINITY;
		let nameless = 0;
		for (let page = 1; ; page++) {
			const query = { orderby: 'id', order: 'asc', per_page: String(PAGE_SIZE), page: String(page) };
			const outcome = await send(listRequest(reads.term, { taxonomy }, query, dialect));
			if (page === 1 && isRouteMissing(outcome)) return undefined;
			if (page > 1 && outcome.code === PAST_THE_END) break;
			const found = objectsIn(outcome);
			if (found === undefined) throw this.#incomplete(terms.size, outcome);
			const known = terms.size;
			for (const { id, slug, name } of found) {
				const plain = decodeEntities(String(name ?? '')).trim();
				if (isId(id)) terms.set(String(id), { id: String(id), slug: String(slug ?? ''), name: plain });
				else nameless++;
			}
			const total = totalIn(outcome);
			if (total === undefined) {
				// A first page that is short may be a smaller page than was asked for.
				const isShorter = page > 1 && found.length < before;
				if (found.length === 0 || isShorter) break;
			} else if (terms.size + nameless >= total) break;
			if (terms.size === known) throw this.#incomplete(terms.size, outcome);
			before = found.length;
		}
		const all = [...terms.values()];
		this.#all = all;
		this.#isListed = true;
		return all;
	}

	#incomplete(count: number, { message, code }: Outcome): FailedError {
		const why = (message ?? code ?? 'a page brought nothing new').replace(/\.$/, '');
		const what = `could not list the ${this.taxonomy} terms: ${count} came, and then: ${why}; nothing was sent`;
		return new FailedError(what, { code: 'incomplete_list', hint: 'try again, or write IDs as id:5' });
	}

	protected missing(text: string, all: readonly Named[]): Found {
		// It may have been made since the list was read.
		if (isId(text)) return { asGiven: true };
		const names = all.flatMap(({ slug, name }) => [name, slug]);
		const isSeveral = /[;|]/.test(text) ? '; separate several with commas' : '';
		const likely = isSeveral || didYouMean(text, names) || `; list terms: supportctl term list ${this.taxonomy}`;
		return { problem: `${this.taxonomy} ${quote(text)} not found${likely}`, missing: true };
	}
}

/** Of a page behind the last one. */
const PAST_THE_END = 'rest_post_invalid_page_number';

export function totalIn({ headers = {} }: Outcome): number | undefined {
	const text = headerOf(headers, 'x-wp-total') ?? '';
	return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** What a service makes as a slug is sent as it is. */
const PASSWORD_SLUG = /^[\da-f]{12}$/;

class Passwords extends Listing {
	constructor(
		private readonly userId: string,
		setting: Setting,
	) {
		super(`application passwords of user ${userId}`, setting);
	}

	override async id(text: string): Promise<Found> {
		return PASSWORD_SLUG.test(text) ? { id: text } : await super.id(text);
	}

	async name(slug: string): Promise<string | undefined> {
		const passwords = await this.list().catch(() => undefined);
		return passwords?.find((each) => each.slug === slug)?.name;
	}

	protected async read(): Promise<Named[] | undefined> {
		const { dialect, send } = this.setting;
		const request = listRequest(reads.password, { user_id: this.userId }, {}, dialect);
		const listed = listedIn(await send(request), 'application passwords');
		return listed?.map(({ slug, name }) => ({ id: String(slug), slug: String(slug), name: String(name) }));
	}

	protected missing(text: string, all: readonly Named[]): Found {
		const names = all.map(({ name }) => name);
		const problem = `user ${this.userId} has no application password ${quote(text)}${didYouMean(text, names)}`;
		return { problem, missing: true };
	}
}
