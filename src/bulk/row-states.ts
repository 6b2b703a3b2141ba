/** What a journal knows of each row, in one byte. */

import type { OutcomeName } from '../http/outcome.js';
import { outcomeNames } from './counts.js';
import { RowNumbers } from './row-numbers.js';

/** The outcome: its place among the outcomes' names, from 1; 0 where there is none. */
export const OUTCOME = 0b0000_0111;
/** Failed by 401, and by 403. */
export const UNAUTHORIZED = 0b0000_1000;
export const FORBIDDEN = 0b0001_0000;
/** Failed because the row has to be edited, or skipped as a conflict. */
export const REFUSED = 0b0010_0000;
/** On its way, with no word of what became of it yet. */
export const SENT = 0b0100_0000;
/** An attempt may have been carried out without our knowing. */
export const LOST = 0b1000_0000;

export class RowStates {
	readonly #states = new RowNumbers(Uint8Array);
	/** Set where lines are missing: then no row's silence means that it was not sent. */
	doubtful = false;
	/** Set where a process that marks no sending was killed: a row without an outcome may have been under way. */
	silent = false;

	/** @internal */
	get(row: number): number {
		return this.#states.get(row);
	}

	/** @internal */
	set(row: number, state: number): void {
		this.#states.set(row, state);
	}

	/** The row's last outcome. */
	outcomeOf(row: number): OutcomeName | undefined {
		return outcomeNames[(this.get(row) & OUTCOME) - 1];
	}

	/** ok, differs, failed other than by 401, invalid and skipped are done; a resume sends all others. */
	isDone(row: number): boolean {
		return isDoneState(this.get(row));
	}

	/** The last row that is done; 0 where none is. */
	get lastDone(): number {
		return this.#states.findLast(isDoneState);
	}

	/** Whether a row that is not done may have been carried out all the same. */
	maybeSent(row: number): boolean {
		const state = this.get(row);
		return this.doubtful || (state & (SENT | LOST)) !== 0 || (this.silent && (state & OUTCOME) === 0);
	}
}

const DONE: ReadonlySet<OutcomeName> = new Set(['ok', 'differs', 'failed', 'invalid', 'skipped']);

export function isDoneState(state: number): boolean {
	const outcome = outcomeNames[(state & OUTCOME) - 1];
	return outcome !== undefined && DONE.has(outcome) && (state & UNAUTHORIZED) === 0;
}
