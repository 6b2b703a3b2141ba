/** Whether an object contains what was sent: same, other or not comparable. */

import type { Endpoint } from './endpoints.js';
import { type Field, passwordField } from './fields.js';
import { emptyRecord, isObject, readMoment } from './values.js';

export type Equality = 'same' | 'other' | 'not comparable';

export interface AppliedDifference {
	field: string;
	sent: unknown;
	shown: unknown;
}

export type TermIndex = (taxonomy: string) => {
	/** False if the service doesn't list its terms: then values are sent as given, and what is shown is text. */
	readonly isListed: boolean;
	/** The ID of what an object shows; undefined if that can't be told: slugs are shown damaged or empty, or look like IDs. */
	ofSlug(slug: string): string | undefined;
	/** Whether objects show one of the terms as an empty text. */
	readonly hasHidden: boolean;
	/** Whether objects may show the term like this. */
	mayShowAs(id: string, text: string): boolean;
	/** What leads an update back to the term; undefined unless exactly one can be meant. */
	exported(slug: string): string | undefined;
};

type Values = Readonly<Record<string, unknown>>;
type ComparedField = Pick<Field, 'name' | 'kind'>;
type ComparedEndpoint = Partial<Pick<Endpoint, 'fields' | 'body'>>;

const equality = (isSame: boolean): Equality => (isSame ? 'same' : 'other');

/** `{raw, rendered}` without raw can't be compared. */
export function rawValue(value: unknown): unknown {
	if (!isObject(value)) return value;
	if (Object.hasOwn(value, 'raw')) return value.raw;
	return Object.hasOwn(value, 'rendered') ? undefined : value;
}

const NUMERIC = /^-?\d+(?:\.\d+)?$/;

const EMPTY: ReadonlySet<unknown> = new Set([null, '', 0, '0', false]);
const TRUE: ReadonlySet<unknown> = new Set([true, 1, '1', 'true', 'yes']);
const FALSE: ReadonlySet<unknown> = new Set([...EMPTY, 'false', 'no']);

function empties(field: ComparedField | undefined, value: unknown): boolean {
	if (value === '0') return field?.kind === 'integer' || field?.kind === 'user';
	return value === null || value === '' || value === 0;
}

const ENTITIES: Readonly<Record<string, string>> = {
	amp: '&',
	lt: '<',
	gt: '>',
	quot: '"',
	apos: "'",
	nbsp: '\u00a0',
};

export function decodeEntities(text: string): string {
	return text.replace(
		/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,5}));/gi,
		(entity, decimal?: string, hex?: string, name?: string) => {
			if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? entity;
			const code = Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10);
			return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
		},
	);
}

/** Without line ends, outer spaces and spellings of HTML entities, which services change. */
function plainText(text: string): string {
	return decodeEntities(text.replaceAll('\r\n', '\n').trim());
}

/** A scalar is a list of one. @returns undefined for objects */
function asSet(value: unknown): Set<string> | undefined {
	const scalar = EMPTY.has(value) ? [] : [value];
	const list: unknown[] = Array.isArray(value) ? value : scalar;
	const hasObjects = list.some((each) => typeof each === 'object' && each !== null);
	return hasObjects ? undefined : new Set(list.map(String));
}

function compareSets(left: Set<string> | undefined, right: Set<string> | undefined): Equality {
	if (left === undefined || right === undefined) return 'not comparable';
	return equality(left.size === right.size && [...left].every((each) => right.has(each)));
}

/** @param field undefined for names outside the table */
export function compareValue(
	field: ComparedField | undefined,
	sentRaw: unknown,
	shownRaw: unknown,
	terms?: TermIndex,
): Equality {
	const sent = rawValue(sentRaw);
	const shown = rawValue(shownRaw);
	if (sent === undefined || shown === undefined) return 'not comparable';
	// An ID and a slug can look the same.
	if (field?.kind === 'term' || field?.kind === 'terms') return compareTerms(field, sent, shown, terms);
	if (sent === shown) return 'same';
	if (isObject(sent)) return compareMaps(sent, shown);
	if (Array.isArray(sent) || Array.isArray(shown)) return compareSets(asSet(sent), asSet(shown));
	if (isObject(shown)) return 'not comparable';
	if (field?.kind === 'adjustment') return equality(signOf(sent) === signOf(shown));
	return compareScalars(field, sent, shown);
}

function compareScalars(field: ComparedField | undefined, sent: unknown, shown: unknown): Equality {
	const [left, right] = [String(sent), String(shown)];
	if (typeof sent === 'boolean' || typeof shown === 'boolean') {
		const isSame = [TRUE, FALSE].some((spellings) => spellings.has(sent) && spellings.has(shown));
		return equality(isSame || left === right);
	}
	if (empties(field, sent)) {
		if (EMPTY.has(shown)) return 'same';
		// Services show the site's default for an empty locale.
		if (field?.name === 'locale') return 'not comparable';
	}
	if (NUMERIC.test(left) && NUMERIC.test(right)) {
		const isMixed = typeof sent !== typeof shown;
		return equality(left === right || (isMixed && Number(sent) === Number(shown)));
	}
	if (field?.kind === 'date') return compareDates(field, left, right);
	return equality(plainText(left) === plainText(right));
}

/** The site's timezone isn't known; `date_gmt` is in GMT. */
function compareDates({ name }: ComparedField, sent: string, shown: string): Equality {
	const left = readMoment(sent);
	const right = readMoment(shown);
	if (left === undefined || right === undefined) return 'not comparable';
	if (name !== 'date_gmt' && left.hasZone !== right.hasZone) return 'not comparable';
	return equality(left.ms === right.ms);
}

function signOf(value: unknown): unknown {
	if (value === 'positive') return '+';
	return value === 'negative' ? '-' : value;
}

/** Sets of IDs, from us or from a list of terms: nothing is read as a slug again. */
export function compareIds(sent: unknown, held: unknown): Equality {
	return compareSets(asSet(sent), asSet(held));
}

/** @param shown as a response shows it */
function compareTerms({ name, kind }: ComparedField, sent: unknown, shown: unknown, terms?: TermIndex): Equality {
	const left = asSet(sent);
	const right = asSet(shown);
	if (left === undefined || right === undefined) return 'not comparable';
	const index = terms?.(name);
	if (kind === 'term' && left.size === 1) {
		const [id = ''] = left;
		const [text = ''] = right;
		if (index?.isListed) return compareTerm(id, text, index);
	} else if (left.size !== right.size) return 'other';
	const compared = compareSets(left, right);
	if (compared === 'same' || left.size === 0) return compared;
	if (kind === 'terms' && !mayBeSameTerms(left, right)) return 'other';
	if (index?.isListed) {
		const ids = [...right].map((text) => (isNumber(text) ? text : index.ofSlug(text)));
		return ids.includes(undefined) ? 'not comparable' : compareSets(left, new Set(ids.map(String)));
	}
	// Slugs are shown without what isn't ASCII, and may be made of digits.
	const isDamaged = [...left].some((text) => /[^ -~]|%[\da-f]{2}/i.test(text));
	const all = [...left, ...right];
	const mayBeMixed = all.some(isNumber) && (kind === 'term' || !all.every(isNumber));
	return isDamaged || mayBeMixed ? 'not comparable' : 'other';
}

const isNumber = (text: string): boolean => NUMERIC.test(text);

/** A set may show the ID of a term that was sent by name, or the other way round, but no ID in place of another. */
function mayBeSameTerms(left: Set<string>, right: Set<string>): boolean {
	const sentIds = [...left].filter((text) => isNumber(text) && !right.has(text));
	const shownNames = [...right].filter((text) => !isNumber(text) && !left.has(text));
	return sentIds.length <= shownNames.length;
}

/** A term that objects would never show like this is another one, also where the one that is shown can't be told. */
function compareTerm(id: string, text: string, index: ReturnType<TermIndex>): Equality {
	const shown = index.ofSlug(text);
	if (shown !== undefined) return equality(shown === id);
	return index.mayShowAs(id, text) ? 'not comparable' : 'other';
}

function compareMaps(sent: Values, shown: unknown): Equality {
	const none: Values | undefined = asSet(shown)?.size === 0 ? {} : undefined;
	const held = isObject(shown) ? shown : none;
	if (held === undefined) return 'not comparable';
	const found = Object.entries(sent).map(([key, value]) => {
		if (Object.hasOwn(held, key)) return compareValue(undefined, value, held[key]);
		return equality(empties(undefined, value));
	});
	if (found.includes('other')) return 'other';
	return found.includes('not comparable') ? 'not comparable' : 'same';
}

/** `{name: {name, value, markup}}`; none are an empty list. @returns undefined for any other shape */
export function readCustomFields(body: unknown): Record<string, unknown> | undefined {
	const fields = emptyRecord<unknown>();
	if (Array.isArray(body) && body.length === 0) return fields;
	if (!isObject(body) || Object.keys(body).length === 0) return undefined;
	for (const [name, field] of Object.entries(body)) {
		if (!isObject(field) || !Object.hasOwn(field, 'value')) return undefined;
		if (typeof field.name !== 'string') return undefined;
		fields[name] = field.value;
	}
	return fields;
}

/** A deployment's prefix is in the markup. */
export function writtenName(body: unknown, name: string): string {
	const field = isObject(body) ? body[name] : undefined;
	const markup = isObject(field) && typeof field.markup === 'string' ? field.markup : '';
	const named = [...markup.matchAll(/\s(?:name|id)=["']([^"'[]+)/g)].map(([, found = '']) => found);
	return named.find((each) => each === name || each.endsWith(`_${name}`)) ?? name;
}

export function customFieldText(value: unknown): string | undefined {
	if (value === null || value === undefined || value === false) return '';
	if (value === true) return '1';
	if (typeof value === 'object') return undefined;
	return String(value);
}

function compareCustomField(sent: unknown, shown: unknown): Equality {
	const left = customFieldText(sent);
	const right = customFieldText(shown);
	if (left === undefined || right === undefined) return 'not comparable';
	const isSameNumber = typeof shown === 'number' && left.trim() !== '' && Number(left) === shown;
	return equality(isSameNumber || plainText(left) === plainText(right));
}

export function compareField(
	{ fields, body }: ComparedEndpoint,
	name: string,
	sent: unknown,
	shown: unknown,
	terms?: TermIndex,
): Equality {
	if (body === 'custom_fields') return compareCustomField(sent, shown);
	// `--data` can contain it in any body.
	if (name === passwordField.name) return 'not comparable';
	const field = fields?.find((each) => each.name === name);
	return compareValue(field, sent, shown, terms);
}

/** Both lists are empty if every field is the same; `open` are not comparable or not shown. */
export function compareAll(
	sent: Values,
	shown: (name: string) => unknown,
	compare: (name: string, sent: unknown, shown: unknown) => Equality,
): { differs: AppliedDifference[]; open: string[] } {
	const differs: AppliedDifference[] = [];
	const open: string[] = [];
	for (const field of Object.keys(sent)) {
		const value = sent[field];
		const effect = field === 'time-adjustments-type' ? effectOfAdjustment(shown) : undefined;
		const held = effect ?? shown(field);
		const compared = compare(field, value, held);
		if (compared === 'not comparable') open.push(field);
		if (compared === 'other') differs.push({ field, sent: value, shown: rawValue(held) ?? null });
	}
	return { differs, open };
}

/** Services store any word as the type; the times show whether it added or subtracted. */
function effectOfAdjustment(shown: (name: string) => unknown): '+' | '-' | undefined {
	const moved = Number(shown('time-final')) - Number(shown('time-calculated'));
	const minutes = Number(shown('time-adjustments'));
	if (moved === 0 || Math.abs(moved) !== Math.abs(minutes)) return undefined;
	return moved > 0 ? '+' : '-';
}
