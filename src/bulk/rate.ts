/** Finds the rate that a service takes; docs/performance.md explains how. */

import { MAX_RETRY_AFTER_MS } from '../http/send.js';

/** More than this share of the last results refused leads to a cut. */
const WINDOW = 16;
const TOLERANCE = 0.1;
/** Before the first cut: growth with each response, and the least time to count served requests over. */
const FIRST_GROWTH = 0.125;
const FIRST_MS = 50;
/** Responses or milliseconds until the rate is back at this share of the refused one. */
const CYCLE = 160;
const CYCLE_MS = 10_000;
const BELOW = 0.97;
/** After a pause that was asked for, the way back takes so many pauses, and at most so many cycles. */
const PAUSES = 30;
const MOST_CYCLES = 16;
/** It doubles with each cut that comes soon after another. */
const CUT = 0.07;
const DEEPEST_CUT = 0.5;
/** No cut goes below this share of what the last second served, if that was at least 4 requests. */
const SERVED_SHARE = 0.85;
const SERVED_LEAST = 4;
const MIN_RATE = 0.5;
const MAX_RATE = 100_000;
/** Cuts are useless if refusals in less than this share remain while less than half of the most is served. */
const USELESS = 4;
const USELESS_SHARE = 0.75;
const USELESS_MS = 2000;
/** So many results without a refusal end the tolerance. */
const CALM = 50;
/** A standstill: nothing served for so long, and refusals in a row that chance makes once in a thousand times. */
const STANDSTILL_MS = 400;
const CHANCE = 0.001;
/** Before the first probe; it doubles with each probe that is refused. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;

export class RateFinder {
	rate = Number.POSITIVE_INFINITY;
	pausedUntil = 0;
	/** During a standstill: probes that were refused. */
	probes: number | undefined;

	/** The curve after a cut: where to, from how far below, and the responses since. */
	#top: number | undefined;
	#depth = DEEPEST_CUT / 4;
	#grown = 0;
	/** How much slower it goes on to the rate that was refused. */
	#stretch = 1;
	#grownAt = 0;
	#tolerance = TOLERANCE;
	/** Requests sent before belong to a different rate. */
	#since = Number.NEGATIVE_INFINITY;
	#recent: { at: number; refused: boolean }[] = [];
	#results = 0;
	#servedInARow = 0;
	#refusedInARow = 0;
	#servedAt: number | undefined;
	/** Served in this second, in the one before, and at most. */
	#second = { since: 0, served: 0, before: 0, most: 0 };
	/** Results while less than half of the most is served. */
	#low = { since: 0, served: 0, refused: 0 };
	#probesSince = Number.POSITIVE_INFINITY;

	constructor(private readonly random: () => number) {}

	sent(now: number): void {
		if (this.probes !== undefined) this.#probesSince = Math.min(this.#probesSince, now);
	}

	/** @param waited whether requests had to wait: a rate that none waits for shows nothing */
	served(now: number, sentAt: number, waited: boolean): void {
		this.#servedAt = now;
		this.#refusedInARow = 0;
		this.#servedRate(now);
		this.#second.served++;
		if (this.probes !== undefined) {
			if (sentAt >= this.#probesSince) this.#resume(now);
		} else if (sentAt >= this.#since) {
			this.#note(now, false);
			this.#servedInARow++;
			if (this.#servedInARow >= CALM) this.#low = { since: now, served: 0, refused: 0 };
			if (this.#servedInARow === 2 * CALM) this.#tolerance = TOLERANCE;
			if (waited && this.rate < MAX_RATE) this.#grow(now);
		}
	}

	refused(now: number, sentAt: number, retryAfterMs: number): void {
		if (retryAfterMs > 0) this.#pause(now, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
		const cycleMs = Math.min(CYCLE_MS, (1000 * CYCLE) / this.rate);
		this.#stretch = Math.max(1, Math.min(MOST_CYCLES, (PAUSES * retryAfterMs) / cycleMs));
		if (this.probes !== undefined) this.lost(now, sentAt);
		if (this.probes !== undefined || sentAt < this.#since) return;
		this.#servedInARow = 0;
		this.#refusedInARow++;
		this.#note(now, true);
		const refusals = this.#recent.filter((each) => each.refused).length;
		if (this.#standsStill(now)) this.#halt(now, 0);
		else if (retryAfterMs > 0 || refusals > this.#tolerance * WINDOW) this.#cut(now);
		else if (this.#top !== undefined && this.#tolerance === TOLERANCE) {
			// A single refusal: a little less, and no growth for a while.
			this.#top = this.rate * BELOW;
			this.rate = this.#top;
			this.#grown = CYCLE;
		}
	}

	/** A probe without a response counts as refused. */
	lost(now: number, sentAt: number): void {
		if (this.probes !== undefined && sentAt >= this.#probesSince) this.#halt(now, this.probes + 1);
	}

	#note(at: number, refused: boolean): void {
		this.#results++;
		this.#recent.push({ at, refused });
		if (this.#recent.length > WINDOW) this.#recent.shift();
		if (this.#servedRate(at) >= this.#second.most / 2) this.#low = { since: at, served: 0, refused: 0 };
		else this.#low[refused ? 'refused' : 'served']++;
	}

	#servedRate(now: number): number {
		const second = this.#second;
		const passed = Math.floor((now - second.since) / 1000);
		if (passed > 0) {
			second.most = Math.max(second.most, second.served);
			second.before = passed === 1 ? second.served : 0;
			second.served = 0;
			second.since += passed * 1000;
		}
		return second.served + second.before * (1 - (now - second.since) / 1000);
	}

	#grow(now: number): void {
		const step = Math.max(1, ((now - this.#grownAt) * CYCLE) / CYCLE_MS);
		const isNear = this.#top !== undefined && this.rate >= this.#top && this.rate < this.#top / BELOW;
		this.#grown += isNear ? step / this.#stretch : step;
		this.#grownAt = now;
		if (this.#top === undefined) this.rate *= 1 + FIRST_GROWTH;
		else this.rate = this.#top * (1 + this.#depth * (this.#grown / CYCLE - 1) ** 3);
	}

	#cut(now: number): void {
		// The refusal that led to the cut says nothing of their share.
		if (this.#low.refused > 0) this.#low.refused--;
		const share = this.#low.refused / (this.#low.served + this.#low.refused);
		if (this.rate === Number.POSITIVE_INFINITY) {
			const served = this.#recent.filter((each) => !each.refused).length;
			this.rate = Math.max(MIN_RATE, (served * 1000) / Math.max(FIRST_MS, now - (this.#recent[0]?.at ?? now)));
		} else if (this.#low.refused >= USELESS && share < USELESS_SHARE && now - this.#low.since >= USELESS_MS) {
			this.#tolerance = Math.min(0.9, 2 * share + TOLERANCE);
			this.rate = Math.max(this.rate, this.#second.most);
			this.#top = undefined;
			this.#second.most = 0;
		} else {
			const isSoon = this.#top === undefined || this.#results < CYCLE / 2;
			const served = this.#servedRate(now);
			const least = served < SERVED_LEAST ? MIN_RATE : SERVED_SHARE * served;
			this.#depth = isSoon ? Math.min(DEEPEST_CUT, this.#depth * 2) : CUT;
			const rate = Math.max(
				MIN_RATE,
				Math.min(this.rate * BELOW * (1 - CUT), least),
				this.rate * BELOW * (1 - this.#depth),
			);
			// The rate that was refused is far away after deep cuts: the curve ends half-way to it.
			this.#top = isSoon ? (rate + this.rate * BELOW) / 2 : this.rate * BELOW;
			this.#depth = 1 - rate / this.#top;
			this.rate = rate;
		}
		this.#begin(now);
	}

	#standsStill(now: number): boolean {
		if (this.#servedAt === undefined) return true;
		const isNoChance = this.#refusedInARow >= Math.log(CHANCE) / Math.log(this.#tolerance);
		return isNoChance && now - Math.max(this.#servedAt, this.pausedUntil) >= STANDSTILL_MS;
	}

	#halt(now: number, probes: number): void {
		this.probes = probes;
		this.#probesSince = Number.POSITIVE_INFINITY;
		this.#pause(now, Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** probes) * (1 + this.random() / 2));
	}

	#pause(now: number, ms: number): void {
		this.pausedUntil = Math.max(this.pausedUntil, now + ms);
	}

	#resume(now: number): void {
		this.probes = undefined;
		if (this.rate === Number.POSITIVE_INFINITY) this.rate = 1000 / FIRST_MS;
		else {
			this.#top = this.rate;
			this.#depth = DEEPEST_CUT;
			this.rate = Math.max(MIN_RATE, this.#top * (1 - this.#depth));
		}
		this.#begin(now);
	}

	#begin(now: number): void {
		this.#since = now;
		this.#grown = 0;
		this.#grownAt = Math.max(now, this.pausedUntil);
		this.#results = 0;
		this.#recent = [];
	}
}
