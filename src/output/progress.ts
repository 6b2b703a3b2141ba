/** Progress of a run on stderr: one line that is redrawn on a terminal, a plain line now and then elsewhere. */

import type { Clock, Output } from '../io/context.js';
import { type Palette, plainPalette } from './colour.js';

export interface ProgressOptions {
	readonly stderr: Pick<Output, 'write' | 'isTTY' | 'columns'>;
	/** Whether a line can be drawn anew; by default, on a terminal. */
	readonly redraws?: boolean | undefined;
	readonly clock: Pick<Clock, 'monotonic'>;
	/** Rows in all; undefined where that is not known. */
	readonly total?: number | undefined;
	/** Rows that an earlier run has done already; they do not count towards the rate. */
	readonly start?: number | undefined;
	readonly quiet?: boolean | undefined;
	readonly palette?: Palette | undefined;
}

export interface ProgressCounts {
	/** Rows with an outcome, whatever it is. */
	done: number;
	/** Absent where rows are only read. */
	failed?: number;
	unknown?: number;
	/** What holds the run up at the moment, for instance `waiting 12 s: the service asked for it`. */
	note?: string | undefined;
}

export interface Progress {
	/** Cheap enough to be called for each row. */
	update(counts: ProgressCounts): void;
	/** Takes the bar away while something else is written to stderr. */
	clear(): void;
	/** Draws the last state a last time, or takes the bar away. */
	done(): void;
}

/** Milliseconds between two drawings on a terminal, and between two lines elsewhere. */
const REDRAW = 100;
const LINE = 10_000;

/** How far back the rate looks, in milliseconds. */
const WINDOW = 10_000;

export function createProgress(options: ProgressOptions): Progress {
	if (options.quiet === true) return { update() {}, clear() {}, done() {} };
	const { stderr, clock, total, palette = plainPalette, redraws = stderr.isTTY } = options;
	const begin = clock.monotonic();
	let next = redraws ? begin : begin + LINE;
	let last: ProgressCounts | undefined;
	let drawn = false;
	const samples: { at: number; done: number }[] = [{ at: begin, done: options.start ?? 0 }];

	/** Rows a second over the last few seconds. */
	function rateAt(now: number, done: number): number {
		samples.push({ at: now, done });
		while (samples.length > 2 && (samples[1]?.at ?? now) <= now - WINDOW) samples.shift();
		const [oldest = { at: now, done }] = samples;
		return now > oldest.at ? Math.max(0, done - oldest.done) / ((now - oldest.at) / 1000) : 0;
	}

	function draw(counts: ProgressCounts): void {
		const facts = factsOf(counts, total, rateAt(clock.monotonic(), counts.done));
		if (redraws) {
			const share = total === undefined || total === 0 ? undefined : counts.done / total;
			stderr.write(`\r${barLine(facts, share, (stderr.columns ?? 80) - 1, palette)}\x1b[K`);
			drawn = true;
		} else {
			stderr.write(`${facts.join(', ')}\n`);
		}
	}

	function clear(): void {
		if (drawn) stderr.write('\r\x1b[K');
		drawn = false;
	}

	return {
		update(counts) {
			last = counts;
			const now = clock.monotonic();
			if (now < next) return;
			next = now + (redraws ? REDRAW : LINE);
			draw(counts);
		},
		clear,
		done() {
			if (redraws) clear();
			else if (last !== undefined && clock.monotonic() - begin >= LINE) draw(last);
		},
	};
}

/** `1234 of 40000`, rate, failures, unknown, time left: the most important first. */
function factsOf(
	{ done, failed, unknown = 0, note }: ProgressCounts,
	total: number | undefined,
	rate: number,
): string[] {
	const facts = [total === undefined ? `${done} done` : `${done} of ${total} done`];
	if (rate > 0) facts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`);
	if (failed !== undefined) facts.push(`${failed} failed`);
	if (unknown > 0) facts.push(`${unknown} unknown`);
	if (total !== undefined && rate > 0 && done < total) facts.push(`${duration((total - done) / rate)} left`);
	if (note !== undefined) facts.push(note);
	return facts;
}

/** Seconds as `42 s`, `3 min 20 s`, `2 h 05 min`. */
export function duration(seconds: number): string {
	const whole = Math.max(1, Math.round(seconds));
	const rest = (number: number): string => String(number % 60).padStart(2, '0');
	if (whole < 60) return `${whole} s`;
	if (whole < 3600) return `${Math.floor(whole / 60)} min ${rest(whole)} s`;
	return `${Math.floor(whole / 3600)} h ${rest(Math.floor(whole / 60))} min`;
}

/** The widest and the narrowest bar worth drawing, in columns. */
const WIDEST = 30;
const NARROWEST = 6;

/** One line that fits: the bar takes what the facts leave, and goes first where there is no room. */
function barLine(facts: string[], share: number | undefined, width: number, palette: Palette): string {
	while (facts.length > 1 && facts.join('  ').length > width) facts.splice(facts.length > 3 ? -1 : 1, 1);
	const text = facts.join('  ').slice(0, width);
	const room = Math.min(WIDEST, width - text.length - 2);
	if (share === undefined || room < NARROWEST) return text;
	const filled = Math.min(room, Math.round(share * room));
	return `${palette.good('━'.repeat(filled))}${palette.faint('─'.repeat(room - filled))}  ${text}`;
}
