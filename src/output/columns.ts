/** The columns that output formats pick from each row. */

import { UsageError } from '../errors.js';
import type { Palette, StyleName } from './colour.js';
import type { Format } from './formats.js';

export type Row = Readonly<Record<string, unknown>>;

export interface Column {
	/** `body.status` */
	readonly path: string;
	/** By default the path without a leading `body.`. */
	readonly label?: string;
	/** The header in csv and tsv, if not the label. */
	readonly key?: string;
	/** For a value that the path doesn't lead to. */
	readonly get?: (row: Row) => unknown;
	/** Hidden on a terminal if empty in every row. */
	readonly optional?: boolean;
	/** Keeps its width longest. */
	readonly important?: boolean;
	/** Never cut: people copy it. */
	readonly whole?: boolean;
	/** Goes on in the next line where others are cut: what is reviewed. */
	readonly wraps?: boolean;
	/** The least useful width. */
	readonly least?: number;
	/** A value that counts as empty in an optional column. */
	readonly usual?: string;
	readonly style?: (text: string, row: Row) => StyleName | undefined;
}

export interface ResolvedColumn extends Column {
	readonly label: string;
	readonly get: (row: Row) => unknown;
}

/** Only own keys: `constructor` is a name like any other. */
export function ownOf(value: unknown, key: string): unknown {
	if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
	return (value as Record<string, unknown>)[key];
}

/** A key of the path's very name takes precedence. */
export function resolveColumn(column: Column): ResolvedColumn {
	const { path } = column;
	const keys = path.split('.');
	const get = (row: Row): unknown => {
		const own = ownOf(row, path);
		return own === undefined && keys.length > 1 ? keys.reduce<unknown>(ownOf, row) : own;
	};
	return { get, label: path.startsWith('body.') ? path.slice('body.'.length) : path, ...column };
}

/** `--fields id,body.status=state`: the header follows `=`. */
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
	throw new UsageError(`--fields ${JSON.stringify(given)}: no column name`, {
		code: 'invalid_fields',
		hint: 'separate columns with commas, and keys with dots: --fields id,outcome,body.status',
	});
}

export interface Encoder {
	/** Empty while the format waits for more rows. */
	rows(rows: readonly unknown[]): string;
	readonly dropped?: ReadonlySet<string>;
	end(): string;
}

export interface RenderOptions {
	readonly format?: Format | undefined;
	/** `--fields`: paths, or `path=label` to name the header. */
	readonly fields?: string | readonly string[] | undefined;
	/** `--field`: one bare value per line. */
	readonly field?: string | undefined;
	/** By which Excel recognizes UTF-8. */
	readonly bom?: boolean | undefined;
	/** Of CSV. */
	readonly delimiter?: string | undefined;
	/** `--query`: JMESPath over the list of all rows, or over the one object. */
	readonly query?: string | undefined;
	/** By default every key. */
	readonly columns?: readonly Column[] | undefined;
	/** Columns that only rows know, such as custom fields. */
	readonly more?: ((row: Row) => readonly Column[]) | undefined;
	/** For a name that is no path. */
	readonly resolve?: ((name: string) => ((row: Row) => unknown) | undefined) | undefined;
	/** One object, not a list of one. */
	readonly single?: boolean | undefined;
	/** What `--format ids` prints. */
	readonly idOf: (row: Row) => unknown;
	readonly isTTY: boolean;
	/** Columns of the terminal. */
	readonly width: number;
	readonly palette: Palette;
}

export interface EncoderOptions extends Omit<RenderOptions, 'columns'> {
	readonly columns: readonly ResolvedColumn[];
	/** Whether `--fields` named the columns. */
	readonly chosen: boolean;
}

/** Anything else than an object is under `value`. */
export function asRow(row: unknown): Row {
	if (Array.isArray(row)) return Object.fromEntries(row.map((each, index) => [String(index + 1), each]));
	return typeof row === 'object' && row !== null ? (row as Row) : { value: row };
}

/** Those that are known, then those that only rows know; optional ones last. */
export function columnsFor(
	columns: readonly ResolvedColumn[],
	more: EncoderOptions['more'],
	rows: readonly Row[],
): readonly ResolvedColumn[] {
	if (more === undefined) return columns;
	const found = new Map(columns.map((column) => [column.path, column]));
	for (const row of rows) {
		for (const column of more(row)) if (!found.has(column.path)) found.set(column.path, resolveColumn(column));
	}
	return optionalLast([...found.values()]);
}

export function optionalLast<C extends Column>(columns: readonly C[]): C[] {
	return columns.toSorted((left, right) => Number(left.optional === true) - Number(right.optional === true));
}
