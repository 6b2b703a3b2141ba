/** Rows → text in the format that was asked for, written in large pieces as the rows come. */

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
	/** One of `formats`; by default a table on a terminal, and the same columns apart by tabs in a pipe. */
	readonly format?: Format | undefined;
	/** `--fields`: paths by commas, `path=label` to name the header. */
	readonly fields?: string | readonly string[] | undefined;
	/** `--field`: one bare value a line. */
	readonly field?: string | undefined;
	/** `--bom`: a byte order mark before csv and tsv, by which Excel knows UTF-8. */
	readonly bom?: boolean | undefined;
	/** `--query`: JMESPath over the list of all rows, or over the one object. */
	readonly query?: string | undefined;
	/** What tables show without `--fields`; every key where absent. */
	readonly columns?: readonly Column[] | undefined;
	/** Further columns that only the rows know. */
	readonly more?: ((row: Row) => readonly Column[]) | undefined;
	/** What a name in `--fields` or `--field` stands for where it is no path; undefined where it is one. */
	readonly resolve?: ((name: string) => ((row: Row) => unknown) | undefined) | undefined;
	/** One object rather than a list: `key  value` lines, and a JSON object instead of an array. */
	readonly single?: boolean | undefined;
	/** The id that `--format ids` prints for a row; `id` where absent. */
	readonly idOf?: ((row: Row) => unknown) | undefined;
	readonly isTTY: boolean;
	/** Columns of the terminal. */
	readonly width?: number | undefined;
	readonly palette?: Palette | undefined;
}

/** Takes text; a promise asks the producer of rows to wait until the reader has taken it. */
export type Write = (text: string) => void | Promise<void>;

export interface RenderSummary {
	rows: number;
	/** Columns of `--fields` or `--field` that no row had. */
	missing: string[];
	/** Columns that only late rows have, which came too late for the header of csv, tsv or a pipe. */
	dropped: string[];
	/** Keys of the first row, to suggest a name from. */
	seen: string[];
}

export interface Renderer {
	/** Prints a row. A promise, which is rare, asks to wait before the next. */
	row(row: unknown): void | Promise<void>;
	/** Writes what is left and closes brackets; call it also after a failure, or an array stays open. */
	end(): Promise<RenderSummary>;
}

/** Rows that are written as they come. @param frame what stands around and between them, and what is printed for none */
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

/** A row with the chosen columns only, under their labels; the row itself where none were chosen. */
function pick({ chosen, columns }: EncoderOptions, row: unknown): unknown {
	if (!chosen) return row;
	return Object.fromEntries(columns.map((column) => [column.label, column.get(row as Row) ?? null]));
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi;

/** One array, or one value where there is one only: indented and painted for a person, a line a row for programs. */
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

/** How many rows are looked at before columns that only the rows know are settled. */
const SAMPLE = 200;

/** Rows as lines; where only rows know the columns, the first ones are held back to find them. */
function createLines(options: EncoderOptions, line: (cells: readonly string[]) => string, header: boolean): Encoder {
	const { discover } = options;
	let columns: readonly ResolvedColumn[] | undefined;
	let held: Row[] = [];
	/** Columns that came after the header was written. */
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

/** The table's columns for `cut` and `awk`: no header, no quotation marks; tabs and line breaks in a cell are visible. */
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

/** The id of each row, ready to be the next command's input. */
function idLine({ chosen, columns, idOf }: EncoderOptions, row: unknown, number: number): string {
	const isObject = typeof row === 'object' && row !== null;
	const id = isObject ? (chosen ? columns[0]?.get(row as Row) : idOf(row as Row)) : row;
	const text = cellText(id);
	if (text !== '') return `${sanitise(text)}\n`;
	// A look-up that failed has found no id, and its error is printed elsewhere.
	if (isObject && Object.hasOwn(row, 'outcome') && (row as Row).outcome !== 'ok') return '';
	throw new UsageError(`result ${number} has no id to print`, {
		code: 'no_id',
		hint: 'choose the value yourself: --field NAME, or --query with --format ids',
	});
}

/** One value of each row; a line break inside a value is shown, so that lines and rows stay in step. */
function createField(get: (row: Row) => unknown): Encoder {
	return oneByOne((row) => `${sanitise(cellText(typeof row === 'object' && row !== null ? get(row as Row) : row))}\n`);
}

const quoted =
	(separator: string) =>
	(options: EncoderOptions): Encoder =>
		createLines(options, (cells) => formatCsvRecord(options.isTTY ? cells.map(sanitise) : cells, separator), true);

/** How each format writes rows; `plain` is the table of a pipe. */
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

/** The columns that `--fields` or `--field` name; undefined without them. */
function namedColumns({ fields, field, resolve }: RenderOptions): ResolvedColumn[] | undefined {
	if (fields === undefined && field === undefined) return undefined;
	const columns = field === undefined ? parseFields(fields ?? []) : [resolveColumn({ path: field })];
	return columns.map((column) => ({ ...column, get: resolve?.(column.path) ?? column.get }));
}

/** Every key of a row as a column; dots in it mean nothing. */
function keysOf(row: Row): Column[] {
	return Object.keys(row).map((path) => ({ path, label: path, get: (each) => ownOf(each, path) }));
}

async function createEncoder(options: RenderOptions, named: ResolvedColumn[] | undefined): Promise<Encoder> {
	if (options.field !== undefined && named?.[0] !== undefined) return createField(named[0].get);
	const { isTTY, columns, width = 80, palette = plainPalette, single = false } = options;
	const format = options.format ?? (isTTY ? 'table' : 'plain');
	if (format !== 'plain' && !formats.includes(format)) {
		// A profile's file can hold any text.
		throw new UsageError(`${JSON.stringify(format)} is not an output format: there are ${formats.join(', ')}`, {
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

/** Text is written when there is this much of it. */
const BATCH = 64 * 1024;

/** Or when this many milliseconds have passed, so that rows are seen as they come; a table waits longer to be full. */
const WAIT_MS = 50;
const TABLE_WAIT_MS = 400;

/**
 * Makes a renderer. Everything that can be wrong with the options is found here, before anything is sent.
 * @throws UsageError for fields or a query that can't be used.
 */
export async function createRenderer(options: RenderOptions, write: Write): Promise<Renderer> {
	const redactRow = createRedactor();
	const { query, single } = options;
	const search = query === undefined ? undefined : await compileQuery(query);
	// What a query gives has columns of its own, not the command's.
	const own: RenderOptions = search ? { ...options, resolve: undefined, columns: undefined, more: undefined } : options;
	const named = namedColumns(own);
	let encoder = await createEncoder(own, named);
	let missing = named ?? [];
	let seen: string[] | undefined;
	let text = options.bom === true ? '\ufeff' : '';
	let timer: NodeJS.Timeout | undefined;
	/** The last write that only the timer began: `end` waits for it, and throws what became of it. */
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
		// Until then the rejection is not unhandled.
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

/** Without a format or columns of its own, a value or a list of values is printed bare, a line each. */
function isBare(found: unknown, { format, fields, field }: RenderOptions): boolean {
	if ((format !== undefined && format !== 'table') || fields !== undefined || field !== undefined) return false;
	const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
	return Array.isArray(found) ? found.length > 0 && found.every(isScalar) : isScalar(found);
}

/** Compiles a JMESPath expression; the library is loaded only for this. @throws UsageError */
async function compileQuery(query: string): Promise<(data: unknown) => unknown> {
	const { compile, getRegisteredFunctions, TreeInterpreter } = await import('@jmespath-community/jmespath');
	const shown = `--query ${JSON.stringify(query)}`;
	const refuse = (why: string, hint: string, cause?: unknown): UsageError =>
		new UsageError(`${shown}${why}`, { code: 'invalid_query', hint, cause });
	let expression: ReturnType<typeof compile>;
	try {
		expression = compile(query);
	} catch (error) {
		const hint = "for instance --query '[].id', or --query \"[?outcome=='failed'].[id, message]\"";
		throw refuse(` is not JMESPath: ${(error as Error).message}`, hint, error);
	}
	const known = getRegisteredFunctions();
	JSON.stringify(expression, (_key, node) => {
		if (node?.type !== 'Function' || known.includes(node.name)) return node;
		throw refuse(`: JMESPath has no function ${node.name}()`, `its functions are ${[...known].sort().join(', ')}`);
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
