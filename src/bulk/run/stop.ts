/** When a run stops before its end, and why; decisions over outcomes alone. */

import { isFromElsewhere, isServed } from '../../http/judge.js';
import { type RowOutcome, wentWrong } from '../../http/outcome.js';
import type { FailedAttempt } from '../../http/send.js';

export type StopReason =
	| { kind: 'signal' }
	| { kind: 'unauthorized'; outcome: RowOutcome }
	| { kind: 'failure'; outcome: RowOutcome }
	| { kind: 'too-many-failures'; limit: number }
	| { kind: 'unreachable'; why: string }
	| { kind: 'same-refusal'; outcome: RowOutcome; rows: number }
	| { kind: 'asked-to-wait'; outcome: RowOutcome };

export interface StopRules {
	stopOnError: boolean;
	maxFailures: number | undefined;
	/** How many rows may be under way, which is how many may fail together for one reason. */
	concurrency: number;
}

/** How long connections may be refused before the run stops, in milliseconds: a service that was there is waited for. */
const AWAY_AT_START_MS = 8000;
const AWAY_MS = 5 * 60_000;

/** So many rows in a row without any response, beyond those under way, mean that the service is gone. */
const LOST_ROWS = 10;

/** So many first rows that something else than the service refused for one reason mean that all others would be, too. */
const SAME_REFUSALS = 10;

/** Looks at each outcome and says when to stop. */
export class StopWatch {
	private failures = 0;
	/** How many of the last rows had no response of the service. */
	private lost = 0;
	/** How many of the first rows were refused for each reason; undefined once the service itself responded. */
	private refusals: Map<string, number> | undefined = new Map();
	private wasReached = false;
	private awaySince: number | undefined;

	constructor(private readonly rules: StopRules) {}

	/** @param now Milliseconds on a clock that never jumps. @returns why the run has to stop, or undefined. */
	lookAttempt({ sent, code }: Pick<FailedAttempt, 'sent' | 'code'>, now: number): StopReason | undefined {
		if (sent) {
			this.noteReached();
			return undefined;
		}
		this.awaySince ??= now;
		const limit = this.wasReached ? AWAY_MS : AWAY_AT_START_MS;
		return now - this.awaySince < limit ? undefined : { kind: 'unreachable', why: code ?? 'no connection' };
	}

	private noteReached(): void {
		this.wasReached = true;
		this.awaySince = undefined;
	}

	/** @returns why the run has to stop after a read that belongs to a row, whatever becomes of the row. */
	lookRead(outcome: RowOutcome): StopReason | undefined {
		return outcome.code === 'wait_too_long' ? { kind: 'asked-to-wait', outcome } : undefined;
	}

	/** @returns why the run has to stop after this outcome, or undefined. */
	look(outcome: RowOutcome): StopReason | undefined {
		const { status, code, message } = outcome;
		const { stopOnError, maxFailures, concurrency } = this.rules;
		const isBad = wentWrong(outcome);
		const isFromService = status !== undefined && isServed(status);
		if (status !== undefined) this.noteReached();
		if (status === 401 && isBad) return { kind: 'unauthorized', outcome };
		const putOff = this.lookRead(outcome);
		if (putOff !== undefined) return putOff;
		if (isBad) {
			this.failures++;
			if (stopOnError) return { kind: 'failure', outcome };
			if (maxFailures !== undefined && this.failures > maxFailures) {
				return { kind: 'too-many-failures', limit: maxFailures };
			}
		}
		if (isFromElsewhere(outcome)) {
			const reason = `${status} ${code}`;
			const rows = (this.refusals?.get(reason) ?? 0) + 1;
			this.refusals?.set(reason, rows);
			if (this.refusals !== undefined && rows >= SAME_REFUSALS) return { kind: 'same-refusal', outcome, rows };
		} else if (isFromService) this.refusals = undefined;
		this.lost = isBad && !isFromService ? this.lost + 1 : 0;
		if (this.lost < LOST_ROWS + concurrency) return undefined;
		return { kind: 'unreachable', why: message ?? code ?? 'no response' };
	}
}
