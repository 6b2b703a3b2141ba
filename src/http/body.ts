/** What the JSON of a response says about its request: an error, a plain no, a plain yes, or nothing to rely on. */

import type { ReplayRule } from '../api/endpoints.js';
import { isId } from '../api/user-id.js';
import { isObject } from '../api/values.js';
import { type CleanWords, htmlText } from './content.js';

/** What a service says about an error. */
export interface ServiceError {
	code?: string;
	message?: string;
	/** By the field that is to blame. */
	reasons?: Record<string, string>;
}

/** What a body is held against. */
export interface Asked {
	replay: ReplayRule;
	/** The ids in the request's path. */
	ids?: Readonly<Record<string, string>> | undefined;
	/** The fields of the request's body. */
	sent?: Readonly<Record<string, unknown>> | undefined;
}

/** The service's error object: `{code, message, data: {status, params}}`, each part of which may be missing. */
export function readServiceError(value: unknown, cleanWords: CleanWords): ServiceError {
	if (!isObject(value)) return {};
	const clean = (text: string): string => cleanWords(htmlText(text));
	const result: ServiceError = {};
	if (typeof value.code === 'string' || typeof value.code === 'number') result.code = String(value.code);
	const message = [value.message, value.error, value.errors, value.detail, value.error_description].find(isText);
	if (message !== undefined) result.message = clean(message);
	const params = isObject(value.data) ? value.data.params : undefined;
	if (Array.isArray(params)) {
		result.reasons = Object.fromEntries(params.map((name) => [String(name), 'is missing']));
	} else if (isObject(params)) {
		result.reasons = Object.fromEntries(
			Object.entries(params).map(([name, reason]) => [
				name,
				clean(typeof reason === 'string' ? reason : JSON.stringify(reason)),
			]),
		);
	}
	return result;
}

function isText(value: unknown): value is string {
	return typeof value === 'string' && value !== '';
}

/** Whether an error has a code that a service gives and a gateway does not: a word, and not the status again. */
export function hasOwnCode(value: unknown): boolean {
	return isObject(value) && typeof value.code === 'string' && /[a-z]/i.test(value.code);
}

/** Keys that can be any of the kinds below; the others, most of an object's, are passed over at once. */
const MAY_SPEAK =
	/err|fault|fail|exception|succ|ok|delet|trash|remov|revok|destroy|updat|sav|appl|stor|stat|code|result|outcome|response|data|body|items/i;

const plainKey = (name: string): string => name.replace(/[^a-z]/gi, '').toLowerCase();

/** Keys that hold an error, unless their value says that there is none. */
const ERROR_KEY =
	/^(?:has|is)?(?:errors?|err|exceptions?|faults?|failures?|failed)(?:code|msg|messages?|description|details?|text|type|count|list)?$/;
/** Keys that hold yes or no. */
const FLAG_KEY = /^(?:is|was)?(?:success|successful|succeeded|successfully|ok|okay)$/;
const DELETED_KEY = /^(?:is|was)?(?:deleted|trashed|removed|revoked|destroyed)$/;
const UPDATED_KEY = /^(?:is|was)?(?:updated|saved|applied|stored)$/;
/** Keys that hold a status of HTTP, where their value is one. */
const STATUS_KEY = /^(?:http)?(?:status|response)?code$|^(?:http)?status$/;
/** Keys that say in a word what the request came to, unless they are fields of the object itself. */
const RESULT_KEY = /^(?:status|state|results?|outcome|response)$/;
/** Keys that hold text about the request. */
const TEXT_KEY = /^(?:message|msg|messages|detail|details|reason|info|notice)$/;
/** Keys under which services put the responses of what they did. */
const ENVELOPE_KEY = /^(?:responses?|results?|data|body|items|multistatus)$/;
/** Keys that come with any of these and say nothing by themselves. */
const SIDE_KEY =
	/^(?:code|data|additionalerrors|title|type|instance|path|timestamp|time|traceid|requestid|version|headers)$/;

/** What the service's error object consists of. */
const BARE_ERROR_KEYS = new Set(['code', 'message', 'data', 'additional_errors']);

const NO_ERROR = /^(?:|0|false|no|none|null|nil|ok|success)$/i;
const NO =
	/^(?:false|no|nope|n|off|0|nok|ko|never|not\b.*|(?:.*[ _-])?(?:err|errors?|fail|fails|failed|failure|fatal|exception|denied|forbidden|unauthori[sz]ed|refused|rejected|invalid|declined|aborted|cancell?ed))$/i;
const YES =
	/^(?:true|yes|y|on|1|ok|okay|done|success|successful|succeeded|completed?|deleted|trash|trashed|removed|revoked|updated|saved|accepted)$/i;
const NO_WORDS =
	/\b(?:errors?|fail(?:ed|ure)?|den(?:y|ied)|forbidden|unauthori[sz]ed|refused?|rejected|invalid|incorrect|wrong|blocked|disabled|prohibited|locked|expired|insufficient|unavailable|too many|no (?:such|route|permission|rights?)|not (?:allowed|permitted|found|authori[sz]ed|possible|deleted|updated|saved|supported|available)|(?:may|can|could|must|do|does|did|are|is|was) ?n[o']t|cannot)\b/i;

/** How much of a text is searched for words. */
const SEARCHED = 1000;

function hasNoWords(value: unknown): boolean {
	return typeof value === 'string' && NO_WORDS.test(value.slice(0, SEARCHED));
}

/** Whether a value says no. Text counts only where it is a word for it. */
function isNo(value: unknown): boolean {
	return value === false || value === 0 || (typeof value === 'string' && NO.test(value.trim().slice(0, SEARCHED)));
}

function isYes(value: unknown): boolean {
	return value === true || (typeof value === 'number' && value > 0) || (typeof value === 'string' && YES.test(value));
}

/** Whether the value of an error key is an error. */
function isError(value: unknown): boolean {
	if (value === true) return true;
	if (typeof value === 'number') return value !== 0;
	if (typeof value === 'string') return !NO_ERROR.test(value.trim());
	return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
}

/** Whether a value is a status of HTTP that refuses: 403, "403", "HTTP/1.1 403 Forbidden". */
function isRefusal(value: unknown): boolean {
	const text = typeof value === 'number' ? String(value) : value;
	return typeof text === 'string' && /^(?:HTTP\/[\d.]+ )?[45]\d\d(?:\D|$)/.test(text);
}

/** Whether a body is the object that was asked for: it shows the last id of the path. */
function isTheObject(body: Record<string, unknown>, { ids = {} }: Asked): boolean {
	const asked = ids.id ?? ids.ticket_id;
	return (
		asked !== undefined && (typeof body.id === 'number' || typeof body.id === 'string') && String(body.id) === asked
	);
}

/** How a service names an error that it turned into a success: `{code, message, data: {status}}`. */
export function isCodedError({ code, message, data }: Record<string, unknown>): boolean {
	const isCoded = (typeof code === 'string' || typeof code === 'number') && typeof message === 'string';
	return isCoded && isObject(data) && isRefusal(data.status);
}

/**
 * The no in the JSON of a 2xx response. The line is drawn here: an object that shows the id asked for is the object
 * itself, whose status may be "failed" and whose title may be "Error"; only keys that no object of this service has
 * (error, errors, success, ok, a numeric status, deleted on a delete) speak about the request there. In any other object
 * words such as status, result and message speak about the request too.
 */
export function findNo(body: Record<string, unknown>, asked: Asked, depth = 0): string | undefined {
	if (isCodedError(body)) return 'code';
	const itself = isTheObject(body, asked);
	// An object that is in the trash was not deleted permanently: "deleted": false is no refusal then.
	const inTrash = itself && body.status === 'trash';
	for (const name in body) {
		if (!MAY_SPEAK.test(name)) continue;
		const value = body[name];
		if (asked.sent !== undefined && Object.hasOwn(asked.sent, name) && asked.sent[name] === value) continue;
		const key = plainKey(name);
		if (ERROR_KEY.test(key) && isError(value)) return name;
		if (FLAG_KEY.test(key) && isNo(value)) return name;
		if (asked.replay === 'delete' && DELETED_KEY.test(key) && isNo(value) && !inTrash) return name;
		if (STATUS_KEY.test(key) && isRefusal(value) && !(itself && key === 'code')) return name;
		if (itself) continue;
		if (asked.replay === 'set' && UPDATED_KEY.test(key) && isNo(value)) return name;
		if (RESULT_KEY.test(key) && isNo(value)) return name;
		if (!ENVELOPE_KEY.test(key) || depth > 2) continue;
		for (const inner of Array.isArray(value) ? value : [value]) {
			if (isObject(inner) && findNo(inner, asked, depth + 1) !== undefined) return name;
		}
	}
	if (itself || !isOnlyText(body, asked)) return undefined;
	if (isBareError(body)) return 'code';
	return Object.keys(body).find((name) => TEXT_KEY.test(plainKey(name)) && hasNoWords(body[name]));
}

/** `{code, message}` and nothing else is the service's error object, unless the code is that of a success. */
function isBareError(body: Record<string, unknown>): boolean {
	const { code, message } = body;
	if (typeof message !== 'string' || !Object.keys(body).every((name) => BARE_ERROR_KEYS.has(name))) return false;
	if (typeof code === 'number') return code !== 0 && (code < 200 || code > 299);
	return isText(code) && !YES.test(code) && !/^2\d\d$/.test(code);
}

/** Whether an object only talks about the request, and shows nothing of what was asked for. */
function isOnlyText(body: Record<string, unknown>, { sent = {} }: Asked): boolean {
	const names = Object.keys(body).filter((name) => !SIDE_KEY.test(plainKey(name)) || isObject(body[name]));
	return (
		names.length + Number(Object.hasOwn(body, 'code')) > 0 &&
		names.every((name) => {
			const key = plainKey(name);
			const isAbout = TEXT_KEY.test(key) || RESULT_KEY.test(key) || STATUS_KEY.test(key);
			return isAbout && !Object.hasOwn(sent, name) && !isObject(body[name]);
		})
	);
}

/** Whether an object without a no leaves open what became of the request: it is text alone, and none of it says yes. */
export function leavesOpen(body: Record<string, unknown>, asked: Asked): boolean {
	const isNull = (name: string): boolean => body[name] === null || body[name] === '';
	if (asked.replay === 'delete' && Object.keys(body).some((name) => DELETED_KEY.test(plainKey(name)) && isNull(name))) {
		return !isTheObject(body, asked);
	}
	if (!isOnlyText(body, asked)) return Object.keys(body).length > 0 && Object.keys(body).every(isNull);
	return !Object.entries(body).some(([name, value]) => {
		const key = plainKey(name);
		// A status alone is the object's, a word such as "publish".
		const isStatus = name === 'status' && typeof value === 'string' && Object.keys(body).length === 1;
		return isStatus || ((RESULT_KEY.test(key) || STATUS_KEY.test(key)) && isYes(value));
	});
}

/** What an object that says no says about it. */
export function explainNo(body: Record<string, unknown>, clean: CleanWords): ServiceError {
	const { error, errors } = body;
	const first = Array.isArray(errors) ? errors[0] : undefined;
	const inner = readServiceError([error, first].find(isObject) ?? body, clean);
	const message = inner.message ?? (isText(first) ? clean(htmlText(first)) : undefined);
	return {
		code: inner.code ?? 'error_in_answer',
		message: message ?? 'the response says that it failed',
		...(inner.reasons === undefined ? {} : { reasons: inner.reasons }),
	};
}

/** Keys that say whether credentials are right. Of those of the second kind, a no may have other reasons. */
const RIGHT_KEY =
	/^(?:is|are|was|user|passwords?|credentials?|login)*(?:authenticated|authori[sz]ed|valid|validated|correct|match|matches|matched|verified|accepted|granted|loggedin|checked)$/;
const WEAK_KEY = /^(?:is|was)?(?:success|successful|succeeded|ok|result|status|state|check|verdict|outcome|allowed)$/;
/** Keys that say so the other way round, and those that say why nothing can be said. */
const WRONG_KEY = /^(?:is|are|was|user|passwords?|credentials?|login)*(?:invalid|incorrect|wrong|mismatch)$/;
const REFUSED_KEY =
	/^(?:is|was|user|account|login)*(?:rejected|refused|denied|lockedout|locked|lockout|blocked|banned|disabled|suspended|expired|inactive|throttled|ratelimited)$/;
const WRONG_WORDS =
	/\b(?:invalid|incorrect|wrong|mismatch|unauthenticated|bad (?:password|credentials)|(?:not|n't|no) (?:valid|correct|right|match(?:ed)?))\b/i;

/**
 * What a 2xx response to a check of credentials says about them. Only an id or a bare `true` is a yes, and only where
 * nothing beside it contradicts; a no has to be about the credentials, so that a locked account is neither.
 */
export function readCheck(body: unknown): 'yes' | 'no' | undefined {
	if (typeof body === 'boolean') return body ? 'yes' : 'no';
	if (!isObject(body)) return undefined;
	const hasId = isId(body.id);
	const found = { yes: hasId, no: false, weakNo: false, unclear: false, explained: false };
	for (const [name, value] of Object.entries(body)) {
		const key = plainKey(name.slice(0, 60));
		const words = isText(value) ? value.slice(0, SEARCHED).replace(/[_-]/g, ' ') : '';
		if (RIGHT_KEY.test(key)) {
			if (isNo(value)) found.no = true;
			else if (isYes(value)) found.yes = true;
			else found.unclear = true;
		} else if (WRONG_KEY.test(key)) {
			if (isYes(value)) found.no = true;
			else if (!isNo(value)) found.unclear = true;
		} else if (WEAK_KEY.test(key)) {
			if (WRONG_WORDS.test(words)) found.no = true;
			else if (isRefusal(value) || (!isNo(value) && !isYes(value) && !/^(?:valid|active|enabled)$/i.test(words))) {
				found.unclear = true;
			} else if (isNo(value)) found.weakNo = true;
			else found.yes ||= !/^(?:active|enabled)$/i.test(words) && value !== 200;
		} else if (REFUSED_KEY.test(key) || ERROR_KEY.test(key) || key === 'code') {
			if (isError(value)) found.explained = true;
		} else if (TEXT_KEY.test(key) && (WRONG_WORDS.test(words) || hasNoWords(value))) found.explained = true;
		else if (isObject(value) && (readCheck(value) === 'no' || findNo(value, { replay: 'once' }) !== undefined)) {
			found.explained = true;
		}
	}
	if (found.no) return found.yes ? undefined : 'no';
	if (found.weakNo) return found.yes || found.unclear || found.explained ? undefined : 'no';
	return hasId && !found.unclear && !found.explained ? 'yes' : undefined;
}
