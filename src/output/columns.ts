/** Rows in, text out: what an output format is, and the columns that it picks from each row, under which label and as which text. */

import { UsageError } from '../errors.js';
import type { Palette } from './colour.js';

/** What each can hold: any value, or rows alone, among which a service's error would be read as one more. */
const holds = {
	table: 'anything',
	json: 'anything',
	ndjson: 'anything',
	csv: 'rows',
	tsv: 'rows',
	yaml: 'anything',
	ids: 'rows',
	count: 'rows',
} as const;

export type Format = keyof typeof holds;

export const formats = Object.keys(holds) as readonly Format[];

/** Whether a format has no place for what is no row. */
export function holdsRowsAlone(format: Format): boolean {
	return holds[format] === 'rows';
}

/** Any printed object. */
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
	/** Cut in the middle, where the end matters as much as the beginning. */
	readonly ends?: boolean;
	/** The usual text: an optional column counts as empty where all rows have it. */
	readonly usual?: string;
	/** What a terminal's table shows instead of a value that is too long to stand beside others. */
	readonly short?: (row: Row) => unknown;
	/** How a terminal's table paints the cell. */
	readonly style?: (text: string, row: Row) => string;
}

/** A column whose value can be taken. */
export interface ResolvedColumn extends Column {
	readonly label: string;
	readonly get: (row: Row) => unknown;
}

/** Takes the value at a path: an own key of that very name first, then key by key. */
export function getterOf(path: string): (row: unknown) => unknown {
	const keys = path.split('.');
	const first = keys[0] as string;
	if (keys.length === 1) return (row) => own(row, first);
	return (row) => {
		if (typeof row === 'object' && row !== null && Object.hasOwn(row, path)) return own(row, path);
		let value = row;
		for (const key of keys) value = own(value, key);
		return value;
	};
}

function own(value: unknown, key: string): unknown {
	if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
	return (value as Record<string, unknown>)[key];
}

export function resolveColumn(column: Column): ResolvedColumn {
	return { ...column, label: column.label ?? labelOf(column.path), get: column.get ?? getterOf(column.path) };
}

function labelOf(path: string): string {
	return path.startsWith('body.') ? path.slice('body.'.length) : path;
}

/** `--fields id,body.status=state` → columns; what stands behind `=` is the header. */
export function parseFields(text: string | readonly string[]): ResolvedColumn[] {
	const parts = (typeof text === 'string' ? [text] : text).flatMap((each) => each.split(','));
	const columns = parts
		.map((part) => part.trim())
		.filter((part) => part !== '')
		.map((part) => {
			const at = part.indexOf('=');
			if (at < 0) return resolveColumn({ path: part, label: part });
			return resolveColumn({ path: part.slice(0, at), label: part.slice(at + 1) });
		});
	if (columns.length === 0 || columns.some((column) => column.path === '' || column.label === '')) {
		throw new UsageError(`--fields ${JSON.stringify(parts.join(','))} names no column`, {
			code: 'invalid_fields',
			hint: 'Name columns by commas, keys within keys by dots: --fields id,outcome,body.status',
		});
	}
	return columns;
}

/** A value as the text of one cell: text as it is, `{raw, rendered}` as its raw text, lists by commas, objects as JSON. */
export function cellText(value: unknown): string {
	switch (typeof value) {
		case 'string':
			return value;
		case 'number':
		case 'boolean':
		case 'bigint':
			return String(value);
		case 'object':
			return value === null ? '' : objectText(value as Row);
		default:
			return '';
	}
}

function objectText(value: Row | readonly unknown[]): string {
	if (Array.isArray(value)) {
		const isFlat = value.every((each) => typeof each !== 'object' || each === null);
		return isFlat ? value.map(cellText).join(',') : JSON.stringify(value);
	}
	if (isText(own(value, 'raw'))) return String(own(value, 'raw'));
	if (isText(own(value, 'rendered'))) return String(own(value, 'rendered'));
	return JSON.stringify(value);
}

function isText(value: unknown): boolean {
	return typeof value === 'string' || typeof value === 'number';
}

/** The keys of some rows, in the order in which they are first met. */
export function columnsOf(rows: readonly Row[]): ResolvedColumn[] {
	const paths = new Set<string>();
	for (const row of rows) for (const key of Object.keys(row)) paths.add(key);
	return [...paths].map((path) => ({ path, label: path, get: (row) => own(row, path) }));
}

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

/** How many rows are looked at before columns that only the rows know are settled. */
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
