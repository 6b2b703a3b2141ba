/** `-j auto`: finds how many requests a service works on at a time. */

/** Workers beyond the limit wait. */
export interface Concurrency {
	readonly limit: number;
	changed(): Promise<void>;
	note(ms: number): void;
	wake(): void;
}

export const MOST_AT_A_TIME = 64;
const FEWEST_AT_A_TIME = 1;
/** Or two for each request under way. */
const LEAST_RESULTS = 4;
/** Share of requests that may wait inside the service; at least one. */
const WAITING_SHARE = 0.15;
/** Until the limit was too high once; then it grows by one. */
const GROWTH = 2;
/** Times within this factor are the same. */
const SAME = 0.9;

/** A service that works on W requests at a time lets the others wait. More are sent while nothing waits, fewer if much does. If fewer make no difference, the service itself has become slower. */
export function createConcurrency(): Concurrency {
	let limit = FEWEST_AT_A_TIME;
	let fastest = Number.POSITIVE_INFINITY;
	let times: number[] = [];
	let ignored = 0;
	let isFirstGrowth = true;
	/** The median at a higher limit. */
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
		// Results of the old limit come first.
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
