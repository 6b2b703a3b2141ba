/** Bulk input as CSV or TSV with a header, with Excel's habits. */

import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { UsageError } from '../../errors.js';
import {
	BATCH_ROWS,
	type Batch,
	countLineEnds,
	inputError,
	type RawRow,
	type ReadLimits,
	recordTooLong,
} from './text.js';

/** What stands above the rows. */
export interface CsvHeader {
	/** The line on which the header starts. */
	readonly line: number;
	readonly columns: readonly string[];
	readonly delimiter: string;
}

/** What Excel reads, and some programs write, above the header. */
const SEPARATOR_LINE = /^"?sep=([,;:|^~!\t])"?(?:\r\n|\n|\r)/i;

const EMPTY_LINES = /^(?:[ \t]*(?:\r\n|\n|\r))+/;

/** How far the header is looked for, in bytes. */
const HEAD_BYTES = 65_536;

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

/** What the first bytes say: the separator, and how much stands before the header. */
interface Opening {
	readonly delimiter: string;
	/** In bytes, and in lines. */
	readonly skipped: number;
	readonly lines: number;
}

function readOpening(head: Buffer, format: 'csv' | 'tsv'): Opening {
	const text = head.toString('utf8');
	const empty = EMPTY_LINES.exec(text)?.[0] ?? '';
	const rest = text.slice(empty.length);
	const named = SEPARATOR_LINE.exec(rest);
	const before = named === null ? empty : empty + named[0];
	const header = rest.split(/[\r\n]/, 1)[0] as string;
	return {
		delimiter: named?.[1] ?? (format === 'tsv' ? '\t' : detectDelimiter(header)),
		skipped: Buffer.byteLength(before),
		lines: countLineEnds(Buffer.from(before)),
	};
}

const isBlank = (cell: string): boolean => cell.trim() === '';

function readHeader(cells: readonly string[], delimiter: string, line: number, name: string): CsvHeader {
	const columns = cells.map((cell) => cell.trim());
	while (columns.length > 1 && columns.at(-1) === '') columns.pop();
	const seen = new Set<string>();
	for (const [index, each] of columns.entries()) {
		if (each === '') throw inputError(name, line, `column ${index + 1} has no name in the header`);
		if (seen.has(each)) throw inputError(name, line, `column "${each}" is in the header twice`);
		seen.add(each);
	}
	return { columns, delimiter, line };
}

/** How many lines end inside the cells of a record. */
function lineEndsIn(cells: readonly string[]): number {
	let count = 0;
	for (const cell of cells) {
		if (cell.includes('\n') || cell.includes('\r')) count += cell.split(/\r\n|\n|\r/).length - 1;
	}
	return count;
}

const FAULTS: Readonly<Record<string, string>> = {
	CSV_QUOTE_NOT_CLOSED: 'a quote is opened here and never closed',
	INVALID_OPENING_QUOTE: 'a quote inside a cell that does not begin with one; write the cell as "…""…"',
	CSV_INVALID_CLOSING_QUOTE: 'text follows the closing quote of the cell that begins here',
};

/** Splits off what is before the header. */
async function* without(text: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
	let left = bytes;
	for await (const piece of text) {
		if (left < piece.length) yield piece.subarray(left);
		left = Math.max(0, left - piece.length);
	}
}

/** The line of a place in the text, which is read again for it. */
async function lineAt(text: AsyncIterable<Buffer>, offset: number): Promise<number> {
	let line = 1;
	let left = offset;
	for await (const piece of text) {
		line += countLineEnds(piece, 0, Math.min(left, piece.length));
		left -= piece.length;
		if (left <= 0) break;
	}
	return line;
}

async function firstBytes(text: AsyncIterable<Buffer>): Promise<Buffer> {
	const pieces: Buffer[] = [];
	let length = 0;
	for await (const piece of text) {
		pieces.push(piece);
		length += piece.length;
		if (length >= HEAD_BYTES) break;
	}
	return Buffer.concat(pieces).subarray(0, HEAD_BYTES);
}

/** @param open Gives the checked text from its start. @param onHeader Is called before the first rows. */
export async function* readCsv(
	open: () => AsyncIterable<Buffer>,
	format: 'csv' | 'tsv',
	limits: ReadLimits,
	onHeader: (header: CsvHeader) => void,
): AsyncGenerator<Batch> {
	const { delimiter, skipped, lines } = readOpening(await firstBytes(open()), format);
	const parser = parse({
		delimiter,
		record_delimiter: ['\r\n', '\n', '\r'],
		relax_column_count: true,
		max_record_size: limits.maxRecordBytes,
	});
	// An error reaches the loop below.
	pipeline(Readable.from(without(open(), skipped)), parser, () => undefined);
	let header: CsvHeader | undefined;
	let line = lines + 1;
	let row = 0;
	let rows: RawRow[] = [];
	try {
		for await (const cells of parser as AsyncIterable<string[]>) {
			const start = line;
			line += 1 + lineEndsIn(cells);
			if (isBlank(cells[0] as string) && cells.every(isBlank)) continue;
			if (header === undefined) {
				header = readHeader(cells, delimiter, start, limits.name);
				onHeader(header);
				continue;
			}
			while (cells.length > header.columns.length && isBlank(cells.at(-1) as string)) cells.pop();
			rows.push({ row: ++row, line: start, cells });
			if (rows.length < BATCH_ROWS) continue;
			yield rows;
			rows = [];
		}
	} catch (error) {
		if (!(error instanceof CsvError)) throw error;
		// Where the last whole cell ends; the separator behind it, or the quote, ends no line.
		const at = await lineAt(open(), skipped + (error.bytes as number));
		if (error.code === 'CSV_MAX_RECORD_SIZE') throw recordTooLong(limits, at);
		const reason = FAULTS[error.code];
		if (reason !== undefined) throw inputError(limits.name, at, reason);
		throw new UsageError(`${limits.name} line ${at}: the record can't be read (${error.code})`, { cause: error });
	}
	if (rows.length > 0) yield rows;
}
