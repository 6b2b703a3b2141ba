/** Rows → text in the format that was asked for, written in large pieces as the rows come. */

import { FailedError, UsageError } from '../errors.js';
import { type Palette, plainPalette } from './colour.js';
import {
	type Column,
	type Encoder,
	type EncoderOptions,
	type Format,
	formats,
	getterOf,
	parseFields,
	type ResolvedColumn,
	type Row,
	resolveColumn,
} from './columns.js';
import { createRedactor } from './redact.js';

export interface RenderOptions {
	/** One of `formats`; by default a table on a terminal, and the same columns apart by tabs in a pipe. */
	readonly format?: Format | undefined;
	/** `--fields`: paths by commas, `path=label` to name the header. */
	readonly fields?: string | readonly string[] | undefined;
	/** `--field`: one bare value a line. */
	readonly field?: string | undefined;
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

/** Text is written when there is this much of it. */
const BATCH = 64 * 1024;

/** Or when this many milliseconds have passed, so that rows are seen as they come. */
const PATIENCE = 50;

/** A table shows what it has after this many milliseconds without being full. */
const TABLE_PATIENCE = 400;

const encoders: Record<Format | 'plain', (options: EncoderOptions) => Promise<Encoder>> = {
	table: async (options) => (await import('./table.js')).createTable(options),
	json: async (options) => (await import('./formats.js')).createJson(options),
	ndjson: async (options) => (await import('./formats.js')).createNdjson(options),
	csv: async (options) => (await import('./formats.js')).createCsv(options),
	tsv: async (options) => (await import('./formats.js')).createTsv(options),
	plain: async (options) => (await import('./formats.js')).createPlain(options),
	yaml: async (options) => (await import('./yaml.js')).createYaml(options),
	ids: async (options) => (await import('./formats.js')).createIds(options),
	count: async () => (await import('./formats.js')).createCount(),
};

async function createEncoder(options: RenderOptions, single: boolean, known: boolean): Promise<Encoder> {
	if (options.field !== undefined) {
		const [column] = fieldColumns({ field: options.field, resolve: known ? options.resolve : undefined });
		return (await import('./formats.js')).createField((column as ResolvedColumn).get);
	}
	const fields = options.fields === undefined ? undefined : fieldColumns(known ? options : { fields: options.fields });
	const format = options.format ?? (options.isTTY ? 'table' : 'plain');
	if (format !== 'plain' && !formats.includes(format)) throw unknownFormat(format);
	return encoders[format]({
		columns: fields ?? (known ? options.columns?.map(resolveColumn) : undefined),
		chosen: fields !== undefined,
		more: known ? options.more : undefined,
		single,
		idOf: options.idOf,
		isTTY: options.isTTY,
		width: options.isTTY ? (options.width ?? 80) : Number.POSITIVE_INFINITY,
		palette: options.palette ?? plainPalette,
	});
}

/** The columns that `--fields` or `--field` name. */
function fieldColumns({
	fields,
	field,
	resolve,
}: Pick<RenderOptions, 'fields' | 'field' | 'resolve'>): ResolvedColumn[] {
	const columns = field === undefined ? parseFields(fields ?? []) : [resolveColumn({ path: field })];
	return columns.map((column) => ({ ...column, get: resolve?.(column.path) ?? column.get }));
}

/** A profile's file can hold any text. */
function unknownFormat(format: string): UsageError {
	return new UsageError(`${JSON.stringify(format)} is not an output format: there are ${formats.join(', ')}`, {
		code: 'unknown_format',
	});
}

/**
 * Makes a renderer. Everything that can be wrong with the options is found here, before anything is sent.
 * @throws UsageError for fields or a query that can't be used.
 */
export async function createRenderer(options: RenderOptions, write: Write): Promise<Renderer> {
	const redactRow = createRedactor();
	const stream = createStream(await createEncoder(options, options.single === true, true), write);
	const watch = createFieldWatch(options);
	if (options.query === undefined) {
		let rows = 0;
		return {
			row(row) {
				rows++;
				const clean = redactRow(row);
				watch.look(clean);
				return stream.row(clean);
			},
			async end() {
				await stream.end();
				return { rows, dropped: stream.dropped(), ...watch.summary() };
			},
		};
	}
	const search = await compileQuery(options.query);
	const rows: unknown[] = [];
	return {
		row(row) {
			rows.push(redactRow(row));
		},
		async end() {
			const found = search(options.single === true ? rows[0] : rows);
			const dropped = await renderFound(found, options, write, watch.look);
			return { rows: rows.length, dropped, ...watch.summary() };
		},
	};
}

/** What a query gave: its columns are its own, not the command's. */
async function renderFound(
	found: unknown,
	options: RenderOptions,
	write: Write,
	look: (row: unknown) => void,
): Promise<string[]> {
	const isList = Array.isArray(found);
	const encoder = isBare(found, options)
		? (await import('./formats.js')).createField(getterOf('value'))
		: await createEncoder(options, !isList, false);
	const stream = createStream(encoder, write);
	const rows = isList ? found : found === null && isLineFormat(options) ? [] : [found];
	for (const row of rows) {
		look(row);
		await stream.row(row);
	}
	await stream.end();
	return stream.dropped();
}

/** Without a format or columns of its own, a value or a list of values is printed bare, a line each. */
function isBare(found: unknown, { format, fields, field }: RenderOptions): boolean {
	if ((format !== undefined && format !== 'table') || fields !== undefined || field !== undefined) return false;
	const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
	return Array.isArray(found) ? found.length > 0 && found.every(isScalar) : isScalar(found);
}

/** Formats in which nothing is printed as nothing. */
function isLineFormat({ format, field }: RenderOptions): boolean {
	return field !== undefined || format === 'ids' || format === 'count';
}

interface TextStream {
	row(row: unknown): void | Promise<void>;
	dropped(): string[];
	end(): Promise<void>;
}

/** Gathers an encoder's text into large writes, and lets none wait for long. */
function createStream(encoder: Encoder, write: Write): TextStream {
	let text = '';
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
		if (encoder.settle !== undefined) text += encoder.settle();
		pending = flush() ?? pending;
		// Until then the rejection is not unhandled.
		pending?.catch(() => undefined);
	}

	return {
		row(row) {
			text += encoder.row(row);
			if (text.length >= BATCH) return flush();
			timer ??= setTimeout(settle, encoder.settle === undefined ? PATIENCE : TABLE_PATIENCE);
		},
		dropped: () => encoder.dropped?.() ?? [],
		async end() {
			text += encoder.end();
			await flush();
			await pending;
		},
	};
}

interface FieldWatch {
	look(row: unknown): void;
	summary(): { missing: string[]; seen: string[] };
}

/** Notices fields that were asked for and that no row has. */
function createFieldWatch(options: RenderOptions): FieldWatch {
	const named = options.fields !== undefined || options.field !== undefined;
	let missing = named ? fieldColumns(options.query === undefined ? options : { ...options, resolve: undefined }) : [];
	let seen: string[] | undefined;
	return {
		look(row) {
			if (typeof row !== 'object' || row === null || (seen !== undefined && missing.length === 0)) return;
			seen ??= Object.keys(row);
			if (missing.length > 0) missing = missing.filter((column) => column.get(row as Row) === undefined);
		},
		summary: () => ({ missing: seen === undefined ? [] : missing.map((column) => column.path), seen: seen ?? [] }),
	};
}

/** The names of the functions that an expression calls. */
function functionsIn(node: unknown): string[] {
	if (typeof node !== 'object' || node === null) return [];
	const { type, name } = node as { type?: unknown; name?: unknown };
	const own = type === 'Function' && typeof name === 'string' ? [name] : [];
	return [...own, ...Object.values(node).flatMap(functionsIn)];
}

/** Compiles a JMESPath expression; the library is loaded only for this. */
async function compileQuery(query: string): Promise<(data: unknown) => unknown> {
	const { compile, getRegisteredFunctions, TreeInterpreter } = await import('@jmespath-community/jmespath');
	// What is missing is null in JMESPath; the library has JavaScript's word for it.
	const reason = (error: unknown): string =>
		(error instanceof Error ? error.message : String(error)).replace('not-a-number: undefined', 'not-a-number: null');
	let expression: ReturnType<typeof compile>;
	try {
		expression = compile(query);
	} catch (error) {
		throw new UsageError(`--query ${JSON.stringify(query)} is not JMESPath: ${reason(error)}`, {
			code: 'invalid_query',
			hint: "For instance --query '[].id', or --query \"[?outcome=='failed'].[id, message]\"",
			cause: error,
		});
	}
	const known = getRegisteredFunctions();
	const unknown = functionsIn(expression).find((name) => !known.includes(name));
	if (unknown !== undefined) {
		throw new UsageError(`--query ${JSON.stringify(query)}: JMESPath has no function ${unknown}()`, {
			code: 'invalid_query',
			hint: `its functions are ${[...known].sort().join(', ')}`,
		});
	}
	return (data) => {
		try {
			return TreeInterpreter.search(expression, data as never);
		} catch (error) {
			throw new FailedError(`--query ${JSON.stringify(query)} does not fit the result: ${reason(error)}`, {
				code: 'query_failed',
			});
		}
	};
}
