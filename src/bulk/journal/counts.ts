/** What became of rows: the state of each in two bytes, counts, the exit code, and the next commands. */

import { ExitCode } from '../../errors.js';
import { failureBy } from '../../http/judge.js';
import {
	type Detail,
	detailNames,
	meaningWith,
	type OutcomeName,
	outcomeNames,
	outcomes,
	reasonFor,
} from '../../http/outcomes.js';
import { formatCount } from '../../text.js';
import type { RunHeader } from '../plan.js';

type Count = OutcomeName | Detail;

export type Counts = Record<Count, number>;

export function createCounts(): Counts {
	return Object.fromEntries([...outcomeNames, ...detailNames].map((name) => [name, 0])) as Counts;
}

const widthOf = (names: readonly string[]): number => Math.ceil(Math.log2(names.length + 1));

/** A row's state in two bytes: first its outcome and a detail, both counted from 1, then flags. */
const BITS = widthOf(outcomeNames);
const MASK = (1 << BITS) - 1;
const DETAIL_BITS = widthOf(detailNames);
const DETAIL_MASK = (1 << DETAIL_BITS) - 1;
const FLAGS = BITS + DETAIL_BITS;
export const APPLIED = 1 << FLAGS;
/** A part may have been applied before the service failed. */
export const PARTLY = 1 << (FLAGS + 1);
/** The object held the row's values once. */
export const WRITTEN = 1 << (FLAGS + 2);
export const REOPENED = 1 << (FLAGS + 3);
export const RECORDED = 1 << (FLAGS + 4);
/** The journal has its old values. */
export const KEPT = 1 << (FLAGS + 5);

const bitsOf = (detail: Detail): number => (detailNames.indexOf(detail) + 1) << BITS;

const FAILURES = {
	'signed-out': bitsOf('unauthorized'),
	forbidden: bitsOf('forbidden'),
	'partly-applied': PARTLY,
	'to-edit': bitsOf('refused'),
	other: 0,
};

const WRITTEN_BITS = new Map<unknown, number>([
	[true, WRITTEN],
	['maybe', APPLIED],
]);

/** What a record says of its row's state. */
export interface Recorded {
	readonly outcome: OutcomeName;
	readonly status?: unknown;
	readonly code?: unknown;
	/** Fields that were written all the same. */
	readonly applied?: readonly string[] | undefined;
}

export function stateOf({ outcome, status, code, applied = [] }: Recorded): number {
	const reason = reasonFor(outcome, code);
	const written = applied.length > 0 || (reason?.written ?? outcomes[outcome].written);
	const state = (outcomeNames.indexOf(outcome) + 1) | (WRITTEN_BITS.get(written) ?? 0);
	if (reason?.counts !== undefined) return state | bitsOf(reason.counts);
	return outcome === 'failed' ? state | FAILURES[failureBy(status) ?? 'other'] : state;
}

export function outcomeIn(state: number): OutcomeName | undefined {
	return outcomeNames[(state & MASK) - 1];
}

function detailIn(state: number): Detail | undefined {
	return detailNames[((state >> BITS) & DETAIL_MASK) - 1];
}

function meaningIn(state: number) {
	const outcome = outcomeIn(state);
	return outcome === undefined ? undefined : meaningWith(outcome, detailIn(state));
}

/** A resume sends all others. */
export function isDoneState(state: number): boolean {
	return (state & REOPENED) === 0 && meaningIn(state)?.done === true;
}

/** Whether the row has to be edited or sent again; a resume sends those refused with 401. */
export function isToFix(state: number): boolean {
	return meaningIn(state)?.toFix === true;
}

export function needsAttention(state: number): boolean {
	return meaningIn(state)?.attention === true;
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

/** All rows with an outcome. */
export function totalOf(counts: Counts): number {
	return sumBy(counts, () => true);
}

function sumBy(counts: Counts, isCounted: (meaning: (typeof outcomes)[OutcomeName]) => boolean): number {
	return outcomeNames.reduce((sum, name) => sum + (isCounted(outcomes[name]) ? counts[name] : 0), 0);
}

/** Rows that a resume sends. */
export function openRows(counts: Counts): number {
	return sumBy(counts, ({ done }) => !done) - counts.left_out + counts.unauthorized;
}

/** Kept from being written by someone else's change. */
export function changedRows(counts: Counts): number {
	return counts.conflicts + counts.left;
}

/** Those, and what nothing can restore. */
export function leftRows(counts: Counts): number {
	return changedRows(counts) + counts.not_restorable;
}

/** Rows that somebody has to look at. */
export function badRows(counts: Counts): number {
	return sumBy(counts, ({ attention }) => attention) - counts.left_out + leftRows(counts);
}

/** The one rule for exit codes. @param counts with rows that were never reached as `not-sent` */
export function exitCodeOf(counts: Counts, interrupted = false): ExitCode {
	if (interrupted) return ExitCode.interrupted;
	if (counts.unauthorized > 0) return ExitCode.refused;
	const total = totalOf(counts) - counts.left_out;
	if (total > 0 && counts.forbidden === total) return ExitCode.refused;
	const left = leftRows(counts);
	const bad = sumBy(counts, ({ exit }) => exit === ExitCode.failed) - counts.left_out + left;
	if (bad > 0) {
		const isNothingSent = counts.ok + counts.differs + counts.unknown + counts.failed === 0;
		return bad === total || (left > 0 && isNothingSent) ? ExitCode.failed : ExitCode.partial;
	}
	if (counts.unknown > 0) return ExitCode.unknown;
	return counts.differs > 0 ? ExitCode.differs : ExitCode.ok;
}

/** Of one request. */
export function exitCodeOfOne(outcome: Parameters<typeof stateOf>[0]): ExitCode {
	const counts = createCounts();
	countOutcome(counts, outcome);
	return exitCodeOf(counts);
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

/** With the way back. */
export function stepsAfter(
	{ id, plan }: RunHeader,
	counts: Counts,
	resumable: boolean,
): [text: string, command: string][] {
	const steps = nextSteps(id, counts, resumable);
	if (plan.checks.snapshot && counts.ok + counts.differs > 0) steps.push(['Undo', `supportctl run undo ${id}`]);
	return steps.slice(0, 2);
}

/** Rows without a record are unsent. */
export function withUnsent({ input }: RunHeader, counts: Counts): Counts {
	return { ...counts, 'not-sent': counts['not-sent'] + Math.max(0, input.own - totalOf(counts)) };
}

/** `50 ok`, `10 failed`, `2 left out` @param open what rows without an outcome are */
export function countWords(counts: Counts, open = 'not sent'): string[] {
	const { not_found, left_out } = counts;
	const apart = { ...counts, skipped: counts.skipped - not_found, 'not-sent': counts['not-sent'] - left_out };
	const words = outcomeNames
		.filter((name) => apart[name] > 0)
		.map((name) => `${formatCount(apart[name])} ${name === 'not-sent' ? open : name}`);
	if (not_found > 0) words.push(`${formatCount(not_found)} not found`);
	if (left_out > 0) words.push(`${formatCount(left_out)} left out`);
	return words;
}
