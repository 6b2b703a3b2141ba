/** The names of the output formats, and the columns that they pick from each row, under which label and as which text. */

import { UsageError } from '../errors.js';
import type { Palette } from './colour.js';

export const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'ids', 'count'] as const;

export type Format = (typeof formats)[number];

/** Whether a format has no place for what is no row: a service's error would be read as one more. */
export function holdsRowsAlone(format: Format): boolean {
	return ['csv', 'tsv', 'ids', 'count'].includes(format);
}

export type Row = Readonly<Record<string, unknown>>;

export interface Column {
	/** Where the value is: a key, or keys joined by dots: `body.status`. */
	readonly path: string;
	/** The header; the path without a leading `body.` where absent. */
	readonly label?: string;
	/** The header in csv and tsv, where the label means something else to programs; the label where absent. */
	readonly key?: string;
	/** Takes the value in another way than by its path. */
	readonly get?: (row: Row) => unknown;
	/** Left out of a terminal's table while every row has it empty; always there for programs. */
	readonly optional?: boolean;
	/** Shrunk after the others where a terminal is narrow. */
	readonly important?: boolean;
	/** Never cut: a key that is copied from the table. */
	readonly whole?: boolean;
	/** The fewest columns of a terminal in which its cells are still of use. */
	readonly least?: number;
	/** The usual text: an optional column counts as empty where all rows have it. */
	readonly usual?: string;
	/** How a terminal's table paints the cell. */
	readonly style?: (text: string, row: Row) => string;
}

export interface ResolvedColumn extends Column {
	readonly label: string;
	readonly get: (row: Row) => unknown;
}

/** The value of an own key; undefined where there is none. */
export function ownOf(value: unknown, key: string): unknown {
	if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
	return (value as Record<string, unknown>)[key];
}

/** Fills in the label, and how the value at the path is taken: an own key of that very name first, then key by key. */
export function resolveColumn(column: Column): ResolvedColumn {
	const { path } = column;
	const keys = path.split('.');
	const get = (row: Row): unknown => {
		const own = ownOf(row, path);
		return own === undefined && keys.length > 1 ? keys.reduce<unknown>(ownOf, row) : own;
	};
	return { get, label: path.startsWith('body.') ? path.slice('body.'.length) : path, ...column };
}

/** `--fields id,body.status=state` → columns; what stands behind `=` is the header. */
export function parseFields(text: string | readonly string[]): ResolvedColumn[] {
	const given = [text].flat().join(',');
	const parts = given.split(',').map((part) => part.trim());
	const columns = parts
		.filter((part) => part !== '')
		.map((part) => {
			const at = part.includes('=') ? part.indexOf('=') : part.length;
			return resolveColumn({ path: part.slice(0, at), label: part.slice(at + 1) || part.slice(0, at) });
		});
	if (columns.length > 0 && columns.every(({ path }) => path !== '') && !parts.some((part) => part.endsWith('='))) {
		return columns;
	}
	throw new UsageError(`--fields ${JSON.stringify(given)} names no column`, {
		code: 'invalid_fields',
		hint: 'put commas between columns, and dots between the keys of a path: --fields id,outcome,body.status',
	});
}

/** A value as the text of one cell: text as it is, `{raw, rendered}` as its raw text, lists by commas, objects as JSON. */
export function cellText(value: unknown): string {
	if (typeof value === 'string') return value;
	if (value === null || value === undefined) return '';
	if (typeof value !== 'object') return String(value);
	if (Array.isArray(value)) {
		const isFlat = value.every((each) => typeof each !== 'object' || each === null);
		return isFlat ? value.map(cellText).join(',') : JSON.stringify(value);
	}
	const texts = [ownOf(value, 'raw'), ownOf(value, 'rendered')];
	const text = texts.find((each) => typeof each === 'string' || typeof each === 'number');
	return text === undefined ? JSON.stringify(value) : String(text);
}

export interface Encoder {
	/** The text that can be written now; empty while the format still waits for more rows. */
	row(row: unknown): string;
	/** Text for rows that were held back, because no more came for a while. */
	settle?(): string;
	/** Columns that came too late to be shown. */
	dropped?(): string[];
	end(): string;
}

export interface EncoderOptions {
	/** Columns that were asked for or that the command shows. */
	readonly columns: readonly ResolvedColumn[];
	/** Further columns that only a row knows, such as its custom fields. */
	readonly discover?: ((row: Row) => readonly Column[]) | undefined;
	/** True where `--fields` named the columns: objects are cut down to them, and a table shows them even if empty. */
	readonly chosen: boolean;
	/** One object instead of a list of rows. */
	readonly single: boolean;
	/** The id that `ids` prints for a row. */
	readonly idOf: (row: Row) => unknown;
	readonly isTTY: boolean;
	/** Columns of the terminal; Infinity where nothing has to fit. */
	readonly width: number;
	readonly palette: Palette;
}

/** A row as an object: what is none stands under `value`. */
export function asRow(row: unknown): Row {
	if (Array.isArray(row)) return Object.fromEntries(row.map((each, index) => [String(index + 1), each]));
	return typeof row === 'object' && row !== null ? (row as Row) : { value: row };
}

/** The columns of some rows: those that are known, then those that only the rows know, optional ones last. */
export function columnsFor(
	columns: readonly ResolvedColumn[],
	discover: EncoderOptions['discover'],
	rows: readonly Row[],
): readonly ResolvedColumn[] {
	if (discover === undefined) return columns;
	const found = new Map(columns.map((column) => [column.path, column]));
	for (const row of rows) {
		for (const column of discover(row)) if (!found.has(column.path)) found.set(column.path, resolveColumn(column));
	}
	return optionalLast([...found.values()]);
}

export function optionalLast<C extends Column>(columns: readonly C[]): C[] {
	return [...columns].sort((left, right) => Number(left.optional === true) - Number(right.optional === true));
}
