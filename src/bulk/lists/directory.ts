/** Users, terms and application passwords by name: each distinct name is looked up at most once, before anything is written. */

import { decodeEntities } from '../../api/compare.js';
import type { Field } from '../../api/fields.js';
import { namesUsers } from '../../api/kinds.js';
import { listRequest, PAGE_SIZE, reads } from '../../api/reads.js';
import { readReference } from '../../api/references.js';
import type { Request } from '../../api/request.js';
import { didYouMean } from '../../api/suggest.js';
import { isId, looksLikeNumber, quote } from '../../api/values.js';
import { FailedError, NOT_SIGNED_IN, SupportctlError } from '../../errors.js';
import { isListMissing } from '../../http/judge.js';
import type { Known } from '../../http/known.js';
import { type Outcome, unsent } from '../../http/outcome.js';
import { formatCount } from '../../text.js';
import { isNothing } from '../held.js';
import {
	type Directory,
	type DirectoryOptions,
	type Found,
	idFrom,
	isSameText,
	listedIn,
	Memory,
	type Setting,
} from './found.js';
import { type ListedObject, objectsIn, readWhole, totalIn } from './pages.js';
import { Users } from './users.js';

export type Directories = ReturnType<typeof createDirectories>;

type NamedField = Pick<Field, 'name' | 'kind'>;

export function createDirectories(options: DirectoryOptions) {
	const memory = new Memory();
	const waitFor = (request: Request, what: string): Promise<Outcome> => {
		const response = options.send(request);
		options.onWait?.(response, what);
		return response;
	};
	const setting: Setting = { ...options, memory, lookUp: (request) => waitFor(request, 'looking up names') };
	const users = new Users(setting);
	const terms = madeOnce((taxonomy) => new Terms(taxonomy, setting));
	return {
		memory,
		send: options.send,
		/** With progress, where that takes long. */
		waitFor,
		users,
		terms,
		passwords: madeOnce((userId) => new Passwords(userId, setting)),
		/** So that `nameOf` knows what objects show in these fields of users and terms. */
		async learn(fields: readonly NamedField[], objects: readonly ListedObject[]): Promise<void> {
			const ofUsers = fields.filter(namesUsers);
			const isShown = ({ name }: NamedField): boolean => objects.some((each) => !isNothing(each[name]));
			const shown = fields.filter((field) => !ofUsers.includes(field) && isShown(field));
			const learning = users.learn(objects.flatMap((each) => ofUsers.map(({ name }) => each[name])));
			await Promise.allSettled([learning, ...shown.map(({ name }) => terms(name).list())]);
		},
		/** @param value as we keep it: of terms the ID, or a slug where the service doesn't list them */
		nameOf({ name, kind }: NamedField, value: unknown): string | undefined {
			const text = String(value);
			if (namesUsers({ kind })) return users.name(text);
			return terms(name).name(text) ?? terms(name).name(terms(name).idOf(text) ?? '');
		},
		/** @param value as an object shows it: a text is the slug of a term, even one that looks like an ID */
		nameShown({ name, kind }: NamedField, value: unknown): string | undefined {
			if (namesUsers({ kind })) return users.name(String(value));
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

interface Named {
	id: string;
	slug: string;
	name: string;
}

/** As objects show it: without encoded characters. */
function damaged(slug: string): string {
	return slug.replace(/%[\da-f]{2}/gi, '');
}

/** Without an exact match, capitals don't count. */
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
	// A name may itself begin with @.
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
			return {
				problem: `${quote(given)} is ambiguous (${formatCount(called.length)} ${this.what}); use the ID: ${ids}`,
			};
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
	/** Whether the list said how many terms there are: then an empty one without a count says nothing. */
	#counts = false;

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

	/** An empty list may be all that came of one that has some. */
	get hasHidden(): boolean {
		const isDoubtful = this.#all.length === 0 && !this.#counts;
		return isDoubtful || this.#all.some(({ slug }) => damaged(slug) === '');
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
		const counted = totalIn(outcome);
		if (counted === undefined && ids.length === 0 && this.#counts) {
			const message = `the service lists no ${this.taxonomy} terms, and does not say that there are none`;
			return { is: 'unknown', why: unsent('failed', 'incomplete_list', message) };
		}
		const total = counted ?? ids.length;
		// A service that ignores `post` lists more than the one term that a field holds.
		const isWhole = ids.every(isId) && ids.length <= 1 && ids.length === total;
		if (isWhole) return { is: 'shown', value: ids[0] ?? '' };
		const message = `the service lists ${formatCount(ids.length)} of ${formatCount(total)} ${this.taxonomy} terms, but a ticket has only one`;
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

	exportedId(id: string): string {
		// Where the terms are not listed, a number is read as an ID.
		return this.#isOnly(id, id) ? id : `id:${id}`;
	}

	#isOnly(id: string, text: string): boolean {
		const { byId, called } = meantBy(this.#all, text);
		return [byId, ...called].every((each) => each === undefined || each.id === id);
	}

	/** Undefined only if the service has no such list: "not found" and "the only one" need a whole one. */
	protected async read(): Promise<Named[] | undefined> {
		const { taxonomy } = this;
		const { dialect, lookUp } = this.setting;
		const { objects, isWhole, isCounted, failure } = await readWhole(async (page) => {
			const query = { orderby: 'id', order: 'asc', per_page: String(PAGE_SIZE), page: String(page) };
			return await lookUp(listRequest(reads.term, { taxonomy }, query, dialect));
		});
		if (failure !== undefined && objects.length === 0 && isListMissing(failure)) return undefined;
		if (!isWhole) throw this.#incomplete(objects.length, failure);
		const all = objects
			.filter(({ id }) => isId(id))
			.map(({ id, slug, name }) => {
				const plain = decodeEntities(String(name ?? '')).trim();
				return { id: String(id), slug: String(slug ?? ''), name: plain };
			});
		this.#all = all;
		this.#isListed = true;
		this.#counts = isCounted;
		return all;
	}

	#incomplete(count: number, failure: Outcome | undefined): FailedError {
		const why = (failure?.message ?? failure?.code ?? 'a page returned nothing new').replace(/\.$/, '');
		const what = `could not list the ${this.taxonomy} terms (got ${formatCount(count)}): ${why}; nothing was sent`;
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
		const { dialect, lookUp } = this.setting;
		const request = listRequest(reads.password, { user_id: this.userId }, {}, dialect);
		const listed = listedIn(await lookUp(request), 'application passwords');
		return listed?.map(({ slug, name }) => ({ id: String(slug), slug: String(slug), name: String(name) }));
	}

	protected missing(text: string, all: readonly Named[]): Found {
		const names = all.map(({ name }) => name);
		const problem = `user ${this.userId} has no application password ${quote(text)}${didYouMean(text, names)}`;
		return { problem, missing: true };
	}
}
