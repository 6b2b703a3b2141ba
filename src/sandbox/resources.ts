/** What all kinds of objects do alike: lists, reads, updates and deletes. A kind says how it differs. */

import type { Dialect } from '../api/dialect.js';
import { type Argument, type Arguments, integer, integers, text, texts } from './arguments.js';
import { ok, type SandboxResponse, ServiceError } from './responses.js';
import type { Store, User } from './samples.js';

export interface Service {
	readonly store: Store;
	readonly dialect: Dialect;
	readonly isLenient: boolean;
	now(): string;
}

export interface Call {
	readonly caller: User;
	/** Checked arguments by neutral name. */
	readonly values: Readonly<Record<string, unknown>>;
}

export type Handler = (call: Call) => SandboxResponse;

export type Shape = Record<string, unknown>;

export interface Filter<T> {
	readonly argument: Argument;
	test(row: T, value: never): boolean;
}

export interface Kind<T> {
	readonly table: Map<number, T>;
	missing(): ServiceError;
	shape(row: T): Shape;
	/** Stores one field. @throws ServiceError; the fields before it stay stored */
	save(row: T, name: string, value: unknown): void;
	trash?(row: T): void;
	detach?(row: T, values: Call['values']): void;
	rows?(call: Call): readonly T[];
	readonly filters: Readonly<Record<string, Filter<T>>>;
	searched(row: T): string;
}

/** 0 finds all. */
export function anyOf<T>(of: (row: T) => number): Filter<T> {
	return { argument: integers, test: (row, wanted: number[]) => wanted.includes(0) || wanted.includes(of(row)) };
}

export interface Resource extends Readonly<Record<'list' | 'get' | 'update' | 'delete', Handler>> {
	readonly takes: Arguments;
}

interface Paging extends Shape {
	page?: number;
	per_page?: number;
	order?: string;
	orderby?: string;
}

export function createResource<T extends { id: number; slug: string }>(kind: Kind<T>): Resource {
	const filters: Readonly<Record<string, Filter<T>>> = {
		include: { argument: integers, test: (row, ids: number[]) => ids.includes(row.id) },
		slug: { argument: texts, test: (row, slugs: string[]) => slugs.includes(row.slug) },
		search: {
			argument: text,
			test: (row, words: string) => kind.searched(row).toLowerCase().includes(words.toLowerCase()),
		},
		...kind.filters,
	};

	function find({ values }: Call): T {
		const row = kind.table.get(values.id as number);
		if (row === undefined) throw kind.missing();
		return row;
	}

	/** Rows whose keys are equal, or that have none, are ordered by ID. */
	function findRows(rows: readonly T[], values: Paging): T[] {
		const tests = Object.entries(filters).filter(([name]) => values[name] !== undefined);
		const found = rows.filter((row) => tests.every(([name, { test }]) => test(row, values[name] as never)));
		const keyOf = (row: T) => (row as Shape)[values.orderby ?? 'id'] as number;
		found.sort((left, right) => {
			const [first, second] = [keyOf(left), keyOf(right)];
			if (first === second) return left.id - right.id;
			return first < second ? -1 : 1;
		});
		return values.order === 'desc' ? found.reverse() : found;
	}

	return {
		takes: {
			page: integer,
			per_page: integer,
			order: text,
			orderby: text,
			...Object.fromEntries(Object.entries(filters).map(([name, { argument }]) => [name, argument])),
		},

		list(call) {
			const { page = 1, per_page: size = 10 }: Paging = call.values;
			const found = findRows(kind.rows?.(call) ?? [...kind.table.values()], call.values);
			const pages = Math.ceil(found.length / size);
			if (page > pages && page > 1) {
				const message = 'The page number requested is larger than the number of pages available.';
				throw new ServiceError(400, 'rest_post_invalid_page_number', message);
			}
			const rows = found.slice((page - 1) * size, page * size);
			const headers = { 'X-WP-Total': String(found.length), 'X-WP-TotalPages': String(pages) };
			return ok(rows.map(kind.shape), headers);
		},

		get: (call) => ok(kind.shape(find(call))),

		update(call) {
			const row = find(call);
			for (const [name, value] of Object.entries(call.values)) {
				if (name !== 'id') kind.save(row, name, value);
			}
			return ok(kind.shape(row));
		},

		delete(call) {
			const row = find(call);
			if (call.values.force === true) {
				const previous = kind.shape(row);
				kind.detach?.(row, call.values);
				kind.table.delete(row.id);
				return ok({ deleted: true, previous });
			}
			if (kind.trash === undefined) {
				const message = "This does not support trashing. Set 'force=true' to delete.";
				throw new ServiceError(501, 'rest_trash_not_supported', message);
			}
			kind.trash(row);
			return ok(kind.shape(row));
		},
	};
}
