/** What an object holds, as a read shows it, and how that compares with a value to write. */

import { customFieldText, readCustomFields, sameField } from '../../api/applied.js';
import type { Endpoint } from '../../api/endpoints.js';
import { emptyRecord, inexactNumberIn, isObject } from '../../api/values.js';

/** What an object holds, as far as a read shows it. */
export interface Held {
	has(field: string): boolean;
	/** The raw value; undefined where the read does not show the field. */
	get(field: string): unknown;
	/** `modified_gmt`, where the object has one. */
	readonly modified: string | undefined;
	/** The trash status of the object, where it shows its status. */
	readonly status: string | undefined;
}

/**
 * What a read's body shows; undefined for a shape that is not known.
 * @param prefix the deployment's product prefix: services write a custom field with it and show it without
 */
export function heldOf(endpoint: Pick<Endpoint, 'body'>, body: unknown, prefix: string): Held | undefined {
	const isCustom = endpoint.body === 'custom_fields';
	const values = isCustom ? readCustomFields(body) : isObject(body) ? body : undefined;
	if (values === undefined) return undefined;
	const start = `${prefix}_`;
	const otherName = (name: string): string => (name.startsWith(start) ? name.slice(start.length) : start + name);
	const names = (name: string): string[] => (isCustom ? [name, otherName(name)] : [name]);
	const get = (field: string): unknown => {
		const name = names(field).find((each) => Object.hasOwn(values, each));
		return name === undefined ? undefined : isCustom ? values[name] : rawValue(values[name]);
	};
	const text = (field: string): string | undefined =>
		typeof get(field) === 'string' ? (get(field) as string) : undefined;
	return { has: (field) => get(field) !== undefined, get, modified: text('modified_gmt'), status: text('status') };
}

/** `{raw, rendered}` stands for its raw text; rendered text alone is no value that could be written. */
function rawValue(value: unknown): unknown {
	if (!isObject(value) || inexactNumberIn(value) !== undefined) return value;
	if (Object.hasOwn(value, 'raw')) return value.raw;
	return Object.hasOwn(value, 'rendered') ? undefined : value;
}

/** Whether a value is what the object holds, as far as services normalise it. */
export function same(endpoint: Endpoint, field: string, value: unknown, held: Held): boolean {
	return held.has(field) && sameField(endpoint, field, value, held.get(field)) === true;
}

/** Whether a value is what the object holds: an export is made of values for which this is so. */
export function isUnchanged(endpoint: Endpoint, name: string, value: unknown, held: Held): boolean {
	const now = held.get(name);
	if (endpoint.body === 'custom_fields') {
		// The type of a custom field counts where it is written back.
		return held.has(name) && (typeof value === 'string' ? customFieldText(now) === value : now === value);
	}
	return typeof value === 'string' && typeof now === 'string' ? value === now : same(endpoint, name, value, held);
}

/** The fields whose value is not exactly the one that is held; white space counts, since it may be what is corrected. */
export function changedFields(
	endpoint: Endpoint,
	fields: Readonly<Record<string, unknown>>,
	held: Held,
): Record<string, unknown> {
	const changed = emptyRecord<unknown>();
	for (const [name, value] of Object.entries(fields)) {
		if (!isUnchanged(endpoint, name, value, held)) changed[name] = value;
	}
	return changed;
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

/** Whether a field holds what was written; services may leave out a field that was cleared. */
export function isStill(endpoint: Endpoint, field: string, written: unknown, held: Held): boolean {
	if (!held.has(field)) return written === '' || written === null;
	return same(endpoint, field, written, held);
}

export function isNothing(value: unknown): boolean {
	return value === undefined || value === null || value === '' || value === 0 || value === '0' || isEmptyList(value);
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
