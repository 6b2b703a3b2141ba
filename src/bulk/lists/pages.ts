/** Every object of a paged list, once. Objects can move between pages while pages are read: totals are checked, and pages that may have shifted are read again. */

import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { PAGE_SIZE } from '../../api/reads.js';
import { isObject } from '../../api/values.js';
import type { Outcome } from '../../http/outcome.js';
import { headerOf } from '../../http/response.js';
import { formatCount } from '../../text.js';

export type ListedObject = Readonly<Record<string, unknown>>;

/** @param arrived the next request is sent before this response is parsed */
export type FetchPage = (page: number, stop: AbortSignal, arrived?: () => Promise<void>) => Promise<Outcome>;

export interface PagesOptions<Row> {
	/** What a page has; undefined for anything but a list. */
	rowsIn(outcome: Outcome): readonly Row[] | undefined;
	fetch: FetchPage;
	concurrency: number;
	/** Objects that a page is asked for. */
	size: number;
	/** By default 1; a list that begins later is never whole. */
	from?: number;
	/** The last page that is read. */
	most: number;
	/** 1 ascending, -1 descending. */
	byId?: 1 | -1 | undefined;
	/** Whether objects that move between pages are looked for, with two requests more; a total that changes is always noticed. */
	isWatched: boolean;
	/** A total that can be trusted ends it after one page. */
	countsOnly?: boolean;
	/** New objects, in order; false ends the reading. @param total as the service counts */
	onPage(objects: readonly Row[], total: number | undefined): Promise<boolean>;
	ceiling?: number;
}

interface PagesEnd {
	count: number;
	/** As the service counts, if every page was read. */
	total?: number | undefined;
	/** Whether it ended by itself: as many as its total says, or without one, a last page that was shorter. */
	isWhole: boolean;
	/** The last page was not empty and brought nothing new: the service may have no pages, or leave objects out. */
	isRepeated?: boolean;
	/** Why a page could not be read. */
	failure?: Outcome | undefined;
}

interface Page<Row> {
	number: number;
	objects: readonly Row[];
	/** Undefined if it isn't known. */
	total: number | undefined;
	pages: number | undefined;
}

/** A page can't be read, no more are wanted, or the list does not end. */
class Ended extends Error {
	constructor(readonly failure?: Outcome) {
		super();
	}
}

/** As long as each brings something new. */
const MOST_PASSES = 3;

/** Pages of a directory that are read at a time. */
const AT_ONCE = 4;

/** No Set holds more than 16 million IDs. */
const CEILING = 10_000_000;

/** Hands the objects of a list to `onPage`, a page at a time, each object once. */
export async function readPages<Row>(options: PagesOptions<Row>): Promise<PagesEnd> {
	const { most, size, from = 1 } = options;
	const list = new List(options);
	try {
		const first = await list.read(from);
		if (first === undefined) return { count: 0, isWhole: false };
		const { objects, total, pages } = first;
		const isTrusted = total !== undefined && objects.length === size && pages === Math.ceil(total / size);
		if (options.countsOnly === true && isTrusted) return { count: total, isWhole: true };
		const watch = await watchLastPage(list, first, options);
		const { last, isRepeated } = await readInOrder(list, first, watch, options);
		if (last.number > 1 && watch.isDoubtful() && !list.isNameless) await readAllAgain(list, last.number);
		const isReadToEnd = last.number < most || (last.pages ?? Number.POSITIVE_INFINITY) <= most;
		const isWhole = from === 1 && isReadToEnd && (last.total === undefined ? !isRepeated : list.count >= last.total);
		return { count: list.count, total: isReadToEnd ? last.total : undefined, isWhole, isRepeated };
	} catch (error) {
		if (error instanceof Ended) return { count: list.count, failure: error.failure, isWhole: false };
		throw error;
	} finally {
		list.stop.abort();
	}
}

interface WholeList extends Pick<PagesEnd, 'isWhole' | 'failure'> {
	readonly objects: ListedObject[];
	/** Whether the service said how many there are. */
	readonly isCounted: boolean;
}

/** All in one list. @param isEnough of those so far: the rest is not read */
export async function readWhole(
	fetch: FetchPage,
	isEnough: (objects: readonly ListedObject[], total: number | undefined) => boolean = () => false,
): Promise<WholeList> {
	const list = await readOnce(fetch, isEnough);
	// A failure looks like an empty list without a count, and "not found" stands on it.
	const isDoubtful = list.isWhole && !list.isCounted && list.objects.length === 0;
	return isDoubtful ? await readOnce(fetch, isEnough) : list;
}

async function readOnce(
	fetch: FetchPage,
	isEnough: (objects: readonly ListedObject[], total: number | undefined) => boolean,
): Promise<WholeList> {
	const objects: ListedObject[] = [];
	let isCounted = false;
	const { isWhole, total, failure } = await readPages({
		rowsIn: objectsIn,
		fetch,
		concurrency: AT_ONCE,
		size: PAGE_SIZE,
		most: Number.POSITIVE_INFINITY,
		byId: 1,
		isWatched: false,
		async onPage(found, total) {
			objects.push(...found);
			isCounted ||= total !== undefined;
			return !isEnough(objects, total);
		},
	});
	return { objects, isWhole, failure, isCounted: isCounted || total !== undefined };
}

/** Services also count hidden objects, which are left out of pages: a full page has none. */
type Watch<Row> = Awaited<ReturnType<typeof watchLastPage<Row>>>;

async function watchLastPage<Row>(list: List<Row>, first: Page<Row>, { most, isWatched }: PagesOptions<Row>) {
	const at = first.pages === undefined || !isWatched ? 1 : Math.min(first.pages, most);
	const look = at > 1 ? await list.lookAt(at) : [];
	const isUsed = look.length > 0;
	// Places that objects moved, and differences of totals.
	let moved = look.length;
	let accounted = 0;
	return {
		isUsed,
		/** @returns whether the list has shifted since */
		see(page: Page<Row>, before: Page<Row>): boolean {
			if (isUsed && page.number === at) {
				const place = look.findIndex((each) => ownName(each) === ownName(page.objects[0]));
				moved = place === -1 ? look.length : place;
			}
			if (page.number === 1 || page.total === before.total) return false;
			accounted += Math.max(0, (before.total ?? 0) - (page.total ?? 0));
			return true;
		},
		isDoubtful: () => isWatched && (!isUsed || moved !== accounted),
	};
}

interface InOrder<Row> {
	last: Page<Row>;
	/** Its last page brought nothing new, though it was not empty. */
	isRepeated: boolean;
}

async function readInOrder<Row>(
	list: List<Row>,
	first: Page<Row>,
	watch: Watch<Row>,
	{ size, most, byId }: PagesOptions<Row>,
): Promise<InOrder<Row>> {
	const isCounted = first.pages !== undefined;
	// Without a count, a first page that is short may be a smaller page than was asked for: the next ones show it.
	const full = isCounted ? size : Math.max(1, first.objects.length);
	let last = first.pages ?? (first.objects.length === 0 ? 1 : Number.POSITIVE_INFINITY);
	// It was read before the last page was.
	if (!watch.isUsed) await list.give(first.objects);
	const isReached = !isCounted && first.total !== undefined && list.count >= first.total;
	const hasMore = watch.isUsed || last > 1 || first.objects.length >= full;
	let before = first;
	let isRepeated = false;
	if (!hasMore || isReached) return { last: before, isRepeated };
	const until = (): number => Math.min(most, Math.max(last, before.number + 1));
	for await (const page of list.ahead(watch.isUsed ? first.number : first.number + 1, until)) {
		const isShifted = watch.see(page, before) && byId !== undefined;
		const isNew = await list.give(isShifted ? await list.readAgain(before, page, byId) : page.objects);
		if (isCounted) last = Math.max(last, page.pages ?? 0);
		before = page;
		// The count may be wrong: the last page is not full, or brings nothing new.
		const isInside = isCounted && page.number < last;
		// Else a service that repeats pages could be read for as many as it claims to have.
		if (isInside && page.objects.length > 0 && !isNew) throw repeated(list.count);
		const isFull = isInside ? page.objects.length > 0 : page.objects.length >= full && isNew;
		isRepeated = page.objects.length > 0 && !isNew;
		if (!isFull) break;
	}
	return { last: before, isRepeated };
}

async function readAllAgain<Row>(list: List<Row>, last: number): Promise<void> {
	for (let pass = 0; pass < MOST_PASSES; pass++) {
		let isNew = false;
		for (let number = 1; number <= last; number++) {
			if (await list.give((await list.read(number))?.objects ?? [])) isNew = true;
		}
		if (!isNew) return;
	}
}

class List<Row> {
	readonly stop = new AbortController();
	count = 0;
	#total: number | undefined;
	readonly #seen = new Set<unknown>();
	#nameless: readonly Row[] = [];

	constructor(private readonly options: PagesOptions<Row>) {
		setMaxListeners(0, this.stop.signal);
	}

	async read(number: number, arrived?: () => Promise<void>): Promise<Page<Row> | undefined> {
		const outcome = await this.options.fetch(number, this.stop.signal, arrived);
		// What services say of a page behind the last one: it is no failure, whatever the count said.
		if (number > 1 && outcome.code === 'rest_post_invalid_page_number') return undefined;
		const objects = this.options.rowsIn(outcome);
		if (objects === undefined) throw new Ended(outcome);
		this.#total = totalIn(outcome);
		return { number, objects, total: this.#total, pages: countIn(outcome, 'x-wp-totalpages') };
	}

	/** Of a page that is read again in its turn; what went wrong is said then, behind the pages before it. */
	async lookAt(number: number): Promise<readonly Row[]> {
		try {
			return (await this.read(number))?.objects ?? [];
		} catch (error) {
			if (error instanceof Ended) return [];
			throw error;
		}
	}

	/** In order, with some under way. */
	async *ahead(from: number, until: () => number): AsyncGenerator<Page<Row>> {
		const { concurrency } = this.options;
		const queue: Promise<Page<Row> | undefined>[] = [];
		const underWay = new Set<number>();
		let next = from;
		const start = (number: number): void => {
			underWay.add(number);
			const release = (): void => {
				if (underWay.delete(number)) fill();
			};
			const page = this.read(number, async () => {
				release();
				// undici reuses a connection two turns of the event loop later.
				await setImmediate();
				await setImmediate();
			}).finally(release);
			// Thrown when its turn comes.
			page.catch(() => undefined);
			queue.push(page);
		};
		const fill = (): void => {
			const isFull = (): boolean => underWay.size >= concurrency || queue.length >= 2 * concurrency;
			while (!this.stop.signal.aborted && !isFull() && next <= until()) start(next++);
		};
		for (;;) {
			fill();
			const page = await queue.shift();
			if (page === undefined) return;
			yield page;
		}
	}

	get isNameless(): boolean {
		return this.#nameless.length > 0;
	}

	/** @returns whether something is new */
	async give(objects: readonly Row[]): Promise<boolean> {
		const nameless = objects.filter((each) => ownName(each) === undefined);
		// The service ignores `page`.
		if (nameless.length > 0 && isDeepStrictEqual(nameless, this.#nameless)) throw endless(this.count);
		this.#nameless = nameless;
		const found = objects.filter((each) => {
			const known = this.#seen.size;
			const name = ownName(each);
			return name === undefined || this.#seen.add(name).size > known;
		});
		this.count += found.length;
		if (!(await this.options.onPage(found, this.#total))) throw new Ended();
		if (this.count > (this.options.ceiling ?? CEILING)) throw endless(this.count);
		return found.length > 0;
	}

	async readAgain(before: Page<Row>, page: Page<Row>, byId: 1 | -1): Promise<Row[]> {
		const edge = Number(ownName(before.objects.at(-1)));
		const objects = [...page.objects];
		for (let number = before.number; number > 0; number--) {
			const again = await this.read(number);
			objects.push(...(again?.objects ?? []));
			if (again !== undefined && !(byId * Number(ownName(again.objects[0])) > byId * edge)) break;
		}
		objects.push(...((await this.read(page.number))?.objects ?? []));
		return objects.sort((left, right) => byId * (Number(ownName(left)) - Number(ownName(right))) || 0);
	}
}

function ownName(row: unknown): unknown {
	return isObject(row) ? (row.id ?? row.slug) : undefined;
}

function endless(count: number): Ended {
	const message = `${formatCount(count)} objects were read, and the list never ends`;
	return new Ended({ outcome: 'failed', code: 'endless_list', message, attempts: 1, ms: 0 });
}

function repeated(count: number): Ended {
	const message = `the service repeats pages: ${formatCount(count)} objects were read, and the next page returned nothing new`;
	return new Ended({ outcome: 'failed', code: 'incomplete_list', message, attempts: 1, ms: 0 });
}

/** How many objects the whole list has, by the service's count. */
export function totalIn(outcome: Outcome): number | undefined {
	return countIn(outcome, 'x-wp-total');
}

function countIn({ headers = {} }: Outcome, name: string): number | undefined {
	const text = headerOf(headers, name) ?? '';
	return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Undefined for anything but a list. */
export function objectsIn({ outcome, body }: Outcome): ListedObject[] | undefined {
	return outcome === 'ok' && Array.isArray(body) ? body.filter(isObject) : undefined;
}
