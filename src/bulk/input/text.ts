/** Bulk input as checked text: IDs and JSON objects, in constant memory. */

import { isUtf8 } from 'node:buffer';
import { isObject, kindOf, MAX_NESTING, NESTED_TOO_DEEP } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { Batch, RawRow } from './input.js';

export const MAX_RECORD_BYTES = 8 * 1024 * 1024;

const LF = 10;
const CR = 13;

/** CRLF counts as one. */
function countLineEnds(bytes: Buffer, to = bytes.length): number {
	let count = 0;
	for (let at = 0; at < to; at++) {
		const byte = bytes[at];
		if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) count++;
	}
	return count;
}

export function inputError(name: string, line: number, message: string, hint?: string): UsageError {
	return new UsageError(`${name} line ${line}: ${message}`, {
		code: 'invalid_input',
		hint,
		data: { file: name, line },
	});
}

export function recordTooLong(name: string, line: number): UsageError {
	const hint = 'check for an unclosed quote, or a file without line breaks';
	return inputError(name, line, `this record is longer than ${MAX_RECORD_BYTES / 1024 / 1024} MiB`, hint);
}

/** Where an unfinished character, CRLF or byte order mark begins. */
function wholeLength(bytes: Buffer): number {
	const { length } = bytes;
	if (length < 3) return 0;
	const at = bytes.subarray(-3).findLastIndex((byte) => byte >= 0xc0 || byte === CR);
	return at < 0 ? length : length - 3 + at;
}

/** In whole characters. @throws UsageError with the line */
export async function* checkedText(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
	let carry: Buffer = Buffer.alloc(0);
	let line = 0;

	function check(bytes: Buffer): Buffer {
		const text = line === 0 && bytes.toString('hex', 0, 3) === 'efbbbf' ? bytes.subarray(3) : bytes;
		line = Math.max(line, 1);
		const nul = text.indexOf(0);
		if (nul >= 0 || !isUtf8(text)) {
			let bad = Math.max(nul, 0);
			for (let end = 0; nul < 0; bad = end) {
				end = text.indexOf(LF, bad) + 1;
				if (end === 0 || !isUtf8(text.subarray(bad, end))) break;
			}
			const what = nul >= 0 ? 'contains a NUL byte: the file is UTF-16 or not text' : 'not valid UTF-8';
			const hint = 'save it as UTF-8 (in Excel: "CSV UTF-8 (Comma delimited)")';
			throw inputError(name, line + countLineEnds(text, bad), what, hint);
		}
		line += countLineEnds(text);
		return text;
	}

	for await (const chunk of chunks) {
		const bytes = carry.length === 0 ? chunk : Buffer.concat([carry, chunk]);
		const whole = wholeLength(bytes);
		carry = bytes.subarray(whole);
		if (whole > 0) yield check(bytes.subarray(0, whole));
	}
	if (carry.length > 0) yield check(carry);
}

const HEAD_LENGTH = 65_536;

export async function headOf(text: AsyncIterable<Buffer>): Promise<string> {
	let head = '';
	for await (const piece of text) {
		head += piece.toString('utf8');
		if (head.length >= HEAD_LENGTH) break;
	}
	return head;
}

async function* readLines(
	text: AsyncIterable<Buffer>,
	name: string,
	readLine: (line: string, row: number, place: number) => RawRow,
): AsyncGenerator<Batch> {
	let carry = '';
	let [place, row] = [1, 0];
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
		if (carry.length > MAX_RECORD_BYTES) throw recordTooLong(name, place);
	}
	if (carry !== '') yield rowsOf([carry]);
}

/** Empty lines and spaces don't count. */
export function readIds(text: AsyncIterable<Buffer>, name: string): AsyncGenerator<Batch> {
	return readLines(text, name, (id, row, line) => ({ row, line, id: id.trim() }));
}

/** Values keep their types. */
export function readNdjson(text: AsyncIterable<Buffer>, name: string): AsyncGenerator<Batch> {
	return readLines(text, name, readObject);
}

/** Complaints don't repeat the text, which may be secret. */
function readObject(text: string, row: number, line: number): RawRow {
	try {
		const value: unknown = JSON.parse(text);
		const problem = isObject(value) ? shapeProblem(text) : `expected a JSON object, not ${kindOf(value)}`;
		return problem === undefined ? { row, line, object: value as Record<string, unknown> } : { row, line, problem };
	} catch (error) {
		const position = /position (\d+)/.exec(String(error))?.[1];
		const isCut = String(error).includes('Unexpected end');
		const where = position === undefined ? '' : ` at column ${Number(position) + 1}`;
		return { row, line, problem: `invalid JSON${isCut ? ': it ends too early' : where}` };
	}
}

/** A key or a bracket. */
const TOKEN = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}[\]]/gs;

/** Depth and duplicate keys, which JSON.parse accepts. */
export function shapeProblem(json: string): string | undefined {
	const open: Set<string>[] = [];
	for (const [token, name, colon] of json.matchAll(TOKEN)) {
		if (token === '{' || token === '[') {
			if (open.push(new Set()) > MAX_NESTING) return NESTED_TOO_DEEP;
		} else if (name === undefined) open.pop();
		else if (colon !== undefined) {
			// Escapes may differ.
			const key = name.includes('\\') ? (JSON.parse(`"${name}"`) as string) : name;
			if (open.at(-1)?.has(key)) return `the key ${JSON.stringify(key)} appears twice in one object`;
			open.at(-1)?.add(key);
		}
	}
	return undefined;
}

const [QUOTE, COMMA, BACKSLASH, ARRAY, ARRAY_END] = [34, 44, 92, 91, 93];
const OPENING = new Set(Buffer.from('[{'));
const CLOSING = new Set(Buffer.from(']}'));
const SPACES = new Set(Buffer.from(' \t\r\n'));

/** One element at a time is in memory. */
export async function* readJsonArray(text: AsyncIterable<Buffer>, name: string): AsyncGenerator<Batch> {
	let [line, row, depth, element] = [1, 0, 0, ''];
	let [hasEnded, inString, isEscaped] = [false, false, false];
	const refuse = (message: string): never => {
		throw inputError(name, line, message);
	};
	const startOf = (): number => line - element.trimStart().split('\n').length + 1;
	const keep = (part: string): void => {
		element += part;
		if (element.length > MAX_RECORD_BYTES) throw recordTooLong(name, startOf());
	};
	for await (const piece of text) {
		const rows: RawRow[] = [];
		let from = 0;
		for (let at = 0; at < piece.length; at++) {
			const byte = piece[at] as number;
			if (byte === LF) line++;
			if (inString) {
				if (isEscaped) isEscaped = false;
				else if (byte === BACKSLASH) isEscaped = true;
				else if (byte === QUOTE) inString = false;
			} else if (depth === 0) {
				if (SPACES.has(byte)) continue;
				if (hasEnded) refuse('text after the JSON array');
				if (byte !== ARRAY) refuse('expected a JSON array of objects');
				[depth, from] = [1, at + 1];
			} else if (byte === QUOTE) inString = true;
			else if (OPENING.has(byte)) depth++;
			else if (depth > 1) depth -= CLOSING.has(byte) ? 1 : 0;
			else if (byte === COMMA || byte === ARRAY_END) {
				hasEnded = byte === ARRAY_END;
				keep(piece.toString('utf8', from, at));
				if (element.trim() !== '') rows.push(readObject(element.trim(), ++row, startOf()));
				else if (!hasEnded || row > 0) refuse('empty array element');
				[element, from, depth] = ['', at + 1, hasEnded ? 0 : 1];
			}
		}
		if (depth > 0) keep(piece.toString('utf8', from));
		if (rows.length > 0) yield rows;
	}
	if (!hasEnded) refuse('the JSON array ends too early');
}
