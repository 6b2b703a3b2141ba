/** Bulk input with JSON objects: one a line, or an array of them; values keep the types they have. */

import { isObject, kindOf, MAX_NESTING, NESTED_TOO_DEEP } from '../../api/values.js';
import { type Batch, inputError, type RawRow, type ReadLimits, readLines, recordTooLong } from './text.js';

const QUOTE = 34;
const BACKSLASH = 92;

/** Where a string ends that begins at a place; the text's length where it does not. */
function endOfString(text: string, start: number): number {
	for (let at = start + 1; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) return at;
		if (code === BACKSLASH) at++;
	}
	return text.length;
}

const AFTER_KEY = /\s*:/y;

/** What is wrong with the shape of a JSON text that JSON.parse would not say: its depth, or a key that stands twice. */
function shapeProblem(text: string): string | undefined {
	const open: (Set<string> | undefined)[] = [];
	for (let at = 0; at < text.length; at++) {
		switch (text[at]) {
			case '{':
			case '[':
				open.push(text[at] === '{' ? new Set() : undefined);
				if (open.length > MAX_NESTING) return NESTED_TOO_DEEP;
				break;
			case '}':
			case ']':
				open.pop();
				break;
			case '"': {
				const end = endOfString(text, at);
				const keys = open.at(-1);
				AFTER_KEY.lastIndex = end + 1;
				if (keys !== undefined && AFTER_KEY.test(text)) {
					const key = keyOf(text.slice(at, end + 1));
					if (keys.has(key)) return `the key ${JSON.stringify(key)} is there twice in one object`;
					keys.add(key);
				}
				at = end;
			}
		}
	}
	return undefined;
}

/** Escapes are read, so that two spellings of one key are one key. */
function keyOf(json: string): string {
	if (!json.includes('\\')) return json.slice(1, -1);
	try {
		return JSON.parse(json) as string;
	} catch {
		// JSON.parse says what is wrong with the whole.
		return json;
	}
}

/** Why a text is no JSON, without repeating what it holds: that may be a secret. */
function syntaxProblem(what: string, error: unknown): string {
	const message = String(error);
	if (message.includes('Unexpected end')) return `${what} is not JSON: it ends too early`;
	// Node does not say where each fault is, only some.
	const position = /position (\d+)/.exec(message)?.[1];
	return `${what} is not JSON${position === undefined ? '' : `: it goes wrong at column ${Number(position) + 1}`}`;
}

function readObject(text: string, what: string, row: number, line: number): RawRow {
	const problem = shapeProblem(text);
	if (problem !== undefined) return { row, line, problem };
	try {
		const value: unknown = JSON.parse(text);
		if (isObject(value)) return { row, line, object: value };
		return { row, line, problem: `${kindOf(value)} where a JSON object is expected` };
	} catch (error) {
		const isArray = text.trimStart().startsWith('[');
		if (isArray)
			return { row, line, problem: 'a JSON array where an object is expected; --input-format json reads one' };
		return { row, line, problem: syntaxProblem(what, error) };
	}
}

/** One JSON object a line. */
export async function* readNdjson(text: AsyncIterable<Buffer>, limits: ReadLimits): AsyncGenerator<Batch> {
	let row = 0;
	for await (const { first, texts } of readLines(text, limits, false)) {
		const rows: RawRow[] = [];
		for (const [index, each] of texts.entries()) {
			if (each.trim() !== '') rows.push(readObject(each, 'the line', ++row, first + index));
		}
		if (rows.length > 0) yield rows;
	}
}

/** Cuts the text of a JSON array into the texts of its elements, each with the line on which it starts. */
class ArrayCutter {
	line = 1;
	/** Before `[`; before an element or, in an empty array, `]`; in an element; behind `]`. */
	#state: 'start' | 'before' | 'inside' | 'end' = 'start';
	#isFirst = true;
	#depth = 0;
	#inString = false;
	#escaped = false;
	#startLine = 1;
	#pieces: Buffer[] = [];
	#length = 0;
	readonly #limits: ReadLimits;

	constructor(limits: ReadLimits) {
		this.#limits = limits;
	}

	#refuse(message: string): never {
		throw inputError(this.#limits.name, this.line, message);
	}

	/** Yields the elements that end in this piece. */
	*cut(piece: Buffer): Generator<{ text: string; line: number }> {
		let from = 0;
		for (let at = 0; at < piece.length; at++) {
			const byte = piece[at] as number;
			if (byte === 10) this.line++;
			if (this.#state !== 'inside') {
				if (this.#isBetween(byte)) continue;
				from = at;
			}
			if (!this.#endsElement(byte)) continue;
			yield this.#take(piece.subarray(from, at));
			this.#state = byte === 44 ? 'before' : 'end';
		}
		if (this.#state === 'inside') this.#keep(piece.subarray(from));
	}

	end(): void {
		if (this.#state !== 'end') this.#refuse('the JSON array ends too early');
	}

	/** Takes a byte outside elements; false for the first byte of one. */
	#isBetween(byte: number): boolean {
		if (byte === 32 || byte === 9 || byte === 10 || byte === 13) return true;
		if (this.#state === 'end') this.#refuse('there is text behind the JSON array');
		if (this.#state === 'start') {
			if (byte !== 91) this.#refuse('a JSON array of objects is expected');
			this.#state = 'before';
			return true;
		}
		if (byte === 93 && this.#isFirst) {
			this.#state = 'end';
			return true;
		}
		if (byte === 93 || byte === 44) this.#refuse('there is nothing where an element of the array is expected');
		this.#state = 'inside';
		this.#isFirst = false;
		this.#depth = 0;
		this.#startLine = this.line;
		return false;
	}

	/** Whether a byte inside an element is the comma or bracket behind it. */
	#endsElement(byte: number): boolean {
		if (this.#inString) {
			if (this.#escaped) this.#escaped = false;
			else if (byte === BACKSLASH) this.#escaped = true;
			else if (byte === QUOTE) this.#inString = false;
			return false;
		}
		if (byte === QUOTE) this.#inString = true;
		else if (byte === 123 || byte === 91) this.#depth++;
		else if (this.#depth > 0 && (byte === 125 || byte === 93)) this.#depth--;
		else return this.#depth === 0 && (byte === 44 || byte === 93);
		return false;
	}

	#keep(piece: Buffer): void {
		this.#pieces.push(piece);
		this.#length += piece.length;
		if (this.#length > this.#limits.maxRecordBytes) throw recordTooLong(this.#limits, this.#startLine);
	}

	#take(piece: Buffer): { text: string; line: number } {
		this.#keep(piece);
		const text = Buffer.concat(this.#pieces).toString('utf8');
		this.#pieces = [];
		this.#length = 0;
		return { text, line: this.#startLine };
	}
}

/** A JSON array of objects, as `--json` writes it; one element at a time is in memory. */
export async function* readJsonArray(text: AsyncIterable<Buffer>, limits: ReadLimits): AsyncGenerator<Batch> {
	const cutter = new ArrayCutter(limits);
	let row = 0;
	for await (const piece of text) {
		const rows: RawRow[] = [];
		for (const each of cutter.cut(piece)) rows.push(readObject(each.text, 'the element', ++row, each.line));
		if (rows.length > 0) yield rows;
	}
	cutter.end();
}
