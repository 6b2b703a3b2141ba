/** What a response means: the one file that knows statuses and bodies. Without a response that shows its object, a write is `unknown`. */

import { compareAll, readCustomFields, type TermIndex } from '../api/applied.js';
import { bodyIn, type Dialect, neutralDialect } from '../api/dialect.js';
import type { Endpoint } from '../api/endpoints.js';
import { userFields } from '../api/fields.js';
import { isId, isObject, kindOf } from '../api/values.js';
import type { History, Outcome } from './outcome.js';
import { firstWords, headerOf, htmlText, nameContent, type Response, readContent } from './response.js';

type Json = Readonly<Record<string, unknown>>;

/** A planned request, or one of `api`. */
export interface Judged {
	readonly method?: string;
	readonly endpoint: Pick<Endpoint, 'returns' | 'replay'> &
		Partial<Pick<Endpoint, 'fields' | 'body' | 'parent' | 'trash'>>;
	readonly ids?: Readonly<Record<string, string>> | undefined;
	/** Under the interface's names. */
	readonly sent?: Json | undefined;
	readonly permanent?: boolean;
	/** Includes the query. */
	readonly path?: string;
	readonly body?: string | undefined;
}

/** The same for all requests of a run. */
export interface Reading {
	dialect?: Dialect | undefined;
	/** 404 and 410 on a delete are success. */
	ignoreMissing?: boolean | undefined;
	terms?: TermIndex | undefined;
}

/** Before earlier attempts count. */
type Finding = Omit<Outcome, 'attempts' | 'ms'>;

export const NO_ROUTE = 'rest_no_route';

/** Before any work. */
const MOVED = new Set([301, 302, 307, 308]);
const LATER = new Set([408, 425, 429, 503]);
const GATEWAY = new Set([502, 504, 520, 521, 522, 523, 524, 598, 599]);
/** They refuse the request as it is. */
const REFUSING = new Set([501, 505, 511]);

export function judge(request: Judged, response: Response, history: History = {}, reading: Reading = {}): Outcome {
	const found = judgeAlone(request, response, reading);
	const outcome = withHistory(request, found, history, reading.ignoreMissing === true);
	return { ...outcome, attempts: 1, ms: response.ms };
}

function judgeAlone(request: Judged, response: Response, reading: Reading): Finding {
	const { status, problem, sent } = response;
	if (problem !== undefined && (status === 0 || isSuccess(status))) {
		return judgeProblem(problem, status, sent);
	}
	return isSuccess(status) ? judgeSuccess(request, response, reading) : judgeRefusal(request, response, reading);
}

/** Whether the response may be one to a different request. */
export function isMisplaced({ code }: Outcome): boolean {
	return code === 'another_object' || code === 'unexpected_shape';
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function writes({ endpoint: { replay } }: Judged): boolean {
	return replay === 'set' || replay === 'delete';
}

/** Once sent, a request may have arrived. */
function judgeProblem(
	{ code, message, permanent }: NonNullable<Response['problem']>,
	status: number,
	sent: boolean,
): Finding {
	if (!sent) {
		return { outcome: 'not-sent', code, message, ...(!permanent && { retry: 'unsent' }) };
	}
	return {
		outcome: 'unknown',
		mayBeApplied: true,
		code,
		message: status === 0 || permanent ? message : `the response broke off: ${message}`,
		...(status !== 0 && { status }),
		...(!permanent && { retry: 'lost' }),
	};
}

function judgeSuccess(request: Judged, response: Response, reading: Reading): Finding {
	const { status, headers } = response;
	const { returns, replay } = request.endpoint;
	const isRead = replay === 'read';
	const content = readContent(response);
	if (status === 202) {
		return unclear(status, 'http_202', 'accepted but not processed yet');
	}
	if (status === 206) {
		return unclear(status, 'http_206', 'the response is only partial');
	}
	if (content.kind === 'empty' && (writes(request) || returns === 'any')) {
		const isHead = request.method === 'HEAD' && status < 300;
		const isDone = status === 204 || isHead || (status === 200 && returns === 'fields-set');
		if (isDone) return { outcome: 'ok', status };
	}
	if (content.kind !== 'json') {
		const { code, message } = nameContent(content, headers);
		const isLost = isRead && (content.kind === 'empty' || content.kind === 'cut');
		if (content.kind !== 'page') {
			return { ...unclear(status, code, message), ...(isLost && { retry: 'lost' }) };
		}
		const hint = content.isLogin ? '' : '; is /wp-json or another part missing from the base URL?';
		return {
			outcome: isRead ? 'failed' : 'unknown',
			status,
			code,
			message: message + hint,
			notServed: true,
			...(writes(request) && { mayBeApplied: true }),
		};
	}
	const keepsNames = returns === 'fields' || returns === 'fields-set';
	const body = keepsNames ? content.value : bodyIn(reading.dialect ?? neutralDialect, content.value);
	const shown = judgeBody(request, body, content.before, reading);
	const finding: Finding = { status, ...shown, body: shown.body ?? body };
	if (shown.outcome === 'unknown' && writes(request)) finding.mayBeApplied = true;
	if (content.warnings.length > 0) finding.warnings = content.warnings;
	return finding;
}

function unclear(status: number, code: string, message: string): Finding {
	return { outcome: 'unknown', status, code, message, mayBeApplied: true };
}

const unexpected = (message: string): Finding => {
	return { outcome: 'unknown', code: 'unexpected_shape', message };
};

const OK: Finding = { outcome: 'ok' };

/** @param before text in front of it */
function judgeBody(request: Judged, body: unknown, before: string, reading: Reading): Finding {
	const { endpoint, sent = {} } = request;
	const isItself = isObject(body) && showsAskedId(request, body);
	if (before !== '' && writes(request) && !isItself) {
		return unexpected(`text before a response without the ID: ${before}`);
	}
	const other = otherObject(request, body);
	if (other !== undefined) {
		const outcome = endpoint.replay === 'read' ? 'failed' : 'unknown';
		return { outcome, code: 'another_object', message: `the response shows ${other}: ${wordsOf(body)}` };
	}
	const isField = endpoint.returns === 'fields' && readCustomFields(body) !== undefined;
	if (!isField && isServiceError(body) && !showsAny(body, sent)) {
		return { outcome: 'failed', ...explain(body, reading.dialect) };
	}
	switch (endpoint.returns) {
		case 'any':
			return OK;
		case 'list': {
			const list = listOf(body);
			return list === undefined ? unexpected('the response is not a list') : { outcome: 'ok', body: list };
		}
		case 'fields':
			return isField ? OK : unexpected(`the response is not custom fields: ${wordsOf(body)}`);
		case 'fields-set':
			return judgeFieldsSet(request, body, isItself);
		case 'user-id':
			return lookedUpId(body) === undefined ? unexpected('the response shows no ID') : OK;
		case 'check':
			return judgeCheck(request, body, before);
		case 'object':
			return judgeObject(request, body, isItself, reading.terms);
	}
}

/** Of an update, a delete or a read of one object. */
function judgeObject(request: Judged, body: unknown, isItself: boolean, terms?: TermIndex): Finding {
	if (!isObject(body)) {
		return unexpected(`the response is ${kindOf(body)} where an object was expected`);
	}
	switch (request.endpoint.replay) {
		case 'delete':
			return judgeDelete(request, body, isItself);
		case 'set':
			return judgeUpdate(request, body, isItself, terms);
		default:
			return isItself ? OK : unexpected(`the response does not show the object: ${wordsOf(body)}`);
	}
}

function judgeUpdate({ endpoint, sent = {} }: Judged, body: Json, isItself: boolean, terms?: TermIndex): Finding {
	const { fields = [], body: kind = 'fields' } = endpoint;
	const shown = (name: string): unknown => (Object.hasOwn(body, name) ? body[name] : undefined);
	const { differs, open } = compareAll({ fields, body: kind }, sent, shown, terms);
	const isShown = isItself || (Object.keys(sent).length > 0 && open.length === 0 && differs.length === 0);
	if (!isShown) {
		return unexpected(`the response does not show whether it was applied: ${wordsOf(body)}`);
	}
	if (differs.length === 0) return open.length === 0 ? OK : { outcome: 'ok', open };
	return differing(differs);
}

export function differing(differs: NonNullable<Outcome['differs']>): Finding & { outcome: 'differs' } {
	const fields = differs.map(({ field }) => field).join(', ');
	return {
		outcome: 'differs',
		code: 'differs',
		message: `the service returned a different ${fields}`,
		differs,
	};
}

function judgeDelete({ endpoint, permanent }: Judged, body: Json, isItself: boolean): Finding {
	const wantsTrash = endpoint.trash === true && permanent !== true;
	const isTrashed = isItself && body.status === 'trash';
	if (isTrashed && wantsTrash) return OK;
	if (body.deleted === false) {
		return { outcome: 'failed', code: 'not_deleted', message: 'the service says it was not deleted' };
	}
	if (body.deleted === true) {
		if (!wantsTrash) return OK;
		return differing([{ field: 'status', sent: 'trash', shown: 'permanently deleted' }]);
	}
	if (isTrashed && endpoint.trash === true) {
		return differing([{ field: 'status', sent: 'permanently deleted', shown: 'trash' }]);
	}
	return unexpected(`the response does not show whether it was deleted: ${wordsOf(body)}`);
}

/** Nothing, the fields, or the ticket. */
function judgeFieldsSet({ sent = {} }: Judged, body: unknown, isItself: boolean): Finding {
	if (body === null || isEmptyList(body)) return OK;
	if (!isObject(body)) return unexpected(`the response is ${kindOf(body)} where nothing was expected`);
	const fields = readCustomFields(body);
	const shown = fields ?? body;
	const showsAll = Object.keys(sent).every((name) => Object.hasOwn(shown, name));
	const { differs, open } = compareAll({ fields: [], body: 'custom_fields' }, sent, (name) => shown[name]);
	if (showsAll && open.length === 0) {
		if (differs.length === 0) return OK;
		if (fields !== undefined) return differing(differs);
	}
	if (isItself) return OK;
	return unexpected(`the response does not show whether it was applied: ${wordsOf(body)}`);
}

/** Beside the documented fields. */
const USER_FIELDS = new Set([
	...['id', 'link', 'registered_date', 'capabilities', 'extra_capabilities', 'avatar_urls', '_links'],
	...userFields.map(({ name }) => name),
]);

/** A user and nothing else is a yes; `false` is a no. */
function judgeCheck({ sent = {} }: Judged, body: unknown, before: string): Finding {
	if (before === '' && body === false) {
		return { outcome: 'failed', code: 'credentials_invalid', message: 'the service says they are not valid' };
	}
	const isUser = isObject(body) && isId(body.id) && Object.keys(body).every((name) => USER_FIELDS.has(name));
	const isAsked = isUser && (body.username === undefined || isSameName(body.username, sent.username));
	if (before === '' && isAsked) return OK;
	return unexpected('the response does not say whether the credentials are valid');
}

const isSameName = (left: unknown, right: unknown): boolean => {
	return String(left).toLowerCase() === String(right).toLowerCase();
};

export function lookedUpId(body: unknown): string | undefined {
	return isObject(body) && isId(body.id) ? String(body.id) : undefined;
}

function isEmptyList(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}

/** Or objects under their slugs. */
function listOf(body: unknown): unknown[] | undefined {
	if (Array.isArray(body)) return body;
	if (!isObject(body)) return undefined;
	const entries = Object.entries(body);
	const isBySlug = entries.every(([slug, value]) => isObject(value) && value.slug === slug);
	return isBySlug && entries.length > 0 ? Object.values(body) : undefined;
}

const wordsOf = (body: unknown): string => firstWords(JSON.stringify(body));

/** A path without an ID is your own account. */
function showsAskedId({ ids = {} }: Judged, { id }: Json): boolean {
	const asked = ids.id ?? ids.ticket_id;
	if (asked === undefined) return Object.keys(ids).length === 0 && isId(id);
	return isId(id) && String(id) === asked;
}

/** By ID, parent, slug or username. */
function otherObject(request: Judged, body: unknown): string | undefined {
	const { returns } = request.endpoint;
	if (!isObject(body) || returns === 'list' || returns === 'any' || returns === 'fields') return undefined;
	for (const thing of [body, body.previous]) {
		if (!isObject(thing)) continue;
		for (const [name, wanted] of Object.entries(identityOf(request, thing))) {
			const shown = thing[name];
			if (wanted === undefined || !Object.hasOwn(thing, name)) continue;
			const isScalar = typeof shown !== 'object';
			const isSame = name === 'username' ? isSameName(shown, wanted) : String(shown) === String(wanted);
			if (!isScalar || !isSame) return `a different object (${name} ${JSON.stringify(shown)}, not ${String(wanted)})`;
		}
	}
	return undefined;
}

/** Under the keys of a response. */
function identityOf({ endpoint, ids = {}, sent = {} }: Judged, { id }: Json): Record<string, unknown> {
	const { returns, replay, parent } = endpoint;
	// Custom fields may have any name, also "id".
	if (returns === 'fields-set') return isId(id) ? { id: sent.id ?? ids.ticket_id } : {};
	const { username, taxonomy: _, ...asked }: Record<string, unknown> = { ...ids };
	if (parent !== undefined) asked.parent = ids[parent];
	// An update may change a username.
	if (returns === 'user-id' || replay === 'delete') asked.username = sent.username ?? username;
	return asked;
}

/** A code, a message, and nothing of an object. */
export function isServiceError(body: unknown): body is { code: string; message: string; data?: unknown } {
	if (!isObject(body) || Object.hasOwn(body, 'id')) return false;
	return typeof body.code === 'string' && body.code !== '' && typeof body.message === 'string';
}

function showsAny(body: Json, sent: Json): boolean {
	return Object.keys(sent).some((name) => Object.hasOwn(body, name));
}

/** Only the service repeats its status in `data`. */
function isOwnError(body: unknown, status: number): boolean {
	if (!isServiceError(body)) return false;
	if (!GATEWAY.has(status)) return true;
	return isObject(body.data) && body.data.status === status;
}

function explain(body: unknown, dialect = neutralDialect): Pick<Outcome, 'code' | 'message' | 'reasons'> {
	if (!isObject(body)) return {};
	const { code, message, data } = body;
	const found: Pick<Outcome, 'code' | 'message' | 'reasons'> = {};
	if (typeof code === 'string' || typeof code === 'number') found.code = String(code);
	if (typeof message === 'string' && message !== '') found.message = htmlText(message);
	const params = isObject(data) ? data.params : undefined;
	if (Array.isArray(params)) {
		found.reasons = Object.fromEntries(params.map((name) => [dialect.fieldIn(String(name)), 'is missing']));
	} else if (isObject(params)) {
		const textOf = (why: unknown): string => htmlText(typeof why === 'string' ? why : JSON.stringify(why));
		found.reasons = Object.fromEntries(
			Object.entries(params).map(([name, why]) => [dialect.fieldIn(name), textOf(why)]),
		);
	}
	return found;
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
	401: 'the credentials were refused',
	403: 'your account lacks permission',
	404: 'not found',
	429: 'too many requests',
	500: 'the service failed',
	502: 'the gateway got no valid response from the service',
	503: 'the service is overloaded or down for maintenance',
	504: 'the gateway got no response from the service in time',
};

function judgeRefusal(request: Judged, response: Response, { dialect }: Reading): Finding {
	const { status, headers } = response;
	const content = readContent(response);
	const finding: Finding = { outcome: 'failed', status };
	const isOwn = content.kind === 'json' && isOwnError(content.value, status);
	Object.assign(finding, judgeStatus(request, response, isOwn));
	if (status >= 300 && status < 400) return Object.assign(finding, redirect(response));
	if (content.kind === 'json') {
		finding.body = content.value;
		finding.code = `http_${status}`;
		finding.message = `the service responded with ${status}`;
		Object.assign(finding, explain(content.value, dialect));
		if (content.warnings.length > 0) finding.warnings = content.warnings;
	} else {
		const { code, message } = nameContent(content, headers);
		const isEmpty = content.kind === 'empty';
		finding.code = isEmpty ? `http_${status}` : code;
		finding.message = isEmpty ? [STATUS_WORDS[status] ?? [], message].flat().join('; ') : message;
	}
	const isForeign = status < 500 && !finding.busy && !isOwn;
	if (isForeign || finding.code === NO_ROUTE) finding.notServed = true;
	return finding;
}

function judgeStatus(request: Judged, { status, headers }: Response, isOwn: boolean): Partial<Finding> {
	const isWrite = writes(request);
	const found: Partial<Finding> = {};
	if (status === 401) found.signedOut = true;
	if (status === 403) found.forbidden = true;
	if (isOwn && status < 500) found.refused = true;
	if (LATER.has(status) || GATEWAY.has(status)) found.busy = true;
	if (status >= 300 && status < 400) {
		// A redirect such as 303 after the work.
		if (isWrite && !MOVED.has(status)) Object.assign(found, { outcome: 'unknown', mayBeApplied: true });
		return found;
	}
	const isClient = status >= 400 && status < 500;
	if (isClient || REFUSING.has(status)) {
		const isLater = LATER.has(status) || (isClient && headerOf(headers, 'retry-after') !== undefined);
		return isLater ? { ...found, busy: true, retry: 'later' } : found;
	}
	if (status === 503) found.retry = 'later';
	else if (GATEWAY.has(status) || !isOwn) found.retry = 'lost';
	else if (request.endpoint.replay === 'set') found.retry = 'once';
	if (isOwn) return isWrite ? { ...found, mayBePartly: true } : found;
	if (isWrite) return { ...found, outcome: 'unknown', mayBeApplied: true };
	return GATEWAY.has(status) ? { ...found, outcome: 'unknown' } : found;
}

function redirect({ status, headers }: Response): Partial<Finding> {
	const target = headerOf(headers, 'location');
	if (target === undefined) {
		const what = status === 304 ? 'unexpected 304 response' : 'the response is a redirect without a target';
		return { code: `http_${status}`, message: what, notServed: true };
	}
	const location = shownTarget(target).slice(0, 300);
	const message = `the service redirects to ${location}; redirects are not followed with credentials: fix the base URL`;
	return { code: 'redirect', message, location, notServed: true };
}

/** Without user info, values and fragment. */
function shownTarget(location: string): string {
	const [, place = '', query = '', fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(location) ?? [];
	const shown = place.replace(/^([a-z][a-z0-9+.-]*:[\\/]*|[\\/]{2,})[^\\/]*@/i, '$1[redacted]@');
	const names = query.replace(/([^&=]+=)[^&]*|[^&]+/g, '$1[redacted]');
	return shown + (names && `?${names}`) + (fragment ? '#[redacted]' : '');
}

/** A refusal doesn't prove that a lost attempt was not applied. */
function withHistory(request: Judged, found: Finding, before: History, ignoreMissing: boolean): Finding {
	const history: History = {};
	if (before.mayBeApplied || found.mayBeApplied) history.mayBeApplied = true;
	if (before.mayBePartly || found.mayBePartly) history.mayBePartly = true;
	const outcome: Finding = { ...found, ...history };
	if (found.outcome === 'ok' || found.outcome === 'differs') return settled(outcome);
	if (isGone(found)) {
		outcome.gone = true;
		if (request.endpoint.replay === 'set') return settled(outcome);
		const mayBeDeleted = before.mayBeApplied || before.mayBePartly;
		if (request.endpoint.replay === 'delete' && (mayBeDeleted || ignoreMissing)) {
			outcome.outcome = 'ok';
			outcome.message = mayBeDeleted ? 'it is gone; an earlier attempt may have deleted it' : 'it was gone already';
			return settled(outcome);
		}
	}
	if (!writes(request)) return outcome;
	if (blamesSentField(request, found)) return settled(outcome);
	const isRefused = found.outcome === 'failed';
	const also = (more: string): string => {
		return found.message === undefined ? more : `${found.message.replace(/\.$/, '')}; ${more}`;
	};
	if (isRefused && before.mayBeApplied) {
		outcome.outcome = 'unknown';
		outcome.message = also('an earlier attempt may have been applied');
	} else if (isRefused && history.mayBePartly) {
		outcome.message = also('the request may be partly applied');
	} else if (found.outcome === 'not-sent' && (before.mayBeApplied || before.mayBePartly)) {
		outcome.outcome = 'unknown';
	}
	return outcome;
}

function settled({ mayBeApplied: _applied, mayBePartly: _partly, ...outcome }: Finding): Finding {
	return outcome;
}

/** A gateway or a page can't know. */
function isGone({ status, code, refused }: Finding): boolean {
	return refused === true && (status === 404 || status === 410) && code !== NO_ROUTE;
}

/** The same request was refused for the same reason before. */
function blamesSentField({ sent = {}, path, body }: Judged, { status, reasons }: Finding): boolean {
	if (status !== 400 || reasons === undefined) return false;
	const query = new URLSearchParams(path?.split('?')[1]);
	const wire = body === undefined ? {} : (JSON.parse(body) as object);
	return Object.keys(reasons).some((name) => {
		return Object.hasOwn(sent, name) || Object.hasOwn(wire, name) || query.has(name);
	});
}
