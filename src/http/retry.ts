/** Whether and when to send again: decisions alone, no clock and no socket. */

import type { ReplayRule } from '../api/endpoints.js';
import type { Bearing } from './answer.js';

/** The first wait's upper bound, in milliseconds; it doubles with each attempt. */
export const BASE_DELAY_MS = 500;
/** The longest wait that we choose ourselves. */
export const MAX_DELAY_MS = 30_000;
/** The longest Retry-After that is waited for; beyond it the person is told instead. */
export const MAX_RETRY_AFTER_MS = 10 * 60_000;

/** Reads Retry-After: seconds or an HTTP date, against the present in ms since 1970. Garbage is undefined. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
	if (value === undefined) return undefined;
	const text = value.trim();
	if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER / 1000) * 1000;
	if (!/^[A-Z][a-z]+,? /.test(text)) return undefined;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Full jitter: anything from nothing to the doubled base, so that clients that failed together do not return together. */
export function backoffMs(attempt: number, random: number): number {
	return random * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempt - 1));
}

/** What an attempt came to, as far as sending again goes. */
export type AttemptBearing = Bearing | 'not-sent';

export interface RetryFacts {
	bearing: AttemptBearing;
	replay: ReplayRule;
	/** Attempts made so far, at least 1. */
	attempt: number;
	/** How many more than the first are allowed. */
	retries: number;
	/** Trying again can't help, for instance a wrong certificate. */
	permanent: boolean;
	/** From Retry-After, in milliseconds. */
	retryAfterMs: number | undefined;
	/** 0 ≤ x < 1. */
	random: number;
}

export type RetryDecision = { again: true; waitMs: number } | { again: false; why?: 'wait-too-long' };

/** Decides after an attempt. A `once` request is never repeated, not even when it was surely not sent. */
export function decideRetry(facts: RetryFacts): RetryDecision {
	const { bearing, attempt, retryAfterMs } = facts;
	if (bearing === 'accepted' || bearing === 'said-no' || bearing === 'unclear') return { again: false };
	if (facts.replay === 'once' || facts.permanent || attempt > facts.retries) return { again: false };
	if (retryAfterMs !== undefined && bearing === 'later') {
		if (retryAfterMs > MAX_RETRY_AFTER_MS) return { again: false, why: 'wait-too-long' };
		return { again: true, waitMs: retryAfterMs + facts.random * Math.min(1000, 100 + retryAfterMs / 10) };
	}
	return { again: true, waitMs: backoffMs(attempt, facts.random) };
}
