/** Sends a request until its outcome is known or can't be. */

import type { TermIndex } from '../api/applied.js';
import type { Dialect } from '../api/dialect.js';
import type { ReplayRule } from '../api/endpoints.js';
import { isMisplaced, type Judged, judge } from './judge.js';
import type { History, Outcome, Retry } from './outcome.js';
import { headerOf, type Response, type ResponseHeaders } from './response.js';
import type { Client, HttpRequest } from './types.js';

/** It doubles with each attempt. */
export const BASE_DELAY_MS = 500;
export const MAX_DELAY_MS = 30_000;
/** Beyond it, the row ends. */
export const MAX_RETRY_AFTER_MS = 10 * 60_000;

export type Sendable = HttpRequest & Judged;

/** Shared by all rows. */
export interface Pace {
	/** Undefined if it may go now. */
	ready(signal: AbortSignal | undefined): Promise<void> | undefined;
	/** Come back later, or no connection. */
	refused(sentAt: number, retryAfterMs: number | undefined): void;
	answered(sentAt: number): void;
	/** No response. */
	lost(sentAt: number): void;
}

export interface FailedAttempt extends History {
	attempt: number;
	status?: number;
	code?: string;
	sent: boolean;
	waitMs: number;
}

export interface SendClock {
	now(): number;
	monotonic(): number;
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface SendOptions extends OwnSendOptions {
	retries: number;
	clock: SendClock;
	random(): number;
	dialect?: Dialect;
	/** Nothing new is sent then. */
	stop?: AbortSignal;
	pace?: Pace;
	/** 404 and 410 on a delete are success. */
	ignoreMissing?: boolean;
	terms?: TermIndex;
	/** Judged once the promise resolves. */
	onResponse?(response: Response): Promise<void> | void;
}

export interface OwnSendOptions {
	/** Of an earlier process. */
	history?: History;
	/** The request waits for it. */
	beforeSend?(): Promise<void> | undefined;
	onRetry?(record: FailedAttempt): void;
}

/** Never throws for the service or the network. */
export async function send(
	client: Client,
	request: Sendable,
	options: SendOptions,
	own: OwnSendOptions = options,
): Promise<Outcome> {
	const { clock, stop, pace } = options;
	let history = own.history ?? {};
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
		// Every further response on that connection may be late by one.
		if (isMisplaced(outcome)) client.renew();
		const { retry } = outcome;
		const retryAfterMs = status === 0 ? undefined : retryAfterOf(headers, clock.now());
		report(pace, sentAt, outcome, response, retryAfterMs);
		const decision = decideRetry({
			retry,
			replay: request.endpoint.replay,
			attempt: attempts,
			retries: options.retries,
			failedBefore: attempts > 1 && history.mayBePartly === true,
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
			waitMs: Math.round(decision.waitMs),
			...(outcome.mayBeApplied === true && { mayBeApplied: true }),
			...(outcome.mayBePartly === true && { mayBePartly: true }),
			...(outcome.status === undefined ? {} : { status }),
			...(outcome.code === undefined ? {} : { code: outcome.code }),
		});
		history = outcome;
		await clock.sleep(decision.waitMs, stop);
	}
	return ended(last ?? { outcome: openOutcome(history), ...history, attempts, ms: 0 });
}

/** A resume sends it. */
function openOutcome({ mayBeApplied, mayBePartly }: History): 'unknown' | 'not-sent' {
	return mayBeApplied || mayBePartly ? 'unknown' : 'not-sent';
}

/** Reasons for the whole run to slow down. */
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

function putOff(outcome: Outcome, until: number): void {
	const note = `the service asks to wait until ${new Date(until).toISOString()}`;
	const { message } = outcome;
	outcome.outcome = openOutcome(outcome);
	outcome.code = 'wait_too_long';
	outcome.message = message === undefined ? note : `${message.replace(/\.$/, '')}; ${note}`;
}

/** All three forms mean GMT. */
function parseHttpDate(text: string): number | undefined {
	if (!/^[A-Z][a-z]+,? /.test(text)) return undefined;
	const date = Date.parse(/\d{4}$/.test(text) ? `${text} GMT` : text);
	return Number.isNaN(date) ? undefined : date;
}

/** A date is measured by the response's clock, not ours. */
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

/** Half to all of the doubled base: clients that failed together don't return together. */
export function backoffMs(attempt: number, random: number): number {
	return ((1 + random) / 2) * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempt - 1));
}

export interface RetryFacts {
	retry: Retry | undefined;
	replay: ReplayRule;
	attempt: number;
	retries: number;
	failedBefore: boolean;
	retryAfterMs: number | undefined;
	random: number;
}

export type RetryDecision = { again: true; waitMs: number } | { again: false; why?: 'wait-too-long' };

/** A `once` request is never repeated. */
export function decideRetry(facts: RetryFacts): RetryDecision {
	const { retry, attempt, retryAfterMs } = facts;
	if (retry === undefined || facts.replay === 'once' || (retry === 'once' && facts.failedBefore))
		return { again: false };
	const isPutOff = retryAfterMs !== undefined && retry === 'later';
	// Also after the last attempt.
	if (isPutOff && retryAfterMs > MAX_RETRY_AFTER_MS) return { again: false, why: 'wait-too-long' };
	if (attempt > facts.retries) return { again: false };
	// `0` names no wait.
	if (isPutOff && retryAfterMs > 0) {
		return { again: true, waitMs: retryAfterMs + facts.random * Math.min(1000, 100 + retryAfterMs / 10) };
	}
	return { again: true, waitMs: backoffMs(attempt, facts.random) };
}
