/** What became of rows: counts, the exit code, and the next commands. */

import { ExitCode } from '../../errors.js';
import { failureBy } from '../../http/judge.js';
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

/** 401, 403 and what has to be edited, of the failed; changed by others and left, of the skipped. */
const DETAILS = ['unauthorized', 'forbidden', 'refused', 'conflicts', 'left'] as const;

type Count = OutcomeName | (typeof DETAILS)[number];

export type Counts = Record<Count, number>;

export function createCounts(): Counts {
	return Object.fromEntries([...outcomeNames, ...DETAILS].map((name) => [name, 0])) as Counts;
}

/** A row's state in two bytes; an outcome counts from 1. */
const OUTCOME = 0b0000_0111;
const UNAUTHORIZED = 1 << 3;
/** Of a skipped row: left by an undo or a plan. */
const FORBIDDEN = 1 << 4;
/** Of a skipped row: a conflict. */
const REFUSED = 1 << 5;
export const APPLIED = 1 << 6;
/** A part may have been applied before the service failed. */
export const PARTLY = 1 << 7;
/** The object held the row's values once. */
export const WRITTEN = 1 << 8;
export const REOPENED = 1 << 9;
export const RECORDED = 1 << 10;
/** The journal has its old values. */
export const KEPT = 1 << 11;

const FAILURES = {
	'signed-out': UNAUTHORIZED,
	forbidden: FORBIDDEN,
	'partly-applied': PARTLY,
	'to-edit': REFUSED,
	other: 0,
};

const LEFT: ReadonlySet<unknown> = new Set(['drift', 'changed_since', 'not_restorable']);

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
			return state | FAILURES[failureBy(status) ?? 'other'];
		case 'invalid':
		case 'not-sent':
			return state;
	}
}

export function outcomeIn(state: number): OutcomeName | undefined {
	return outcomeNames[(state & OUTCOME) - 1];
}

const DONE: ReadonlySet<OutcomeName> = new Set(['ok', 'differs', 'failed', 'invalid', 'skipped']);

export function isDoneState(state: number): boolean {
	const outcome = outcomeIn(state);
	return outcome !== undefined && DONE.has(outcome) && (state & (UNAUTHORIZED | REOPENED)) === 0;
}

/** Whether the row has to be edited or sent again; a resume sends those refused with 401. */
export function isToFix(state: number): boolean {
	const outcome = outcomeIn(state);
	if (outcome === 'failed') return (state & UNAUTHORIZED) === 0;
	if (outcome === 'skipped') return (state & REFUSED) !== 0;
	return outcome === 'invalid' || outcome === 'differs';
}

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
	for (const counts of parts) for (const name of Object.keys(sum) as Count[]) sum[name] += counts[name];
	return sum;
}

export function totalOf(counts: Counts): number {
	return outcomeNames.reduce((sum, name) => sum + counts[name], 0);
}

export function openRows(counts: Counts): number {
	return counts.unknown + counts['not-sent'] + counts.unauthorized;
}

/** @param counts with rows that were never reached as `not-sent` */
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

/** At most two commands, in the order to run them. */
export function nextSteps(id: string, counts: Counts, resumable: boolean): [text: string, command: string][] {
	const steps: [string, string][] = [];
	// An overloaded service or a conflict may let the row pass later.
	if (counts.failed - counts.unauthorized - counts.refused > 0) {
		const rows = resumable ? 'Send the rest and retry failed rows' : 'Retry failed rows';
		steps.push([rows, `supportctl run retry ${id}`]);
	} else if (resumable) steps.push(['Send the rest', `supportctl run resume ${id}`]);
	if (counts.invalid + counts.differs + counts.refused + counts.conflicts > 0) {
		steps.push(['Fix and resend', `supportctl run rejects ${id} --format csv`]);
	}
	return steps;
}
