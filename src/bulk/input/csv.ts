/** Bulk input as CSV or TSV with a header, with Excel's habits. */

import { CsvError, type Parser, parse } from 'csv-parse';
import { UsageError } from '../../errors.js';
import type { Batch, RawRow } from './input.js';
import { countLineEnds, headOf, inputError, type ReadLimits, recordTooLong } from './text.js';

/** What stands above the rows. */
export interface CsvHeader {
	/** The line on which the header starts. */
	readonly headerLine: number;
	readonly columns: readonly string[];
	readonly delimiter: string;
}

/** How much text is parsed at once: few rows, so that they are short-lived for the garbage collector. */
const PARSED_BYTES = 4096;

/** What Excel reads, and some programs write, above the header. */
const SEPARATOR_LINE = /^"?sep=([,;:|^~!\t])"?$/i;

/** The separator that the first line names, or the most frequent one outside quotes: Excel writes what the locale has. */
function delimiterOf(head: string, format: 'csv' | 'tsv'): string {
	const first = head.split(/[\r\n]/).find((line) => !isBlank(line)) ?? '';
	const named = SEPARATOR_LINE.exec(first)?.[1];
	if (named !== undefined || format === 'tsv') return named ?? '\t';
	const plain = first.replace(/"[^"]*"?/g, '');
	const [best] = [',', ';', '\t']
		.map((delimiter) => ({ delimiter, count: plain.split(delimiter).length }))
		.sort((left, right) => right.count - left.count);
	return best?.delimiter ?? ',';
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
	return { columns, delimiter, headerLine: line };
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

/** The line of a place in the text, which is read again for it. */
async function lineAt(text: AsyncIterable<Buffer>, offset: number): Promise<number> {
	let line = 1;
	let left = offset;
	for await (const piece of text) {
		line += countLineEnds(piece, Math.min(left, piece.length));
		left -= piece.length;
		if (left <= 0) break;
	}
	return line;
}

/** The records of text, many at a time: the parser's own iteration has a promise for each. */
async function* recordsOf(text: AsyncIterable<Buffer>, parser: Parser): AsyncGenerator<string[][]> {
	// The last iteration throws it.
	parser.on('error', () => undefined);
	for await (const piece of text) {
		for (let at = 0; at < piece.length && parser.errored === null; at += PARSED_BYTES) {
			parser.write(piece.subarray(at, at + PARSED_BYTES));
			const records: string[][] = [];
			for (let cells = parser.read(); cells !== null; cells = parser.read()) records.push(cells);
			yield records;
		}
	}
	parser.end();
	for await (const cells of parser) yield [cells];
}

/** @param open Gives the checked text from its start. @param onHeader Is called before the first rows. */
export async function* readCsv(
	open: () => AsyncIterable<Buffer>,
	format: 'csv' | 'tsv',
	limits: ReadLimits,
	onHeader: (header: CsvHeader) => void,
): AsyncGenerator<Batch> {
	const delimiter = delimiterOf(await headOf(open()), format);
	const parser = parse({
		delimiter,
		record_delimiter: ['\r\n', '\n', '\r'],
		relax_column_count: true,
		max_record_size: limits.maxRecordBytes,
	});
	let header: CsvHeader | undefined;
	let line = 1;
	let row = 0;
	try {
		for await (const records of recordsOf(open(), parser)) {
			const rows: RawRow[] = [];
			for (const cells of records) {
				const start = line;
				line += 1 + lineEndsIn(cells);
				if (isBlank(cells[0] as string) && cells.every(isBlank)) continue;
				if (header === undefined) {
					if (SEPARATOR_LINE.test(cells.join(delimiter))) continue;
					header = readHeader(cells, delimiter, start, limits.name);
					onHeader(header);
					continue;
				}
				while (cells.length > header.columns.length && isBlank(cells.at(-1) as string)) cells.pop();
				rows.push({ row: ++row, line: start, cells });
			}
			if (rows.length > 0) yield rows;
		}
	} catch (error) {
		if (!(error instanceof CsvError)) throw error;
		// Where the last whole cell ends; the separator behind it, or the quote, ends no line.
		const at = await lineAt(open(), error.bytes as number);
		if (error.code === 'CSV_MAX_RECORD_SIZE') throw recordTooLong(limits, at);
		const reason = FAULTS[error.code];
		if (reason !== undefined) throw inputError(limits.name, at, reason);
		throw new UsageError(`${limits.name} line ${at}: the record can't be read (${error.code})`, { cause: error });
	}
}
