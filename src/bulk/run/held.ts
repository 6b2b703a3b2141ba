/** What an object contains, as far as a read shows it. */

import {
	compareField,
	customFieldText,
	rawValue,
	readCustomFields,
	type TermIndex,
	writtenName,
} from '../../api/applied.js';
import type { Endpoint } from '../../api/endpoints.js';
import { emptyRecord, isObject } from '../../api/values.js';
import type { Fields } from './plan.js';

export interface Held {
	has(field: string): boolean;
	get(field: string): unknown;
	names: readonly string[];
	writtenAs(field: string): string;
}

export function heldOf({ body: kind, fields }: Endpoint, body: unknown, terms?: TermIndex): Held | undefined {
	if (kind === 'custom_fields') return heldFields(body);
	if (!isObject(body) || Object.keys(body).length === 0) return undefined;
	const get = (name: string): unknown => {
		if (!Object.hasOwn(body, name)) return undefined;
		const value = rawValue(body[name]);
		const field = fields.find((each) => each.name === name);
		return field?.kind === 'term' || field?.kind === 'terms' ? asIds(name, value, terms) : value;
	};
	return {
		get,
		has: (name) => get(name) !== undefined,
		names: Object.keys(body),
		writtenAs: (name) => name,
	};
}

export function valuesOf(held: Held | undefined, names: readonly string[]): { values: Fields; absent: string[] } {
	const values = emptyRecord<unknown>();
	for (const name of names) if (held?.has(name) === true) values[name] = held.get(name);
	return { values, absent: names.filter((name) => !Object.hasOwn(values, name)) };
}

/** Shown as `severity`, written as `xx_severity`. */
function heldFields(body: unknown): Held | undefined {
	const fields = readCustomFields(body);
	if (fields === undefined) return undefined;
	const names = Object.keys(fields);
	const shownNames = new Map(names.map((name) => [writtenName(body, name), name]));
	const get = (name: string): unknown => fields[Object.hasOwn(fields, name) ? name : (shownNames.get(name) ?? name)];
	return {
		get,
		has: (name) => get(name) !== undefined,
		names,
		writtenAs: (name) => (Object.hasOwn(fields, name) ? writtenName(body, name) : name),
	};
}

/** Only IDs are safe to write: slugs can be damaged or look like IDs. */
function asIds(taxonomy: string, value: unknown, terms: TermIndex | undefined): unknown {
	if (Array.isArray(value)) return value.map((each) => asIds(taxonomy, each, terms));
	return typeof value === 'string' ? (terms?.(taxonomy).ofSlug(value) ?? value) : value;
}

function isSame(endpoint: Endpoint, name: string, value: unknown, held: Held): boolean {
	return held.has(name) && compareField(endpoint, name, value, held.get(name)) === 'same';
}

/** Stricter than a comparison: white space counts. */
export function isUnchanged(endpoint: Endpoint, name: string, value: unknown, held: Held): boolean {
	const now = held.get(name);
	if (endpoint.body === 'custom_fields') {
		return held.has(name) && (typeof value === 'string' ? customFieldText(now) === value : now === value);
	}
	const areTexts = typeof value === 'string' && typeof now === 'string';
	return areTexts ? value === now : isSame(endpoint, name, value, held);
}

export function holds(endpoint: Endpoint, held: Held, field: string, value: string): boolean {
	const now = held.get(field);
	if (value === '') return isNothing(now);
	if (Array.isArray(now)) {
		const wanted = value.split(',').map((item) => item.trim());
		return wanted.length === now.length && wanted.every((item) => now.map(String).includes(item));
	}
	return (value === '0' || !isNothing(now)) && isSame(endpoint, field, value, held);
}

export function isNothing(value: unknown): boolean {
	const isEmptyList = Array.isArray(value) && value.length === 0;
	return isEmptyList || [undefined, null, '', 0, '0'].includes(value as undefined);
}
