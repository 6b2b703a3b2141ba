/**
 * Every object of a list that comes in pages, once. Pages have no common moment: while one is read, objects can move to
 * a page before it or behind it. An object that comes twice is given once; that none is lost between two pages is
 * checked by what responses say of the list, and by reading pages again where it may have shifted.
 */

import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { isObject } from '../../api/values.js';
import { headerOf } from '../../http/content.js';
import type { Outcome } from '../../http/outcome.js';
import type { ResponseHeaders } from '../../http/types.js';

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
	/** Called after the first page, with the number of objects that the service counts. */
	onTotal?(total: number | undefined): void;
	/** Takes the objects that are new on a page, in order; false ends the reading. */
	onPage(objects: readonly ListedObject[]): Promise<boolean>;
}

interface Page {
	number: number;
	objects: readonly ListedObject[];
	total: number | undefined;
	pages: number | undefined;
}

/** Ends the reading: a page can't be read, or no more are wanted. */
class Ended extends Error {
	constructor(readonly failure?: Outcome) {
		super();
	}
}

/** How often a list that has shifted is read again, as long as that brings something new. */
const MOST_PASSES = 3;

/**
 * Gives the objects of a list to `onPage`, a page at a time.
 * @returns how many, what the service counted last, whether all pages were read and not only as many as were asked for,
 * and why a page could not be read
 */
export async function readPages({ most, size, onTotal, onPage, ...fetching }: PagesOptions) {
	const pages = createPageReader(fetching);
	const seen = new Set<unknown>();
	let count = 0;
	/** @returns whether something is new */
	const give = async (objects: readonly ListedObject[] = []): Promise<boolean> => {
		const found = objects.filter(({ id, slug }) => {
			const own = id ?? slug;
			const known = seen.size;
			return own === undefined || seen.add(own).size > known;
		});
		count += found.length;
		if (!(await onPage(found))) throw new Ended();
		return found.length > 0;
	};
	try {
		const first = (await pages.read(1)) as Page;
		onTotal?.(first.total);
		const isCounted = first.pages !== undefined;
		const full = isCounted ? size : Math.max(1, first.objects.length);
		let last = first.pages ?? (first.objects.length === 0 ? 1 : Number.POSITIVE_INFINITY);

		// The last page is looked at before all others, and shows at the end by how much objects have moved.
		const lookAt = isCounted ? Math.min(last, most) : 1;
		const look = lookAt > 1 ? ((await pages.read(lookAt))?.objects ?? []) : [];
		const isLookedAt = look.length > 0;
		if (!isLookedAt) await give(first.objects);
		let before = first;
		/** By how many places objects have moved, and by how many of them the counts of two pages differ. */
		let moved = look.length;
		let accounted = 0;
		const hasMore = isLookedAt || last > 1 || first.objects.length >= full;
		const until = (): number => (hasMore ? Math.min(most, Math.max(last, before.number + 1)) : 0);
		for await (const page of pages.ahead(isLookedAt ? 1 : 2, until)) {
			if (isLookedAt && page.number === lookAt) {
				const place = look.findIndex((each) => each.id === page.objects[0]?.id);
				moved = place === -1 ? look.length : place;
			}
			const isShifted = page.number > 1 && page.total !== before.total;
			if (isShifted) accounted += Math.max(0, (before.total ?? 0) - (page.total ?? 0));
			const isNew = await give(isShifted ? await pages.readAgain(before, page) : page.objects);
			if (isCounted) last = Math.max(last, page.pages ?? 0);
			before = page;
			// The count of pages may be wrong: only a page that is not full, or brings nothing new, is the last.
			const isFull = isCounted && page.number < last ? page.objects.length > 0 : page.objects.length >= full && isNew;
			if (!isFull || page.number >= most) break;
		}
		let isDoubtful = before.number > 1 && (!isLookedAt || moved !== accounted);
		for (let pass = 0; isDoubtful && pass < MOST_PASSES; pass++) {
			isDoubtful = false;
			for (let number = 1; number <= before.number; number++) {
				if (await give((await pages.read(number))?.objects)) isDoubtful = true;
			}
		}
		return { count, total: before.total, whole: before.number < most || last <= most };
	} catch (error) {
		if (error instanceof Ended) return { count, whole: false, failure: error.failure };
		throw error;
	} finally {
		pages.close();
	}
}

function createPageReader({ fetch, concurrency }: Pick<PagesOptions, 'fetch' | 'concurrency'>) {
	const closed = new AbortController();
	setMaxListeners(0, closed.signal);

	/** @returns undefined behind the last page @throws Ended */
	async function read(number: number, arrived = async (): Promise<void> => undefined): Promise<Page | undefined> {
		const { result, headers } = await fetch({ page: number, arrived, stop: closed.signal });
		if (number > 1 && result.status === 400 && result.code === 'rest_post_invalid_page_number') return undefined;
		if (result.outcome !== 'ok' || !Array.isArray(result.body)) throw new Ended(result);
		const [total, pages] = ['x-wp-total', 'x-wp-totalpages'].map((name) => {
			const text = headerOf(headers, name) ?? '';
			return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
		});
		return { number, objects: result.body.filter(isObject), total, pages };
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

	/** Two neighbouring pages once more, and those before them as far as objects have moved; in the order of their ids. */
	async function readAgain(before: Page, page: Page): Promise<ListedObject[]> {
		const edge = Number(before.objects.at(-1)?.id);
		const objects = [...page.objects];
		for (let number = before.number; number > 0; number--) {
			const again = await read(number);
			objects.push(...(again?.objects ?? []));
			if (again !== undefined && !(Number(again.objects[0]?.id) > edge)) break;
		}
		objects.push(...((await read(page.number))?.objects ?? []));
		return objects.sort((left, right) => Number(left.id) - Number(right.id) || 0);
	}

	return { read, ahead, readAgain, close: () => closed.abort() };
}
