/** Whether and when to send again: decisions alone, no clock and no socket. */

import type { ReplayRule } from '../api/endpoints.js';
import type { Retry } from './judge.js';

/** The first wait's upper bound, in milliseconds; it doubles with each attempt. */
export const BASE_DELAY_MS = 500;
/** The longest wait that we choose ourselves. */
export const MAX_DELAY_MS = 30_000;
/** The longest Retry-After that is waited for; beyond it the row ends, and its message says until when. */
export const MAX_RETRY_AFTER_MS = 10 * 60_000;

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

/**
 * Anything from a half of the doubled base to all of it: clients that failed together do not return together, and the
 * attempts of one row are not used up within the second in which a service has had enough.
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
	// A wait of 0 s leaves it to us.
	if (isPutOff && retryAfterMs > 0) {
		return { again: true, waitMs: retryAfterMs + facts.random * Math.min(1000, 100 + retryAfterMs / 10) };
	}
	return { again: true, waitMs: backoffMs(attempt, facts.random) };
}
