/** `-j auto`: finds how many requests a service works on at a time. */

import { MOST_AT_A_TIME } from '../plan.js';

/** Results that a decision is based on: at least so many, or two for each request under way. */
const LEAST_RESULTS = 4;
/** Share of requests that may wait inside the service; at least one. */
const WAITING_SHARE = 0.15;
/** Until the limit was too high once; then it grows by one. */
const GROWTH = 2;
/** Times within this factor are the same. */
const SAME = 0.9;

/**
 * A service that works on W requests at a time lets the others wait. More are sent while nothing waits, fewer if much
 * does. If fewer make no difference, the service itself has become slower.
 */
export class AutoConcurrency {
	limit = 1;
	#fastest = Number.POSITIVE_INFINITY;
	#times: number[] = [];
	#ignored = 0;
	#isFirstGrowth = true;
	#before: number | undefined;

	/** @param ms of a request that was served at once */
	note(ms: number): void {
		if (this.#ignored > 0) {
			this.#ignored--;
			return;
		}
		this.#times.push(ms);
		if (this.#times.length < Math.max(LEAST_RESULTS, 2 * this.limit)) return;
		const sorted = this.#times.sort((left, right) => left - right);
		this.#times = [];
		this.#look(sorted[sorted.length >> 1] as number);
	}

	#look(median: number): void {
		const before = this.#before;
		if (before !== undefined && median > before * SAME && median < before / SAME) this.#fastest = median;
		this.#before = undefined;
		this.#fastest = Math.min(this.#fastest, median);
		// Results of the old limit come first.
		this.#ignored = this.limit;
		const waiting = this.limit * (1 - this.#fastest / median);
		const allowed = Math.max(1, this.limit * WAITING_SHARE);
		if (waiting > allowed + 0.5) {
			this.#before = median;
			this.#isFirstGrowth = false;
			this.limit = Math.floor(this.limit * (this.#fastest / median)) + 1;
		} else if (waiting < allowed / 2) {
			const more = this.#isFirstGrowth ? this.limit * GROWTH : this.limit + 1;
			this.limit = Math.min(MOST_AT_A_TIME, more);
		}
	}
}
