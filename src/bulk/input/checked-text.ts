/** Bulk input as checked text: IDs and JSON objects, in constant memory. */

import { isObject, kindOf, nestingProblem, quote, repeatedKey, widthProblem } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { RawRow } from './input.js';

/** A longer record is a file that isn't what it says: reading on would fill the memory. */
export const MAX_RECORD_BYTES = 8 * 1024 * 1024;

const LINE_END = /\r\n|\n|\r/g;

export function countLineEnds(text: string): number {
	let count = 0;
	// Without an array of matches for each row.
	while (LINE_END.test(text)) count++;
	return count;
}

/** From that line on nothing can be read, so nothing is sent. */
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

/** In whole characters and line ends, without a byte order mark. @throws UsageError with the line */
export async function* checkedText(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<string> {
	const decoder = new TextDecoder('utf-8', { fatal: true });
	let line = 1;

	function refuse(chunk: Buffer | undefined, bad: string, what: string): UsageError {
		const text = new TextDecoder().decode(chunk);
		const before = text.slice(0, Math.max(0, text.indexOf(bad)));
		const hint = 'save it as UTF-8 (in Excel: "CSV UTF-8 (Comma delimited)")';
		return inputError(name, line + countLineEnds(before), what, hint);
	}

	/** Without a chunk, what is left of an unfinished character. */
	function decode(chunk?: Buffer): string {
		if (chunk?.includes(0) === true) {
			throw refuse(chunk, '\0', 'contains a NUL byte: the file is UTF-16 or not text');
		}
		try {
			return decoder.decode(chunk, { stream: chunk !== undefined });
		} catch {
			throw refuse(chunk, '\uFFFD', 'not valid UTF-8');
		}
	}

	let held = '';
	for await (const chunk of chunks) {
		const text = held + decode(chunk);
		held = text.endsWith('\r') ? '\r' : '';
		const whole = text.slice(0, text.length - held.length);
		line += countLineEnds(whole);
		if (whole !== '') yield whole;
	}
	held += decode();
	if (held !== '') yield held;
}

export async function headOf(text: AsyncIterable<string>): Promise<string> {
	for await (const piece of text) return piece;
	return '';
}

const isEmpty = (line: string): boolean => line.trim() === '';

async function* readLines(
	text: AsyncIterable<string>,
	name: string,
	readLine: (line: string, row: number, place: number) => RawRow,
	isNoRow: (line: string) => boolean = isEmpty,
): AsyncGenerator<RawRow[]> {
	let carry = '';
	let place = 1;
	let row = 0;
	const rowsOf = (lines: readonly string[]): RawRow[] => {
		const rows: RawRow[] = [];
		for (const line of lines) {
			if (!isNoRow(line)) rows.push(readLine(line, ++row, place));
			place++;
		}
		return rows;
	};
	for await (const piece of text) {
		carry += piece;
		if (piece.includes('\n') || piece.includes('\r')) {
			const lines = carry.split(LINE_END);
			carry = lines.pop() as string;
			yield rowsOf(lines);
		}
		if (carry.length > MAX_RECORD_BYTES) throw recordTooLong(name, place);
	}
	if (carry !== '') yield rowsOf([carry]);
}

export function readIds(text: AsyncIterable<string>, name: string): AsyncGenerator<RawRow[]> {
	const isNoRow = (line: string): boolean => isEmpty(line) || line.trimStart().startsWith('#');
	return readLines(text, name, (cells, row, line) => ({ row, line, id: firstCell(cells) }), isNoRow);
}

/** Of a list in a pipe, which has the ID first. */
function firstCell(line: string): string {
	return (line.split('\t', 1)[0] as string).trim();
}

export function readNdjson(text: AsyncIterable<string>, name: string): AsyncGenerator<RawRow[]> {
	return readLines(text, name, readObject);
}

/** Complaints don't repeat the text, which may be secret. */
function readObject(text: string, row: number, line: number): RawRow {
	try {
		const object: unknown = JSON.parse(text);
		if (!isObject(object)) return { row, line, problem: `expected a JSON object, not ${kindOf(object)}` };
		const tooWide = widthProblem(Object.keys(object).length, 'keys');
		if (tooWide !== undefined) return { row, line, problem: tooWide };
		const twice = repeatedKey(text);
		const problem = twice === undefined ? nestingProblem(object) : `the key ${quote(twice)} appears twice`;
		return problem === undefined ? { row, line, object } : { row, line, problem };
	} catch (error) {
		const position = /position (\d+)/.exec(String(error))?.[1];
		const isCut = String(error).includes('Unexpected end');
		const where = position === undefined ? '' : ` at column ${Number(position) + 1}`;
		return { row, line, problem: `invalid JSON${isCut ? ': it ends too early' : where}` };
	}
}

export async function* readJsonArray(text: AsyncIterable<string>, name: string): AsyncGenerator<RawRow[]> {
	const array = new ArrayReader(name);
	for await (const piece of text) {
		for (const [token] of piece.matchAll(TOKEN)) array.take(token);
		const rows = array.rows.splice(0);
		if (rows.length > 0) yield rows;
	}
	array.end();
}

/** A character with a meaning, or text without any. */
const TOKEN = /[[\]{},"\\\n]|[^[\]{},"\\\n]+/g;

class ArrayReader {
	readonly rows: RawRow[] = [];
	#element = '';
	#start = 1;
	#line = 1;
	#row = 0;
	#depth = 0;
	#inString = false;
	#isEscaped = false;
	#isOver = false;

	constructor(private readonly name: string) {}

	take(token: string): void {
		if (token === '\n') this.#line++;
		const isBetween = this.#depth === 1 && !this.#inString && (token === ',' || token === ']');
		if (this.#depth === 0) this.#takeOutside(token);
		else if (isBetween) this.#finish(token === ']');
		else this.#takeInside(token);
	}

	#takeInside(token: string): void {
		if (token === '"' && !this.#isEscaped) this.#inString = !this.#inString;
		this.#isEscaped = this.#inString && token === '\\' && !this.#isEscaped;
		if (!this.#inString && (token === '[' || token === '{')) this.#depth++;
		if (!this.#inString && (token === ']' || token === '}')) this.#depth = Math.max(1, this.#depth - 1);
		this.#add(token);
	}

	#takeOutside(token: string): void {
		if (token.trim() === '') return;
		if (this.#isOver) this.#refuse('text after the JSON array');
		if (token !== '[') this.#refuse('expected a JSON array of objects');
		this.#depth = 1;
	}

	#add(token: string): void {
		if (this.#element === '') {
			if (token.trim() === '') return;
			this.#start = this.#line;
		}
		this.#element += token;
		if (this.#element.length > MAX_RECORD_BYTES) throw recordTooLong(this.name, this.#start);
	}

	#finish(isLast: boolean): void {
		if (this.#element !== '') this.rows.push(readObject(this.#element.trim(), ++this.#row, this.#start));
		else if (!isLast || this.#row > 0) this.#refuse('empty array element');
		this.#element = '';
		this.#isOver = isLast;
		if (isLast) this.#depth = 0;
	}

	#refuse(message: string): never {
		throw inputError(this.name, this.#line, message);
	}

	end(): void {
		if (!this.#isOver) this.#refuse('the JSON array ends too early');
	}
}
