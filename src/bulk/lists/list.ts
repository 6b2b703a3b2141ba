/** One list: its pages, and what is left out of them here. */

import type { Dialect } from '../../api/dialect.js';
import { counted } from '../../api/names.js';
import { listRequest, PAGE_SIZE, type Read } from '../../api/reads.js';
import type { Request } from '../../api/request.js';
import type { Outcome } from '../../http/outcome.js';
import type { SendOptions } from '../../http/send.js';
import { formatCount } from '../../text.js';
import type { Ids } from '../plan.js';
import { type FetchPage, type ListedObject, objectsIn, readPages } from './pages.js';
import type { ListQuery } from './query.js';

export type SendRead = (request: Request, options?: Pick<SendOptions, 'stop' | 'onResponse'>) => Promise<Outcome>;

/** Sends reads without `context=edit` once the account may not read raw values. */
export function rawIfAllowed(send: SendRead, onRefused: () => void): SendRead {
	let isRaw = true;
	return async (request, options) => {
		const path = request.path.replace(/(?<=[?&])context=edit(?:&|$)/, '').replace(/[?&]$/, '');
		const rendered = { ...request, path };
		const outcome = await send(isRaw ? request : rendered, options);
		if (outcome.code !== 'rest_forbidden_context' && outcome.reasons?.context === undefined) return outcome;
		if (isRaw) onRefused();
		isRaw = false;
		return await send(rendered, options);
	};
}

export interface ListPlan {
	read: Read;
	dialect: Dialect;
	sendRead: SendRead;
	concurrency: number;
	query: ListQuery;
	/** Undefined for all. */
	fields: readonly string[] | undefined;
	countsOnly: boolean;
}

/** @param most so many objects @param onObjects new ones, in order; false ends the list */
export async function readList(
	list: ListPlan,
	owners: Ids,
	most: number,
	onObjects: (objects: readonly ListedObject[], total: number | undefined) => Promise<boolean>,
) {
	const { read, concurrency } = list;
	const { conditions, byId } = list.query;
	// What is left out here needs more objects than are wanted.
	const isFiltered = conditions.length > 0;
	const countsOnly = list.countsOnly && !isFiltered;
	const size = isFiltered || list.countsOnly ? PAGE_SIZE : Math.min(PAGE_SIZE, most);
	const pages = isFiltered ? Number.POSITIVE_INFINITY : Math.ceil(most / size);
	let given = 0;
	const unshown = new Map<string, number>();
	const isWanted = (object: ListedObject): boolean =>
		conditions.every(({ field, holds }) => {
			const held = holds(object[field]);
			if (held === undefined) unshown.set(field, (unshown.get(field) ?? 0) + 1);
			return held === true;
		});
	const { count, total, isRepeated, failure } = await readPages({
		rowsIn: objectsIn,
		fetch: createFetch(list, owners, size),
		concurrency,
		size,
		most: read.orders.length > 0 ? pages : 1,
		byId,
		isWatched: true,
		countsOnly,
		async onPage(objects, total) {
			const found = objects.filter(isWanted);
			const wanted = found.slice(0, most - given);
			given += wanted.length;
			return (await onObjects(wanted, total)) && given < most;
		},
	});
	const warnings = [...unshown].map(
		([field, times]) => `${counted(times, read.list.noun)} left out: the ${field} can't be read`,
	);
	if (total !== undefined && total !== count && !isFiltered && given < most) {
		const listed = `${counted(count, read.list.noun)} ${count === 1 ? 'was' : 'were'} listed`;
		warnings.push(`${listed}, but the service counts ${formatCount(total)} (X-WP-Total)`);
	}
	if (total === undefined && isRepeated) {
		warnings.push(`the service repeats a page after ${counted(count, read.list.noun)}, so there may be more`);
	}
	return { count: countsOnly ? Math.min(most, count) : given, warnings, failure };
}

function createFetch({ read, dialect, sendRead, query, fields }: ListPlan, owners: Ids, size: number): FetchPage {
	const all = { ...query.parameters };
	if (read.orders.length > 0) all.per_page = String(size);
	if (fields !== undefined) {
		const more = [...query.conditions, ...query.doubts.filter(({ isOneOf }) => isOneOf)];
		all._fields = [...new Set([...fields, ...more.map(({ field }) => field)])].map(dialect.toOwn).join(',');
	}

	return (page, stop, arrived) => {
		const asked = page === 1 ? all : { ...all, page: String(page) };
		return sendRead(listRequest(read, owners, asked, dialect), {
			stop,
			onResponse: ({ status }) => (status === 200 ? arrived?.() : undefined),
		});
	};
}
