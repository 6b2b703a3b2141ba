/** Text for a field → the value to send, or why it is refused. */

import { type Field, type FieldKind, flagName, ticketStatuses } from './fields.js';
import { didYouMean } from './suggest.js';

/** The caller knows the row, line or flag. */
interface Problem {
	problem: string;
}

export type Parsed<T> = { value: T } | Problem;

export interface ValueRules {
	undocumented: boolean;
	/** Other words come back as they are. */
	statusIn?: (status: string) => string;
}

export function isProblem<T>(parsed: Parsed<T>): parsed is Problem {
	return 'problem' in parsed;
}

export const OWN_ID = '@me';

export const NOBODY = 'none';

const SHOWN = 60;

export function quote(text: string): string {
	return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

/** As digits, ready for a path. */
export function parseId(text: string): Parsed<string> {
	if (!/^[1-9][0-9]*$/.test(text)) return { problem: `invalid ID ${quote(text)} (IDs are positive integers)` };
	if (Number.isSafeInteger(Number(text))) return { value: text };
	return { problem: `invalid ID ${quote(text)}: larger than ${Number.MAX_SAFE_INTEGER}` };
}

/** Names made of digits are written `@NAME`. */
export function looksLikeNumber(text: string): boolean {
	return /^-?\d+(?:[.,]\d+)?$/.test(text);
}

export function parseSlug(text: string): Parsed<string> {
	if (/^[A-Za-z0-9_-]{1,200}$/.test(text)) return { value: text };
	return { problem: `invalid slug ${quote(text)} (slugs contain letters, digits, "-" and "_")` };
}

/** A slug, or the words that name what has one. */
export function parseSlugOrName(text: string): Parsed<string> {
	return /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u.test(text) ? { value: text } : parseSlug(text);
}

const DATE =
	/^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:[.,]\d{1,9})?)?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?)?$/;

export function isIsoDate(text: string): boolean {
	const [, year, month, day] = DATE.exec(text) ?? [];
	return Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

/** In ms since 1970; GMT if it names no zone. */
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

/** Without a prototype, so that `__proto__` is a name like any other. */
export function emptyRecord<T>(): Record<string, T> {
	return Object.create(null) as Record<string, T>;
}

/** `an array`, `a string`, `null`. */
export function kindOf(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'an array';
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export const MAX_NESTING = 100;

export const NESTED_TOO_DEEP = `lists and objects are nested more than ${MAX_NESTING} deep`;

/** Level by level: recursion would overflow the stack. */
function* levelsOf(value: unknown): Iterable<unknown[]> {
	for (let level = [value]; level.length > 0; ) {
		yield level;
		const nested = level.filter((each) => typeof each === 'object' && each !== null);
		level = nested.flatMap((each) => Object.values(each as object));
	}
}

/** Most code that reads values recurses. */
export function nestingProblem(value: unknown): string | undefined {
	let depth = 0;
	for (const _level of levelsOf(value)) if (depth++ > MAX_NESTING) return NESTED_TOO_DEEP;
	return undefined;
}

function wholeNumber(text: string): number | undefined {
	return /^[0-9]+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

const statusKey = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, '');
const statuses: ReadonlyMap<string, string> = new Map(ticketStatuses.map((status) => [statusKey(status), status]));

/** The documented status that a text means, whatever its case, spaces and dashes. */
export const findStatus = (text: string): string | undefined => statuses.get(statusKey(text));

/** `On Hold` is likely to mean `hold`. */
export function likelyStatus(text: string): string {
	const word = text
		.toLowerCase()
		.split(/[\s_-]+/)
		.find((each) => ticketStatuses.includes(each));
	return word === undefined ? didYouMean(text, ticketStatuses) : `; did you mean "${word}"?`;
}

/** Live services refuse it after saving other fields. */
const EMPTY_TERM = "can't be empty: services have no way to clear it";

const asBoolean = (text: string): boolean | undefined =>
	text === 'true' ? true : text === 'false' ? false : undefined;
const when = (test: (text: string) => boolean) => (text: string) => (test(text) ? text : undefined);

/** Other kinds accept every text. */
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
		parse: findStatus,
		refusal: (text) => {
			if (/^(open|closed)$/i.test(text)) return 'is a state, not a status: use --state, or a column "state"';
			return `is not a documented ticket status${likelyStatus(text) || '; list them with "supportctl help statuses"'}`;
		},
	},
	state: {
		parse: (text) => (/^(open|closed)$/i.test(text) ? text.toLowerCase() : text),
		refusal: () => '',
	},
	term: {
		parse: when((text) => text !== '' && !text.includes(',')),
		refusal: (text) => (text === '' ? EMPTY_TERM : 'is a list; a ticket has only one'),
	},
	adjustment: {
		parse: when((text) => ['positive', 'negative', '+', '-'].includes(text)),
		refusal: () => 'is not positive, negative, + or -',
	},
	email: { parse: when((text) => /^[^@\s]+@[^@\s]+$/.test(text)), refusal: () => 'is not an email address' },
};

/** For values that are not text. Other kinds accept every value. */
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

/** Lists are split at commas; maps are `key=value` or JSON. */
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

/** A value with a type of its own (NDJSON, `--data`) keeps it; strings follow the rules for text. */
export function checkTyped(field: Field, value: unknown, rules: ValueRules): Parsed<unknown> {
	const { name, kind } = field;
	const isText = typeof value === 'string' && value !== '';
	if (isText && (kind === 'status' || (kind === 'user' && value === NOBODY))) return parseField(field, value, rules);
	if (hasInexactNumber(value)) {
		const why = "has a number with more than 15 digits, which JSON can't store exactly: write it as a string";
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

/** JSON.parse rounds integers beyond 2^53 and turns huge numbers into infinity. */
export function hasInexactNumber(value: unknown): boolean {
	const isInexact = (each: unknown): boolean =>
		typeof each === 'number' && (!Number.isFinite(each) || Math.abs(each) > Number.MAX_SAFE_INTEGER);
	for (const level of levelsOf(value)) if (level.some(isInexact)) return true;
	return false;
}

/** Lists and maps are joined; otherwise the later value counts. */
export function mergeValues(field: Field, earlier: unknown, later: unknown): unknown {
	if (field.kind === 'map' && isObject(earlier) && isObject(later)) return { ...earlier, ...later };
	if (Array.isArray(earlier) && Array.isArray(later)) return [...earlier, ...later];
	return later;
}

/** By name or by the flag's spelling. */
export function findField<Named extends Pick<Field, 'name'>>(
	fields: readonly Named[],
	name: string,
): Named | undefined {
	const wanted = flagName(name.trim().toLowerCase());
	return fields.find((each) => flagName(each.name).toLowerCase() === wanted);
}

export function isId(value: unknown): boolean {
	return Number.isSafeInteger(value) ? (value as number) > 0 : typeof value === 'string' && /^[1-9]\d*$/.test(value);
}
