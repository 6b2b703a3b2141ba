/** Messages on a terminal: lines that break between words, and commands that can still be copied. */

import stringWidth from 'string-width';

/** A command up to what ends it in a sentence, with the marks around it; other words one by one. */
const UNIT = /(?:\x1b\[[\d;]*m|["(])*supportctl [a-z](?:'[^']*'|[^\s;,()"'])*(?: (?:'[^']*'|[^\s;,()"'])+)*[^\s]*|\S+/g;

const HANGING = '  ';

/** Of `-v` and `-vv`: bodies are copied from there. */
const OF_A_LOG = /^(?:\x1b\[[\d;]*m)*[<>]/;

/** Lines of a log and of progress stay as they are. */
export function foldLines(text: string, columns: number): string {
	if (text.includes('\r')) return text;
	return text.replace(/^.+$/gm, (line) => {
		const fits = stringWidth(line) <= columns || OF_A_LOG.test(line);
		return fits ? line : fold(line, columns).join('\n');
	});
}

function fold(line: string, columns: number): string[] {
	const indent = /^\s*/.exec(line)?.[0] ?? '';
	const lines: string[] = [];
	let current = indent;
	let isEmpty = true;
	const add = (word: string, end = ''): void => {
		const next = isEmpty ? current + word : `${current} ${word}`;
		if (!isEmpty && stringWidth(next + end) > columns) {
			lines.push(current + end);
			current = indent + HANGING + word;
		} else current = next;
		isEmpty = false;
	};
	for (const unit of line.match(UNIT) ?? []) {
		if (stringWidth(indent + HANGING + unit) <= columns) add(unit);
		// A shell reads on behind a backslash, so that it is still one command.
		else for (const [at, word] of unit.split(' ').entries()) add(word, at === 0 ? '' : ' \\');
	}
	return [...lines, current];
}
