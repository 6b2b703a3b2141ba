/** Bulk input as CSV or TSV with a header, with Excel's habits; csv-parse reads every block that holds a quote. */

import { CsvError, Parser } from 'csv-parse';
import { UsageError } from '../errors.js';
import { type BlockReader, countLineEnds, inputError, type RawRow, splitLines } from './blocks.js';

const QUOTE = 34;
const LF = 10;
const CR = 13;

export interface CsvReader extends BlockReader {
	/** The header's names, once it was read. */
	readonly columns: readonly string[] | undefined;
	/** The line on which the header starts. */
	readonly headerLine: number;
	/** The separator, once the header was read. */
	readonly delimiter: string | undefined;
}

export interface CsvOptions {
	readonly name: string;
	readonly format: 'csv' | 'tsv';
	readonly maxLineBytes: number;
}

/** Parses synchronously: records are collected where the stream would queue them. */
class Collector extends Parser {
	readonly records: string[][] = [];
	/** Where each record ends in the block. */
	readonly ends: number[] = [];
	failure: unknown;

	override push(record: string[] | null): boolean {
		if (record !== null) {
			this.records.push(record);
			this.ends.push(this.info.bytes);
		}
		return true;
	}

	parse(block: Buffer): this {
		const done = (error?: Error | null): void => {
			if (error) this.failure = error;
		};
		this._transform(block, 'utf8', done);
		if (this.failure === undefined) this._flush(done);
		return this;
	}
}

function parseQuoted(block: Buffer, delimiter: string): Collector {
	return new Collector({
		delimiter,
		record_delimiter: ['\r\n', '\n', '\r'],
		relax_column_count: true,
		max_record_size: 0,
	} as never).parse(block);
}

interface QuoteFault {
	/** Where the trouble shows. */
	at: number;
	/** Where the quoted cell began. */
	opened: number;
	kind: 'open' | 'inside' | 'after';
}

/** Finds what is wrong with the quotes of one record, for the message. */
function findQuoteFault(bytes: Buffer, delimiter: string): QuoteFault | undefined {
	const separator = delimiter.charCodeAt(0);
	let opened = -1;
	let cellStart = true;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at] as number;
		if (opened < 0) {
			if (byte === QUOTE && !cellStart) return { at, opened: at, kind: 'inside' };
			if (byte === QUOTE) opened = at;
			cellStart = byte === separator || byte === LF || byte === CR;
		} else if (byte === QUOTE) {
			const next = bytes[at + 1];
			if (next === QUOTE) at++;
			else if (next === undefined || next === separator || next === LF || next === CR) opened = -1;
			else return { at, opened, kind: 'after' };
		}
	}
	return opened < 0 ? undefined : { at: bytes.length, opened, kind: 'open' };
}

const isBlank = (cell: string): boolean => cell.trim() === '';

/** Counts separators of the header outside quotes; Excel writes `;` or tabs where the locale's comma is taken. */
function detectDelimiter(header: string): string {
	const counts = new Map([
		[',', 0],
		[';', 0],
		['\t', 0],
	]);
	let quoted = false;
	for (const char of header) {
		if (char === '"') quoted = !quoted;
		else if (!quoted && counts.has(char)) counts.set(char, (counts.get(char) as number) + 1);
	}
	let best = ',';
	for (const [char, count] of counts) if (count > (counts.get(best) as number)) best = char;
	return best;
}

/** What Excel reads, and some programs write, above the header. */
const SEPARATOR_LINE = /^"?sep=([,;:|^~!\t])"?(?:\r\n|\n|\r)/i;

const BLANK_LINES = /^(?:[ \t]*(?:\r\n|\n|\r))+/;

export function createCsvReader(options: CsvOptions): CsvReader {
	const { name, format, maxLineBytes } = options;
	let row = 0;
	let line = 1;
	let columns: readonly string[] | undefined;
	let headerLine = 1;
	let delimiter: string | undefined;

	/** Settles the separator; returns the bytes of what stands before the header. */
	function begin(block: Buffer): number {
		const start = BLANK_LINES.exec(block.toString('latin1'))?.[0].length ?? 0;
		line += countLineEnds(block, 0, start);
		const head = block.toString('utf8', start, Math.min(block.length, start + 65_536));
		const told = SEPARATOR_LINE.exec(head);
		if (told !== null) {
			delimiter = told[1] as string;
			line++;
			return start + told[0].length;
		}
		if (start < block.length) delimiter = format === 'tsv' ? '\t' : detectDelimiter(splitLines(head)[0] as string);
		return start;
	}

	function readHeader(cells: string[], at: number): void {
		const names = cells.map((cell) => cell.trim());
		while (names.length > 1 && names.at(-1) === '') names.pop();
		const seen = new Set<string>();
		for (const [index, each] of names.entries()) {
			if (each === '') throw inputError(name, at, `column ${index + 1} has no name in the header`);
			if (seen.has(each)) throw inputError(name, at, `column "${each}" is in the header twice`);
			seen.add(each);
		}
		columns = names;
		headerLine = at;
	}

	function addRecord(cells: string[], at: number, rows: RawRow[]): void {
		if (isBlank(cells[0] as string) && cells.every(isBlank)) return;
		if (columns === undefined) {
			readHeader(cells, at);
			return;
		}
		while (cells.length > columns.length && isBlank(cells.at(-1) as string)) cells.pop();
		rows.push({ row: ++row, line: at, cells });
	}

	/** Without a quote, a line's end is always a record's end. */
	function takePlain(block: Buffer, rows: RawRow[]): void {
		const lines = splitLines(block.toString('utf8'));
		const tail = lines.pop() as string;
		if (tail !== '') lines.push(tail);
		for (const text of lines) {
			if (text !== '') addRecord(text.split(delimiter as string), line, rows);
			line++;
		}
	}

	function complain(fault: QuoteFault, record: Buffer): UsageError {
		const opened = line + countLineEnds(record, 0, fault.opened);
		if (fault.kind === 'open') return inputError(name, opened, 'a quote is opened here and never closed');
		if (fault.kind === 'inside') {
			return inputError(name, opened, 'a quote inside a cell that does not begin with one; write the cell as "…""…"');
		}
		const at = line + countLineEnds(record, 0, fault.at);
		const where = opened === at ? '' : `; the quote was opened on line ${opened}`;
		return inputError(name, at, `text follows a closing quote${where}`);
	}

	function takeQuoted(block: Buffer, last: boolean, rows: RawRow[]): number {
		const parsed = parseQuoted(block, delimiter as string);
		let start = 0;
		for (let index = 0; index < parsed.records.length; index++) {
			const end = parsed.ends[index] as number;
			if (end - start > maxLineBytes) throw inputError(name, line, `the record is longer than ${maxLineBytes} bytes`);
			addRecord(parsed.records[index] as string[], line, rows);
			line += countLineEnds(block, start, end);
			start = end;
		}
		if (parsed.failure === undefined) return block.length;
		const record = block.subarray(start);
		const fault = findQuoteFault(record, delimiter as string);
		if (fault?.kind === 'open' && !last) return start;
		if (fault !== undefined) throw complain(fault, record);
		const reason = parsed.failure instanceof CsvError ? parsed.failure.code : String(parsed.failure);
		throw new UsageError(`${name} line ${line}: the record can't be read (${reason})`, { cause: parsed.failure });
	}

	return {
		get line() {
			return line;
		},
		get columns() {
			return columns;
		},
		get headerLine() {
			return headerLine;
		},
		get delimiter() {
			return delimiter;
		},
		breaksAtReturn: true,
		take(block, last, rows) {
			const start = delimiter === undefined ? begin(block) : 0;
			if (start === block.length) return start;
			const rest = start === 0 ? block : block.subarray(start);
			if (rest.includes(QUOTE)) return start + takeQuoted(rest, last, rows);
			takePlain(rest, rows);
			return block.length;
		},
	};
}
