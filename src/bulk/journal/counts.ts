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

type Detail = (typeof DETAILS)[number];
type Count = OutcomeName | Detail;

export type Counts = Record<Count, number>;

export function createCounts(): Counts {
	return Object.fromEntries([...outcomeNames, ...DETAILS].map((name) => [name, 0])) as Counts;
}

/** A row's state in two bytes: first its outcome and a detail, three bits each, counted from 1. */
const BITS = 3;
const MASK = 0b111;
export const APPLIED = 1 << 6;
/** A part may have been applied before the service failed. */
export const PARTLY = 1 << 7;
/** The object held the row's values once. */
export const WRITTEN = 1 << 8;
export const REOPENED = 1 << 9;
export const RECORDED = 1 << 10;
/** The journal has its old values. */
export const KEPT = 1 << 11;

const bitsOf = (detail: Detail): number => (DETAILS.indexOf(detail) + 1) << BITS;

const FAILURES = {
	'signed-out': bitsOf('unauthorized'),
	forbidden: bitsOf('forbidden'),
	'partly-applied': PARTLY,
	'to-edit': bitsOf('refused'),
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
			if (LEFT.has(code)) return state | bitsOf('left');
			if (code === 'conflict') return state | bitsOf('conflicts');
			return code === 'unchanged' ? state | WRITTEN : state;
		case 'failed':
			return state | FAILURES[failureBy(status) ?? 'other'];
		case 'invalid':
		case 'not-sent':
			return state;
	}
}

export function outcomeIn(state: number): OutcomeName | undefined {
	return outcomeNames[(state & MASK) - 1];
}

function detailIn(state: number): Detail | undefined {
	const number = (state >> BITS) & MASK;
	return number === 0 ? undefined : DETAILS[number - 1];
}

const DONE: ReadonlySet<unknown> = new Set(['ok', 'differs', 'failed', 'invalid', 'skipped']);

export function isDoneState(state: number): boolean {
	const isOpen = (state & REOPENED) !== 0 || detailIn(state) === 'unauthorized';
	return !isOpen && DONE.has(outcomeIn(state));
}

/** Whether the row has to be edited or sent again; a resume sends those refused with 401. */
export function isToFix(state: number): boolean {
	const outcome = outcomeIn(state);
	if (outcome === 'failed') return detailIn(state) !== 'unauthorized';
	if (outcome === 'skipped') return detailIn(state) === 'conflicts';
	return outcome === 'invalid' || outcome === 'differs';
}

export function countState(counts: Counts, state: number): void {
	const outcome = outcomeIn(state);
	const detail = detailIn(state);
	if (outcome !== undefined) counts[outcome]++;
	if (detail !== undefined) counts[detail]++;
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
