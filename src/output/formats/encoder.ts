/** What an output format is: rows in, text out, with what it may know of the place it is printed to. */

import type { Palette } from '../colour.js';
import { type Column, columnsOf, type ResolvedColumn, type Row, resolveColumn } from '../columns.js';

/** Turns rows into text, one after another. */
export interface Encoder {
	/** The text that can be written now; empty while the format still waits for more rows. */
	row(row: unknown): string;
	/** Text for rows that were held back, because no more came for a while. */
	settle?(): string;
	/** Columns that came too late to be shown. */
	dropped?(): string[];
	/** What closes the output. */
	end(): string;
}

/** What formats need to know. */
export interface EncoderOptions {
	/** Columns that were asked for or that the command shows; undefined shows every key of the rows. */
	readonly columns: readonly ResolvedColumn[] | undefined;
	/** True where `--fields` named the columns, so that no other is added and objects are cut down to them. */
	readonly chosen: boolean;
	/** Further columns that only a row knows, such as its custom fields. */
	readonly more?: ((row: Row) => readonly Column[]) | undefined;
	/** One object instead of a list of rows. */
	readonly single: boolean;
	/** The id that `ids` prints for a row. */
	readonly idOf?: ((row: Row) => unknown) | undefined;
	readonly isTTY: boolean;
	/** Columns of the terminal; Infinity where nothing has to fit. */
	readonly width: number;
	readonly palette: Palette;
}

/** How many rows are looked at before columns that only the rows know, and widths, are settled. */
export const SAMPLE = 200;

/** A row as an object: what is none stands under `value`. */
export function asRow(row: unknown): Row {
	if (typeof row === 'object' && row !== null && !Array.isArray(row)) return row as Row;
	if (Array.isArray(row)) return Object.fromEntries(row.map((each, index) => [String(index + 1), each]));
	return { value: row };
}

/** The columns that some rows fill: the command's own, then those that only the rows know, optional ones last. */
export function columnsFor(options: EncoderOptions, rows: readonly Row[]): ResolvedColumn[] {
	if (options.columns === undefined) return columnsOf(rows);
	if (options.chosen || options.more === undefined) return [...options.columns];
	const found = new Map<string, ResolvedColumn>();
	for (const row of rows) {
		for (const column of options.more(row)) {
			if (!found.has(column.path)) found.set(column.path, resolveColumn(column));
		}
	}
	const fixed = options.columns.filter((column) => column.optional !== true);
	const optional = options.columns.filter((column) => column.optional === true);
	return [...fixed, ...found.values(), ...optional];
}

/** Whether only the rows know what columns there are. */
export function discoversColumns(options: EncoderOptions): boolean {
	return options.columns === undefined || (!options.chosen && options.more !== undefined);
}

/** The columns that a row has beyond those whose paths are known. */
export function newColumns(options: EncoderOptions, known: ReadonlySet<string>, row: Row): Column[] {
	const columns =
		options.columns === undefined ? Object.keys(row).map((path) => ({ path })) : (options.more?.(row) ?? []);
	return columns.filter((column) => !known.has(column.path));
}

/** A row with the chosen columns only, under their labels; the row itself where none were chosen. */
export function pick(options: EncoderOptions, row: unknown): unknown {
	if (!options.chosen || options.columns === undefined) return row;
	return Object.fromEntries(options.columns.map((column) => [column.label, column.get(row as Row) ?? null]));
}
