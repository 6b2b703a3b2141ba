/** What all kinds of objects do alike: lists, reads, updates and deletes. A kind says how it differs. */

import type { Dialect } from '../api/dialect.js';
import { type Arguments, integer, integers, text, texts } from './arguments.js';
import { slugify } from './generate.js';
import { ok, type SandboxResponse, ServiceError } from './responses.js';
import type { Records, User } from './samples.js';

/** What every resource works with. */
export interface Service {
	readonly store: Records;
	readonly dialect: Dialect;
	/** Whether it accepts what live services refuse. */
	readonly isLenient: boolean;
	/** As the interface writes dates. */
	now(): string;
}

/** One request as the resources see it. */
export interface Call {
	readonly caller: User;
	/** Checked arguments by neutral name. */
	readonly values: Readonly<Record<string, unknown>>;
}

export type Handler = (call: Call) => SandboxResponse;

export type Action = 'read' | 'edit' | 'delete';

export type Shape = Record<string, unknown>;

export interface Kind<T> {
	readonly table: Map<number, T>;
	readonly missing: ServiceError;
	shape(row: T): Shape;
	/** What is stored for a field, if not its value. @throws ServiceError; the fields before it stay stored */
	stored?(name: string, value: unknown, row: T): Shape | undefined;
	/** @throws ServiceError 403 if the caller may not open it, or do this */
	check?(row: T, call: Call, action: Action): void;
	/** Without it, deletes need `force`. */
	trash?(row: T): void;
	detach?(row: T, values: Call['values']): void;
	rows?(call: Call): readonly T[];
	readonly filters?: Arguments;
}

export interface Resource extends Readonly<Record<'list' | 'get' | 'update' | 'delete', Handler>> {
	readonly takes: Arguments;
}

type Row = { id: number; slug: string };

const paging: Arguments = { page: integer, per_page: integer, order: text, orderby: text };

const commonFilters: Arguments = { include: integers, slug: texts, search: text };

/** Made once a list, not once a row: a list can ask for a hundred IDs. */
function filterOf<T extends Row>(kind: Kind<T>, name: string, wanted: unknown): (row: T) => boolean {
	const text = String(wanted);
	if (name === 'search') {
		const sought = text.toLowerCase();
		return (row) =>
			JSON.stringify(Object.values(kind.shape(row)))
				.toLowerCase()
				.includes(sought);
	}
	if (name === 'after') return (row) => String((row as Shape).date) > text;
	if (name === 'before') return (row) => String((row as Shape).date) < text;
	const values = new Set<unknown>([wanted].flat());
	const all = name === 'author' || name === 'assignee' ? 0 : 'any';
	if (values.has(all)) return () => true;
	const field = name === 'include' ? 'id' : name;
	return (row) => [(row as Shape)[field]].flat().some((value) => values.has(value));
}

/** Rows whose keys are equal, or that have none, are ordered by ID. */
function findRows<T extends Row>(kind: Kind<T>, call: Call): T[] {
	const { order, orderby = 'id' } = call.values;
	const names = Object.keys({ ...commonFilters, ...kind.filters }).filter((name) => call.values[name] !== undefined);
	const filters = names.map((name) => filterOf(kind, name, call.values[name]));
	const rows = kind.rows?.(call) ?? [...kind.table.values()];
	const found = rows.filter((row) => filters.every((lets) => lets(row)));
	const keyOf = (row: T) => (row as Shape)[String(orderby)] as number;
	found.sort((left, right) => {
		const [first, second] = [keyOf(left), keyOf(right)];
		if (first === second) return left.id - right.id;
		return first < second ? -1 : 1;
	});
	return order === 'desc' ? found.reverse() : found;
}

function list<T extends Row>(kind: Kind<T>, call: Call): SandboxResponse {
	const { page = 1, per_page: size = 10 } = call.values as { page?: number; per_page?: number };
	const found = findRows(kind, call);
	const pages = Math.ceil(found.length / size);
	if (page > pages && page > 1) {
		const message = 'The page number requested is larger than the number of pages available.';
		throw new ServiceError(400, 'rest_post_invalid_page_number', message);
	}
	const headers = { 'X-WP-Total': String(found.length), 'X-WP-TotalPages': String(pages) };
	return ok(found.slice((page - 1) * size, page * size).map(kind.shape), headers);
}

function find<T>(kind: Kind<T>, call: Call, action: Action): T {
	const row = kind.table.get(call.values.id as number);
	if (row === undefined) throw kind.missing;
	kind.check?.(row, call, action);
	return row;
}

function update<T extends Row>(kind: Kind<T>, call: Call): SandboxResponse {
	const row = find(kind, call, 'edit');
	for (const [name, given] of Object.entries(call.values)) {
		const value = name === 'slug' ? slugify(String(given)) || row.slug : given;
		if (name !== 'id') Object.assign(row, kind.stored?.(name, value, row) ?? { [name]: value });
	}
	return ok(kind.shape(row));
}

function remove<T extends Row>(kind: Kind<T>, call: Call): SandboxResponse {
	const row = find(kind, call, 'delete');
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
}

export function createResource<T extends Row>(kind: Kind<T>): Resource {
	return {
		takes: { ...paging, ...commonFilters, ...kind.filters },
		list: (call) => list(kind, call),
		get: (call) => ok(kind.shape(find(kind, call, 'read'))),
		update: (call) => update(kind, call),
		delete: (call) => remove(kind, call),
	};
}
