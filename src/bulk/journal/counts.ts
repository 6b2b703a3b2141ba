/** What rows came to: how many of each outcome, the exit code that follows, and what can be done next. */

import { ExitCode } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';

export const outcomeNames: readonly OutcomeName[] = [
	'ok',
	'differs',
	'failed',
	'invalid',
	'unknown',
	'skipped',
	'not-sent',
];

export interface Counts extends Record<OutcomeName, number> {
	/** Of the failed: how many were refused with 401 or 403. */
	unauthorized: number;
	forbidden: number;
	/** Of the failed: how many the service will refuse again unless the row is edited. */
	refused: number;
	/** Of the skipped: how many were changed by others meanwhile. */
	conflicts: number;
	/** Of the skipped: how many of an undo or a plan were left as they are. */
	left: number;
}

export function createCounts(): Counts {
	const names = [...outcomeNames, 'unauthorized', 'forbidden', 'refused', 'conflicts', 'left'];
	return Object.fromEntries(names.map((name) => [name, 0])) as unknown as Counts;
}

/** What is kept of a row in memory: two bytes. The outcome is its place among the outcomes' names, from 1; 0 for none. */
const OUTCOME = 0b0000_0111;
/** Failed by 401, and by 403; or skipped although it was to be restored or applied. */
const UNAUTHORIZED = 1 << 3;
const FORBIDDEN = 1 << 4;
/** Failed because the row has to be edited, or skipped as a conflict. */
const REFUSED = 1 << 5;
/** An attempt may have been applied without our knowing. */
export const APPLIED = 1 << 6;
/** The service failed after it may have applied a part. */
export const PARTLY = 1 << 7;
/** The object held the row's values once. */
export const WRITTEN = 1 << 8;
/** To be sent again, whatever it came to. */
export const REOPENED = 1 << 9;
/** Has an outcome since the last resume. */
export const RECORDED = 1 << 10;

/** Statuses that say that the request itself is wrong: the same row would fail again. */
const REFUSALS: ReadonlySet<unknown> = new Set([400, 404, 405, 410, 413, 414, 415, 422]);

/** Codes of skipped rows that an undo or a plan was to change. */
const LEFT: ReadonlySet<unknown> = new Set(['drift', 'changed_since', 'not_restorable']);

/** A row's state after an outcome. */
export function stateOf({ outcome, status, code }: { outcome: OutcomeName; status?: unknown; code?: unknown }): number {
	const state = outcomeNames.indexOf(outcome) + 1;
	switch (outcome) {
		case 'ok':
		case 'differs':
			return state | WRITTEN;
		case 'unknown':
			return state | APPLIED;
		case 'skipped':
			if (LEFT.has(code)) return state | FORBIDDEN;
			if (code === 'conflict') return state | REFUSED;
			return code === 'unchanged' ? state | WRITTEN : state;
		case 'failed':
			if (status === 401) return state | UNAUTHORIZED;
			if (status === 403) return state | FORBIDDEN;
			if (Number(status) >= 500) return state | PARTLY;
			return REFUSALS.has(status) ? state | REFUSED : state;
		case 'invalid':
		case 'not-sent':
			return state;
	}
}

export function outcomeIn(state: number): OutcomeName | undefined {
	return outcomeNames[(state & OUTCOME) - 1];
}

const DONE: ReadonlySet<OutcomeName> = new Set(['ok', 'differs', 'failed', 'invalid', 'skipped']);

/** ok, differs, failed other than by 401, invalid and skipped are done; a resume sends all others. */
export function isDoneState(state: number): boolean {
	const outcome = outcomeIn(state);
	return outcome !== undefined && DONE.has(outcome) && (state & (UNAUTHORIZED | REOPENED)) === 0;
}

/** Adds a row by its state, or with -1 takes it out again. */
export function countState(counts: Counts, state: number, by = 1): void {
	const outcome = outcomeIn(state);
	if (outcome === undefined) return;
	counts[outcome] += by;
	if ((state & UNAUTHORIZED) !== 0) counts.unauthorized += by;
	if ((state & FORBIDDEN) !== 0) counts[outcome === 'skipped' ? 'left' : 'forbidden'] += by;
	if ((state & REFUSED) !== 0) counts[outcome === 'skipped' ? 'conflicts' : 'refused'] += by;
}

export function countOutcome(counts: Counts, outcome: Parameters<typeof stateOf>[0]): void {
	countState(counts, stateOf(outcome));
}

export function sumOf(parts: readonly Readonly<Counts>[]): Counts {
	const sum = createCounts();
	for (const counts of parts) for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += counts[name];
	return sum;
}

/** All rows with an outcome. */
export function totalOf(counts: Counts): number {
	return outcomeNames.reduce((sum, name) => sum + counts[name], 0);
}

/** Rows that a resume would send again or for the first time, of those that are counted. */
export function openRows(counts: Counts): number {
	return counts.unknown + counts['not-sent'] + counts.unauthorized;
}

/** Rows that a resume leaves alone: they are retried, or fixed by a person. */
export function rowsToFix(counts: Counts): number {
	return counts.differs + counts.failed + counts.invalid + counts.conflicts - counts.unauthorized;
}

/**
 * The run's exit code. Rows that were never reached count as `not-sent` and have to be added before.
 * @param interrupted Whether a signal stopped the run before its end.
 */
export function exitCodeOf(counts: Counts, interrupted = false): ExitCode {
	if (interrupted) return ExitCode.interrupted;
	if (counts.unauthorized > 0) return ExitCode.refused;
	const total = totalOf(counts);
	if (counts.failed > 0 && counts.failed === total && counts.forbidden === total) return ExitCode.refused;
	const bad = counts.failed + counts.invalid + counts['not-sent'] + counts.left;
	if (bad > 0) return bad === total ? ExitCode.failed : ExitCode.partial;
	if (counts.unknown > 0) return ExitCode.unknown;
	return counts.differs > 0 ? ExitCode.differs : ExitCode.ok;
}

/** What can be done after a run: at most two commands, in the order to run them. @param resumable whether rows are open */
export function nextSteps(id: string, counts: Counts, resumable: boolean): [text: string, command: string][] {
	const steps: [string, string][] = [];
	// What the service refused would be refused again; an overloaded service or a conflict may let the same row pass.
	if (counts.failed - counts.unauthorized - counts.refused > 0) {
		const rows = resumable ? 'to send the rest and retry the failed rows' : 'to retry the failed rows';
		steps.push([rows, `supportctl run retry ${id}`]);
	} else if (resumable) steps.push(['to send the rest', `supportctl run resume ${id}`]);
	if (counts.invalid + counts.differs + counts.refused + counts.conflicts > 0) {
		steps.push(['to export the rows that need a fix', `supportctl run rejects ${id} --format csv`]);
	}
	return steps;
}
