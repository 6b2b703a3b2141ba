/** Progress on stderr: one line that is redrawn, or a plain line now and then. */

import type { Context } from '../io/context.js';
import { durationText } from '../text.js';
import type { Palette } from './colour.js';

export interface ProgressCounts {
	done: number;
	total?: number | undefined;
	failed?: number;
	unknown?: number;
	/** What holds it up: `waiting 12 s: the service asked for it`. */
	note?: string | undefined;
}

export type Progress = ReturnType<typeof createProgress>;

const REDRAW = 100;
const LINE = 10_000;

const WINDOW = 10_000;

const WIDEST = 30;
const NARROWEST = 6;

interface ProgressOptions {
	palette: Palette;
	total?: number | undefined;
	start?: number;
	verbose?: number | undefined;
}

export function createProgress(
	{ stderr, env, clock }: Pick<Context, 'stderr' | 'env' | 'clock'>,
	{ palette, total: expected, start = 0, verbose = 0 }: ProgressOptions,
) {
	const redraws = stderr.isTTY && env.TERM !== 'dumb' && verbose === 0;
	const begin = clock.monotonic();
	let next = redraws ? begin : begin + LINE;
	let last: ProgressCounts | undefined;
	let drawn = false;
	let ended = false;
	const samples: { at: number; done: number }[] = [{ at: begin, done: start }];

	function rateAt(now: number, done: number): number {
		samples.push({ at: now, done });
		while (samples.length > 2 && (samples[1]?.at ?? now) <= now - WINDOW) samples.shift();
		const [oldest = { at: now, done }] = samples;
		return now > oldest.at ? Math.max(0, done - oldest.done) / ((now - oldest.at) / 1000) : 0;
	}

	function draw({ done, total = expected, failed, unknown = 0, note }: ProgressCounts): void {
		const rate = rateAt(clock.monotonic(), done);
		const facts = [total === undefined ? `${done} done` : `${done} of ${total} done`];
		if (rate > 0) facts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`);
		if (failed) facts.push(`${failed} failed`);
		if (unknown > 0) facts.push(`${unknown} unknown`);
		if (total !== undefined && rate > 0 && done < total)
			facts.push(`${durationText(Math.max(1, Math.round((total - done) / rate)) * 1000)} left`);
		if (note !== undefined) facts.push(note);
		if (!redraws) {
			stderr.write(`${facts.join(', ')}\n`);
			return;
		}
		// The bar gets the width that the facts leave. Without enough it is left out first, then the last facts. A ^C that
		// the terminal shows still fits.
		const width = (stderr.columns ?? 80) - 3;
		while (facts.length > 1 && facts.join('  ').length > width) facts.splice(facts.length > 3 ? -1 : 1, 1);
		let line = facts.join('  ').slice(0, width);
		const room = Math.min(WIDEST, width - line.length - 2);
		if (total && room >= NARROWEST) {
			const filled = Math.min(room, Math.round((done / total) * room));
			const paint = failed ? palette.bad : palette.good;
			line = `${paint('━'.repeat(filled))}${palette.faint('─'.repeat(room - filled))}  ${line}`;
		}
		stderr.write(`\r${line}\x1b[K`);
		drawn = true;
	}

	function clear(): void {
		if (drawn) stderr.write('\r\x1b[K');
		drawn = false;
	}

	return {
		update(counts: ProgressCounts): void {
			last = counts;
			const now = clock.monotonic();
			if (ended || now < next) return;
			next = now + (redraws ? REDRAW : LINE);
			draw(counts);
		},
		clear,
		done(): void {
			if (ended) return;
			ended = true;
			if (redraws) clear();
			else if (last !== undefined && clock.monotonic() - begin >= LINE) draw(last);
		},
	};
}
