/** CSV and TSV with a header, also as Excel writes them. */

import { CsvError, type Parser, parse } from 'csv-parse';
import { widthProblem } from '../../api/values.js';
import { countLineEnds, inputError, MAX_RECORD_BYTES, recordTooLong } from './checked-text.js';
import type { RawRow } from './input.js';

/** Excel's hint above the header. */
const SEPARATOR_LINE = /^"?sep=([,;:|^~!\t])"?$/i;

function isBlank(cell: string): boolean {
	return cell.trim() === '';
}

/** From Excel's hint, or the most frequent one outside quotes. */
export function delimiterOf(head: string, format: 'csv' | 'tsv'): string {
	const first = head.split(/[\r\n]/).find((line) => !isBlank(line)) ?? '';
	const named = SEPARATOR_LINE.exec(first)?.[1];
	if (named !== undefined || format === 'tsv') return named ?? '\t';
	const plain = first.replace(/"[^"]*"?/g, '');
	const countOf = (delimiter: string): number => plain.split(delimiter).length;
	return [',', ';', '\t'].reduce((best, each) => (countOf(each) > countOf(best) ? each : best));
}

function columnsOf(cells: readonly string[]): string[] {
	const columns = cells.map((cell) => cell.trim());
	while (columns.length > 1 && columns.at(-1) === '') columns.pop();
	return columns;
}

/** Quotes inside a cell are text, as in `37°36'37.8"N`; a cell that begins with one ends with one. */
function wellQuoted(delimiter: string): RegExp {
	const end = `\\r\\n${delimiter === '\t' ? '\\t' : `\\${delimiter}`}`;
	const cell = `(?:"(?:[^"]|"")*"|(?![^\\S${end}]*")[^${end}]*)`;
	return new RegExp(`^\\s*${cell}(?:[${end}]${cell})*$`);
}

interface ParsedRecord {
	readonly record: string[];
	/** As it was written. */
	readonly raw: string;
}

/** Many at a time: the parser's iteration has a promise for each. */
async function* recordsOf(text: AsyncIterable<string>, parser: Parser): AsyncGenerator<ParsedRecord[]> {
	// The last iteration throws the error.
	parser.on('error', () => undefined);
	for await (const piece of text) {
		if (parser.errored !== null) break;
		parser.write(piece);
		const records: ParsedRecord[] = [];
		for (let cells = parser.read(); cells !== null; cells = parser.read()) records.push(cells);
		yield records;
	}
	parser.end();
	for await (const cells of parser) yield [cells];
}

/** The header is row 0. */
export async function* readCsv(text: AsyncIterable<string>, name: string, delimiter: string): AsyncGenerator<RawRow[]> {
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
	let line = 1;
	let row = 0;

	function rowOf({ record: cells, raw }: ParsedRecord): RawRow | undefined {
		const start = line;
		line += countLineEnds(raw);
		if (raw.includes('"') && !quotesFit.test(raw)) {
			throw inputError(name, start, 'stray quote in this record; write the cell as "…""…"');
		}
		if (isBlank(cells[0] as string) && cells.every(isBlank)) return undefined;
		if (width > 0) {
			while (cells.length > width && isBlank(cells.at(-1) as string)) cells.pop();
			return { row: ++row, line: start, cells };
		}
		if (SEPARATOR_LINE.test(cells.join(delimiter))) return undefined;
		const columns = columnsOf(cells);
		const tooWide = widthProblem(columns.length, 'columns');
		if (tooWide !== undefined) throw inputError(name, start, tooWide, 'remove the columns that are not needed');
		width = columns.length;
		return { row: 0, line: start, cells: columns };
	}

	try {
		for await (const records of recordsOf(text, parser)) {
			const rows = records.map(rowOf).filter((each) => each !== undefined);
			if (rows.length > 0) yield rows;
		}
	} catch (error) {
		if (!(error instanceof CsvError)) throw error;
		if (error.code === 'CSV_MAX_RECORD_SIZE') throw recordTooLong(name, line);
		const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED';
		throw inputError(name, line, isOpen ? 'unclosed quote in this record' : `can't read this record (${error.code})`);
	}
}
