/** `-j auto`: finds how many requests a service carries out at a time, from how long they take. */

/** What the engine asks: workers beyond the limit wait for a change. */
export interface Concurrency {
	readonly limit: number;
	/** Resolves when the limit may have changed. */
	changed(): Promise<void>;
	/** A request took so many milliseconds. */
	note(ms: number): void;
	/** Lets all that wait look again. */
	wake(): void;
}

export const MOST_AT_A_TIME = 64;
const FEWEST_AT_A_TIME = 1;
/** Results that one look is based on: so many, or two for each request under way. */
const LEAST_RESULTS = 4;
/** Requests that may wait inside the service: this share of those under way, and one at least. */
const WAITING_SHARE = 0.15;
/** The limit grows by this factor until it was too high once, and then by one. */
const GROWTH = 2;
/** Times are the same where they differ by less than this factor. */
const SAME = 0.9;

/**
 * A service that works on W requests at a time lets the others wait, so that requests take longer by the share that waits.
 * More are sent while nothing waits, fewer where more than a little does. Where fewer make no difference, the service has
 * become slower by itself, and its new time is the one to compare with.
 */
export function createConcurrency(): Concurrency {
	let limit = FEWEST_AT_A_TIME;
	let fastest = Number.POSITIVE_INFINITY;
	let times: number[] = [];
	let ignored = 0;
	let isFirstGrowth = true;
	/** The median before the limit was lowered. */
	let before: number | undefined;
	let wakers: (() => void)[] = [];

	const wake = (): void => {
		const all = wakers;
		wakers = [];
		for (const waker of all) waker();
	};

	function look(median: number): void {
		if (before !== undefined && median > before * SAME && median < before / SAME) fastest = median;
		before = undefined;
		fastest = Math.min(fastest, median);
		// Their results come before those of the new limit.
		ignored = limit;
		const waiting = limit * (1 - fastest / median);
		const allowed = Math.max(1, limit * WAITING_SHARE);
		if (waiting > allowed + 0.5) {
			before = median;
			isFirstGrowth = false;
			limit = Math.max(FEWEST_AT_A_TIME, Math.floor(limit * (fastest / median)) + 1);
		} else if (waiting < allowed / 2) {
			limit = Math.min(MOST_AT_A_TIME, isFirstGrowth ? limit * GROWTH : limit + 1);
			wake();
		}
	}

	return {
		get limit() {
			return limit;
		},
		changed: () => new Promise((resolve) => wakers.push(resolve)),
		note(ms) {
			// Requests sent at an earlier limit.
			if (ignored > 0) {
				ignored--;
				return;
			}
			times.push(ms);
			if (times.length < Math.max(LEAST_RESULTS, 2 * limit)) return;
			const sorted = times.sort((left, right) => left - right);
			times = [];
			look(sorted[sorted.length >> 1] as number);
		},
		wake,
	};
}
