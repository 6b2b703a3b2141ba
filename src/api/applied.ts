/** The applied check: what was asked for against what the service's answer shows it now holds. */

import { type CustomFields, readCustomFields, sameCustomField } from './custom-fields.js';
import { type Endpoint, endpointList } from './endpoints.js';
import type { Field } from './fields.js';
import type { Request } from './plan.js';
import { isId } from './user-id.js';
import { isObject, sameText } from './values.js';

/** One field that holds another value than the one sent. */
export interface AppliedDifference {
	field: string;
	sent: unknown;
	shown: unknown;
}

type ComparedField = Pick<Field, 'name' | 'kind'>;

/** Names of secret fields, which may stand in any endpoint's body by `--data`. */
const secrets = new Set(
	endpointList.flatMap(({ fields }) => fields.filter(({ kind }) => kind === 'secret').map(({ name }) => name)),
);

/** `{raw, rendered}` stands for its raw text; without raw there is nothing that can be compared. */
function shownValue(value: unknown): unknown {
	if (!isObject(value)) return value;
	if ('raw' in value) return value.raw;
	if ('rendered' in value) return undefined;
	return value;
}

const NUMERIC = /^-?\d+(?:\.\d+)?$/;

function isNumeric(value: unknown): boolean {
	return typeof value === 'number' || (typeof value === 'string' && NUMERIC.test(value));
}

/** Booleans as services write them. */
function asBoolean(value: unknown): boolean | undefined {
	if (value === true || value === 1 || value === '1' || value === 'true' || value === 'yes') return true;
	return isEmpty(value) || value === 'false' || value === 'no' ? false : undefined;
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** A moment in milliseconds, and whether it names its zone; two spellings of one moment are the same. */
function readMoment(value: unknown): { ms: number; hasZone: boolean } | undefined {
	const match = typeof value === 'string' ? MOMENT.exec(value) : null;
	if (match === null) return undefined;
	const [, day, minutes = '00:00', seconds = '00', zone = 'Z'] = match;
	const offset = zone === 'Z' ? zone : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
	const ms = Date.parse(`${day}T${minutes}:${seconds}${offset}`);
	return Number.isNaN(ms) ? undefined : { ms, hasZone: match[4] !== undefined };
}

/**
 * `date` is shown in the site's time zone, which nobody tells: a moment that names its zone can't be held against it.
 * `date_gmt` without a zone is in GMT.
 */
function sameMoment(field: ComparedField, sent: unknown, shown: unknown): boolean | undefined {
	const [left, right] = [readMoment(sent), readMoment(shown)];
	if (left === undefined || right === undefined) return undefined;
	if (field.name !== 'date_gmt' && left.hasZone !== right.hasZone) return undefined;
	return left.ms === right.ms;
}

/** What services show of a field that was emptied: each kind has an empty value of its own. */
function isEmpty(value: unknown): boolean {
	return value === null || value === '' || value === 0 || value === '0' || value === false;
}

/** Of these, services show the site's default where the field is empty. */
const SHOWN_AS_DEFAULT: ReadonlySet<string> = new Set(['locale']);

/** Whether a value empties a field: a zero does where a number or nothing at all is meant, not where a text is. */
function empties(field: ComparedField | undefined, value: unknown): boolean {
	return (
		value === null ||
		value === '' ||
		value === 0 ||
		((field?.kind === 'integer' || field?.kind === 'user') && value === '0')
	);
}

function asAdjustment(value: unknown): unknown {
	return value === 'positive' ? '+' : value === 'negative' ? '-' : value;
}

/**
 * What is known of the field says how its values compare: a term is a slug or an id, and neither can be told from the other.
 * @param field from the table; undefined for a name that it does not have
 * @returns true: the same; false: different; undefined: not comparable, no verdict
 */
export function sameValue(field: ComparedField | undefined, sentRaw: unknown, shownRaw: unknown): boolean | undefined {
	const [sent, shown] = [shownValue(sentRaw), shownValue(shownRaw)];
	if (sent === undefined || shown === undefined) return undefined;
	if (sent === shown) return true;
	if (field?.kind === 'term' || field?.kind === 'terms') return sameTerms(sent, shown);
	if (field?.kind === 'adjustment' && typeof sent === 'string') return asAdjustment(sent) === asAdjustment(shown);
	if (isObject(sent)) return sameMap(sent, shown);
	if (Array.isArray(sent) || Array.isArray(shown)) return sameList(sent, shown);
	if (isObject(shown)) return undefined;
	if (typeof sent === 'boolean' || typeof shown === 'boolean') {
		const [left, right] = [asBoolean(sent), asBoolean(shown)];
		return left === undefined || right === undefined ? String(sent) === String(shown) : left === right;
	}
	if (empties(field, sent)) {
		if (isEmpty(shown)) return true;
		if (field !== undefined && SHOWN_AS_DEFAULT.has(field.name)) return undefined;
	}
	if (isNumeric(sent) && isNumeric(shown)) {
		return String(sent) === String(shown) || (typeof sent !== typeof shown && Number(sent) === Number(shown));
	}
	if (field?.kind === 'date') return sameMoment(field, sent, shown);
	if (typeof sent === 'string' && typeof shown === 'string') {
		return sameText(sent, shown);
	}
	return String(sent) === String(shown);
}

/** A slug against an id can't be judged; like against like can, in any order. */
function sameTerms(sent: unknown, shown: unknown): boolean | undefined {
	const left = termList(sent);
	const right = termList(shown);
	if (left === undefined || right === undefined) return undefined;
	const allIds = (list: string[]): boolean => list.every((each) => NUMERIC.test(each));
	const noIds = (list: string[]): boolean => list.every((each) => !NUMERIC.test(each));
	if (!(allIds(left) && allIds(right)) && !(noIds(left) && noIds(right))) return undefined;
	return sameSet(left, right);
}

function termList(value: unknown): string[] | undefined {
	if (isEmpty(value)) return [];
	if (typeof value === 'string' || typeof value === 'number') return [String(value)];
	if (!Array.isArray(value)) return undefined;
	return value.every((each) => typeof each === 'string' || typeof each === 'number') ? value.map(String) : undefined;
}

function sameSet(left: string[], right: string[]): boolean {
	const [one, other] = [new Set(left), new Set(right)];
	return one.size === other.size && left.every((each) => other.has(each));
}

function asList(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	return isEmpty(value) ? [] : [value];
}

function sameList(sent: unknown, shown: unknown): boolean | undefined {
	const left = asList(sent);
	const right = asList(shown);
	if ([...left, ...right].some((each) => typeof each === 'object' && each !== null)) return undefined;
	return sameSet(left.map(String), right.map(String));
}

/**
 * Only the keys that were sent are compared, and no key is a field of the table, whatever its name. A key that is not
 * shown has no value; where there are none, services show an empty list, or nothing.
 */
function sameMap(sent: Record<string, unknown>, shown: unknown): boolean | undefined {
	const held = isObject(shown) ? shown : asList(shown).length === 0 ? {} : undefined;
	if (held === undefined) return undefined;
	let verdict: boolean | undefined = true;
	for (const [key, value] of Object.entries(sent)) {
		const same = Object.hasOwn(held, key) ? sameValue(undefined, value, held[key]) : empties(undefined, value);
		if (same === false) return false;
		if (same === undefined) verdict = undefined;
	}
	return verdict;
}

/**
 * Compares each sent field that the answer shows. Secrets are never compared, since services do not show them.
 * @param fields the endpoint's rows of the field table
 * @returns the fields that differ; empty where all that can be compared is as asked.
 */
export function appliedDifferences(
	fields: readonly ComparedField[],
	sent: Readonly<Record<string, unknown>>,
	body: unknown,
): AppliedDifference[] {
	const differences: AppliedDifference[] = [];
	if (!isObject(body)) return differences;
	for (const name in sent) {
		if (secrets.has(name) || !Object.hasOwn(body, name)) continue;
		if (sent[name] === body[name]) continue;
		const field = fields.find((each) => each.name === name);
		if (sameValue(field, sent[name], body[name]) === false) {
			differences.push({ field: name, sent: sent[name], shown: shownValue(body[name]) });
		}
	}
	return differences;
}

/** Compares each sent field with what a read of the object shows; a field that it does not show differs. */
export function objectDifferences(
	fields: readonly ComparedField[],
	sent: Readonly<Record<string, unknown>>,
	held: (name: string) => unknown,
): AppliedDifference[] {
	return Object.entries(sent)
		.filter(([name]) => !secrets.has(name))
		.map(([name, value]) => ({ field: name, sent: value, shown: held(name) }))
		.filter(({ field, sent: value, shown }) => {
			const known = fields.find((each) => each.name === field);
			return shown === undefined ? true : sameValue(known, value, shown) === false;
		})
		.map((each) => ({ ...each, shown: each.shown ?? null }));
}

/**
 * Compares each sent custom field with what the ticket holds.
 * @param absent what it means that `held` lacks a field: that it differs, or nothing, where not all that is held is known
 */
export function customFieldDifferences(
	sent: Readonly<Record<string, unknown>>,
	held: CustomFields,
	absent: 'differs' | 'no verdict',
): AppliedDifference[] {
	return Object.entries(sent)
		.filter(([name, value]) =>
			Object.hasOwn(held, name) ? sameCustomField(value, held[name]) === false : absent === 'differs',
		)
		.map(([field, value]) => ({ field, sent: value, shown: held[field] ?? null }));
}

/** What the answer to a request that was carried out shows otherwise than it was asked for. */
export function contradictions(
	{ endpoint, permanent, ids, sent }: Pick<Request, 'endpoint' | 'permanent' | 'ids' | 'sent'>,
	body: unknown,
): AppliedDifference[] {
	const other = otherThing(endpoint, ids, body);
	if (endpoint.replay === 'set') {
		if (sent === undefined) return [];
		if (endpoint.body !== 'custom_fields') return [...other, ...appliedDifferences(endpoint.fields, sent, body)];
		return customFieldDifferences(sent, readCustomFields(body) ?? {}, 'no verdict');
	}
	return [...other, ...(endpoint.trash ? deletionDifferences(permanent, body) : [])];
}

/**
 * Whether the response shows another thing than the path names: of a kind that belongs to another, its `parent` and
 * its `id`. An object without a parent or the kind's text may be of any kind and gives no verdict.
 */
function otherThing({ parent }: Endpoint, ids: Request['ids'], body: unknown): AppliedDifference[] {
	if (parent === undefined || !isObject(body)) return [];
	const thing = isObject(body.previous) && !isId(body.id) ? body.previous : body;
	if (!isId(thing.parent) && !Object.hasOwn(thing, 'content')) return [];
	return (
		[
			['id', ids.id],
			['parent', ids[parent]],
		] as const
	).flatMap(([field, asked]) => {
		const shown = thing[field];
		return asked === undefined || !isId(shown) || String(shown) === asked ? [] : [{ field, sent: asked, shown }];
	});
}

/**
 * What the response to a delete shows that contradicts it: a thing that is in the trash though it was to be deleted for
 * good, the other way round, or one that is in neither place. A response that shows no status gives no verdict.
 */
function deletionDifferences(permanent: boolean, body: unknown): AppliedDifference[] {
	if (!isObject(body)) return [];
	const isDeleted = body.deleted !== undefined && asBoolean(body.deleted) === true;
	const shown = isDeleted ? 'permanently deleted' : body.status;
	const wanted = permanent ? 'permanently deleted' : 'trash';
	return typeof shown !== 'string' || shown === wanted ? [] : [{ field: 'status', sent: wanted, shown }];
}
