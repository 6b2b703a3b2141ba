/** What a person or a file wrote for a field → the value that is sent, or why it can't be; and what JSON values are. */

import { type Field, type FieldKind, flagName, ticketStatuses } from './fields.js';
import { didYouMean } from './suggest.js';

/** A complaint without a place; the caller knows the row, line or flag. */
interface Problem {
	problem: string;
}

export type Parsed<T> = { value: T } | Problem;

export interface ValueRules {
	/** Allow values that the interface does not show. */
	undocumented: boolean;
	/** A deployment's own spelling of a status → section 3's; any other comes back as it is. */
	statusIn?: (status: string) => string;
}

export function isProblem<T>(parsed: Parsed<T>): parsed is Problem {
	return 'problem' in parsed;
}

/** Stands for your own account wherever a user is expected. */
export const OWN_ID = '@me';

/** Stands for nobody: an ID of 0. */
export const NOBODY = 'none';

/** How much of a rejected value a message repeats. */
const SHOWN = 60;

export function quote(text: string): string {
	return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

/** A positive integer that a number can hold exactly; returned as its digits, ready for a path. */
export function parseId(text: string): Parsed<string> {
	if (!/^[1-9][0-9]*$/.test(text)) return { problem: `${quote(text)} is not an id: ids are positive integers` };
	if (Number.isSafeInteger(Number(text))) return { value: text };
	return { problem: `${quote(text)} is not an id: it is larger than ${Number.MAX_SAFE_INTEGER}` };
}

/** Whether a text is a number: it can't be a name then, unless it's written `@NAME`. */
export function looksLikeNumber(text: string): boolean {
	return /^-?\d+(?:[.,]\d+)?$/.test(text);
}

/** A slug fit for a path segment: letters, digits, `-` and `_`. */
export function parseSlug(text: string): Parsed<string> {
	if (/^[A-Za-z0-9_-]{1,200}$/.test(text)) return { value: text };
	return { problem: `${quote(text)} is not a slug: slugs hold letters, digits, "-" and "_"` };
}

const DATE =
	/^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:[.,]\d{1,9})?)?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?)?$/;

/** Whether a text is a date or a date and time in ISO 8601, and one that exists. */
export function isIsoDate(text: string): boolean {
	const [, year, month, day] = DATE.exec(text) ?? [];
	return Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

/** The moment that an ISO 8601 text names, in ms since 1970, as GMT where it names no zone; undefined for other texts. */
export function readMoment(text: string): { ms: number; hasZone: boolean } | undefined {
	if (!isIsoDate(text)) return undefined;
	const hasZone = DATE.exec(text)?.[4] !== undefined;
	const time = text.length === 10 ? `${text}T00:00` : text.replace(',', '.');
	const ms = Date.parse(hasZone ? time : `${time}Z`);
	return Number.isNaN(ms) ? undefined : { ms, hasZone };
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An empty object without a prototype, so that `__proto__` and `constructor` are names like any other. */
export function emptyRecord<T>(): Record<string, T> {
	return Object.create(null) as Record<string, T>;
}

/** What a JSON value is, for messages: `an array`, `a string`, `null`. */
export function kindOf(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'an array';
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** How deep lists and objects of an input may be nested. */
export const MAX_NESTING = 100;

export const NESTED_TOO_DEEP = `lists and objects are nested more than ${MAX_NESTING} deep`;

/** The values in a value, a level at a time: recursion into what is nested deep would overflow the stack. */
function* levelsOf(value: unknown): Iterable<unknown[]> {
	for (let level = [value]; level.length > 0; ) {
		yield level;
		const nested = level.filter((each) => typeof each === 'object' && each !== null);
		level = nested.flatMap((each) => Object.values(each as object));
	}
}

/** Why a value from a file or a flag is nested too deep: most code that reads it recurses. */
export function nestingProblem(value: unknown): string | undefined {
	let depth = 0;
	for (const _level of levelsOf(value)) if (depth++ > MAX_NESTING) return NESTED_TOO_DEEP;
	return undefined;
}

function wholeNumber(text: string): number | undefined {
	return /^[0-9]+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

/** Statuses match without regard to case, spaces and dashes. */
const statusKey = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, '');
const statuses: ReadonlyMap<string, string> = new Map(ticketStatuses.map((status) => [statusKey(status), status]));

/** `On Hold` is likely to mean `hold`. */
function likelyStatus(text: string): string {
	const word = text
		.toLowerCase()
		.split(/[\s_-]+/)
		.find((each) => ticketStatuses.includes(each));
	return word === undefined ? didYouMean(text, ticketStatuses) : `; did you mean "${word}"?`;
}

/** Live services refuse it, after they saved other fields of the request. */
const EMPTY_TERM = 'is empty, and services have no way to clear it';

const asBoolean = (text: string): boolean | undefined =>
	text === 'true' ? true : text === 'false' ? false : undefined;
const when = (test: (text: string) => boolean) => (text: string) => (test(text) ? text : undefined);

/** The value of a text, undefined where it is not allowed; and why it is refused. Other kinds take every text. */
interface TextRule {
	parse(text: string): unknown;
	refusal(text: string): string;
}

const TEXTS: Partial<Record<FieldKind, TextRule>> = {
	integer: { parse: wholeNumber, refusal: () => 'is not a whole number of 0 or more' },
	// A username is looked up before anything is sent.
	user: {
		parse: (text) => {
			if (text === NOBODY) return 0;
			return looksLikeNumber(text) ? wholeNumber(text) : text;
		},
		refusal: () => 'is not a username, an ID or none',
	},
	boolean: { parse: asBoolean, refusal: () => 'is not true or false' },
	date: {
		parse: when(isIsoDate),
		refusal: () => 'is not an ISO 8601 date such as 2026-03-31 or 2026-03-31T09:00:00',
	},
	status: {
		parse: (text) => statuses.get(statusKey(text)),
		refusal: (text) =>
			`is not a documented ticket status${likelyStatus(text) || '; supportctl help statuses lists them'}`,
	},
	term: {
		parse: when((text) => text !== '' && !text.includes(',')),
		refusal: (text) => (text === '' ? EMPTY_TERM : 'is a list, and a ticket has one'),
	},
	adjustment: {
		parse: when((text) => ['positive', 'negative', '+', '-'].includes(text)),
		refusal: () => 'is not positive, negative, + or -',
	},
	email: { parse: when((text) => /^[^@\s]+@[^@\s]+$/.test(text)), refusal: () => 'has no @ between a name and a host' },
};

/** What a value may be that is no text. Other kinds take every value. */
interface TypeRule {
	accepts(value: unknown): boolean;
	wanted: string;
}

const count: TypeRule = {
	accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
	wanted: 'a whole number of 0 or more',
};
const user: TypeRule = { ...count, wanted: 'a user' };
const string: TypeRule = { accepts: (value) => value === null, wanted: 'a string' };

const TYPES: Partial<Record<FieldKind, TypeRule>> = {
	integer: count,
	user,
	boolean: { accepts: (value) => typeof value === 'boolean', wanted: 'true or false' },
	map: { accepts: (value) => typeof value === 'object', wanted: 'an object' },
	date: string,
	status: string,
	adjustment: string,
	email: string,
};

function parseMap(text: string): Parsed<Record<string, unknown>> {
	const trimmed = text.trim();
	if (trimmed.startsWith('{')) {
		try {
			const value = JSON.parse(trimmed) as Record<string, unknown>;
			const problem = nestingProblem(value);
			return problem === undefined ? { value } : { problem };
		} catch {
			return { problem: `${quote(text)} is not a JSON object` };
		}
	}
	const at = text.indexOf('=');
	if (at <= 0) return { problem: `${quote(text)} is not key=value` };
	return { value: Object.fromEntries([[text.slice(0, at), text.slice(at + 1)]]) };
}

/**
 * Reads one text for a field. Lists are split at commas; maps are `key=value` or a JSON object.
 * The kinds' rules are those of the command line's "Values are checked before anything is sent".
 */
export function parseField({ name, kind }: Field, given: string, rules: ValueRules): Parsed<unknown> {
	const items = (): string[] => given.split(',').map((part) => part.trim());
	switch (kind) {
		case 'list':
			return { value: items().filter((item) => item !== '') };
		case 'terms':
			return {
				value: items()
					.filter((item) => item !== '')
					.map((item) => wholeNumber(item) ?? item),
			};
		case 'map': {
			const map = parseMap(given);
			return isProblem(map) ? { problem: `${name} ${map.problem}` } : map;
		}
		case 'switch':
			return { value: asBoolean(given) ?? given };
	}
	const text = kind === 'status' ? (rules.statusIn?.(given) ?? given) : given;
	const rule = TEXTS[kind];
	if (rule === undefined) return { value: text };
	const value = rule.parse(text) ?? (rules.undocumented ? text : undefined);
	return value === undefined ? { problem: `${name} ${quote(given)} ${rule.refusal(given)}` } : { value };
}

/**
 * Checks a value that came with a type of its own (NDJSON, `--data`). Types are kept as they are; where a string
 * stands, the rules for text hold.
 */
export function checkTyped(field: Field, value: unknown, rules: ValueRules): Parsed<unknown> {
	const { name, kind } = field;
	const isText = typeof value === 'string' && value !== '';
	if (isText && (kind === 'status' || (kind === 'user' && value === NOBODY))) return parseField(field, value, rules);
	if (hasInexactNumber(value)) {
		const why = 'has a number of more than 15 digits, which JSON does not keep exactly: write it as a string';
		return { problem: `${name} ${why}` };
	}
	if (rules.undocumented) return { value };
	if (kind === 'term' && (value === '' || value === null)) return { problem: `${name} ${EMPTY_TERM}` };
	if (value === '') return { value };
	if (isText && TEXTS[kind] !== undefined) {
		const parsed = parseField(field, value, rules);
		return isProblem(parsed) ? parsed : { value };
	}
	const rule = TYPES[kind];
	if (rule === undefined || rule.accepts(value)) return { value };
	const shown = typeof value === 'string' ? quote(value) : JSON.stringify(value);
	return { problem: `${name} ${shown} is not ${rule.wanted}` };
}

/** Whether reading the JSON has changed a number anywhere in a value: integers beyond 2^53 are rounded, huge ones infinite. */
export function hasInexactNumber(value: unknown): boolean {
	const isInexact = (each: unknown): boolean =>
		typeof each === 'number' && (!Number.isFinite(each) || Math.abs(each) > Number.MAX_SAFE_INTEGER);
	for (const level of levelsOf(value)) if (level.some(isInexact)) return true;
	return false;
}

/** Joins what a repeated flag or a second source adds to a field that holds several values; otherwise the later one wins. */
export function mergeValues(field: Field, earlier: unknown, later: unknown): unknown {
	if (field.kind === 'map' && isObject(earlier) && isObject(later)) return { ...earlier, ...later };
	if (Array.isArray(earlier) && Array.isArray(later)) return [...earlier, ...later];
	return later;
}

/** A field by its wire name or by its flag's spelling. */
export function findField<Named extends Pick<Field, 'name'>>(
	fields: readonly Named[],
	name: string,
): Named | undefined {
	const wanted = flagName(name.trim().toLowerCase());
	return fields.find((each) => flagName(each.name).toLowerCase() === wanted);
}

/** Whether a value can be an id. */
export function isId(value: unknown): boolean {
	return Number.isSafeInteger(value) ? (value as number) > 0 : typeof value === 'string' && /^[1-9]\d*$/.test(value);
}
