/** Bulk input as checked text, and the formats that need no parser of CSV: ids and JSON objects, in constant memory. */

import { isUtf8 } from 'node:buffer';
import { isObject, kindOf, MAX_NESTING, NESTED_TOO_DEEP } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { Batch, RawRow } from './input.js';

export interface ReadLimits {
	/** What messages call the input: `edits.csv`. */
	readonly name: string;
	/** The largest record, in bytes. */
	readonly maxRecordBytes: number;
}

const LF = 10;
const CR = 13;

/** How many lines end before a place; CRLF is one end. */
export function countLineEnds(bytes: Buffer, to = bytes.length): number {
	let count = 0;
	for (let at = 0; at < to; at++) {
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

/** How many bytes at the end may belong to something that goes on: a character, a CRLF, or a byte order mark. */
function incompleteBytes(bytes: Buffer): number {
	if (bytes.length < 3) return bytes.length;
	if (bytes.at(-1) === CR) return 1;
	for (let back = 1; back <= 3; back++) {
		const byte = bytes[bytes.length - back] as number;
		if (byte < 0x80) return 0;
		if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
	}
	return 0;
}

/** Where the line begins that has the first bytes that are no UTF-8. */
function firstBadLine(bytes: Buffer): number {
	let start = 0;
	for (;;) {
		const end = bytes.indexOf(LF, start) + 1;
		if (end === 0 || !isUtf8(bytes.subarray(start, end))) return start;
		start = end;
	}
}

/** The input without its byte order mark, in pieces of whole characters. @throws UsageError with the line of bytes that are no text */
export async function* checkedText(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
	let carry: Buffer = Buffer.alloc(0);
	let line = 0;

	function check(bytes: Buffer): Buffer {
		let text = bytes;
		if (line === 0) {
			const mark = bytes.toString('hex', 0, 3);
			if (/^(?:fffe|feff)/.test(mark)) throw inputError(name, 1, 'the file is UTF-16', SAVE_AS_UTF8);
			if (mark === 'efbbbf') text = bytes.subarray(3);
			line = 1;
		}
		const nul = text.indexOf(0);
		if (nul >= 0 || !isUtf8(text)) {
			const at = line + countLineEnds(text, nul >= 0 ? nul : firstBadLine(text));
			const what = nul >= 0 ? 'there is a NUL byte: the file is UTF-16 or not text' : 'the bytes are not UTF-8';
			throw inputError(name, at, what, SAVE_AS_UTF8);
		}
		line += countLineEnds(text);
		return text;
	}

	for await (const chunk of chunks) {
		const bytes = carry.length === 0 ? chunk : Buffer.concat([carry, chunk]);
		const whole = bytes.length - incompleteBytes(bytes);
		carry = bytes.subarray(whole);
		if (whole > 0) yield check(bytes.subarray(0, whole));
	}
	if (carry.length > 0) yield check(carry);
}

/** How much is looked at to find out what an input is, in characters. */
const HEAD_LENGTH = 65_536;

/** The beginning of checked text. */
export async function headOf(text: AsyncIterable<Buffer>): Promise<string> {
	let head = '';
	for await (const piece of text) {
		head += piece.toString('utf8');
		if (head.length >= HEAD_LENGTH) break;
	}
	return head;
}

/** One row for each line of checked text that is not empty. */
async function* readLines(
	text: AsyncIterable<Buffer>,
	limits: ReadLimits,
	readLine: (line: string, row: number, place: number) => RawRow,
): AsyncGenerator<Batch> {
	let carry = '';
	let place = 1;
	let row = 0;
	const rowsOf = (lines: readonly string[]): Batch => {
		const rows: RawRow[] = [];
		for (const line of lines) {
			if (line.trim() !== '') rows.push(readLine(line, ++row, place));
			place++;
		}
		return rows;
	};
	for await (const piece of text) {
		carry += piece.toString('utf8');
		if (piece.includes(LF) || piece.includes(CR)) {
			const lines = carry.split(/\r\n|\n|\r/);
			carry = lines.pop() as string;
			yield rowsOf(lines);
		}
		if (carry.length > limits.maxRecordBytes) throw recordTooLong(limits, place);
	}
	if (carry !== '') yield rowsOf([carry]);
}

/** One id a line; empty lines and spaces around an id do not count. */
export function readIds(text: AsyncIterable<Buffer>, limits: ReadLimits): AsyncGenerator<Batch> {
	return readLines(text, limits, (id, row, line) => ({ row, line, id: id.trim() }));
}

/** One JSON object a line; values keep the types they have. */
export function readNdjson(text: AsyncIterable<Buffer>, limits: ReadLimits): AsyncGenerator<Batch> {
	return readLines(text, limits, (each, row, line) => readObject(each, 'the line', row, line));
}

/** A string of a JSON text with the colon that makes it a key, or a bracket. */
const TOKEN = /"([^"\\]*(?:\\.[^"\\]*)*)(?:"(\s*:)?|\\?$)|[{}[\]]/gs;

/** What is wrong with a JSON text that JSON.parse would not say: its depth, or a key that stands twice. */
function shapeProblem(text: string): string | undefined {
	const open: Set<string>[] = [];
	for (const [token, name, colon] of text.matchAll(TOKEN)) {
		if (token === '{' || token === '[') {
			if (open.push(new Set()) > MAX_NESTING) return NESTED_TOO_DEEP;
		} else if (name === undefined) open.pop();
		else if (colon !== undefined) {
			const key = name.includes('\\') ? unescaped(name) : name;
			if (open.at(-1)?.has(key)) return `the key ${JSON.stringify(key)} is there twice in one object`;
			open.at(-1)?.add(key);
		}
	}
	return undefined;
}

/** Two spellings of one key are one key. */
function unescaped(name: string): string {
	try {
		return JSON.parse(`"${name}"`) as string;
	} catch {
		// JSON.parse says what is wrong with the whole.
		return name;
	}
}

/** What stands in a text may be a secret: complaints do not repeat it. */
function readObject(text: string, what: string, row: number, line: number): RawRow {
	const problem = shapeProblem(text);
	if (problem !== undefined) return { row, line, problem };
	try {
		const value: unknown = JSON.parse(text);
		if (isObject(value)) return { row, line, object: value };
		return { row, line, problem: `${kindOf(value)} where a JSON object is expected` };
	} catch (error) {
		if (/^\s*\[/.test(text)) {
			return { row, line, problem: 'a JSON array where an object is expected; --input-format json reads one' };
		}
		const message = String(error);
		const position = /position (\d+)/.exec(message)?.[1];
		const where = position === undefined ? '' : `: it goes wrong at column ${Number(position) + 1}`;
		const why = message.includes('Unexpected end') ? ': it ends too early' : where;
		return { row, line, problem: `${what} is not JSON${why}` };
	}
}

const [QUOTE, COMMA, BACKSLASH] = [34, 44, 92];
const OPENING = new Set(Buffer.from('[{'));
const CLOSING = new Set(Buffer.from(']}'));
const SPACES = new Set(Buffer.from(' \t\r\n'));

/** A JSON array of objects, as `--json` writes it; one element at a time is in memory. */
export async function* readJsonArray(text: AsyncIterable<Buffer>, limits: ReadLimits): AsyncGenerator<Batch> {
	let [line, startLine, row, depth, length] = [1, 1, 0, 0, 0];
	let [hasStarted, hasEnded, inString, isEscaped] = [false, false, false, false];
	let element: Buffer[] = [];
	const refuse = (message: string): never => {
		throw inputError(limits.name, line, message);
	};
	const keep = (piece: Buffer): void => {
		element.push(piece);
		length += piece.length;
		if (length > limits.maxRecordBytes) throw recordTooLong(limits, startLine);
	};
	for await (const piece of text) {
		const rows: RawRow[] = [];
		let from = 0;
		/** Whether an element goes on, here or in the pieces before. */
		let isInside = length > 0;
		for (let at = 0; at < piece.length; at++) {
			const byte = piece[at] as number;
			if (byte === LF) line++;
			if (inString) {
				if (isEscaped) isEscaped = false;
				else if (byte === BACKSLASH) isEscaped = true;
				else if (byte === QUOTE) inString = false;
				continue;
			}
			if (!isInside && SPACES.has(byte)) continue;
			if (hasEnded) refuse('there is text behind the JSON array');
			if (!hasStarted) {
				if (byte !== 91) refuse('a JSON array of objects is expected');
				hasStarted = true;
				continue;
			}
			const isEnd = depth === 0 && (byte === COMMA || byte === 93);
			if (!isEnd) {
				if (!isInside) [isInside, startLine, from] = [true, line, at];
				if (byte === QUOTE) inString = true;
				else if (OPENING.has(byte)) depth++;
				else if (CLOSING.has(byte) && depth > 0) depth--;
				continue;
			}
			hasEnded = byte === 93;
			if (isInside) {
				keep(piece.subarray(from, at));
				rows.push(readObject(Buffer.concat(element).toString('utf8'), 'the element', ++row, startLine));
				[element, length, isInside] = [[], 0, false];
			} else if (!hasEnded || row > 0) refuse('there is nothing where an element of the array is expected');
		}
		if (isInside) keep(piece.subarray(from));
		if (rows.length > 0) yield rows;
	}
	if (!hasEnded) refuse('the JSON array ends too early');
}
