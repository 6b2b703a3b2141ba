/** When a run stops before its end, and why; decisions over outcomes alone. */

import type { Outcome } from '../http/outcome.js';

export type StopReason =
	| { kind: 'signal' }
	| { kind: 'unauthorized'; outcome: Outcome }
	| { kind: 'failure'; outcome: Outcome }
	| { kind: 'too-many-failures'; limit: number }
	| { kind: 'unreachable'; outcome: Outcome }
	| { kind: 'asked-to-wait'; outcome: Outcome };

export interface StopRules {
	stopOnError: boolean;
	maxFailures: number | undefined;
	/** How many rows may be under way, which is how many may fail together for one reason. */
	concurrency: number;
}

/** So many rows in a row without any answer, beyond those under way, mean that nobody is there. */
const UNANSWERED_ROWS = 10;

/** Looks at each outcome and says when to stop. */
export class StopWatch {
	private failures = 0;
	private unanswered = 0;

	constructor(private readonly rules: StopRules) {}

	/** @returns why the run has to stop after this outcome, or undefined. */
	look(outcome: Outcome): StopReason | undefined {
		if (outcome.status === 401 && outcome.outcome === 'failed') return { kind: 'unauthorized', outcome };
		if (outcome.code === 'wait_too_long') return { kind: 'asked-to-wait', outcome };
		const isBad = outcome.outcome === 'failed' || outcome.outcome === 'unknown' || outcome.outcome === 'not-sent';
		if (isBad) {
			this.failures++;
			if (this.rules.stopOnError) return { kind: 'failure', outcome };
			const { maxFailures } = this.rules;
			if (maxFailures !== undefined && this.failures > maxFailures) {
				return { kind: 'too-many-failures', limit: maxFailures };
			}
		}
		this.unanswered = outcome.status === undefined && isBad ? this.unanswered + 1 : 0;
		if (this.unanswered >= UNANSWERED_ROWS + this.rules.concurrency) return { kind: 'unreachable', outcome };
		return undefined;
	}
}
