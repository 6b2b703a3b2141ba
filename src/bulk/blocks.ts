/** What every reader of bulk input shares: bytes in, blocks of whole lines, batches of raw rows out, in constant memory. */

import { isUtf8 } from 'node:buffer';
import { UsageError } from '../errors.js';

/** One row as it was written, before anything is known about its columns. */
export interface RawRow {
	/** 1-based place among the rows; a header and blank lines do not count. */
	readonly row: number;
	/** 1-based line on which the row starts; undefined for ids on the command line. */
	readonly line: number | undefined;
	/** CSV and TSV: one text a column, in the header's order. */
	readonly cells?: readonly string[];
	/** NDJSON. */
	readonly object?: Readonly<Record<string, unknown>>;
	/** A list of ids. */
	readonly id?: string;
	/** Why the line can't be read at all; then nothing else is there. */
	readonly problem?: string;
}

/** Rows come many at a time: a promise a row would cost more than the row. */
export type Batch = readonly RawRow[];

/** Turns whole lines into rows. */
export interface BlockReader {
	/** Line on which the next block starts, 1-based. */
	readonly line: number;
	/** Whether a lone carriage return ends a line. */
	readonly breaksAtReturn: boolean;
	/**
	 * Reads a block that ends with a line's end, or with the input's end where `last`.
	 * @returns how many bytes were used; the rest comes again with more behind it.
	 */
	take(block: Buffer, last: boolean, rows: RawRow[]): number;
}

export interface ReadLimits {
	/** What messages call the input: `edits.csv`. */
	readonly name: string;
	/** The largest record, in bytes. */
	readonly maxLineBytes: number;
}

const LF = 10;
const CR = 13;

/** Splits text at LF, CRLF and CR. */
export function splitLines(text: string): string[] {
	if (!text.includes('\r')) return text.split('\n');
	return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n');
}

/** How many lines end between two places; CRLF is one end. */
export function countLineEnds(bytes: Buffer, from: number, to: number): number {
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

function endOfLastLine(bytes: Buffer, breaksAtReturn: boolean): number {
	const feed = bytes.lastIndexOf(LF);
	if (feed >= 0 || !breaksAtReturn || bytes.length < 2) return feed + 1;
	// The last byte is left out: a line feed may follow it.
	return bytes.lastIndexOf(CR, bytes.length - 2) + 1;
}

const SAVE_AS_UTF8 = 'save it as UTF-8 (in Excel: "CSV UTF-8 (Comma delimited)")';

/** Complains about bytes that are no text, naming the line. */
function checkText(block: Buffer, reader: BlockReader, name: string): void {
	const nul = block.indexOf(0);
	if (nul >= 0) {
		const line = reader.line + countLineEnds(block, 0, nul);
		throw inputError(name, line, 'there is a NUL byte: the file is UTF-16 or not text', SAVE_AS_UTF8);
	}
	if (isUtf8(block)) return;
	let start = 0;
	for (let line = reader.line; ; line++) {
		const end = block.indexOf(LF, start);
		const text = block.subarray(start, end < 0 ? block.length : end);
		if (!isUtf8(text) || end < 0) throw inputError(name, line, 'the bytes are not UTF-8', SAVE_AS_UTF8);
		start = end + 1;
	}
}

/** The text's length in bytes of a byte order mark; UTF-16 is refused. */
function markLength(bytes: Buffer, name: string): number {
	if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
		throw inputError(name, 1, 'the file is UTF-16', SAVE_AS_UTF8);
	}
	return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

function tooLong(reader: BlockReader, limits: ReadLimits): UsageError {
	return inputError(
		limits.name,
		reader.line,
		`the record that starts here is longer than ${limits.maxLineBytes} bytes`,
		'check for a quote that is never closed, or for a file without line ends',
	);
}

/** Feeds a reader with blocks of whole lines and yields what it makes of them. */
export async function* readBlocks(
	chunks: AsyncIterable<Buffer>,
	reader: BlockReader,
	limits: ReadLimits,
): AsyncGenerator<Batch> {
	let carry: Buffer = Buffer.alloc(0);
	let started = false;

	const take = (bytes: Buffer, end: number, last: boolean, rows: RawRow[]): number => {
		const block = bytes.subarray(0, end);
		checkText(block, reader, limits.name);
		return reader.take(block, last, rows);
	};

	for await (const chunk of chunks) {
		let bytes = carry.length === 0 ? chunk : Buffer.concat([carry, chunk]);
		if (!started) {
			if (bytes.length < 3) {
				carry = Buffer.from(bytes);
				continue;
			}
			bytes = bytes.subarray(markLength(bytes, limits.name));
			started = true;
		}
		const rows: RawRow[] = [];
		const end = endOfLastLine(bytes, reader.breaksAtReturn);
		const used = end === 0 ? 0 : take(bytes, end, false, rows);
		// A copy, since the chunk's memory is used again.
		carry = Buffer.from(bytes.subarray(used));
		if (rows.length > 0) yield rows;
		if (carry.length > limits.maxLineBytes) throw tooLong(reader, limits);
	}
	if (!started) carry = carry.subarray(markLength(carry, limits.name));
	if (carry.length === 0) return;
	const rows: RawRow[] = [];
	take(carry, carry.length, true, rows);
	if (rows.length > 0) yield rows;
}
