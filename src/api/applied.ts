/** The applied check: what was asked for against what the service shows that an object now holds. */

import { type Endpoint, endpointList } from './endpoints.js';
import type { Field } from './fields.js';
import type { Request } from './plan.js';
import { emptyRecord, inexactNumberIn, isId, isObject, readMoment } from './values.js';

/** One field that holds another value than the one sent. */
export interface AppliedDifference {
	field: string;
	sent: unknown;
	shown: unknown;
}

type ComparedField = Pick<Field, 'name' | 'kind'>;
type Values = Readonly<Record<string, unknown>>;

/** true: the same; false: different; undefined: not comparable. */
type Verdict = boolean | undefined;

/** Names of secret fields, which may stand in any endpoint's body by `--data`. */
const secrets = new Set(
	endpointList.flatMap(({ fields }) => fields.filter(({ kind }) => kind === 'secret').map(({ name }) => name)),
);

/** `{raw, rendered}` stands for its raw text; without raw there is nothing that can be compared. */
function shownValue(value: unknown): unknown {
	if (!isObject(value)) return value;
	if ('raw' in value) return value.raw;
	return 'rendered' in value ? undefined : value;
}

const NUMERIC = /^-?\d+(?:\.\d+)?$/;

/** What services show of a field that was emptied: each kind has an empty value of its own. */
const isEmpty = (value: unknown): boolean => [null, '', 0, '0', false].includes(value as null);

/** Booleans as services write them. */
function asBoolean(value: unknown): boolean | undefined {
	if ([true, 1, '1', 'true', 'yes'].includes(value as true)) return true;
	return isEmpty(value) || value === 'false' || value === 'no' ? false : undefined;
}

/** Whether a value empties a field: the text "0" does where a number is meant. */
function empties(field: ComparedField | undefined, value: unknown): boolean {
	const isNumber = field?.kind === 'integer' || field?.kind === 'user';
	return value === null || value === '' || value === 0 || (isNumber && value === '0');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A text without what services change in it: line ends, outer spaces and the spelling of HTML entities. */
function plainText(text: string): string {
	const trimmed = text.replaceAll('\r\n', '\n').trim();
	return trimmed.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (entity, decimal, hex, name) => {
		if (name !== undefined) return ENTITIES[name.toLowerCase()] as string;
		const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
		return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
	});
}

/** The elements of a list as texts, in any order and once each; a scalar is a list of one. Undefined where one is an object. */
function asSet(value: unknown): Set<string> | undefined {
	const list = Array.isArray(value) ? value : isEmpty(value) ? [] : [value];
	return list.some((each) => typeof each === 'object' && each !== null) ? undefined : new Set(list.map(String));
}

function sameSet(left: Set<string>, right: Set<string>): boolean {
	return left.size === right.size && [...left].every((each) => right.has(each));
}

/**
 * What is known of the field says how its values compare: a term is a slug or an id, and which of them is not known.
 * @param field from the table; undefined for a name that it does not have
 */
export function sameValue(field: ComparedField | undefined, sentRaw: unknown, shownRaw: unknown): Verdict {
	const [sent, shown] = [shownValue(sentRaw), shownValue(shownRaw)];
	if (sent === undefined || shown === undefined) return undefined;
	if (sent === shown) return true;
	const isTerm = field?.kind === 'term' || field?.kind === 'terms';
	if (isObject(sent) && !isTerm) return sameMap(sent, shown);
	if (isTerm || Array.isArray(sent) || Array.isArray(shown)) {
		const [left, right] = [asSet(sent), asSet(shown)];
		if (left === undefined || right === undefined) return undefined;
		const all = [...left, ...right];
		const ids = all.filter((each) => NUMERIC.test(each)).length;
		return isTerm && ids > 0 && ids < all.length ? undefined : sameSet(left, right);
	}
	if (isObject(shown)) return undefined;
	if (field?.kind === 'adjustment' && typeof sent === 'string') {
		const sign = (value: unknown): unknown => ({ positive: '+', negative: '-' })[value as 'positive'] ?? value;
		return sign(sent) === sign(shown);
	}
	if (typeof sent === 'boolean' || typeof shown === 'boolean') {
		const [left, right] = [asBoolean(sent), asBoolean(shown)];
		return left === undefined || right === undefined ? String(sent) === String(shown) : left === right;
	}
	if (empties(field, sent)) {
		if (isEmpty(shown)) return true;
		// For an empty locale, services show the site's default.
		if (field?.name === 'locale') return undefined;
	}
	if (NUMERIC.test(String(sent)) && NUMERIC.test(String(shown))) {
		return String(sent) === String(shown) || (typeof sent !== typeof shown && Number(sent) === Number(shown));
	}
	if (field?.kind === 'date') {
		const [left, right] = [readMoment(String(sent)), readMoment(String(shown))];
		if (left === undefined || right === undefined) return undefined;
		// `date` is in the site's time zone, which is not known; `date_gmt` without a zone is in GMT.
		return field.name !== 'date_gmt' && left.hasZone !== right.hasZone ? undefined : left.ms === right.ms;
	}
	return plainText(String(sent)) === plainText(String(shown));
}

/**
 * Only the keys that were sent are compared, and no key is a field of the table, whatever its name. A key that is not
 * shown has no value; where there are none, services show an empty list, or nothing.
 */
function sameMap(sent: Values, shown: unknown): Verdict {
	const held = isObject(shown) ? shown : asSet(shown)?.size === 0 ? {} : undefined;
	if (held === undefined) return undefined;
	const verdicts = Object.entries(sent).map(([key, value]) =>
		Object.hasOwn(held, key) ? sameValue(undefined, value, held[key]) : empties(undefined, value),
	);
	if (verdicts.includes(false)) return false;
	return verdicts.includes(undefined) ? undefined : true;
}

/** Names to values; the read shape is not documented (interface section 4), so several are understood. */
export type CustomFields = Record<string, unknown>;

/**
 * Reads `{custom_fields: {…}}`, name → value and name → `{value}`.
 * @returns undefined where the body has none of these shapes; an empty list stands for no fields.
 */
export function readCustomFields(body: unknown): CustomFields | undefined {
	const inner = isObject(body) && isWrapped(body) ? body.custom_fields : body;
	if (Array.isArray(inner) && inner.length === 0) return emptyRecord();
	if (!isObject(inner)) return undefined;
	const fields = emptyRecord<unknown>();
	for (const [name, value] of Object.entries(inner)) {
		fields[name] = isObject(value) && Object.hasOwn(value, 'value') ? value.value : value;
	}
	return fields;
}

/** Whether all fields stand under one name; a field may have that name too. */
function isWrapped(body: Values): boolean {
	if (!Object.hasOwn(body, 'custom_fields')) return false;
	const inner = body.custom_fields;
	if (Object.keys(body).length === 1) return !isObject(inner) || !Object.hasOwn(inner, 'markup');
	return Array.isArray(inner) || (isObject(inner) && !Object.hasOwn(inner, 'value'));
}

/** A custom field's value as the text that would be sent for it; undefined where it has no such text. */
export function customFieldText(value: unknown): string | undefined {
	if (value === null || value === undefined || value === false) return '';
	if (value === true) return '1';
	return typeof value === 'string' || typeof value === 'number' ? String(value) : inexactNumberIn(value);
}

export function sameCustomField(sent: unknown, shown: unknown): Verdict {
	const [left, right] = [customFieldText(sent), customFieldText(shown)];
	if (left === undefined || right === undefined) return undefined;
	if (plainText(left) === plainText(right)) return true;
	// `1.1` and `1.10`; of more digits than a number can hold, each counts.
	const isNumber = typeof shown === 'number' || inexactNumberIn(shown) !== undefined;
	const number = Number(left);
	return isNumber && left.trim() !== '' && number === Number(right) && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
}

type Compared = Pick<Endpoint, 'fields' | 'body'>;

/** Whether a field that was sent is the one that is shown. */
export function sameField({ fields, body }: Compared, name: string, sent: unknown, shown: unknown): Verdict {
	if (body === 'custom_fields') return sameCustomField(sent, shown);
	return sameValue(
		fields.find((each) => each.name === name),
		sent,
		shown,
	);
}

/**
 * Compares each sent field with what is held. Secrets are never compared, since services do not show them.
 * @param held what is shown of a field; undefined for one that is not
 * @param absent what it means that a field is not shown: that it differs, or nothing, where not all that is held is known
 */
export function differences(
	endpoint: Compared,
	sent: Values,
	held: (name: string) => unknown,
	absent: 'differs' | 'no verdict',
): AppliedDifference[] {
	const found: AppliedDifference[] = [];
	for (const field of Object.keys(sent)) {
		const value = sent[field];
		const shown = held(field);
		if (value === shown || secrets.has(field)) continue;
		const differs = shown === undefined ? absent === 'differs' : sameField(endpoint, field, value, shown) === false;
		if (differs) found.push({ field, sent: value, shown: shownValue(shown) ?? null });
	}
	return found;
}

/** What the response to a request that was carried out shows otherwise than it was asked for. */
export function contradictions(
	{ endpoint, permanent, ids, sent }: Pick<Request, 'endpoint' | 'permanent' | 'ids' | 'sent'>,
	body: unknown,
): AppliedDifference[] {
	const held = endpoint.body === 'custom_fields' ? readCustomFields(body) : body;
	if (!isObject(held)) return [];
	const other = otherThing(endpoint, ids, held);
	if (endpoint.replay === 'set') {
		const shown = (name: string): unknown => (Object.hasOwn(held, name) ? held[name] : undefined);
		return other.concat(differences(endpoint, sent ?? {}, shown, 'no verdict'));
	}
	if (!endpoint.trash) return other;
	const isDeleted = held.deleted !== undefined && asBoolean(held.deleted) === true;
	const shown = isDeleted ? 'permanently deleted' : held.status;
	const wanted = permanent ? 'permanently deleted' : 'trash';
	if (typeof shown !== 'string' || shown === wanted) return other;
	return [...other, { field: 'status', sent: wanted, shown }];
}

/**
 * Whether the response shows another thing than the path names, by its `id` and, of a kind that belongs to another, its
 * `parent`. An object without a slug, content or parent may be of any kind and gives no verdict.
 */
function otherThing({ body: kind, parent }: Endpoint, ids: Request['ids'], body: Values): AppliedDifference[] {
	const thing = isObject(body.previous) && !isId(body.id) ? body.previous : body;
	const hasParent = parent !== undefined && isId(thing.parent);
	const isClear = hasParent || Object.hasOwn(thing, 'slug') || Object.hasOwn(thing, 'content');
	if (!isClear || kind === 'custom_fields') return [];
	const named = [
		{ field: 'id', sent: ids.id, shown: thing.id },
		{ field: 'parent', sent: parent && ids[parent], shown: thing.parent },
	];
	return named.filter(({ sent, shown }) => sent !== undefined && isId(shown) && String(shown) !== sent);
}
