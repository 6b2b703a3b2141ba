/**
 * Finds the rate that a service takes, as TCP finds that of a network: slow start, then CUBIC (RFC 9438). docs/performance.md shows it in a picture.
 * Times are milliseconds of a monotonic clock, rates are requests a second.
 */

import { MAX_RETRY_AFTER_MS } from '../http/send.js';

/** Two refusals among so many results are a limit; one may be chance. */
const WINDOW = 16;
const TOLERANCE = 1 / WINDOW;

/** Slow start: growth with each response. A few results show no rate, so the first one is measured over this time at least. */
const SLOW_START = 1.125;
const FIRST_MS = 50;

/** So many responses, or so long, from a cut back to the refused rate: few refusals among them, and soon after a limit that rises. */
const CYCLE = 160;
const CYCLE_MS = 8000;
/** There it stays for so many of the pauses that the service asked for: they cost at most a thirtieth of the time. */
const PAUSES = 30;
/** The limit is just below a rate that was refused. */
const BELOW = 0.97;
/** A cut goes so far below that, and twice as deep if it follows soon, as the limit must be far away … */
const CUT = 0.07;
const DEEPEST_CUT = 0.5;
/** … but not below this share of what the last second served. Fewer requests a second show no rate. */
const SERVED = 0.85;
const FEW = 4;
/** The cycle after the return adds at least so many requests a second, or doubles a lower rate: others who shared the limit may be over. */
const MORE = 2;
/** Refusals that are still there at this share of the best rate don't depend on the rate: more of them are tolerated. */
const USELESS = 0.25;
const MOST_TOLERANCE = 0.9;
const MIN_RATE = 0.5;

/** A standstill: no response for so long, and failures in a row that chance makes once in a thousand times, even if half of all are faults. */
const STANDSTILL_MS = 400;
const CHANCE = 0.001;
const FAULTS = 0.5;
/** Before the first probe; it doubles with each probe that fails. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;

/** All times are milliseconds of one monotonic clock. */
export class RateFinder {
	/** Requests per second. */
	rate = Number.POSITIVE_INFINITY;
	pausedUntil = 0;
	/** During a standstill: probes that failed. */
	probes: number | undefined;

	/** The curve after a cut: the rate it leads back to, from how far below, and the part of it that is behind. No top during slow start. */
	#top: number | undefined;
	#depth = 0;
	#cycles = 0;
	/** How long to stay at the top. */
	#holdMs = 0;
	/** Requests sent before it belong to a different rate. */
	#changedAt = Number.NEGATIVE_INFINITY;
	#results = 0;
	#recent: { at: number; refused: boolean }[] = [];
	#tolerance = TOLERANCE;
	#counts = { served: 0, refused: 0 };
	/** Served in this second, in the one before, and in the best one. */
	#second = { since: 0, served: 0, before: 0, best: 0 };
	#servedAt: number | undefined;
	#failedInARow = 0;
	#probesSince = Number.POSITIVE_INFINITY;
	#pausedMs = 0;

	constructor(private readonly random: () => number) {}

	sent(now: number): void {
		if (this.probes !== undefined) this.#probesSince = Math.min(this.#probesSince, now);
	}

	/** @param waited whether requests had to wait: a rate that none waits for shows nothing */
	served(now: number, sentAt: number, waited: boolean): void {
		const ms = this.#active(now) - this.#active(this.#servedAt ?? now);
		this.#servedAt = now;
		this.#failedInARow = 0;
		if (this.probes !== undefined) {
			if (sentAt >= this.#probesSince) this.#resume(now);
		} else if (sentAt >= this.#changedAt) {
			this.#note(now, false);
			if (waited) this.#grow(ms);
		}
	}

	/** The service asks to slow down. */
	refused(now: number, sentAt: number, retryAfterMs: number): void {
		if (retryAfterMs > 0) this.#pause(now, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
		const usual = Math.min(FAULTS, Math.max(TOLERANCE, this.#refusedShare));
		this.#fail(now, sentAt, this.#servedAt === undefined ? 0 : usual);
		if (this.probes !== undefined || sentAt < this.#changedAt) return;
		this.#holdMs = PAUSES * retryAfterMs;
		this.#note(now, true);
		const refusals = this.#recent.filter((each) => each.refused).length;
		const isSlowStart = this.#top === undefined && this.rate !== Number.POSITIVE_INFINITY;
		if (refusals > this.#tolerance * WINDOW || (isSlowStart && retryAfterMs > 0)) this.#cut(now);
		else if (this.#top !== undefined && this.#tolerance === TOLERANCE) this.#lower();
	}

	/** A fault says nothing about the rate, unless there is nothing else. */
	failed(now: number, sentAt: number): void {
		this.#fail(now, sentAt, FAULTS);
	}

	/** @param usual the share of failures that the service works with */
	#fail(now: number, sentAt: number, usual: number): void {
		this.#failedInARow++;
		if (this.probes !== undefined) {
			if (sentAt >= this.#probesSince) this.#halt(now, this.probes + 1);
		} else if (sentAt >= this.#changedAt && this.#failedInARow >= Math.log(CHANCE) / Math.log(usual)) {
			const quietSince = Math.max(this.#servedAt ?? Number.NEGATIVE_INFINITY, this.pausedUntil);
			if (this.#servedAt === undefined || now - quietSince >= STANDSTILL_MS) this.#halt(now, 0);
		}
	}

	#note(now: number, refused: boolean): void {
		const at = this.#active(now);
		this.#results++;
		this.#recent.push({ at, refused });
		if (this.#recent.length > WINDOW) this.#recent.shift();
		this.#counts[refused ? 'refused' : 'served']++;
		const second = this.#second;
		const passed = Math.floor((at - second.since) / 1000);
		if (passed > 0) {
			second.before = passed === 1 ? second.served : 0;
			second.served = 0;
			second.since += passed * 1000;
		}
		if (!refused) second.served++;
		second.best = Math.max(second.best, second.served);
	}

	get #refusedShare(): number {
		const { served, refused } = this.#counts;
		return refused / Math.max(1, served + refused);
	}

	#grow(ms: number): void {
		if (this.#top === undefined) {
			this.rate *= SLOW_START;
			return;
		}
		if (this.#cycles >= 1 && this.#holdMs > 0) this.#holdMs -= ms;
		else this.#cycles += Math.max(1 / CYCLE, ms / CYCLE_MS);
		// Fast at first, slowly near the top, and then faster to look for more.
		const below = this.#depth * this.#top;
		const scale = this.#cycles < 1 ? below : Math.max(below, Math.min(MORE, this.#top));
		this.rate = Math.max(MIN_RATE, this.#top + scale * (this.#cycles - 1) ** 3);
	}

	/** A little less, and no growth for a while. */
	#lower(): void {
		this.rate *= BELOW;
		this.#top = this.rate;
		this.#cycles = 1;
	}

	#cut(now: number): void {
		const { served, before, since, best } = this.#second;
		if (this.rate === Number.POSITIVE_INFINITY) {
			this.#change(now, this.#measured());
			// What was served at once may have been a store that is empty now.
			Object.assign(this.#second, { served: 0, best: 0 });
			return;
		}
		const isSoon = this.#top === undefined || this.#results < CYCLE / 2;
		const depth = this.#top === undefined ? DEEPEST_CUT / 2 : Math.min(DEEPEST_CUT, this.#depth * 2);
		const refused = this.rate * BELOW;
		const inLastSecond = served + before * (1 - (this.#active(now) - since) / 1000);
		const least = inLastSecond < FEW ? 0 : Math.min(inLastSecond * SERVED, refused * (1 - CUT));
		const rate = Math.max(least, refused * (1 - (isSoon ? depth : CUT)));
		if (best >= FEW && rate < best * USELESS) {
			this.#tolerance = Math.min(MOST_TOLERANCE, 2 * this.#refusedShare + TOLERANCE);
			this.#change(now, best);
			// Next time less is tried.
			this.#second.best = best / 2;
		} else {
			this.#tolerance = TOLERANCE;
			// After deep cuts the refused rate is far away: half-way to it is enough.
			this.#change(now, rate, isSoon ? (rate + refused) / 2 : refused);
		}
	}

	#measured(): number {
		const [first, last] = [this.#recent[0], this.#recent.at(-1)];
		const served = this.#recent.filter((each) => !each.refused).length;
		return (served * 1000) / Math.max(FIRST_MS, (last?.at ?? 0) - (first?.at ?? 0));
	}

	#halt(now: number, probes: number): void {
		this.probes = probes;
		this.#probesSince = Number.POSITIVE_INFINITY;
		this.#pause(now, Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** probes) * (1 + this.random() / 2));
	}

	#resume(now: number): void {
		this.probes = undefined;
		if (this.rate === Number.POSITIVE_INFINITY) this.#change(now, 1000 / FIRST_MS);
		else this.#change(now, this.rate * (1 - DEEPEST_CUT), this.rate);
	}

	/** @param top none for slow start */
	#change(now: number, rate: number, top?: number): void {
		this.rate = Math.max(MIN_RATE, rate);
		this.#top = top;
		this.#depth = top === undefined ? 0 : Math.max(CUT, 1 - this.rate / top);
		this.#cycles = 0;
		this.#results = 0;
		this.#recent = [];
		this.#changedAt = now;
	}

	#pause(now: number, ms: number): void {
		const until = Math.max(this.pausedUntil, now + ms);
		this.#pausedMs += until - Math.max(this.pausedUntil, now);
		this.pausedUntil = until;
	}

	/** A clock that stands during pauses: they say nothing about what the service takes. */
	#active(now: number): number {
		return Math.max(now, this.pausedUntil) - this.#pausedMs;
	}
}
