/**
 * Every object of a list that comes in pages, once. Pages have no common moment: while one is read, objects can move to
 * a page before it or behind it. An object that comes twice is given once; that none is lost between two pages is
 * checked by what responses say of the list, and by reading pages again where it may have shifted.
 */

import { setMaxListeners } from 'node:events';
import { headerOf } from '../../http/content.js';
import type { Result } from '../../http/outcome.js';
import { type Sendable, type SendOptions, send } from '../../http/send.js';
import type { Client, ResponseHeaders } from '../../http/types.js';
import { SeenIds } from './seen.js';

export type ListedObject = Readonly<Record<string, unknown>>;

export interface PagesOptions {
	client: Client;
	/** Shared by all pages: retries, pace, stop. */
	send: SendOptions;
	/** Pages at a time. */
	concurrency: number;
	/** How many objects a page is asked to have. */
	size: number;
	/** How many pages are read at the most. */
	most: number;
	/** The request of a page, from 1. */
	request(page: number): Sendable;
	/** Called with the refusal of the first page: whether to ask again with another query. */
	relax(refusal: Result): boolean;
	/** Called after the first page, with the number of objects that the service counts. */
	onTotal?(total: number | undefined): void;
}

/** How the reading ended. */
export interface PagesEnd {
	/** Objects that were given. */
	count: number;
	/** What the service counted last. */
	total: number | undefined;
	/** Whether all pages were read, and not only as many as were asked for. */
	whole: boolean;
	/** Why a page could not be read. */
	failure?: Result;
}

interface Page {
	number: number;
	objects: readonly ListedObject[];
	total: number | undefined;
	pages: number | undefined;
}

/** Past the last page, or a page that could not be read. */
type Stopped = { number: number; failure?: Result };

/** @param stop Aborted when the page is wanted no longer */
type FetchPage = (page: number, stop?: AbortSignal) => Promise<Page | Stopped>;

const isPage = (found: Page | Stopped): found is Page => 'objects' in found;

/** How often a list that has shifted is read again, as long as that brings something new. */
const MOST_PASSES = 3;

/** The code of the response to a page behind the last one. */
const PAST_THE_END = 'rest_post_invalid_page_number';

/** Gives the objects of a list, a page at a time. */
export async function* readPages(options: PagesOptions): AsyncGenerator<readonly ListedObject[], PagesEnd> {
	const { most, size, concurrency } = options;
	const fetch = createFetch(options);
	const seen = new SeenIds();
	let count = 0;
	const fresh = (objects: readonly ListedObject[]): ListedObject[] => {
		const found = objects.filter((each) => seen.add(each.id ?? each.slug));
		count += found.length;
		return found;
	};
	const end = (total: number | undefined, whole: boolean, failure?: Result): PagesEnd => {
		return { count, total, whole, ...(failure === undefined ? {} : { failure }) };
	};

	let found = await fetch(1);
	while (!isPage(found) && found.failure !== undefined && options.relax(found.failure)) found = await fetch(1);
	if (!isPage(found)) return end(undefined, false, found.failure);
	let first = found;
	options.onTotal?.(first.total);
	const full = first.pages === undefined ? first.objects.length : size;
	let last = first.pages ?? (first.objects.length === 0 ? 1 : Number.POSITIVE_INFINITY);

	// The last page is looked at before all others, and shows at the end by how much objects have moved.
	const lookAt = Math.min(last, most);
	let look: Page | undefined;
	if (lookAt > 1 && Number.isFinite(last)) {
		const page = await fetch(lookAt);
		if (isPage(page) && page.objects.length > 0) look = page;
		const again = await fetch(1);
		if (!isPage(again)) return end(first.total, false, again.failure);
		first = again;
	}
	yield fresh(first.objects);

	let before: Page = first;
	/** By how many places objects have moved, and how many of them the counts of two pages tell. */
	let moved = look?.objects.length ?? 0;
	let accounted = 0;
	let failure: Result | undefined;
	let reading = before.number < most && (last > 1 || first.objects.length >= full);
	const ahead = readAhead(concurrency, 2, () => Math.min(most, Math.max(last, before.number + 1)), fetch);
	try {
		while (reading) {
			const page = await ahead.next();
			if (page === undefined) break;
			if (!isPage(page)) {
				failure = page.failure;
				break;
			}
			if (page.number === look?.number) moved = movedBy(look, page);
			let objects = page.objects;
			if (page.total !== before.total) {
				accounted += Math.max(0, (before.total ?? 0) - (page.total ?? 0));
				const again = await readAgain(before, page, fetch);
				if ('failure' in again) {
					failure = again.failure;
					break;
				}
				objects = again.objects;
			}
			const news = fresh(objects);
			yield news;
			last = Math.max(last, Number.isFinite(last) ? (page.pages ?? 0) : 0);
			// The count of pages may be wrong: only a page that is not full, or brings nothing new, is the last.
			const goesOn =
				page.number < last && Number.isFinite(last)
					? page.objects.length > 0
					: page.objects.length >= full && news.length > 0;
			before = page;
			reading = goesOn && page.number < most;
		}
	} finally {
		ahead.close();
	}
	let isDoubtful = before.number > 1 && (look === undefined || moved !== accounted);
	for (let pass = 0; isDoubtful && failure === undefined && pass < MOST_PASSES; pass++) {
		const known = count;
		for (let number = 1; failure === undefined && number <= before.number; number++) {
			const page = await fetch(number);
			if (isPage(page)) yield fresh(page.objects);
			else failure = page.failure;
		}
		isDoubtful = count > known;
	}
	return end(before.total, before.number < most || last <= most, failure);
}

/** By how many places the first object of a page has moved towards the beginning; its size where it is not found. */
function movedBy(look: Page, page: Page): number {
	const place = look.objects.findIndex((each) => each.id === page.objects[0]?.id);
	return place === -1 ? look.objects.length : place;
}

/** Two neighbouring pages once more, and those before them as far as objects have moved; in the order of their ids. */
async function readAgain(
	before: Page,
	page: Page,
	fetch: FetchPage,
): Promise<{ objects: readonly ListedObject[] } | { failure: Result }> {
	const edge = Number(before.objects.at(-1)?.id);
	let objects = [...page.objects];
	const take = async (number: number): Promise<Page | Stopped> => {
		const again = await fetch(number);
		if (isPage(again)) objects = [...again.objects, ...objects];
		return again;
	};
	for (let number = before.number; number > 0; number--) {
		const again = await take(number);
		if (!isPage(again)) {
			if (again.failure !== undefined) return { failure: again.failure };
			continue;
		}
		if (!(Number(again.objects[0]?.id) > edge)) break;
	}
	const again = await take(page.number);
	if (!isPage(again) && again.failure !== undefined) return { failure: again.failure };
	return { objects: objects.sort((left, right) => Number(left.id) - Number(right.id) || 0) };
}

/** Makes the function that reads one page. */
function createFetch({ client, send: shared, request }: PagesOptions): FetchPage {
	return async (number, stop) => {
		let headers: ResponseHeaders = {};
		const result = await send(client, request(number), {
			...shared,
			...(stop === undefined ? {} : { stop }),
			onResponse(response) {
				headers = response.headers;
			},
		});
		if (number > 1 && result.status === 400 && result.code === PAST_THE_END) return { number };
		if (result.outcome !== 'ok' || !Array.isArray(result.body)) return { number, failure: result };
		const objects = result.body.filter((each): each is ListedObject => typeof each === 'object' && each !== null);
		return { number, objects, total: countIn(headers, 'x-wp-total'), pages: countIn(headers, 'x-wp-totalpages') };
	};
}

function countIn(headers: ResponseHeaders, name: string): number | undefined {
	const text = headerOf(headers, name);
	return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Pages in order, of which some are under way and as many again may wait for their turn. */
function readAhead(concurrency: number, from: number, last: () => number, fetch: FetchPage) {
	const queue: Promise<Page | Stopped>[] = [];
	let next = from;
	let underWay = 0;
	const closed = new AbortController();
	setMaxListeners(0, closed.signal);
	const fill = (): void => {
		while (!closed.signal.aborted && underWay < concurrency && queue.length < 2 * concurrency && next <= last()) {
			underWay++;
			queue.push(
				fetch(next++, closed.signal).finally(() => {
					underWay--;
					fill();
				}),
			);
		}
	};
	return {
		async next(): Promise<Page | Stopped | undefined> {
			fill();
			return await queue.shift();
		},
		close: () => closed.abort(),
	};
}
