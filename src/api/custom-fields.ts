/** Custom fields as services answer them, in any of the shapes that are known, and how old and new ones compare. */

import { inexactNumberIn } from './exact-numbers.js';
import { emptyRecord } from './record.js';
import { isObject, sameText } from './values.js';

/** Names to values; the read shape is not documented (interface section 4), so several are understood. */
export type CustomFields = Record<string, unknown>;

/**
 * Reads `{custom_fields: {…}}`, name → value and name → `{value}`.
 * @returns undefined where the body has none of these shapes; an empty list stands for no fields.
 */
export function readCustomFields(body: unknown): CustomFields | undefined {
	if (Array.isArray(body)) return body.length === 0 ? emptyRecord() : undefined;
	if (!isObject(body)) return undefined;
	const inner = isWrapped(body) ? body.custom_fields : body;
	if (Array.isArray(inner)) return inner.length === 0 ? emptyRecord() : undefined;
	if (!isObject(inner)) return undefined;
	const fields = emptyRecord<unknown>();
	for (const [name, value] of Object.entries(inner)) {
		fields[name] = isObject(value) && Object.hasOwn(value, 'value') ? value.value : value;
	}
	return fields;
}

/** Whether all fields stand under one name; a field may have that name too. */
function isWrapped(body: Record<string, unknown>): boolean {
	if (!Object.hasOwn(body, 'custom_fields')) return false;
	const inner = body.custom_fields;
	if (Object.keys(body).length === 1) return !isObject(inner) || !Object.hasOwn(inner, 'markup');
	return Array.isArray(inner) || (isObject(inner) && !Object.hasOwn(inner, 'value'));
}

/** A value as the text that would be sent for it; undefined where it has no such text. */
export function customFieldText(value: unknown): string | undefined {
	if (value === null || value === undefined || value === false) return '';
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || value === true) return value === true ? '1' : String(value);
	return inexactNumberIn(value);
}

/** true: the same; false: different; undefined: the shown value is of a shape that can't be compared. */
export function sameCustomField(sent: unknown, shown: unknown): boolean | undefined {
	const [left, right] = [customFieldText(sent), customFieldText(shown)];
	if (left === undefined || right === undefined) return undefined;
	const isNumber = typeof shown === 'number' || inexactNumberIn(shown) !== undefined;
	return sameText(left, right) || (isNumber && left.trim() !== '' && isSameNumber(left, right));
}

/** `1.1` and `1.10`; of more digits than a number can hold, each counts. */
function isSameNumber(left: string, right: string): boolean {
	const number = Number(left);
	return number === Number(right) && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
}
