/** Reads a journal in constant memory and says what is known of each row. */

import { open } from 'node:fs/promises';
import { isObject } from '../api/values.js';
import { FailedError, fileProblem } from '../errors.js';
import type { OutcomeName } from '../http/outcome.js';
import { type Counts, createCounts, outcomeNames } from './counts.js';
import { type EndRecord, isIdName, JOURNAL_VERSION, type RowRecord, type RunHeader } from './records.js';
import { RowNumbers } from './row-numbers.js';

/** A line that is no record although the journal goes on behind it. */
export interface CorruptLine {
	line: number;
	reason: string;
}

/** What a journal says. */
export interface JournalScan {
	readonly header: RunHeader;
	readonly states: RowStates;
	/** By the last outcome of each row; rows without one are not counted. */
	readonly counts: Counts;
	/** Rows that a resume leaves alone. */
	readonly done: number;
	/** Rows that may have been sent without an outcome being known; undefined where the journal can't tell how many. */
	readonly inFlight: number | undefined;
	/** The first of them, at most 100. */
	readonly corrupt: readonly CorruptLine[];
	readonly corruptLines: number;
	/** The bytes of whole lines. */
	readonly validBytes: number;
	/** The bytes behind them, of a line that was never finished. */
	readonly tornBytes: number;
	/** The last record, where it says that the run came to an end. */
	readonly end: EndRecord | undefined;
	readonly resumes: number;
	/** Whether old values were kept, so that the run can be undone. */
	readonly snapshots: number;
}

const OUTCOME = 0b0000_0111;
const UNAUTHORIZED = 0b0000_1000;
const FORBIDDEN = 0b0001_0000;
const DIFFERS = 0b0010_0000;
const SENT = 0b0100_0000;
const LOST = 0b1000_0000;

/** What is known of each row, in one byte. */
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

	/** Whether the row's last answer showed another value than the one sent. */
	differs(row: number): boolean {
		return (this.get(row) & DIFFERS) !== 0;
	}

	/** ok, failed other than by 401, invalid and skipped are done; a resume takes all others. */
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

const DONE: ReadonlySet<OutcomeName> = new Set(['ok', 'failed', 'invalid', 'skipped']);

function isDoneState(state: number): boolean {
	const outcome = outcomeNames[(state & OUTCOME) - 1];
	return outcome !== undefined && DONE.has(outcome) && (state & UNAUTHORIZED) === 0;
}

const CHUNK_BYTES = 64 * 1024;
/** Beyond any record that we write; a longer line is damage. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;
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

type Json = Record<string, unknown>;

export function parseRecord(text: string | undefined): Json | string {
	if (text === undefined) return 'the line is too long';
	try {
		const value: unknown = JSON.parse(text);
		return isObject(value) ? value : 'no JSON object';
	} catch {
		return 'no JSON';
	}
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function notAJournal(path: string, reason: string): FailedError {
	return new FailedError(`${path} is not a journal that can be read: ${reason}`, { code: 'not_a_journal' });
}

/** The header, or an error that says what is wrong with it. */
export function readHeader(text: string | undefined, path: string): RunHeader {
	const record = parseRecord(text);
	if (typeof record === 'string') throw notAJournal(path, `its first line is ${record}`);
	if (record.type !== 'run') throw notAJournal(path, 'its first line is not the start of a run');
	if (record.version !== JOURNAL_VERSION) {
		const written = record.version === undefined ? 'says no version' : `is in version ${String(record.version)}`;
		throw notAJournal(path, `it ${written} of the format, and this is ${JOURNAL_VERSION}`);
	}
	const { input, command, shard } = record;
	const complete =
		isText(record.id) &&
		isText(record.baseUrl) &&
		isText(record.tool) &&
		isText(record.started) &&
		isObject(record.settings) &&
		Array.isArray(command) &&
		command.every(isText) &&
		isObject(input) &&
		isCount(input.rows) &&
		isText(input.sha256) &&
		isText(input.name) &&
		isText(input.format) &&
		(shard === undefined || (isObject(shard) && isText(shard.part) && isCount(shard.rows)));
	if (!complete) throw notAJournal(path, 'its first line is incomplete');
	const { type: _type, version: _version, ...header } = record;
	return header as unknown as RunHeader;
}

function isDifferences(value: unknown): value is Json[] {
	return Array.isArray(value) && value.every(isObject);
}

function hasDifferences({ differs }: Readonly<Json>): boolean {
	return isDifferences(differs) && differs.length > 0;
}

/** What a pass over a journal gathers. */
class Gathering {
	readonly states = new RowStates();
	readonly counts = createCounts();
	readonly corrupt: CorruptLine[] = [];
	corruptLines = 0;
	done = 0;
	inFlight = 0;
	resumes = 0;
	snapshots = 0;
	end: EndRecord | undefined;
	readonly #rows: number;
	readonly #unmarked: boolean;

	constructor(rows: number, unmarked: boolean) {
		this.#rows = rows;
		this.#unmarked = unmarked;
	}

	/** A part of the run is over: the whole of it, or what came before a resume. */
	endPart(): void {
		if (this.#unmarked && this.end === undefined) this.states.silent = true;
	}

	complain(line: number, reason: string): void {
		this.corruptLines++;
		this.states.doubtful = true;
		if (this.corrupt.length < 100) this.corrupt.push({ line, reason });
	}

	take(record: Json, line: number): void {
		const problem = this.#takeKind(record);
		if (problem !== undefined) this.complain(line, problem);
	}

	#takeKind(record: Json): string | undefined {
		if (record.type === 'end') {
			this.end = endRecordOf(record);
			return this.end === undefined ? 'an incomplete end' : undefined;
		}
		if (record.type === 'resume') this.endPart();
		// Something came after the end: the run goes on.
		this.end = undefined;
		if (record.type === 'resume') {
			this.resumes++;
			return undefined;
		}
		const { row } = record;
		if (!isCount(row) || row < 1 || row > this.#rows) return `a row that the input does not have`;
		switch (record.type) {
			case 'row':
				return this.#takeOutcome(row, record);
			case 'sent':
				// Sent again without a word of what became of it before: that was lost with its process.
				this.#change(row, this.states.get(row) | ((this.states.get(row) & SENT) === 0 ? SENT : SENT | LOST));
				return undefined;
			case 'attempt':
				// An answer came: the row is not under way any more.
				this.#change(row, record.lost === true ? this.states.get(row) | LOST : this.states.get(row) & ~SENT);
				return undefined;
			case 'before':
				this.snapshots++;
				return undefined;
			default:
				return `a record of an unknown kind`;
		}
	}

	#takeOutcome(row: number, record: Json): string | undefined {
		const index = outcomeNames.indexOf(record.outcome as OutcomeName);
		if (index < 0) return 'an unknown outcome';
		const outcome = outcomeNames[index] as OutcomeName;
		const failed = outcome === 'failed';
		let state = (index + 1) | (this.states.get(row) & LOST);
		if (failed && record.status === 401) state |= UNAUTHORIZED;
		if (failed && record.status === 403) state |= FORBIDDEN;
		if (hasDifferences(record)) state |= DIFFERS;
		if (outcome === 'unknown') state |= LOST;
		this.#change(row, state);
		return undefined;
	}

	/** Counts follow the rows' states: an earlier outcome of the row no longer counts. */
	#change(row: number, state: number): void {
		const before = this.states.get(row);
		this.#count(before, -1);
		this.#count(state, 1);
		this.states.set(row, state);
	}

	#count(state: number, step: 1 | -1): void {
		const { counts } = this;
		const outcome = outcomeNames[(state & OUTCOME) - 1];
		if (isDoneState(state)) this.done += step;
		else if ((state & (SENT | LOST)) !== 0) this.inFlight += step;
		if (outcome === undefined) return;
		counts[outcome] += step;
		if ((state & UNAUTHORIZED) !== 0) counts.unauthorized += step;
		if ((state & FORBIDDEN) !== 0) counts.forbidden += step;
		if ((state & DIFFERS) !== 0) counts.differs += step;
	}
}

async function sizeOf(path: string): Promise<number> {
	const handle = await open(path, 'r');
	try {
		return (await handle.stat()).size;
	} finally {
		await handle.close();
	}
}

function unreadable(path: string, error: unknown): Error {
	if (error instanceof FailedError) return error;
	return new FailedError(`can't read the journal ${path}: ${fileProblem(error)}`, {
		code: 'unreadable_journal',
		cause: error,
	});
}

/** Reads a journal from its start to its last whole line. Throws FailedError for a file that is no journal. */
export async function scanJournal(path: string): Promise<JournalScan> {
	try {
		const size = await sizeOf(path);
		let header: RunHeader | undefined;
		let gathering = new Gathering(0, false);
		let validBytes = 0;
		for await (const { first, texts, end } of journalLines(path)) {
			for (let index = 0; index < texts.length; index++) {
				if (header === undefined) {
					header = readHeader(texts[index], path);
					gathering = new Gathering(header.input.rows, header.unmarked === true);
					continue;
				}
				const record = parseRecord(texts[index]);
				if (typeof record === 'string') gathering.complain(first + index, record);
				else gathering.take(record, first + index);
			}
			validBytes = end;
		}
		if (header === undefined) {
			throw notAJournal(path, 'its first line was never finished, so nothing was sent');
		}
		gathering.endPart();
		const { states, counts, done, inFlight, corrupt, corruptLines, end, resumes, snapshots } = gathering;
		return {
			header,
			states,
			counts,
			done,
			inFlight: states.silent ? undefined : inFlight,
			corrupt,
			corruptLines,
			validBytes,
			tornBytes: Math.max(0, size - validBytes),
			end,
			resumes,
			snapshots,
		};
	} catch (error) {
		throw unreadable(path, error);
	}
}

/** Whether a record tells a row's outcome. */
function isRowRecord(record: Readonly<Json>): boolean {
	return record.type === 'row' && isCount(record.row) && outcomeNames.includes(record.outcome as OutcomeName);
}

/** The last record of a run from its JSON; undefined for any other record, and for one that lacks a part. */
export function endRecordOf(record: Readonly<Json>): EndRecord | undefined {
	const { type, ...end } = record;
	const { counts } = record;
	const complete =
		type === 'end' &&
		isCount(record.exit) &&
		isText(record.at) &&
		isObject(counts) &&
		Object.keys(createCounts()).every((name) => isCount(counts[name]));
	return complete ? (end as unknown as EndRecord) : undefined;
}

/** A row's record from its JSON; undefined for any other record. */
export function rowRecordOf(record: Readonly<Json>): RowRecord | undefined {
	if (!isRowRecord(record)) return undefined;
	const ids: Record<string, string> = {};
	const result: Json = { attempts: 0, ms: 0, ids };
	for (const name of Object.keys(record)) {
		const value = record[name];
		if (isIdName(name)) {
			if (isText(value)) ids[name] = value;
		} else if (name !== 'differs' || isDifferences(value)) {
			result[name] = value;
		}
	}
	return result as unknown as RowRecord;
}

/** Records with a row's outcome, many at a time, as JSON. */
async function* rowJson(path: string): AsyncGenerator<Json[]> {
	for await (const { texts } of journalLines(path)) {
		const records: Json[] = [];
		for (const text of texts) {
			const json = parseRecord(text);
			if (typeof json !== 'string' && isRowRecord(json)) records.push(json);
		}
		yield records;
	}
}

/** Each row's last record, in the order of the file. Rows of a resumed run may have several; two passes find the last. */
export async function* finalRecords(path: string): AsyncGenerator<RowRecord[]> {
	const left = new RowNumbers(Uint16Array);
	const step = (row: number, by: number): number => {
		const value = left.get(row) + by;
		left.set(row, value);
		return value;
	};
	for await (const records of rowJson(path)) for (const { row } of records) step(row as number, 1);
	for await (const records of rowJson(path)) {
		const last = records.filter(({ row }) => step(row as number, -1) === 0);
		yield last.map((record) => rowRecordOf(record) as RowRecord);
	}
}

/** The names of the path ids in a run's records, in their order; of invalid rows not all may be known. */
export async function recordedIdNames(path: string): Promise<string[]> {
	let most: string[] = [];
	for await (const records of rowJson(path)) {
		for (const record of records) {
			const names = Object.keys(record).filter((name) => isIdName(name) && isText(record[name]));
			if (record.outcome !== 'invalid') return names;
			if (names.length > most.length) most = names;
		}
	}
	return most;
}

/** The first records whose outcome is still the row's last one, at most `limit`; one pass that ends early. */
export async function firstRecords(
	path: string,
	{ states }: Pick<JournalScan, 'states'>,
	isWanted: (outcome: OutcomeName, differs: boolean) => boolean,
	limit: number,
): Promise<RowRecord[]> {
	const found = new Map<number, RowRecord>();
	for await (const records of rowJson(path)) {
		for (const json of records) {
			const outcome = states.outcomeOf(json.row as number);
			const differs = states.differs(json.row as number);
			if (outcome === undefined || json.outcome !== outcome || hasDifferences(json) !== differs) continue;
			if (!isWanted(outcome, differs)) continue;
			const record = rowRecordOf(json) as RowRecord;
			found.set(record.row, record);
			if (found.size === limit) return [...found.values()];
		}
	}
	return [...found.values()];
}
