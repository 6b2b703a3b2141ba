/** What a response means: the one file that knows statuses and bodies. Without a response that shows its object, a write is `unknown`. */

import { compareAll, compareCustomField, compareField, readCustomFields, trimmedIn } from '../api/applied.js';
import type { TermIndex } from '../api/compare.js';
import { bodyIn, type Dialect, neutralDialect } from '../api/dialect.js';
import { type Endpoint, replayRules, returnKinds } from '../api/endpoints.js';
import { userFields } from '../api/fields.js';
import type { Request } from '../api/request.js';
import { bounded, isId, isObject, MOST_WORDS } from '../api/values.js';
import type { HttpRequest } from './client.js';
import type { History, Outcome } from './outcome.js';
import { isDone } from './outcomes.js';
import { type Content, firstWords, headerOf, htmlText, type NoJson, type Response, readContent } from './response.js';

type Json = Readonly<Record<string, unknown>>;

/** A planned request, or one of `api`, which has no row in the endpoint table. */
export interface Sendable extends HttpRequest, Partial<Pick<Request, 'ids' | 'sent' | 'permanent'>> {
	readonly endpoint: Pick<Endpoint, 'returns' | 'replay'> & Partial<Endpoint>;
}

export interface JudgeOptions {
	dialect?: Dialect | undefined;
	/** 404 and 410 on a delete are success. */
	ignoreMissing?: boolean | undefined;
	terms?: TermIndex | undefined;
}

/** Before earlier attempts count. */
type Finding = Omit<Outcome, 'attempts' | 'ms'>;

/** The service's own code for a path, or a method on it, that it does not have. */
export const NO_ROUTE = 'rest_no_route';

/** These redirect before any work is done. */
const MOVED = new Set([301, 302, 307, 308]);
const LATER = new Set([408, 425, 429]);
/** What gateways say when they got no response from the service. */
const GATEWAY = new Set([502, 504, 520, 521, 522, 523, 524, 598, 599]);
/** These refuse the request as it is. */
const REFUSING = new Set([501, 505, 511]);
/** The same request would be refused again. */
const TO_EDIT = new Set([400, 404, 405, 410, 413, 414, 415, 422]);
const OF_ONE_OBJECT = new Set([404, 409, 410, 412]);

/** What became of a failed row, by its status alone: a journal has nothing more. */
export function failureBy(status: unknown): 'signed-out' | 'forbidden' | 'to-edit' | 'partly-applied' | undefined {
	const number = Number(status);
	if (number === 401) return 'signed-out';
	if (number === 403) return 'forbidden';
	if (number >= 500) return 'partly-applied';
	return TO_EDIT.has(number) ? 'to-edit' : undefined;
}

export function goneBy(status: unknown): Outcome['gone'] {
	if (status === 404) return 'missing';
	return status === 410 ? 'trashed' : undefined;
}

/** Only the service's word about a route says that a read is not served; one odd response never does. */
export function isRouteMissing({ status, code }: Outcome): boolean {
	return (status === 404 && code === NO_ROUTE) || status === 405 || status === 501;
}

/** In JSON that is not the service's own, such as problem+json: about the object, or about the route. */
export function isBareNotFound({ status, code }: Outcome): boolean {
	return status === 404 && code === 'http_404';
}

/** Of a path that names no object, so that a 404 can't be about one. */
export function isListMissing(outcome: Outcome): boolean {
	return isRouteMissing(outcome) || isBareNotFound(outcome);
}

/** Also an error of the service's own: either way it is done with the request. */
export function isRefusal({ status = 0, retry }: Outcome): boolean {
	return status >= 400 && (status < 500 || retry === 'once');
}

/** Whether other objects may fare better. */
export function isAboutOneObject({ status = 0 }: Outcome): boolean {
	return OF_ONE_OBJECT.has(status);
}

/** Whether it may be the response to a different request. */
export function isMisplaced({ code }: Outcome): boolean {
	return code === 'another_object' || code === 'unexpected_shape';
}

/** The only place that knows what a status or a body means. The interface shows no responses (section 7), so nothing is taken for granted. */
export function judge(
	request: Sendable,
	response: Response,
	history: History = {},
	options: JudgeOptions = {},
): Outcome {
	const { status, problem, ms } = response;
	const isSuccess = status >= 200 && status < 300;
	let finding: Finding;
	if (problem !== undefined && (status === 0 || isSuccess)) finding = judgeProblem(problem, response);
	else if (isSuccess) finding = judgeSuccess(request, response, options);
	else finding = status < 400 ? judgeRedirect(request, response) : judgeRefusal(request, response, options);
	const outcome: Outcome = Object.assign(finding, { attempts: 1, ms });
	if (status !== 0) outcome.status = status;
	if (isOddRead(request, outcome)) outcome.retry = 'odd';
	if (!isDone(outcome) && writes(request)) considerHistory(request, outcome, history, options.ignoreMissing === true);
	return outcome;
}

export function writes({ endpoint: { replay } }: Pick<Sendable, 'endpoint'>): boolean {
	const { updates, deletes } = replayRules[replay];
	return updates || deletes;
}

/** A page, another object, `{}`: nothing that the service says about the object. It may do so next time. */
function isOddRead({ endpoint }: Sendable, { outcome, status = 0, retry, refused, code, body }: Outcome): boolean {
	if (!replayRules[endpoint.replay].reads || !returnKinds[endpoint.returns].isKnown || retry !== undefined)
		return false;
	const isMoved = MOVED.has(status) || status === 304;
	const isOdd = status >= 200 && status < 500 && status !== 202 && !isMoved && outcome !== 'ok' && refused !== true;
	// Strict services refuse what they don't serve in JSON of another form, such as problem+json; gateways send pages.
	const isRefused = status >= 400 && body !== undefined;
	return isOdd && !isRefused && code !== NO_ROUTE && !REFUSING.has(status);
}

export function isNameless({ endpoint }: Sendable): boolean {
	return !returnKinds[endpoint.returns].namesObject;
}

/** Whether a write was confirmed by a response that doesn't say which object it is about. */
export function isConfirmedWithoutName(request: Sendable, { outcome, body }: Outcome): boolean {
	if (!writes(request) || !isDone({ outcome })) return false;
	const { previous, ...own } = isObject(body) ? body : {};
	const shown = { ...(isObject(previous) && previous), ...own };
	return !Object.keys(request.ids ?? {}).some((name) => name !== 'taxonomy' && Object.hasOwn(shown, name));
}

const unknown = (code: string, message: string): Finding => ({ outcome: 'unknown', code, message });

function unexpected(what: string, body: unknown): Finding {
	return unknown('unexpected_shape', `the response does not show ${what}: ${wordsOf(body)}`);
}

/** What was sent may have arrived, whatever happened to the response. */
function judgeProblem(problem: NonNullable<Response['problem']>, { status, sent }: Response): Finding {
	const { code, message, permanent } = problem;
	const finding: Finding = { outcome: sent ? 'unknown' : 'not-sent', code, message };
	if (permanent) return finding;
	if (status !== 0) finding.message = `the response was cut off: ${message}`;
	finding.retry = sent ? 'lost' : 'unsent';
	return finding;
}

function judgeSuccess(request: Sendable, response: Response, options: JudgeOptions): Finding {
	const { status } = response;
	const { returns } = request.endpoint;
	const { keepsNames, needsHeaders } = returnKinds[returns];
	if (status === 202) return unknown('http_202', 'accepted but not processed yet');
	if (status === 206) return unknown('http_206', 'the response is only partial');
	const content = readContent(response);
	if (!('value' in content)) return judgeText(request, response, content);
	const body = keepsNames ? content.value : bodyIn(options.dialect ?? neutralDialect, content.value);
	const finding = judgeBody(request, body, content.before, options);
	finding.body ??= body;
	if (needsHeaders) finding.headers = response.headers;
	if (content.warnings.length > 0) finding.warnings = content.warnings;
	return finding;
}

function judgeText(request: Sendable, { status, headers }: Response, { code, message }: NoJson): Finding {
	const { returns, replay } = request.endpoint;
	const { emptyWith, mayBeText } = returnKinds[returns];
	const { reads } = replayRules[replay];
	if (code === 'html_response' || code === 'login_form') {
		const hint = code === 'login_form' ? '' : '; is /wp-json or another part missing from the base URL?';
		return { outcome: reads ? 'failed' : 'unknown', code, message: message + hint, notServed: true };
	}
	const mayBeEmpty = request.method === 'HEAD' || status === emptyWith || (status === 204 && writes(request));
	if (code === 'empty_response' && mayBeEmpty) return { outcome: 'ok' };
	const isText = mayBeText && !/json|^$/i.test(headerOf(headers, 'content-type') ?? '');
	if (code === 'not_json' && isText) return { outcome: 'ok' };
	const finding = unknown(code, message);
	if (reads && code !== 'not_json') finding.retry = 'lost';
	return finding;
}

/** @param before text in front of the JSON */
function judgeBody(request: Sendable, body: unknown, before: string, { dialect, terms }: JudgeOptions): Finding {
	const { endpoint, sent = {} } = request;
	const does = replayRules[endpoint.replay];
	const isItself = showsAskedId(request, body);
	if (before !== '' && writes(request) && !isItself) {
		return unknown('unexpected_shape', `text before a response without the ID: ${before}`);
	}
	const other = otherObject(request, body);
	if (other !== undefined) {
		const message = `the response shows ${other}: ${wordsOf(body)}`;
		return { outcome: does.reads ? 'failed' : 'unknown', code: 'another_object', message };
	}
	// The fields of an object may be called "code" and "message".
	if (isServiceError(body) && !Object.keys(sent).some((name) => Object.hasOwn(body, name))) {
		return { outcome: 'failed', ...explain(body, dialect) };
	}
	switch (endpoint.returns) {
		case 'any':
			return { outcome: 'ok' };
		case 'list': {
			const list = listOf(body);
			return list === undefined ? unexpected('a list', body) : { outcome: 'ok', body: list };
		}
		case 'fields':
			return readCustomFields(body) === undefined ? unexpected('custom fields', body) : { outcome: 'ok' };
		case 'fields-set':
			return judgeFieldsSet(request, body, isItself);
		case 'user-id':
			return lookedUpId(body) === undefined ? unexpected('an ID', body) : { outcome: 'ok' };
		case 'check':
			return judgeCheck(request, body, before);
		case 'object':
			if (isObject(body) && does.deletes) return judgeDelete(request, body, isItself);
			if (isObject(body) && does.updates) return judgeUpdate(request, body, isItself, terms);
			return isItself ? { outcome: 'ok' } : unexpected('the object', body);
	}
}

function judgeUpdate({ endpoint, sent = {} }: Sendable, body: Json, isItself: boolean, terms?: TermIndex): Finding {
	const shown = (name: string): unknown => (Object.hasOwn(body, name) ? body[name] : undefined);
	const { differs, open } = compareAll(sent, shown, (name, value, now) =>
		compareField(endpoint, name, value, now, terms),
	);
	const showsAll = Object.keys(sent).length > 0 && open.length === 0 && differs.length === 0;
	differs.push(...trimmedIn(endpoint, sent, shown));
	if (isItself || showsAll) return differs.length === 0 ? { outcome: 'ok' } : differing(differs);
	return unexpected('whether it was applied', body);
}

export function differing(differs: NonNullable<Outcome['differs']>): Finding & { outcome: 'differs' } {
	const fields = differs.map(({ field }) => field).join(', ');
	const message = `the service returned a different ${fields}`;
	return { outcome: 'differs', code: 'differs', message, differs };
}

function judgeDelete({ endpoint, permanent }: Sendable, body: Json, isItself: boolean): Finding {
	const sent = endpoint.trash === true && permanent !== true ? 'trash' : 'permanently deleted';
	const isTrashed = isItself && body.status === 'trash' && endpoint.trash === true;
	if (isTrashed && sent === 'trash') return { outcome: 'ok' };
	if (body.deleted === false) {
		return { outcome: 'failed', code: 'not_deleted', message: 'the service says it was not deleted' };
	}
	if (body.deleted !== true && !isTrashed) return unexpected('whether it was deleted', body);
	const shown = body.deleted === true ? 'permanently deleted' : 'trash';
	return shown === sent ? { outcome: 'ok' } : differing([{ field: 'status', sent, shown }]);
}

/** Services respond with nothing, with the fields, or with the ticket. */
function judgeFieldsSet({ sent = {} }: Sendable, body: unknown, isItself: boolean): Finding {
	if (body === null || (Array.isArray(body) && body.length === 0)) return { outcome: 'ok' };
	if (!isObject(body)) return unexpected('whether it was applied', body);
	const fields = readCustomFields(body);
	const shown = fields ?? body;
	const compare = (_name: string, value: unknown, now: unknown) => compareCustomField(value, now);
	const { differs, open } = compareAll(sent, (name) => shown[name], compare);
	const showsAll = open.length === 0 && Object.keys(sent).every((name) => Object.hasOwn(shown, name));
	if (showsAll && differs.length === 0) return { outcome: 'ok' };
	if (showsAll && fields !== undefined) return differing(differs);
	if (isItself) return { outcome: 'ok' };
	return unexpected('whether it was applied', body);
}

const USER_FIELDS = new Set([
	...userFields.map(({ name }) => name),
	// Live services show these beside the documented fields.
	'id',
	'link',
	'registered_date',
	'capabilities',
	'extra_capabilities',
	'avatar_urls',
	'_links',
]);

/** A user and nothing else is a yes; `false` is a no. */
function judgeCheck({ sent = {} }: Sendable, body: unknown, before: string): Finding {
	if (before === '' && body === false) {
		const message = 'the service says they are not valid';
		return { outcome: 'failed', code: 'credentials_invalid', message, wrongCredentials: true };
	}
	const isUser = isObject(body) && isId(body.id) && Object.keys(body).every((name) => USER_FIELDS.has(name));
	if (before === '' && isUser && (body.username === undefined || isSame(body.username, sent.username))) {
		return { outcome: 'ok' };
	}
	return unknown('unexpected_shape', 'the response does not say whether the credentials are valid');
}

/** The user's ID in the response to a lookup: a positive integer under `id`, and nothing else. */
export function lookedUpId(body: unknown): string | undefined {
	return isObject(body) && isId(body.id) ? String(body.id) : undefined;
}

/** A list, or objects by slug, which some services return. */
function listOf(body: unknown): unknown[] | undefined {
	if (Array.isArray(body)) return body;
	if (!isObject(body)) return undefined;
	const entries = Object.entries(body);
	const isBySlug = entries.every(([slug, value]) => isObject(value) && value.slug === slug);
	return isBySlug && entries.length > 0 ? Object.values(body) : undefined;
}

const wordsOf = (body: unknown): string => firstWords(JSON.stringify(body));

/** A path without an ID is your own account. */
function showsAskedId({ ids = {} }: Sendable, body: unknown): boolean {
	if (!isObject(body) || !isId(body.id)) return false;
	const asked = ids.id ?? ids.ticket_id;
	return asked === undefined ? Object.keys(ids).length === 0 : String(body.id) === asked;
}

function isSame(shown: unknown, asked: unknown): boolean {
	if (typeof shown === 'object') return false;
	const [left, right] = [String(shown), String(asked)];
	return left === right || left.toLowerCase() === right.toLowerCase();
}

function otherObject({ endpoint, ids = {}, sent = {} }: Sendable, body: unknown): string | undefined {
	const { returns, replay, parent, looksUp } = endpoint;
	const { isOne, keepsNames } = returnKinds[returns];
	if (!isObject(body) || !isOne) return undefined;
	const other = (name: string, asked: unknown): string | undefined =>
		otherValue(body, name, asked) ?? (isObject(body.previous) ? otherValue(body.previous, name, asked) : undefined);
	// Custom fields may have any name, also "id".
	if (keepsNames) return isId(body.id) ? other('id', sent.id ?? ids.ticket_id) : undefined;
	for (const name of Object.keys(ids)) {
		const found = name === 'taxonomy' || name === 'username' ? undefined : other(name, ids[name]);
		if (found !== undefined) return found;
	}
	// An update may change a username.
	const isNamed = looksUp !== undefined || replayRules[replay].deletes;
	const found = isNamed ? other('username', sent.username ?? ids.username) : undefined;
	return found ?? (parent === undefined ? undefined : other('parent', ids[parent]));
}

function otherValue(thing: Json, name: string, asked: unknown): string | undefined {
	if (asked === undefined || !Object.hasOwn(thing, name) || isSame(thing[name], asked)) return undefined;
	return `a different object (${name} ${JSON.stringify(thing[name])}, not ${asked})`;
}

function judgeRedirect(request: Sendable, { status, headers }: Response): Finding {
	const outcome = writes(request) && !MOVED.has(status) ? 'unknown' : 'failed';
	const target = headerOf(headers, 'location');
	if (target === undefined) {
		const message = status === 304 ? 'unexpected 304 response' : 'the response is a redirect without a target';
		return { outcome, code: `http_${status}`, message, notServed: true };
	}
	// User info, query and fragment may be secret.
	const address = target.replace(/^([a-z][a-z0-9+.-]*:)?[\\/]{2,}[^\\/?#]*@/i, '$1//');
	const location = address.replace(/([?#]).*$/s, '$1…').slice(0, 300);
	const message = `the service redirects to ${location}; redirects are not followed with credentials: fix the base URL`;
	return { outcome, code: 'redirect', message, location, notServed: true };
}

function judgeRefusal(request: Sendable, response: Response, { dialect }: JudgeOptions): Finding {
	const { status, headers } = response;
	const content = readContent(response);
	const isOwn = 'value' in content && isOwnError(content.value, status);
	const finding: Finding = { outcome: 'failed', ...wordsOfRefusal(content, status, dialect) };
	if (status === 401) finding.signedOut = true;
	if (status === 403) finding.forbidden = true;
	if (status < 500 || REFUSING.has(status)) {
		if (LATER.has(status) || (status < 500 && headerOf(headers, 'retry-after') !== undefined)) {
			return Object.assign(finding, { busy: true, retry: 'later' });
		}
		const gone = goneBy(status);
		if (!isOwn || finding.code === NO_ROUTE) finding.notServed = true;
		else if (gone !== undefined) finding.gone = gone;
		if (isOwn) finding.refused = true;
		const { tellsPasswords } = returnKinds[request.endpoint.returns];
		if (tellsPasswords && status === 400 && WRONG_CREDENTIALS.has(finding.code)) finding.wrongCredentials = true;
		return finding;
	}
	if (GATEWAY.has(status) || status === 503) finding.busy = true;
	if (status === 503) finding.retry = 'later';
	else if (GATEWAY.has(status) || !isOwn) finding.retry = 'lost';
	else finding.retry = 'once';
	if (isOwn && writes(request)) finding.mayBePartly = true;
	if (!isOwn && (writes(request) || GATEWAY.has(status))) finding.outcome = 'unknown';
	return finding;
}

const WRONG_CREDENTIALS: ReadonlySet<unknown> = new Set([
	'invalid_user_credentials',
	'invalid_username',
	'invalid_email',
	'incorrect_password',
]);

function wordsOfRefusal(content: Content, status: number, dialect: Dialect | undefined): Partial<Finding> {
	const code = `http_${status}`;
	if (!('value' in content)) return content.code === 'empty_response' ? { ...content, code } : content;
	const { value: body, warnings } = content;
	return {
		code,
		message: `the service responded with ${status}`,
		...explain(body, dialect),
		body,
		...(warnings.length > 0 && { warnings }),
	};
}

/** A code, a message, and nothing of an object. */
function isServiceError(body: unknown): body is Json {
	if (!isObject(body) || Object.hasOwn(body, 'id')) return false;
	return typeof body.code === 'string' && body.code !== '' && typeof body.message === 'string';
}

/** A gateway has errors of the same form, but only the service repeats the status in `data`. */
function isOwnError(body: unknown, status: number): boolean {
	if (!isServiceError(body)) return false;
	return !GATEWAY.has(status) || (isObject(body.data) && body.data.status === status);
}

function explain(body: unknown, dialect = neutralDialect): Partial<Finding> {
	if (!isObject(body)) return {};
	const { code, data } = body;
	const found: Partial<Finding> = {};
	if (typeof code === 'string' || typeof code === 'number') found.code = bounded(String(code));
	const message = messageIn(body);
	if (message !== '') found.message = bounded(htmlText(bounded(message)));
	const params = isObject(data) ? data.params : undefined;
	if (typeof params === 'object' && params !== null) {
		found.reasons = reasonsIn(params, dialect);
	}
	return found;
}

/** Field → reason, or a list of fields that are missing; together they are no longer than a message. */
function reasonsIn(params: object, dialect: Dialect): Record<string, string> {
	const reasons: [field: string, why: string][] = [];
	let room = MOST_WORDS;
	for (const [name, why] of Object.entries(params)) {
		const text = typeof why === 'string' ? why : JSON.stringify(why);
		const [field, reason] = Array.isArray(params) ? [String(why), 'is missing'] : [name, text];
		const said: [string, string] = [bounded(dialect.toNeutral(bounded(field))), bounded(htmlText(bounded(reason)))];
		reasons.push(said);
		room -= Buffer.byteLength(said.join(''));
		if (room <= 0) break;
	}
	return Object.fromEntries(reasons);
}

/** The service's `message`, or `title` and `detail` of problem+json (RFC 9457). */
function messageIn({ message, title, detail }: Json): string {
	if (typeof message === 'string') return message;
	return [title, detail].filter((each) => typeof each === 'string' && each !== '').join(': ');
}

/** Of a delete whose object is not there. */
export const WAS_GONE = 'already deleted';
export const MAY_BE_OURS = 'it is gone; an earlier attempt may have deleted it';

/** A refusal doesn't prove that an earlier attempt was not applied. */
function considerHistory(request: Sendable, outcome: Outcome, before: History, ignoreMissing: boolean): void {
	const { outcome: name, message, gone } = outcome;
	const isOpen = before.mayBeApplied === true || before.mayBePartly === true;
	const isUpdate = replayRules[request.endpoint.replay].updates;
	if (gone !== undefined && !isUpdate && (isOpen || ignoreMissing)) {
		outcome.outcome = 'ok';
		outcome.message = isOpen ? MAY_BE_OURS : WAS_GONE;
		return;
	}
	// An object that is gone was not updated; the same refusal as before means that no attempt got further.
	if ((gone !== undefined && isUpdate) || blamesSentField(request, outcome)) return;
	if (before.mayBePartly) outcome.mayBePartly = true;
	if (name === 'not-sent' && isOpen) outcome.outcome = 'unknown';
	const also = (more: string): string => (message === undefined ? more : `${message.replace(/\.$/, '')}; ${more}`);
	if (name === 'failed' && before.mayBeApplied) {
		outcome.outcome = 'unknown';
		outcome.message = also('an earlier attempt may have been applied');
	} else if (name === 'failed' && outcome.mayBePartly) {
		outcome.message = also('the request may be partly applied');
	}
	if (name === 'unknown' || before.mayBeApplied) outcome.mayBeApplied = true;
}

/** Then earlier attempts were refused for the same reason. */
function blamesSentField({ sent = {}, path, body = '' }: Sendable, { status, reasons = {} }: Outcome): boolean {
	if (status !== 400) return false;
	return Object.keys(reasons).some((name) => Object.hasOwn(sent, name) || `${path} ${body}`.includes(name));
}
