/** What an object holds, as far as a read shows it, and how values are compared with it. */

import { customFieldText, readCustomFields, sameField } from '../../api/applied.js';
import type { Endpoint } from '../../api/endpoints.js';
import { inexactNumberIn, isObject } from '../../api/values.js';

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
	// Only custom fields can be none at all.
	if (values === undefined || (!isCustom && Object.keys(values).length === 0)) return undefined;
	const start = `${prefix}_`;
	const otherName = (name: string): string => (name.startsWith(start) ? name.slice(start.length) : start + name);
	const names = (name: string): string[] => (isCustom ? [name, otherName(name)] : [name]);
	const get = (field: string): unknown => {
		const name = names(field).find((each) => Object.hasOwn(values, each));
		return name === undefined ? undefined : isCustom ? values[name] : rawValue(values[name]);
	};
	const text = (field: string): string | undefined => {
		const value = get(field);
		return typeof value === 'string' ? value : undefined;
	};
	return { has: (field) => get(field) !== undefined, get, modified: text('modified_gmt'), status: text('status') };
}

/** `{raw, rendered}` stands for its raw text; rendered text alone is no value that could be written. */
function rawValue(value: unknown): unknown {
	if (!isObject(value) || inexactNumberIn(value) !== undefined) return value;
	if (Object.hasOwn(value, 'raw')) return value.raw;
	return Object.hasOwn(value, 'rendered') ? undefined : value;
}

/** Whether a value is what the object holds, as far as services normalise it. */
export function same(endpoint: Endpoint, name: string, value: unknown, held: Held): boolean {
	return held.has(name) && sameField(endpoint, name, value, held.get(name)) === true;
}

/** Whether a value is exactly what the object holds; white space counts, since it may be what is corrected. */
export function isUnchanged(endpoint: Endpoint, name: string, value: unknown, held: Held): boolean {
	const now = held.get(name);
	if (endpoint.body === 'custom_fields') {
		// The type of a custom field counts where it is written back.
		return held.has(name) && (typeof value === 'string' ? customFieldText(now) === value : now === value);
	}
	return typeof value === 'string' && typeof now === 'string' ? value === now : same(endpoint, name, value, held);
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
