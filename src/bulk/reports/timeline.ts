/** Outcomes, retries and refusals over the working time of a run. */

import type { OutcomeName } from '../../http/outcome.js';
import { outcomeNames } from '../journal/counts.js';
import type { Tick } from '../journal/read.js';

export interface Timeline {
	readonly barMs: number;
	readonly bars: readonly Bar[];
}

export interface Bar extends Record<OutcomeName, number> {
	retried: number;
	/** Retried after a 429 or 503; `retried` counts the others. */
	refused: number;
}

const MOST_BARS = 60;
const LEAST_BARS = 10;

/** Undefined for a run of less than a second. */
export function timelineOf(ticks: readonly Tick[]): Timeline | undefined {
	if (ticks.length === 0) return undefined;
	const span = workedMs(ticks);
	const barMs = 1000 * Math.max(1, Math.ceil(span / 1000 / MOST_BARS));
	const count = Math.max(LEAST_BARS, Math.ceil(span / barMs));
	const bars = Array.from({ length: count }, emptyBar);
	for (const tick of ticks) spread(tick, bars, barMs);
	return { barMs, bars };
}

/** Without the pauses before resumes. */
export function workedMs(ticks: readonly Tick[]): number {
	return ticks.reduce((longest, { end }) => Math.max(longest, end), 0);
}

function emptyBar(): Bar {
	return { ok: 0, differs: 0, failed: 0, invalid: 0, unknown: 0, skipped: 0, 'not-sent': 0, retried: 0, refused: 0 };
}

function spread(tick: Tick, bars: readonly Bar[], barMs: number): void {
	const start = tick.end - tick.ms;
	for (const [index, bar] of bars.entries()) {
		const overlap = Math.min(tick.end, (index + 1) * barMs) - Math.max(start, index * barMs);
		if (overlap <= 0) continue;
		const share = overlap / tick.ms;
		for (const name of outcomeNames) bar[name] += (tick.outcomes[name] ?? 0) * share;
		bar.retried += (tick.retries - tick.refused) * share;
		bar.refused += tick.refused * share;
	}
}
