/** A response, and what its bytes contain. */

import { isUtf8 } from 'node:buffer';
import { decodeEntities } from '../api/compare.js';
import { nestingProblem, startOf } from '../api/values.js';
import type { TransportProblem } from './problem.js';

/** A larger one would be no answer to one request, and could fill the memory. */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface Response {
	/** 0 if no response began. */
	readonly status: number;
	readonly headers: ResponseHeaders;
	/** As the service sent it, without content codings. */
	readonly body: Buffer;
	/** Why the response is missing or broke off. */
	readonly problem?: TransportProblem;
	/** False only if the service can't have seen the request. */
	readonly sent: boolean;
	readonly ms: number;
}

/** The first of that name. */
export function headerOf(headers: ResponseHeaders, name: string): string | undefined {
	const value = headers[name];
	return Array.isArray(value) ? value[0] : value;
}

/** No content coding is asked for, but a proxy may use one. */
export function decoded(response: Response): Response {
	const coding = headerOf(response.headers, 'content-encoding')?.toLowerCase() ?? 'identity';
	if (coding === 'identity' || response.body.length === 0) return response;
	const zlib = process.getBuiltinModule('node:zlib');
	const decoders = new Map([
		['gzip', zlib.gunzipSync],
		// Its old name (RFC 9110, section 8.4.1.3).
		['x-gzip', zlib.gunzipSync],
		['deflate', zlib.inflateSync],
		['br', zlib.brotliDecompressSync],
	]);
	let why = 'unknown';
	try {
		const body = decoders.get(coding)?.(response.body, { maxOutputLength: MAX_RESPONSE_BYTES });
		if (body !== undefined) return { ...response, body };
	} catch (error) {
		why = (error as Error).message;
	}
	const message = `the response can't be read: content coding "${coding.slice(0, 80)}": ${why}`;
	return { ...response, problem: { code: 'unreadable_response', message, permanent: true } };
}

export interface NoJson {
	code: 'empty_response' | 'html_response' | 'login_form' | 'cut_off_json' | 'not_json';
	message: string;
}

interface JsonContent {
	value: unknown;
	/** Text in front of it, such as a PHP notice. */
	before: string;
	warnings: string[];
}

export type Content = JsonContent | NoJson;

const BEGINS_AS_JSON = /^[\t\n\r ]*[{["]/;
const JSON_WITHIN = /\{\s*["}]|\[\s*[{\]]/;
const OBJECT_WITHIN = /\{\s*["}]/;

/** Shorter texts can't nest so deep that the stack overflows. */
const MAY_BE_DEEP = 5000;

/** @returns undefined if it isn't JSON */
function parse(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text);
		const isDeep = text.length > MAY_BE_DEEP && nestingProblem(value) !== undefined;
		return isDeep ? undefined : value;
	} catch {
		return undefined;
	}
}

export function readContent({ body, headers }: Pick<Response, 'body' | 'headers'>): Content {
	const text = body.toString('utf8').replace(/^\uFEFF/, '');
	// JSON that broke off may contain whole objects.
	let start = BEGINS_AS_JSON.test(text) ? 0 : (JSON_WITHIN.exec(text)?.index ?? 0);
	let value = parse(start === 0 ? text : text.slice(start));
	if (value === undefined && start > 0) {
		// A notice may contain brackets.
		start = Math.max(0, text.search(OBJECT_WITHIN));
		value = parse(text.slice(start));
	}
	if (value === undefined) return readText(text.trim(), headers);
	const before = start === 0 ? '' : firstWords(text.slice(0, start));
	const warnings: string[] = [];
	// A replacement character may be the service's own, or come from bytes that are not text.
	if (text.includes('\uFFFD') && !isUtf8(body)) {
		warnings.push('the response is not valid UTF-8; invalid bytes are shown as \uFFFD');
	}
	if (before !== '') warnings.push(`text before the JSON of the response: ${before}`);
	return { value, before, warnings };
}

function readText(text: string, headers: ResponseHeaders): NoJson {
	if (text === '') return { code: 'empty_response', message: 'the response is empty' };
	if (/^<[!a-z]/i.test(text)) {
		const head = text.slice(0, 20_000);
		const title = /<title[^>]*>([^<]*)/i.exec(head)?.[1]?.trim();
		const words = firstWords(title || head.replace(/<[^>]*>/g, ' '));
		const isLogin = /type=["']?password/i.test(text);
		const [code, what] = isLogin ? (['login_form', 'login form'] as const) : (['html_response', 'page'] as const);
		return { code, message: `the response is an HTML ${what} ("${words}"), not the service's JSON` };
	}
	if (BEGINS_AS_JSON.test(text) || JSON_WITHIN.test(text)) {
		return { code: 'cut_off_json', message: `the response is truncated or malformed JSON: ${firstWords(text)}` };
	}
	const type = headerOf(headers, 'content-type') ?? 'no content type';
	return { code: 'not_json', message: `the response is not JSON (${type}): ${firstWords(text)}` };
}

const FIRST_WORDS = 80;

export function firstWords(text: string): string {
	const words = text.slice(0, 2000).replace(/\s+/g, ' ').trim();
	return words.length > FIRST_WORDS ? `${startOf(words, FIRST_WORDS)}…` : words;
}

const INLINE_TAG = /<\/?(?:a|abbr|b|code|em|i|small|span|strong|u)(?:\s[^<>]*)?>/gi;
const BLOCK_TAG = /<\/?(?:br|div|h[1-6]|hr|li|ol|p|pre|td|th|tr|ul)(?:[\s/][^<>]*)?>/gi;

/** Services write their messages for browsers. */
export function htmlText(html: string): string {
	const text = html.replace(INLINE_TAG, '').replace(BLOCK_TAG, ' ');
	return decodeEntities(text.replace(/ {2,}/g, ' ').trim());
}
