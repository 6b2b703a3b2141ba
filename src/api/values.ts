/** Text for a field → the value to send, or why it is refused. */

import { type Field, type FieldKind, flagName, ticketStatuses } from './fields.js';
import { didYouMean } from './suggest.js';

interface Problem {
	problem: string;
}

export type Parsed<T> = { value: T } | Problem;

export interface ValueRules {
	undocumented: boolean;
	/** The neutral word for a status of the deployment. */
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

const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/;

/** An ISO 8601 date, in ms since 1970; GMT if it names no zone. */
export function readMoment(text: string): { ms: number; hasZone: boolean } | undefined {
	const [, day, time = '00:00', zone] = DATE.exec(text) ?? [];
	const midnight = day === undefined ? Number.NaN : Date.parse(day);
	// JavaScript turns February 30 into March 2.
	if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(`${day}`)) return undefined;
	const ms = Date.parse(`${day}T${time.replace(',', '.')}${zone ?? 'Z'}`);
	return Number.isNaN(ms) ? undefined : { ms, hasZone: zone !== undefined };
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without a prototype, so that `__proto__` is a name like any other. */
export function emptyRecord<T>(): Record<string, T> {
	return Object.create(null) as Record<string, T>;
}

export function kindOf(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'an array';
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const MAX_NESTING = 100;

function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** Most code that reads values recurses. */
export function nestingProblem(value: unknown): string | undefined {
	return isDeeper(value, MAX_NESTING) ? `lists and objects are nested more than ${MAX_NESTING} deep` : undefined;
}

function wholeNumber(text: string): number | undefined {
	return /^[0-9]+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

const statusKey = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, '');
const statuses: ReadonlyMap<string, string> = new Map(ticketStatuses.map((status) => [statusKey(status), status]));

export const findStatus = (text: string): string | undefined => statuses.get(statusKey(text));

export function likelyStatus(text: string): string {
	const word = text
		.toLowerCase()
		.split(/[\s_-]+/)
		.find((each) => ticketStatuses.includes(each));
	return word === undefined ? didYouMean(text, ticketStatuses) : `; did you mean "${word}"?`;
}

/** Live services refuse it after saving other fields. */
const EMPTY_TERM = "can't be empty: services have no way to clear it";

const BOOLEANS = new Map([
	['true', true],
	['false', false],
]);
const when = (test: (text: string) => boolean) => (text: string) => (test(text) ? text : undefined);
const isNull = (value: unknown): boolean => value === null;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

function itemsOf(text: string): string[] {
	const items = text.split(',').map((part) => part.trim());
	return items.filter((item) => item !== '');
}

interface KindRule {
	parse?(text: string): unknown;
	accepts?(value: unknown): boolean;
	refusal?: string | ((text: string) => string);
}

/** Kinds without a rule accept everything. */
const RULES: Partial<Record<FieldKind, KindRule>> = {
	integer: { parse: wholeNumber, accepts: isCount, refusal: 'is not a whole number of 0 or more' },
	// A username is looked up before anything is sent.
	user: {
		parse: (text) => {
			if (text === NOBODY) return 0;
			return looksLikeNumber(text) ? wholeNumber(text) : text;
		},
		accepts: isCount,
		refusal: 'is not a username, an ID or none',
	},
	boolean: {
		parse: (text) => BOOLEANS.get(text),
		accepts: (value) => typeof value === 'boolean',
		refusal: 'is not true or false',
	},
	map: { accepts: (value) => typeof value === 'object', refusal: 'is not an object' },
	date: {
		parse: when((text) => readMoment(text) !== undefined),
		accepts: isNull,
		refusal: 'is not an ISO 8601 date such as 2026-03-31 or 2026-03-31T09:00:00',
	},
	status: {
		parse: findStatus,
		accepts: isNull,
		refusal: (text) => {
			if (/^(open|closed)$/i.test(text)) return 'is a state, not a status: use --state, or a column "state"';
			return `is not a documented ticket status${likelyStatus(text) || '; list them with "supportctl help statuses"'}`;
		},
	},
	state: { parse: (text) => (/^(open|closed)$/i.test(text) ? text.toLowerCase() : text) },
	switch: { parse: (text) => BOOLEANS.get(text) ?? text },
	list: { parse: itemsOf },
	terms: { parse: (text) => itemsOf(text).map((item) => wholeNumber(item) ?? item) },
	term: {
		parse: when((text) => text !== '' && !text.includes(',')),
		refusal: (text) => (text === '' ? EMPTY_TERM : 'is a list; a ticket has only one'),
	},
	adjustment: {
		parse: when((text) => ['positive', 'negative', '+', '-'].includes(text)),
		accepts: isNull,
		refusal: 'is not positive, negative, + or -',
	},
	email: {
		parse: when((text) => /^[^@\s]+@[^@\s]+$/.test(text)),
		accepts: isNull,
		refusal: 'is not an email address',
	},
};

function refused(name: string, value: unknown, { refusal }: KindRule): Problem {
	const isText = typeof value === 'string';
	const shown = isText ? quote(value) : JSON.stringify(value);
	const why = typeof refusal === 'function' ? refusal(isText ? value : '-') : refusal;
	return { problem: `${name} ${shown} ${why}` };
}

function parseMap(text: string): Parsed<unknown> {
	if (text.trim().startsWith('{')) {
		try {
			const value: unknown = JSON.parse(text);
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

export function parseField({ name, kind }: Field, given: string, rules: ValueRules): Parsed<unknown> {
	if (kind === 'map') {
		const map = parseMap(given);
		return isProblem(map) ? { problem: `${name} ${map.problem}` } : map;
	}
	const text = kind === 'status' ? (rules.statusIn?.(given) ?? given) : given;
	const rule = RULES[kind];
	const value = rule?.parse === undefined ? text : rule.parse(text);
	if (value !== undefined || rule === undefined) return { value };
	return rules.undocumented ? { value: text } : refused(name, given, rule);
}

/** A value with a type of its own (NDJSON, `--data`) keeps it; strings follow the rules for text. */
export function checkTyped(field: Field, value: unknown, rules: ValueRules): Parsed<unknown> {
	const { name, kind } = field;
	const isText = typeof value === 'string' && value !== '';
	if (isText && (kind === 'status' || (kind === 'user' && value === NOBODY))) return parseField(field, value, rules);
	const tooDeep = nestingProblem(value);
	if (tooDeep !== undefined) return { problem: `${name}: ${tooDeep}` };
	if (hasInexactNumber(value)) {
		const why = "has a number with more than 15 digits, which JSON can't store exactly: write it as a string";
		return { problem: `${name} ${why}` };
	}
	if (rules.undocumented) return { value };
	if (kind === 'term' && (value === '' || value === null)) return { problem: `${name} ${EMPTY_TERM}` };
	if (value === '') return { value };
	const rule = RULES[kind];
	if (isText && rule?.parse !== undefined) {
		const parsed = parseField(field, value, rules);
		return isProblem(parsed) ? parsed : { value };
	}
	return rule?.accepts === undefined || rule.accepts(value) ? { value } : refused(name, value, rule);
}

/** JSON.parse rounds integers beyond 2^53 and turns huge numbers into infinity. */
export function hasInexactNumber(value: unknown): boolean {
	if (typeof value === 'number') return !Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER;
	return typeof value === 'object' && value !== null && Object.values(value).some(hasInexactNumber);
}

/** Lists and maps are joined; otherwise the later value counts. */
export function mergeValues(field: Field, earlier: unknown, later: unknown): unknown {
	if (field.kind === 'map' && isObject(earlier) && isObject(later)) return { ...earlier, ...later };
	if (Array.isArray(earlier) && Array.isArray(later)) return [...earlier, ...later];
	return later;
}

export function findField<Named extends Pick<Field, 'name'>>(
	fields: readonly Named[],
	name: string,
): Named | undefined {
	const wanted = flagName(name.trim().toLowerCase());
	return fields.find((each) => flagName(each.name) === wanted);
}

export function isId(value: unknown): boolean {
	return Number.isSafeInteger(value) ? (value as number) > 0 : typeof value === 'string' && /^[1-9]\d*$/.test(value);
}
