/**
 * Every object of a list that comes in pages, once. Pages have no common moment: while one is read, objects can move to
 * a page before it or behind it. An object that comes twice is given once; that none is lost between two pages is
 * checked by what responses say of the list, and by reading pages again where it may have shifted.
 */

import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { headerOf } from '../../http/content.js';
import type { Result } from '../../http/outcome.js';
import type { ResponseHeaders } from '../../http/types.js';

export type ListedObject = Readonly<Record<string, unknown>>;

/** One request for a page. */
export interface PageCall {
	/** From 1. */
	page: number;
	/** Call it when the response is there, and wait: the next request is sent before this response is parsed. */
	arrived(): Promise<void>;
	/** Aborted when the page is wanted no longer. */
	stop: AbortSignal;
}

export interface PagesOptions {
	fetch(call: PageCall): Promise<{ result: Result; headers: ResponseHeaders }>;
	/** Pages at a time. */
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

/** How the reading ended. */
export interface PagesEnd {
	/** Objects that were given. */
	count: number;
	/** What the service counted last. */
	total?: number | undefined;
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
	isPastEnd: boolean;
}

class PageFailure extends Error {
	constructor(readonly result: Result) {
		super();
	}
}

/** How often a list that has shifted is read again, as long as that brings something new. */
const MOST_PASSES = 3;

/** Gives the objects of a list to `onPage`, a page at a time. */
export async function readPages({ most, size, onTotal, onPage, ...fetching }: PagesOptions): Promise<PagesEnd> {
	const pages = createPageReader(fetching);
	const seen = new SeenIds();
	let count = 0;
	const give = async (objects: readonly ListedObject[]): Promise<{ isNew: boolean; goesOn: boolean }> => {
		const found = objects.filter((each) => seen.add(each.id ?? each.slug));
		count += found.length;
		return { isNew: found.length > 0, goesOn: await onPage(found) };
	};
	try {
		const first = await pages.read(1);
		onTotal?.(first.total);
		const full = first.pages === undefined ? first.objects.length : size;
		let last = first.pages ?? (first.objects.length === 0 ? 1 : Number.POSITIVE_INFINITY);
		const isCounted = Number.isFinite(last);

		// The last page is looked at before all others, and shows at the end by how much objects have moved.
		const lookAt = isCounted ? Math.min(last, most) : 1;
		const look = lookAt > 1 ? await pages.read(lookAt) : undefined;
		const isLookedAt = look !== undefined && look.objects.length > 0;
		let before: Page = first;
		/** By how many places objects have moved, and by how many of them the counts of two pages differ. */
		let moved = look?.objects.length ?? 0;
		let accounted = 0;
		let goesOn = isLookedAt || ((await give(first.objects)).goesOn && (last > 1 || first.objects.length >= full));
		pages.readAhead(isLookedAt ? 1 : 2, () => Math.min(most, Math.max(last, before.number + 1)));
		while (goesOn) {
			const page = await pages.next();
			if (page === undefined || page.isPastEnd) break;
			if (isLookedAt && page.number === look.number) {
				const place = look.objects.findIndex((each) => each.id === page.objects[0]?.id);
				moved = place === -1 ? look.objects.length : place;
			}
			const isShifted = page.number > 1 && page.total !== before.total;
			if (isShifted) accounted += Math.max(0, (before.total ?? 0) - (page.total ?? 0));
			const given = await give(isShifted ? await pages.readAgain(before, page) : page.objects);
			if (!given.goesOn) return { count, whole: false };
			if (isCounted) last = Math.max(last, page.pages ?? 0);
			// The count of pages may be wrong: only a page that is not full, or brings nothing new, is the last.
			const isLast =
				isCounted && page.number < last ? page.objects.length === 0 : page.objects.length < full || !given.isNew;
			before = page;
			goesOn = !isLast && page.number < most;
		}
		let isDoubtful = before.number > 1 && (!isLookedAt || moved !== accounted);
		for (let pass = 0; isDoubtful && pass < MOST_PASSES; pass++) {
			isDoubtful = false;
			for (let number = 1; number <= before.number; number++) {
				const given = await give((await pages.read(number)).objects);
				if (!given.goesOn) return { count, whole: false };
				isDoubtful ||= given.isNew;
			}
		}
		return { count, total: before.total, whole: before.number < most || last <= most };
	} catch (error) {
		if (error instanceof PageFailure) return { count, whole: false, failure: error.result };
		throw error;
	} finally {
		pages.close();
	}
}

/** Reads pages one by one, and in order with some under way and as many again waiting for their turn. */
function createPageReader({ fetch, concurrency }: Pick<PagesOptions, 'fetch' | 'concurrency'>) {
	const closed = new AbortController();
	setMaxListeners(0, closed.signal);
	const queue: Promise<Page>[] = [];
	let underWay = 0;
	let next = 0;
	let limit = (): number => 0;

	/** @throws PageFailure */
	async function read(number: number, arrived = async (): Promise<void> => undefined): Promise<Page> {
		const { result, headers } = await fetch({ page: number, arrived, stop: closed.signal });
		const isPastEnd = number > 1 && result.status === 400 && result.code === 'rest_post_invalid_page_number';
		if (!isPastEnd && (result.outcome !== 'ok' || !Array.isArray(result.body))) throw new PageFailure(result);
		const objects = isPastEnd ? [] : (result.body as unknown[]).filter((each) => typeof each === 'object' && each);
		const [total, pages] = ['x-wp-total', 'x-wp-totalpages'].map((name) => countIn(headers, name));
		return { number, objects: objects as ListedObject[], total, pages, isPastEnd };
	}

	function fill(): void {
		while (!closed.signal.aborted && underWay < concurrency && queue.length < 2 * concurrency && next <= limit()) {
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
				// undici takes a connection again a turn of the event loop after its last response.
				await setImmediate();
			};
			const page = read(next++, arrived).finally(release);
			// It is thrown when its turn comes.
			page.catch(() => undefined);
			queue.push(page);
		}
	}

	return {
		read,
		readAhead(from: number, until: () => number): void {
			next = from;
			limit = until;
		},
		/** The next page; undefined behind the last one. */
		async next(): Promise<Page | undefined> {
			fill();
			const page = await queue.shift();
			fill();
			// Responses that have come meanwhile are taken in first, and requests sent in their place.
			await setImmediate();
			return page;
		},
		/** Two neighbouring pages once more, and those before them as far as objects have moved; in the order of their ids. */
		async readAgain(before: Page, page: Page): Promise<ListedObject[]> {
			const edge = Number(before.objects.at(-1)?.id);
			let objects = [...page.objects];
			for (let number = before.number; number > 0; number--) {
				const again = await read(number);
				objects = [...again.objects, ...objects];
				if (!again.isPastEnd && !(Number(again.objects[0]?.id) > edge)) break;
			}
			objects = [...(await read(page.number)).objects, ...objects];
			return objects.sort((left, right) => Number(left.id) - Number(right.id) || 0);
		},
		close: () => closed.abort(),
	};
}

function countIn(headers: ResponseHeaders, name: string): number | undefined {
	const text = headerOf(headers, name);
	return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Ids in one piece of the bitmap. */
const PIECE = 4096;

/** The ids that were given: exact, in any order, and small. */
export class SeenIds {
	private readonly pieces = new Map<number, Uint32Array>();
	private readonly others = new Set<string>();

	/** Adds an object's id. @returns whether it is new; an object without an id always is */
	add(id: unknown): boolean {
		if (typeof id === 'number' && Number.isSafeInteger(id) && id >= 0) return this.addNumber(id);
		if (typeof id !== 'string' || this.others.has(id)) return typeof id !== 'string';
		this.others.add(id);
		return true;
	}

	private addNumber(id: number): boolean {
		const at = Math.floor(id / PIECE);
		const piece = this.pieces.get(at) ?? new Uint32Array(PIECE / 32);
		this.pieces.set(at, piece);
		const place = id % PIECE;
		const [word, bit] = [place >> 5, 1 << (place & 31)];
		const bits = piece[word] as number;
		piece[word] = bits | bit;
		return (bits & bit) === 0;
	}
}
