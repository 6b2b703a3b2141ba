/** Faults on demand: slow responses, failures of several kinds, and a limit on the rate of requests. */

import { pages, type SandboxResponse, ServiceError } from './responses.js';

/** A failed request: how much of its work is done, and what is sent in place of the response. */
export interface Fault {
	readonly help: string;
	/** `part` saves the first half of the fields. */
	readonly work: 'none' | 'part' | 'all';
	/** Undefined drops the connection. */
	readonly response?: SandboxResponse;
}

const broken = (code: string, message: string): SandboxResponse => new ServiceError(500, code, message).response;
const critical = broken('internal_server_error', 'There has been a critical error on this website.');
const partial = broken('support_save_failed', 'The ticket could not be saved.');

/** Their order decides what a draw gives. */
export const faultKinds = {
	'bad-gateway': { help: '502, nothing is done', work: 'none', response: pages.badGateway },
	unavailable: { help: '503, nothing is done', work: 'none', response: pages.unavailable },
	critical: { help: '500, nothing is done', work: 'none', response: critical },
	'drop-before': { help: 'connection dropped, nothing is done', work: 'none' },
	'drop-after': { help: 'connection dropped after the work', work: 'all' },
	'critical-after': { help: '500 after the work', work: 'all', response: critical },
	'bad-gateway-after': { help: '502 after the work', work: 'all', response: pages.badGateway },
	partial: { help: "500 with the service's own code after half of the fields", work: 'part', response: partial },
} as const satisfies Record<string, Fault>;

export type FaultKind = keyof typeof faultKinds;

export interface FaultOptions {
	/** Milliseconds before each response. */
	latencyMs?: number | undefined;
	/** Share of requests that fail, 0 to 1. */
	failRate?: number | undefined;
	/** What the failures are drawn from; all kinds unless given. */
	failKinds?: readonly FaultKind[] | undefined;
	/** Requests a second before they are refused. */
	rateLimit?: number | undefined;
	/** The status of such a refusal; 429 unless given. */
	rateLimitStatus?: 429 | 503 | undefined;
	/** Whether a refusal says in Retry-After how long to wait; true unless given. */
	retryAfter?: boolean | undefined;
}

/**
 * Makes the function that says which fault the next request has.
 * @param chance 0 ≤ x < 1; the same numbers make the same failures
 * @param monotonic milliseconds on a clock that never jumps
 */
export function createFaults(
	options: FaultOptions,
	chance: () => number,
	monotonic: () => number,
): () => Omit<Fault, 'help'> | undefined {
	const { failRate = 0, rateLimit, rateLimitStatus = 429, retryAfter = true } = options;
	const kinds = options.failKinds ?? (Object.keys(faultKinds) as FaultKind[]);
	let tokens = rateLimit ?? 0;
	let filled = monotonic();

	/** Seconds until there is room again; 0 where there is. Up to a second's worth may come at once. */
	function overLimit(limit: number): number {
		const now = monotonic();
		tokens = Math.min(limit, tokens + ((now - filled) / 1000) * limit);
		filled = now;
		if (tokens < 1) return Math.ceil((1 - tokens) / limit);
		tokens--;
		return 0;
	}

	return () => {
		const wait = rateLimit === undefined ? 0 : overLimit(rateLimit);
		if (wait > 0) {
			const headers = retryAfter ? { 'Retry-After': String(wait) } : {};
			const error = new ServiceError(rateLimitStatus, 'rest_too_many_requests', 'Too many requests.', {}, headers);
			return { work: 'none', response: error.response };
		}
		if (failRate === 0 || chance() >= failRate) return undefined;
		return faultKinds[kinds[Math.floor(chance() * kinds.length)] as FaultKind];
	};
}
