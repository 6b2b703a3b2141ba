/** Lists: filters, order and pages, and the headers with totals and links (service notes, "Reading"). */

import { type Argument, type Arguments, integer, integers, oneOf, text } from './arguments.js';
import type { Call, Handler, Service } from './call.js';
import { badRequest, ok } from './responses.js';

/** A condition of a list: what it takes, and which rows have it. */
export interface Filter<T> {
	readonly argument: Argument;
	test(row: T, value: never): boolean;
}

type Key = string | number;

export interface ListRules<T> {
	rows(call: Call): Iterable<T>;
	readonly filters: Readonly<Record<string, Filter<T>>>;
	/** What `search` looks in. */
	searched(row: T): string;
	/** By name, what `orderby` sorts by; rows that are equal in it are sorted by id. */
	readonly orders: Readonly<Record<string, (row: T) => Key>>;
	readonly defaultOrder: readonly [by: string, direction: 'asc' | 'desc'];
	/** Whether a page past the last is an error; it is empty otherwise. */
	readonly strict: boolean;
	/** Where the next page is said to be, if not at the list's own path. */
	readonly linksTo?: string;
	shape(call: Call, row: T): unknown;
}

/** A filter that takes integers and finds rows that have one of them; 0 finds all. */
export const anyOf = <T>(of: (row: T) => readonly number[]): Filter<T> => ({
	argument: integers,
	test: (row, wanted: number[]) => wanted.includes(0) || of(row).some((id) => wanted.includes(id)),
});

const common = <T extends { id: number; slug?: string }>(): Record<string, Filter<T>> => ({
	include: { argument: integers, test: (row, ids: number[]) => ids.length === 0 || ids.includes(row.id) },
	exclude: { argument: integers, test: (row, ids: number[]) => !ids.includes(row.id) },
	slug: { argument: text, test: (row, slugs: string) => slugs.split(',').includes(row.slug ?? '') },
});

const bounds = { minimum: 1 } as const;

/** The arguments of a list, for the check and for the list of routes. */
export function listArguments<T extends { id: number }>(rules: ListRules<T>): Arguments {
	const [by, direction] = rules.defaultOrder;
	return {
		page: { ...integer, ...bounds, default: 1 },
		per_page: { ...integer, ...bounds, maximum: 100, default: 10 },
		search: text,
		order: { ...oneOf('asc', 'desc'), default: direction },
		orderby: { ...oneOf('id', 'include', ...Object.keys(rules.orders)), default: by },
		...Object.fromEntries(
			Object.entries({ ...common<T>(), ...rules.filters }).map(([name, { argument }]) => [name, argument]),
		),
	};
}

function compare(left: Key, right: Key): number {
	return left < right ? -1 : left > right ? 1 : 0;
}

function findRows<T extends { id: number }>(rules: ListRules<T>, call: Call): T[] {
	const { values } = call;
	const search = String(values.search ?? '').toLowerCase();
	const filters = Object.entries({ ...common<T>(), ...rules.filters }).filter(([name]) => values[name] !== undefined);
	const found: T[] = [];
	for (const row of rules.rows(call)) {
		if (!filters.every(([name, { test }]) => test(row, values[name] as never))) continue;
		if (search === '' || rules.searched(row).toLowerCase().includes(search)) found.push(row);
	}
	const include = (values.include ?? []) as number[];
	const orders: Record<string, (row: T) => Key> = { include: (row) => include.indexOf(row.id), ...rules.orders };
	const key = orders[values.orderby as string] ?? ((row: T) => row.id);
	const sign = values.order === 'asc' ? 1 : -1;
	return found.sort((left, right) => sign * (compare(key(left), key(right)) || left.id - right.id));
}

/** Makes the handler of a list. */
export function createList<T extends { id: number }>(service: Service, rules: ListRules<T>): Handler {
	// A caller that reads page after page asks for the same list many times.
	let last: { key: string; found: T[] } | undefined;

	return (call) => {
		const { page: given, per_page, _fields, context, ...conditions } = call.values;
		const [page, size] = [given as number, per_page as number];
		const key = JSON.stringify([call.path, call.caller?.id, service.store.version, conditions]);
		if (last?.key !== key) last = { key, found: findRows(rules, call) };
		const { found } = last;
		const pages = Math.ceil(found.length / size);
		if (rules.strict && page > pages && page > 1) {
			const message = 'The page number requested is larger than the number of pages available.';
			throw badRequest('rest_post_invalid_page_number', message);
		}
		const link = (to: number, relation: string): string => {
			const query = new URLSearchParams(call.query);
			query.set('page', String(to));
			const url = rules.linksTo === undefined ? call.url(call.path) : call.origin + rules.linksTo;
			return `<${url}${url.includes('?') ? '&' : '?'}${query}>; rel="${relation}"`;
		};
		const links = [
			...(page > 1 ? [link(Math.min(page - 1, Math.max(pages, 1)), 'prev')] : []),
			...(page < pages ? [link(page + 1, 'next')] : []),
		];
		return ok(
			found.slice((page - 1) * size, page * size).map((row) => rules.shape(call, row)),
			{
				'X-WP-Total': String(found.length),
				'X-WP-TotalPages': String(pages),
				...(links.length > 0 ? { Link: links.join(', ') } : {}),
			},
		);
	};
}
