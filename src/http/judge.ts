/** What a response means for its request: the one place that knows what a status, a body or a lost response stands for. */

import { bodyIn, type Dialect, neutralDialect } from '../api/dialect.js';
import type { Endpoint, ReturnKind } from '../api/endpoints.js';
import { isObject, kindOf, userIdIn } from '../api/values.js';
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
import {
	asItCame,
	type CleanWords,
	type Content,
	headerOf,
	nameContent,
	type Received,
	type Response,
} from './content.js';
import type { Outcome } from './outcome.js';

/** What is judged: a planned request, or one outside the endpoint table that says how it may be repeated. */
export interface Judged extends Omit<Asked, 'replay'> {
	readonly endpoint: Pick<Endpoint, 'returns' | 'replay'>;
	/** Below the base URL, with the query. */
	readonly path?: string;
	readonly body?: string | undefined;
}

/** What earlier attempts of the same request leave open. */
export interface History {
	/** One may have been applied: it got no response, or one of a gateway. */
	mayBeApplied?: boolean;
	/** One got an error of the service's own, which may have come when part was done. */
	mayBePartly?: boolean;
}

/** How responses are read, the same for all requests of a run. */
interface Reading {
	dialect?: Dialect | undefined;
	/** Takes 404 and 410 on a delete for success. */
	ignoreMissing?: boolean | undefined;
}

/**
 * Whether sending again could help: `later`: the service asks to come back; `lost`: it is unknown what became of the
 * attempt; `unsent`: no connection; `once`: the service failed, and may not the second time.
 */
export type Retry = 'never' | 'once' | 'later' | 'lost' | 'unsent';

/** What an attempt comes to, if it is the last. */
export interface Verdict extends Omit<Outcome, 'attempts' | 'ms'> {
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
export function isFromElsewhere({ status, code = '' }: Pick<Outcome, 'status' | 'code'>): boolean {
	if (status === undefined || (status >= 500 && status < 600) || LATER.has(status)) return false;
	return /^(?:redirect|login_form|html_answer|not_json|http_[34]\d\d|rest_no_route)$/.test(code);
}

/** Makes a verdict of what an attempt brought (interface section 7 shows no responses, so nothing is taken for granted). */
export function judge(
	request: Judged,
	response: Response,
	history: History = {},
	{ dialect = neutralDialect, ignoreMissing = false }: Reading = {},
	clean: CleanWords = asItCame,
): Verdict {
	let finding: Finding;
	if ('problem' in response) {
		const { code, message, permanent } = response.problem;
		// Once written, a request may have arrived, whatever became of its connection.
		if (response.sent) {
			finding = { outcome: 'unknown', retry: permanent ? 'never' : 'lost', open: 'mayBeApplied', code, message };
		} else finding = { outcome: 'not-sent', retry: permanent ? 'never' : 'unsent', code, message };
	} else if (response.status >= 200 && response.status < 300) {
		finding = judgeSuccess(request, response, dialect, clean);
		// Most rows end here.
		if (finding.outcome === 'ok') return Object.assign(finding, { history });
	} else finding = judgeRefusal(request, response, dialect, clean);
	return withHistory(request, finding, history, ignoreMissing);
}

/** How responses of a kind are read. */
interface Rules {
	/** Whether a 2xx response's JSON can be one. */
	fits(value: unknown): boolean;
	/** What is missing in an object that does not fit. */
	lacks?: string;
	/** A response without a body does not show the result. */
	needsBody?: boolean;
	/** An empty 200 means that it was carried out. */
	emptyIsDone?: boolean;
	/** Its keys are chosen by others: `error` may be one of them, and says nothing about the request. */
	freeNames?: boolean;
	/** They are the service's own, too: a dialect leaves them as they are. */
	ownNames?: boolean;
}

const RULES: Readonly<Record<ReturnKind, Rules>> = {
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

function judgeSuccess(request: Judged, received: Received, dialect: Dialect, clean: CleanWords): Finding {
	const { status, content, incomplete } = received;
	if (incomplete !== undefined) {
		const { code, message, permanent } = incomplete;
		if (permanent) return { outcome: 'unknown', retry: 'never', status, code, message };
		const lost = `the response broke off: ${message}`;
		return { outcome: 'unknown', retry: 'lost', open: 'mayBeApplied', status, code, message: lost };
	}
	const rules = RULES[request.endpoint.returns];
	if (content.kind === 'json' && status !== 202 && status !== 206) {
		return judgeBody(request, status, content, rules, dialect, clean);
	}
	const isDone = status === 200 ? rules.emptyIsDone : (status === 204 || status === 205) && !rules.needsBody;
	if (content.kind === 'empty' && isDone) return { outcome: 'ok', retry: 'never', status };
	const unclear: Finding = { outcome: 'unknown', retry: 'never', status };
	if (status === 202) {
		return { ...unclear, code: 'http_202', message: 'the request was accepted for later, not carried out' };
	}
	if (content.kind === 'json' || status === 206) {
		return { ...unclear, code: 'http_206', message: 'only a part of the response came' };
	}
	const named = nameContent(content);
	if (content.kind !== 'html') return { ...unclear, ...named };
	const hint = content.login ? '' : '; is /wp-json or another part missing from the base URL?';
	return { outcome: 'failed', retry: 'never', status, code: named.code, message: named.message + hint };
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
	const ended = (outcome: 'unknown' | 'failed', code: string, message: string): Finding =>
		Object.assign(finding, { outcome, code, message });

	if (endpoint.returns === 'check') {
		const isTrusted = before === undefined || (isObject(value) && NOTICE.test(before));
		const said = isTrusted ? readCheck(value) : undefined;
		if (said === 'no')
			return ended('failed', 'credentials_invalid', 'the service says that the credentials are not valid');
		if (said === 'yes') return finding;
	}
	const asked: Asked = { replay: endpoint.replay, ids, sent };
	const object = isObject(body) ? body : status === 207 ? { responses: body } : undefined;
	if (object !== undefined) {
		const no = rules.freeNames ? (isCodedError(object) ? 'code' : undefined) : findNo(object, asked);
		if (no !== undefined) {
			const { code = '', message = '', reasons } = explainNo(object, clean);
			if (reasons !== undefined) finding.reasons = namedIn(dialect, reasons);
			const isDeleted = /deleted|trashed|removed|revoked/i.test(no) && code === 'error_in_answer';
			if (isDeleted) return ended('failed', 'not_deleted', 'the service says that it did not delete');
			return ended('failed', code, message);
		}
	}
	const what = isObject(value) ? 'an empty object' : kindOf(value);
	if (!rules.fits(value)) {
		const isNamed = rules.lacks !== undefined && (isObject(value) || endpoint.returns === 'check');
		const message = isNamed ? rules.lacks : `the response is ${what} where an object was expected`;
		return ended('unknown', 'unexpected_shape', message as string);
	}
	if (endpoint.returns === 'object' && object !== undefined && leavesOpen(object, asked)) {
		return ended('unknown', 'unexpected_shape', 'the response does not say whether the request was carried out');
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

function judgeRefusal(request: Judged, received: Received, dialect: Dialect, clean: CleanWords): Finding {
	const { status, content, headers } = received;
	const finding: Finding = { ...judgeStatus(request, received), status };
	if (status >= 300 && status < 400) {
		const location = headerOf(headers, 'location');
		finding.code = location === undefined ? `http_${status}` : 'redirect';
		if (location !== undefined) {
			const target = shownTarget(clean(location)).slice(0, 300);
			finding.location = target;
			finding.message = `the service redirects to ${target}; redirects are not followed with credentials: fix the base URL`;
		} else if (status === 304) finding.message = 'the response is "not modified", though no copy was offered';
		else finding.message = 'the response is a redirect without a target';
	} else if (content.kind === 'json') {
		const error = readServiceError(content.value, clean);
		finding.code = error.code ?? `http_${status}`;
		finding.message = error.message ?? `the service responded with ${status}`;
		finding.body = content.value;
		if (content.warnings !== undefined) finding.warnings = content.warnings;
		if (error.reasons !== undefined) finding.reasons = namedIn(dialect, error.reasons);
	} else {
		Object.assign(finding, nameContent(content));
		if (content.kind === 'empty') {
			finding.code = `http_${status}`;
			finding.message = [STATUS_WORDS[status] ?? [], finding.message].flat().join('; ');
		}
	}
	return finding;
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

/** A redirect's target as it may be shown: without user info, the values of its query and its fragment. */
function shownTarget(location: string): string {
	const [, place = '', query = '', fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(location) ?? [];
	const shown = place.replace(/^([a-z][a-z0-9+.-]*:[\\/]*|[\\/]{2,})[^\\/]*@/i, '$1[redacted]@');
	const names = query.replace(/([^&=]+=)[^&]*|[^&]+/g, '$1[redacted]');
	return shown + (names && `?${names}`) + (fragment ? '#[redacted]' : '');
}

/** What earlier attempts make of the last one: a refusal does not prove that a lost attempt was not applied. */
function withHistory(request: Judged, found: Finding, before: History, ignoreMissing: boolean): Verdict {
	const { open, ...finding } = found;
	const history: History = open === undefined ? before : { ...before, [open]: true };
	const verdict: Verdict = { ...finding, history };
	const { replay } = request.endpoint;
	if (isGone(request, finding) && (before.mayBeApplied || ignoreMissing)) {
		verdict.outcome = 'ok';
		verdict.message = before.mayBeApplied
			? 'it is gone; an earlier attempt without a response may have deleted it'
			: 'it was gone already';
		return verdict;
	}
	if ((replay !== 'set' && replay !== 'delete') || namesSentField(request, finding)) return verdict;
	const also = (more: string): string =>
		finding.message === undefined ? more : `${finding.message.replace(/\.$/, '')}; ${more}`;
	if (before.mayBeApplied && (finding.outcome === 'failed' || finding.outcome === 'not-sent')) {
		verdict.outcome = 'unknown';
		if (finding.outcome === 'failed') verdict.message = also('an earlier attempt may have been applied');
	} else if (finding.outcome === 'not-sent' && before.mayBePartly) verdict.outcome = 'unknown';
	else if (finding.outcome === 'failed' && history.mayBePartly) {
		verdict.message = also('the request may be partly applied');
	}
	return verdict;
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
