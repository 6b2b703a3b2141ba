/** The one brake of a run: a fixed rate where one is asked for, and a rate that is found where the service refuses. */

import type { Pace } from '../http/send.js';
import { MAX_RETRY_AFTER_MS } from '../http/send.js';

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

/** So many refusals in a row are a reason to stop for a moment, in milliseconds, and to look at what was served. */
const FLOOD = 20;
const FLOOD_PAUSE_MS = 250;
/** Some refusals in a row, and nothing served for so long in milliseconds, mean that nothing is served at all. */
const STANDSTILL_MS = 400;
/** Some are as many as come in a row with less than this chance where the usual share is refused. */
const COINCIDENCE = 0.001;
/** The first pause at a standstill, in milliseconds; it doubles with each probe that is refused. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
/** How long a probe is waited for before another is sent, in milliseconds. */
const PROBE_PATIENCE_MS = 5000;
/** Fewer than this for each one that was served may be refused by chance where the first of all was refused. */
const CHANCE = 0.25;
/** The share of what was served before a standstill that is asked for after it. */
const RESUME = 0.5;
/** The slowest that is gone after a standstill, and the slowest ever, in requests a second. */
const RESUME_RATE = 2;
const MIN_RATE = 0.5;

/** Verdicts are looked at together: after a first moment, and then each second or two, since services count by the second. */
const FIRST_LOOK_MS = 250;
const LOOK_MS = 1000;
const LOOK_LATEST_MS = 2000;
const LOOK_COUNT = 25;
const LOOK_LEAST = 10;
/** Up to this share of refusals the rate is held; beyond it, it is cut to what was served, less a little. */
const TOLERANCE = 0.05;
const CUT = 0.95;
/** The same where the service asks for a pause each time, which costs more than going slowly. */
const ASKED_CUT = 0.85;
/** What is left of the rate where too little came back to tell what was served. */
const BLIND_CUT = 0.8;
/** Below this share of refusals the rate grows. */
const CALM = 0.01;
/** Growth a second after a standstill; well below the last refused rate; around it; and what calm adds to that after 15 s, with its square. */
const RESUME_GROWTH = 0.4;
const QUICK_GROWTH = 0.1;
const CAUTION = 0.9;
const SLOW_GROWTH = 0.01;
const CALM_GROWTH = 0.1;
const CALM_MS = 15_000;
const MAX_GROWTH = 0.25;
/** So many more cuts in a row that refusals did not heed show that they have nothing to do with the rate. */
const FUTILE_CUTS = 2;
/** Refusals are unimpressed by a cut if at least this much of their share is left. */
const UNIMPRESSED = 0.75;

/** How late a request may be and still not delay those behind it, in milliseconds. */
const CATCH_UP_MS = 10;

interface Waiter {
	go(): void;
}

/**
 * Finds the rate that a service can take. Until the first refusal nothing is held back. Requests that have to wait stand
 * in one line and leave it one by one. A few refusals are a reason to grow no more; many, to go on at the rate that was
 * served while they came; nothing but refusals, to stop and to send one request now and then until one is answered.
 * Refusals whose share does not fall with the rate are not about load, and are left to the retries of their rows.
 */
export class AdaptivePace implements Pace {
	private readonly clock: PaceClock;
	private readonly ceiling: number;
	private found = Number.POSITIVE_INFINITY;

	/** What came back since `since`, of requests that were sent at the present rate. */
	private served = 0;
	private refusals = 0;
	/** The same of the stretch before, where it was at the same rate. */
	private earlier = { served: 0, ms: 0 };
	private since: number;
	/** Whether somebody stood in line since then: a rate that nobody uses is not known to be good. */
	private used = false;
	/** Requests sent before this tell of an earlier rate. */
	private rateSince = Number.NEGATIVE_INFINITY;
	private lastTrouble = 0;
	/** The rate at which the last cut was made. */
	private refusedAt = Number.POSITIVE_INFINITY;
	private resuming = false;

	private refusedInARow = 0;
	/** When something was served for the last time. */
	private servedAt: number | undefined;
	private grownAt = 0;
	private haltedAt = 0;
	private pausedUntil = 0;
	/** How many probes were refused; undefined while the service serves. */
	private probes: number | undefined;
	/** When the first and the last probe since the last halt were sent. */
	private probingSince: number | undefined;
	private probeSentAt: number | undefined;

	private tolerance = TOLERANCE;
	/** The shares of refusals that led to the last cuts, one after another. */
	private cuts: number[] = [];

	private line: Waiter[] = [];
	private nextAt = 0;
	private nap: AbortController | undefined;

	constructor(private readonly options: PaceOptions) {
		this.clock = options.clock;
		this.ceiling = options.rate ?? Number.POSITIVE_INFINITY;
		this.since = this.clock.monotonic();
	}

	/** How long nothing will be sent, in milliseconds, because the service asked for it or nobody was there. */
	get pauseMs(): number {
		return Math.max(0, this.pausedUntil - this.clock.monotonic());
	}

	/** Requests a second that may be sent now. */
	get rate(): number {
		return Math.min(this.found, this.ceiling);
	}

	ready(signal: AbortSignal | undefined): Promise<void> | undefined {
		const free = this.rate === Number.POSITIVE_INFINITY && this.probes === undefined && this.line.length === 0;
		if (free && (this.pausedUntil === 0 || this.clock.monotonic() >= this.pausedUntil)) return undefined;
		if (signal?.aborted) return undefined;
		return new Promise((resolve) => this.queue(resolve, signal));
	}

	answered(sentAt: number): void {
		const now = this.clock.monotonic();
		if (this.probes !== undefined) {
			if (this.isProbe(sentAt)) this.resume(now);
			else this.served++;
			return;
		}
		if (sentAt < this.rateSince) return;
		this.servedAt = now;
		this.served++;
		this.refusedInARow = 0;
		if (this.used && this.refusals <= this.calm * (this.served + this.refusals)) this.grow(now);
		this.look(now);
	}

	refused(sentAt: number, asked: number | undefined): void {
		const now = this.clock.monotonic();
		// "At once" asks for no slower rate: such a refusal counts only where nothing else comes.
		const asksForNothing = asked === 0;
		const retryAfterMs = asksForNothing ? undefined : asked;
		if (retryAfterMs !== undefined) this.pause(now, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
		if (this.probes !== undefined) {
			this.refusals++;
			if (this.isProbe(sentAt)) this.halt(now, this.probes + 1);
			return;
		}
		if (sentAt < this.rateSince) return;
		if (!asksForNothing) this.refusals++;
		this.refusedInARow++;
		if (this.standsStill(now)) this.halt(now, 0);
		else if (this.refusedInARow >= FLOOD) {
			this.pause(now, FLOOD_PAUSE_MS);
			this.cut(now);
		} else if (asksForNothing) return;
		else if (retryAfterMs === undefined) this.look(now);
		else if (this.found === Number.POSITIVE_INFINITY) this.halt(now, 0);
		else this.cut(now, ASKED_CUT);
	}

	lost(sentAt: number): void {
		if (this.probes !== undefined && this.isProbe(sentAt)) this.halt(this.clock.monotonic(), this.probes + 1);
	}

	/** Whether a request was sent to see whether the service serves again; the others were sent before. */
	private isProbe(sentAt: number): boolean {
		return this.probingSince !== undefined && sentAt >= this.probingSince;
	}

	/** The share of refusals below which the rate grows. */
	private get calm(): number {
		return this.tolerance > TOLERANCE ? this.tolerance * UNIMPRESSED : CALM;
	}

	private standsStill(now: number): boolean {
		if (this.servedAt === undefined) return true;
		// Where refusals are usual, it takes more of them in a row to be no coincidence.
		const some = Math.log(COINCIDENCE) / Math.log(this.tolerance);
		return this.refusedInARow >= some && now - Math.max(this.servedAt, this.since) >= STANDSTILL_MS;
	}

	/** Stops everything but one request at a time. */
	private halt(now: number, probes: number): void {
		if (probes === 0) this.haltedAt = now;
		this.probes = probes;
		this.probingSince = undefined;
		this.probeSentAt = undefined;
		// Also where the service names a time: it may have named too short a one.
		const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** probes);
		this.pause(now, pause * (1 + this.options.random() / 2));
		// The line waited for this probe.
		this.nap?.abort();
	}

	/** Goes on at a share of what was served before, to which what came in meanwhile belongs. */
	private resume(now: number): void {
		this.probes = undefined;
		const served = this.earlier.served + this.served;
		// One refusal alone says nothing of load, nor do a first one and a few among many that were served.
		const isChance = this.refusals <= 1 || (this.servedAt === undefined && this.refusals < served * CHANCE);
		if (!isChance) {
			const ms = this.earlier.ms + this.haltedAt - this.since;
			const nothingNew = served === 0 && this.found < Number.POSITIVE_INFINITY;
			const before = nothingNew ? this.found : (served * 1000) / Math.max(ms, LOOK_MS);
			this.found = Math.max(RESUME_RATE, Math.min(this.found, before * RESUME));
			this.resuming = true;
		}
		this.servedAt = now;
		this.begin(now);
		this.nap?.abort();
	}

	/** Looks at what came back, once there is enough of it. */
	private look(now: number): void {
		const count = this.served + this.refusals;
		if (count < LOOK_LEAST) return;
		const elapsed = now - this.since;
		if (elapsed < (this.found === Number.POSITIVE_INFINITY ? FIRST_LOOK_MS : LOOK_MS)) return;
		if (count < LOOK_COUNT && elapsed < LOOK_LATEST_MS) return;
		const share = this.refusals / count;
		if (share > this.tolerance) {
			this.cuts.push(share);
			this.cut(now);
			this.judgeCuts();
			return;
		}
		if (share > this.calm) {
			this.lastTrouble = now;
			this.resuming = false;
		} else this.cuts = [];
		this.begin(now, false);
	}

	/** Goes on at the rate that was served, as far as that is known. */
	private cut(now: number, factor = CUT): void {
		const first = this.found === Number.POSITIVE_INFINITY;
		const ms = this.earlier.ms + now - this.since;
		const served = this.earlier.served + this.served;
		// What was served tells what can be served only over a whole second, and where more was on offer.
		const isDistinct = first || (this.used && ms >= LOOK_MS);
		const known = isDistinct ? (served * 1000) / Math.max(ms, LOOK_MS) : this.rate * BLIND_CUT;
		this.refusedAt = Math.min(this.rate, ((served + this.refusals) * 1000) / Math.max(ms, FIRST_LOOK_MS));
		this.found = Math.max(first ? RESUME_RATE : MIN_RATE, Math.min(this.rate, known) * factor);
		this.lastTrouble = now;
		// The first moments of a run tell little.
		this.resuming = first;
		this.begin(now);
	}

	/** Undoes cuts that the refusals did not heed; where even more of them come then, all is open again. */
	private judgeCuts(): void {
		if (this.tolerance > TOLERANCE) {
			this.tolerance = TOLERANCE;
			this.cuts = [];
		}
		const [first] = this.cuts;
		const last = this.cuts.at(-1);
		if (first === undefined || last === undefined) return;
		if (last < first * UNIMPRESSED) this.cuts = [last];
		if (this.cuts.length <= FUTILE_CUTS) return;
		this.found = Number.POSITIVE_INFINITY;
		this.tolerance = Math.min(0.9, last * 1.5 + 0.1);
		this.cuts = [];
	}

	private grow(now: number): void {
		const seconds = Math.max(0, now - this.grownAt) / 1000;
		this.grownAt = now;
		this.found *= 1 + Math.min(1, this.growth(now) * seconds);
	}

	/** Share of the present rate that is added a second. */
	private growth(now: number): number {
		if (this.resuming) return RESUME_GROWTH;
		if (this.found < this.refusedAt * CAUTION) return QUICK_GROWTH;
		const calm = (now - this.lastTrouble) / CALM_MS;
		return Math.min(MAX_GROWTH, SLOW_GROWTH + CALM_GROWTH * calm * calm);
	}

	/** Begins to count anew; with a new rate, what was sent before no longer counts. */
	private begin(now: number, newRate = true): void {
		this.earlier = newRate ? { served: 0, ms: 0 } : { served: this.served, ms: now - this.since };
		this.served = 0;
		this.refusals = 0;
		this.refusedInARow = 0;
		this.since = Math.max(now, this.pausedUntil);
		this.grownAt = this.since;
		this.used = this.line.length > 0;
		if (newRate) {
			this.rateSince = now;
			this.nextAt = Math.max(now, this.pausedUntil);
		}
	}

	private pause(now: number, ms: number): void {
		this.pausedUntil = Math.max(this.pausedUntil, now + ms);
	}

	private queue(resolve: () => void, signal: AbortSignal | undefined): void {
		const leave = (): void => {
			signal?.removeEventListener('abort', abort);
			resolve();
		};
		const waiter: Waiter = { go: leave };
		const abort = (): void => {
			this.line = this.line.filter((each) => each !== waiter);
			leave();
			if (this.line.length === 0) this.nap?.abort();
		};
		signal?.addEventListener('abort', abort);
		this.line.push(waiter);
		this.used = true;
		if (this.line.length === 1 && this.nap === undefined) void this.serveLine();
	}

	/** Lets those in line go, one by one, each when it is due. */
	private async serveLine(): Promise<void> {
		this.nap = new AbortController();
		while (this.line.length > 0) {
			const now = this.clock.monotonic();
			const wait = this.dueAt() - now;
			if (wait > 0) {
				this.nap = new AbortController();
				await this.clock.sleep(wait, this.nap.signal);
				continue;
			}
			if (this.probes !== undefined) {
				this.probingSince ??= now;
				this.probeSentAt = now;
			}
			this.nextAt = Math.max(this.nextAt, now - CATCH_UP_MS) + 1000 / this.rate;
			this.line.shift()?.go();
		}
		this.nap = undefined;
	}

	/** When the next request may go. */
	private dueAt(): number {
		if (this.probes !== undefined)
			return Math.max(this.pausedUntil, (this.probeSentAt ?? Number.NEGATIVE_INFINITY) + PROBE_PATIENCE_MS);
		return Math.max(this.pausedUntil, this.nextAt);
	}
}
