/** What the bytes of a response hold: JSON, a page, some text, nothing, or a part of something. */

import { isUtf8 } from 'node:buffer';
import { decodeBody } from './coding.js';
import type { TransportProblem } from './problem.js';
import type { Attempt, ResponseHeaders } from './types.js';

/** How deep JSON may nest before it is refused; printing and redacting walk it. */
const MAX_DEPTH = 200;
/** Below this size no text can nest deeper than that. */
const SHALLOW_BYTES = 2 * MAX_DEPTH;
/** How much of a response that is not JSON is shown, and how much of it is searched. */
const FIRST_WORDS = 80;
const SEARCHED = 20_000;

/** The JSON or text of a response, or why it has neither. */
export type Content =
	| { kind: 'json'; value: unknown; before?: string; warnings?: string[] }
	| { kind: 'php-error'; words: string }
	| { kind: 'empty' }
	| { kind: 'html'; words: string; login: boolean }
	| { kind: 'text'; words: string; contentType: string }
	| { kind: 'cut'; words: string }
	| { kind: 'broken'; why: string };

/** What one exchange gave: a response, or why there is none. `sent` is false only where nothing can have been sent. */
export type Response =
	| { status: number; headers: ResponseHeaders; content: Content; incomplete?: TransportProblem }
	| { problem: TransportProblem; sent: boolean };

/** Hides in the service's text what must not be repeated, before text of ours is put around it. */
export type CleanWords = (text: string) => string;

/** How valid JSON becomes a value. */
export type Parse = (json: string) => unknown;

export const asItCame: CleanWords = (text) => text;

/** Reads what an attempt brought back; a promise only where the body has to be unpacked. */
export function readResponse(
	attempt: Attempt,
	clean: CleanWords = asItCame,
	parse: Parse = JSON.parse,
): Response | Promise<Response> {
	if (attempt.kind === 'problem') return { problem: attempt.problem, sent: attempt.sent };
	const { answer } = attempt;
	const { status, headers, incomplete } = answer;
	const read = (body: Buffer | { why: string }): Response => ({
		status,
		headers,
		content: Buffer.isBuffer(body)
			? readContent(body, headerOf(headers, 'content-type') ?? '', clean, parse)
			: { kind: 'broken', why: body.why },
		...(incomplete === undefined ? {} : { incomplete }),
	});
	return headers['content-encoding'] === undefined ? read(answer.body) : decodeBody(answer).then(read);
}

/** The first header of a name. */
export function headerOf(headers: ResponseHeaders, name: string): string | undefined {
	const value = headers[name];
	return Array.isArray(value) ? value[0] : value;
}

/** What PHP and what runs on it print when a request ends half-way; the JSON beside it then says little. */
const PHP_ERROR =
	/\b(?:fatal|parse|database) error\b|\buncaught [\w\\]*(?:error|exception)|\ballowed memory size\b|\bcritical error on this website\b/i;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

const TAG =
	/<\/?(a|abbr|b|big|blockquote|br|center|code|del|div|em|font|form|h[1-6]|hr|i|img|input|label|li|ol|p|pre|s|script|small|span|strong|style|sub|sup|table|tbody|td|th|tr|u|ul)(?:[\s/][^<>]{0,2000})?>/gi;

const INLINE = /^(?:a|abbr|b|big|code|del|em|font|i|label|s|small|span|strong|sub|sup|u)$/i;

const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,5}));/gi;

/** A message as text: services write theirs for a browser, with tags and entities. */
export function htmlText(html: string): string {
	const text = html.replace(TAG, (_, name: string) => (INLINE.test(name) ? '' : ' '));
	return (text === html ? text : text.replace(/ {2,}/g, ' ').trim()).replace(
		ENTITY,
		(whole, decimal?: string, hex?: string, name?: string) => {
			if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
			const point = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
			return point > 0x10ffff ? whole : String.fromCodePoint(point);
		},
	);
}

/** Collapses spaces and keeps the first words. */
function firstWords(text: string, clean: CleanWords): string {
	const words = clean(text.slice(0, 2000)).replace(/\s+/g, ' ').trim();
	return words.length > FIRST_WORDS ? `${words.slice(0, FIRST_WORDS)}…` : words;
}

/** Whether brackets nest deeper than can be walked; strings are skipped. */
function nestsTooDeep(text: string): boolean {
	let depth = 0;
	let inString = false;
	for (let index = 0; index < text.length; index++) {
		const char = text.charCodeAt(index);
		if (inString) {
			if (char === 0x5c) index++;
			else if (char === 0x22) inString = false;
		} else if (char === 0x22) inString = true;
		else if (char === 0x7b || char === 0x5b) {
			if (++depth > MAX_DEPTH) return true;
		} else if (char === 0x7d || char === 0x5d) depth--;
	}
	return false;
}

/** JSON, and where in its answer's text it starts. */
interface Found {
	value: unknown;
	start: number;
}

/** Reads the text from `start` on. */
function parseJson(text: string, parse: Parse, start = 0): Found | undefined {
	try {
		return { value: parse(start === 0 ? text : text.slice(start)), start };
	} catch {
		return undefined;
	}
}

const BEGINS_AS_JSON = /^[\t\n\r ]*[{["]/;

/** Where an object begins, as far as its first characters tell. */
const OBJECT_START = /\{\s*["}]/;
/** What `POST …/custom-fields` answers instead of an object, at the end of other text. */
const LAST_VALUE = /(?:^|[\s>\uFEFF])(null|true|false|\[\])\s*$/;

/**
 * JSON that runs to the end of the text after something else: a PHP notice may stand before it. Only the first object
 * that begins is tried, since a later one that is whole may be a part of one that is cut off.
 */
function jsonAfterText(text: string, parse: Parse): Found | undefined {
	const start = OBJECT_START.exec(text)?.index;
	if (start !== undefined) return parseJson(text, parse, start);
	const last = LAST_VALUE.exec(text.slice(-100))?.[1];
	return last === undefined ? undefined : parseJson(text, parse, text.lastIndexOf(last));
}

/** The JSON of a text: all of it, or what stands after something else. */
function findJson(text: string, parse: Parse = JSON.parse): Found | undefined {
	const found = parseJson(text, parse);
	if (found !== undefined) return found;
	// What begins as JSON and is none is JSON that breaks off, whatever whole pieces it holds.
	return BEGINS_AS_JSON.test(text) ? undefined : jsonAfterText(text, parse);
}

/** A body's text without the byte order mark. */
function textOf(body: Buffer): string {
	return (body.length >= 3 && body[0] === 0xef && body[1] === 0xbb ? body.subarray(3) : body).toString('utf8');
}

/** The text of a body's JSON as it was received; undefined where it holds none. */
export function jsonIn(body: Buffer): string | undefined {
	const text = textOf(body);
	const found = findJson(text);
	return found === undefined ? undefined : text.slice(found.start);
}

/** The JSON with what is odd about its surroundings, or undefined where there is none. */
function readJson(text: string, body: Buffer, clean: CleanWords, parse: Parse): Content | undefined {
	const warnings: string[] = [];
	// A replacement character comes from the service, or from bytes that are no text.
	if (text.includes('\uFFFD') && !isUtf8(body))
		warnings.push("the response is not valid UTF-8; what can't be read is shown as \uFFFD");
	const found = findJson(text, parse);
	if (found === undefined) return undefined;
	const before = found.start === 0 ? '' : firstWords(text.slice(0, found.start), clean);
	if (before === '') return { kind: 'json', value: found.value, ...(warnings.length === 0 ? {} : { warnings }) };
	if (PHP_ERROR.test(text.slice(0, found.start))) return { kind: 'php-error', words: before };
	warnings.push(`text stood before the response's JSON: ${before}`);
	return { kind: 'json', value: found.value, before, warnings };
}

/** @param contentType The header, for what turns out to be other text; else the bytes speak for themselves. */
function readContent(body: Buffer, contentType: string, clean: CleanWords, parse: Parse): Content {
	const text = textOf(body);
	const trimmed = text.trimStart();
	if (trimmed === '') return { kind: 'empty' };
	if (text.length > SHALLOW_BYTES && nestsTooDeep(text)) {
		return { kind: 'broken', why: `it nests deeper than ${MAX_DEPTH} levels` };
	}
	const json = readJson(text, body, clean, parse);
	if (json !== undefined) return json;
	// Of what begins as JSON only the end is searched: a ticket may be about a fatal error.
	const searched = BEGINS_AS_JSON.test(trimmed) ? trimmed.slice(trimmed.lastIndexOf('}') + 1) : trimmed;
	const plain = searched.slice(0, SEARCHED).replace(/<[^>]*>/g, '');
	if (PHP_ERROR.test(plain)) return { kind: 'php-error', words: firstWords(plain, clean) };
	const isHtml =
		trimmed.startsWith('<') && /<(?:!doctype|html|head|body|title|h1|form|div|p)\b/i.test(trimmed.slice(0, 4000));
	if (isHtml) {
		const title = /<title[^>]*>([^<]*)/i.exec(trimmed.slice(0, SEARCHED))?.[1]?.trim();
		const login = /type=["']?password/i.test(trimmed.slice(0, 200_000));
		const words = firstWords(title || trimmed.slice(0, SEARCHED).replace(/<[^>]*>/g, ' '), clean);
		return { kind: 'html', words, login };
	}
	if (BEGINS_AS_JSON.test(trimmed) || OBJECT_START.test(trimmed)) {
		return { kind: 'cut', words: firstWords(trimmed, clean) };
	}
	return { kind: 'text', words: firstWords(trimmed, clean), contentType: clean(contentType) };
}

/** Names content that is not JSON for what it is. */
export function nameContent(content: Exclude<Content, { kind: 'json' }>): { code: string; message: string } {
	switch (content.kind) {
		case 'empty':
			return { code: 'empty_answer', message: 'the response is empty' };
		case 'html':
			return content.login
				? {
						code: 'login_form',
						message: `the response is an HTML login form ("${content.words}"), not the service's JSON`,
					}
				: { code: 'html_answer', message: `the response is an HTML page ("${content.words}"), not the service's JSON` };
		case 'php-error':
			return { code: 'php_error', message: `the service broke off with an error of PHP: ${content.words}` };
		case 'cut':
			return {
				code: 'cut_off_json',
				message: `the response is JSON that breaks off or is malformed: ${content.words}`,
			};
		case 'broken':
			return { code: 'unreadable_answer', message: `the response can't be read: ${content.why}` };
		default: {
			const type = content.contentType === '' ? 'no content type' : content.contentType;
			return { code: 'not_json', message: `the response is not JSON (${type}): ${content.words}` };
		}
	}
}
