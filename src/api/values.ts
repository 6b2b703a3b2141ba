/** What every value is made of: IDs, slugs, dates, and what JSON may hold. */

import { formatCount } from '../text.js';

/** In words; the caller adds the row, line or flag. */
interface Problem {
	problem: string;
}

export type Parsed<T> = { value: T } | Problem;

export function isProblem<T>(parsed: Parsed<T>): parsed is Problem {
	return 'problem' in parsed;
}

/** Your own ID, wherever a user is asked for. */
export const OWN_ID = '@me';

export const NOBODY = 'none';

/** So much of a refused value is repeated in a message. */
const SHOWN = 60;

/** Marks of decomposed text are escaped: it looks like composed text, and is another name. */
export function quote(text: string): string {
	const shown = text.length > SHOWN ? `${startOf(text, SHOWN)}…` : text;
	const quoted = JSON.stringify(shown);
	if (shown.normalize('NFC') === shown) return quoted;
	return quoted.replace(/\p{M}/gu, (mark) => {
		const hex = (mark.codePointAt(0) ?? 0).toString(16);
		return mark.length === 1 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
	});
}

/** Without half of a character at the end. */
export function startOf(text: string, length: number): string {
	return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/** A service's words are kept in journals, reports and on terminals: so many bytes of each text. */
export const MOST_WORDS = 4096;

/** At most so much of a text, in whole characters. */
export function bounded(text: string): string {
	const bytes = Buffer.from(startOf(text, MOST_WORDS + 1));
	if (bytes.length <= MOST_WORDS && text.length <= MOST_WORDS) return text;
	const start = bytes.subarray(0, MOST_WORDS - Buffer.byteLength('…'));
	// It leaves out an unfinished character at the end.
	return `${new TextDecoder('utf-8', { ignoreBOM: true }).decode(start, { stream: true })}…`;
}

/** People and spreadsheets write #14; `id:14` is an ID where 14 could be a name. */
const ID_MARK = /^(?:#|id:)(?=\d+$)/i;

const URL_START = /^(?:https?:\/\/|www\.)/i;

export function looksLikeUrl(text: string): boolean {
	return URL_START.test(text);
}

/** `…/tickets/14`, `…?post=14` */
const ID_IN_URL = /[?&](?:post|p|id|ticket|ticket_id|user_id)=(\d+)|\/(\d+)\/?(?:[?#].*)?$/i;

/**
 * What people and spreadsheets write in the place of an ID. The number is only offered: to use it would be to guess
 * which object is meant.
 */
const mistakenIds: readonly (readonly [looks: RegExp, like: string, remedy: (text: string) => string | undefined])[] = [
	[/^\d+[.,]0+$/, 'a decimal number', (text) => text.replace(/[.,]0+$/, '')],
	[/^\d{1,3}(?:[.,'’\s]\d{3})+$/, 'a number with separators', (text) => text.replace(/\D/g, '')],
	[/^\d[\d\s]*[,;][\d\s,;]*$/, 'several IDs; put each in a row', () => undefined],
	[/^\d+(?:[.,]\d+)?e\+?\d+$/i, 'scientific notation; format the column as whole numbers', () => undefined],
	[URL_START, 'a URL', (text) => ID_IN_URL.exec(text)?.slice(1).find(Boolean)],
	[/^(?:(?:grand|sub)[\s-]*)?(?:totals?|sum|count|summe|gesamt)\b/i, 'a line of totals; remove it', () => undefined],
	[/^(?:0+|(?=.*[^\x00-\x7f]))\p{Nd}+$/u, 'a number', (text) => text.normalize('NFKC').replace(/^0+/, '')],
	[/^\p{L}[\p{L}\s.:#_-]*\d+$/u, 'a name with its ID', (text) => /\d+$/.exec(text)?.[0]],
];

/** A longer text is nothing that was meant as an ID. */
const LONGEST_MEANT = 300;

/** In parentheses behind what was given. */
function idMeant(text: string): string {
	if (text.length > LONGEST_MEANT) return 'IDs are positive integers';
	for (const [looks, like, remedy] of mistakenIds) {
		if (!looks.test(text)) continue;
		const id = remedy(text);
		return id === undefined || !/^[1-9]\d*$/.test(id) ? `looks like ${like}` : `looks like ${like}; write ${id}`;
	}
	return 'IDs are positive integers';
}

/** @returns digits, ready for a path */
export function parseId(text: string): Parsed<string> {
	const digits = text.replace(ID_MARK, '');
	if (!/^[1-9][0-9]*$/.test(digits)) return { problem: `invalid ID ${quote(text)} (${idMeant(text)})` };
	if (Number.isSafeInteger(Number(digits))) return { value: digits };
	return { problem: `invalid ID ${quote(text)}: larger than ${Number.MAX_SAFE_INTEGER}` };
}

/** `11,12,13` is three; names may contain commas. */
export function splitIds(text: string): string[] {
	return /^(?:#|id:)?\d+(?:,(?:#|id:)?\d+)+$/i.test(text) ? text.split(',') : [text];
}

/** Names made of digits are written `@NAME`. */
export function looksLikeNumber(text: string): boolean {
	return /^-?\d+(?:[.,]\d+)?$/.test(text);
}

/** Fit for a segment of a path. */
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

/** `an array`, `a string`, `null` */
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

/** Strings whole, so that what is inside them has no meaning. */
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/gs;

/**
 * A key that an object has twice: JSON.parse keeps the later one without a word, which may be another object's ID.
 * @param text valid JSON
 */
export function repeatedKey(text: string): string | undefined {
	const open: (Set<string> | undefined)[] = [];
	let last = '';
	for (const [token] of text.matchAll(JSON_TOKEN)) {
		if (token === '{') open.push(new Set());
		else if (token === '[') open.push(undefined);
		else if (token === '}' || token === ']') open.pop();
		else if (token === ':') {
			const keys = open.at(-1);
			const key = last.includes('\\') ? String(JSON.parse(last)) : last.slice(1, -1);
			if (keys?.has(key)) return key;
			keys?.add(key);
		} else last = token;
	}
	return undefined;
}

/** Most code that reads values recurses. */
export function nestingProblem(value: unknown): string | undefined {
	return isDeeper(value, MAX_NESTING) ? `lists and objects are nested more than ${MAX_NESTING} deep` : undefined;
}

/** What JSON that was parsed must not hold. @returns a clause */
export function jsonProblem(text: string, value: unknown): string | undefined {
	const twice = repeatedKey(text);
	return twice === undefined ? nestingProblem(value) : `the key ${quote(twice)} appears twice`;
}

/** More is no edit of an object: a sheet that lost its line ends, or a dump. Excel has room for 16,384. */
const MOST_FIELDS = 10_000;

/** @returns a clause for an object or a header that is too wide */
export function widthProblem(fields: number, what: 'columns' | 'keys'): string | undefined {
	if (fields <= MOST_FIELDS) return undefined;
	return `${formatCount(fields)} ${what}: more than ${formatCount(MOST_FIELDS)} are not read`;
}

export function wholeNumber(text: string): number | undefined {
	return /^[0-9]+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

/** JSON.parse rounds integers beyond 2^53 and turns huge numbers into infinity. */
export function hasInexactNumber(value: unknown): boolean {
	if (typeof value === 'number') return !Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER;
	return typeof value === 'object' && value !== null && Object.values(value).some(hasInexactNumber);
}

export function isId(value: unknown): boolean {
	return Number.isSafeInteger(value) ? (value as number) > 0 : typeof value === 'string' && /^[1-9]\d*$/.test(value);
}
