/** Reads the objects of many writes by the hundred: `GET /tickets?include=1,2,…`. What lists leave out is read alone. */

import type { Dialect } from '../../api/dialect.js';
import { type Read, readOfWrite, readRequest } from '../../api/reads.js';
import { createPlanner, type Request } from '../../api/request.js';
import { isBareNotFound, isListMissing, NO_ROUTE } from '../../http/judge.js';
import type { Outcome } from '../../http/outcome.js';
import { objectsIn } from './pages.js';

/** What names an object that is read: the write's endpoint and path IDs. */
export type Write = Pick<Request, 'endpoint' | 'ids'>;

interface Group {
	list: Request;
	read: Read;
	writes: Write[];
}

/** Where a 404 may be about the object or about the route, the list says which: its path does not name the object. */
export async function readAlone(
	write: Write,
	dialect: Dialect,
	send: (request: Request) => Promise<Outcome>,
): Promise<Outcome> {
	const outcome = await send(readRequest(write, dialect));
	const list = readOfWrite(write.endpoint)?.list;
	if (list === undefined || !isBareNotFound(outcome)) return outcome;
	const listed = await send(createPlanner(list, dialect)({ ids: write.ids }));
	return isListMissing(listed) ? { ...outcome, code: NO_ROUTE, gone: undefined } : outcome;
}

export class BatchReader {
	/** Lists that are not served, or ignore `include`. */
	readonly #unusable = new Set<string>();

	/** @param send never rejects */
	constructor(
		private readonly dialect: Dialect,
		private readonly send: (request: Request) => Promise<Outcome>,
	) {}

	readAlone(write: Write): Promise<Outcome> {
		return readAlone(write, this.dialect, this.send);
	}

	/** What the lists show. @param writes at most PAGE_SIZE */
	async readLists(writes: readonly Write[]): Promise<Map<Write, Outcome>> {
		const outcomes = new Map<Write, Outcome>();
		for (const { list, read, writes: wanted } of this.#groupsOf(writes)) {
			if (wanted.length === 1 || this.#unusable.has(list.path)) continue;
			const ids = [...new Set(wanted.map((write) => String(write.ids.id)))];
			const found = await this.#readList(list, read, ids);
			for (const write of wanted) {
				const outcome = found.get(String(write.ids.id));
				if (outcome !== undefined) outcomes.set(write, outcome);
			}
		}
		return outcomes;
	}

	/** Replies per ticket, terms per taxonomy. */
	#groupsOf(writes: readonly Write[]): Iterable<Group> {
		const groups = new Map<string, Group>();
		for (const write of writes) {
			const read = readOfWrite(write.endpoint);
			if (read === undefined || write.ids.id === undefined) continue;
			const list = createPlanner(read.list, this.dialect)({ ids: write.ids });
			const group = groups.get(list.path);
			if (group === undefined) groups.set(list.path, { list, read, writes: [write] });
			else group.writes.push(write);
		}
		return groups.values();
	}

	async #readList(list: Request, read: Read, ids: readonly string[]): Promise<Map<string, Outcome>> {
		const found = new Map<string, Outcome>();
		const outcome = await this.send(narrowed(list, read, ids));
		// One odd response says nothing about the next list.
		if (isListMissing(outcome) || outcome.refused === true) this.#unusable.add(list.path);
		const asked = new Set(ids);
		const twice = new Set<string>();
		for (const body of objectsIn(outcome) ?? []) {
			const id = String(body.id);
			if (found.has(id)) twice.add(id);
			if (asked.has(id)) found.set(id, { ...outcome, body });
			else this.#unusable.add(list.path);
		}
		// Two answers about one object are none: it is read alone.
		for (const id of twice) found.delete(id);
		return found;
	}
}

function narrowed(list: Request, { query }: Read, ids: readonly string[]): Request {
	const parameters = new URLSearchParams({
		...query,
		include: ids.join(','),
		per_page: String(ids.length),
		orderby: 'include',
	});
	return { ...list, path: `${list.path}?${parameters}` };
}

/** The object of a write as its list shows it, which may be more than it shows alone. */
export function listOfOne({ endpoint, ids }: Write, dialect: Dialect): Request | undefined {
	const read = readOfWrite(endpoint);
	if (read === undefined || ids.id === undefined) return undefined;
	return narrowed(createPlanner(read.list, dialect)({ ids }), read, [ids.id]);
}

/** In the items' order. @param work never rejects */
export async function* inOrder<T, R>(
	items: Iterable<T>,
	concurrency: number,
	work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
	const underWay: Promise<R>[] = [];
	try {
		for (const item of items) {
			const started = work(item);
			// Thrown when its turn comes.
			started.catch(() => undefined);
			underWay.push(started);
			if (underWay.length >= concurrency) yield await (underWay.shift() as Promise<R>);
		}
		while (underWay.length > 0) yield await (underWay.shift() as Promise<R>);
	} finally {
		await Promise.allSettled(underWay);
	}
}
