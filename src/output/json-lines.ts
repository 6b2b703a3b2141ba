/** stderr for programs: one JSON object a line, whatever a command writes there for a person. */

import type { Output } from '../io/context.js';
import { escapeJson } from './sanitise.js';

/** Whether results, and so errors, are to be JSON. */
export function asksForJson(argv: readonly string[]): boolean {
	return argv.some(
		(word, index) =>
			word === '--json' ||
			/^--format=(?:nd)?json$/.test(word) ||
			(/^(?:nd)?json$/.test(word) && argv[index - 1] === '--format'),
	);
}

/** `warning: text` and `note: text` become `{"warning": "text"}`, other text `{"message": "text"}`; JSON stays as it is. */
export function jsonLines(output: Output): Output {
	let line = '';
	let isJson = false;
	return {
		get isTTY() {
			return output.isTTY;
		},
		get columns() {
			return output.columns;
		},
		get closed() {
			return output.closed;
		},
		get failure() {
			return output.failure;
		},
		...(output.command === undefined ? {} : { command: output.command }),
		flush: () => output.flush(),
		write(text) {
			for (const piece of text.split(/(?<=\n)/)) {
				const ends = piece.endsWith('\n');
				if (isJson || (line === '' && piece.startsWith('{'))) {
					output.write(piece);
					isJson = !ends;
					continue;
				}
				line += piece;
				if (!ends) continue;
				output.write(lineObject(line));
				line = '';
			}
		},
	};
}

function lineObject(line: string): string {
	const text = line.replace(/\x1b\[[0-9;]*m/g, '').trim();
	if (text === '') return '';
	const warning = /^(?:warning|note): (.*)$/s.exec(text)?.[1];
	return `${escapeJson(JSON.stringify(warning === undefined ? { message: text } : { warning }))}\n`;
}
