/** What an object contains, as far as a read shows it. */

import { compareField, customFieldText, rawValue, readCustomFields, writtenName } from '../../api/applied.js';
import type { Endpoint } from '../../api/endpoints.js';
import { isObject } from '../../api/values.js';
import type { TermIndex } from '../lists/directory.js';

export interface Held {
	has(field: string): boolean;
	/** Undefined if it isn't shown. */
	get(field: string): unknown;
	readonly names: readonly string[];
	writtenAs(field: string): string;
	readonly modified: string | undefined;
	readonly status: string | undefined;
}

/** Undefined for an unknown shape. */
export function heldOf(
	endpoint: Pick<Endpoint, 'body'> & Partial<Pick<Endpoint, 'fields'>>,
	body: unknown,
	terms?: TermIndex,
): Held | undefined {
	return endpoint.body === 'custom_fields' ? heldFields(body) : heldObject(endpoint, body, terms);
}

function heldObject(
	{ fields = [] }: Partial<Pick<Endpoint, 'fields'>>,
	body: unknown,
	terms: TermIndex | undefined,
): Held | undefined {
	if (!isObject(body) || Object.keys(body).length === 0) return undefined;
	const get = (field: string): unknown => {
		if (!Object.hasOwn(body, field)) return undefined;
		const value = rawValue(body[field]);
		const kind = fields.find((each) => each.name === field)?.kind;
		return kind === 'term' || kind === 'terms' ? asIds(field, value, terms) : value;
	};
	const text = (field: string): string | undefined => {
		const value = get(field);
		return typeof value === 'string' ? value : undefined;
	};
	return {
		get,
		has: (field) => get(field) !== undefined,
		names: Object.keys(body),
		writtenAs: (field) => field,
		modified: text('modified_gmt'),
		status: text('status'),
	};
}

/** Shown as `severity`, written as `xx_severity`. */
function heldFields(body: unknown): Held | undefined {
	const fields = readCustomFields(body);
	if (fields === undefined) return undefined;
	const shownNames = new Map(Object.keys(fields).map((name) => [writtenName(body, name), name]));
	const shownAs = (name: string): string => {
		return Object.hasOwn(fields, name) ? name : (shownNames.get(name) ?? name);
	};
	const get = (name: string): unknown => fields[shownAs(name)];
	return {
		get,
		has: (name) => get(name) !== undefined,
		names: Object.keys(fields),
		writtenAs: (name) => (Object.hasOwn(fields, name) ? writtenName(body, name) : name),
		modified: undefined,
		status: undefined,
	};
}

/** Only IDs are safe to write: slugs can be damaged or look like IDs. */
function asIds(taxonomy: string, value: unknown, terms: TermIndex | undefined): unknown {
	if (Array.isArray(value)) return value.map((each) => asIds(taxonomy, each, terms));
	return typeof value === 'string' ? (terms?.ofSlug(taxonomy, value) ?? value) : value;
}

/** As far as services normalize it. */
export function same(endpoint: Endpoint, name: string, value: unknown, held: Held): boolean {
	return held.has(name) && compareField(endpoint, name, value, held.get(name)) === 'same';
}

/** White space counts. */
export function isUnchanged(endpoint: Endpoint, name: string, value: unknown, held: Held): boolean {
	const now = held.get(name);
	if (endpoint.body === 'custom_fields') {
		// Written back, its type counts.
		return held.has(name) && (typeof value === 'string' ? customFieldText(now) === value : now === value);
	}
	const areTexts = typeof value === 'string' && typeof now === 'string';
	return areTexts ? value === now : same(endpoint, name, value, held);
}

/** "" means that the field is empty. */
export function holds(endpoint: Endpoint, held: Held, field: string, value: string): boolean {
	const now = held.get(field);
	if (value === '') return isNothing(now);
	if (Array.isArray(now)) {
		const wanted = value.split(',').map((item) => item.trim());
		return wanted.length === now.length && wanted.every((item) => now.map(String).includes(item));
	}
	return (value === '0' || !isNothing(now)) && same(endpoint, field, value, held);
}

export function isNothing(value: unknown): boolean {
	const isEmptyList = Array.isArray(value) && value.length === 0;
	return value === undefined || value === null || value === '' || value === 0 || value === '0' || isEmptyList;
}
