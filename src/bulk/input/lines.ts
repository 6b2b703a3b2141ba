/** Input of one row a line: IDs, and JSON objects (NDJSON). */

import { UsageError } from '../../errors.js';
import { LINE_END, MAX_RECORD_BYTES, recordTooLong } from './checked-text.js';
import type { RawRow } from './input.js';
import { readObject } from './json.js';

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

/** The last line of a list that broke off: a comment for others, and for us no list to go on with. */
export const INCOMPLETE = '# incomplete';

function isComment(line: string): boolean {
	if (line.startsWith(INCOMPLETE)) {
		const what = `this is an incomplete list (${line.slice(2, LONGEST_REASON)}); nothing was sent`;
		throw new UsageError(what, {
			code: 'incomplete_input',
			hint: 'list it again; to send only these, save them without the last line',
		});
	}
	return line.trimStart().startsWith('#');
}

const LONGEST_REASON = 300;

/** Of a list in a pipe, which has the ID first. */
function firstCell(line: string): string {
	return (line.split('\t', 1)[0] ?? '').trim();
}

export function readIds(text: AsyncIterable<string>, name: string): AsyncGenerator<RawRow[]> {
	const isNoRow = (line: string): boolean => isEmpty(line) || isComment(line);
	return readLines(text, name, (cells, row, line) => ({ row, line, id: firstCell(cells) }), isNoRow);
}

/** The IDs of a text that is read whole, by the same rules. */
export function idsIn(text: string): string[] {
	const lines = text.split(LINE_END).filter((line) => !isComment(line));
	return lines.map(firstCell).filter((id) => id !== '');
}

export function readNdjson(text: AsyncIterable<string>, name: string): AsyncGenerator<RawRow[]> {
	return readLines(text, name, readObject);
}
