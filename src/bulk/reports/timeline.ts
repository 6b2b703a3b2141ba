/** A run over time, as bars of outcomes, retries and refusals. */

import type { OutcomeName } from '../../http/outcome.js';
import { outcomeNames } from '../journal/counts.js';
import type { Tick } from '../journal/read.js';

export interface Timeline {
	readonly barMs: number;
	readonly bars: readonly Bar[];
	/** Bars before each resume. */
	readonly pauses: readonly number[];
	readonly retries: number;
	readonly refused: number;
}

export interface Bar extends Record<OutcomeName, number> {
	/** Not after a refusal. */
	retried: number;
	/** After a 429 or 503. */
	refused: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const LENGTHS = [
	...[SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND],
	...[MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE],
	...[HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR],
];
const MOST_BARS = 60;
const LEAST_BARS = 10;
/** Longer silence is a pause. */
const PAUSE_MS = 30 * SECOND;

/** Undefined for a run of less than a second. */
export function timelineOf(ticks: readonly Tick[]): Timeline | undefined {
	if (ticks.length === 0) return undefined;
	const parts = workingTime(ticks);
	const span = workedMs(ticks);
	const barMs = LENGTHS.find((length) => span / length <= MOST_BARS) ?? Math.ceil(span / MOST_BARS / HOUR) * HOUR;
	const count = Math.max(LEAST_BARS, Math.ceil(span / barMs));
	const bars = Array.from({ length: count }, emptyBar);
	for (const tick of ticks) {
		const part = parts.find(({ to }) => tick.at <= to);
		if (part !== undefined) spread(tick, bars, (tick.at - part.from + part.before) / barMs, tick.ms / barMs);
	}
	return {
		barMs,
		bars,
		pauses: parts.slice(1).map(({ before }) => before / barMs),
		retries: ticks.reduce((sum, tick) => sum + tick.retries, 0),
		refused: ticks.reduce((sum, tick) => sum + tick.refused, 0),
	};
}

/** Without the pauses before resumes. */
export function workedMs(ticks: readonly Tick[]): number {
	return workingTime(ticks).reduce((sum, { from, to }) => sum + to - from, 0);
}

function emptyBar(): Bar {
	return { ok: 0, differs: 0, failed: 0, invalid: 0, unknown: 0, skipped: 0, 'not-sent': 0, retried: 0, refused: 0 };
}

/** @param end in bars, as is `length` */
function spread(tick: Tick, bars: readonly Bar[], end: number, length: number): void {
	const start = end - length;
	const first = Math.max(0, Math.floor(start));
	const last = Math.min(bars.length - 1, Math.max(first, Math.ceil(end) - 1));
	for (let index = first; index <= last; index++) {
		const bar = bars[index];
		if (bar === undefined) continue;
		const overlap = Math.min(end, index + 1) - Math.max(start, index);
		const share = first === last ? 1 : overlap / length;
		for (const name of outcomeNames) bar[name] += (tick.outcomes[name] ?? 0) * share;
		bar.retried += (tick.retries - tick.refused) * share;
		bar.refused += tick.refused * share;
	}
}

/** Times between pauses; `before` is the time worked before each. */
function workingTime(ticks: readonly Tick[]): { from: number; to: number; before: number }[] {
	const times = ticks.map(({ at, ms }) => ({ from: at - ms, to: at })).sort((left, right) => left.from - right.from);
	const parts: { from: number; to: number; before: number }[] = [];
	for (const { from, to } of times) {
		const last = parts.at(-1);
		if (last === undefined) parts.push({ from, to, before: 0 });
		else if (from - last.to <= PAUSE_MS) last.to = Math.max(last.to, to);
		else parts.push({ from, to, before: last.before + last.to - last.from });
	}
	return parts;
}
