/** Rows → text in the chosen format, written in large pieces. */

import { FailedError, UsageError } from '../errors.js';
import { formatCsvRecord } from '../text.js';
import { type Palette, plainPalette } from './colour.js';
import {
	asRow,
	type Column,
	cellText,
	columnsFor,
	type Encoder,
	type EncoderOptions,
	type Format,
	formats,
	ownOf,
	parseFields,
	type ResolvedColumn,
	type Row,
	resolveColumn,
} from './columns.js';
import { createRedactor } from './redact.js';
import { escapeJson, sanitise } from './sanitise.js';

export interface RenderOptions {
	/** By default a table, or its columns with tabs in a pipe. */
	readonly format?: Format | undefined;
	readonly fields?: string | readonly string[] | undefined;
	readonly field?: string | undefined;
	readonly bom?: boolean | undefined;
	readonly query?: string | undefined;
	/** Every key by default. */
	readonly columns?: readonly Column[] | undefined;
	readonly more?: ((row: Row) => readonly Column[]) | undefined;
	/** Resolves a name that is no path. */
	readonly resolve?: ((name: string) => ((row: Row) => unknown) | undefined) | undefined;
	/** One object rather than a list. */
	readonly single?: boolean | undefined;
	readonly idOf?: ((row: Row) => unknown) | undefined;
	readonly isTTY: boolean;
	readonly width?: number | undefined;
	readonly palette?: Palette | undefined;
}

/** A promise asks to wait. */
export type Write = (text: string) => void | Promise<void>;

export interface RenderSummary {
	rows: number;
	missing: string[];
	/** Columns that came too late for the header. */
	dropped: string[];
	/** For suggestions. */
	seen: string[];
}

export interface Renderer {
	/** A promise asks to wait before the next row. */
	row(row: unknown): void | Promise<void>;
	/** Call it after a failure too, or an array stays open. */
	end(): Promise<RenderSummary>;
}

function oneByOne(
	item: (row: unknown, number: number) => string,
	{ open = '', between = '', close = '', none = '' } = {},
): Encoder {
	let count = 0;
	return {
		row(row) {
			count++;
			return (count === 1 ? open : between) + item(row, count);
		},
		end: () => (count === 0 ? none : close),
	};
}

function jsonText(value: unknown, indent?: number): string {
	return escapeJson(JSON.stringify(value, null, indent) ?? 'null');
}

function pick({ chosen, columns }: EncoderOptions, row: unknown): unknown {
	if (!chosen) return row;
	return Object.fromEntries(columns.map((column) => [column.label, column.get(row as Row) ?? null]));
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi;

function createJson(options: EncoderOptions): Encoder {
	const { palette, isTTY, single } = options;
	const text = (row: unknown): string => {
		const json = jsonText(pick(options, row), isTTY ? 2 : undefined);
		if (!palette.enabled || !isTTY) return json;
		return json.replace(TOKEN, (token, quoted: string | undefined, colon: string | undefined) => {
			if (quoted === undefined) return palette.doubtful(token);
			return colon === undefined ? palette.good(quoted) : `${palette.strong(quoted)}${colon}`;
		});
	};
	if (single) return oneByOne((row) => `${text(row)}\n`);
	const indented = (row: unknown): string => (isTTY ? text(row).replace(/^/gm, '  ') : text(row));
	return oneByOne(indented, { open: '[\n', between: ',\n', close: '\n]\n', none: '[]\n' });
}

const SAMPLE = 200;

/** If only rows know the columns, the first ones are held back to find them. */
function createLines(options: EncoderOptions, line: (cells: readonly string[]) => string, header: boolean): Encoder {
	const { discover } = options;
	let columns: readonly ResolvedColumn[] | undefined;
	let held: Row[] = [];
	const late = new Set<string>();
	const lineOf = (row: Row): string => line((columns ?? []).map((column) => cellText(column.get(row))));

	function release(): string {
		columns = columnsFor(options.columns, discover, held);
		const head = header && columns.length > 0 ? line(columns.map((column) => column.key ?? column.label)) : '';
		const text = head + held.map(lineOf).join('');
		held = [];
		return text;
	}

	return {
		row(given) {
			const row = asRow(given);
			if (columns === undefined) {
				held.push(row);
				return held.length < (discover === undefined ? 1 : SAMPLE) ? '' : release();
			}
			for (const { path, label = path } of discover?.(row) ?? []) {
				if (!columns.some((column) => column.path === path)) late.add(label);
			}
			return lineOf(row);
		},
		dropped: () => [...late],
		end: () => (columns === undefined ? release() : ''),
	};
}

/** For `cut` and `awk`: no header, no quotes. */
function createPlain(options: EncoderOptions): Encoder {
	if (!options.single) return createLines(options, (cells) => `${cells.map(sanitise).join('\t')}\n`, false);
	return oneByOne((row) => {
		const record = asRow(row);
		const cells = columnsFor(options.columns, options.discover, [record]).map((column) => [
			column.label,
			cellText(column.get(record)),
		]);
		return cells.map((each) => `${each.map(sanitise).join('\t')}\n`).join('');
	});
}

function idLine({ chosen, columns, idOf }: EncoderOptions, row: unknown, number: number): string {
	const isObject = typeof row === 'object' && row !== null;
	const id = isObject ? (chosen ? columns[0]?.get(row as Row) : idOf(row as Row)) : row;
	const text = cellText(id);
	if (text !== '') return `${sanitise(text)}\n`;
	// A failed lookup found no ID; its error is printed elsewhere.
	if (isObject && Object.hasOwn(row, 'outcome') && (row as Row).outcome !== 'ok') return '';
	throw new UsageError(`result ${number} has no ID to print`, {
		code: 'no_id',
		hint: 'choose the value yourself: --field NAME, or --query with --format ids',
	});
}

function createField(get: (row: Row) => unknown): Encoder {
	return oneByOne((row) => `${sanitise(cellText(typeof row === 'object' && row !== null ? get(row as Row) : row))}\n`);
}

const quoted =
	(separator: string) =>
	(options: EncoderOptions): Encoder =>
		createLines(options, (cells) => formatCsvRecord(options.isTTY ? cells.map(sanitise) : cells, separator), true);

/** `plain` is the table of a pipe. */
const encoders: Record<Format | 'plain', (options: EncoderOptions) => Encoder | Promise<Encoder>> = {
	table: async (options) => (await import('./table.js')).createTable(options),
	json: createJson,
	ndjson: (options) => oneByOne((row) => `${jsonText(pick(options, row))}\n`),
	csv: quoted(','),
	// As spreadsheets write it: quotation marks as in csv, a tab instead of the comma.
	tsv: quoted('\t'),
	plain: createPlain,
	async yaml(options) {
		const { yamlText } = await import('./yaml.js');
		if (options.single) return oneByOne((row) => yamlText(pick(options, row)));
		return oneByOne((row) => yamlText([pick(options, row)]), { none: '[]\n' });
	},
	ids: (options) => oneByOne((row, number) => idLine(options, row, number)),
	count() {
		let rows = 0;
		const row = (): string => {
			rows++;
			return '';
		};
		return { row, end: () => `${rows}\n` };
	},
};

function namedColumns({ fields, field, resolve }: RenderOptions): ResolvedColumn[] | undefined {
	if (fields === undefined && field === undefined) return undefined;
	const columns = field === undefined ? parseFields(fields ?? []) : [resolveColumn({ path: field })];
	return columns.map((column) => ({ ...column, get: resolve?.(column.path) ?? column.get }));
}

/** Dots in a key mean nothing. */
function keysOf(row: Row): Column[] {
	return Object.keys(row).map((path) => ({ path, label: path, get: (each) => ownOf(each, path) }));
}

async function createEncoder(options: RenderOptions, named: ResolvedColumn[] | undefined): Promise<Encoder> {
	if (options.field !== undefined && named?.[0] !== undefined) return createField(named[0].get);
	const { isTTY, columns, width = 80, palette = plainPalette, single = false } = options;
	const format = options.format ?? (isTTY ? 'table' : 'plain');
	if (format !== 'plain' && !formats.includes(format)) {
		throw new UsageError(`${JSON.stringify(format)} is not an output format; use ${formats.join(', ')}`, {
			code: 'unknown_format',
		});
	}
	if (options.bom === true && format !== 'csv' && format !== 'tsv') {
		throw new UsageError('--bom works with --format csv or tsv', { code: 'conflicting_flags' });
	}
	const more = columns === undefined ? keysOf : options.more;
	return encoders[format]({
		columns: named ?? columns?.map(resolveColumn) ?? [],
		discover: named === undefined ? more : undefined,
		chosen: named !== undefined,
		single,
		idOf: options.idOf ?? ((row) => row.id),
		isTTY,
		width: isTTY ? width : Number.POSITIVE_INFINITY,
		palette,
	});
}

const BATCH = 64 * 1024;

/** Milliseconds until rows are shown; a table waits to be full. */
const WAIT_MS = 50;
const TABLE_WAIT_MS = 400;

/** Finds everything wrong with the options before anything is sent. @throws UsageError */
export async function createRenderer(options: RenderOptions, write: Write): Promise<Renderer> {
	const redactRow = createRedactor();
	const { query, single } = options;
	const search = query === undefined ? undefined : await compileQuery(query);
	const own: RenderOptions = search ? { ...options, resolve: undefined, columns: undefined, more: undefined } : options;
	const named = namedColumns(own);
	let encoder = await createEncoder(own, named);
	let missing = named ?? [];
	let seen: string[] | undefined;
	let text = options.bom === true ? '\ufeff' : '';
	let timer: NodeJS.Timeout | undefined;
	/** The last write of the timer: `end` throws its error. */
	let pending: Promise<void> | undefined;

	function flush(): void | Promise<void> {
		clearTimeout(timer);
		timer = undefined;
		const piece = text;
		text = '';
		if (piece !== '') return write(piece);
	}

	function settle(): void {
		text += encoder.settle?.() ?? '';
		pending = flush() ?? pending;
		pending?.catch(() => undefined);
	}

	function print(row: unknown): void | Promise<void> {
		if (typeof row === 'object' && row !== null && (seen === undefined || missing.length > 0)) {
			seen ??= Object.keys(row);
			missing = missing.filter((column) => column.get(row as Row) === undefined);
		}
		text += encoder.row(row);
		if (text.length >= BATCH) return flush();
		timer ??= setTimeout(settle, encoder.settle === undefined ? WAIT_MS : TABLE_WAIT_MS);
	}

	const rows: unknown[] = [];
	let count = 0;
	return {
		row(row) {
			count++;
			if (search === undefined) return print(redactRow(row));
			rows.push(redactRow(row));
		},
		async end() {
			if (search !== undefined) {
				const found = search(single === true ? rows[0] : rows);
				const isList = Array.isArray(found);
				if (isBare(found, options)) encoder = createField((row) => row.value);
				else if (!isList) encoder = await createEncoder({ ...own, single: true }, named);
				else encoder = await createEncoder({ ...own, single: false }, named);
				// In formats of lines, no result prints no line.
				const inLines = options.field !== undefined || options.format === 'ids' || options.format === 'count';
				for (const row of isList ? found : found === null && inLines ? [] : [found]) await print(row);
			}
			text += encoder.end();
			await flush();
			await pending;
			return {
				rows: count,
				dropped: encoder.dropped?.() ?? [],
				missing: seen === undefined ? [] : missing.map((column) => column.path),
				seen: seen ?? [],
			};
		},
	};
}

/** Values of a query are printed bare by default. */
function isBare(found: unknown, { format, fields, field }: RenderOptions): boolean {
	if ((format !== undefined && format !== 'table') || fields !== undefined || field !== undefined) return false;
	const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
	return Array.isArray(found) ? found.length > 0 && found.every(isScalar) : isScalar(found);
}

async function compileQuery(query: string): Promise<(data: unknown) => unknown> {
	const { compile, getRegisteredFunctions, TreeInterpreter } = await import('@jmespath-community/jmespath');
	const shown = `--query ${JSON.stringify(query)}`;
	const refuse = (why: string, hint: string, cause?: unknown): UsageError =>
		new UsageError(`${shown}${why}`, { code: 'invalid_query', hint, cause });
	let expression: ReturnType<typeof compile>;
	try {
		expression = compile(query);
	} catch (error) {
		const hint = "for example --query '[].id', or --query \"[?outcome=='failed'].[id, message]\"";
		throw refuse(` is not JMESPath: ${(error as Error).message}`, hint, error);
	}
	const known = getRegisteredFunctions();
	JSON.stringify(expression, (_key, node) => {
		if (node?.type !== 'Function' || known.includes(node.name)) return node;
		throw refuse(`: unknown JMESPath function ${node.name}()`, `functions: ${[...known].sort().join(', ')}`);
	});
	return (data) => {
		try {
			return TreeInterpreter.search(expression, data as never);
		} catch (error) {
			// What is missing is null in JMESPath; the library gives undefined.
			const reason = (error as Error).message.replace('not-a-number: undefined', 'not-a-number: null');
			throw new FailedError(`${shown} does not fit the result: ${reason}`, { code: 'query_failed' });
		}
	};
}
