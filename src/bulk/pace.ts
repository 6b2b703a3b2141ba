/** The one brake of a run: a fixed rate where one is asked for, and a rate that is found where the service refuses. */

import type { Pace } from '../http/deliver.js';

export interface PaceClock {
	monotonic(): number;
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface PaceOptions {
	clock: PaceClock;
	random(): number;
	/** The most requests a second; none where the service alone decides. */
	rate?: number | undefined;
}

/** The first pause after a refusal, in milliseconds; it doubles while nothing but refusals comes. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** How much of what the service was seen to serve is asked of it after a refusal. */
const CUT = 0.85;
/** How far below the last refused rate the quick recovery ends. */
const CAUTION = 0.95;
/** Growth a second before a second refusal has shown where the limit is. */
const FIRST_GROWTH = 0.3;
/** Growth a second up to the caution line. */
const QUICK_GROWTH = 0.1;
/** Growth a second around the last refused rate; what is added to it once calm has lasted CALM_MS, and grows with its square. */
const SLOW_GROWTH = 0.01;
const CALM_GROWTH = 0.1;
const CALM_MS = 15_000;
/** Below this no cut goes, in requests a second. */
const MIN_RATE = 0.5;
/** Where the way back begins after nothing was served for a while, in requests a second or as a share of what was found. */
const RETURN_RATE = 4;
const RETURN_SHARE = 1 / 8;
/** How long that rate takes to double, in milliseconds. */
const RETURN_DOUBLING_MS = 500;
/** Beyond this many a second, where no limit is known, nothing is held back any more. */
const RETURN_END = 20_000;
/** How long a probe is waited for before another is sent, in milliseconds. */
const PROBE_PATIENCE_MS = 5000;

/** So small a share of refusals says nothing of the rate: single rows wait, the run goes on. */
const STRAY_SHARE = 0.06;
/** How many answers it takes to tell. */
const STRAY_ANSWERS = 25;

/** Counts events over the last two seconds, in slots of a tenth of a second. */
export class RateMeter {
	private static readonly SLOT_MS = 100;
	private static readonly SLOTS = 20;
	private readonly slots = new Uint32Array(RateMeter.SLOTS);
	private slot = 0;
	private readonly first: number;

	constructor(now: number) {
		this.slot = Math.floor(now / RateMeter.SLOT_MS);
		this.first = now;
	}

	count(now: number): void {
		this.advance(now);
		(this.slots[this.slot % RateMeter.SLOTS] as number)++;
	}

	/** How many were counted. */
	total(now: number): number {
		this.advance(now);
		return this.slots.reduce((sum, each) => sum + each, 0);
	}

	/** How many a second. */
	rate(now: number): number {
		const span = Math.min(RateMeter.SLOT_MS * RateMeter.SLOTS, Math.max(now - this.first, 250));
		return (this.total(now) * 1000) / span;
	}

	private advance(now: number): void {
		const slot = Math.floor(now / RateMeter.SLOT_MS);
		if (slot - this.slot >= RateMeter.SLOTS) this.slots.fill(0);
		else for (let each = this.slot + 1; each <= slot; each++) this.slots[each % RateMeter.SLOTS] = 0;
		this.slot = Math.max(slot, this.slot);
	}
}

/**
 * Finds the rate that a service can take. Until the first refusal nothing is held back. A refusal pauses every row, lets
 * one request through as a probe, and goes on at a share of what was served; the rate then grows back, slowly where the
 * last refusal happened. Refusals of requests that were sent before the last cut are the same piece of news and cut nothing;
 * nor do stray ones among many answers, unless the service names a time or says "too many".
 * Where nothing at all was served for two seconds, refusals say that the service is away and nothing of what it can
 * take: the rate stays as it was found, and the run returns to it in steps that double.
 */
export class AdaptivePace implements Pace {
	private readonly clock: PaceClock;
	private readonly ceiling: number;
	private readonly meter: RateMeter;
	private readonly refusals: RateMeter;
	private found = Number.POSITIVE_INFINITY;
	private refusedRate = Number.POSITIVE_INFINITY;
	private nextAt = 0;
	private pausedUntil = 0;
	private lastCut = Number.NEGATIVE_INFINITY;
	private lastGrowth = 0;
	private refusalsInARow = 0;
	private cuts = 0;
	/** What the first cut of a row of refusals left: that is the news, should the others turn out to be an absence. */
	private firstCut = Number.POSITIVE_INFINITY;
	private away = false;
	/** The rate on the way back from an absence; infinite at all other times. */
	private returning = Number.POSITIVE_INFINITY;
	private returningAt = 0;
	/** Whether only one request may go until it is answered. */
	private probing = false;
	private probeSentAt = Number.NEGATIVE_INFINITY;

	constructor(private readonly options: PaceOptions) {
		this.clock = options.clock;
		this.ceiling = options.rate ?? Number.POSITIVE_INFINITY;
		this.meter = new RateMeter(this.clock.monotonic());
		this.refusals = new RateMeter(this.clock.monotonic());
	}

	/** How long nothing will be sent, in milliseconds, because the service asked for it or nobody was there. */
	get pauseMs(): number {
		return Math.max(0, this.pausedUntil - this.clock.monotonic());
	}

	/** Requests a second that may be sent now. */
	get rate(): number {
		return Math.min(this.found, this.returning, this.ceiling);
	}

	ready(signal: AbortSignal | undefined): Promise<void> | undefined {
		if (this.rate === Number.POSITIVE_INFINITY) return undefined;
		return this.wait(signal);
	}

	answered(): void {
		const now = this.clock.monotonic();
		this.meter.count(now);
		this.refusalsInARow = 0;
		this.probing = false;
		if (this.away) this.comeBack(now);
		else if (this.returning !== Number.POSITIVE_INFINITY) this.comeCloser(now);
		else if (this.found !== Number.POSITIVE_INFINITY) this.grow(now);
	}

	refused(sentAt: number, retryAfterMs: number | undefined, tooMany: boolean): void {
		const now = this.clock.monotonic();
		this.refusals.count(now);
		if (retryAfterMs !== undefined) this.pausedUntil = Math.max(this.pausedUntil, now + retryAfterMs);
		if (sentAt < this.lastCut) return;
		if (retryAfterMs === undefined && !tooMany && this.isStray(now)) return;
		this.refusalsInARow++;
		const served = this.meter.rate(now);
		if (served > 0) this.cut(served);
		else this.standBack();
		// Also where the service names a time: one that refuses again after it has named too short a one.
		const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.refusalsInARow - 1));
		this.pausedUntil = Math.max(this.pausedUntil, now + pause * (1 + this.options.random() / 2));
		this.lastCut = now;
		this.lastGrowth = this.pausedUntil;
		this.nextAt = this.pausedUntil;
		this.probing = true;
		this.probeSentAt = Number.NEGATIVE_INFINITY;
	}

	private cut(served: number): void {
		const { rate } = this;
		// Served while paused, or while the rate was doubling, says little: a rate that was found before is cut by a share of itself.
		const floor = this.returning !== Number.POSITIVE_INFINITY ? rate / 2 : rate * 0.7;
		const known = rate === Number.POSITIVE_INFINITY ? served : Math.max(served, floor);
		this.refusedRate = Math.max(MIN_RATE, Math.min(rate, known));
		this.found = Math.max(MIN_RATE, this.refusedRate * CUT);
		if (this.refusalsInARow === 1) this.firstCut = this.found;
		this.returning = Number.POSITIVE_INFINITY;
		this.cuts++;
	}

	private standBack(): void {
		this.away = true;
		if (this.refusalsInARow > 1) this.found = Math.max(this.found, this.firstCut);
		const share = this.found === Number.POSITIVE_INFINITY ? 0 : this.found * RETURN_SHARE;
		this.returning = Math.max(RETURN_RATE, share);
	}

	private comeBack(now: number): void {
		this.away = false;
		this.returningAt = now;
	}

	private comeCloser(now: number): void {
		this.returning *= 2 ** ((now - this.returningAt) / RETURN_DOUBLING_MS);
		this.returningAt = now;
		if (this.returning < Math.min(this.found, RETURN_END)) return;
		this.returning = Number.POSITIVE_INFINITY;
		this.lastGrowth = now;
	}

	private isStray(now: number): boolean {
		const answers = this.meter.total(now);
		return answers >= STRAY_ANSWERS && this.refusals.total(now) <= answers * STRAY_SHARE;
	}

	private grow(now: number): void {
		const seconds = (now - this.lastGrowth) / 1000;
		if (seconds <= 0) return;
		this.lastGrowth = now;
		this.found *= 1 + Math.min(1, this.growth(now)) * seconds;
	}

	/** Share of the present rate that is added a second. */
	private growth(now: number): number {
		if (this.cuts === 1) return FIRST_GROWTH;
		if (this.found < this.refusedRate * CAUTION) return QUICK_GROWTH;
		const calm = (now - this.lastCut) / CALM_MS;
		return SLOW_GROWTH + CALM_GROWTH * calm * calm;
	}

	/** Waits for the pause to end, for the probe to come back, and for this request's place in the rate. */
	private async wait(signal: AbortSignal | undefined): Promise<void> {
		while (!signal?.aborted) {
			const now = this.clock.monotonic();
			if (now < this.pausedUntil) {
				await this.clock.sleep(this.pausedUntil - now, signal);
			} else if (this.probing) {
				if (now - this.probeSentAt > PROBE_PATIENCE_MS) {
					this.probeSentAt = now;
					return;
				}
				await this.clock.sleep(20, signal);
			} else {
				const at = Math.max(this.nextAt, now);
				this.nextAt = at + 1000 / this.rate;
				if (at <= now) return;
				const cutBefore = this.lastCut;
				await this.clock.sleep(at - now, signal);
				if (this.lastCut === cutBefore) return;
			}
		}
	}
}
