/** What all kinds of objects do alike: lists, reads, updates and deletes. A kind says how it differs. */

import type { Dialect } from '../api/dialect.js';
import { type Argument, type Arguments, integer, integers, oneOf, text, texts } from './arguments.js';
import { badRequest, ok, type SandboxResponse, ServiceError } from './responses.js';
import type { UserRecord } from './samples.js';
import type { Store, Table } from './store.js';

/** What every resource works with. */
export interface Service {
	readonly store: Store;
	readonly dialect: Dialect;
	/** Whether it accepts what live services refuse. */
	readonly isLenient: boolean;
	/** Now, as the interface writes dates. */
	now(): string;
	/** Waits a moment between reading and writing a stored value. */
	pause(): Promise<void>;
}

/** One request as the resources see it. */
export interface Call {
	readonly caller: UserRecord;
	/** The path below `/support-api/v1`. */
	readonly path: string;
	/** Checked arguments by neutral name. */
	readonly values: Readonly<Record<string, unknown>>;
	readonly query: URLSearchParams;
	/** Whether raw values are shown: for writes, and under `context=edit`. */
	readonly edit: boolean;
	/** `http://127.0.0.1:port` */
	readonly origin: string;
	/** The address of a path below `/support-api/v1`, in the form that the caller uses. */
	url(path: string): string;
}

export type Handler = (call: Call) => SandboxResponse | Promise<SandboxResponse>;

export type Shape = Record<string, unknown>;

/** A condition of a list: what it takes, and which rows have it. */
export interface Filter<T> {
	readonly argument: Argument;
	test(row: T, value: never): boolean;
}

export interface Kind<T> {
	readonly table: Table<T & { id: number }>;
	/** The error for an id that names nothing. */
	readonly missing: readonly [code: string, message: string];
	/** Rows of the table that are not of this kind are missing. */
	has?(row: T): boolean;
	/** What a response shows, but for links. */
	shape(call: Call, row: T): Shape;
	/** The path of the list that has it. */
	collection(row: T): string;
	/** Refuses or changes what was sent before it is stored. @returns the error to send once the rest is stored */
	change(row: T, sent: Shape, call: Call): ServiceError | undefined;
	/** Moves a row to the trash; a kind without a trash is only deleted with `force`. */
	trash?(row: T): void;
	/** Deletes permanently, or refuses. */
	remove(row: T, call: Call): void;
	/** The rows that a list may show. */
	rows(call: Call): Iterable<T>;
	/** What a list takes for conditions that were not sent. */
	defaults?(call: Call): Shape;
	readonly filters: Readonly<Record<string, Filter<T>>>;
	/** What `search` looks in. */
	searched(row: T): string;
	/** Fields that `orderby` may name; rows that are equal in it are sorted by id. */
	readonly orders: readonly string[];
	readonly defaultOrder: readonly [by: string, direction: 'asc' | 'desc'];
	/** Whether a page past the last is an error; it is empty otherwise. */
	readonly strict: boolean;
	/** Where the next page is said to be, if not at the list's own path. */
	readonly linksTo?: string;
}

/** A filter that takes integers and finds rows that have one of them; 0 finds all. */
export const anyOf = <T>(of: (row: T) => number): Filter<T> => ({
	argument: integers,
	test: (row, wanted: number[]) => wanted.includes(0) || wanted.includes(of(row)),
});

export interface Resource extends Readonly<Record<'list' | 'get' | 'update' | 'delete', Handler>> {
	/** The arguments of the list. */
	readonly takes: Arguments;
}

interface Paging extends Shape {
	page: number;
	per_page: number;
	search?: string;
	order: string;
	orderby: string;
	include?: number[];
}

export function createResource<T extends { id: number; slug: string }>(service: Service, kind: Kind<T>): Resource {
	const { table } = kind;
	const filters: Readonly<Record<string, Filter<T>>> = {
		include: { argument: integers, test: (row, ids: number[]) => ids.length === 0 || ids.includes(row.id) },
		slug: { argument: texts, test: (row, slugs: string[]) => slugs.includes(row.slug) },
		...kind.filters,
	};
	const [orderBy, direction] = kind.defaultOrder;

	function show(call: Call, row: T): Shape {
		const collection = call.url(kind.collection(row));
		const _links = { self: [{ href: `${collection}/${row.id}` }], collection: [{ href: collection }] };
		return { ...kind.shape(call, row), _links };
	}

	function find({ values }: Call): T {
		const row = table.get(values.id as number);
		if (row === undefined || kind.has?.(row) === false) throw new ServiceError(404, ...kind.missing);
		return row;
	}

	function findRows(call: Call, values: Paging): T[] {
		const { search = '', include = [], orderby, order } = values;
		const tests = Object.entries(filters).filter(([name]) => values[name] !== undefined);
		const found = [...kind.rows(call)].filter(
			(row) =>
				tests.every(([name, { test }]) => test(row, values[name] as never)) &&
				kind.searched(row).toLowerCase().includes(search.toLowerCase()),
		);
		const keyOf = (row: T) => (orderby === 'include' ? include.indexOf(row.id) : (row as Shape)[orderby]) as number;
		const sign = order === 'asc' ? 1 : -1;
		return found.sort((left, right) => {
			const [first, second] = [keyOf(left), keyOf(right)];
			return sign * (first < second ? -1 : first > second ? 1 : left.id - right.id);
		});
	}

	// A caller that reads page after page asks for the same list many times.
	let last: { key: string; found: T[] } | undefined;

	return {
		takes: {
			page: { ...integer, minimum: 1, default: 1 },
			per_page: { ...integer, minimum: 1, maximum: 100, default: 10 },
			search: text,
			order: { ...oneOf('asc', 'desc'), default: direction },
			orderby: { ...oneOf('id', 'include', ...kind.orders), default: orderBy },
			...Object.fromEntries(Object.entries(filters).map(([name, { argument }]) => [name, argument])),
		},

		list(call) {
			const values = { ...kind.defaults?.(call), ...call.values } as Paging;
			const { page, per_page: size, _fields, context, ...conditions } = values;
			const key = JSON.stringify([call.path, service.store.changes(), conditions]);
			if (last?.key !== key) last = { key, found: findRows(call, values) };
			const { found } = last;
			const pages = Math.ceil(found.length / size);
			if (kind.strict && page > pages && page > 1) {
				const message = 'The page number requested is larger than the number of pages available.';
				throw badRequest('rest_post_invalid_page_number', message);
			}
			const link = (to: number, relation: string): string => {
				const query = new URLSearchParams(call.query);
				query.set('page', String(to));
				const url = kind.linksTo === undefined ? call.url(call.path) : call.origin + kind.linksTo;
				return `<${url}${url.includes('?') ? '&' : '?'}${query}>; rel="${relation}"`;
			};
			const links = [
				...(page > 1 ? [link(Math.min(page - 1, Math.max(pages, 1)), 'prev')] : []),
				...(page < pages ? [link(page + 1, 'next')] : []),
			];
			return ok(
				found.slice((page - 1) * size, page * size).map((row) => show(call, row)),
				{
					'X-WP-Total': String(found.length),
					'X-WP-TotalPages': String(pages),
					...(links.length > 0 ? { Link: links.join(', ') } : {}),
				},
			);
		},

		get: (call) => ok(show(call, find(call))),

		update(call) {
			const row = find(call);
			const { id: _, ...sent } = call.values;
			const failure = kind.change(row, sent, call);
			table.put(Object.assign(row, sent));
			if (failure !== undefined) throw failure;
			return ok(show(call, row));
		},

		delete(call) {
			const row = find(call);
			if (call.values.force === true) {
				const previous = show(call, row);
				kind.remove(row, call);
				return ok({ deleted: true, previous });
			}
			if (kind.trash === undefined) {
				const message = "This does not support trashing. Set 'force=true' to delete.";
				throw new ServiceError(501, 'rest_trash_not_supported', message);
			}
			kind.trash(row);
			table.put(row);
			return ok(show(call, row));
		},
	};
}
