/** What every reader of bulk input shares: raw rows, checked text, and lines, in constant memory. */

import { isUtf8 } from 'node:buffer';
import { UsageError } from '../../errors.js';

/** One row as it was written, before anything is known about its columns. */
export interface RawRow {
	/** 1-based place among the rows; a header and empty lines do not count. */
	readonly row: number;
	/** 1-based line on which the row starts; undefined for ids on the command line. */
	readonly line: number | undefined;
	/** CSV and TSV: one text a column, in the header's order. */
	readonly cells?: readonly string[];
	/** NDJSON and JSON. */
	readonly object?: Readonly<Record<string, unknown>>;
	/** A list of ids. */
	readonly id?: string;
	/** Why the row can't be read at all; then nothing else is there. */
	readonly problem?: string;
}

/** Rows come many at a time: a promise a row would cost more than the row. */
export type Batch = readonly RawRow[];

/** How many rows a batch has, about. */
export const BATCH_ROWS = 512;

export interface ReadLimits {
	/** What messages call the input: `edits.csv`. */
	readonly name: string;
	/** The largest record, in bytes. */
	readonly maxRecordBytes: number;
}

const LF = 10;
const CR = 13;

/** How many lines end between two places; CRLF is one end. */
export function countLineEnds(bytes: Buffer, from = 0, to = bytes.length): number {
	let count = 0;
	for (let at = from; at < to; at++) {
		const byte = bytes[at];
		if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) count++;
	}
	return count;
}

/** An input that can't be read from some line on: nothing of it is sent. */
export function inputError(name: string, line: number, message: string, hint?: string): UsageError {
	return new UsageError(`${name} line ${line}: ${message}`, {
		code: 'invalid_input',
		hint,
		data: { file: name, line },
	});
}

export function recordTooLong({ name, maxRecordBytes }: ReadLimits, line: number): UsageError {
	return inputError(
		name,
		line,
		`the record here is longer than ${maxRecordBytes} bytes`,
		'check for a quote that is never closed, or for a file without line ends',
	);
}

const SAVE_AS_UTF8 = 'save it as UTF-8 (in Excel: "CSV UTF-8 (Comma delimited)")';

/** How many bytes at the end belong to a character that is not complete. */
function incompleteBytes(bytes: Buffer): number {
	for (let back = 1; back <= Math.min(3, bytes.length); back++) {
		const byte = bytes[bytes.length - back] as number;
		if (byte < 0x80) return 0;
		if (byte < 0xc0) continue;
		const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
		return length > back ? back : 0;
	}
	return 0;
}

/** Where the first bytes that are no text stand, and what they are. */
function findFault(bytes: Buffer): { at: number; what: string } | undefined {
	const nul = bytes.indexOf(0);
	if (nul >= 0) return { at: nul, what: 'there is a NUL byte: the file is UTF-16 or not text' };
	if (isUtf8(bytes)) return undefined;
	let start = 0;
	for (;;) {
		const end = bytes.indexOf(LF, start) + 1 || bytes.length;
		if (end === bytes.length || !isUtf8(bytes.subarray(start, end)))
			return { at: start, what: 'the bytes are not UTF-8' };
		start = end;
	}
}

/**
 * The input without its byte order mark, in pieces of whole characters. Throws UsageError that names the line of bytes
 * that are not UTF-8.
 */
export async function* checkedText(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
	let carry: Buffer = Buffer.alloc(0);
	let started = false;
	let line = 1;

	function check(bytes: Buffer): Buffer {
		if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
			if (!started) throw inputError(name, 1, 'the file is UTF-16', SAVE_AS_UTF8);
		}
		const hasMark = !started && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
		started = true;
		const text = hasMark ? bytes.subarray(3) : bytes;
		const fault = findFault(text);
		if (fault !== undefined) throw inputError(name, line + countLineEnds(text, 0, fault.at), fault.what, SAVE_AS_UTF8);
		line += countLineEnds(text);
		return text;
	}

	for await (const chunk of chunks) {
		const bytes = carry.length === 0 ? chunk : Buffer.concat([carry, chunk]);
		// The mark has three bytes; a return may be the first half of a line's end.
		const held = bytes.length < 3 ? bytes.length : bytes.at(-1) === CR ? 1 : incompleteBytes(bytes);
		carry = bytes.subarray(bytes.length - held);
		if (held < bytes.length) yield check(bytes.subarray(0, bytes.length - held));
	}
	if (carry.length > 0) yield check(carry);
}

/** Lines, many at a time. */
export interface Lines {
	/** 1-based number of the first. */
	readonly first: number;
	readonly texts: readonly string[];
}

/**
 * Whole lines of checked text, without their ends.
 * @param breaksAtReturn Whether a lone carriage return ends a line; in JSON it is a space.
 */
export async function* readLines(
	text: AsyncIterable<Buffer>,
	limits: ReadLimits,
	breaksAtReturn: boolean,
): AsyncGenerator<Lines> {
	let carry: Buffer[] = [];
	let carried = 0;
	let first = 1;
	for await (const piece of text) {
		const feed = piece.lastIndexOf(LF) + 1;
		const end = feed > 0 || !breaksAtReturn ? feed : piece.lastIndexOf(CR) + 1;
		if (end > 0) {
			const whole = Buffer.concat([...carry, piece.subarray(0, end)]).toString('utf8');
			const texts = (breaksAtReturn ? whole.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : whole).split('\n');
			// What stands behind the last end is nothing.
			texts.pop();
			yield { first, texts };
			first += texts.length;
			carry = [];
			carried = 0;
		}
		carry.push(piece.subarray(end));
		carried += piece.length - end;
		if (carried > limits.maxRecordBytes) throw recordTooLong(limits, first);
	}
	if (carried > 0) yield { first, texts: [Buffer.concat(carry).toString('utf8')] };
}

/** Bulk input with one id a line; empty lines and spaces around an id do not count. */
export async function* readIds(text: AsyncIterable<Buffer>, limits: ReadLimits): AsyncGenerator<Batch> {
	let row = 0;
	for await (const { first, texts } of readLines(text, limits, true)) {
		const rows: RawRow[] = [];
		for (const [index, each] of texts.entries()) {
			const id = each.trim();
			if (id !== '') rows.push({ row: ++row, line: first + index, id });
		}
		if (rows.length > 0) yield rows;
	}
}
