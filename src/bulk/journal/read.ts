/** Reads a journal from its start to its end in constant memory: what became of each row, and the rows' last records. */

import { closeSync, openSync, readSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { FailedError, fileProblem } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import { isDeletePlan, type RunHeader } from '../run/plan.js';
import { countState, createCounts, isDoneState, LOST, outcomeIn, outcomeNames, SENT, stateOf } from './counts.js';
import {
	type EndRecord,
	endRecordOf,
	isCount,
	isIdName,
	type Json,
	notAJournal,
	parseRecord,
	type RowRecord,
	readHeader,
	rowRecordOf,
	type TickRecord,
} from './records.js';

const CHUNK_BYTES = 64 * 1024;
/** Beyond any record that we write; a longer line is damage. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LF = 10;

/** Whole lines, many at a time; an over-long one as undefined. */
interface Lines {
	/** 1-based number of the first. */
	first: number;
	texts: (string | undefined)[];
	/** Where the last of them ends in the file. */
	end: number;
	/** The bytes of them all. */
	bytes: Buffer;
}

/** Reads whole lines; whatever stands behind the last line's end is left out. */
export async function* journalLines(path: string, maxLineBytes = MAX_LINE_BYTES): AsyncGenerator<Lines> {
	const handle = await open(path, 'r');
	try {
		const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
		let carry: Buffer[] = [];
		let carried = 0;
		let tooLong = false;
		let first = 1;
		let position = 0;
		for (;;) {
			const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
			if (bytesRead === 0) return;
			const chunk = buffer.subarray(0, bytesRead);
			const cut = chunk.lastIndexOf(LF) + 1;
			if (cut > 0) {
				const bytes = Buffer.concat([...carry, chunk.subarray(0, cut)]);
				const texts: (string | undefined)[] = bytes.toString('utf8').split('\n');
				texts.pop();
				if (tooLong) texts[0] = undefined;
				yield { first, texts, end: position + cut, bytes };
				first += texts.length;
				carry = [];
				carried = 0;
				tooLong = false;
			}
			if (carried + bytesRead - cut > maxLineBytes) {
				carry = [];
				carried = 0;
				tooLong = true;
			}
			if (!tooLong && cut < bytesRead) {
				carry.push(Buffer.from(chunk.subarray(cut)));
				carried += bytesRead - cut;
			}
			position += bytesRead;
		}
	} finally {
		await handle.close();
	}
}

const PAGE_BITS = 16;
const PAGE = 1 << PAGE_BITS;

/** A number for each row of a run, in pages, so that neither a large input nor a damaged row number claims memory. */
export class RowNumbers {
	readonly #pages = new Map<number, Uint8Array | Float64Array>();

	/** @param kind The kind of array that holds the largest number. */
	constructor(private readonly kind: typeof Uint8Array | typeof Float64Array) {}

	/** The row's number; 0 where none was set. */
	get(row: number): number {
		return this.#pages.get(row >>> PAGE_BITS)?.[row & (PAGE - 1)] ?? 0;
	}

	set(row: number, value: number): void {
		let page = this.#pages.get(row >>> PAGE_BITS);
		if (page === undefined) {
			if (value === 0) return;
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

	/** The last row whose number is accepted; 0 where none is. */
	findLast(accepts: (value: number) => boolean): number {
		for (const [page, values] of [...this.#pages].sort(([left], [right]) => right - left)) {
			const at = values.findLastIndex(accepts);
			if (at >= 0) return page * PAGE + at;
		}
		return 0;
	}
}

/** What a journal knows of each row. */
export class RowStates {
	readonly #states = new RowNumbers(Uint8Array);
	/** Set where lines are missing: then the absence of a record does not mean that a row was not sent. */
	doubtful = false;
	/** Set where a process that marks no sending was killed: a row without an outcome may have been under way. */
	silent = false;

	get(row: number): number {
		return this.#states.get(row);
	}

	set(row: number, state: number): void {
		this.#states.set(row, state);
	}

	/** The row's last outcome. */
	outcomeOf(row: number): OutcomeName | undefined {
		return outcomeIn(this.get(row));
	}

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
		return this.doubtful || (state & (SENT | LOST)) !== 0 || (this.silent && outcomeIn(state) === undefined);
	}
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
	/** The first lines that are no record although the journal goes on behind them. */
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
	#inFlight = 0;
	readonly #last: number;

	constructor(readonly header: RunHeader) {
		this.#last = header.input.last ?? header.input.rows;
	}

	/** Rows that may have been sent without an outcome being known; undefined where the journal can't say how many. */
	get inFlight(): number | undefined {
		return this.states.silent ? undefined : this.#inFlight;
	}

	/** A part of the run is over: the whole of it, or what came before a resume. */
	endPart(): void {
		if (!isDeletePlan(this.header.plan) && this.end === undefined) this.states.silent = true;
	}

	/** Takes a line, in the order of the file. @returns whether it is a record that a run writes */
	take(record: Json | string, line: number): record is Json {
		const reason = typeof record === 'string' ? record : this.#take(record);
		if (reason === undefined) return true;
		this.corruptLines++;
		this.states.doubtful = true;
		if (this.corrupt.length < NAMED_LINES) this.corrupt.push({ line, reason });
		return false;
	}

	/** @returns what is wrong with the record */
	#take(record: Json): string | undefined {
		const { type, row } = record;
		if (type === 'end') {
			this.end = endRecordOf(record);
			return this.end === undefined ? 'an incomplete end' : undefined;
		}
		if (type === 'resume') {
			this.endPart();
			this.resumes++;
		}
		// Something came after the end: the run goes on.
		this.end = undefined;
		if (type === 'resume' || type === 'tick' || type === 'user') return undefined;
		if (!isCount(row) || row < 1 || row > this.#last) return 'a row that the input does not have';
		const before = this.states.get(row);
		switch (type) {
			case 'row': {
				const outcome = record.outcome as OutcomeName;
				if (!outcomeNames.includes(outcome)) return 'an unknown outcome';
				this.#change(row, stateOf({ outcome, status: record.status, code: record.code }) | (before & LOST));
				return undefined;
			}
			case 'sent':
				// Sent again without a record of what became of it before: that was lost with its process.
				this.#change(row, before | ((before & SENT) === 0 ? SENT : SENT | LOST));
				return undefined;
			case 'attempt':
				// A response came: the row is not under way any more.
				this.#change(row, record.lost === true ? before | LOST : before & ~SENT);
				return undefined;
			case 'before':
				this.snapshots++;
				return undefined;
			default:
				return 'a record of an unknown kind';
		}
	}

	/** Counts follow the rows' states: an earlier outcome of the row no longer counts. */
	#change(row: number, state: number): void {
		const before = this.states.get(row);
		this.#count(before, -1);
		this.#count(state, 1);
		this.states.set(row, state);
	}

	#count(state: number, step: 1 | -1): void {
		countState(this.counts, state, step);
		if (isDoneState(state)) this.done += step;
		else if ((state & (SENT | LOST)) !== 0) this.#inFlight += step;
	}
}

/**
 * Reads a journal from its start to its last whole line.
 * @param watch Is given each good record behind the header too, with its place in the file, in bytes.
 * @throws FailedError for a file that is no journal
 */
export async function scanJournal(path: string, watch?: (record: Json, place: number) => void): Promise<JournalScan> {
	try {
		const { size } = await stat(path);
		let scan: JournalScan | undefined;
		for await (const { first, texts, end, bytes } of journalLines(path)) {
			let at = 0;
			for (let index = 0; index < texts.length; index++) {
				const place = end - bytes.length + at;
				at = bytes.indexOf(LF, at) + 1;
				if (scan === undefined) {
					scan = new JournalScan(readHeader(texts[index], path));
					continue;
				}
				const record = parseRecord(texts[index]);
				if (scan.take(record, first + index)) watch?.(record, place);
			}
			if (scan !== undefined) scan.validBytes = end;
		}
		if (scan === undefined) throw notAJournal(path, 'its first line was never finished, so nothing was sent');
		scan.endPart();
		scan.tornBytes = Math.max(0, size - scan.validBytes);
		return scan;
	} catch (error) {
		if (error instanceof FailedError) throw error;
		throw new FailedError(`can't read the journal ${path}: ${fileProblem(error)}`, {
			code: 'unreadable_journal',
			cause: error,
		});
	}
}

/** A journal whose rows' last records can be read, in any order: eight bytes a row are held for their places. */
export interface RecordFile {
	readonly scan: JournalScan;
	/** The names of the path ids, in their order; of invalid rows not all may be known. */
	readonly idNames: readonly string[];
	/** What happened over time. */
	readonly ticks: readonly TickRecord[];
	recordOf(row: number): RowRecord | undefined;
	/** Each row's last record, in the order of the rows. */
	records(isWanted?: (outcome: OutcomeName) => boolean): Generator<RowRecord>;
	close(): void;
}

const TICK_KEYS = ['at', 'ms', 'rows', 'retries', 'refused'] as const satisfies (keyof TickRecord)[];

/** @throws FailedError for a file that is no journal */
export async function openRecords(path: string): Promise<RecordFile> {
	const places = new RowNumbers(Float64Array);
	const ticks: TickRecord[] = [];
	let idNames: string[] = [];
	let isComplete = false;
	const scan = await scanJournal(path, (record, place) => {
		if (record.type === 'tick' && TICK_KEYS.every((key) => isCount(record[key]))) {
			ticks.push(record as unknown as TickRecord);
		}
		if (record.type !== 'row') return;
		places.set(record.row as number, place);
		if (isComplete) return;
		const names = Object.keys(record).filter((name) => isIdName(name) && typeof record[name] === 'string');
		isComplete = record.outcome !== 'invalid';
		if (isComplete || names.length > idNames.length) idNames = names;
	});
	const fd = openSync(path, 'r');
	const lineAt = lineReader(fd);
	const recordOf = (row: number): RowRecord | undefined => {
		const place = places.get(row);
		const json = place === 0 ? 'no record' : parseRecord(lineAt(place));
		return typeof json === 'string' ? undefined : rowRecordOf(json);
	};
	function* records(isWanted?: (outcome: OutcomeName) => boolean): Generator<RowRecord> {
		for (const row of places.rows()) {
			const outcome = scan.states.outcomeOf(row);
			const record = outcome === undefined || isWanted?.(outcome) === false ? undefined : recordOf(row);
			if (record !== undefined) yield record;
		}
	}
	return { scan, idNames, ticks, recordOf, records, close: () => closeSync(fd) };
}

/** Reads lines by their place in a file; neighbours come from one read. Empty where there is no whole line. */
export function lineReader(fd: number): (place: number) => string {
	let window = Buffer.alloc(CHUNK_BYTES);
	let start = -1;
	let length = 0;
	return (place) => {
		for (;;) {
			const from = place - start;
			const end = from < 0 || from >= length ? -1 : window.subarray(0, length).indexOf(LF, from);
			if (end >= 0) return window.toString('utf8', from, end);
			if (from === 0 && (length < window.length || length > MAX_LINE_BYTES)) return '';
			if (from === 0) window = Buffer.alloc(2 * window.length);
			start = place;
			length = readSync(fd, window, 0, window.length, start);
		}
	};
}
