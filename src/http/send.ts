/** Sends a planned request, and again where that may help, until its outcome is known or can't be. */

import type { Dialect } from '../api/dialect.js';
import type { ReplayRule } from '../api/endpoints.js';
import { parseExact } from '../api/values.js';
import { type CleanWords, headerOf, type Received, type Response, readResponse } from './content.js';
import { type History, type Judged, judge, type Retry, type Verdict } from './judge.js';
import type { Outcome } from './outcome.js';
import type { Client, HttpRequest, RawResponse } from './types.js';

/** The first wait's upper bound, in milliseconds; it doubles with each attempt. */
export const BASE_DELAY_MS = 500;
/** The longest wait that we choose ourselves. */
export const MAX_DELAY_MS = 30_000;
/** The longest Retry-After that is waited for; beyond it the row ends, and its message says until when. */
export const MAX_RETRY_AFTER_MS = 10 * 60_000;

/** What can be delivered: a planned request, or one outside the endpoint table that says how it may be repeated. */
export type Sendable = HttpRequest & Judged;

/** The run-wide brake that all rows share. */
export interface Pace {
	/** Resolves when the next request may go; undefined where it may go now. */
	ready(signal: AbortSignal | undefined): Promise<void> | undefined;
	/** The service asked to come back later, or could not be reached. `sentAt` is from the same clock as `ready`. */
	refused(sentAt: number, retryAfterMs: number | undefined): void;
	/** The service itself responded. */
	answered(sentAt: number): void;
	/** Sent, without a response. */
	lost(sentAt: number): void;
}

/** An attempt that failed and will be followed by another. */
export interface FailedAttempt {
	attempt: number;
	/** Present where a response came. */
	status?: number;
	code?: string;
	/** False where no connection could be made. */
	sent: boolean;
	/** It may have been carried out without our knowing. */
	lost: boolean;
	waitMs: number;
}

export interface SendClock {
	now(): number;
	monotonic(): number;
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** How requests are delivered. */
export interface SendOptions extends OwnSendOptions {
	/** Attempts after the first. */
	retries: number;
	clock: SendClock;
	random(): number;
	dialect?: Dialect;
	/** Aborted when nothing new may be sent; what is in flight is waited for. */
	stop?: AbortSignal;
	pace?: Pace;
	/** Takes 404 and 410 on a delete for success. */
	ignoreMissing?: boolean;
	/** Keeps numbers that JavaScript would change as `parseExact` does: values that are to be written back. */
	exactNumbers?: boolean;
	/** Each response as it came, for what shows more of it than its meaning; it is read when the promise resolves. */
	onResponse?(response: RawResponse): Promise<void> | void;
}

/** What belongs to one request, where many share their options. */
export interface OwnSendOptions {
	/** True where an earlier process may have sent this request already. */
	maybeSent?: boolean;
	/** Before each sending; the request waits for it. */
	beforeSend?(): Promise<void> | undefined;
	/** Hides in the service's text what the request holds in secret; code and body are as they came. */
	clean?: CleanWords | undefined;
	/** After an attempt that will be repeated. */
	onRetry?(record: FailedAttempt): void;
}

/**
 * Delivers one request. Never throws for what the service or the network does.
 * @param own What belongs to this request alone, in place of the same parts of `options`.
 */
export async function send(
	client: Client,
	request: Sendable,
	options: SendOptions,
	own: OwnSendOptions = options,
): Promise<Outcome> {
	const { clock, stop, pace } = options;
	let history: History = own.maybeSent === true ? { mayBeApplied: true } : {};
	let started: number | undefined;
	let last: Verdict | undefined;
	let attempts = 0;

	for (;;) {
		const gate = pace?.ready(stop);
		if (gate !== undefined) await gate;
		if (stop?.aborted) break;
		const before = own.beforeSend?.();
		if (before !== undefined) await before;
		const sentAt = clock.monotonic();
		started ??= sentAt;
		const attempt = await client.send(request);
		attempts++;
		if (attempt.kind === 'response' && options.onResponse !== undefined) await options.onResponse(attempt.response);
		const read = readResponse(attempt, own.clean, options.exactNumbers === true ? parseExact : undefined);
		const response = read instanceof Promise ? await read : read;
		const verdict = judge(request, response, history, options, own.clean);
		if (verdict.outcome === 'ok') {
			pace?.answered(sentAt);
			return resultOf(verdict, attempts, clock.monotonic() - started);
		}
		const retryAfterMs = 'headers' in response ? retryAfterOf(response, clock.now()) : undefined;
		report(pace, sentAt, verdict, response, retryAfterMs);
		const decision = decideRetry({
			retry: verdict.retry,
			replay: request.endpoint.replay,
			attempt: attempts,
			retries: options.retries,
			failedBefore: history.mayBePartly === true,
			retryAfterMs,
			random: options.random(),
		});
		if (!decision.again) {
			if (decision.why === 'wait-too-long') putOff(verdict, clock.now() + Math.min(retryAfterMs ?? 0, 8e12));
			return resultOf(verdict, attempts, clock.monotonic() - started);
		}
		last = verdict.retry === 'later' ? { ...verdict, outcome: openOutcome(verdict.history) } : verdict;
		own.onRetry?.({
			attempt: attempts,
			sent: !('problem' in response) || response.sent,
			lost: verdict.history !== history,
			waitMs: Math.round(decision.waitMs),
			...(verdict.status === undefined ? {} : { status: verdict.status }),
			...(verdict.code === undefined ? {} : { code: verdict.code }),
		});
		history = verdict.history;
		await clock.sleep(decision.waitMs, stop);
	}
	last ??= { outcome: openOutcome(history), retry: 'unsent', history };
	return resultOf(last, attempts, started === undefined ? 0 : clock.monotonic() - started);
}

/** The outcome of a request that was neither refused nor carried out for certain: a resume sends it. */
function openOutcome({ mayBeApplied, mayBePartly }: History): 'unknown' | 'not-sent' {
	return mayBeApplied || mayBePartly ? 'unknown' : 'not-sent';
}

/** A busy service, a gateway without its service, or no connection: reasons for the whole run to slow down. */
function report(
	pace: Pace | undefined,
	sentAt: number,
	{ retry }: Verdict,
	response: Response,
	retryAfterMs: number | undefined,
): void {
	const noResponse = 'problem' in response;
	if (retry === 'later' || retry === 'unsent' || (noResponse && !response.sent) || (retry === 'lost' && !noResponse)) {
		pace?.refused(sentAt, retryAfterMs);
	} else if (noResponse) pace?.lost(sentAt);
	else pace?.answered(sentAt);
}

/** Ends a row whose Retry-After is longer than the longest wait. */
function putOff(verdict: Verdict, until: number): void {
	const note = `the service asks to wait until ${new Date(until).toISOString()}`;
	verdict.outcome = openOutcome(verdict.history);
	verdict.code = 'wait_too_long';
	verdict.message = verdict.message === undefined ? note : `${verdict.message.replace(/\.$/, '')}; ${note}`;
}

/** What is left of a verdict at the end. Written out: it is made for each row, and copying all but some keys is slow. */
function resultOf(verdict: Verdict, attempts: number, ms: number): Outcome {
	const { outcome, status, code, message, reasons, warnings } = verdict;
	const result: Outcome = { outcome, attempts, ms: Math.round(ms * 10) / 10 };
	if (status !== undefined) result.status = status;
	if (code !== undefined) result.code = code;
	if (message !== undefined) result.message = message;
	if (reasons !== undefined) result.reasons = reasons;
	if (warnings !== undefined) result.warnings = warnings;
	if ('body' in verdict) result.body = verdict.body;
	return result;
}

/** An HTTP date in any of its three forms, in ms since 1970; they all mean GMT, also the one that does not say so. */
function parseHttpDate(text: string): number | undefined {
	if (!/^[A-Z][a-z]+,? /.test(text)) return undefined;
	const date = Date.parse(/\d{4}$/.test(text) ? `${text} GMT` : text);
	return Number.isNaN(date) ? undefined : date;
}

/**
 * Reads Retry-After, seconds or an HTTP date, as milliseconds from now. Garbage is undefined.
 * @param now Ours, in ms since 1970.
 * @param serviceDate The response's Date header: a date is measured by the clock that wrote it, not by ours.
 */
export function parseRetryAfter(value: string | undefined, now: number, serviceDate?: string): number | undefined {
	if (value === undefined) return undefined;
	const text = value.trim();
	if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER / 1000) * 1000;
	const date = parseHttpDate(text);
	if (date === undefined) return undefined;
	const present = serviceDate === undefined ? undefined : parseHttpDate(serviceDate.trim());
	return Math.max(0, date - (present ?? now));
}

function retryAfterOf({ headers }: Received, now: number): number | undefined {
	return parseRetryAfter(headerOf(headers, 'retry-after'), now, headerOf(headers, 'date'));
}

/**
 * Anything from a half of the doubled base to all of it: clients that failed together do not return together, and the
 * attempts of one row are not used up within one second in which the service refuses everything.
 */
export function backoffMs(attempt: number, random: number): number {
	return ((1 + random) / 2) * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempt - 1));
}

export interface RetryFacts {
	retry: Retry;
	replay: ReplayRule;
	/** Attempts made so far, at least 1. */
	attempt: number;
	/** How many more than the first are allowed. */
	retries: number;
	/** Whether the service failed an earlier attempt with an error of its own. */
	failedBefore: boolean;
	/** From Retry-After, in milliseconds. */
	retryAfterMs: number | undefined;
	/** 0 ≤ x < 1. */
	random: number;
}

export type RetryDecision = { again: true; waitMs: number } | { again: false; why?: 'wait-too-long' };

/** Decides after an attempt. A `once` request is never repeated, not even when it was certainly not sent. */
export function decideRetry(facts: RetryFacts): RetryDecision {
	const { retry, attempt, retryAfterMs } = facts;
	if (retry === 'never' || facts.replay === 'once' || (retry === 'once' && facts.failedBefore)) return { again: false };
	const isPutOff = retryAfterMs !== undefined && retry === 'later';
	// Also after the last attempt: the service has not refused the request itself.
	if (isPutOff && retryAfterMs > MAX_RETRY_AFTER_MS) return { again: false, why: 'wait-too-long' };
	if (attempt > facts.retries) return { again: false };
	// `Retry-After: 0` names no wait: ours is used.
	if (isPutOff && retryAfterMs > 0) {
		return { again: true, waitMs: retryAfterMs + facts.random * Math.min(1000, 100 + retryAfterMs / 10) };
	}
	return { again: true, waitMs: backoffMs(attempt, facts.random) };
}
