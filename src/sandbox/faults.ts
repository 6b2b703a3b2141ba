/** Trouble on demand: slowness, failures and a limit on the rate, as a desk has them on a bad night. */

import { type Answer, pages, ServiceError } from './answers.js';
import { type FaultKind, faultKinds } from './fault-kinds.js';

export interface FaultOptions {
	/** Milliseconds before each answer. */
	latencyMs: number;
	/** Share of requests that come to grief, 0 to 1. */
	failRate: number;
	/** Requests a second before 429; undefined for no limit. */
	rateLimit?: number | undefined;
}

/**
 * What befalls a request: `answer` instead of the service's; or the connection is dropped, either
 * before the service has seen the request or after it has done what was asked.
 */
export type Fault = { answer: Answer } | 'drop-before' | 'drop-after';

export interface Faults {
	/** True where nothing is ever in the way. */
	readonly none: boolean;
	readonly latencyMs: number;
	next(): Fault | undefined;
}

const critical = (): Answer =>
	new ServiceError(500, 'internal_server_error', 'There has been a critical error on this website.').answer();

const makers: Readonly<Record<FaultKind, () => Fault>> = {
	'bad-gateway': () => ({ answer: pages.badGateway }),
	unavailable: () => ({ answer: pages.unavailable }),
	critical: () => ({ answer: critical() }),
	'drop-before': () => 'drop-before',
	'drop-after': () => 'drop-after',
};

const kinds = Object.keys(faultKinds) as FaultKind[];

/**
 * @param chance 0 ≤ x < 1; the same numbers make the same trouble
 * @param monotonic milliseconds on a clock that never jumps
 */
export function createFaults(options: FaultOptions, chance: () => number, monotonic: () => number): Faults {
	const { failRate, rateLimit, latencyMs } = options;
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

	return {
		none: failRate === 0 && rateLimit === undefined && latencyMs === 0,
		latencyMs,
		next() {
			const wait = rateLimit === undefined ? 0 : overLimit(rateLimit);
			if (wait > 0) {
				const error = new ServiceError(
					429,
					'rest_too_many_requests',
					'Too many requests.',
					{},
					{ 'Retry-After': String(wait) },
				);
				return { answer: error.answer() };
			}
			if (failRate === 0 || chance() >= failRate) return undefined;
			return makers[kinds[Math.floor(chance() * kinds.length)] as FaultKind]();
		},
	};
}
