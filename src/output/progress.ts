/** Progress on stderr: one line that is redrawn, or a plain line now and then. */

import type { Context } from '../io/context.js';
import { durationText, formatCount } from '../text.js';
import type { Palette } from './colour.js';

export interface ProgressCounts {
	/** Rows with an outcome, whatever it is. */
	done: number;
	total?: number | undefined;
	/** Undefined if rows are only read. */
	failed?: number;
	unknown?: number;
	/** What holds it up: `waiting 12 s: the service asked for it`. */
	note?: string | undefined;
}

export type Progress = ReturnType<typeof createProgress>;

const REDRAW_MS = 100;
const LINE_MS = 10_000;
const WINDOW_MS = 10_000;
/** The first rows of a resume are reads of what is done, and the first of a run come all at once: no measure. */
const MEASURED_MS = 1000;

/** The widest and the narrowest bar worth drawing, in columns. */
const WIDEST = 30;
const NARROWEST = 6;

interface ProgressOptions {
	palette: Palette;
	total?: number | undefined;
	/** Rows that an earlier part has done; they don't count for the rate. */
	start?: number;
	/** With a log between the rows, the progress is plain lines. */
	verbose?: number | undefined;
}

export function createProgress(
	{ stderr, env, clock }: Pick<Context, 'stderr' | 'env' | 'clock'>,
	{ palette, total, start = 0, verbose = 0 }: ProgressOptions,
) {
	const redraws = stderr.isTTY && env.TERM !== 'dumb' && verbose === 0;
	const begin = clock.monotonic();
	const samples = [{ at: begin, done: start }];
	let next = redraws ? begin : begin + LINE_MS;
	let last: ProgressCounts | undefined;
	let isDrawn = false;
	let isOver = false;

	function rateOf(done: number): number {
		const now = clock.monotonic();
		samples.push({ at: now, done });
		while (samples.length > 2 && (samples[1]?.at ?? now) <= now - WINDOW_MS) samples.shift();
		const [oldest = { at: now, done }] = samples;
		return now - oldest.at >= MEASURED_MS ? Math.max(0, done - oldest.done) / ((now - oldest.at) / 1000) : 0;
	}

	function draw(given: ProgressCounts): void {
		const counts = { total, ...given };
		const facts = factsOf(counts, rateOf(counts.done));
		// Facts that don't fit are left out, the bar first. A ^C that the terminal shows still fits.
		const width = (stderr.columns ?? 80) - 3;
		stderr.write(redraws ? `\r${lineOf(counts, facts, width, palette)}\x1b[K` : `${facts.join(', ')}\n`);
		isDrawn = redraws;
	}

	/** While something else is written to stderr. */
	function clear(): void {
		if (isDrawn) stderr.write('\r\x1b[K');
		isDrawn = false;
	}

	return {
		/** Cheap enough for each row. */
		update(counts: ProgressCounts): void {
			last = counts;
			const now = clock.monotonic();
			if (isOver || now < next) return;
			next = now + (redraws ? REDRAW_MS : LINE_MS);
			draw(counts);
		},
		clear,
		done(): void {
			if (isOver) return;
			isOver = true;
			if (redraws) clear();
			else if (last !== undefined && clock.monotonic() - begin >= LINE_MS) draw(last);
		},
	};
}

/** The most important first. */
function factsOf({ done, total, failed = 0, unknown = 0, note }: ProgressCounts, rate: number): string[] {
	const facts = [
		total === undefined ? `${formatCount(done)} done` : `${formatCount(done)} of ${formatCount(total)} done`,
	];
	if (rate > 0) facts.push(`${rate < 10 ? rate.toFixed(1) : formatCount(Math.round(rate))}/s`);
	if (failed > 0) facts.push(`${formatCount(failed)} failed`);
	if (unknown > 0) facts.push(`${formatCount(unknown)} unknown`);
	if (total !== undefined && rate > 0 && done < total) {
		facts.push(`${durationText(Math.max(1, Math.round((total - done) / rate)) * 1000)} left`);
	}
	if (note !== undefined) facts.push(note);
	return facts;
}

/** A bar in the room that the facts leave. Without enough it is left out first, then the last facts. */
function lineOf({ done, total, failed }: ProgressCounts, facts: string[], width: number, palette: Palette): string {
	while (facts.length > 1 && facts.join('  ').length > width) facts.splice(facts.length > 3 ? -1 : 1, 1);
	const line = facts.join('  ').slice(0, width);
	const room = Math.min(WIDEST, width - line.length - 2);
	if (!total || room < NARROWEST) return line;
	const filled = Math.min(room, Math.round((done / total) * room));
	const paint = failed ? palette.bad : palette.good;
	return `${paint('━'.repeat(filled))}${palette.faint('─'.repeat(room - filled))}  ${line}`;
}
