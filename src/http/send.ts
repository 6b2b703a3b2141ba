/** Sends a request until its outcome is known or can't be. */

import { type ReplayRule, replayRules, returnKinds } from '../api/endpoints.js';
import type { Client } from './client.js';
import {
	isConfirmedWithoutName,
	isMisplaced,
	isNameless,
	type JudgeOptions,
	judge,
	type Sendable,
	writes,
} from './judge.js';
import type { History, Outcome, Retry } from './outcome.js';
import { isDone } from './outcomes.js';
import { headerOf, type Response } from './response.js';

/** A service that asked to slow down is left alone; a fault is mostly over at once, and if not, the last attempts are as late. */
const BACKOFF = { later: { ms: 500, factor: 2 }, fault: { ms: 100, factor: 4 } };
const MAX_DELAY_MS = 30_000;
/** The code of a row, or a run, that the service asked to come back later than a run waits. */
export const WAIT_TOO_LONG = 'wait_too_long';
/** Beyond it, the row ends. */
export const MAX_RETRY_AFTER_MS = 10 * 60_000;

/** What is told of each request that was sent: exactly one of the three results. */
export interface Pace {
	/** @returns undefined if it may go now */
	ready(signal: AbortSignal | undefined): Promise<void> | undefined;
	/** The service asks to slow down: 429, 503 or Retry-After. */
	refused(sentAt: number, retryAfterMs: number | undefined): void;
	/** A fault of this request alone: no connection, no response, or one of a gateway. */
	failed(sentAt: number): void;
	answered(sentAt: number): void;
}

export interface SendClock {
	now(): number;
	monotonic(): number;
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface SendOptions extends JudgeOptions {
	retries: number;
	clock: SendClock;
	random(): number;
	/** Then nothing new is sent; what is under way ends. */
	stop?: AbortSignal;
	/** Only in runs. */
	pace?: Pace;
	/** The response is judged once the promise resolves. */
	onResponse?(response: Response): Promise<void> | void;
	onRetry?(failed: Outcome, waitMs: number, row?: number): void;
}

/**
 * Never throws for the service or the network.
 * @param row of a run, which `onRetry` is told
 * @param history what an earlier process left open
 */
export async function send(
	client: Client,
	request: Sendable,
	options: SendOptions,
	row?: number,
	history: History = NONE,
): Promise<Outcome> {
	const { clock, stop, pace, onResponse } = options;
	let startedAt: number | undefined;
	let attempts = 0;
	let last: Outcome | undefined;
	for (;;) {
		const gate = isPutOff(client, clock) ? undefined : pace?.ready(stop);
		if (gate !== undefined) await gate;
		const unsent = (): Outcome => last ?? { outcome: openOutcome(history), ...history, attempts, ms: 0 };
		if (stop?.aborted) return unsent();
		// Also while this one waited in line.
		if (isPutOff(client, clock)) return putOff(unsent(), client.learned.waitUntil);
		const sentAt = clock.monotonic();
		startedAt ??= sentAt;
		const alone = request.alone ?? (isNameless(request) || (client.learned.nameless && writes(request)));
		const response = await client.send({ ...request, alone });
		if (response.status !== 0 && onResponse !== undefined) await onResponse(response);
		const outcome = judge(request, response, last ?? history, options);
		learn(client, request, outcome);
		outcome.attempts = ++attempts;
		outcome.ms = Math.round((sentAt - startedAt + response.ms) * 10) / 10;
		if (outcome.outcome === 'ok') {
			pace?.answered(sentAt);
			return outcome;
		}
		// Every further response on that connection may be late by one.
		if (isMisplaced(outcome)) client.renew();
		const { retry } = outcome;
		const { headers } = response;
		const retryAfterMs = parseRetryAfter(headerOf(headers, 'retry-after'), clock.now(), headerOf(headers, 'date'));
		const { replay } = request.endpoint;
		const { retries } = options;
		if (retry === 'later' && replayRules[replay].repeats && (retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) {
			const until = clock.now() + Math.min(retryAfterMs ?? 0, 8e12);
			client.learned.waitUntil = until;
			report(pace, sentAt, response, retry, undefined);
			return putOff(outcome, until);
		}
		report(pace, sentAt, response, retry, retryAfterMs);
		const failedBefore = last?.retry === 'once';
		const random = options.random();
		const isKnown = client.learned.service;
		const facts = { retry, replay, attempt: attempts, retries, failedBefore, retryAfterMs, random, isKnown };
		const waitMs = decideRetry(facts);
		if (waitMs === undefined) return outcome;
		options.onRetry?.(outcome, waitMs, row);
		if (retry === 'later') outcome.outcome = openOutcome(outcome);
		last = outcome;
		await clock.sleep(waitMs, stop);
	}
}

const NONE: History = {};

function learn({ learned }: Client, request: Sendable, outcome: Outcome): void {
	const isService = isDone(outcome) || outcome.refused === true;
	if (isService && returnKinds[request.endpoint.returns].isKnown) learned.service = true;
	if (isConfirmedWithoutName(request, outcome)) learned.nameless = true;
}

/** The outcome of a request that was neither refused nor certainly applied: a resume sends it. */
function openOutcome({ mayBeApplied, mayBePartly }: History): 'unknown' | 'not-sent' {
	return mayBeApplied || mayBePartly ? 'unknown' : 'not-sent';
}

function report(
	pace: Pace | undefined,
	sentAt: number,
	{ status }: Response,
	retry: Retry | undefined,
	retryAfterMs: number | undefined,
): void {
	if (retry === 'later' || (status >= 500 && retryAfterMs !== undefined)) pace?.refused(sentAt, retryAfterMs);
	else if (retry === undefined && status !== 0) pace?.answered(sentAt);
	else pace?.failed(sentAt);
}

function isPutOff({ learned }: Client, clock: SendClock): boolean {
	return learned.waitUntil > clock.now();
}

/** Ends a row of a service whose Retry-After is longer than the longest wait. */
function putOff(outcome: Outcome, until: number): Outcome {
	const note = `the service asks to wait until ${new Date(until).toISOString()}`;
	const { message } = outcome;
	return {
		...outcome,
		outcome: openOutcome(outcome),
		code: WAIT_TOO_LONG,
		message: message === undefined ? note : `${message.replace(/\.$/, '')}; ${note}`,
	};
}

/** A date is measured by the response's clock, not ours. */
export function parseRetryAfter(value: string | undefined, now: number, serviceDate = ''): number | undefined {
	const text = value?.trim() ?? '';
	if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER / 1000) * 1000;
	const date = parseHttpDate(text);
	if (Number.isNaN(date)) return undefined;
	return Math.max(0, date - (Date.parse(serviceDate) || now));
}

/** `Sun Nov  6 08:49:37 1994`: GMT, though it doesn't say so. */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** All three forms of RFC 9110, section 5.6.7. */
function parseHttpDate(text: string): number {
	if (ASCTIME.test(text)) return Date.parse(`${text} GMT`);
	return text.endsWith(' GMT') ? Date.parse(text) : Number.NaN;
}

/** Half to all of what has grown with the attempts: clients that failed together don't return together. */
export function backoffMs(kind: keyof typeof BACKOFF, attempt: number, random: number): number {
	const { ms, factor } = BACKOFF[kind];
	return ((1 + random) / 2) * Math.min(MAX_DELAY_MS, ms * factor ** (attempt - 1));
}

export interface RetryFacts {
	retry: Retry | undefined;
	replay: ReplayRule;
	attempt: number;
	retries: number;
	/** Whether an earlier attempt failed with an error of the service's own. */
	failedBefore: boolean;
	retryAfterMs: number | undefined;
	/** 0 ≤ x < 1 */
	random: number;
	/** Whether the service responded before: else a page is more likely a wrong base URL. */
	isKnown: boolean;
}

/** Milliseconds until the next attempt, if there is one. */
export function decideRetry(facts: RetryFacts): number | undefined {
	const { retry, replay, attempt, retryAfterMs = 0, random } = facts;
	const { repeats, updates, reads } = replayRules[replay];
	if (retry === undefined || !repeats || attempt > facts.retries) return undefined;
	// Only what does no harm, and not a third time: one error among the pages of a list is no reason to end a run.
	if (retry === 'once' && (!(updates || reads) || facts.failedBefore)) return undefined;
	if (retry === 'odd' && !facts.isKnown && attempt > 1) return undefined;
	if (retry !== 'later') return backoffMs('fault', attempt, random);
	if (retryAfterMs === 0) return backoffMs('later', attempt, random);
	return retryAfterMs + random * Math.min(1000, 100 + retryAfterMs / 10);
}
