/** What became of each row, folded from a journal's records; resume, retry, undo, rejects and reports share it. */

import type { Request } from '../../api/request.js';
import type { History, OutcomeName } from '../../http/outcome.js';
import type { RunHeader } from '../plan.js';
import { ByRow } from './by-row.js';
import {
	APPLIED,
	countState,
	createCounts,
	isDoneState,
	KEPT,
	outcomeIn,
	PARTLY,
	RECORDED,
	REOPENED,
	type Recorded,
	stateOf,
	WRITTEN,
} from './counts.js';
import type { EndRecord, JournalRecord, LeavesRecord, ResumeRecord } from './records.js';

/** Two bytes a row: a run can have millions. */
export class RowStates {
	readonly #states = new ByRow(Uint16Array);
	/** Lines are missing: rows without a record may have been sent. */
	doubtful = false;

	get(row: number): number {
		return this.#states.get(row);
	}

	/** In ascending order. */
	*rows(): Generator<number> {
		for (const [row] of this.#states.entries()) yield row;
	}

	history(row: number): History {
		return { mayBeApplied: this.maybeSent(row), mayBePartly: (this.get(row) & PARTLY) !== 0 };
	}

	outcomeOf(row: number): OutcomeName | undefined {
		return outcomeIn(this.get(row));
	}

	isDone(row: number): boolean {
		return isDoneState(this.get(row));
	}

	/** Whether it has an outcome since the last resume. */
	isRecorded(row: number): boolean {
		return (this.get(row) & RECORDED) !== 0;
	}

	hasOldValues(row: number): boolean {
		return (this.get(row) & KEPT) !== 0;
	}

	/** Whether an attempt may have been applied without our knowing. */
	maybeSent(row: number): boolean {
		return this.doubtful || (this.get(row) & APPLIED) !== 0;
	}

	/** Whether the object may have held the row's values at any time of the run. */
	mayBeWritten(row: number): boolean {
		return (this.get(row) & (APPLIED | PARTLY | WRITTEN)) !== 0 || (this.doubtful && !this.isDone(row));
	}

	add(row: number, bits: number): void {
		this.#states.set(row, this.get(row) | bits);
	}

	/** Records that are not about a row leave all as it is. */
	take(record: JournalRecord): void {
		switch (record.type) {
			case 'row':
				this.record(record.row, record);
				break;
			case 'before':
				this.add(record.row, KEPT);
				break;
			case 'attempt':
				if (record.lost === true) this.add(record.row, APPLIED);
				if (record.partly === true) this.add(record.row, PARTLY);
				break;
			default:
		}
	}

	record(row: number, recorded: Recorded): void {
		const open = this.get(row) & (APPLIED | PARTLY | WRITTEN | KEPT);
		this.#states.set(row, stateOf(recorded) | open | RECORDED);
	}

	/** Starts a part of the run that sends rows with these outcomes again. */
	begin(again: readonly OutcomeName[], wasEnded: boolean): void {
		for (const [row, before] of this.#states.entries()) {
			const state = before & ~RECORDED & ~(wasEnded ? REOPENED : 0);
			const outcome = outcomeIn(state);
			const isAgain = outcome !== undefined && again.includes(outcome);
			this.#states.set(row, isAgain ? state | REOPENED : state);
		}
	}
}

export class JournalScan {
	readonly states = new RowStates();
	readonly counts = createCounts();
	done = 0;
	/** Undefined if the journal can't say. */
	inFlight: number | undefined = 0;
	/** Not those at the end, which a killed process leaves. */
	readonly corrupt: { line: number; reason: string }[] = [];
	/** Whole lines; an unfinished one may follow, and a resume writes over it. */
	validBytes = 0;
	tornBytes = 0;
	/** Undefined if the run did not end. */
	end: EndRecord | undefined;
	resumes = 0;
	/** Rows with old values. */
	snapshots = 0;
	readonly leaves: LeavesRecord[] = [];
	concurrency: number;

	constructor(readonly header: RunHeader) {
		this.concurrency = header.concurrency;
	}

	/** Then rows may have been under way. */
	get wasKilled(): boolean {
		return this.end === undefined;
	}

	/** @returns what is wrong with it */
	take(record: JournalRecord): string | undefined {
		// A resume asks how the part before it ended.
		if (record.type !== 'resume') this.end = undefined;
		if ('row' in record && !this.#isInInput(record.row)) return "a row that isn't in the input";
		this.states.take(record);
		switch (record.type) {
			case 'before':
				this.snapshots++;
				break;
			case 'resume':
				this.begin(record);
				break;
			case 'leaves':
				this.leaves.push(record);
				break;
			case 'end':
				this.end = record;
				break;
			case 'row':
			case 'attempt':
			case 'tick':
			case 'name':
			case 'called':
			case 'other':
				break;
			default:
				record satisfies never;
		}
		return undefined;
	}

	#isInInput(row: number): boolean {
		const { last, rows } = this.header.input;
		return row <= (last ?? rows);
	}

	begin({ again = [], concurrency }: Pick<ResumeRecord, 'again' | 'concurrency'>): void {
		this.states.begin(again, this.end !== undefined);
		this.concurrency = concurrency;
		// Something came after the end: the run went on.
		this.end = undefined;
		this.resumes++;
	}

	/** A line that is no record that a run writes. */
	damage(line: number, reason: string): void {
		this.states.doubtful = true;
		this.corrupt.push({ line, reason });
	}

	finish(): void {
		// Rows that a retry did not reach are done as before.
		if (this.end !== undefined) this.states.begin([], true);
		Object.assign(this.counts, createCounts());
		this.done = 0;
		let inFlight = 0;
		for (const row of this.states.rows()) {
			const state = this.states.get(row);
			countState(this.counts, state);
			if (isDoneState(state)) {
				this.done++;
			} else if ((state & APPLIED) !== 0) inFlight++;
		}
		this.inFlight = this.wasKilled ? undefined : inFlight;
	}
}

/**
 * Rows that can have been under way in a killed process: rows start in order, one for each object, and no row is sent
 * before the journal has its old values.
 */
export class UnderWay {
	readonly #keys = new Set<string>();

	constructor(private readonly scan: JournalScan) {}

	/** To be asked for each row that isn't done, in order. */
	has(row: number, { key, permanent }: Pick<Request, 'key' | 'permanent'>): boolean {
		const { wasKilled, concurrency, states, header } = this.scan;
		if (!wasKilled || this.#keys.size >= concurrency) return false;
		if (states.isRecorded(row) || this.#keys.has(key)) return false;
		this.#keys.add(key);
		const savesOldValues = header.plan.checks.snapshot && permanent !== true;
		return !savesOldValues || states.hasOldValues(row);
	}
}
