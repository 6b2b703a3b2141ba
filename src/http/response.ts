/** A response, and what its bytes contain. */

import { isUtf8 } from 'node:buffer';
import { decodeEntities } from '../api/applied.js';
import type { TransportProblem } from './problem.js';

export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface Response {
	/** 0 if none began. */
	readonly status: number;
	readonly headers: ResponseHeaders;
	/** Without content codings. */
	readonly body: Buffer;
	/** Why it is missing or broke off. */
	readonly problem?: TransportProblem;
	/** False only if the service can't have seen the request. */
	readonly sent: boolean;
	readonly ms: number;
}

export function headerOf(headers: ResponseHeaders, name: string): string | undefined {
	const value = headers[name];
	return Array.isArray(value) ? value[0] : value;
}

export type Content =
	| { kind: 'json'; value: unknown; before: string; warnings: string[] }
	| { kind: 'empty' | 'cut' | 'deep' | 'text'; words: string }
	| { kind: 'page'; words: string; isLogin: boolean };

/** Printing walks values recursively. */
const MAX_DEPTH = 200;

const FIRST_WORDS = 80;

const BEGINS_AS_JSON = /^[\t\n\r ]*[{["]/;
/** An object or a list after other text. */
const STARTS = [/\{\s*["}]/, /\[\s*[{\]]/];

function textOf(body: Buffer): string {
	const hasMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
	return body.toString('utf8', hasMark ? 3 : 0);
}

/** Also after other text, such as a PHP notice. */
function findJson(text: string): { value: unknown; start: number } | undefined {
	try {
		return { value: JSON.parse(text), start: 0 };
	} catch {
		// It broke off, even if it contains whole objects.
		if (BEGINS_AS_JSON.test(text)) return undefined;
	}
	// A later one may be part of one that broke off.
	for (const pattern of STARTS) {
		const start = pattern.exec(text)?.index;
		if (start === undefined) continue;
		try {
			return { value: JSON.parse(text.slice(start)), start };
		} catch {
			// Not JSON.
		}
	}
	return undefined;
}

export function readContent({ body }: Pick<Response, 'body'>): Content {
	const text = textOf(body);
	const found = findJson(text);
	if (found === undefined) return readText(text.trim());
	const { value, start } = found;
	const before = firstWords(text.slice(0, start));
	// Shorter text can't nest that deep.
	if (text.length > 2 * MAX_DEPTH && isDeeper(value, MAX_DEPTH)) {
		return { kind: 'deep', words: firstWords(text) };
	}
	const warnings: string[] = [];
	if (text.includes('\uFFFD') && !isUtf8(body)) {
		warnings.push('the response is not valid UTF-8; invalid bytes are shown as \uFFFD');
	}
	if (before !== '') warnings.push(`text before the JSON of the response: ${before}`);
	return { kind: 'json', value, before, warnings };
}

function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) return true;
	return Object.values(value).some((each) => isDeeper(each, levels - 1));
}

function readText(text: string): Content {
	if (text === '') return { kind: 'empty', words: '' };
	if (/^<[!a-z]/i.test(text)) {
		const title = /<title[^>]*>([^<]*)/i.exec(text.slice(0, 20_000))?.[1]?.trim();
		const words = firstWords(title || text.slice(0, 20_000).replace(/<[^>]*>/g, ' '));
		const isLogin = /type=["']?password/i.test(text.slice(0, 200_000));
		return { kind: 'page', words, isLogin };
	}
	const isCut = BEGINS_AS_JSON.test(text) || STARTS[0]?.test(text);
	return { kind: isCut ? 'cut' : 'text', words: firstWords(text) };
}

export function firstWords(text: string): string {
	const words = text.slice(0, 2000).replace(/\s+/g, ' ').trim();
	return words.length > FIRST_WORDS ? `${words.slice(0, FIRST_WORDS)}…` : words;
}

export function nameContent(
	content: Exclude<Content, { kind: 'json' }>,
	headers: ResponseHeaders,
): { code: string; message: string } {
	const { words } = content;
	switch (content.kind) {
		case 'empty':
			return { code: 'empty_response', message: 'the response is empty' };
		case 'page': {
			const [code, what] = content.isLogin ? ['login_form', 'login form'] : ['html_response', 'page'];
			return { code, message: `the response is an HTML ${what} ("${words}"), not the service's JSON` };
		}
		case 'cut':
			return { code: 'cut_off_json', message: `the response is truncated or malformed JSON: ${words}` };
		case 'deep':
			return {
				code: 'unreadable_response',
				message: `the response can't be read: nested deeper than ${MAX_DEPTH} levels`,
			};
		case 'text': {
			const type = headerOf(headers, 'content-type') ?? 'no content type';
			return { code: 'not_json', message: `the response is not JSON (${type}): ${words}` };
		}
	}
}

const TAG =
	/<\/?(a|abbr|b|big|blockquote|br|center|code|del|div|em|font|form|h[1-6]|hr|i|img|input|label|li|ol|p|pre|s|script|small|span|strong|style|sub|sup|table|tbody|td|th|tr|u|ul)(?:[\s/][^<>]{0,2000})?>/gi;

const INLINE = /^(?:a|abbr|b|big|code|del|em|font|i|label|s|small|span|strong|sub|sup|u)$/i;

/** Services write for browsers. */
export function htmlText(html: string): string {
	const text = html.replace(TAG, (_, name: string) => (INLINE.test(name) ? '' : ' '));
	const spaced = text === html ? text : text.replace(/ {2,}/g, ' ').trim();
	return decodeEntities(spaced).replaceAll('\u00a0', ' ');
}

/** More would make a small response huge. */
const MAX_CODINGS = 3;

/** Within the limit on size. */
export async function decodeBody(response: Response): Promise<Response> {
	const { headers, body } = response;
	const codings = String(headers['content-encoding'] ?? '')
		.toLowerCase()
		.split(/[\s,]+/)
		.filter((each) => each !== '' && each !== 'identity');
	// A coding without a body.
	if (codings.length === 0 || body.length === 0) return response;
	const unreadable = (why: string): Response => {
		const message = `the response can't be read: ${why}`;
		return { ...response, problem: { code: 'unreadable_response', message, permanent: true } };
	};
	if (codings.length > MAX_CODINGS) {
		return unreadable(`it has ${codings.length} content codings`);
	}
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
		if (decode === undefined) {
			return unreadable(`unknown content coding "${coding.slice(0, 80)}"`);
		}
		const result = await new Promise<Buffer | NodeJS.ErrnoException>((resolve) => {
			const limit = { maxOutputLength: MAX_RESPONSE_BYTES };
			decode(decoded, limit, (error, output) => resolve(error ?? output));
		});
		if (!Buffer.isBuffer(result)) {
			const isTooLarge = result.code === 'ERR_BUFFER_TOO_LARGE';
			const limit = `${Math.round(MAX_RESPONSE_BYTES / 1024 / 1024)} MiB`;
			return unreadable(isTooLarge ? `decompressed, it is larger than ${limit}` : `its ${coding} encoding is damaged`);
		}
		decoded = result;
	}
	return { ...response, body: decoded };
}
