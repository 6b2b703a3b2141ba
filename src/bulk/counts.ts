/** How many rows came to what, and the exit code that follows (command line, "Exit codes"). */

import { ExitCode } from '../errors.js';
import type { OutcomeName } from '../http/outcome.js';

export const outcomeNames: readonly OutcomeName[] = [
	'ok',
	'differs',
	'failed',
	'invalid',
	'unknown',
	'skipped',
	'not-sent',
];

export interface Counts {
	ok: number;
	differs: number;
	failed: number;
	invalid: number;
	unknown: number;
	skipped: number;
	'not-sent': number;
	/** Of the failed: how many were answered 401 or 403. */
	unauthorized: number;
	forbidden: number;
	/** Of the failed: how many the service will refuse again unless the row is edited. */
	refused: number;
	/** Of the skipped: how many were changed by others meanwhile. */
	conflicts: number;
}

export function createCounts(): Counts {
	return {
		ok: 0,
		differs: 0,
		failed: 0,
		invalid: 0,
		unknown: 0,
		skipped: 0,
		'not-sent': 0,
		unauthorized: 0,
		forbidden: 0,
		refused: 0,
		conflicts: 0,
	};
}

/** Statuses that say that the request itself is wrong: the same row would fail again. */
const REFUSED: ReadonlySet<unknown> = new Set([400, 404, 405, 410, 413, 414, 415, 422]);

export function isRefused(status: unknown): boolean {
	return REFUSED.has(status);
}

/** Adds one row's outcome. */
export function countOutcome(
	counts: Counts,
	outcome: { outcome: OutcomeName; status?: number | undefined; code?: string | undefined },
): void {
	counts[outcome.outcome]++;
	if (outcome.outcome === 'skipped' && outcome.code === 'conflict') counts.conflicts++;
	if (outcome.outcome === 'failed' && outcome.status === 401) counts.unauthorized++;
	if (outcome.outcome === 'failed' && outcome.status === 403) counts.forbidden++;
	if (outcome.outcome === 'failed' && isRefused(outcome.status)) counts.refused++;
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
	const bad = counts.failed + counts.invalid + counts['not-sent'];
	if (bad > 0) return bad === total ? ExitCode.failed : ExitCode.partial;
	if (counts.unknown > 0) return ExitCode.unknown;
	return counts.differs > 0 ? ExitCode.differs : ExitCode.ok;
}
