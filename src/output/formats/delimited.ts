/** csv, tsv and what a pipe gets by default: one line a row, cells apart by a comma or a tab, streamed. */

import { cellText, type ResolvedColumn, type Row } from '../columns.js';
import { sanitise } from '../sanitise.js';
import { asRow, columnsFor, discoversColumns, type Encoder, type EncoderOptions, SAMPLE } from './encoder.js';

/** A cell in quotation marks where a reader needs them. Values are kept as they are: a formula stays a formula. */
function quoter(separator: string): (text: string) => string {
	const special = separator === ',' ? /[",\r\n]|^\s|\s$/ : /["\t\r\n]|^\s|\s$/;
	return (text) => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
}

/** Rows as lines; where only rows know the columns, the first ones are held back to find them. */
function createLines(options: EncoderOptions, line: (cells: readonly string[]) => string, header: boolean): Encoder {
	let columns: readonly ResolvedColumn[] | undefined = discoversColumns(options) ? undefined : options.columns;
	let held: Row[] = [];
	let started = false;

	function rowLine(known: readonly ResolvedColumn[], row: Row): string {
		const cells: string[] = [];
		for (let index = 0; index < known.length; index++) {
			cells.push(cellText((known[index] as ResolvedColumn).get(row)));
		}
		return line(cells);
	}

	function start(known: readonly ResolvedColumn[]): string {
		if (started) return '';
		started = true;
		return header && known.length > 0 ? line(known.map((column) => column.label)) : '';
	}

	function release(): string {
		columns = columnsFor(options, held);
		const text = start(columns) + held.map((row) => rowLine(columns as ResolvedColumn[], row)).join('');
		held = [];
		return text;
	}

	return {
		row(row) {
			if (columns !== undefined) return start(columns) + rowLine(columns, asRow(row));
			held.push(asRow(row));
			return held.length < SAMPLE ? '' : release();
		},
		end() {
			if (columns !== undefined) return start(columns);
			return release();
		},
	};
}

function createQuoted(options: EncoderOptions, separator: string): Encoder {
	const quote = quoter(separator);
	const cell = options.isTTY ? (text: string): string => quote(sanitise(text)) : quote;
	return createLines(
		options,
		(cells) => {
			// A lone empty cell would be an empty line, which readers skip.
			if (cells.length === 1 && cells[0] === '') return '""\n';
			let text = cell(cells[0] ?? '');
			for (let index = 1; index < cells.length; index++) text += separator + cell(cells[index] as string);
			return `${text}\n`;
		},
		true,
	);
}

export function createCsv(options: EncoderOptions): Encoder {
	return createQuoted(options, ',');
}

/** As spreadsheets write it: quotation marks as in csv, a tab instead of the comma. */
export function createTsv(options: EncoderOptions): Encoder {
	return createQuoted(options, '\t');
}

/** The table's columns for `cut` and `awk`: no header, no quotation marks; tabs and line breaks in a cell are visible. */
export function createPlain(options: EncoderOptions): Encoder {
	if (options.single) return createPlainRecord(options);
	return createLines(options, (cells) => `${cells.map(sanitise).join('\t')}\n`, false);
}

/** One object: a line for each key. */
function createPlainRecord(options: EncoderOptions): Encoder {
	return {
		row(row) {
			const record = asRow(row);
			return columnsFor(options, [record])
				.map((column) => `${sanitise(column.label)}\t${sanitise(cellText(column.get(record)))}\n`)
				.join('');
		},
		end: () => '',
	};
}
