/** Users by name: one by one while they are few, and then in the list of all. */

import { endpoints } from '../../api/endpoints.js';
import { listRequest, ownAccount, PAGE_SIZE, reads } from '../../api/reads.js';
import { readReference } from '../../api/references.js';
import { createPlanner, type Request } from '../../api/request.js';
import { isId, looksLikeNumber, NOBODY, OWN_ID, quote } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import { isListMissing, lookedUpId } from '../../http/judge.js';
import { knownObject } from '../../http/known.js';
import type { Outcome } from '../../http/outcome.js';
import { type Directory, type Found, idFrom, isSameText, listedIn, REFUSES_OTHERS, type Setting } from './found.js';
import { type ListedObject, readWhole, totalIn } from './pages.js';
import { slugsOf, UserIndex } from './user-index.js';

/** So many names are looked up one by one, before the list of all is asked what it would cost. */
const FEW = 5;

/** Searches for suggestions. */
const SUGGESTED = 5;

interface MissingUsers {
	/** The service itself says that the user doesn't exist. */
	readonly gone: readonly string[];
	/** Neither shown nor said to be gone. */
	readonly unseen: readonly string[];
}

export class Users implements Directory {
	readonly #names = new Map<string, string>();
	/** IDs that were asked for: those of deleted users have no name, however often they occur. */
	readonly #learned = new Set<string>();
	/** Live services find your own name only; the list has others. */
	#refusesOthers = false;
	#isListed = true;
	/** Whether other accounts are shown with their usernames, as far as any were shown. */
	#showsUsernames: boolean | undefined;
	#lookedUp = 0;
	#suggested = 0;
	#toldBySlug = 0;
	/** Whether any list said how many objects it has: then an empty one without a count is no list of nobody. */
	#counts = false;
	/** Requests that the list of all would cost, once it is known. */
	#pages = 0;
	#everyone: Promise<UserIndex | undefined> | undefined;

	constructor(private readonly setting: Setting) {}

	name(id: string): string | undefined {
		return this.#names.get(id);
	}

	id(text: string): Promise<Found> {
		return this.setting.memory.once('users', text, async () => {
			if (text === NOBODY) return { id: '0' };
			const { by, text: given } = readReference(text);
			// No service has such a username, so that nothing needs to be asked.
			if (by === 'id' || /^id:/i.test(text)) return idFrom(given);
			if (by === 'name' && given === '') return { problem: `${quote(text)} is not a username` };
			if (by === 'either' && looksLikeNumber(text)) return { id: text };
			if (text !== OWN_ID) return await this.#find(given, by === 'name');
			const own = await this.own();
			if (own !== undefined && 'id' in own) return { id: own.id };
			const why = own?.why ?? 'you are not signed in';
			throw new UsageError(`${OWN_ID}: can't determine your user ID: ${why}; nothing was sent`, {
				code: 'own_id_unknown',
				hint: 'pass the ID instead',
			});
		});
	}

	/** Of a username whose lookup the service refused. */
	listed(username: string): Promise<Found> {
		if (!this.#refusesOthers)
			this.setting.tell('this service refuses to look up other users; reading its list of users instead');
		this.#refusesOthers = true;
		return this.setting.memory.once('usernames', username, () => this.#find(username, false));
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

	/** So that `name` knows them. */
	async learn(shown: readonly unknown[]): Promise<void> {
		const unknown = (id: string): boolean => !this.#names.has(id) && !this.#learned.has(id);
		const ids = [...new Set(shown.filter(isId).map(String))].filter(unknown);
		for (let at = 0; this.#isListed && at < ids.length; at += PAGE_SIZE) {
			const batch = ids.slice(at, at + PAGE_SIZE);
			this.#isListed = (await this.#withIds(batch)) !== undefined;
			for (const id of batch) this.#learned.add(id);
		}
	}

	/** @returns those of the first hundred IDs that the service doesn't show; undefined if your account can't tell */
	async missing(ids: readonly string[]): Promise<MissingUsers | undefined> {
		const batch = ids.slice(0, PAGE_SIZE);
		if (batch.length === 0) return { gone: [], unseen: [] };
		const listed = await this.#withIds(batch);
		// Accounts that see no usernames don't see all users either.
		if (listed === undefined || this.#showsUsernames === false) return undefined;
		const there = new Set(listed.users.map(({ id }) => String(id)));
		const others = batch.filter((id) => !there.has(id));
		return listed.isCounted ? { gone: others, unseen: [] } : await this.#readAlone(others);
	}

	/** A list that doesn't say how many it has may have left them out. */
	async #readAlone(ids: readonly string[]): Promise<MissingUsers> {
		const gone: string[] = [];
		const unseen: string[] = [];
		for (const id of ids) {
			const { is } = knownObject(await this.#read(id));
			if (is === 'absent') gone.push(id);
			if (is === 'unknown') unseen.push(id);
		}
		return { gone, unseen };
	}

	#read(id: string): Promise<Outcome> {
		const { dialect, lookUp } = this.setting;
		return lookUp(createPlanner(reads.user.get, dialect)({ ids: { id } }));
	}

	/** @returns what it shows, and whether that is as many as it says there are */
	async #withIds(ids: readonly string[]): Promise<{ users: ListedObject[]; isCounted: boolean } | undefined> {
		const query = { context: 'edit', per_page: String(PAGE_SIZE), include: ids.join(',') };
		const outcome = await this.setting.send(listRequest(reads.user, {}, query, this.setting.dialect));
		const found = listedIn(outcome, 'users');
		if (found === undefined) return undefined;
		this.#note(found);
		return { users: found, isCounted: totalIn(outcome) === found.length };
	}

	#note(listed: readonly ListedObject[]): void {
		const users = listed.filter(({ id }) => isId(id));
		const named = users.filter(isNamed);
		for (const { id, username } of named) this.#names.set(String(id), String(username));
		// Your own account is always shown with it.
		if (named.length > 1) this.#showsUsernames = true;
		else if (named.length < users.length) this.#showsUsernames = false;
	}

	/** @param isUsername not an email or a display name */
	async #find(name: string, isUsername: boolean): Promise<Found> {
		this.#lookedUp++;
		const isMany = this.#lookedUp > Math.max(FEW, this.#pages);
		const everyone = isMany || this.#everyone !== undefined ? await this.#all() : undefined;
		const found = everyone?.match(name, isUsername);
		if (found !== undefined) return this.#told(found, name);
		return (everyone && this.#missingFrom(everyone, name)) ?? (await this.#lookUp(name, isUsername));
	}

	/** Undefined where nobody is listed; only the first of them while looking up each name costs less. */
	async #all(): Promise<UserIndex | undefined> {
		let costsMore = false;
		this.#everyone ??= this.#list({}, 'users', (_, total = 0) => {
			this.#pages = Math.ceil(total / PAGE_SIZE);
			costsMore = this.#pages > Math.max(FEW, this.#lookedUp);
			return costsMore;
		}).then((all) => {
			// It is asked again once enough names were looked up.
			if (costsMore) this.#everyone = undefined;
			return all;
		});
		return await this.#everyone;
	}

	#missingFrom(users: UserIndex, name: string): Found | undefined {
		// An account that sees no usernames doesn't see all users either.
		if (!users.isWhole || this.#showsUsernames !== true) return undefined;
		return this.#notFound(name, users.didYouMean(name));
	}

	async #lookUp(name: string, isUsername: boolean): Promise<Found> {
		const what = `user ${quote(name)}`;
		let refusal: Outcome | undefined;
		if (!this.#refusesOthers) {
			refusal = await this.setting.lookUp(this.#lookUpOf(name));
			const id = refusal.outcome === 'ok' ? lookedUpId(refusal.body) : undefined;
			if (id !== undefined) return await this.#confirmed(id, name);
			listedIn(refusal, what);
			this.#refusesOthers = refusal.code === REFUSES_OTHERS;
		}
		const isMatch = (users: readonly ListedObject[]): boolean =>
			users.some(({ username }) => isSameText(username, name));
		// Services that get an @ search in emails alone.
		const [local = '', ...host] = name.split('@');
		const found = await this.#list({ search: local === '' ? host.join('@') : local }, what, isMatch);
		if (found === undefined) return this.#unlisted(what, refusal);
		const match = found.match(name, isUsername);
		if (match !== undefined) return this.#told(match, name);
		const everyone = this.#showsUsernames === undefined ? await this.#all() : undefined;
		if (this.#showsUsernames === false) return await this.#bySlug(name, found);
		// A search may miss what the list of all shows.
		const shown = everyone?.match(name, isUsername);
		if (shown !== undefined) return this.#told(shown, name);
		const missing = everyone && this.#missingFrom(everyone, name);
		if (missing !== undefined) return missing;
		const suggestion = await this.#suggestion(name, found);
		if (found.isWhole) return this.#notFound(name, suggestion);
		return {
			problem: `can't look up ${what}: the service's list of users is not complete${suggestion || '; use the ID'}`,
		};
	}

	async #bySlug(name: string, seen: UserIndex): Promise<Found> {
		const what = `user ${quote(name)}`;
		const found = await this.#list({ slug: slugsOf(name).join(',') }, what, () => true);
		const match = found?.match(name, true);
		if (match !== undefined) return this.#told(match, name);
		const near = seen.didYouMean(name);
		return {
			problem: `can't look up ${what}: ${NO_USERNAMES}, and no user that it can see has this slug${near || '; use the ID'}`,
		};
	}

	#notFound(name: string, suggestion: string): Found {
		const next = suggestion || '; list users: supportctl user list';
		const problem = `user ${quote(name)} not found${next}`;
		return this.#showsUsernames === true ? { problem, missing: true } : { problem };
	}

	/** Nobody is listed. */
	#unlisted(what: string, refusal: Outcome | undefined): Found {
		if (this.#refusesOthers) {
			return {
				problem: `can't look up ${what}: your account may only look up itself, and can't list users; use the ID`,
			};
		}
		const why = refusal?.message ?? refusal?.code;
		const { gone, refused, forbidden, signedOut, notServed } = refusal ?? {};
		// A refusal for lack of rights says nothing about the user.
		const isSaid = refused === true && forbidden !== true && signedOut !== true && notServed !== true;
		if (gone === undefined && !isSaid) {
			return { problem: `couldn't look up ${what}: ${why ?? 'the response shows no ID'}; use the ID` };
		}
		return { problem: `${what} not found${why === undefined ? '' : `: ${why}`}`, missing: true };
	}

	#told(found: Found & { by?: 'slug' }, name: string): Found {
		const { by, ...rest } = found;
		if (by !== 'slug' || !('id' in rest)) return rest;
		this.#toldBySlug++;
		if (this.#toldBySlug <= FEW) this.setting.tell(`${name} by slug: user ${rest.id} (${NO_USERNAMES})`);
		else if (this.#toldBySlug === FEW + 1) this.setting.tell('more users by slug');
		return rest;
	}

	/** A lookup names no account: where reads are served, the account behind the ID has to show the name. */
	async #confirmed(id: string, name: string): Promise<Found> {
		const { dialect, lookUp } = this.setting;
		const what = `user ${quote(name)}`;
		const query = { context: 'edit', per_page: '1', include: id };
		const listed = await lookUp(listRequest(reads.user, {}, query, dialect));
		let account = listedIn(listed, what)?.find((each) => String(each.id) === id);
		let why = listed;
		if (account === undefined || !isNamed(account)) {
			why = await this.#read(id);
			// The lookup found the account, so that a bare 404 is about the route.
			if (isListMissing(listed) && isListMissing(why)) return { id };
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
		if (slugsOf(name).some((each) => isSameText(slug, each))) return { id };
		return { problem: `${asked}, but ${NO_USERNAMES}, so that can't be confirmed: use the ID` };
	}

	/** Undefined where nobody is listed. @param isEnough of those so far: the rest is not read @throws FailedError */
	async #list(
		query: Readonly<Record<string, string>>,
		what: string,
		isEnough: (users: readonly ListedObject[], total: number | undefined) => boolean,
	): Promise<UserIndex | undefined> {
		const { dialect, lookUp } = this.setting;
		const ordered = { context: 'edit', orderby: 'id', order: 'asc', per_page: String(PAGE_SIZE) };
		const { objects, isWhole, isCounted, failure } = await readWhole(async (page) => {
			const asked = { ...ordered, ...query, ...(page > 1 && { page: String(page) }) };
			return await lookUp(listRequest(reads.user, {}, asked, dialect));
		}, isEnough);
		if (failure !== undefined) listedIn(failure, what);
		this.#note(objects);
		this.#counts ||= isCounted;
		const isTold = objects.length > 0 || isCounted || !this.#counts;
		return failure !== undefined && objects.length === 0 ? undefined : new UserIndex(objects, isWhole && isTold);
	}

	async #suggestion(name: string, seen: UserIndex): Promise<string> {
		const near = seen.didYouMean(name);
		if (near !== '' || this.#suggested++ >= SUGGESTED) return near;
		const others = await this.#list({ search: [...name].slice(0, 2).join('') }, `user ${quote(name)}`, () => true);
		return others?.didYouMean(name) ?? '';
	}
}

const NO_USERNAMES = 'your account may not see usernames';

const isNamed = ({ username }: ListedObject): boolean => typeof username === 'string';
