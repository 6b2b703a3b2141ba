/** What an answer's bytes hold: JSON, a page, some text, nothing, or a part of something. */

import { isUtf8 } from 'node:buffer';

/** How deep JSON may nest before it is refused; printing and redacting walk it. */
const MAX_DEPTH = 200;
/** Below this size no text can nest deeper than that. */
const SHALLOW_BYTES = 2 * MAX_DEPTH;
/** How much of an answer that is not JSON is shown. */
const FIRST_WORDS = 80;

/** The answer's text or JSON, or why it has neither. */
export type Content =
	| { kind: 'json'; value: unknown; warnings?: string[] }
	| { kind: 'empty' }
	| { kind: 'html'; words: string; login: boolean }
	| { kind: 'text'; words: string; contentType: string }
	| { kind: 'cut'; words: string }
	| { kind: 'broken'; why: string };

/** Blacks out in the service's own words what must not be repeated, before words of ours stand beside them. */
export type CleanWords = (text: string) => string;

export const asItCame: CleanWords = (text) => text;

/** Collapses blanks and keeps the first words. */
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
function parseJson(text: string, start = 0): Found | undefined {
	try {
		return { value: JSON.parse(start === 0 ? text : text.slice(start)) as unknown, start };
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
 * JSON that runs to the end of the text behind something else: a PHP notice may stand before it. Only the first object
 * that begins is tried, since a later one that is whole may be a part of one that is cut off.
 */
function jsonAfterText(text: string): Found | undefined {
	const start = OBJECT_START.exec(text)?.index;
	if (start !== undefined) return parseJson(text, start);
	const last = LAST_VALUE.exec(text.slice(-100))?.[1];
	return last === undefined ? undefined : parseJson(text, text.lastIndexOf(last));
}

/** The JSON of a text: all of it, or what stands behind something else. */
function findJson(text: string): Found | undefined {
	const found = parseJson(text);
	if (found !== undefined) return found;
	// What begins as JSON and is none is JSON that breaks off, whatever whole pieces it holds.
	return BEGINS_AS_JSON.test(text) ? undefined : jsonAfterText(text);
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
function readJson(text: string, body: Buffer, clean: CleanWords): Extract<Content, { kind: 'json' }> | undefined {
	const warnings: string[] = [];
	// A replacement character comes from the service, or from bytes that are no text.
	if (text.includes('\uFFFD') && !isUtf8(body))
		warnings.push("the answer is not valid UTF-8; what can't be read is shown as \uFFFD");
	const found = findJson(text);
	if (found === undefined) return undefined;
	const before = found.start === 0 ? '' : firstWords(text.slice(0, found.start), clean);
	if (before !== '') warnings.push(`text stood before the answer's JSON: ${before}`);
	return { kind: 'json', value: found.value, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** @param contentType The header, for what turns out to be other text; else the bytes speak for themselves. */
export function readContent(body: Buffer, contentType: string, clean: CleanWords): Content {
	const text = textOf(body);
	const trimmed = text.trimStart();
	if (trimmed === '') return { kind: 'empty' };
	if (text.length > SHALLOW_BYTES && nestsTooDeep(text)) {
		return { kind: 'broken', why: `it nests deeper than ${MAX_DEPTH} levels` };
	}
	const json = readJson(text, body, clean);
	if (json !== undefined) return json;
	const isHtml =
		trimmed.startsWith('<') && /<(?:!doctype|html|head|body|title|h1|form|div|p)\b/i.test(trimmed.slice(0, 4000));
	if (isHtml) {
		const title = /<title[^>]*>([^<]*)/i.exec(trimmed.slice(0, 20_000))?.[1]?.trim();
		const login = /type=["']?password/i.test(trimmed.slice(0, 200_000));
		const words = firstWords(title || trimmed.slice(0, 20_000).replace(/<[^>]*>/g, ' '), clean);
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
			return { code: 'empty_answer', message: 'the answer is empty' };
		case 'html':
			return content.login
				? {
						code: 'login_form',
						message: `the answer is an HTML login form ("${content.words}"), not the service's JSON`,
					}
				: { code: 'html_answer', message: `the answer is an HTML page ("${content.words}"), not the service's JSON` };
		case 'cut':
			return { code: 'cut_off_json', message: `the answer is JSON that breaks off or is malformed: ${content.words}` };
		case 'broken':
			return { code: 'unreadable_answer', message: `the answer can't be read: ${content.why}` };
		default: {
			const type = content.contentType === '' ? 'no content type' : content.contentType;
			return { code: 'not_json', message: `the answer is not JSON (${type}): ${content.words}` };
		}
	}
}
