/** What all kinds of objects do alike: lists, reads, updates and deletes. A kind says how it differs. */

import type { Dialect } from '../api/dialect.js';
import { type Argument, type Arguments, between, integers, oneOf, text, texts } from './arguments.js';
import { badRequest, ok, type SandboxResponse, ServiceError } from './responses.js';
import type { UserRecord } from './samples.js';
import type { Store } from './store.js';

export interface Service {
	readonly store: Store;
	readonly dialect: Dialect;
	readonly isLenient: boolean;
	now(): string;
	pause(): Promise<void>;
}

export interface Call {
	readonly caller: UserRecord;
	/** The path below `/support-api/v1`. */
	readonly path: string;
	/** Checked arguments by neutral name. */
	readonly values: Readonly<Record<string, unknown>>;
	readonly query: URLSearchParams;
	/** For writes, and under `context=edit`. */
	readonly edit: boolean;
	/** `http://127.0.0.1:port` */
	readonly origin: string;
	/** In the form that the caller uses. */
	url(path: string): string;
}

export type Handler = (call: Call) => SandboxResponse | Promise<SandboxResponse>;

export type Shape = Record<string, unknown>;

export interface Filter<T> {
	readonly argument: Argument;
	test(row: T, value: never): boolean;
}

export interface Kind<T> {
	readonly table: Map<number, T>;
	/** The error for an ID that doesn't exist. */
	readonly missing: readonly [code: string, message: string];
	has?(row: T): boolean;
	shape(call: Call, row: T): Shape;
	collection(row: T): string;
	/** Changes what was sent, or refuses it. @returns the error to send once the rest is stored */
	change(row: T, sent: Shape, call: Call): ServiceError | undefined;
	trash?(row: T): void;
	remove(row: T, call: Call): void;
	rows(call: Call): Iterable<T>;
	/** Conditions of a list that doesn't send them. */
	defaults?(call: Call): Shape;
	readonly filters: Readonly<Record<string, Filter<T>>>;
	searched(row: T): string;
	/** Fields that `orderby` accepts; equal rows are sorted by ID. */
	readonly orders: readonly string[];
	readonly defaultOrder: readonly [by: string, direction: 'asc' | 'desc'];
	/** Whether a page past the last is an error; it is empty otherwise. */
	readonly strict: boolean;
	/** Where the link to the next page leads, if not to the list itself. */
	readonly linksTo?: string;
}

/** 0 finds all. */
export const anyOf = <T>(of: (row: T) => number): Filter<T> => ({
	argument: integers,
	test: (row, wanted: number[]) => wanted.includes(0) || wanted.includes(of(row)),
});

export interface Resource extends Readonly<Record<'list' | 'get' | 'update' | 'delete', Handler>> {
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

export function createResource<T extends { id: number; slug: string }>(kind: Kind<T>): Resource {
	const filters: Readonly<Record<string, Filter<T>>> = {
		include: { argument: integers, test: (row, ids: number[]) => ids.length === 0 || ids.includes(row.id) },
		slug: { argument: texts, test: (row, slugs: string[]) => slugs.includes(row.slug) },
		search: {
			argument: text,
			test: (row, words: string) => kind.searched(row).toLowerCase().includes(words.toLowerCase()),
		},
		...kind.filters,
	};
	const [orderBy, direction] = kind.defaultOrder;

	function show(call: Call, row: T): Shape {
		const collection = call.url(kind.collection(row));
		const _links = { self: [{ href: `${collection}/${row.id}` }], collection: [{ href: collection }] };
		return { ...kind.shape(call, row), _links };
	}

	function find({ values }: Call): T {
		const row = kind.table.get(values.id as number);
		if (row === undefined || kind.has?.(row) === false) throw new ServiceError(404, ...kind.missing);
		return row;
	}

	function findRows(call: Call, values: Paging): T[] {
		const { include = [], orderby, order } = values;
		const tests = Object.entries(filters).filter(([name]) => values[name] !== undefined);
		const found = [...kind.rows(call)].filter((row) =>
			tests.every(([name, { test }]) => test(row, values[name] as never)),
		);
		const keyOf = (row: T) => (orderby === 'include' ? include.indexOf(row.id) : (row as Shape)[orderby]) as number;
		const sign = order === 'asc' ? 1 : -1;
		return found.sort((left, right) => {
			const [first, second] = [keyOf(left), keyOf(right)];
			if (first === second) return sign * (left.id - right.id);
			return first < second ? -sign : sign;
		});
	}

	return {
		takes: {
			page: { ...between(1, Number.MAX_SAFE_INTEGER), default: 1 },
			per_page: { ...between(1, 100), default: 10 },
			order: { ...oneOf('asc', 'desc'), default: direction },
			orderby: { ...oneOf('id', 'include', ...kind.orders), default: orderBy },
			...Object.fromEntries(Object.entries(filters).map(([name, { argument }]) => [name, argument])),
		},

		list(call) {
			const values = { ...kind.defaults?.(call), ...call.values } as Paging;
			const { page, per_page: size } = values;
			const found = findRows(call, values);
			const pages = Math.ceil(found.length / size);
			if (kind.strict && page > pages && page > 1) {
				const message = 'The page number requested is larger than the number of pages available.';
				throw badRequest('rest_post_invalid_page_number', message);
			}
			const headers: Record<string, string> = {
				'X-WP-Total': String(found.length),
				'X-WP-TotalPages': String(pages),
			};
			if (page < pages) {
				const query = new URLSearchParams(call.query);
				query.set('page', String(page + 1));
				const url = kind.linksTo === undefined ? call.url(call.path) : call.origin + kind.linksTo;
				headers.Link = `<${url}${url.includes('?') ? '&' : '?'}${query}>; rel="next"`;
			}
			const rows = found.slice((page - 1) * size, page * size);
			return ok(
				rows.map((row) => show(call, row)),
				headers,
			);
		},

		get: (call) => ok(show(call, find(call))),

		update(call) {
			const row = find(call);
			const { id: _, ...sent } = call.values;
			const failure = kind.change(row, sent, call);
			Object.assign(row, sent);
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
			return ok(show(call, row));
		},
	};
}
