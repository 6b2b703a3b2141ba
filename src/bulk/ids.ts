/** Bulk input with one id a line. */

import { type BlockReader, type RawRow, splitLines } from './blocks.js';

/** Reads ids; blank lines and blanks around an id do not count. */
export function createIdsReader(): BlockReader {
	let row = 0;
	let line = 1;
	return {
		get line() {
			return line;
		},
		breaksAtReturn: true,
		take(block, _last, rows: RawRow[]) {
			const lines = splitLines(block.toString('utf8'));
			// What stands after the last line's end is nothing, or the input's last line.
			const tail = lines.pop() as string;
			if (tail !== '') lines.push(tail);
			for (const text of lines) {
				const id = text.trim();
				if (id !== '') rows.push({ row: ++row, line, id });
				line++;
			}
			return block.length;
		},
	};
}
