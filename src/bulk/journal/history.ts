/** What became of each row, folded from a journal's records; resume, retry, undo, rejects and reports share it. */

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

/** In pages, so that a damaged row number claims no memory. */
export class RowNumbers {
	readonly #pages = new Map<number, Numbers>();

	/** @param kind for the largest number */
	constructor(private readonly kind: new (length: number) => Numbers) {}

	/** 0 if none was set. */
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

	/** In order. */
	*rows(): Generator<number> {
		for (const [page, values] of [...this.#pages].sort(([left], [right]) => left - right)) {
			for (let at = 0; at < PAGE; at++) if (values[at] !== 0) yield page * PAGE + at;
		}
	}
}

/** Values are read from the journal when needed. */
export interface RowHistory {
	readonly outcome: OutcomeName | undefined;
	readonly mayBeApplied: boolean;
	readonly mayBePartly: boolean;
}

/** Two bytes for each row's state, four for its IDs. */
export class RowStates {
	readonly #states = new RowNumbers(Uint16Array);
	readonly #ids = new RowNumbers(Uint32Array);
	/** Lines are missing: rows without a record may have been sent. */
	doubtful = false;
	/** 0 for none. */
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

	outcomeOf(row: number): OutcomeName | undefined {
		return outcomeIn(this.get(row));
	}

	isDone(row: number): boolean {
		return isDoneState(this.get(row));
	}

	isRecorded(row: number): boolean {
		return (this.get(row) & RECORDED) !== 0;
	}

	maybeSent(row: number): boolean {
		return this.doubtful || (this.get(row) & APPLIED) !== 0;
	}

	/** At any time of the run. */
	mayBeWritten(row: number): boolean {
		return (this.get(row) & (APPLIED | PARTLY | WRITTEN)) !== 0 || (this.doubtful && !this.isDone(row));
	}

	isAbout(row: number, ids: Readonly<Record<string, string>>): boolean {
		const known = this.#ids.get(row);
		return known === 0 || known === hashOf(Object.values(ids));
	}

	add(row: number, bits: number): void {
		this.#states.set(row, this.get(row) | bits);
	}

	/** What earlier attempts left open stays. */
	record(row: number, record: Json, outcome: OutcomeName): void {
		const open = this.get(row) & (APPLIED | PARTLY | WRITTEN);
		const { status, code } = record;
		this.#states.set(row, stateOf({ outcome, status, code }) | open | RECORDED);
		const ids = Object.keys(record).filter((name) => isIdName(name));
		this.#ids.set(row, hashOf(ids.map((name) => String(record[name]))));
	}

	/** Its record is about a different object. */
	forget(row: number): void {
		this.#states.set(row, APPLIED);
	}

	/** Starts a part of the run that sends rows with these outcomes again. */
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

const NAMED_LINES = 100;

export class JournalScan {
	readonly states = new RowStates();
	/** By the last outcome of each row. */
	readonly counts = createCounts();
	done = 0;
	/** Undefined if the journal can't say. */
	inFlight: number | undefined = 0;
	/** Not at the journal's end. */
	readonly corrupt: { line: number; reason: string }[] = [];
	corruptLines = 0;
	/** Whole lines, then an unfinished one. */
	validBytes = 0;
	tornBytes = 0;
	/** Undefined if the run did not end. */
	end: EndRecord | undefined;
	resumes = 0;
	/** Rows with old values. */
	snapshots = 0;
	/** Of the last part. */
	concurrency: number;

	constructor(readonly header: RunHeader) {
		this.concurrency = header.concurrency;
	}

	/** Rows may have been under way. */
	get wasKilled(): boolean {
		return this.end === undefined;
	}

	/** In order. @returns what is wrong with it */
	take(record: Json): string | undefined {
		const { type, row } = record;
		if (type === 'end') {
			this.end = endRecordOf(record);
			return this.end === undefined ? 'an incomplete end' : undefined;
		}
		if (type === 'resume') this.begin(record);
		// The run goes on.
		this.end = undefined;
		if (type === 'resume' || type === 'tick' || type === 'name') return undefined;
		const { last, rows } = this.header.input;
		if (!isCount(row) || row < 1 || row > (last ?? rows)) return "a row that isn't in the input";
		if (type === 'row') {
			const outcome = record.outcome as OutcomeName;
			if (!outcomeNames.includes(outcome)) return 'an unknown outcome';
			this.states.record(row, record, outcome);
		} else if (type === 'attempt') {
			if (record.lost === true) this.states.add(row, APPLIED);
			if (record.partly === true) this.states.add(row, PARTLY);
		} else if (type === 'before') this.snapshots++;
		else return 'a record of an unknown kind';
		return undefined;
	}

	begin({ again, concurrency }: Json): void {
		this.states.begin(Array.isArray(again) ? again : [], this.end !== undefined);
		if (isCount(concurrency)) this.concurrency = concurrency;
		this.end = undefined;
		this.resumes++;
	}

	damage(line: number, reason: string): void {
		this.corruptLines++;
		this.states.doubtful = true;
		if (this.corrupt.length < NAMED_LINES) this.corrupt.push({ line, reason });
	}

	/** Earlier outcomes of a row don't count. */
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
				this.states.lastDone = row;
			} else if ((state & APPLIED) !== 0) inFlight++;
		}
		this.inFlight = this.wasKilled ? undefined : inFlight;
	}
}

/** Rows that can have been under way in a killed process: rows start in order, one for each object. */
export class UnderWay {
	readonly #keys = new Set<string>();

	constructor(private readonly scan: JournalScan) {}

	get isFull(): boolean {
		return !this.scan.wasKilled || this.#keys.size >= this.scan.concurrency;
	}

	/** Ask for each row that isn't done, in order. */
	has(row: number, key: string): boolean {
		if (this.isFull || this.scan.states.isRecorded(row) || this.#keys.has(key)) return false;
		this.#keys.add(key);
		return true;
	}
}
