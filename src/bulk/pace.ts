/** The one brake of a run: requests that have to wait stand in one line and leave it one by one, each when it is due. */

import type { Pace, SendClock } from '../http/send.js';
import { RateFinder } from './rate.js';

export interface PaceOptions {
	clock: Pick<SendClock, 'monotonic' | 'sleep'>;
	random(): number;
	rate?: number;
}

/** Milliseconds after which a lost probe is replaced. */
const PROBE_MS = 5000;
/** How late a request may be and not delay those behind it, in ms: at a rate that was asked for, and at one too high for timers. */
const LATE_MS = 10;
const SHORTEST_INTERVAL_MS = 4;

/** Holds nothing back until the service refuses something or a rate is set. */
export class AdaptivePace implements Pace {
	readonly #clock: PaceOptions['clock'];
	readonly #ceiling: number;
	readonly #finder: RateFinder;
	#line: (() => void)[] = [];
	#waited = false;
	#nextAt = 0;
	/** As of the last result. */
	#probes: number | undefined;
	#probedAt = Number.NEGATIVE_INFINITY;
	#nap: AbortController | undefined;

	constructor({ clock, random, rate = Number.POSITIVE_INFINITY }: PaceOptions) {
		this.#clock = clock;
		this.#ceiling = rate;
		this.#finder = new RateFinder(random);
	}

	/** How long nothing will be sent, in milliseconds. */
	get pauseMs(): number {
		return Math.max(0, this.#finder.pausedUntil - this.#clock.monotonic());
	}

	get rate(): number {
		return Math.min(this.#finder.rate, this.#ceiling);
	}

	answered(sentAt: number): void {
		const now = this.#clock.monotonic();
		this.#finder.served(now, sentAt, this.#waited);
		this.#waited = false;
		this.#wakeAfterProbe(now);
	}

	refused(sentAt: number, retryAfterMs = 0): void {
		const now = this.#clock.monotonic();
		this.#finder.refused(now, sentAt, retryAfterMs);
		this.#wakeAfterProbe(now);
	}

	failed(sentAt: number): void {
		const now = this.#clock.monotonic();
		this.#finder.failed(now, sentAt);
		this.#wakeAfterProbe(now);
	}

	/** Wakes the line where it waits for a probe that is over. */
	#wakeAfterProbe(now: number): void {
		const { probes } = this.#finder;
		if (probes === this.#probes) return;
		this.#probes = probes;
		this.#probedAt = Number.NEGATIVE_INFINITY;
		this.#nextAt = Math.max(this.#nextAt, now);
		this.#nap?.abort();
	}

	ready(signal: AbortSignal | undefined): Promise<void> | undefined {
		const { probes, pausedUntil } = this.#finder;
		const isFree = this.rate === Number.POSITIVE_INFINITY && probes === undefined && this.#line.length === 0;
		const isPaused = pausedUntil > 0 && this.#clock.monotonic() < pausedUntil;
		if (signal?.aborted || (isFree && !isPaused)) return undefined;
		return new Promise((resolve) => {
			const leave = (): void => {
				signal?.removeEventListener('abort', abort);
				resolve();
			};
			const abort = (): void => {
				this.#line = this.#line.filter((each) => each !== leave);
				leave();
				if (this.#line.length === 0) this.#nap?.abort();
			};
			signal?.addEventListener('abort', abort);
			this.#line.push(leave);
			this.#waited = true;
			if (this.#nap === undefined) void this.#serveLine();
		});
	}

	async #serveLine(): Promise<void> {
		this.#nap = new AbortController();
		while (this.#line.length > 0) {
			const now = this.#clock.monotonic();
			const isProbe = this.#finder.probes !== undefined;
			const due = isProbe ? this.#probedAt + PROBE_MS : this.#nextAt;
			const wait = Math.max(this.#finder.pausedUntil, due) - now;
			if (wait > 0) {
				this.#nap = new AbortController();
				await this.#clock.sleep(wait, this.#nap.signal);
				continue;
			}
			if (isProbe) this.#probedAt = now;
			this.#finder.sent(now);
			const interval = 1000 / this.rate;
			const late = this.rate === this.#ceiling || interval < SHORTEST_INTERVAL_MS ? LATE_MS : 0;
			this.#nextAt = Math.max(this.#nextAt, now - late) + interval;
			this.#line.shift()?.();
		}
		this.#nap = undefined;
	}
}
