/** The applied check: what was asked for against what the service's answer shows it now holds. */

import { isObject } from './values.js';

/** One field that holds another value than the one sent. */
export interface AppliedDifference {
	field: string;
	sent: unknown;
	shown: unknown;
}

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

/** Fields whose value is a term, a slug or an id: one can't be told from the other by looking. */
const TERM_FIELDS = new Set(['ticket-tag', 'product', 'department', 'ticket_priority', 'ticket_channel']);

/** Booleans as services write them. */
function asBoolean(value: unknown): boolean | undefined {
	if (value === true || value === 1 || value === '1' || value === 'true' || value === 'yes') return true;
	if (value === false || value === 0 || value === '0' || value === 'false' || value === 'no' || value === '')
		return false;
	return undefined;
}

/** Two spellings of one moment count as equal: a missing zone, seconds or `T`. */
function asMoment(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?(?:Z|[+-]00:?00)?$/.exec(value);
	return match === null ? undefined : `${match[1]}T${match[2] ?? '00:00'}:${match[3] ?? '00'}`;
}

const ZONE = /(?:Z|[+-]\d{2}:?\d{2})$/;

/** Whether a time of day names its zone; a day's own dashes are none. */
function hasZone(moment: string): boolean {
	return ZONE.test(moment.slice('2026-03-31'.length));
}

/** `date` is shown in the site's time zone, which nobody tells: a moment that names its zone can't be held against it. */
function sameMoment(field: string, sent: unknown, shown: unknown): boolean | undefined {
	const [left, right] = [asMoment(sent), asMoment(shown)];
	if (left === undefined || right === undefined) return undefined;
	if (field !== 'date_gmt' && hasZone(sent as string) !== hasZone(shown as string)) return undefined;
	return left === right;
}

/** What services show of a field that was emptied: each kind has an empty value of its own. */
function isEmpty(value: unknown): boolean {
	return value === null || value === '' || value === 0 || value === '0';
}

function asAdjustment(value: unknown): unknown {
	return value === 'positive' ? '+' : value === 'negative' ? '-' : value;
}

/** true: the same; false: different; undefined: not comparable, no verdict. */
export function sameValue(field: string, sent: unknown, shownRaw: unknown): boolean | undefined {
	const shown = shownValue(shownRaw);
	if (shown === undefined) return undefined;
	if (sent === shown) return true;
	if (TERM_FIELDS.has(field)) return sameTerms(sent, shown);
	if (field === 'time-adjustments-type' && typeof sent === 'string') return asAdjustment(sent) === asAdjustment(shown);
	if (Array.isArray(sent) || Array.isArray(shown)) return sameList(sent, shown);
	if (isObject(sent)) return isObject(shown) ? sameMap(sent, shown) : undefined;
	if (isObject(shown)) return undefined;
	if (typeof sent === 'boolean' || typeof shown === 'boolean') {
		const [left, right] = [asBoolean(sent), asBoolean(shown)];
		return left === undefined || right === undefined ? String(sent) === String(shown) : left === right;
	}
	if ((sent === null || sent === '') && isEmpty(shown)) return true;
	if (isNumeric(sent) && isNumeric(shown)) {
		return String(sent) === String(shown) || (typeof sent !== typeof shown && Number(sent) === Number(shown));
	}
	if (field === 'date' || field === 'date_gmt') return sameMoment(field, sent, shown);
	if (typeof sent === 'string' && typeof shown === 'string') {
		return sent.replaceAll('\r\n', '\n').trim() === shown.replaceAll('\r\n', '\n').trim();
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
	if (value === null || value === '') return [];
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
	return value === null || value === '' ? [] : [value];
}

function sameList(sent: unknown, shown: unknown): boolean | undefined {
	const left = asList(sent);
	const right = asList(shown);
	if ([...left, ...right].some((each) => typeof each === 'object' && each !== null)) return undefined;
	return sameSet(left.map(String), right.map(String));
}

/** Only the keys that were sent are compared; a key that the answer does not show gives no verdict on it. */
function sameMap(sent: Record<string, unknown>, shown: Record<string, unknown>): boolean | undefined {
	let verdict: boolean | undefined;
	for (const [key, value] of Object.entries(sent)) {
		if (!Object.hasOwn(shown, key)) continue;
		const same = sameValue(key, value, shown[key]);
		if (same === false) return false;
		if (same === true) verdict = true;
	}
	return verdict;
}

/**
 * Compares each sent field that the answer shows. Secrets are never compared, since services do not show them.
 * @returns the fields that differ; empty where all that can be compared is as asked.
 */
export function appliedDifferences(sent: Readonly<Record<string, unknown>>, body: unknown): AppliedDifference[] {
	const differences: AppliedDifference[] = [];
	if (!isObject(body)) return differences;
	for (const field in sent) {
		if (field === 'password' || !Object.hasOwn(body, field)) continue;
		if (sent[field] === body[field]) continue;
		if (sameValue(field, sent[field], body[field]) === false) {
			differences.push({ field, sent: sent[field], shown: shownValue(body[field]) });
		}
	}
	return differences;
}
