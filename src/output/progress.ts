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

const silent: Progress = { update() {}, clear() {}, done() {} };

export function createProgress(options: ProgressOptions): Progress {
	if (options.quiet === true) return silent;
	const { stderr, clock, total } = options;
	const palette = options.palette ?? plainPalette;
	const redraws = options.redraws ?? stderr.isTTY;
	const begin = clock.monotonic();
	const interval = redraws ? REDRAW : LINE;
	const speed = createSpeed(begin, options.start ?? 0);
	let next = redraws ? begin : begin + LINE;
	let last: ProgressCounts | undefined;
	let drawn = false;

	function draw(counts: ProgressCounts, now: number): void {
		speed.add(now, counts.done);
		const rate = speed.rate();
		if (redraws) {
			const line = barLine(counts, total, rate, (stderr.columns ?? 80) - 1, palette);
			stderr.write(`\r${line}\x1b[K`);
			drawn = true;
		} else {
			stderr.write(`${factsOf(counts, total, rate).join(', ')}\n`);
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
			next = now + interval;
			draw(counts, now);
		},
		clear,
		done() {
			if (redraws) clear();
			else if (last !== undefined && clock.monotonic() - begin >= LINE) draw(last, clock.monotonic());
		},
	};
}

interface Speed {
	add(now: number, done: number): void;
	/** Rows a second over the last few seconds. */
	rate(): number;
}

function createSpeed(begin: number, start: number): Speed {
	const samples: { at: number; done: number }[] = [{ at: begin, done: start }];
	return {
		add(at, done) {
			samples.push({ at, done });
			while (samples.length > 2 && (samples[1] as { at: number }).at <= at - WINDOW) samples.shift();
		},
		rate() {
			const oldest = samples[0] as { at: number; done: number };
			const newest = samples.at(-1) as { at: number; done: number };
			const seconds = (newest.at - oldest.at) / 1000;
			return seconds > 0 ? Math.max(0, newest.done - oldest.done) / seconds : 0;
		},
	};
}

/** `1234 of 40000`, rate, failures, unknown, time left: the most important first. */
function factsOf(counts: ProgressCounts, total: number | undefined, rate: number): string[] {
	const facts = [total === undefined ? `${counts.done} done` : `${counts.done} of ${total} done`];
	if (rate > 0) facts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`);
	if (counts.failed !== undefined) facts.push(`${counts.failed} failed`);
	if (counts.unknown !== undefined && counts.unknown > 0) facts.push(`${counts.unknown} unknown`);
	if (total !== undefined && rate > 0 && counts.done < total)
		facts.push(`${duration((total - counts.done) / rate)} left`);
	if (counts.note !== undefined) facts.push(counts.note);
	return facts;
}

/** Seconds as `42 s`, `3 min 20 s`, `2 h 05 min`. */
export function duration(seconds: number): string {
	const whole = Math.max(1, Math.round(seconds));
	if (whole < 60) return `${whole} s`;
	if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
	return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')} min`;
}

/** The widest and the narrowest bar worth drawing, in columns. */
const WIDEST = 30;
const NARROWEST = 6;

/** One line that fits: the bar takes what the facts leave, and goes first where there is no room. */
function barLine(
	counts: ProgressCounts,
	total: number | undefined,
	rate: number,
	width: number,
	palette: Palette,
): string {
	const facts = factsOf(counts, total, rate);
	while (facts.length > 1 && facts.join('  ').length > width) facts.splice(facts.length > 3 ? -1 : 1, 1);
	const text = facts.join('  ').slice(0, width);
	const room = Math.min(WIDEST, width - text.length - 2);
	if (total === undefined || total === 0 || room < NARROWEST) return text;
	const filled = Math.min(room, Math.round((counts.done / total) * room));
	const bar = palette.good('━'.repeat(filled)) + palette.faint('─'.repeat(room - filled));
	return `${bar}  ${text}`;
}
