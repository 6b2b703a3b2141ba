/** Reads a journal from its start to its end in constant memory: what became of each row, and the rows' last records. */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
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
const LF = 10;

/** Reads whole lines by their place in a file, in bytes; neighbours come from one read. Undefined behind the last one. */
export function lineReader(fd: number): (place: number) => { text: string; end: number } | undefined {
	let window = Buffer.alloc(CHUNK_BYTES);
	let start = -1;
	let length = 0;
	return (place) => {
		for (;;) {
			const from = place - start;
			const at = from < 0 || from >= length ? -1 : window.indexOf(LF, from);
			if (at >= 0 && at < length) return { text: window.toString('utf8', from, at), end: start + at + 1 };
			if (from === 0 && length < window.length) return undefined;
			if (from === 0) window = Buffer.alloc(2 * window.length);
			start = place;
			length = readSync(fd, window, 0, window.length, start);
		}
	};
}

const PAGE_BITS = 12;
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

/** What a journal knows of each row. */
class RowStates extends RowNumbers {
	/** Set where lines are missing: then the absence of a record does not mean that a row was not sent. */
	doubtful = false;
	/** Set where a process that marks no sending was killed: a row that is not done may have been under way. */
	silent = false;
	/** The last row that is done; 0 where none is. */
	lastDone = 0;

	constructor() {
		super(Uint8Array);
	}

	/** The row's last outcome. */
	outcomeOf(row: number): OutcomeName | undefined {
		return outcomeIn(this.get(row));
	}

	isDone(row: number): boolean {
		return isDoneState(this.get(row));
	}

	/** Whether a row that is not done may have been carried out all the same. */
	maybeSent(row: number): boolean {
		const state = this.get(row);
		return this.doubtful || (state & (SENT | LOST)) !== 0 || (this.silent && !isDoneState(state));
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
	/** Rows that may have been sent without an outcome being known; undefined where the journal can't say how many. */
	inFlight: number | undefined = 0;
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

	constructor(readonly header: RunHeader) {}

	/** A part of the run is over: the whole of it, or what came before a resume. */
	#endPart(): void {
		if (!isDeletePlan(this.header.plan) && this.end === undefined) this.states.silent = true;
	}

	/** Takes a record, in the order of the file. @returns what is wrong with it */
	take(record: Json): string | undefined {
		const { type, row } = record;
		if (type === 'end') {
			this.end = endRecordOf(record);
			return this.end === undefined ? 'an incomplete end' : undefined;
		}
		if (type === 'resume') {
			this.#endPart();
			this.resumes++;
		}
		// Something came after the end: the run goes on.
		this.end = undefined;
		if (type === 'resume' || type === 'tick' || type === 'user') return undefined;
		const { last, rows } = this.header.input;
		if (!isCount(row) || row < 1 || row > (last ?? rows)) return 'a row that the input does not have';
		const before = this.states.get(row);
		if (type === 'row') {
			const outcome = record.outcome as OutcomeName;
			if (!outcomeNames.includes(outcome)) return 'an unknown outcome';
			this.states.set(row, stateOf({ outcome, status: record.status, code: record.code }) | (before & LOST));
		} else if (type === 'sent') {
			// Sent again without a record of what became of it before: that was lost with its process.
			this.states.set(row, before | ((before & SENT) === 0 ? SENT : SENT | LOST));
		} else if (type === 'attempt') {
			// A response came: the row is not under way any more.
			this.states.set(row, record.lost === true ? before | LOST : before & ~SENT);
		} else if (type === 'before') this.snapshots++;
		else return 'a record of an unknown kind';
		return undefined;
	}

	/** Notes a line that is no record that a run writes. */
	damage(line: number, reason: string): void {
		this.corruptLines++;
		this.states.doubtful = true;
		if (this.corrupt.length < NAMED_LINES) this.corrupt.push({ line, reason });
	}

	/** Adds up the rows: an earlier outcome of a row does not count. */
	finish(): void {
		this.#endPart();
		let inFlight = 0;
		for (const row of this.states.rows()) {
			const state = this.states.get(row);
			countState(this.counts, state);
			if (isDoneState(state)) {
				this.done++;
				this.states.lastDone = row;
			} else if ((state & (SENT | LOST)) !== 0) inFlight++;
		}
		this.inFlight = this.states.silent ? undefined : inFlight;
	}
}

/** After how many lines signals and timers can run. */
const LINES_AT_ONCE = 10_000;

/**
 * Reads a journal from its start to its last whole line.
 * @param watch Is given each good record behind the header too, with its place in the file, in bytes.
 * @throws FailedError for a file that is no journal
 */
export async function scanJournal(path: string, watch?: (record: Json, place: number) => void): Promise<JournalScan> {
	let fd: number | undefined;
	try {
		fd = openSync(path, 'r');
		const lineAt = lineReader(fd);
		const first = lineAt(0);
		if (first === undefined) throw notAJournal(path, 'its first line was never finished, so nothing was sent');
		const scan = new JournalScan(readHeader(first.text, path));
		scan.validBytes = first.end;
		for (let line = 2; ; line++) {
			const place = scan.validBytes;
			const found = lineAt(place);
			if (found === undefined) break;
			scan.validBytes = found.end;
			const record = parseRecord(found.text);
			const reason = typeof record === 'string' ? record : scan.take(record);
			if (reason !== undefined) scan.damage(line, reason);
			else watch?.(record as Json, place);
			if (line % LINES_AT_ONCE === 0) await nextTurn();
		}
		scan.finish();
		scan.tornBytes = Math.max(0, fstatSync(fd).size - scan.validBytes);
		return scan;
	} catch (error) {
		if (error instanceof FailedError) throw error;
		throw new FailedError(`can't read the journal ${path}: ${fileProblem(error)}`, {
			code: 'unreadable_journal',
			cause: error,
		});
	} finally {
		if (fd !== undefined) closeSync(fd);
	}
}

const TICK_KEYS = ['at', 'ms', 'rows', 'retries', 'refused'] as const satisfies (keyof TickRecord)[];

/** A tick, and what the rows that ended meanwhile came to: their records stand between the ticks. */
export interface Tick extends TickRecord {
	readonly outcomes: Readonly<Partial<Record<OutcomeName, number>>>;
}

export type RecordFile = Awaited<ReturnType<typeof openRecords>>;

/**
 * A journal whose rows' last records can be read, in any order: eight bytes a row are held for their places. `idNames`
 * are the names of the path ids, in their order; of invalid rows not all may be known.
 * @throws FailedError for a file that is no journal
 */
export async function openRecords(path: string) {
	const places = new RowNumbers(Float64Array);
	const ticks: Tick[] = [];
	let outcomes: Record<string, number> = {};
	let idNames: string[] = [];
	let isComplete = false;
	const scan = await scanJournal(path, (record, place) => {
		if (record.type === 'tick' && TICK_KEYS.every((key) => isCount(record[key]))) {
			ticks.push({ ...(record as unknown as TickRecord), outcomes });
			outcomes = {};
		}
		if (record.type !== 'row') return;
		const outcome = record.outcome as OutcomeName;
		outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
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
		const json = place === 0 ? 'no record' : parseRecord(lineAt(place)?.text ?? '');
		return typeof json === 'string' ? undefined : rowRecordOf(json);
	};
	/** Each row's last record, in the order of the rows. */
	function* records(isWanted?: (outcome: OutcomeName) => boolean): Generator<RowRecord> {
		for (const row of places.rows()) {
			const outcome = scan.states.outcomeOf(row);
			const record = outcome === undefined || isWanted?.(outcome) === false ? undefined : recordOf(row);
			if (record !== undefined) yield record;
		}
	}
	return { scan, idNames: idNames as readonly string[], ticks, recordOf, records, close: () => closeSync(fd) };
}
