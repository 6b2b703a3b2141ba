/** When a run stops early, and why. */

import { counted } from '../../api/names.js';
import { ExitCode, FailedError } from '../../errors.js';
import { isAboutOneObject } from '../../http/judge.js';
import { type Outcome, type RowOutcome, wentWrong } from '../../http/outcome.js';
import { WAIT_TOO_LONG } from '../../http/send.js';
import type { StopRules } from '../plan.js';
import { NOT_READ } from './settle.js';

export type StopReason =
	| { kind: 'signal' }
	| { kind: 'unauthorized'; outcome: RowOutcome }
	| { kind: 'failure'; outcome: RowOutcome }
	| { kind: 'too-many-failures'; limit: number }
	| { kind: 'unreachable'; why: string }
	/** Nothing that the first rows would change could be read. */
	| { kind: 'unreadable'; outcome: RowOutcome; rows: number }
	| { kind: 'same-refusal'; outcome: RowOutcome; rows: number }
	| { kind: 'asked-to-wait'; outcome: Outcome }
	/** Milliseconds since 1970. */
	| { kind: 'out-of-time'; until: number };

interface StopFacts {
	/** Whether it stopped nothing if it came behind the last row, or if no row was left open by then. */
	readonly comesTooLate: 'always' | 'if done' | 'never';
	/** A person or a system asked for it. */
	readonly interrupts: boolean;
	/** What the run exits with. @param rows what its rows come to @param outcome of the row that found out */
	exit(rows: ExitCode, outcome: Outcome | undefined): ExitCode;
}

const asRows = (rows: ExitCode): ExitCode => rows;
const byRows = { comesTooLate: 'never', interrupts: false, exit: asRows } as const;

/** A member that lacks a column does not compile. */
const stopFacts: Readonly<Record<StopReason['kind'], StopFacts>> = {
	signal: { comesTooLate: 'if done', interrupts: true, exit: asRows },
	// Whatever became of the row that found out.
	unauthorized: { ...byRows, exit: () => ExitCode.refused },
	failure: byRows,
	'too-many-failures': byRows,
	unreachable: byRows,
	unreadable: byRows,
	'same-refusal': { ...byRows, exit: (rows, outcome) => (outcome?.forbidden ? ExitCode.refused : rows) },
	'asked-to-wait': byRows,
	'out-of-time': {
		comesTooLate: 'always',
		interrupts: false,
		// Rows that were left have not failed.
		exit: (rows) => (rows === ExitCode.failed ? ExitCode.partial : rows),
	},
};

/** @param hasOpen whether rows that were reached are open */
export function isTooLate({ kind }: StopReason, hasOpen: boolean): boolean {
	const { comesTooLate } = stopFacts[kind];
	return comesTooLate === 'always' || (comesTooLate === 'if done' && !hasOpen);
}

export function isInterruption(reason: StopReason | undefined): boolean {
	return reason !== undefined && stopFacts[reason.kind].interrupts;
}

/** @param rows the exit code by what became of the rows */
export function exitCodeAfter(reason: StopReason | undefined, rows: ExitCode): ExitCode {
	if (reason === undefined) return rows;
	return stopFacts[reason.kind].exit(rows, 'outcome' in reason ? reason.outcome : undefined);
}

/** A service that was there is waited for longer. */
const AWAY_AT_START_MS = 8000;
const AWAY_MS = 5 * 60_000;

/** Rows in a row without a response, beyond those under way: the service is gone. */
const LOST_ROWS = 10;

/** If the first rows are refused for one reason, the others would be too. */
const SAME_REFUSALS = 20;

/** Before a run's first write. @throws FailedError if the service asks for a longer wait than a run makes */
export function checkNotPutOff({ code, message }: Outcome): void {
	if (code !== WAIT_TOO_LONG) return;
	throw new FailedError(`${message}; nothing was sent`, { code, hint: 'try again then' });
}

/** Looks at each outcome and says when to stop. */
export class StopWatch {
	#failures = 0;
	#lost = 0;
	/** Undefined once a row was served, or refused for a different reason. */
	#refusals: { reason?: string; rows: number } | undefined = { rows: 0 };
	/** Of the first rows, those that could not be read, for whatever reason; undefined once one was. */
	#unread: number | undefined = 0;
	#wasReached = false;
	/** Since then there was no connection, or no response but those of a gateway. */
	#awaySince: number | undefined;

	/** @param concurrency so many rows may fail together for one reason */
	constructor(
		private readonly rules: StopRules,
		private readonly concurrency: number,
	) {}

	lookAttempt({ retry, code }: Pick<Outcome, 'retry' | 'code'>, now: number): StopReason | undefined {
		if (retry !== 'unsent') this.#wasReached = true;
		if (retry !== 'unsent' && retry !== 'lost') {
			this.#awaySince = undefined;
			return undefined;
		}
		this.#awaySince ??= now;
		const limit = this.#wasReached ? AWAY_MS : AWAY_AT_START_MS;
		return now - this.#awaySince < limit ? undefined : { kind: 'unreachable', why: code ?? 'no connection' };
	}

	/** @returns why the run has to stop after a read, whatever becomes of its row */
	lookRead(outcome: Outcome): StopReason | undefined {
		return outcome.code === WAIT_TOO_LONG ? { kind: 'asked-to-wait', outcome } : undefined;
	}

	/** @returns why the run has to stop */
	look(outcome: RowOutcome): StopReason | undefined {
		const { status, code, message, signedOut, busy } = outcome;
		const { onError, maxFailures } = this.rules;
		const isBad = wentWrong(outcome);
		if (status !== undefined) this.#wasReached = true;
		if (status !== undefined && !busy) this.#awaySince = undefined;
		if (signedOut && isBad) return { kind: 'unauthorized', outcome };
		const putOff = this.lookRead(outcome);
		if (putOff !== undefined) return putOff;
		if (isBad) {
			this.#failures++;
			if (onError) return { kind: 'failure', outcome };
			if (maxFailures !== undefined && this.#failures > maxFailures) {
				return { kind: 'too-many-failures', limit: maxFailures };
			}
		}
		if (code !== NOT_READ) this.#unread = undefined;
		else if (this.#unread !== undefined && ++this.#unread >= SAME_REFUSALS) {
			return { kind: 'unreadable', outcome, rows: this.#unread };
		}
		const rows = this.#countRefusal(outcome);
		if (rows >= SAME_REFUSALS) return { kind: 'same-refusal', outcome, rows };
		const isFromService = status !== undefined && !busy;
		this.#lost = isBad && !isFromService ? this.#lost + 1 : 0;
		if (this.#lost < LOST_ROWS + this.concurrency) return undefined;
		return { kind: 'unreachable', why: message ?? code ?? 'no response' };
	}

	/** 0 unless all were for one reason. */
	#countRefusal(outcome: RowOutcome): number {
		const refusals = this.#refusals;
		if (refusals === undefined) return 0;
		const { status, code, message = '', busy, notServed: isElsewhere = false } = outcome;
		// A page leaves a write unknown.
		if (outcome.outcome !== 'failed' && !isElsewhere) {
			if (!wentWrong(outcome)) this.#refusals = undefined;
			return 0;
		}
		if (!isElsewhere && (busy || isAboutOneObject(outcome))) return 0;
		// IDs make no difference; pages differ in more.
		const words = isElsewhere ? '' : message.replace(/\d+/g, '#');
		const reason = `${status} ${code} ${words}`;
		refusals.reason ??= reason;
		if (refusals.reason === reason) return ++refusals.rows;
		this.#refusals = undefined;
		return 0;
	}
}

const messageOf = ({ message, code, outcome }: Outcome): string => message ?? code ?? outcome;

/** Also kept in the journal, for `run show`. */
export function whyStopped(reason: StopReason): string {
	switch (reason.kind) {
		case 'signal':
			return 'interrupted';
		case 'unauthorized': {
			const { message = 'no reason given' } = reason.outcome;
			return `stopped: the service refused the credentials (401: ${message})`;
		}
		case 'failure':
			return `stopped at row ${reason.outcome.row}: it failed (--stop-on-error)`;
		case 'too-many-failures':
			return `stopped: ${counted(reason.limit + 1, 'row')} failed or are unknown (--max-failures ${reason.limit})`;
		case 'unreadable':
			return `stopped: none of the first ${reason.rows} rows could be read: ${messageOf(reason.outcome)}`;
		case 'same-refusal':
			return `stopped: the first ${reason.rows} rows failed for the same reason: ${messageOf(reason.outcome)}`;
		case 'unreachable':
			return `stopped: the service could not be reached (${reason.why})`;
		case 'asked-to-wait':
			return `stopped: ${messageOf(reason.outcome)}`;
		case 'out-of-time':
			return `stopped at ${new Date(reason.until).toISOString()}: time is up`;
	}
}
