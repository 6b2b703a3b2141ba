/** csv, tsv and what a pipe gets by default: one line a row, cells apart by a comma or a tab, streamed. */

import { formatCsvRecord } from '../../csv.js';
import { cellText, type ResolvedColumn, type Row } from '../columns.js';
import { sanitise } from '../sanitise.js';
import {
	asRow,
	columnsFor,
	discoversColumns,
	type Encoder,
	type EncoderOptions,
	newColumns,
	SAMPLE,
} from './encoder.js';

/** Rows as lines; where only rows know the columns, the first ones are held back to find them. */
function createLines(options: EncoderOptions, line: (cells: readonly string[]) => string, header: boolean): Encoder {
	const discovers = discoversColumns(options);
	let columns: readonly ResolvedColumn[] | undefined = discovers ? undefined : options.columns;
	/** Columns that are known, and those that came after the header was written. */
	let known = new Set<string>();
	const late = new Set<string>();
	let held: Row[] = [];
	let started = false;

	function rowLine(shown: readonly ResolvedColumn[], row: Row): string {
		const cells: string[] = [];
		for (let index = 0; index < shown.length; index++) {
			cells.push(cellText((shown[index] as ResolvedColumn).get(row)));
		}
		return line(cells);
	}

	function start(shown: readonly ResolvedColumn[]): string {
		if (started) return '';
		started = true;
		return header && shown.length > 0 ? line(shown.map((column) => column.key ?? column.label)) : '';
	}

	function release(): string {
		columns = columnsFor(options, held);
		known = new Set(columns.map((column) => column.path));
		const text = start(columns) + held.map((row) => rowLine(columns as ResolvedColumn[], row)).join('');
		held = [];
		return text;
	}

	return {
		row(row) {
			if (columns !== undefined) {
				if (discovers) for (const { label, path } of newColumns(options, known, asRow(row))) late.add(label ?? path);
				return start(columns) + rowLine(columns, asRow(row));
			}
			held.push(asRow(row));
			return held.length < SAMPLE ? '' : release();
		},
		dropped: () => [...late],
		end() {
			if (columns !== undefined) return start(columns);
			return release();
		},
	};
}

function createQuoted(options: EncoderOptions, separator: string): Encoder {
	return createLines(options, (cells) => formatCsvRecord(options.isTTY ? cells.map(sanitise) : cells, separator), true);
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
