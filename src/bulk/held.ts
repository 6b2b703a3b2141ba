/** What an object contains, as far as a read shows it: each field is shown, absent or not known. */

import { compareAll, compareField, customFieldText, readCustomFields, writtenName } from '../api/applied.js';
import { compareIds, type Equality, rawValue, type TermIndex } from '../api/compare.js';
import { bodyKinds, type Endpoint } from '../api/endpoints.js';
import { isValueOf } from '../api/fields.js';
import { type FieldKind, itemsOf, namesTerms } from '../api/kinds.js';
import { emptyRecord, isObject, kindOf } from '../api/values.js';
import type { Known } from '../http/known.js';
import { type Outcome, unsent } from '../http/outcome.js';
import type { Fields } from './plan.js';

export type KnownValue = Known<unknown>;

export interface Held {
	/** Terms are IDs. A custom field that the service doesn't list is absent; any other field that is not shown is not known. */
	field(name: string): KnownValue;
	/** Whether writing the value that is shown would restore it; a slug may not lead back to its term. */
	leadsBack(name: string): boolean;
	/** Whether it shows which terms these are. Without a list of them, services show slugs, which can look like IDs. */
	areIds(name: string): boolean;
	readonly names: readonly string[];
	/** Custom fields can be written under another name than they are shown. */
	writtenAs(name: string): string;
	/** @param value as we would send it: terms are IDs @param now by default what the field shows */
	compare(name: string, value: unknown, now?: unknown): Equality;
}

type HeldEndpoint = Pick<Endpoint, 'body' | 'fields'>;

/** @returns undefined for what is no object */
export function heldOf(endpoint: HeldEndpoint, body: unknown, terms?: TermIndex): Held | undefined {
	const fieldOf = bodyKinds[endpoint.body].areListed ? customFields(body) : objectFields(endpoint, body, terms);
	if (fieldOf === undefined) return undefined;
	const kinds = new Map(endpoint.fields.map(({ name, kind }) => [name, kind]));
	const areIds = (name: string): boolean => isTerm(kinds.get(name)) && terms?.(name).isListed === true;
	return {
		...fieldOf,
		areIds: (name) => areIds(name) || [shownValue(fieldOf.field(name))].flat().every(Number.isInteger),
		leadsBack: (name) =>
			!isTerm(kinds.get(name)) || areIds(name) || [shownValue(fieldOf.field(name))].flat().every(isReadable),
		compare(name, value, given) {
			const known = fieldOf.field(name);
			const now = given ?? (known.is === 'absent' ? null : shownValue(known));
			if (now === undefined) return 'not comparable';
			return areIds(name) ? compareIds(value, now) : compareField(endpoint, name, value, now);
		},
	};
}

/** Values that we kept or planned: their terms are IDs, whatever they look like. */
export function heldIn({ fields, body }: HeldEndpoint, values: Fields): Held {
	const kinds = new Map(fields.map(({ name, kind }) => [name, kind]));
	return {
		field(name) {
			if (Object.hasOwn(values, name)) return { is: 'shown', value: values[name] };
			return { is: 'unknown', why: notShown(name) };
		},
		leadsBack: () => true,
		areIds: (name) => isTerm(kinds.get(name)),
		names: Object.keys(values),
		writtenAs: (name) => name,
		compare(name, value, now = values[name]) {
			if (now === undefined) return 'not comparable';
			return isTerm(kinds.get(name)) ? compareIds(value, now) : compareField({ fields, body }, name, value, now);
		},
	};
}

/** The same object after writes of ours. */
export function heldAfter(held: Held, written: Held): Held {
	const names = new Set(written.names);
	const of = (name: string): Held => (names.has(name) ? written : held);
	return {
		field: (name) => of(name).field(name),
		leadsBack: (name) => of(name).leadsBack(name),
		areIds: (name) => of(name).areIds(name),
		names: [...new Set([...held.names, ...names])],
		writtenAs: held.writtenAs,
		compare: (name, ...values) => of(name).compare(name, ...values),
	};
}

/** The same with those fields that another read of the object shows. */
export function heldWith(held: Held, names: readonly string[], other: Held): Held {
	return names.reduce((whole, name) => {
		const known = other.field(name);
		return held.field(name).is !== 'shown' && isShown(known) ? withField(whole, name, known.value) : whole;
	}, held);
}

export type TermOf = (taxonomy: string, id: string) => Promise<Known<string>>;

/** Asks for the terms of those fields whose slugs don't tell: they are empty, damaged or not unique. */
export async function withTerms(held: Held, names: Iterable<string>, id: string, termOf: TermOf): Promise<Held> {
	let whole = held;
	for (const name of names) {
		const known = held.field(name);
		if (known.is !== 'unknown' || known.why.code !== UNTOLD_TERM) continue;
		const term = await termOf(name, id);
		if (isShown(term)) whole = withField(whole, name, term.value);
	}
	return whole;
}

const isTerm = (kind: FieldKind | undefined): boolean => kind !== undefined && namesTerms({ kind });

/** The same with one more value, which the object itself did not show. */
function withField(held: Held, name: string, value: unknown): Held {
	return {
		...held,
		field: (each) => (each === name ? { is: 'shown', value } : held.field(each)),
		compare: (each, sent, now) => (each === name ? compareIds(sent, value) : held.compare(each, sent, now)),
	};
}

/** How the object compares with what was sent. */
export function compareHeld(held: Held, sent: Fields): ReturnType<typeof compareAll> {
	return compareAll(sent, (name) => shownValue(held.field(name)), held.compare);
}

/** For those who handle a value that is absent or not known like one that is empty; they say why. */
export function shownValue(known: KnownValue): unknown {
	return known.is === 'shown' ? known.value : undefined;
}

export function isShown<T>(known: Known<T>): known is Extract<Known<T>, { is: 'shown' }> {
	return known.is === 'shown';
}

/** The service has the field, and shows nothing that could be its value. */
const NO_VALUE = 'no_value';

function noValue(name: string, value: unknown): Outcome {
	return unsent('failed', NO_VALUE, `the service shows ${kindOf(value)} as the ${name}, which is no value of it`);
}

export function isOdd(known: KnownValue): boolean {
	return known.is === 'unknown' && known.why.code === NO_VALUE;
}

const notShown = (name: string): Outcome => unsent('failed', 'not_shown', `the service does not show ${name}`);

function objectFields({ fields }: HeldEndpoint, body: unknown, terms: TermIndex | undefined) {
	if (!isObject(body) || Object.keys(body).length === 0) return undefined;
	const byName = new Map(fields.map((field) => [field.name, field]));
	return {
		field(name: string): KnownValue {
			const value = Object.hasOwn(body, name) ? rawValue(body[name]) : undefined;
			if (value === undefined) return { is: 'unknown', why: notShown(name) };
			const field = byName.get(name);
			const isValue = field === undefined ? value !== null : isValueOf(field, value);
			if (!isValue) return { is: 'unknown', why: noValue(name, value) };
			return isTerm(field?.kind) ? termIds(name, value, terms) : { is: 'shown', value };
		},
		names: Object.keys(body),
		writtenAs: (name: string) => name,
	};
}

/** Only IDs are safe to write and to compare: slugs can be shown damaged or empty, or look like IDs. */
function termIds(taxonomy: string, value: unknown, terms: TermIndex | undefined): KnownValue {
	if (Array.isArray(value)) {
		const ids: unknown[] = [];
		for (const each of value) {
			const known = termIds(taxonomy, each, terms);
			if (!isShown(known)) return known;
			ids.push(known.value);
		}
		return { is: 'shown', value: ids };
	}
	if (typeof value !== 'string') return { is: 'shown', value };
	const index = terms?.(taxonomy);
	if (index?.isListed !== true) return { is: 'shown', value };
	const id = index.ofSlug(value);
	if (id !== undefined) return { is: 'shown', value: id };
	const mayBeEmpty = value === '' && !index.hasHidden;
	return mayBeEmpty ? { is: 'shown', value } : untold(taxonomy, value);
}

/** Its terms can be asked for. */
const UNTOLD_TERM = 'untold_term';

/** A slug that leads back to its term where the service has no list of terms. */
const isReadable = (slug: unknown): boolean =>
	typeof slug !== 'string' || (/^[a-z][\w-]*$/i.test(slug) && !slug.includes('--'));

function untold(taxonomy: string, slug: string): KnownValue {
	const message = `the service shows the ${taxonomy} as ${JSON.stringify(slug)}, so it isn't clear which term it is`;
	return { is: 'unknown', why: unsent('failed', UNTOLD_TERM, message) };
}

/** Shown as `severity`, written as `xx_severity`. */
function customFields(body: unknown) {
	const fields = readCustomFields(body);
	if (fields === undefined) return undefined;
	const names = Object.keys(fields);
	const shownNames = new Map(names.map((name) => [writtenName(body, name), name]));
	return {
		field(name: string): KnownValue {
			const shown = Object.hasOwn(fields, name) ? name : shownNames.get(name);
			// The list of a ticket's custom fields is whole.
			if (shown === undefined) return { is: 'absent', why: notShown(name) };
			const value = fields[shown];
			// Each deployment has fields of its own, of any kind.
			return value === null ? { is: 'unknown', why: noValue(name, value) } : { is: 'shown', value };
		},
		names,
		writtenAs: (name: string) => (Object.hasOwn(fields, name) ? writtenName(body, name) : name),
	};
}

export interface KnownFields {
	readonly values: Fields;
	/** Those that the object does not have. */
	readonly absent: readonly string[];
}

/** @returns what is known of the fields, or the first one of which nothing is */
export function valuesOf(held: Held, names: readonly string[]): KnownFields | Extract<KnownValue, { is: 'unknown' }> {
	const values = emptyRecord<unknown>();
	const absent: string[] = [];
	for (const name of names) {
		const known = held.field(name);
		if (known.is === 'unknown') return known;
		if (known.is === 'absent') absent.push(name);
		else values[name] = known.value;
	}
	return { values, absent };
}

/** Stricter than a comparison: white space counts. */
export function isUnchanged(endpoint: HeldEndpoint, name: string, value: unknown, held: Held): boolean {
	const known = held.field(name);
	// Nothing empties a field that is not there.
	if (!isShown(known)) return known.is === 'absent' && isNothing(value);
	const now = known.value;
	if (bodyKinds[endpoint.body].areTexts) {
		return typeof value === 'string' ? customFieldText(now) === value : now === value;
	}
	// An ID and the slug of another term can be the same text.
	const isOfTerm = isTerm(endpoint.fields.find((field) => field.name === name)?.kind);
	const areTexts = !isOfTerm && typeof value === 'string' && typeof now === 'string';
	return areTexts ? value === now : held.compare(name, value) === 'same';
}

/** Whether a condition such as `--if status=hold` is met; nobody knows where it can't be compared. */
export function compareCondition(held: Held, name: string, now: unknown, value: string): Equality {
	if (value === '') return isNothing(now) ? 'same' : 'other';
	if (Array.isArray(now)) return held.compare(name, itemsOf(value));
	return value === '0' || !isNothing(now) ? held.compare(name, value) : 'other';
}

export function isNothing(value: unknown): boolean {
	const isEmptyList = Array.isArray(value) && value.length === 0;
	return isEmptyList || [undefined, null, '', 0, '0'].includes(value as undefined);
}

/** Fields by which people call an object, the best first. */
export const LABELS = ['username', 'title', 'name', 'slug'];

/** What people call the object. Its custom fields have names of their own. */
export function labelOf({ body }: HeldEndpoint, held: Held | undefined): string | undefined {
	return bodyKinds[body].areListed || held === undefined ? undefined : namesIn(held)[0];
}

/** All that people may call the object by, as far as it is shown. */
export function namesIn(held: Held): string[] {
	return textsOf(LABELS.map((name) => shownValue(held.field(name))));
}

/** The same, of values that were kept or planned. */
export function namesOf(values: Fields): string[] {
	return textsOf(LABELS.map((name) => values[name]));
}

function textsOf(values: readonly unknown[]): string[] {
	return values.filter((value): value is string => typeof value === 'string' && value !== '');
}
