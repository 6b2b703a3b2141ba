/** The formats but the table and yaml: json and ndjson, csv, tsv and the lines of a pipe, ids, count and `--field`. */

import { formatCsvRecord } from '../csv.js';
import { UsageError } from '../errors.js';
import type { Palette } from './colour.js';
import {
	asRow,
	cellText,
	columnsFor,
	discoversColumns,
	type Encoder,
	type EncoderOptions,
	newColumns,
	pick,
	type ResolvedColumn,
	type Row,
	SAMPLE,
} from './columns.js';
import { escapeJson, sanitise } from './sanitise.js';

function jsonText(value: unknown, indent?: number): string {
	return escapeJson(JSON.stringify(value, null, indent) ?? 'null');
}

/** One value a line. */
export function createNdjson(options: EncoderOptions): Encoder {
	if (options.chosen) return { row: (row) => `${jsonText(pick(options, row))}\n`, end: () => '' };
	return { row: (row) => `${jsonText(row)}\n`, end: () => '' };
}

/** One array, or one value where there is one only: indented for a person, a line a row for programs. */
export function createJson(options: EncoderOptions): Encoder {
	const text = (row: unknown): string => {
		const value = pick(options, row);
		return options.isTTY ? paintJson(jsonText(value, 2), options.palette) : jsonText(value);
	};
	if (options.single) return { row: (row) => `${text(row)}\n`, end: () => '' };
	let started = false;
	return {
		row(row) {
			const before = started ? ',\n' : '[\n';
			started = true;
			return before + (options.isTTY ? text(row).replace(/^/gm, '  ') : text(row));
		},
		end: () => (started ? '\n]\n' : '[]\n'),
	};
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi;

/** Keys stand out, strings are green, the rest is left alone. */
function paintJson(json: string, palette: Palette): string {
	if (!palette.enabled) return json;
	return json.replace(TOKEN, (token, text: string | undefined, colon: string | undefined) => {
		if (text === undefined) return palette.doubtful(token);
		return colon === undefined ? palette.good(text) : `${palette.strong(text)}${colon}`;
	});
}

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

/** The id of each row, ready to be the next command's input. */
export function createIds(options: EncoderOptions): Encoder {
	const idOf = options.idOf ?? ((row: Row) => row.id);
	let count = 0;
	return {
		row(row) {
			count++;
			const isObject = typeof row === 'object' && row !== null;
			const id = isObject ? (options.chosen ? options.columns?.[0]?.get(row as Row) : idOf(row as Row)) : row;
			const text = cellText(id);
			// A look-up that failed has found no id, and has been complained of elsewhere.
			if (text === '' && isObject && Object.hasOwn(row, 'outcome') && (row as Row).outcome !== 'ok') return '';
			if (text === '') {
				throw new UsageError(`result ${count} has no id to print`, {
					code: 'no_id',
					hint: 'Choose the value yourself: --field NAME, or --query with --format ids',
				});
			}
			return `${sanitise(text)}\n`;
		},
		end: () => '',
	};
}

/** How many rows there were. */
export function createCount(): Encoder {
	let count = 0;
	return {
		row() {
			count++;
			return '';
		},
		end: () => `${count}\n`,
	};
}

/** One value of each row; a line break inside a value is shown, so that lines and rows stay in step. */
export function createField(get: (row: Row) => unknown): Encoder {
	return {
		row: (row) => `${sanitise(cellText(typeof row === 'object' && row !== null ? get(row as Row) : row))}\n`,
		end: () => '',
	};
}
