/** What the bytes of a response hold: JSON, a page, some text, nothing, or a part of something. */

import { isUtf8 } from 'node:buffer';
import type { TransportProblem } from './problem.js';
import { type Attempt, type Hide, MAX_RESPONSE_BYTES, type RawResponse, type ResponseHeaders } from './types.js';

/** How deep JSON may nest before it is refused; printing and redacting walk it. */
const MAX_DEPTH = 200;
/** How much of a response that is not JSON is shown, and how much of it is searched, in characters. */
const FIRST_WORDS = 80;
const SEARCHED = 20_000;
/** More content codings than this are an attempt to make a small response huge. */
const MAX_CODINGS = 3;

/** The JSON or text of a response, or why it has neither. */
export type Content =
	| { kind: 'json'; value: unknown; before?: string; warnings?: string[] }
	| { kind: 'php-error'; words: string }
	| { kind: 'empty' }
	| { kind: 'html'; words: string; login: boolean }
	| { kind: 'text'; words: string; contentType: string }
	| { kind: 'cut'; words: string }
	| { kind: 'broken'; why: string };

export interface Received {
	status: number;
	headers: ResponseHeaders;
	content: Content;
	incomplete: TransportProblem | undefined;
}

/** What one exchange gave: a response, or why there is none. `sent` is false only where nothing can have been sent. */
export type Response = Received | { problem: TransportProblem; sent: boolean };

/** Hides in the service's text what must not be repeated, before text of ours is put around it. */
export type CleanWords = (text: string) => string;

/** How valid JSON becomes a value. */
type Parse = (json: string) => unknown;

export const asItCame: CleanWords = (text) => text;

/** Reads what an attempt brought back; a promise only where the body has to be unpacked. */
export function readResponse(
	attempt: Attempt,
	clean: CleanWords = asItCame,
	parse: Parse = JSON.parse,
): Response | Promise<Response> {
	if (attempt.kind === 'problem') return attempt;
	const { response } = attempt;
	const { status, headers, incomplete } = response;
	if (headers['content-encoding'] === undefined) {
		return { status, headers, content: readContent(response.body, headers, clean, parse), incomplete };
	}
	return decodeBody(response).then((body) => {
		const content: Content = Buffer.isBuffer(body)
			? readContent(body, headers, clean, parse)
			: { kind: 'broken', why: body.why };
		return { status, headers, content, incomplete };
	});
}

/** The first header of a name. */
export function headerOf(headers: ResponseHeaders, name: string): string | undefined {
	const value = headers[name];
	return Array.isArray(value) ? value[0] : value;
}

/** Undoes content codings, within the limit on size. */
export async function decodeBody(
	{ headers, body }: RawResponse,
	maxOutputLength = MAX_RESPONSE_BYTES,
): Promise<Buffer | { why: string }> {
	const codings = String(headers['content-encoding'] ?? '')
		.toLowerCase()
		.split(/[\s,]+/)
		.filter((each) => each !== '' && each !== 'identity');
	// A response without a body may name the coding that its body would have.
	if (codings.length === 0 || body.length === 0) return body;
	if (codings.length > MAX_CODINGS) return { why: `it has ${codings.length} content codings, one over another` };
	const { brotliDecompress, gunzip, inflate } = await import('node:zlib');
	const decoders = new Map([
		['gzip', gunzip],
		['x-gzip', gunzip],
		['deflate', inflate],
		['br', brotliDecompress],
	]);
	let decoded = body;
	for (const coding of codings.reverse()) {
		const decode = decoders.get(coding);
		if (decode === undefined) return { why: `its content coding "${coding.slice(0, 80)}" is not known` };
		const result = await new Promise<Buffer | NodeJS.ErrnoException>((resolve) =>
			decode(decoded, { maxOutputLength }, (error, output) => resolve(error ?? output)),
		);
		if (!Buffer.isBuffer(result)) {
			const isTooLarge = result.code === 'ERR_BUFFER_TOO_LARGE';
			const limit = `${Math.round(maxOutputLength / 1024 / 1024)} MiB`;
			return { why: isTooLarge ? `unpacked it is larger than ${limit}` : `its ${coding} coding is broken` };
		}
		decoded = result;
	}
	return decoded;
}

/** Removes the caller's own credentials where a service repeats them; a promise only where a body has to be unpacked to be searched. */
export function hideSecrets(attempt: Attempt, hide: Hide): Attempt | Promise<Attempt> {
	if (attempt.kind === 'problem') return attempt;
	const { response } = attempt;
	if (response.headers['content-encoding'] !== undefined) {
		return decodeBody(response).then((body) => {
			if (!Buffer.isBuffer(body)) return hideIn(attempt, response, hide);
			const { 'content-encoding': _, ...headers } = response.headers;
			return hideIn(attempt, { ...response, headers, body }, hide);
		});
	}
	return hideIn(attempt, response, hide);
}

function hideIn(attempt: Extract<Attempt, { kind: 'response' }>, response: RawResponse, hide: Hide): Attempt {
	let { headers, body } = response;
	let all = '';
	for (const name in headers) all += `${headers[name]}\n`;
	if (hide.mayHold(all)) {
		const cleaned = (value: string | string[] | undefined): string | string[] | undefined =>
			Array.isArray(value) ? value.map(hide.clean) : value && hide.clean(value);
		headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, cleaned(value)]));
	}
	if (hide.mayHold(body)) {
		const text = body.toString('utf8');
		const cleaned = hide.clean(text);
		if (cleaned !== text) body = Buffer.from(cleaned);
	}
	if (headers === attempt.response.headers && body === attempt.response.body) return attempt;
	return { ...attempt, response: { ...response, headers, body } };
}

/** What PHP and what runs on it print when a request ends half-way; the JSON beside it then says little. */
const PHP_ERROR =
	/\b(?:fatal|parse|database) error\b|\buncaught [\w\\]*(?:error|exception)|\ballowed memory size\b|\bcritical error on this website\b/i;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

const TAG =
	/<\/?(a|abbr|b|big|blockquote|br|center|code|del|div|em|font|form|h[1-6]|hr|i|img|input|label|li|ol|p|pre|s|script|small|span|strong|style|sub|sup|table|tbody|td|th|tr|u|ul)(?:[\s/][^<>]{0,2000})?>/gi;

const INLINE = /^(?:a|abbr|b|big|code|del|em|font|i|label|s|small|span|strong|sub|sup|u)$/i;

/** A message as text: services write theirs for a browser, with tags and entities. */
export function htmlText(html: string): string {
	const text = html.replace(TAG, (_, name: string) => (INLINE.test(name) ? '' : ' '));
	return (text === html ? text : text.replace(/ {2,}/g, ' ').trim()).replace(
		/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,5}));/gi,
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

/** Whether a value nests deeper than so many levels. */
function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) return true;
	return Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** A body's text without the byte order mark. */
function textOf(body: Buffer): string {
	return body.toString('utf8', body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0);
}

const BEGINS_AS_JSON = /^[\t\n\r ]*[{["]/;
/** Where an object begins, as far as its first characters show. */
const OBJECT_START = /\{\s*["}]/;
/** What `POST …/custom-fields` sends instead of an object, at the end of other text. */
const LAST_VALUE = /(?:^|[\s>\uFEFF])(null|true|false|\[\])\s*$/;

interface Found {
	value: unknown;
	/** Where in the text the JSON starts. */
	start: number;
}

/**
 * The JSON of a text: all of it, or what runs to its end after something else, such as a PHP notice. Only the first object
 * that begins is tried there, since a later one that is whole may be a part of one that is cut off.
 */
function findJson(text: string, parse: Parse): Found | undefined {
	try {
		return { value: parse(text), start: 0 };
	} catch {
		// Text that begins as JSON and is not valid is JSON that breaks off, even if whole objects are in it.
		if (BEGINS_AS_JSON.test(text)) return undefined;
	}
	const last = LAST_VALUE.exec(text.slice(-100))?.[1];
	const start = OBJECT_START.exec(text)?.index ?? (last === undefined ? undefined : text.lastIndexOf(last));
	if (start === undefined) return undefined;
	try {
		return { value: parse(text.slice(start)), start };
	} catch {
		return undefined;
	}
}

/** The text of a body's JSON as it was received; undefined where it holds none. */
export function jsonIn(body: Buffer): string | undefined {
	const text = textOf(body);
	const found = findJson(text, JSON.parse);
	return found && text.slice(found.start);
}

function readContent(body: Buffer, headers: ResponseHeaders, clean: CleanWords, parse: Parse): Content {
	const text = textOf(body);
	const found = findJson(text, parse);
	if (found === undefined) return readOther(text.trimStart(), headers, clean);
	// Shorter text can't nest that deep.
	if (text.length > 2 * MAX_DEPTH && isDeeper(found.value, MAX_DEPTH)) {
		return { kind: 'broken', why: `it nests deeper than ${MAX_DEPTH} levels` };
	}
	const content: Content = { kind: 'json', value: found.value };
	// A replacement character comes from the service, or from bytes that are no text.
	if (text.includes('\uFFFD') && !isUtf8(body)) {
		content.warnings = ["the response is not valid UTF-8; what can't be read is shown as \uFFFD"];
	}
	const before = found.start === 0 ? '' : firstWords(text.slice(0, found.start), clean);
	if (before === '') return content;
	if (PHP_ERROR.test(text.slice(0, found.start))) return { kind: 'php-error', words: before };
	const warnings = [...(content.warnings ?? []), `text stood before the response's JSON: ${before}`];
	return { ...content, before, warnings };
}

/** Reads text that holds no JSON; the bytes speak for themselves, and the content type is only shown. */
function readOther(text: string, headers: ResponseHeaders, clean: CleanWords): Content {
	if (text === '') return { kind: 'empty' };
	const isCut = BEGINS_AS_JSON.test(text);
	// Of what begins as JSON only the end is searched: a ticket may be about a fatal error.
	const searched = (isCut ? text.slice(text.lastIndexOf('}') + 1) : text).slice(0, SEARCHED);
	const plain = searched.replace(/<[^>]*>/g, '');
	if (PHP_ERROR.test(plain)) return { kind: 'php-error', words: firstWords(plain, clean) };
	if (text.startsWith('<') && /<(?:!doctype|html|head|body|title|h1|form|div|p)\b/i.test(text.slice(0, 4000))) {
		const title = /<title[^>]*>([^<]*)/i.exec(searched)?.[1]?.trim();
		const login = /type=["']?password/i.test(text.slice(0, 200_000));
		return { kind: 'html', words: firstWords(title || searched.replace(/<[^>]*>/g, ' '), clean), login };
	}
	const words = firstWords(text, clean);
	if (isCut || OBJECT_START.test(text)) return { kind: 'cut', words };
	return { kind: 'text', words, contentType: clean(headerOf(headers, 'content-type') ?? '') };
}

/** Names content that is not JSON for what it is. */
export function nameContent(content: Exclude<Content, { kind: 'json' }>): { code: string; message: string } {
	switch (content.kind) {
		case 'empty':
			return { code: 'empty_answer', message: 'the response is empty' };
		case 'html': {
			const [code, what] = content.login ? ['login_form', 'login form'] : ['html_answer', 'page'];
			return { code, message: `the response is an HTML ${what} ("${content.words}"), not the service's JSON` };
		}
		case 'php-error':
			return { code: 'php_error', message: `the service broke off with a PHP error: ${content.words}` };
		case 'cut':
			return {
				code: 'cut_off_json',
				message: `the response is JSON that breaks off or is malformed: ${content.words}`,
			};
		case 'broken':
			return { code: 'unreadable_answer', message: `the response can't be read: ${content.why}` };
		default:
			return {
				code: 'not_json',
				message: `the response is not JSON (${content.contentType || 'no content type'}): ${content.words}`,
			};
	}
}
