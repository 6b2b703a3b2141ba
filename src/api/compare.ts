/** Whether an object shows a value that was sent: same, other or not comparable. What is special about a kind is an argument. */

import { isObject, readMoment } from './values.js';

export type Equality = 'same' | 'other' | 'not comparable';

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
	/** The same of an ID, which can be the name of another term. */
	exportedId(id: string): string;
};

const equality = (isSame: boolean): Equality => (isSame ? 'same' : 'other');

/** `{raw, rendered}` without raw can't be compared. */
export function rawValue(value: unknown): unknown {
	if (!isObject(value)) return value;
	if (Object.hasOwn(value, 'raw')) return value.raw;
	return Object.hasOwn(value, 'rendered') ? undefined : value;
}

const NUMERIC = /^-?\d+(?:\.\d+)?$/;

/** What services show for no value, and for true and false. */
const EMPTY: ReadonlySet<unknown> = new Set([null, '', 0, '0', false]);
const TRUE: ReadonlySet<unknown> = new Set([true, 1, '1', 'true', 'yes']);
const FALSE: ReadonlySet<unknown> = new Set([...EMPTY, 'false', 'no']);

/** Each kind of field has its own empty value; a service may show any of them. */
function isEmpty(value: unknown): boolean {
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

/** Of values as they are sent and shown, without `{raw, rendered}`. */
export type Compare = (sent: unknown, shown: unknown, name: string, terms?: TermIndex) => Equality;

interface Scalars {
	/** Of texts that differ. */
	texts?: (sent: string, shown: string, name: string) => Equality;
	/** Whether an unset number may be sent as the text "0". */
	isZeroEmpty?: boolean;
}

/** Lists are sets, and maps are compared entry by entry; only scalars differ by kind. */
export function comparing(scalars: Scalars = {}): Compare {
	return (sent, shown, name) => {
		if (sent === shown) return 'same';
		if (isObject(sent)) return compareMaps(sent, shown);
		if (Array.isArray(sent) || Array.isArray(shown)) return compareSets(asSet(sent), asSet(shown));
		return isObject(shown) ? 'not comparable' : compareScalars(sent, shown, name, scalars);
	};
}

const compareAny = comparing();

function compareScalars(sent: unknown, shown: unknown, name: string, { texts, isZeroEmpty }: Scalars): Equality {
	const [left, right] = [String(sent), String(shown)];
	if (typeof sent === 'boolean' || typeof shown === 'boolean') {
		const isSame = [TRUE, FALSE].some((spellings) => spellings.has(sent) && spellings.has(shown));
		return equality(isSame || left === right);
	}
	if (isEmpty(sent) || (sent === '0' && isZeroEmpty === true)) {
		if (EMPTY.has(shown)) return 'same';
		// Services show the site's default for an empty locale.
		if (name === 'locale') return 'not comparable';
	}
	if (NUMERIC.test(left) && NUMERIC.test(right)) {
		const isMixed = typeof sent !== typeof shown;
		return equality(left === right || (isMixed && Number(sent) === Number(shown)));
	}
	return texts?.(left, right, name) ?? compareTexts(left, right);
}

export function compareTexts(sent: string, shown: string): Equality {
	return equality(plainText(sent) === plainText(shown));
}

/** The site's timezone isn't known; `date_gmt` is in GMT. */
export function compareDates(sent: string, shown: string, name: string): Equality {
	const left = readMoment(sent);
	const right = readMoment(shown);
	if (left === undefined || right === undefined) return 'not comparable';
	if (name !== 'date_gmt' && left.hasZone !== right.hasZone) return 'not comparable';
	return equality(left.ms === right.ms);
}

/** The interface's words, and the signs that live services understand, are the same. */
export function compareSigns(sent: string, shown: string): Equality {
	return equality(signOf(sent) === signOf(shown));
}

function signOf(text: string): string {
	if (text === 'positive') return '+';
	return text === 'negative' ? '-' : text;
}

/** Sets of IDs, from us or from a list of terms: nothing is read as a slug again. */
export function compareIds(sent: unknown, held: unknown): Equality {
	return compareSets(asSet(sent), asSet(held));
}

/** Even equal texts can differ: an ID and a slug can look the same. */
export const compareTerm: Compare = (sent, shown, name, terms) => compareTerms(true, sent, shown, terms?.(name));

export const compareTermList: Compare = (sent, shown, name, terms) => compareTerms(false, sent, shown, terms?.(name));

/** @param shown as a response shows it */
function compareTerms(isOne: boolean, sent: unknown, shown: unknown, index?: ReturnType<TermIndex>): Equality {
	const left = asSet(sent);
	const right = asSet(shown);
	if (left === undefined || right === undefined) return 'not comparable';
	if (isOne && left.size === 1) {
		const [id = ''] = left;
		const [text = ''] = right;
		if (index?.isListed) return compareOneTerm(id, text, index);
	} else if (left.size !== right.size) return 'other';
	if (left.size === 0) return compareSets(left, right);
	const items = [shown].flat();
	if (index?.isListed && [...left].every(isNumber)) return compareListed(left, items, index);
	// Without a list nobody can say whether a text of digits is an ID, or the slug of another term.
	if (items.some((item) => typeof item === 'string' && isNumber(item))) return 'not comparable';
	const compared = compareSets(left, right);
	if (compared === 'same') return compared;
	if (!isOne && !mayBeSameTerms(left, right)) return 'other';
	// Slugs are shown without what isn't ASCII, and may be made of digits.
	const isDamaged = [...left].some((text) => /[^ -~]|%[\da-f]{2}/i.test(text));
	const all = [...left, ...right];
	const mayBeMixed = all.some(isNumber) && (isOne || !all.every(isNumber));
	return isDamaged || mayBeMixed ? 'not comparable' : 'other';
}

const isNumber = (text: string): boolean => NUMERIC.test(text);

/** A set may show the ID of a term that was sent by name, or the other way round, but no ID in place of another. */
function mayBeSameTerms(left: Set<string>, right: Set<string>): boolean {
	const sentIds = [...left].filter((text) => isNumber(text) && !right.has(text));
	const shownNames = [...right].filter((text) => !isNumber(text) && !left.has(text));
	return sentIds.length <= shownNames.length;
}

/** @param items as they are shown: a text is a slug, even one of digits */
function compareListed(ids: Set<string>, items: readonly unknown[], index: ReturnType<TermIndex>): Equality {
	const shown = items.map((item) => (typeof item === 'string' ? index.ofSlug(item) : String(item)));
	if (!shown.includes(undefined)) return equality(shown.every((id) => ids.has(String(id))));
	return shown.every((id) => id === undefined || ids.has(id)) ? 'not comparable' : 'other';
}

/** A term that objects would never show like this is another one, also where the one that is shown can't be told. */
function compareOneTerm(id: string, text: string, index: ReturnType<TermIndex>): Equality {
	const shown = index.ofSlug(text);
	if (shown !== undefined) return equality(shown === id);
	return index.mayShowAs(id, text) ? 'not comparable' : 'other';
}

function compareMaps(sent: Record<string, unknown>, shown: unknown): Equality {
	const none: Record<string, unknown> | undefined = asSet(shown)?.size === 0 ? {} : undefined;
	const held = isObject(shown) ? shown : none;
	if (held === undefined) return 'not comparable';
	const found = Object.entries(sent).map(([key, value]) => {
		if (!Object.hasOwn(held, key)) return equality(isEmpty(value));
		return compareRaw(compareAny, value, held[key], '');
	});
	if (found.includes('other')) return 'other';
	return found.includes('not comparable') ? 'not comparable' : 'same';
}

/** @param compare of the field's kind */
export function compareRaw(
	compare: Compare,
	sentRaw: unknown,
	shownRaw: unknown,
	name: string,
	terms?: TermIndex,
): Equality {
	const sent = rawValue(sentRaw);
	const shown = rawValue(shownRaw);
	return sent === undefined || shown === undefined ? 'not comparable' : compare(sent, shown, name, terms);
}
