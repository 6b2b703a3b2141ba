/** What an object holds, as far as a read shows it. */

import { compareField, customFieldText, rawValue, readCustomFields, writtenName } from '../../api/applied.js';
import type { Endpoint } from '../../api/endpoints.js';
import { isObject } from '../../api/values.js';
import type { TermIndex } from '../lists/directory.js';

export interface Held {
	has(field: string): boolean;
	/** The raw value; undefined if the read doesn't show the field. */
	get(field: string): unknown;
	/** The name under which a field is written. */
	writtenAs(field: string): string;
	/** `modified_gmt`, if the object has one. */
	readonly modified: string | undefined;
	/** The object's status, if it shows one. */
	readonly status: string | undefined;
}

/** What a read's body shows; undefined for an unknown shape. */
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
		writtenAs: (field) => field,
		modified: text('modified_gmt'),
		status: text('status'),
	};
}

/** Services show a custom field as `severity` and write it as `xx_severity`: both names are understood. */
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
		writtenAs: (name) => (Object.hasOwn(fields, name) ? writtenName(body, name) : name),
		modified: undefined,
		status: undefined,
	};
}

/** Services show slugs, and only IDs are safe to write: a slug can be shown damaged or look like an ID. */
function asIds(taxonomy: string, value: unknown, terms: TermIndex | undefined): unknown {
	if (Array.isArray(value)) return value.map((each) => asIds(taxonomy, each, terms));
	return typeof value === 'string' ? (terms?.ofSlug(taxonomy, value) ?? value) : value;
}

/** Whether a value is what the object holds, as far as services normalize it. */
export function same(endpoint: Endpoint, name: string, value: unknown, held: Held): boolean {
	return held.has(name) && compareField(endpoint, name, value, held.get(name)) === 'same';
}

/** Whether a value is exactly what the object holds; white space counts, since it may be what is corrected. */
export function isUnchanged(endpoint: Endpoint, name: string, value: unknown, held: Held): boolean {
	const now = held.get(name);
	if (endpoint.body === 'custom_fields') {
		// The type of a custom field counts where it is written back.
		return held.has(name) && (typeof value === 'string' ? customFieldText(now) === value : now === value);
	}
	const areTexts = typeof value === 'string' && typeof now === 'string';
	return areTexts ? value === now : same(endpoint, name, value, held);
}

/** Whether `--if FIELD=VALUE` is met; "" means that the field has no value. */
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
