/** Sends a planned request, and again where that may help, until its outcome is known or can't be. */

import type { TermIndex } from '../api/applied.js';
import type { Dialect } from '../api/dialect.js';
import type { ReplayRule } from '../api/endpoints.js';
import { type Judged, judge } from './judge.js';
import type { History, Outcome, Retry } from './outcome.js';
import { headerOf, type Response, type ResponseHeaders } from './response.js';
import type { Client, HttpRequest } from './types.js';

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
	/** Makes IDs, slugs and names of terms comparable. */
	terms?: TermIndex;
	/** Each response, for what shows more of it than its meaning; it is judged when the promise resolves. */
	onResponse?(response: Response): Promise<void> | void;
}

/** What belongs to one request, where many share their options. */
export interface OwnSendOptions {
	/** True where an earlier process may have sent this request already. */
	maybeSent?: boolean;
	/** Before each sending; the request waits for it. */
	beforeSend?(): Promise<void> | undefined;
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
	let last: Outcome | undefined;
	let attempts = 0;
	const ended = (outcome: Outcome): Outcome => {
		const ms = started === undefined ? 0 : clock.monotonic() - started;
		return Object.assign(outcome, { attempts, ms: Math.round(ms * 10) / 10 });
	};

	for (;;) {
		const gate = pace?.ready(stop);
		if (gate !== undefined) await gate;
		if (stop?.aborted) break;
		const before = own.beforeSend?.();
		if (before !== undefined) await before;
		const sentAt = clock.monotonic();
		started ??= sentAt;
		const response = await client.send(request);
		attempts++;
		const { status, sent, headers } = response;
		if (status !== 0) await options.onResponse?.(response);
		const outcome = judge(request, response, history, options);
		if (outcome.outcome === 'ok') {
			pace?.answered(sentAt);
			return ended(outcome);
		}
		const { retry } = outcome;
		const retryAfterMs = status === 0 ? undefined : retryAfterOf(headers, clock.now());
		report(pace, sentAt, outcome, response, retryAfterMs);
		const decision = decideRetry({
			retry,
			replay: request.endpoint.replay,
			attempt: attempts,
			retries: options.retries,
			failedBefore: history.mayBePartly === true,
			retryAfterMs,
			random: options.random(),
		});
		if (!decision.again) {
			if (decision.why === 'wait-too-long') {
				putOff(outcome, clock.now() + Math.min(retryAfterMs ?? 0, 8e12));
			}
			return ended(outcome);
		}
		last = retry === 'later' ? { ...outcome, outcome: openOutcome(outcome) } : outcome;
		own.onRetry?.({
			attempt: attempts,
			sent,
			lost: retry !== 'unsent' && openOutcome(outcome) === 'unknown',
			waitMs: Math.round(decision.waitMs),
			...(outcome.status === undefined ? {} : { status }),
			...(outcome.code === undefined ? {} : { code: outcome.code }),
		});
		history = outcome;
		await clock.sleep(decision.waitMs, stop);
	}
	return ended(last ?? { outcome: openOutcome(history), ...history, attempts, ms: 0 });
}

/** The outcome of a request that was neither refused nor carried out for certain: a resume sends it. */
function openOutcome({ mayBeApplied, mayBePartly }: History): 'unknown' | 'not-sent' {
	return mayBeApplied || mayBePartly ? 'unknown' : 'not-sent';
}

/** A busy service, a gateway without its service, or no connection: reasons for the whole run to slow down. */
function report(
	pace: Pace | undefined,
	sentAt: number,
	{ retry }: Outcome,
	{ status, sent }: Response,
	retryAfterMs: number | undefined,
): void {
	const isLost = retry === 'lost' && status !== 0;
	if (retry === 'later' || !sent || isLost) pace?.refused(sentAt, retryAfterMs);
	else if (status === 0) pace?.lost(sentAt);
	else pace?.answered(sentAt);
}

/** Ends a row whose Retry-After is longer than the longest wait. */
function putOff(outcome: Outcome, until: number): void {
	const note = `the service asks to wait until ${new Date(until).toISOString()}`;
	const { message } = outcome;
	outcome.outcome = openOutcome(outcome);
	outcome.code = 'wait_too_long';
	outcome.message = message === undefined ? note : `${message.replace(/\.$/, '')}; ${note}`;
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

function retryAfterOf(headers: ResponseHeaders, now: number): number | undefined {
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
	retry: Retry | undefined;
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
	if (retry === undefined || facts.replay === 'once' || (retry === 'once' && facts.failedBefore))
		return { again: false };
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
