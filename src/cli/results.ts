/** Results on stdout, by the flags and the terminal. */

import { ownId } from '../api/endpoints.js';
import { didYouMean } from '../api/suggest.js';
import { quote } from '../api/values.js';
import { ExitCode, lostOutput, SupportctlError, UsageError } from '../errors.js';
import type { Context, Output } from '../io/context.js';
import { openPager } from '../io/pager.js';
import { openPalette } from '../output/colour.js';
import { parseFields, type RenderOptions, type Row } from '../output/columns.js';
import { type Format, factsOf, parseFormat } from '../output/formats.js';
import { createRenderer, type Renderer } from '../output/render.js';
import type { Invocation } from './command.js';
import { warn } from './notices.js';
import type { ValuesOf } from './options/option.js';
import type { outputOptions } from './options/shared.js';
import type { Session } from './session.js';

type OutputValues = ValuesOf<typeof outputOptions>;

/** So many are shown on a terminal, and rows of a kind that need attention. */
export const SHOWN = 20;

/** With a session, a setting of its profile can choose the format. */
export type Caller = Invocation & { readonly session?: Session };

export function chosenFormat({ options, session }: Caller): Format | undefined {
	if (options.format !== undefined) return options.format;
	if (options.json === true) return 'json';
	const ofProfile = session?.connection.settings.format;
	return ofProfile === undefined ? undefined : parseFormat(ofProfile);
}

export function columnsNamed({ field, fields }: OutputValues): string[] | undefined {
	if (field !== undefined) return [field];
	return fields && parseFields(fields).map(({ path }) => path);
}

/** Also CSV: all that is known is printed. */
export function isDataFormat(call: Caller): boolean {
	return factsOf(chosenFormat(call)).prints === 'everything';
}

/** Whether rows that are not sent are printed, too. IDs and counts are of rows that are sent. */
export function printsLeft(call: Caller): boolean {
	const { prints } = factsOf(chosenFormat(call));
	return prints === 'columns' || prints === 'everything';
}

/** Whether a change has a line for each field, as in tables and CSV. JSON has an object for each row. */
export function printsLines(call: Caller): boolean {
	const { prints, exports } = factsOf(chosenFormat(call));
	return prints === 'columns' || exports === 'cells';
}

/** The least width of a terminal on which lists have all their columns. */
const WIDE = 72;

export function isNarrow({ stdout }: Context): boolean {
	return (stdout.columns ?? WIDE) < WIDE;
}

export function picksValues({ field, fields, query }: OutputValues): boolean {
	return (field ?? fields ?? query) !== undefined;
}

/** The table that a terminal gets unless a format or values are asked for. */
export function isOwnTable(call: Caller): boolean {
	return call.context.stdout.isTTY && !asksForData(call);
}

export function asksForData(call: Caller): boolean {
	return chosenFormat(call) !== undefined || picksValues(call.options);
}

export interface ResultShape extends Pick<RenderOptions, 'columns' | 'more' | 'resolve' | 'single'> {
	idOf?: RenderOptions['idOf'];
	format?: Format | undefined;
	/** If they are known before there are rows: then a wrong column is refused before anything is sent. */
	keys?: readonly string[];
	/** Whose keys nobody knows before. */
	holdsResponses?: boolean;
	/** Takes a progress bar away. */
	beforeWrite?: () => void;
	/** False prints at once. */
	onPager?: false | (() => void);
}

/** @throws UsageError before anything is sent for a column that no row has */
export async function openResults(call: Caller, shape: ResultShape): Promise<Renderer> {
	const { context, options } = call;
	const { stdout } = context;
	const { keys, onPager, format, ...rendering } = shape;
	if (keys !== undefined && options.query === undefined) {
		const isKnown = (path: string) => keys.includes(path.split('.', 1)[0] ?? '') || shape.resolve?.(path) !== undefined;
		const unknown = columnsNamed(options)?.find((path) => !isKnown(path));
		if (unknown !== undefined) throw unknownColumn(unknown, keys);
	}
	const isPaged = stdout.isTTY && options.pager !== false && onPager !== false;
	const leave = (): void => context.abandon(ExitCode.ok);
	const pager = isPaged ? openPager(context, { onStart: onPager, leave }) : undefined;
	const renderer = await createRenderer(
		{
			...rendering,
			fields: options.fields,
			field: options.field,
			query: options.query,
			format: chosenFormat(call) ?? format,
			bom: options.bom,
			delimiter: options.delimiter,
			idOf: shape.idOf ?? ownId,
			isTTY: stdout.isTTY,
			width: stdout.columns ?? 80,
			palette: await openPalette(context, stdout),
		},
		(text) => {
			if (stdout.isTTY) shape.beforeWrite?.();
			if (pager !== undefined) return pager.write(text) ?? checkOutput(stdout);
			stdout.write(text);
			return checkOutput(stdout);
		},
	);
	return {
		row: renderer.row,
		async end() {
			const summary = await renderer.end();
			const { dropped, missing, rows, seen } = summary;
			await pager?.end();
			if (dropped.length > 0) {
				const names = dropped.slice(0, SHOWN).map(quote).join(', ') + (dropped.length > SHOWN ? ' …' : '');
				warn(context, [`later rows have more columns: ${names}; print them with --fields or --format ndjson`]);
			}
			const [unknown] = missing;
			if (unknown === undefined || rows === 0) return summary;
			// The row was sent, so a missing column is a warning only.
			const isKnown = shape.holdsResponses === true || keys?.includes(unknown) === true;
			if (!isKnown || options.query !== undefined) throw unknownColumn(unknown, seen);
			warn(context, [`no row has ${JSON.stringify(unknown)}`]);
			return summary;
		},
	};
}

export async function printAll(call: Caller, shape: ResultShape, rows: Iterable<unknown>): Promise<void> {
	const results = await openResults(call, shape);
	for (const row of rows) await results.row(row);
	await results.end();
}

/** @throws FailedError if text was lost */
export async function checkOutput(stdout: Output): Promise<void> {
	await stdout.flush();
	if (stdout.failure !== undefined) throw lostOutput(stdout.failure);
}

function unknownColumn(name: string, known: readonly string[]): UsageError {
	const inBody = known.includes('body') ? '; fields of the response are body.NAME' : '';
	return new UsageError(`no row has a column ${quote(name)}${didYouMean(name, known)}`, {
		code: 'unknown_column',
		hint: `there are ${known.join(', ')}${inBody}`,
	});
}

/** Any other error is a bug. */
export function outputError(error: unknown): SupportctlError {
	if (error instanceof SupportctlError) return error;
	throw error;
}

/** For rows that were sent: a failure to print stops nothing. */
export function createSentResults(results: Renderer) {
	let failure: SupportctlError | undefined;
	const keep = (error: unknown): void => {
		failure ??= outputError(error);
	};
	return {
		row(row: unknown): void | Promise<void> {
			if (failure !== undefined) return;
			try {
				return results.row(row)?.catch(keep);
			} catch (error) {
				keep(error);
			}
		},
		/** @returns the first failure */
		async end(): Promise<SupportctlError | undefined> {
			await results.end().catch(keep);
			return failure;
		},
	};
}

export async function printDone(
	results: Renderer,
	row: Row,
	says: string,
	exitCode: ExitCode,
	facts: Record<string, unknown> = {},
): Promise<void> {
	try {
		await results.row(row);
		await results.end();
	} catch (error) {
		throw onlyOutputFailed(outputError(error), says, exitCode, facts);
	}
}

/** @param says what became of the requests */
export function onlyOutputFailed(
	{ message, code, hint, details, data, cause }: SupportctlError,
	says: string,
	exitCode: ExitCode,
	facts: Record<string, unknown> = {},
): SupportctlError {
	const own = exitCode === ExitCode.ok ? ExitCode.failed : exitCode;
	return new SupportctlError(`${says}; only the output failed: ${message}`, own, {
		code,
		hint,
		details,
		cause,
		data: { ...data, ...facts },
	});
}
