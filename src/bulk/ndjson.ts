/** Bulk input with one JSON object a line; values keep the types they have. */

import { isObject, kindOf, nestingProblem } from '../api/values.js';
import type { BlockReader, RawRow } from './blocks.js';

/** Why a line is no object, without repeating what it holds: that may be a secret. */
function problemOf(text: string, error: unknown): string {
	if (text.trimStart().startsWith('[')) return 'a JSON array where one object a line is expected';
	const said = String(error);
	if (said.includes('Unexpected end')) return 'the line is not JSON: it ends too early';
	// Node does not say where each fault is, only some.
	const position = /position (\d+)/.exec(said)?.[1];
	return `the line is not JSON${position === undefined ? '' : `: it goes wrong at column ${Number(position) + 1}`}`;
}

function readObject(text: string, row: number, line: number): RawRow {
	try {
		const value: unknown = JSON.parse(text);
		const problem = nestingProblem(value);
		if (problem !== undefined) return { row, line, problem };
		if (isObject(value)) return { row, line, object: value };
		return { row, line, problem: `${kindOf(value)} where a JSON object is expected` };
	} catch (error) {
		return { row, line, problem: problemOf(text, error) };
	}
}

export function createNdjsonReader(): BlockReader {
	let row = 0;
	let line = 1;
	return {
		get line() {
			return line;
		},
		breaksAtReturn: false,
		take(block, _last, rows: RawRow[]) {
			const lines = block.toString('utf8').split('\n');
			const tail = lines.pop() as string;
			if (tail !== '') lines.push(tail);
			for (const text of lines) {
				if (text.trim() !== '') rows.push(readObject(text, ++row, line));
				line++;
			}
			return block.length;
		},
	};
}
