/** When a run stops before its end, and why; decisions over outcomes alone. */

import { isFromElsewhere, isServed } from '../../http/judge.js';
import { type Outcome, wentWrong } from '../../http/outcome.js';
import type { FailedAttempt } from '../../http/send.js';

export type StopReason =
	| { kind: 'signal' }
	| { kind: 'unauthorized'; outcome: Outcome }
	| { kind: 'failure'; outcome: Outcome }
	| { kind: 'too-many-failures'; limit: number }
	| { kind: 'unreachable'; why: string }
	| { kind: 'same-refusal'; outcome: Outcome; rows: number }
	| { kind: 'asked-to-wait'; outcome: Outcome };

export interface StopRules {
	stopOnError: boolean;
	maxFailures: number | undefined;
	/** How many rows may be under way, which is how many may fail together for one reason. */
	concurrency: number;
}

/** How long connections may be refused before the run stops, in milliseconds: a service that was there is waited for. */
const PATIENCE_AT_START_MS = 8000;
const PATIENCE_MS = 5 * 60_000;

/** So many rows in a row without any answer, beyond those under way, mean that nobody is there. */
const UNANSWERED_ROWS = 10;

/** So many first rows that something else than the service refused for one reason mean that all others would be, too. */
const SAME_REFUSALS = 10;

/** Looks at each outcome and says when to stop. */
export class StopWatch {
	private failures = 0;
	private unanswered = 0;
	/** How many of the first rows were refused for each reason; undefined once the service itself responded. */
	private refusals: Map<string, number> | undefined = new Map();
	private reached = false;
	private awaySince: number | undefined;

	constructor(private readonly rules: StopRules) {}

	/** @param now Milliseconds on a clock that never jumps. @returns why the run has to stop, or undefined. */
	lookAttempt({ sent, code }: Pick<FailedAttempt, 'sent' | 'code'>, now: number): StopReason | undefined {
		if (sent) {
			this.noteReached();
			return undefined;
		}
		this.awaySince ??= now;
		const patience = this.reached ? PATIENCE_MS : PATIENCE_AT_START_MS;
		return now - this.awaySince < patience ? undefined : { kind: 'unreachable', why: code ?? 'no connection' };
	}

	private noteReached(): void {
		this.reached = true;
		this.awaySince = undefined;
	}

	/** @returns why the run has to stop after this outcome, or undefined. */
	look(outcome: Outcome): StopReason | undefined {
		if (outcome.status !== undefined) this.noteReached();
		if (outcome.status === 401 && wentWrong(outcome)) return { kind: 'unauthorized', outcome };
		if (outcome.code === 'wait_too_long') return { kind: 'asked-to-wait', outcome };
		const isBad = wentWrong(outcome);
		if (isBad) {
			this.failures++;
			if (this.rules.stopOnError) return { kind: 'failure', outcome };
			const { maxFailures } = this.rules;
			if (maxFailures !== undefined && this.failures > maxFailures) {
				return { kind: 'too-many-failures', limit: maxFailures };
			}
		}
		const rows = this.countRefusal(outcome);
		if (rows >= SAME_REFUSALS) return { kind: 'same-refusal', outcome, rows };
		const served = outcome.status !== undefined && isServed(outcome.status);
		this.unanswered = isBad && !served ? this.unanswered + 1 : 0;
		if (this.unanswered >= UNANSWERED_ROWS + this.rules.concurrency) {
			return { kind: 'unreachable', why: outcome.message ?? outcome.code ?? 'no response' };
		}
		return undefined;
	}

	/** How many of the first rows ended like this one; 0 once the service itself responded. */
	private countRefusal(outcome: Outcome): number {
		if (outcome.status === undefined || this.refusals === undefined) return 0;
		if (!isFromElsewhere(outcome)) {
			if (isServed(outcome.status)) this.refusals = undefined;
			return 0;
		}
		const reason = `${outcome.status} ${outcome.code}`;
		const rows = (this.refusals.get(reason) ?? 0) + 1;
		this.refusals.set(reason, rows);
		return rows;
	}
}
