/** What an answer means, whatever its shape: the one place where what the service sent becomes a verdict. */

import { bodyIn, type Dialect } from '../api/dialect.js';
import type { AnswerKind, Endpoint } from '../api/endpoints.js';
import { isId, userIdIn } from '../api/user-id.js';
import { isObject, kindOf } from '../api/values.js';
import type { RawAnswer } from './client.js';
import { decodeBody } from './coding.js';
import { asItCame, type CleanWords, type Content, nameContent, readContent } from './content.js';
import { type RefusalRules, readServiceError, refusalInside } from './service-error.js';

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

/** What gateways say for themselves when the service behind them did not answer. */
const GATEWAY = new Set([502, 504, 520, 521, 522, 523, 524, 598, 599]);
/** What asks to come back later. */
const LATER = new Set([408, 425, 429, 503]);

/** Whether a status is the service's own word, and not that of a gateway or of somebody who is too busy. */
export function isServed(status: number): boolean {
	return !GATEWAY.has(status) && !LATER.has(status);
}

function header(answer: RawAnswer, name: string): string | undefined {
	const value = answer.headers[name];
	return Array.isArray(value) ? value[0] : value;
}

/** How answers of a kind are read. */
interface AnswerRules extends RefusalRules {
	/** Whether a 2xx answer's JSON can be one. */
	fits(value: unknown): boolean;
	/** What an object that does not fit lacks. */
	lacks?: string;
	/** An answer without a body leaves open what was asked. */
	needsBody?: boolean;
	/** Services say nothing more than 200 of what was carried out. */
	emptyIsDone?: boolean;
	/** They are the desk's own, too: a dialect leaves them as they are. */
	ownNames?: boolean;
}

const RULES: Readonly<Record<AnswerKind, AnswerRules>> = {
	any: { fits: () => true, freeNames: true },
	object: { fits: isObject },
	fields: { fits: (value) => isObject(value) || isEmptyArray(value), needsBody: true, freeNames: true, ownNames: true },
	'fields-set': {
		fits: (value) => isObject(value) || value === null || value === true || isEmptyArray(value),
		emptyIsDone: true,
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
 * @param clean Is asked for the service's words in message, reasons and warnings; code and body are as they came.
 */
export function judgeAnswer(
	answer: RawAnswer,
	endpoint: Answered,
	dialect: Dialect,
	clean: CleanWords = asItCame,
): Verdict | Promise<Verdict> {
	if (answer.headers['content-encoding'] === undefined) return judgeBody(answer, answer.body, endpoint, dialect, clean);
	return decodeBody(answer).then((decoded) => judgeBody(answer, decoded, endpoint, dialect, clean));
}

function judgeBody(
	answer: RawAnswer,
	decoded: Buffer | { why: string },
	endpoint: Answered,
	dialect: Dialect,
	clean: CleanWords,
): Verdict {
	const content: Content = Buffer.isBuffer(decoded)
		? readContent(decoded, header(answer, 'content-type') ?? '', clean)
		: { kind: 'broken', why: decoded.why };
	const { status } = answer;
	return status >= 200 && status < 300
		? judgeSuccess(answer, content, endpoint, dialect, clean)
		: judgeRefusal(answer, content, dialect, clean);
}

/** How services write that they did not. */
const NOT_DELETED = new Set<unknown>([false, 'false', 0, '0']);

function judgeSuccess(
	answer: RawAnswer,
	content: Content,
	endpoint: Answered,
	dialect: Dialect,
	clean: CleanWords,
): Verdict {
	const { status, incomplete } = answer;
	const rules = RULES[endpoint.answer];
	if (incomplete !== undefined) {
		const bearing = incomplete.permanent ? 'unclear' : 'no-answer';
		const message = incomplete.permanent ? incomplete.message : `the answer broke off: ${incomplete.message}`;
		return { bearing, status, code: incomplete.code, message, hasBody: false };
	}
	const mayBeEmpty = status === 200 ? rules.emptyIsDone : (status === 204 || status === 205) && !rules.needsBody;
	if (content.kind === 'empty' && mayBeEmpty === true) {
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
	const refusal = refusalInside(rules, content.value, clean);
	if (refusal !== undefined) {
		const reasons = refusal.reasons === undefined ? {} : { reasons: namedIn(dialect, refusal.reasons) };
		return { ...verdict, ...refusal, ...reasons, bearing: 'said-no' };
	}
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

function judgeRefusal(answer: RawAnswer, content: Content, dialect: Dialect, clean: CleanWords): Verdict {
	const { status } = answer;
	const retryAfter = header(answer, 'retry-after');
	const error = content.kind === 'json' ? readServiceError(content.value, clean) : {};
	const isServiceError = error.code !== undefined;
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
	if (status >= 300 && status < 400) return { ...base, ...judgeRedirect(answer, clean) };
	if (content.kind === 'json') {
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

/** What stands where a secret stood. */
const HIDDEN = '[redacted]';

/** `to=x&y` with neither value: whatever its name, one may open a door, such as a ticket that signs somebody in. */
function withoutValues(query: string): string {
	return query
		.split('&')
		.map((part) => (part === '' ? '' : part.includes('=') ? part.slice(0, part.indexOf('=') + 1) + HIDDEN : HIDDEN))
		.join('&');
}

/** A redirect's target as it may be told: where it leads, without user info, the values of its query and its fragment. */
function shownTarget(location: string): string {
	const [, place = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(location) ?? [];
	const told = place.replace(/^([a-z][a-z0-9+.-]*:[\\/]*|[\\/]{2,})[^\\/]*@/i, `$1${HIDDEN}@`);
	return told + (query ? `?${withoutValues(query)}` : '') + (fragment ? `#${HIDDEN}` : '');
}

function judgeRedirect(answer: RawAnswer, clean: CleanWords): Partial<Verdict> {
	const location = header(answer, 'location');
	if (location === undefined) {
		const message =
			answer.status === 304
				? 'the answer is "not modified", as if a copy had been asked about'
				: 'the answer is a redirect that names no target';
		return { code: `http_${answer.status}`, message };
	}
	const target = shownTarget(clean(location)).slice(0, 300);
	return {
		code: 'redirect',
		location: target,
		message: `the service redirects to ${target}; redirects are not followed with credentials: mend the base URL`,
	};
}
