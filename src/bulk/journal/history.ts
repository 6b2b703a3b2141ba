/** What became of each row, folded from the records of a journal in their order; resume, retry, undo, rejects and reports share it. */

import type { OutcomeName } from '../../http/outcome.js';
import { hashKey, type RunHeader } from '../run/plan.js';
import {
	APPLIED,
	countState,
	createCounts,
	isDoneState,
	outcomeIn,
	outcomeNames,
	PARTLY,
	RECORDED,
	REOPENED,
	stateOf,
	WRITTEN,
} from './counts.js';
import { type EndRecord, endRecordOf, isCount, isIdName, type Json } from './records.js';

const PAGE_BITS = 12;
const PAGE = 1 << PAGE_BITS;

type Numbers = Uint16Array | Uint32Array | Float64Array;

/** A number for each row of a run, in pages, so that neither a large input nor a damaged row number claims memory. */
export class RowNumbers {
	readonly #pages = new Map<number, Numbers>();

	/** @param kind The kind of array that holds the largest number. */
	constructor(private readonly kind: new (length: number) => Numbers) {}

	/** The row's number; 0 where none was set. */
	get(row: number): number {
		return this.#pages.get(row >>> PAGE_BITS)?.[row & (PAGE - 1)] ?? 0;
	}

	set(row: number, value: number): void {
		let page = this.#pages.get(row >>> PAGE_BITS);
		if (page === undefined) {
			page = new this.kind(PAGE);
			this.#pages.set(row >>> PAGE_BITS, page);
		}
		page[row & (PAGE - 1)] = value;
	}

	/** The rows whose number is not 0, in order. */
	*rows(): Generator<number> {
		for (const [page, values] of [...this.#pages].sort(([left], [right]) => left - right)) {
			for (let at = 0; at < PAGE; at++) if (values[at] !== 0) yield page * PAGE + at;
		}
	}
}

/** The history of a row, as far as it is kept in memory; values are read from the journal where they are needed. */
export interface RowHistory {
	/** The last one. */
	readonly outcome: OutcomeName | undefined;
	/** An attempt may have been applied without our knowing. */
	readonly mayBeApplied: boolean;
	/** The service failed after it may have applied a part. */
	readonly mayBePartly: boolean;
}

/** What a journal knows of each row: two bytes for what became of it, and four for its IDs. */
export class RowStates {
	readonly #states = new RowNumbers(Uint16Array);
	readonly #ids = new RowNumbers(Uint32Array);
	/** Set where lines are missing: then the absence of a record does not mean that a row was not sent. */
	doubtful = false;
	/** The last row that is done; 0 where none is. */
	lastDone = 0;

	get(row: number): number {
		return this.#states.get(row);
	}

	rows(): Generator<number> {
		return this.#states.rows();
	}

	history(row: number): RowHistory {
		const state = this.get(row);
		return {
			outcome: outcomeIn(state),
			mayBeApplied: this.maybeSent(row),
			mayBePartly: (state & PARTLY) !== 0,
		};
	}

	/** The row's last outcome. */
	outcomeOf(row: number): OutcomeName | undefined {
		return outcomeIn(this.get(row));
	}

	isDone(row: number): boolean {
		return isDoneState(this.get(row));
	}

	/** Whether the row has an outcome since the last resume. */
	isRecorded(row: number): boolean {
		return (this.get(row) & RECORDED) !== 0;
	}

	/** Whether an attempt may have been applied without our knowing. */
	maybeSent(row: number): boolean {
		return this.doubtful || (this.get(row) & APPLIED) !== 0;
	}

	/** Whether the row's object may have held its values at any time of the run. */
	mayBeWritten(row: number): boolean {
		return (this.get(row) & (APPLIED | PARTLY | WRITTEN)) !== 0 || (this.doubtful && !this.isDone(row));
	}

	/** Whether the row's records are about these IDs. */
	isAbout(row: number, ids: Readonly<Record<string, string>>): boolean {
		const known = this.#ids.get(row);
		return known === 0 || known === hashOf(Object.values(ids));
	}

	add(row: number, bits: number): void {
		this.#states.set(row, this.get(row) | bits);
	}

	/** Takes an outcome; what earlier attempts left open stays. */
	record(row: number, record: Json, outcome: OutcomeName): void {
		const open = this.get(row) & (APPLIED | PARTLY | WRITTEN);
		const { status, code } = record;
		this.#states.set(row, stateOf({ outcome, status, code }) | open | RECORDED);
		const ids = Object.keys(record).filter((name) => isIdName(name));
		this.#ids.set(row, hashOf(ids.map((name) => String(record[name]))));
	}

	/** Forgets the outcome of a row whose record is about another object. */
	forget(row: number): void {
		this.#states.set(row, APPLIED);
	}

	/** Begins another part of the run, in which rows with these outcomes are sent again. */
	begin(again: readonly unknown[], wasEnded: boolean): void {
		for (const row of this.rows()) {
			const state = this.get(row) & ~RECORDED & ~(wasEnded ? REOPENED : 0);
			this.#states.set(row, again.includes(outcomeIn(state)) ? state | REOPENED : state);
		}
	}
}

function hashOf(ids: readonly string[]): number {
	return hashKey(ids.join('/')) || 1;
}

/** How many damaged lines are named. */
const NAMED_LINES = 100;

/** What a journal says. */
export class JournalScan {
	readonly states = new RowStates();
	/** By the last outcome of each row; rows without one are not counted. */
	readonly counts = createCounts();
	/** Rows that a resume leaves alone. */
	done = 0;
	/** Rows that may have been sent without an outcome being known; undefined where the journal can't say how many. */
	inFlight: number | undefined = 0;
	/** The first lines that are not records although the journal goes on behind them. */
	readonly corrupt: { line: number; reason: string }[] = [];
	corruptLines = 0;
	/** The bytes of whole lines, and those behind them, of a line that was never finished. */
	validBytes = 0;
	tornBytes = 0;
	/** The last record, where it says that the run came to an end. */
	end: EndRecord | undefined;
	resumes = 0;
	/** Whether old values were kept, so that the run can be undone. */
	snapshots = 0;
	/** How many rows could be under way at a time in the last part of the run. */
	concurrency: number;

	constructor(readonly header: RunHeader) {
		this.concurrency = header.concurrency;
	}

	/** Whether the last part of the run was killed: rows may have been under way. */
	get wasKilled(): boolean {
		return this.end === undefined;
	}

	/** Takes a record, in the order of the file. @returns what is wrong with it */
	take(record: Json): string | undefined {
		const { type, row } = record;
		if (type === 'end') {
			this.end = endRecordOf(record);
			return this.end === undefined ? 'an incomplete end' : undefined;
		}
		if (type === 'resume') this.begin(record);
		// Something came after the end: the run goes on.
		this.end = undefined;
		if (type === 'resume' || type === 'tick' || type === 'name') return undefined;
		const { last, rows } = this.header.input;
		if (!isCount(row) || row < 1 || row > (last ?? rows)) return 'a row that the input does not have';
		if (type === 'row') {
			const outcome = record.outcome as OutcomeName;
			if (!outcomeNames.includes(outcome)) return 'an unknown outcome';
			this.states.record(row, record, outcome);
		} else if (type === 'attempt') {
			if (record.lost === true) this.states.add(row, APPLIED);
		} else if (type === 'before') this.snapshots++;
		else return 'a record of an unknown kind';
		return undefined;
	}

	/** Takes the start of another part of the run. */
	begin({ again, concurrency }: Json): void {
		this.states.begin(Array.isArray(again) ? again : [], this.end !== undefined);
		if (isCount(concurrency)) this.concurrency = concurrency;
		this.end = undefined;
		this.resumes++;
	}

	/** Notes a line that is not a record that a run writes. */
	damage(line: number, reason: string): void {
		this.corruptLines++;
		this.states.doubtful = true;
		if (this.corrupt.length < NAMED_LINES) this.corrupt.push({ line, reason });
	}

	/** Adds up the rows: an earlier outcome of a row does not count. */
	finish(): void {
		// Rows that a retry was to send again and did not are done as before.
		if (this.end !== undefined) this.states.begin([], true);
		Object.assign(this.counts, createCounts());
		this.done = 0;
		let inFlight = 0;
		for (const row of this.states.rows()) {
			const state = this.states.get(row);
			countState(this.counts, state);
			if (isDoneState(state)) {
				this.done++;
				this.states.lastDone = row;
			} else if ((state & APPLIED) !== 0) inFlight++;
		}
		this.inFlight = this.wasKilled ? undefined : inFlight;
	}
}

/**
 * Rows that can have been under way when their process was killed: rows start in the order of the input, one of each
 * object and so many at a time, and none starts before an earlier one is recorded.
 */
export class UnderWay {
	readonly #keys = new Set<string>();

	constructor(private readonly scan: JournalScan) {}

	/** Whether all are found. */
	get isFull(): boolean {
		return !this.scan.wasKilled || this.#keys.size >= this.scan.concurrency;
	}

	/** To be asked for each own row that is not done, in the order of the input. */
	has(row: number, key: string): boolean {
		if (this.isFull || this.scan.states.isRecorded(row) || this.#keys.has(key)) return false;
		this.#keys.add(key);
		return true;
	}
}
