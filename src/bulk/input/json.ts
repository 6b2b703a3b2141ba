/** Input of JSON: a file that is one array, element by element, and the checks of each object. */

import { isObject, jsonProblem, kindOf, widthProblem } from '../../api/values.js';
import { inputError, MAX_RECORD_BYTES, recordTooLong } from './checked-text.js';
import type { RawRow } from './input.js';

/** Complaints don't repeat the text, which may be secret. */
export function readObject(text: string, row: number, line: number): RawRow {
	try {
		const object: unknown = JSON.parse(text);
		if (!isObject(object)) return { row, line, problem: `expected a JSON object, not ${kindOf(object)}` };
		const problem = widthProblem(Object.keys(object).length, 'keys') ?? jsonProblem(text, object);
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
