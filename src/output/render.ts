/** Rows → text in the chosen format. */

import { FailedError, UsageError } from '../errors.js';
import { cellText, formatCsvRecord } from '../text.js';
import {
	asRow,
	type Column,
	columnsFor,
	type Encoder,
	type EncoderOptions,
	parseFields,
	type RenderOptions,
	type ResolvedColumn,
	type Row,
	resolveColumn,
} from './columns.js';
import { type Format, factsOf, formatNames, formats } from './formats.js';
import { createRedactor } from './redact.js';
import { escapeJson, sanitise } from './sanitise.js';

export type WriteText = (text: string) => void | Promise<void>;

export interface RenderSummary {
	rows: number;
	/** Columns that were asked for, and that no row had. */
	missing: string[];
	/** Columns that only rows after the header had. */
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
	const text = (row: unknown): string => {
		count++;
		return (count === 1 ? open : between) + item(row, count);
	};
	return {
		rows: (rows) => rows.map(text).join(''),
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

/** One array, or one object: indented for people, a row per line for programs. */
function createJson(options: EncoderOptions): Encoder {
	const { isTTY, single } = options;
	const text = (row: unknown): string => jsonText(pick(options, row), isTTY ? 2 : undefined);
	if (single) return oneByOne((row) => `${text(row)}\n`);
	const indented = (row: unknown): string => (isTTY ? text(row).replace(/^/gm, '  ') : text(row));
	return oneByOne(indented, { open: '[\n', between: ',\n', close: '\n]\n', none: '[]\n' });
}

/** Rows that are held back to find columns that only rows know. */
const SAMPLE = 200;

/** If only rows know the columns, the first rows are held back to find them. */
function createLines(options: EncoderOptions, line: (cells: readonly string[]) => string, header: boolean): Encoder {
	const { more } = options;
	const dropped = new Set<string>();
	let columns: readonly ResolvedColumn[] | undefined;
	let held: Row[] = [];

	function noteDropped(shown: readonly ResolvedColumn[], wanted: readonly Column[]): void {
		const known = new Set(shown.map(({ path }) => path));
		for (const { path, label = path } of wanted) if (!known.has(path)) dropped.add(label);
	}

	function release(): string {
		const isFirst = columns === undefined;
		const shown = columns ?? columnsFor(options.columns, more, held);
		const head = isFirst && header && shown.length > 0 ? line(shown.map(({ key, label }) => key ?? label)) : '';
		if (more !== undefined) noteDropped(shown, held.flatMap(more));
		const lines = held.map((row) => line(shown.map((column) => cellText(column.get(row)))));
		columns = shown;
		held = [];
		return head + lines.join('');
	}

	return {
		rows(given) {
			held.push(...given.map(asRow));
			const waits = more !== undefined && columns === undefined && held.length < SAMPLE;
			return waits ? '' : release();
		},
		dropped,
		end: release,
	};
}

/** For `cut` and `awk`: no header, no quotes. */
const plainLine = (cells: readonly string[]): string => `${cells.map(sanitise).join('\t')}\n`;

function plainRecord({ columns, more }: EncoderOptions, given: unknown): string {
	const row = asRow(given);
	const all = columnsFor(columns, more, [row]);
	return all.map((column) => plainLine([column.label, cellText(column.get(row))])).join('');
}

function isObject(row: unknown): row is Row {
	return typeof row === 'object' && row !== null;
}

/** Ready to be the input of the next command. */
function idLine({ chosen, columns, idOf }: EncoderOptions, row: unknown, number: number): string {
	const text = cellText(isObject(row) ? (chosen ? columns[0]?.get(row) : idOf(row)) : row);
	if (text !== '') return `${sanitise(text)}\n`;
	// A failed lookup found no ID; its error is printed elsewhere.
	if (isObject(row) && Object.hasOwn(row, 'outcome') && row.outcome !== 'ok') return '';
	throw new UsageError(`result ${number} has no ID to print`, {
		code: 'no_id',
		hint: 'choose the value yourself: --field NAME, or --query with --format ids',
	});
}

const quoted =
	(own?: string) =>
	(options: EncoderOptions): Encoder => {
		const separator = own ?? options.delimiter ?? ',';
		return createLines(
			options,
			(cells) => formatCsvRecord(options.isTTY ? cells.map(sanitise) : cells, separator),
			true,
		);
	};

/** The table of a pipe. */
const createPlain = (options: EncoderOptions): Encoder =>
	options.single ? oneByOne((row) => plainRecord(options, row)) : createLines(options, plainLine, false);

const encoders: Record<Format, (options: EncoderOptions) => Encoder | Promise<Encoder>> = {
	table: async (options) => (await import('./table.js')).createTable(options),
	json: createJson,
	ndjson: (options) => oneByOne((row) => `${jsonText(pick(options, row))}\n`),
	csv: quoted(),
	// As spreadsheets write it.
	tsv: quoted('\t'),
	async yaml(options) {
		const { yamlText } = await import('./yaml.js');
		if (options.single) return oneByOne((row) => yamlText(pick(options, row)));
		return oneByOne((row) => yamlText([pick(options, row)]), { none: '[]\n' });
	},
	ids: (options) => oneByOne((row, number) => idLine(options, row, number)),
	count() {
		let count = 0;
		return {
			rows(more) {
				count += more.length;
				return '';
			},
			end: () => `${count}\n`,
		};
	},
};

function namedColumns({ fields, field, resolve }: RenderOptions): ResolvedColumn[] | undefined {
	if (fields === undefined && field === undefined) return undefined;
	const columns = field === undefined ? parseFields(fields ?? []) : [resolveColumn({ path: field })];
	return columns.map((column) => ({ ...column, get: resolve?.(column.path) ?? column.get }));
}

/** Every key of a row as a column; dots in it mean nothing. */
function keysOf(row: Row): Column[] {
	// A label, since keys such as `body.x` keep their names.
	return Object.keys(row).map((path) => ({ path, label: path }));
}

/** Finds everything wrong with the options. @throws UsageError */
async function createEncoder(options: RenderOptions, named: ResolvedColumn[] | undefined): Promise<Encoder> {
	const { isTTY, columns, field, bom } = options;
	const { format = 'table' } = options;
	if (bom === true && !formats[format].takesBom) {
		const fitting = formatNames.filter((name) => formats[name].takesBom).join(' or ');
		throw new UsageError(`--bom works with --format ${fitting}`, { code: 'conflicting_flags' });
	}
	const [column] = named ?? [];
	if (field !== undefined && column !== undefined) {
		return oneByOne((row) => `${sanitise(cellText(isObject(row) ? column.get(row) : row))}\n`);
	}
	const chosen = named !== undefined;
	const more = columns === undefined ? keysOf : options.more;
	const all = named ?? columns?.map(resolveColumn) ?? [];
	const create = options.format === undefined && !isTTY ? createPlain : encoders[format];
	return create({ ...options, columns: all, more: chosen ? undefined : more, chosen });
}

/** How many rows are made at a time. */
const BATCH = 100;

/** Then rows are printed even if their batch is not full. */
const WAIT_MS = 200;

/** Finds everything wrong with the options before anything is sent. @throws UsageError */
export async function createRenderer(options: RenderOptions, write: WriteText): Promise<Renderer> {
	if (options.query !== undefined) return createQueryRenderer(options, options.query, write);
	const redactRow = createRedactor();
	const named = namedColumns(options);
	const encoder = await createEncoder(options, named);
	let missing = named ?? [];
	let seen: string[] | undefined;
	let rows = 0;
	let held: unknown[] = [];
	let timer: NodeJS.Timeout | undefined;
	/** One write after the other; none after one that failed. */
	let written: Promise<void> = Promise.resolve();
	let mark = options.bom === true ? '\ufeff' : '';

	function flush(isLast = false): Promise<void> {
		clearTimeout(timer);
		timer = undefined;
		const batch = held;
		held = [];
		written = written.then(() => {
			const text = mark + encoder.rows(batch) + (isLast ? encoder.end() : '');
			mark = '';
			if (text !== '') return write(text);
		});
		return written;
	}

	return {
		row(given) {
			const row = redactRow(given);
			rows++;
			if (isObject(row) && (seen === undefined || missing.length > 0)) {
				seen ??= Object.keys(row);
				missing = missing.filter((column) => column.get(row) === undefined);
			}
			held.push(row);
			if (held.length >= BATCH) return flush();
			// `end` throws the error.
			timer ??= setTimeout(() => flush().catch(() => undefined), WAIT_MS);
		},
		async end() {
			await flush(true);
			return {
				rows,
				dropped: [...(encoder.dropped ?? [])],
				missing: seen === undefined ? [] : missing.map((column) => column.path),
				seen: seen ?? [],
			};
		},
	};
}

/** Prints what the query finds in all rows; values bare by default. */
async function createQueryRenderer(options: RenderOptions, query: string, write: WriteText): Promise<Renderer> {
	const { format, fields, field } = options;
	const search = await compileQuery(query);
	const own = { ...options, query: undefined, resolve: undefined, columns: undefined, more: undefined };
	await createEncoder(own, namedColumns(own));
	const redactRow = createRedactor();
	const rows: unknown[] = [];
	const { prints } = factsOf(format);
	const isBare = prints === 'columns' && (fields ?? field) === undefined;
	return {
		row: (row) => void rows.push(redactRow(row)),
		async end() {
			const found = search(options.single === true ? rows[0] : rows);
			const isList = Array.isArray(found);
			const inLines = field !== undefined || prints === 'id' || prints === 'count';
			const one = found === null && inLines ? [] : [found];
			const results: unknown[] = isList ? found : one;
			const isValues = isBare && results.length > 0 && !results.some(isObject);
			const renderer = await createRenderer({ ...own, single: !isList, field: isValues ? 'value' : field }, write);
			for (const row of results) await renderer.row(row);
			return { ...(await renderer.end()), rows: rows.length };
		},
	};
}

const TEXT_ORDER =
	'filter dates with --created-before, --created-after, --modified-before or --modified-after, such as --modified-before 90d; runs with --since';

/** `modified_gmt<'2026-08-25'` */
function ordersText(node: unknown): boolean {
	if (!isObject(node) || node.type !== 'Comparator' || !/^[GL]T/.test(String(node.name))) return false;
	return [node.left, node.right].some(
		(side) => isObject(side) && typeof side.value === 'string' && side.type === 'Literal',
	);
}

/** The library is loaded for this only. @throws UsageError */
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
		if (ordersText(node)) {
			throw refuse(': JMESPath orders numbers only; texts compared with < or > never match', TEXT_ORDER);
		}
		if (node?.type !== 'Function' || known.includes(node.name)) return node;
		throw refuse(`: unknown JMESPath function ${node.name}()`, `functions: ${[...known].sort().join(', ')}`);
	});
	return (data) => {
		try {
			return TreeInterpreter.search(expression, data as never);
		} catch (error) {
			throw new FailedError(`${shown} can't be applied to the result: ${(error as Error).message}`, {
				code: 'query_failed',
			});
		}
	};
}
