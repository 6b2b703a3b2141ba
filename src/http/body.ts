/** What the JSON of a response says about its request: an error, a plain no, a plain yes, or nothing to rely on. */

import type { ReplayRule } from '../api/endpoints.js';
import { isId, isObject } from '../api/values.js';
import { type CleanWords, htmlText } from './content.js';

type Json = Readonly<Record<string, unknown>>;

/** What a service says about an error. */
export interface ServiceError {
	code?: string;
	message?: string;
	/** By the field that is to blame. */
	reasons?: Record<string, string>;
}

/** What a body is compared with. */
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
		const textOf = (why: unknown): string => clean(typeof why === 'string' ? why : JSON.stringify(why));
		result.reasons = Object.fromEntries(Object.entries(params).map(([name, why]) => [name, textOf(why)]));
	}
	return result;
}

/** What an object that says no says about it. */
export function explainNo(body: Json, clean: CleanWords): ServiceError {
	const { error, errors } = body;
	const first = Array.isArray(errors) ? errors[0] : undefined;
	const inner = readServiceError([error, first].find(isObject) ?? body, clean);
	const message = inner.message ?? (isText(first) ? clean(htmlText(first)) : 'the response says that it failed');
	return { ...inner, code: inner.code ?? 'error_in_answer', message };
}

function isText(value: unknown): value is string {
	return typeof value === 'string' && value !== '';
}

/** Whether an error has a code that a service gives and a gateway does not: a word, and not the status again. */
export function hasOwnCode(value: unknown): boolean {
	return isObject(value) && typeof value.code === 'string' && /[a-z]/i.test(value.code);
}

/** What a key can be about, by its letters alone: `has_errors` is `haserrors`. */
const KEYS = {
	/** Holds an error, unless its value says that there is none. */
	error:
		/^(?:has|is)?(?:errors?|err|exceptions?|faults?|failures?|failed)(?:code|msg|messages?|description|details?|text|type|count|list)?$/,
	/** Yes or no. */
	flag: /^(?:is|was)?(?:success|successful|succeeded|successfully|ok|okay)$/,
	deleted: /^(?:is|was)?(?:deleted|trashed|removed|revoked|destroyed)$/,
	updated: /^(?:is|was)?(?:updated|saved|applied|stored)$/,
	denied: /^(?:is|was|access|permission|request)*(?:denied|forbidden|refused|rejected|unauthori[sz]ed)$/,
	/** An HTTP status, where the value is one. */
	status: /^(?:http)?(?:status|response)?code$|^(?:http)?status$/,
	/** A word for what the request came to, unless it is a field of the object itself. */
	result: /^(?:status|state|results?|outcome|response)$/,
	/** Text about the request. */
	text: /^(?:message|msg|messages|detail|details|reason|info|notice)$/,
	/** Holds the result of what the service did. */
	envelope: /^(?:responses?|results?|data|body|items|multistatus)$/,
	/** Comes with any of these and says nothing by itself. */
	side: /^(?:code|data|additionalerrors|title|type|instance|path|timestamp|time|traceid|requestid|version|headers)$/,
	/** Of credentials: `right` is true where they are; `wrong` where they are not; `weak` may be about something else; `refused` says neither. */
	right:
		/^(?:is|are|was|user|passwords?|credentials?|login)*(?:authenticated|authori[sz]ed|valid|validated|correct|match|matches|matched|verified|accepted|granted|loggedin|checked)$/,
	wrong: /^(?:is|are|was|user|passwords?|credentials?|login)*(?:invalid|incorrect|wrong|mismatch)$/,
	weak: /^(?:is|was)?(?:success|successful|succeeded|ok|result|status|state|check|verdict|outcome|allowed)$/,
	refused:
		/^(?:is|was|user|account|login)*(?:rejected|refused|denied|lockedout|locked|lockout|blocked|banned|disabled|suspended|expired|inactive|throttled|ratelimited)$/,
};

type KeyKind = keyof typeof KEYS;

const NO_KINDS: ReadonlySet<KeyKind> = new Set();
/** The kinds of each name, found once: services use few names, the same in each row. */
const knownKeys = new Map<string, ReadonlySet<KeyKind>>();
const MOST_KNOWN = 1000;

function kindsOf(name: string): ReadonlySet<KeyKind> {
	let kinds = knownKeys.get(name);
	if (kinds === undefined) {
		const letters = name
			.slice(0, 60)
			.replace(/[^a-z]/gi, '')
			.toLowerCase();
		const found = (Object.keys(KEYS) as KeyKind[]).filter((kind) => KEYS[kind].test(letters));
		kinds = found.length === 0 ? NO_KINDS : new Set(found);
		if (knownKeys.size < MOST_KNOWN) knownKeys.set(name, kinds);
	}
	return kinds;
}

const NO_ERROR = /^(?:|0|false|no|none|null|nil|ok|success)$/i;
const NO =
	/^(?:false|no|nope|n|off|0|nok|ko|never|not\b.*|(?:.*[ _-])?(?:err|errors?|fail|fails|failed|failure|fatal|exception|denied|forbidden|unauthori[sz]ed|refused|rejected|invalid|declined|aborted|cancell?ed))$/i;
const YES =
	/^(?:true|yes|y|on|1|ok|okay|done|success|successful|succeeded|completed?|deleted|trash|trashed|removed|revoked|updated|saved|accepted)$/i;
const NO_WORDS =
	/\b(?:errors?|fail(?:ed|ure)?|den(?:y|ied)|forbidden|unauthori[sz]ed|refused?|rejected|invalid|incorrect|wrong|blocked|disabled|prohibited|locked|expired|insufficient|unavailable|too many|no (?:such|route|permission|rights?)|not (?:allowed|permitted|found|authori[sz]ed|possible|deleted|updated|saved|supported|available)|(?:may|can|could|must|do|does|did|are|is|was) ?n[o']t|cannot)\b/i;
const WRONG_WORDS =
	/\b(?:invalid|incorrect|wrong|mismatch|unauthenticated|bad (?:password|credentials)|(?:not|n't|no) (?:valid|correct|right|match(?:ed)?))\b/i;

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
	if (typeof value === 'string') return !NO_ERROR.test(value.trim());
	if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
	return value === true || (typeof value === 'number' && value !== 0);
}

/** Whether a value is an HTTP status that refuses: 403, "403", "HTTP/1.1 403 Forbidden". */
function isRefusal(value: unknown): boolean {
	if (typeof value === 'number') return value >= 400 && value < 600;
	return typeof value === 'string' && /^(?:HTTP\/[\d.]+ )?[45]\d\d(?:\D|$)/.test(value);
}

/** Whether a body is the object that was asked for: it shows the last id of the path. */
function isTheObject({ id }: Json, { ids = {} }: Asked): boolean {
	const asked = ids.id ?? ids.ticket_id;
	return asked !== undefined && (typeof id === 'number' || typeof id === 'string') && String(id) === asked;
}

/** Whether an object shows none of the fields that were sent, so that nothing else says what became of them. */
function showsNone(body: Json, { sent }: Asked): boolean {
	return sent !== undefined && !Object.keys(sent).some((name) => Object.hasOwn(body, name));
}

/** How a service names an error that it turned into a success: `{code, message, data: {status}}`. */
export function isCodedError({ code, message, data }: Json): boolean {
	const isCoded = (typeof code === 'string' || typeof code === 'number') && typeof message === 'string';
	return isCoded && isObject(data) && isRefusal(data.status);
}

/**
 * The key that says no in the JSON of a 2xx response. An object that shows the id asked for is the object itself, whose
 * status may be "failed" and whose title may be "Error"; only keys that no object of this service has (error, errors,
 * success, ok, a numeric status, deleted on a delete) speak about the request there. In any other object words such as
 * status, result and message speak about the request too.
 */
export function findNo(body: Json, asked: Asked, depth = 0): string | undefined {
	if (isCodedError(body)) return 'code';
	const itself = isTheObject(body, asked);
	// An object that is in the trash was not deleted permanently: "deleted": false is no refusal then.
	const inTrash = itself && body.status === 'trash';
	for (const name in body) {
		const kinds = kindsOf(name);
		if (kinds === NO_KINDS) continue;
		const value = body[name];
		if (asked.sent !== undefined && asked.sent[name] === value && Object.hasOwn(asked.sent, name)) continue;
		if (kinds.has('error') && isError(value)) return name;
		if (kinds.has('flag') && isNo(value)) return name;
		if (asked.replay === 'delete' && kinds.has('deleted') && isNo(value) && !inTrash) return name;
		if (kinds.has('status') && isRefusal(value) && !(itself && name === 'code')) return name;
		if (!itself || showsNone(body, asked)) {
			if (asked.replay === 'set' && kinds.has('updated') && isNo(value)) return name;
			if (kinds.has('denied') && isYes(value)) return name;
		}
		if (itself) continue;
		if (kinds.has('result') && isNo(value)) return name;
		if (!kinds.has('envelope') || depth > 2) continue;
		for (const inner of Array.isArray(value) ? value : [value]) {
			if (isObject(inner) && findNo(inner, asked, depth + 1) !== undefined) return name;
		}
	}
	if (itself || !isOnlyText(body, asked)) return undefined;
	if (isBareError(body)) return 'code';
	return Object.keys(body).find((name) => kindsOf(name).has('text') && hasNoWords(body[name]));
}

/** What the service's error object consists of. */
const BARE_ERROR_KEYS = new Set(['code', 'message', 'data', 'additional_errors']);

/** `{code, message}` and nothing else is the service's error object, unless the code is that of a success. */
function isBareError(body: Json): boolean {
	const { code, message } = body;
	if (typeof message !== 'string' || !Object.keys(body).every((name) => BARE_ERROR_KEYS.has(name))) return false;
	if (typeof code === 'number') return code !== 0 && (code < 200 || code > 299);
	return isText(code) && !YES.test(code) && !/^2\d\d$/.test(code);
}

/** Whether an object is only about the request, and shows nothing of what was asked for. */
function isOnlyText(body: Json, { sent = {} }: Asked): boolean {
	let says = false;
	for (const name in body) {
		const kinds = kindsOf(name);
		if (isObject(body[name])) return false;
		if (name !== 'code' && kinds.has('side')) continue;
		if (name !== 'code' && Object.hasOwn(sent, name)) return false;
		if (!(kinds.has('text') || kinds.has('result') || kinds.has('status'))) return false;
		says = true;
	}
	return says;
}

/** Whether an object without a no leaves open what became of the request: it is text alone, and none of it says yes. */
export function leavesOpen(body: Json, asked: Asked): boolean {
	const names = Object.keys(body);
	const isNull = (name: string): boolean => body[name] === null || body[name] === '';
	// A list of what was deleted may be empty.
	const isNone = (name: string): boolean => isNull(name) || (body[name] as unknown[]).length === 0;
	if (asked.replay === 'delete' && names.some((name) => kindsOf(name).has('deleted') && isNone(name))) {
		return !isTheObject(body, asked);
	}
	if (!isOnlyText(body, asked)) return names.length > 0 && names.every(isNull);
	// A status alone is the object's, a word such as "publish".
	if (names.length === 1 && typeof body.status === 'string') return false;
	return !names.some((name) => {
		const kinds = kindsOf(name);
		return (kinds.has('result') || kinds.has('status')) && isYes(body[name]);
	});
}

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
		const kinds = kindsOf(name);
		const words = isText(value) ? value.slice(0, SEARCHED).replace(/[_-]/g, ' ') : '';
		const isWrong = WRONG_WORDS.test(words);
		if (kinds.has('right') || kinds.has('wrong')) {
			const says = isNo(value) ? 'no' : isYes(value) ? 'yes' : 'unclear';
			if (kinds.has('right')) found[says] = true;
			else if (says !== 'no') found[says === 'yes' ? 'no' : 'unclear'] = true;
		} else if (kinds.has('weak')) {
			const isState = /^(?:valid|active|enabled)$/i.test(words);
			if (isWrong) found.no = true;
			else if (isRefusal(value) || !(isNo(value) || isYes(value) || isState)) found.unclear = true;
			else if (isNo(value)) found.weakNo = true;
			else found.yes ||= !/^(?:active|enabled)$/i.test(words) && value !== 200;
		} else if (kinds.has('refused') || kinds.has('error') || name === 'code') found.explained ||= isError(value);
		else if (isObject(value)) {
			found.explained ||= readCheck(value) === 'no' || findNo(value, { replay: 'once' }) !== undefined;
		} else if (kinds.has('text')) found.explained ||= isWrong || hasNoWords(value);
	}
	if (found.no) return found.yes ? undefined : 'no';
	if (found.weakNo) return found.yes || found.unclear || found.explained ? undefined : 'no';
	return hasId && !found.unclear && !found.explained ? 'yes' : undefined;
}
