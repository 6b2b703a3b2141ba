/** What a person or a file wrote for a field → the value that is sent, or why it can't be. */

import { type Field, flagName } from './fields.js';
import { ticketStatuses } from './statuses.js';
import { didYouMean } from './suggest.js';

/** A complaint without a place; the caller knows the row, line or flag. */
export interface Problem {
	problem: string;
}

export type Parsed<T> = { value: T } | Problem;

export interface ValueRules {
	/** Let values through that the interface does not show. */
	undocumented: boolean;
	/** A deployment's own spelling of a status → section 3's; any other comes back as it is. */
	statusIn?: (status: string) => string;
}

export function isProblem<T>(parsed: Parsed<T>): parsed is Problem {
	return 'problem' in parsed;
}

/** Stands for the caller's own id wherever a user's id is asked. */
export const OWN_ID = '@me';

const ID = /^[1-9][0-9]*$/;
const INTEGER = /^[0-9]+$/;
const SLUG = /^[A-Za-z0-9_-]{1,200}$/;
const DATE =
	/^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:Z|[+-](\d{2}):?(\d{2}))?)?$/;

/** How much of a rejected value a message repeats. */
const SHOWN = 60;

export function quote(text: string): string {
	return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

/** A positive integer that a number can hold exactly; returned as its digits, ready for a path. */
export function parseId(text: string): Parsed<string> {
	if (!ID.test(text)) return { problem: `${quote(text)} is not an id: ids are positive integers` };
	if (text.length > 16 || !Number.isSafeInteger(Number(text))) {
		return { problem: `${quote(text)} is not an id: it is larger than ${Number.MAX_SAFE_INTEGER}` };
	}
	return { value: text };
}

/** A slug fit for a path segment: letters, digits, `-` and `_`. */
export function parseSlug(text: string): Parsed<string> {
	if (SLUG.test(text)) return { value: text };
	return { problem: `${quote(text)} is not a slug: slugs hold letters, digits, "-" and "_"` };
}

function daysInMonth(year: number, month: number): number {
	return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Whether a text is a date or a date and time in ISO 8601, and one that exists. */
export function isIsoDate(text: string): boolean {
	const match = DATE.exec(text);
	if (match === null) return false;
	const [year, month, day, hour, minute, second, zoneHour, zoneMinute] = match
		.slice(1)
		.map((part) => (part === undefined ? 0 : Number(part))) as [
		number,
		number,
		number,
		number,
		number,
		number,
		number,
		number,
	];
	return (
		month >= 1 &&
		month <= 12 &&
		day >= 1 &&
		day <= daysInMonth(year, month) &&
		hour <= 23 &&
		minute <= 59 &&
		second <= 60 &&
		zoneHour <= 14 &&
		zoneMinute <= 59
	);
}

function splitList(text: string): string[] {
	return text
		.split(',')
		.map((part) => part.trim())
		.filter((part) => part !== '');
}

function termValue(text: string): string | number {
	return INTEGER.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

/** How deep lists and objects of an input may be nested. */
export const MAX_NESTING = 100;

export const NESTED_TOO_DEEP = `lists and objects are nested more than ${MAX_NESTING} deep`;

/** Why a value from a file or a flag is refused: what is nested deeper would overflow the stack of whoever walks it. */
export function nestingProblem(value: unknown): string | undefined {
	let level: unknown[] = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > MAX_NESTING) return NESTED_TOO_DEEP;
		level = level
			.filter((each) => typeof each === 'object' && each !== null)
			.flatMap((each) => Object.values(each as object));
	}
	return undefined;
}

function parseMap(text: string): Parsed<Record<string, unknown>> {
	const trimmed = text.trim();
	if (trimmed.startsWith('{')) {
		try {
			const value: unknown = JSON.parse(trimmed);
			if (isObject(value)) {
				const problem = nestingProblem(value);
				return problem === undefined ? { value } : { problem };
			}
		} catch {
			// Falls through to the complaint below.
		}
		return { problem: `${quote(text)} is not a JSON object` };
	}
	const at = text.indexOf('=');
	if (at <= 0) return { problem: `${quote(text)} is not key=value` };
	return { value: Object.fromEntries([[text.slice(0, at), text.slice(at + 1)]]) };
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a JSON value is, for messages: `an array`, `a string`, `null`. */
export function kindOf(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'an array';
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/**
 * Reads one text for a field. Lists are split at commas; maps are `key=value` or a JSON object.
 * The kinds' rules are those of the command line's "Values are checked before anything is sent".
 */
export function parseField(field: Field, text: string, rules: ValueRules): Parsed<unknown> {
	switch (field.kind) {
		case 'user':
		case 'integer':
			if (field.kind === 'user' && text === OWN_ID) return { value: OWN_ID };
			if (INTEGER.test(text) && Number.isSafeInteger(Number(text))) return { value: Number(text) };
			return rules.undocumented
				? { value: text }
				: { problem: `${field.name} ${quote(text)} is not a whole number of 0 or more` };
		case 'boolean':
			if (text === 'true') return { value: true };
			if (text === 'false') return { value: false };
			return rules.undocumented ? { value: text } : { problem: `${field.name} ${quote(text)} is not true or false` };
		case 'switch':
			return { value: text === 'true' ? true : text === 'false' ? false : text };
		case 'date':
			if (rules.undocumented || isIsoDate(text)) return { value: text };
			return {
				problem: `${field.name} ${quote(text)} is not an ISO 8601 date such as 2026-03-31 or 2026-03-31T09:00:00`,
			};
		case 'status': {
			const status = rules.statusIn?.(text) ?? text;
			if (rules.undocumented || ticketStatuses.includes(status)) return { value: status };
			return {
				problem: `status ${quote(text)} is not a documented ticket status${didYouMean(text, ticketStatuses) || '; supportctl help statuses lists them'}`,
			};
		}
		case 'adjustment':
			if (rules.undocumented || ['positive', 'negative', '+', '-'].includes(text)) return { value: text };
			return { problem: `${field.name} ${quote(text)} is not positive, negative, + or -` };
		case 'email':
			if (rules.undocumented || /^[^@\s]+@[^@\s]+$/.test(text)) return { value: text };
			return { problem: `email ${quote(text)} has no @ between a name and a host` };
		case 'terms':
			return { value: splitList(text).map(termValue) };
		case 'list':
			return { value: splitList(text) };
		case 'map': {
			const map = parseMap(text);
			return isProblem(map) ? { problem: `${field.name} ${map.problem}` } : map;
		}
		default:
			return { value: text };
	}
}

/**
 * Checks a value that came with a type of its own (NDJSON, `--data`). Types are kept as they are; where a string
 * stands, the rules for text hold.
 */
export function checkTyped(field: Field, value: unknown, rules: ValueRules): Parsed<unknown> {
	if (field.kind === 'status' && typeof value === 'string' && value !== '') return parseField(field, value, rules);
	if (hasInexactNumber(value))
		return {
			problem: `${field.name} has a number of more than 15 digits, which JSON does not keep exactly: write it as a string`,
		};
	if (rules.undocumented) return { value };
	if (typeof value === 'string' && value !== '' && !['terms', 'list', 'map'].includes(field.kind)) {
		const parsed = parseField(field, value, rules);
		return isProblem(parsed) ? parsed : { value };
	}
	const wrong = (wanted: string): Problem => ({
		problem: `${field.name} ${typeof value === 'string' ? quote(value) : JSON.stringify(value)} is not ${wanted}`,
	});
	switch (field.kind) {
		case 'user':
		case 'integer':
			return value === '' || (Number.isSafeInteger(value) && (value as number) >= 0)
				? { value }
				: wrong('a whole number of 0 or more');
		case 'boolean':
			return value === '' || typeof value === 'boolean' ? { value } : wrong('true or false');
		case 'status':
		case 'adjustment':
		case 'date':
		case 'email':
			return value === '' || value === null ? { value } : wrong('a string');
		case 'map':
			return value === '' || value === null || isObject(value) || Array.isArray(value) ? { value } : wrong('an object');
		default:
			return { value };
	}
}

/** Whether reading the JSON has changed a number anywhere in a value: whole ones beyond 2^53 are rounded, huge ones infinite. */
function hasInexactNumber(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return isInexact(value);
	// Not by recursion: a value may be nested deeper than the stack.
	const open: object[] = [value];
	for (let each = open.pop(); each !== undefined; each = open.pop()) {
		for (const inner of Object.values(each)) {
			if (typeof inner === 'object' && inner !== null) open.push(inner);
			else if (isInexact(inner)) return true;
		}
	}
	return false;
}

function isInexact(value: unknown): boolean {
	return (
		typeof value === 'number' && (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
	);
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

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Characters in place of the HTML entities that services write for them. */
function decodeEntities(text: string): string {
	return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (entity, decimal, hex, name) => {
		if (name !== undefined) return ENTITIES[name.toLowerCase()] as string;
		const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
		return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
	});
}

/** Whether two texts are the same but for line ends, outer blanks and the spelling of HTML entities. */
export function sameText(left: string, right: string): boolean {
	const [one, other] = [left, right].map((text) => decodeEntities(text.replaceAll('\r\n', '\n').trim()));
	return one === other;
}

/** Whether some field of a user's id stands for the caller's own. */
export function mentionsOwnId(
	fields: readonly Field[],
	values: Readonly<Record<string, unknown>> | undefined,
): boolean {
	return values !== undefined && fields.some(({ name, kind }) => kind === 'user' && values[name] === OWN_ID);
}

/** Values with the caller's id in place of `@me`. */
export function withOwnId(
	fields: readonly Field[],
	values: Readonly<Record<string, unknown>>,
	id: number,
): Readonly<Record<string, unknown>> {
	const own = fields.filter(({ name, kind }) => kind === 'user' && values[name] === OWN_ID);
	return { ...values, ...Object.fromEntries(own.map(({ name }) => [name, id])) };
}
