/**
 * Every object of a list that comes in pages, once. Pages have no common moment: while one is read, objects can move to
 * a page before it or behind it. An object that comes twice is given once; that none is lost between two pages is
 * checked by what responses say of the list, and by reading pages again where it may have shifted.
 */

import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { isObject } from '../../api/values.js';
import type { Outcome } from '../../http/outcome.js';
import { headerOf, type ResponseHeaders } from '../../http/response.js';

export type ListedObject = Readonly<Record<string, unknown>>;

export interface PageCall {
	page: number;
	/** Call it when the response is there, and wait: the next request is sent before this response is parsed. */
	arrived(): Promise<void>;
	/** Aborted when the page is wanted no longer. */
	stop: AbortSignal;
}

export interface PagesOptions {
	fetch(call: PageCall): Promise<{ result: Outcome; headers: ResponseHeaders }>;
	concurrency: number;
	/** How many objects a page is asked to have. */
	size: number;
	/** How many pages are read at the most. */
	most: number;
	/** How the list is ordered by ID: 1 ascending, -1 descending; undefined for another order. */
	byId?: 1 | -1 | undefined;
	/** Only the number of objects is wanted: a total that can be trusted ends the reading after one page. */
	countsOnly?: boolean;
	/** Called after the first page, with the number of objects that the service counts. */
	onTotal?(total: number | undefined): void;
	/** Takes the objects that are new on a page, in order; false ends the reading. */
	onPage(objects: readonly ListedObject[]): Promise<boolean>;
	/** How many objects a list can have; more are taken for a list without an end. */
	ceiling?: number;
}

export interface PagesEnd {
	/** How many objects were given, or counted. */
	count: number;
	/** What the service counted last. */
	total?: number | undefined;
	/** Whether all pages were read, and not only as many as were asked for. */
	whole: boolean;
	/** Why a page could not be read. */
	failure?: Outcome | undefined;
	/** The list did not end. */
	isEndless?: boolean;
}

interface Page {
	number: number;
	objects: readonly ListedObject[];
	total: number | undefined;
	pages: number | undefined;
}

/** Ends the reading: a page can't be read, no more are wanted, or the list does not end. */
class Ended extends Error {
	constructor(readonly why: Pick<PagesEnd, 'failure' | 'isEndless'> = {}) {
		super();
	}
}

/** How often a list that has shifted is read again, as long as that brings something new. */
const MOST_PASSES = 3;

const CEILING = 10_000_000;

/** Gives the objects of a list to `onPage`, a page at a time, each once. */
export async function readPages(options: PagesOptions): Promise<PagesEnd> {
	const pages = createPageReader(options);
	const giver = createGiver(options);
	try {
		const first = await pages.first();
		options.onTotal?.(first.total);
		if (options.countsOnly === true && isTrusted(first, options.size)) {
			return { count: first.total ?? 0, total: first.total, whole: true };
		}
		const watch = await watchLastPage(pages, first, options);
		const last = await readInOrder(pages, first, watch, giver, options);
		if (last.number > 1 && watch.isDoubtful()) await readAllAgain(pages, last.number, giver);
		const whole = last.number < options.most || (last.pages ?? Number.POSITIVE_INFINITY) <= options.most;
		return { count: giver.count(), total: last.total, whole };
	} catch (error) {
		if (error instanceof Ended) return { count: giver.count(), whole: false, ...error.why };
		throw error;
	} finally {
		pages.close();
	}
}

/**
 * Services count objects that the caller can't see. Those are left out of each page, so that a page with as many objects
 * as it was asked for has none of them.
 */
function isTrusted({ objects, total, pages }: Page, size: number): boolean {
	return total !== undefined && objects.length === size && pages === Math.ceil(total / size);
}

type Giver = ReturnType<typeof createGiver>;

/** Passes on the objects that are new. */
function createGiver({ onPage, ceiling = CEILING }: PagesOptions) {
	const seen = new Set<unknown>();
	let count = 0;
	return {
		count: () => count,
		/** @returns whether something is new @throws Ended */
		async give(objects: readonly ListedObject[] = []): Promise<boolean> {
			const found = objects.filter(({ id, slug }) => {
				const own = id ?? slug;
				const known = seen.size;
				return own === undefined || seen.add(own).size > known;
			});
			count += found.length;
			if (!(await onPage(found))) throw new Ended();
			if (count > ceiling) throw new Ended({ isEndless: true });
			return found.length > 0;
		},
	};
}

type Watch = Awaited<ReturnType<typeof watchLastPage>>;

/** Looks at the last page before all others: at its turn it shows by how much objects have moved. */
async function watchLastPage(pages: PageReader, first: Page, { most }: PagesOptions) {
	const at = first.pages === undefined ? 1 : Math.min(first.pages, most);
	const look = at > 1 ? ((await pages.read(at))?.objects ?? []) : [];
	const isUsed = look.length > 0;
	/** By how many places objects have moved, and by how many of them the totals of neighbours differ. */
	let moved = look.length;
	let accounted = 0;
	return {
		isUsed,
		/** @returns whether the list has shifted since the page before */
		see(page: Page, before: Page): boolean {
			if (isUsed && page.number === at) {
				const place = look.findIndex((each) => each.id === page.objects[0]?.id);
				moved = place === -1 ? look.length : place;
			}
			if (page.number === 1 || page.total === before.total) return false;
			accounted += Math.max(0, (before.total ?? 0) - (page.total ?? 0));
			return true;
		},
		isDoubtful: () => !isUsed || moved !== accounted,
	};
}

/** @returns the last page */
async function readInOrder(
	pages: PageReader,
	first: Page,
	watch: Watch,
	{ give }: Giver,
	{ size, most, byId }: PagesOptions,
): Promise<Page> {
	const isCounted = first.pages !== undefined;
	const full = isCounted ? size : Math.max(1, first.objects.length);
	let last = first.pages ?? (first.objects.length === 0 ? 1 : Number.POSITIVE_INFINITY);
	// What was read before the last page was looked at is read again.
	if (!watch.isUsed) await give(first.objects);
	const hasMore = watch.isUsed || last > 1 || first.objects.length >= full;
	let before = first;
	if (!hasMore) return before;
	const until = (): number => Math.min(most, Math.max(last, before.number + 1));
	for await (const page of pages.ahead(watch.isUsed ? 1 : 2, until)) {
		const isShifted = watch.see(page, before) && byId !== undefined;
		const isNew = await give(isShifted ? await pages.readAgain(before, page, byId) : page.objects);
		if (isCounted) last = Math.max(last, page.pages ?? 0);
		before = page;
		// The number of pages may be wrong: the last page is one that is not full, or brings nothing new.
		const isInside = isCounted && page.number < last;
		const isFull = isInside ? page.objects.length > 0 : page.objects.length >= full && isNew;
		if (!isFull || page.number >= most) break;
	}
	return before;
}

/** Reads all pages again until that brings nothing new. */
async function readAllAgain(pages: PageReader, last: number, { give }: Giver): Promise<void> {
	for (let pass = 0; pass < MOST_PASSES; pass++) {
		let isNew = false;
		for (let number = 1; number <= last; number++) {
			if (await give((await pages.read(number))?.objects)) isNew = true;
		}
		if (!isNew) return;
	}
}

type PageReader = ReturnType<typeof createPageReader>;

function createPageReader({ fetch, concurrency }: Pick<PagesOptions, 'fetch' | 'concurrency'>) {
	const closed = new AbortController();
	setMaxListeners(0, closed.signal);

	/** @returns undefined behind the last page @throws Ended */
	async function read(number: number, arrived = async (): Promise<void> => undefined): Promise<Page | undefined> {
		const { result, headers } = await fetch({ page: number, arrived, stop: closed.signal });
		if (number > 1 && result.status === 400 && result.code === 'rest_post_invalid_page_number') return undefined;
		const objects = result.outcome === 'ok' ? objectsIn(result.body) : undefined;
		if (objects === undefined) throw new Ended({ failure: notList(result) });
		const [total, pages] = ['x-wp-total', 'x-wp-totalpages'].map((name) => {
			const text = headerOf(headers, name) ?? '';
			return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
		});
		return { number, objects, total, pages };
	}

	/** Pages in order, with some under way and as many again waiting for their turn. */
	async function* ahead(from: number, until: () => number): AsyncGenerator<Page> {
		const queue: Promise<Page | undefined>[] = [];
		let underWay = 0;
		let next = from;
		function fill(): void {
			while (!closed.signal.aborted && underWay < concurrency && queue.length < 2 * concurrency && next <= until()) {
				underWay++;
				let isCounted = true;
				const release = (): void => {
					if (!isCounted) return;
					isCounted = false;
					underWay--;
					fill();
				};
				const arrived = async (): Promise<void> => {
					release();
					// undici takes a connection again two turns of the event loop after its last response.
					await setImmediate();
					await setImmediate();
				};
				const page = read(next++, arrived).finally(release);
				// It is thrown when its turn comes.
				page.catch(() => undefined);
				queue.push(page);
			}
		}
		for (;;) {
			fill();
			const page = await queue.shift();
			if (page === undefined) return;
			fill();
			// Responses that have come meanwhile are taken in first, and requests sent in their place.
			await setImmediate();
			yield page;
		}
	}

	async function first(): Promise<Page> {
		const page = await read(1);
		if (page === undefined) throw new Ended();
		return page;
	}

	/** Two neighbouring pages once more, and those before them as far as objects have moved; in the order of their IDs. */
	async function readAgain(before: Page, page: Page, byId: 1 | -1): Promise<ListedObject[]> {
		const edge = Number(before.objects.at(-1)?.id);
		const objects = [...page.objects];
		for (let number = before.number; number > 0; number--) {
			const again = await read(number);
			objects.push(...(again?.objects ?? []));
			if (again !== undefined && !(byId * Number(again.objects[0]?.id) > byId * edge)) break;
		}
		objects.push(...((await read(page.number))?.objects ?? []));
		return objects.sort((left, right) => byId * (Number(left.id) - Number(right.id)) || 0);
	}

	return { read, first, ahead, readAgain, close: () => closed.abort() };
}

function notList(result: Outcome): Outcome {
	if (result.outcome !== 'ok') return result;
	return { ...result, outcome: 'failed', code: 'not_a_list', message: 'the response is not a list' };
}

/** The objects of a response: a list, or an object with one under each slug; undefined for anything else. */
function objectsIn(body: unknown): ListedObject[] | undefined {
	if (Array.isArray(body)) return body.filter(isObject);
	if (!isObject(body)) return undefined;
	const entries = Object.entries(body);
	const objects = entries.flatMap(([slug, value]) => (isObject(value) ? [{ slug, ...value }] : []));
	return objects.length === entries.length ? objects : undefined;
}
