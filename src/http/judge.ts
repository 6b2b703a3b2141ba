/** What a response means for its request: the one place that knows what a status, a body or a lost response stands for. */

import { bodyIn, type Dialect, neutralDialect } from '../api/dialect.js';
import type { AnswerKind, Endpoint } from '../api/endpoints.js';
import { userIdIn } from '../api/user-id.js';
import { isObject, kindOf } from '../api/values.js';
import {
	type Asked,
	explainNo,
	findNo,
	hasOwnCode,
	isCodedError,
	leavesOpen,
	readCheck,
	readServiceError,
} from './body.js';
import { asItCame, type CleanWords, type Content, headerOf, nameContent, type Response } from './content.js';
import type { Result } from './outcome.js';
import type { ResponseHeaders } from './types.js';

/** What is judged: a planned request, or one outside the endpoint table that says how it may be repeated. */
export interface Judged extends Omit<Asked, 'replay'> {
	readonly endpoint: Pick<Endpoint, 'answer' | 'replay'>;
	/** Below the base URL, with the query. */
	readonly path?: string;
	readonly body?: string | undefined;
}

/** What earlier attempts of the same request leave open. */
export interface History {
	/** One may have been applied: it got no response, or one of a gateway. */
	mayBeApplied?: boolean;
	/** The service answered one with an error of its own that may have come half-way. */
	mayBePartly?: boolean;
}

/** How responses are read, the same for all requests of a run. */
export interface Reading {
	dialect?: Dialect | undefined;
	clean?: CleanWords | undefined;
	/** Takes 404 and 410 on a delete for success. */
	ignoreMissing?: boolean | undefined;
}

/**
 * Whether sending again could help: `later`: the service asks to come back; `lost`: nobody knows what became of the
 * attempt; `unsent`: no connection; `once`: the service failed, and may not the second time.
 */
export type Retry = 'never' | 'once' | 'later' | 'lost' | 'unsent';

/** What an attempt comes to, if it is the last. */
export interface Verdict extends Omit<Result, 'attempts' | 'ms'> {
	retry: Retry;
	/** What this attempt and those before it leave open. */
	history: History;
	/** The target of a redirect. */
	location?: string;
}

/** A verdict before history is looked at. */
type Finding = Omit<Verdict, 'history'> & { open?: keyof History };

/** What asks to come back later; 503 does too, but may have been applied. */
const LATER = new Set([408, 425, 429, 503]);
/** What gateways say for themselves when they got no response from the service. */
const GATEWAY = new Set([502, 504, 520, 521, 522, 523, 524, 598, 599]);
/** Server errors that refuse the request as it is. */
const REFUSING = new Set([501, 505, 511]);

/** Whether a status is the service's own, and not that of a gateway or of a service that is too busy. */
export function isServed(status: number): boolean {
	return !GATEWAY.has(status) && !LATER.has(status);
}

/** Whether a refusal came from something else than the service: a redirect, a page, a login form, a path it does not serve. */
export function isFromElsewhere({ status, code }: Pick<Result, 'status' | 'code'>): boolean {
	if (status === undefined || (status >= 500 && status < 600) || LATER.has(status)) return false;
	return /^(?:redirect|login_form|html_answer|not_json|http_[34]\d\d|rest_no_route)$/.test(code ?? '');
}

/** Makes a verdict of what an attempt brought (interface section 7 shows no responses, so nothing is taken for granted). */
export function judge(request: Judged, response: Response, history: History = {}, reading: Reading = {}): Verdict {
	const finding =
		'problem' in response
			? judgeProblem(response)
			: response.status >= 200 && response.status < 300
				? judgeSuccess(request, response, reading)
				: judgeRefusal(request, response, reading);
	return withHistory(request, finding, history, reading);
}

function judgeProblem({
	problem: { code, message, permanent },
	sent,
}: Extract<Response, { problem: object }>): Finding {
	const common = { code, message };
	// Once written, a request may have arrived, whatever became of its connection.
	if (sent) return { outcome: 'unknown', retry: permanent ? 'never' : 'lost', open: 'mayBeApplied', ...common };
	return { outcome: 'not-sent', retry: permanent ? 'never' : 'unsent', ...common };
}

/** How responses of a kind are read. */
interface Rules {
	/** Whether a 2xx response's JSON can be one. */
	fits(value: unknown): boolean;
	/** What an object that does not fit lacks. */
	lacks?: string;
	/** A response without a body leaves open what was asked. */
	needsBody?: boolean;
	/** Services say nothing more than 200 about what was carried out. */
	emptyIsDone?: boolean;
	/** Its keys are chosen by others: `error` may be one of them, and says nothing about the request. */
	freeNames?: boolean;
	/** They are the service's own, too: a dialect leaves them as they are. */
	ownNames?: boolean;
}

const RULES: Readonly<Record<AnswerKind, Rules>> = {
	any: { fits: () => true, freeNames: true },
	object: { fits: isObject },
	list: { fits: Array.isArray, lacks: 'the response is not a list', needsBody: true, freeNames: true },
	fields: { fits: (value) => isObject(value) || isEmptyArray(value), needsBody: true, freeNames: true, ownNames: true },
	'fields-set': {
		fits: (value) => isObject(value) || value === null || value === true || isEmptyArray(value),
		emptyIsDone: true,
		ownNames: true,
	},
	'user-id': {
		fits: (value) => userIdIn(value) !== undefined,
		lacks: 'the response shows no id',
		needsBody: true,
	},
	check: {
		// What says yes or no is found before.
		fits: () => false,
		lacks: 'the response does not say whether the credentials are valid',
		needsBody: true,
	},
};

/** PHP writes an object without keys as `[]`. */
function isEmptyArray(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}

interface Received extends Extract<Response, { status: number }> {}

function judgeSuccess(
	request: Judged,
	received: Received,
	{ dialect = neutralDialect, clean = asItCame }: Reading,
): Finding {
	const { status, content, incomplete } = received;
	const rules = RULES[request.endpoint.answer];
	const unclear = (code: string, message: string, more: Partial<Finding> = {}): Finding => {
		return { outcome: 'unknown', retry: 'never', status, code, message, ...more };
	};
	if (incomplete !== undefined) {
		if (incomplete.permanent) return unclear(incomplete.code, incomplete.message);
		return unclear(incomplete.code, `the response broke off: ${incomplete.message}`, {
			retry: 'lost',
			open: 'mayBeApplied',
		});
	}
	const mayBeEmpty = status === 200 ? rules.emptyIsDone : (status === 204 || status === 205) && !rules.needsBody;
	if (content.kind === 'empty' && mayBeEmpty === true) {
		return { outcome: 'ok', retry: 'never', status };
	}
	if (status === 202) return unclear('http_202', 'the request was accepted for later, not carried out');
	if (status === 206) return unclear('http_206', 'only a part of the response came');
	if (content.kind === 'html') {
		const { code, message } = nameContent(content);
		const hint = content.login ? '' : '; is /wp-json or another part missing from the base URL?';
		return { outcome: 'failed', retry: 'never', status, code, message: message + hint };
	}
	if (content.kind !== 'json') {
		const { code, message } = nameContent(content);
		return unclear(code, message);
	}
	return judgeBody(request, status, content, rules, dialect, clean);
}

/** Text before the JSON that says nothing about the request. */
const NOTICE = /^(?:<[^>]*>|\s)*(?:PHP )?(?:notice|warning|deprecated|strict standards)\b/i;

function judgeBody(
	{ endpoint, ids, sent }: Judged,
	status: number,
	{ value, before, warnings }: Extract<Content, { kind: 'json' }>,
	rules: Rules,
	dialect: Dialect,
	clean: CleanWords,
): Finding {
	const body = rules.ownNames ? value : bodyIn(dialect, value);
	const finding: Finding = { outcome: 'ok', retry: 'never', status, body };
	if (warnings !== undefined) finding.warnings = warnings;
	const unclear = (message: string): Finding => ({ ...finding, outcome: 'unknown', code: 'unexpected_shape', message });
	const failed = (code: string, message: string): Finding => ({ ...finding, outcome: 'failed', code, message });

	if (endpoint.answer === 'check') {
		const isTrusted = before === undefined || (isObject(value) && NOTICE.test(before));
		const said = isTrusted ? readCheck(value) : undefined;
		if (said === 'no') return failed('credentials_invalid', 'the service says that the credentials are not valid');
		if (said === 'yes') return finding;
	}
	const asked: Asked = { replay: endpoint.replay, ids, sent };
	const object = isObject(body) ? body : status === 207 ? { responses: body } : undefined;
	if (object !== undefined) {
		const no = rules.freeNames ? (isCodedError(object) ? 'code' : undefined) : findNo(object, asked);
		if (no !== undefined) {
			const { code = 'error_in_answer', message = '', reasons } = explainNo(object, clean);
			const isDeleted = /deleted|trashed|removed|revoked/i.test(no) && code === 'error_in_answer';
			const found = isDeleted
				? failed('not_deleted', 'the service says that it did not delete')
				: failed(code, message);
			return reasons === undefined ? found : { ...found, reasons: namedIn(dialect, reasons) };
		}
	}
	if (!rules.fits(value)) {
		if (rules.lacks !== undefined && (isObject(value) || endpoint.answer === 'check')) return unclear(rules.lacks);
		return unclear(
			`the response is ${isObject(value) ? 'an empty object' : kindOf(value)} where an object was expected`,
		);
	}
	if (endpoint.answer === 'object' && object !== undefined && leavesOpen(object, asked)) {
		return unclear('the response does not say whether the request was carried out');
	}
	return finding;
}

/** What a status says by itself, for responses that say nothing more. */
const STATUS_WORDS: Readonly<Record<number, string>> = {
	401: 'the credentials are refused',
	403: 'the account lacks the right',
	404: 'nothing was found',
	429: 'there are too many requests',
	500: 'the service has failed',
	502: 'the gateway got no valid response from the service',
	503: 'the service is overloaded or down for maintenance',
	504: 'the gateway got no response from the service in time',
};

function judgeRefusal(
	request: Judged,
	received: Received,
	{ dialect = neutralDialect, clean = asItCame }: Reading,
): Finding {
	const { status, content, headers } = received;
	const finding: Finding = { ...judgeStatus(request, received), status };
	if (status >= 300 && status < 400) return { ...finding, ...describeRedirect(status, headers, clean) };
	if (content.kind === 'json') {
		const error = readServiceError(content.value, clean);
		finding.code = error.code ?? `http_${status}`;
		finding.message = error.message ?? `the service responded with ${status}`;
		finding.body = content.value;
		if (content.warnings !== undefined) finding.warnings = content.warnings;
		if (error.reasons !== undefined) finding.reasons = namedIn(dialect, error.reasons);
		return finding;
	}
	const named = nameContent(content);
	if (content.kind !== 'empty') return { ...finding, ...named };
	const words = STATUS_WORDS[status];
	return {
		...finding,
		code: `http_${status}`,
		message: words === undefined ? named.message : `${words}; ${named.message}`,
	};
}

/** Interface section 7 documents no errors; the rules for 5xx are those of the command line's "5xx on a write". */
function judgeStatus({ endpoint: { replay } }: Judged, { status, content }: Received): Finding {
	const writes = replay === 'set' || replay === 'delete';
	const isServer = status >= 500 && status < 600 && !REFUSING.has(status);
	if (!isServer) return { outcome: 'failed', retry: LATER.has(status) ? 'later' : 'never' };
	const isOwn = content.kind === 'json' && hasOwnCode(content.value);
	const retry = status === 503 ? 'later' : GATEWAY.has(status) || !isOwn ? 'lost' : replay === 'set' ? 'once' : 'never';
	if (isOwn) return { outcome: 'failed', retry, ...(writes && { open: 'mayBePartly' }) };
	return {
		outcome: writes || GATEWAY.has(status) ? 'unknown' : 'failed',
		retry,
		...(writes && { open: 'mayBeApplied' }),
	};
}

function namedIn(dialect: Dialect, reasons: Record<string, string>): Record<string, string> {
	return Object.fromEntries(Object.entries(reasons).map(([name, reason]) => [dialect.fieldIn(name), reason]));
}

/** What earlier attempts make of the last one: a refusal does not prove that a lost attempt was not applied. */
function withHistory(request: Judged, found: Finding, before: History, { ignoreMissing }: Reading): Verdict {
	// Most rows end here.
	if (found.outcome === 'ok' && found.open === undefined) return Object.assign(found, { history: before });
	const { open, ...finding } = found;
	const writes = request.endpoint.replay === 'set' || request.endpoint.replay === 'delete';
	const history: History = open === undefined ? before : { ...before, [open]: true };
	if (isGone(request, finding) && (before.mayBeApplied || ignoreMissing)) {
		const message = before.mayBeApplied
			? 'it is gone; an earlier attempt without a response may have deleted it'
			: 'it was gone already';
		return { ...finding, outcome: 'ok', message, history };
	}
	if (!writes || namesSentField(request, finding)) return { ...finding, history };
	if (before.mayBeApplied && (finding.outcome === 'failed' || finding.outcome === 'not-sent')) {
		const message =
			finding.outcome === 'failed'
				? also(finding.message, 'an earlier attempt may have been applied')
				: finding.message;
		return { ...finding, outcome: 'unknown', ...(message !== undefined && { message }), history };
	}
	if (finding.outcome === 'not-sent' && before.mayBePartly) return { ...finding, outcome: 'unknown', history };
	if (finding.outcome === 'failed' && history.mayBePartly) {
		return { ...finding, message: also(finding.message, 'the request may be partly applied'), history };
	}
	return { ...finding, history };
}

function also(message: string | undefined, more: string): string {
	return message === undefined ? more : `${message.replace(/\.$/, '')}; ${more}`;
}

/** Whether a 400 blames what was sent: the same request was refused for the same reason before, too. */
function namesSentField({ sent, path, body }: Judged, { status, reasons }: Finding): boolean {
	if (status !== 400 || reasons === undefined) return false;
	const query = new URLSearchParams(path?.split('?')[1]);
	const wire = body === undefined ? {} : (JSON.parse(body) as object);
	return Object.keys(reasons).some(
		(name) => (sent !== undefined && Object.hasOwn(sent, name)) || Object.hasOwn(wire, name) || query.has(name),
	);
}

/** Whether the service itself says that what was to be deleted is not there; a gateway or a page can't know. */
function isGone({ endpoint }: Judged, { status, code, body }: Finding): boolean {
	if (endpoint.replay !== 'delete' || (status !== 404 && status !== 410)) return false;
	if (body === undefined) return code === `http_${status}`;
	return hasOwnCode(body) && !/no_?route|route_?not/i.test(code ?? '');
}

/** What stands in the place of a secret. */
const HIDDEN = '[redacted]';

/** `to=x&y` with neither value: any of them may sign somebody in. */
function withoutValues(query: string): string {
	return query
		.split('&')
		.map((part) => (part === '' ? '' : part.includes('=') ? part.slice(0, part.indexOf('=') + 1) + HIDDEN : HIDDEN))
		.join('&');
}

/** A redirect's target as it may be shown: without user info, the values of its query and its fragment. */
function shownTarget(location: string): string {
	const [, place = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(location) ?? [];
	const shown = place.replace(/^([a-z][a-z0-9+.-]*:[\\/]*|[\\/]{2,})[^\\/]*@/i, `$1${HIDDEN}@`);
	return shown + (query ? `?${withoutValues(query)}` : '') + (fragment ? `#${HIDDEN}` : '');
}

function describeRedirect(status: number, headers: ResponseHeaders, clean: CleanWords): Partial<Finding> {
	const location = headerOf(headers, 'location');
	if (location === undefined) {
		const message =
			status === 304
				? 'the response is "not modified", though no copy was offered'
				: 'the response is a redirect without a target';
		return { code: `http_${status}`, message };
	}
	const target = shownTarget(clean(location)).slice(0, 300);
	return {
		code: 'redirect',
		location: target,
		message: `the service redirects to ${target}; redirects are not followed with credentials: fix the base URL`,
	};
}
