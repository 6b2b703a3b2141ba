/** What an answer means, whatever its shape: the one place where bytes from the service become a verdict. */

import { isUtf8 } from 'node:buffer';
import type { Dialect } from '../api/dialect.js';
import { bodyIn } from '../api/dialect.js';
import type { AnswerKind, Endpoint } from '../api/endpoints.js';
import { isId, userIdIn } from '../api/user-id.js';
import { isObject, kindOf } from '../api/values.js';
import type { RawAnswer } from './client.js';
import { decodeBody } from './coding.js';

/**
 * How an answer bears on sending again: `accepted` and `said-no` are final, `later` is a request to come back,
 * `no-answer` leaves open whether the service acted, `unclear` too, but asking again would not tell.
 */
export type Bearing = 'accepted' | 'said-no' | 'later' | 'no-answer' | 'unclear';

export interface Verdict {
	bearing: Bearing;
	status: number;
	code?: string;
	message?: string;
	reasons?: Record<string, string>;
	/** The JSON, under neutral names. */
	body?: unknown;
	hasBody: boolean;
	warnings?: string[];
	/** The target of a redirect. */
	location?: string;
	/** The Retry-After header as it came, and the Date header that it is to be read against. */
	retryAfter?: string;
	date?: string;
}

/** How deep JSON may nest before it is refused; printing and redacting walk it. */
const MAX_DEPTH = 200;
/** Below this size no text can nest deeper than that. */
const SHALLOW_BYTES = 2 * MAX_DEPTH;
/** How much of an answer that is not JSON is shown. */
const FIRST_WORDS = 80;

/** What gateways say for themselves when the service behind them did not answer. */
const GATEWAY = new Set([502, 504, 520, 521, 522, 523, 524, 598, 599]);
/** What asks to come back later. */
const LATER = new Set([408, 425, 429, 503]);

/** Whether a status is the service's own word, and not that of a gateway or of somebody who is too busy. */
export function isServed(status: number): boolean {
	return !GATEWAY.has(status) && !LATER.has(status);
}

/** The answer's text or JSON, or why it has neither. */
type Content =
	| { kind: 'json'; value: unknown; warnings?: string[] }
	| { kind: 'empty' }
	| { kind: 'html'; words: string; login: boolean }
	| { kind: 'text'; words: string; contentType: string }
	| { kind: 'cut'; words: string }
	| { kind: 'broken'; why: string };

/** Collapses blanks and keeps the first words. */
function firstWords(text: string): string {
	const words = text.slice(0, 2000).replace(/\s+/g, ' ').trim();
	return words.length > FIRST_WORDS ? `${words.slice(0, FIRST_WORDS)}…` : words;
}

function header(answer: RawAnswer, name: string): string | undefined {
	const value = answer.headers[name];
	return Array.isArray(value) ? value[0] : value;
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

function parseJson(text: string): { value: unknown } | undefined {
	try {
		return { value: JSON.parse(text) as unknown };
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
function jsonAfterText(text: string): { value: unknown; before: string } | undefined {
	const start = OBJECT_START.exec(text)?.index;
	if (start !== undefined) {
		const parsed = parseJson(text.slice(start));
		return parsed === undefined ? undefined : { ...parsed, before: firstWords(text.slice(0, start)) };
	}
	const last = LAST_VALUE.exec(text.slice(-100))?.[1];
	if (last === undefined) return undefined;
	return { value: JSON.parse(last) as unknown, before: firstWords(text.slice(0, text.lastIndexOf(last))) };
}

/** The JSON with what is odd about its surroundings, or undefined where there is none. */
function readJson(text: string, body: Buffer): Extract<Content, { kind: 'json' }> | undefined {
	const warnings: string[] = [];
	// A replacement character comes from the service, or from bytes that are no text.
	if (text.includes('\uFFFD') && !isUtf8(body))
		warnings.push("the answer is not valid UTF-8; what can't be read is shown as \uFFFD");
	let parsed = parseJson(text);
	if (parsed === undefined) {
		// What begins as JSON and is none is JSON that breaks off, whatever whole pieces it holds.
		const after = BEGINS_AS_JSON.test(text) ? undefined : jsonAfterText(text);
		if (after === undefined) return undefined;
		parsed = after;
		if (after.before !== '') warnings.push(`text stood before the answer's JSON: ${after.before}`);
	}
	return { kind: 'json', value: parsed.value, ...(warnings.length === 0 ? {} : { warnings }) };
}

function readContent(body: Buffer, contentType: string): Content {
	const text = (body.length >= 3 && body[0] === 0xef && body[1] === 0xbb ? body.subarray(3) : body).toString('utf8');
	const trimmed = text.trimStart();
	if (trimmed === '') return { kind: 'empty' };
	if (text.length > SHALLOW_BYTES && nestsTooDeep(text)) {
		return { kind: 'broken', why: `it nests deeper than ${MAX_DEPTH} levels` };
	}
	const json = readJson(text, body);
	if (json !== undefined) return json;
	const isHtml =
		trimmed.startsWith('<') && /<(?:!doctype|html|head|body|title|h1|form|div|p)\b/i.test(trimmed.slice(0, 4000));
	if (isHtml) {
		const title = /<title[^>]*>([^<]*)/i.exec(trimmed.slice(0, 20_000))?.[1]?.trim();
		const login = /type=["']?password/i.test(trimmed.slice(0, 200_000));
		return { kind: 'html', words: firstWords(title || trimmed.slice(0, 20_000).replace(/<[^>]*>/g, ' ')), login };
	}
	if (BEGINS_AS_JSON.test(trimmed) || OBJECT_START.test(trimmed)) return { kind: 'cut', words: firstWords(trimmed) };
	return { kind: 'text', words: firstWords(trimmed), contentType };
}

/** Names content that is not JSON for what it is. */
function nameContent(content: Exclude<Content, { kind: 'json' }>): { code: string; message: string } {
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

/** The service's error object: `{code, message, data: {status, params}}`, each part of which may be missing. */
function readServiceError(value: unknown): { code?: string; message?: string; reasons?: Record<string, string> } {
	if (!isObject(value)) return {};
	const result: { code?: string; message?: string; reasons?: Record<string, string> } = {};
	if (typeof value.code === 'string' || typeof value.code === 'number') result.code = String(value.code);
	if (typeof value.message === 'string' && value.message !== '') result.message = value.message;
	else if (typeof value.error === 'string') result.message = value.error;
	const params = isObject(value.data) ? value.data.params : undefined;
	if (Array.isArray(params)) {
		result.reasons = Object.fromEntries(params.map((name) => [String(name), 'is missing']));
	} else if (isObject(params)) {
		result.reasons = Object.fromEntries(
			Object.entries(params).map(([name, reason]) => [
				name,
				typeof reason === 'string' ? reason : JSON.stringify(reason),
			]),
		);
	}
	return result;
}

/** What a service error consists of, and nothing else does. */
const ERROR_KEYS = new Set(['code', 'message', 'data', 'additional_errors']);

/** How answers of a kind are read. */
interface AnswerRules {
	/** Whether a 2xx answer's JSON can be one. */
	fits(value: unknown): boolean;
	/** What an object that does not fit lacks. */
	lacks?: string;
	/** An answer without a body leaves open what was asked. */
	needsBody?: boolean;
	/** Its names are chosen by others: `error` may be one of them, and says nothing of the request. */
	freeNames?: boolean;
	/** They are the desk's own, too: a dialect leaves them as they are. */
	ownNames?: boolean;
	/** `success: false` is an answer to what was asked. */
	successIsAnswer?: boolean;
}

const RULES: Readonly<Record<AnswerKind, AnswerRules>> = {
	any: { fits: () => true, freeNames: true },
	object: { fits: isObject },
	fields: { fits: (value) => isObject(value) || isEmptyArray(value), needsBody: true, freeNames: true, ownNames: true },
	'fields-set': {
		fits: (value) => isObject(value) || value === null || value === true || isEmptyArray(value),
		ownNames: true,
	},
	'user-id': {
		fits: (value) => userIdIn(value) !== undefined,
		lacks: 'the answer shows no id',
		needsBody: true,
	},
	check: {
		fits: (value) => typeof value === 'boolean' || isId(value) || (isObject(value) && tellsOfUser(value)),
		lacks: 'the answer shows no user, and does not say whether the credentials are right',
		needsBody: true,
		successIsAnswer: true,
	},
};

/** All that an answer's meaning depends on. */
export type Answered = Pick<Endpoint, 'answer'>;

/** Some proxies and plugins turn an error's status into 200; the body still says that it is one. */
function refusalInside(rules: AnswerRules, value: unknown): { code?: string; message?: string } | undefined {
	if (!isObject(value)) return undefined;
	const { code, message, data, error, errors } = value;
	const isCoded = (typeof code === 'string' || typeof code === 'number') && typeof message === 'string';
	if (isCoded && isObject(data) && isRefusal(data.status)) return readServiceError(value);
	if (rules.freeNames) return undefined;
	if (isCoded && Object.keys(value).every((key) => ERROR_KEYS.has(key))) return readServiceError(value);
	const hasError =
		(typeof error === 'string' && error !== '') || error === true || isObject(error) || !isEmptyList(errors);
	const saysNo = (value.success === false || value.ok === false) && rules.successIsAnswer !== true;
	if (!hasError && !saysNo && !isRefusal(value.status)) return undefined;
	const first = Array.isArray(errors) ? errors[0] : undefined;
	const inner = readServiceError([error, first].find(isObject) ?? value);
	const said = inner.message ?? (typeof first === 'string' ? first : undefined);
	return { code: inner.code ?? 'error_in_answer', message: said ?? 'the answer says that it failed' };
}

/** Whether a number in an answer is a status that says no. */
function isRefusal(status: unknown): boolean {
	return typeof status === 'number' && status >= 400;
}

/** Whether no errors are listed, one way or another. */
function isEmptyList(errors: unknown): boolean {
	return isObject(errors) ? Object.keys(errors).length === 0 : !Array.isArray(errors) || errors.length === 0;
}

/** What an answer says of itself. A text under these names may as well say that the credentials are wrong. */
const OF_THE_ANSWER = new Set(['code', 'message', 'status', 'data', 'success', 'ok', 'error', 'errors']);

/** Whether an object says anything of the credentials: an id that is one, or whatever else a service knows of a user. */
function tellsOfUser(value: Record<string, unknown>): boolean {
	if (value.success === true || value.success === false) return true;
	if (Object.hasOwn(value, 'id')) return isId(value.id);
	return Object.keys(value).some((name) => !OF_THE_ANSWER.has(name));
}

/** PHP writes an object without keys as `[]`. */
function isEmptyArray(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}

/** What the answer's shape is, and what was expected of it. */
function explainShape({ lacks }: AnswerRules, value: unknown): string {
	if (lacks !== undefined && isObject(value)) return lacks;
	return `the answer is ${isObject(value) ? 'an empty object' : kindOf(value)} where an object was expected`;
}

/**
 * Makes a verdict of an answer to a request of an endpoint (interface section 7 shows nothing, so nothing is taken for
 * granted); a promise only where the answer has to be unpacked.
 */
export function judgeAnswer(answer: RawAnswer, endpoint: Answered, dialect: Dialect): Verdict | Promise<Verdict> {
	if (answer.headers['content-encoding'] === undefined) return judgeBody(answer, answer.body, endpoint, dialect);
	return decodeBody(answer).then((decoded) => judgeBody(answer, decoded, endpoint, dialect));
}

function judgeBody(
	answer: RawAnswer,
	decoded: Buffer | { why: string },
	endpoint: Answered,
	dialect: Dialect,
): Verdict {
	const content: Content = Buffer.isBuffer(decoded)
		? readContent(decoded, header(answer, 'content-type') ?? '')
		: { kind: 'broken', why: decoded.why };
	const { status } = answer;
	return status >= 200 && status < 300
		? judgeSuccess(answer, content, endpoint, dialect)
		: judgeRefusal(answer, content, dialect);
}

/** How services write that they did not. */
const NOT_DELETED = new Set<unknown>([false, 'false', 0, '0']);

function judgeSuccess(answer: RawAnswer, content: Content, endpoint: Answered, dialect: Dialect): Verdict {
	const { status, incomplete } = answer;
	const rules = RULES[endpoint.answer];
	if (incomplete !== undefined) {
		const bearing = incomplete.permanent ? 'unclear' : 'no-answer';
		const message = incomplete.permanent ? incomplete.message : `the answer broke off: ${incomplete.message}`;
		return { bearing, status, code: incomplete.code, message, hasBody: false };
	}
	if ((status === 204 || status === 205) && content.kind === 'empty' && !rules.needsBody) {
		return { bearing: 'accepted', status, hasBody: false };
	}
	if (status === 202 || status === 206) {
		const message =
			status === 202 ? 'the request was accepted for later, not carried out' : 'only a part of an answer came';
		return { bearing: 'unclear', status, code: `http_${status}`, message, hasBody: false };
	}
	if (content.kind !== 'json') {
		const named = nameContent(content);
		const hint =
			content.kind === 'html' && !content.login ? '; is /wp-json or another part missing from the base URL?' : '';
		const bearing = content.kind === 'html' ? 'said-no' : 'unclear';
		return { bearing, status, code: named.code, message: named.message + hint, hasBody: false };
	}
	const body = rules.ownNames ? content.value : bodyIn(dialect, content.value);
	const verdict: Verdict = { bearing: 'accepted', status, body, hasBody: true };
	if (content.warnings !== undefined) verdict.warnings = content.warnings;
	const refusal = refusalInside(rules, content.value);
	if (refusal !== undefined) return { ...verdict, ...refusal, bearing: 'said-no' };
	if (isObject(body) && NOT_DELETED.has(body.deleted)) {
		const message = 'the service answered that it did not delete';
		return { ...verdict, bearing: 'said-no', code: 'not_deleted', message };
	}
	if (!rules.fits(content.value)) {
		const message = explainShape(rules, content.value);
		return { ...verdict, bearing: 'unclear', code: 'unexpected_shape', message };
	}
	return verdict;
}

function warningsOf({ warnings }: { warnings?: string[] }): { warnings?: string[] } {
	return warnings === undefined ? {} : { warnings };
}

function judgeRefusal(answer: RawAnswer, content: Content, dialect: Dialect): Verdict {
	const { status } = answer;
	const retryAfter = header(answer, 'retry-after');
	const isServiceError = content.kind === 'json' && readServiceError(content.value).code !== undefined;
	const bearing: Bearing = LATER.has(status)
		? 'later'
		: GATEWAY.has(status) && !isServiceError
			? 'no-answer'
			: 'said-no';
	const date = retryAfter === undefined ? undefined : header(answer, 'date');
	const base: Verdict = {
		bearing,
		status,
		hasBody: false,
		...(retryAfter === undefined ? {} : { retryAfter }),
		...(date === undefined ? {} : { date }),
	};
	if (status >= 300 && status < 400) return { ...base, ...judgeRedirect(answer) };
	if (content.kind === 'json') {
		const error = readServiceError(content.value);
		return {
			...base,
			...warningsOf(content),
			code: error.code ?? `http_${status}`,
			message: error.message ?? `the service answered ${status}`,
			...(error.reasons === undefined ? {} : { reasons: namedIn(dialect, error.reasons) }),
			body: content.value,
			hasBody: true,
		};
	}
	const named = nameContent(content);
	if (content.kind !== 'empty') return { ...base, code: named.code, message: named.message };
	const words = STATUS_WORDS[status];
	const message = words === undefined ? named.message : `${words}; ${named.message}`;
	return { ...base, code: `http_${status}`, message };
}

/** What a status says by itself, for answers that say nothing more. */
const STATUS_WORDS: Readonly<Record<number, string>> = {
	401: 'the credentials are refused',
	403: 'the account lacks the right',
	404: 'nothing was found',
	429: 'there are too many requests',
	500: 'the service has failed',
	502: 'the gateway got no proper answer from the service',
	503: 'the service is overloaded or down for maintenance',
	504: 'the gateway waited for the service in vain',
};

function namedIn(dialect: Dialect, reasons: Record<string, string>): Record<string, string> {
	return Object.fromEntries(Object.entries(reasons).map(([name, reason]) => [dialect.fieldIn(name), reason]));
}

function judgeRedirect(answer: RawAnswer): Partial<Verdict> {
	const location = header(answer, 'location');
	if (location === undefined) {
		const message =
			answer.status === 304
				? 'the answer is "not modified", as if a copy had been asked about'
				: 'the answer is a redirect that names no target';
		return { code: `http_${answer.status}`, message };
	}
	const target = location.slice(0, 300);
	return {
		code: 'redirect',
		location: target,
		message: `the service redirects to ${target}; redirects are not followed with credentials: mend the base URL`,
	};
}
