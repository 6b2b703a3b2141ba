/** CSV and TSV with a header, also as Excel writes them. */

import { CsvError, type Parser, parse } from 'csv-parse';
import { looksLikeNumber } from '../../api/values.js';
import type { Batch, RawRow } from './input.js';
import { inputError, MAX_RECORD_BYTES, recordTooLong } from './text.js';

/** Few rows, so that they are short-lived. */
const PARSED_BYTES = 4096;

/** Excel's hint above the header. */
const SEPARATOR_LINE = /^"?sep=([,;:|^~!\t])"?$/i;

const isBlank = (cell: string): boolean => cell.trim() === '';

/** From the hint, or the most frequent one outside quotes. */
export function delimiterOf(head: string, format: 'csv' | 'tsv'): string {
	const first = head.split(/[\r\n]/).find((line) => !isBlank(line)) ?? '';
	const named = SEPARATOR_LINE.exec(first)?.[1];
	if (named !== undefined || format === 'tsv') return named ?? '\t';
	const plain = first.replace(/"[^"]*"?/g, '');
	const countOf = (delimiter: string): number => plain.split(delimiter).length;
	return [',', ';', '\t'].reduce((best, each) => (countOf(each) > countOf(best) ? each : best));
}

function columnsOf(cells: readonly string[], line: number, name: string): string[] {
	const columns = cells.map((cell) => cell.trim());
	while (columns.length > 1 && columns.at(-1) === '') columns.pop();
	const seen = new Set<string>();
	for (const [index, each] of columns.entries()) {
		const isBad = each === '' || seen.has(each);
		if (isBad && columns.some(looksLikeNumber)) {
			throw inputError(name, line, 'this file has no header', 'add a header line with the column names');
		}
		if (each === '') throw inputError(name, line, `column ${index + 1} has no name in the header`);
		if (seen.has(each)) throw inputError(name, line, `column "${each}" appears twice in the header`);
		seen.add(each);
	}
	return columns;
}

function lineEndsIn(cells: readonly string[]): number {
	let count = 0;
	for (const cell of cells) {
		if (cell.includes('\n') || cell.includes('\r')) count += cell.split(/\r\n|\n|\r/).length - 1;
	}
	return count;
}

const STRAY_QUOTE = 'stray quote in this record; write the cell as "…""…"';

const FAULTS: Readonly<Record<string, string>> = {
	CSV_QUOTE_NOT_CLOSED: 'unclosed quote in this record',
};

/** Quotes inside a cell are text, as in `37°36'37.8"N`; a cell that begins with one ends with one. */
function wellQuoted(delimiter: string): RegExp {
	const end = `\\r\\n${delimiter === '\t' ? '\\t' : `\\${delimiter}`}`;
	const cell = `(?:"(?:[^"]|"")*"|(?![^\\S${end}]*")[^${end}]*)`;
	return new RegExp(`^\\s*${cell}(?:[${end}]${cell})*$`);
}

interface ParsedRecord {
	readonly record: string[];
	readonly raw: string;
}

/** Many at a time: the parser's iteration has a promise for each. */
async function* recordsOf(text: AsyncIterable<Buffer>, parser: Parser): AsyncGenerator<ParsedRecord[]> {
	// The last iteration throws it.
	parser.on('error', () => undefined);
	for await (const piece of text) {
		for (let at = 0; at < piece.length && parser.errored === null; at += PARSED_BYTES) {
			parser.write(piece.subarray(at, at + PARSED_BYTES));
			const records: ParsedRecord[] = [];
			for (let cells = parser.read(); cells !== null; cells = parser.read()) records.push(cells);
			yield records;
		}
	}
	parser.end();
	for await (const cells of parser) yield [cells];
}

/** The header is row 0. */
export async function* readCsv(text: AsyncIterable<Buffer>, name: string, delimiter: string): AsyncGenerator<Batch> {
	const parser = parse({
		delimiter,
		record_delimiter: ['\r\n', '\n', '\r'],
		relax_column_count: true,
		relax_quotes: true,
		raw: true,
		max_record_size: MAX_RECORD_BYTES,
	});
	const quotesFit = wellQuoted(delimiter);
	let width = 0;
	let [line, row] = [1, 0];
	try {
		for await (const records of recordsOf(text, parser)) {
			const rows: RawRow[] = [];
			for (const { record: cells, raw } of records) {
				const start = line;
				line += 1 + lineEndsIn(cells);
				if (raw.includes('"') && !quotesFit.test(raw)) throw inputError(name, start, STRAY_QUOTE);
				if (isBlank(cells[0] as string) && cells.every(isBlank)) continue;
				if (width === 0) {
					if (SEPARATOR_LINE.test(cells.join(delimiter))) continue;
					const columns = columnsOf(cells, start, name);
					width = columns.length;
					rows.push({ row: 0, line: start, cells: columns });
					continue;
				}
				while (cells.length > width && isBlank(cells.at(-1) as string)) cells.pop();
				rows.push({ row: ++row, line: start, cells });
			}
			if (rows.length > 0) yield rows;
		}
	} catch (error) {
		if (!(error instanceof CsvError)) throw error;
		if (error.code === 'CSV_MAX_RECORD_SIZE') throw recordTooLong(name, line);
		throw inputError(name, line, FAULTS[error.code] ?? `can't read this record (${error.code})`);
	}
}
