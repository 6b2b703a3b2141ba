/** Text laid out for a width: paragraphs that wrap, and lists of a name with what it means. */

/** Lines longer than this are hard to read, however wide the terminal is. */
const WIDEST = 100;
const NARROWEST = 40;

/** The width that help is laid out for: the terminal's within reason, 80 in a pipe. */
export function helpWidth(columns: number | undefined): number {
	return Math.max(NARROWEST, Math.min(columns ?? 80, WIDEST));
}

/**
 * Breaks text between words into lines of at most `width` characters. A longer word is broken behind `|`, as in lists of
 * values, or stands alone.
 */
export function wrap(text: string, width: number): string[] {
	const lines: string[] = [];
	let line = '';
	for (const word of text.split(/\s+/).filter((each) => each !== '')) {
		const pieces = word.length > width ? word.split(/(?<=\|)/) : [word];
		for (const [index, piece] of pieces.entries()) {
			const joined = line === '' ? piece : `${line}${index === 0 ? ' ' : ''}${piece}`;
			if (line !== '' && joined.length > width) {
				lines.push(line);
				line = piece;
			} else {
				line = joined;
			}
		}
	}
	if (line !== '') lines.push(line);
	return lines;
}

export function indent(lines: readonly string[], by: number): string[] {
	const blanks = ' '.repeat(by);
	return lines.map((line) => (line === '' ? '' : blanks + line));
}

/** A name and what it means. */
export interface Entry {
	readonly name: string;
	readonly text: string;
}

const GAP = 2;

/**
 * Names on the left, what they mean on the right. A name that is too long for its column has its text on the next line.
 */
export function list(
	entries: readonly Entry[],
	width: number,
	paint: (name: string) => string = (name) => name,
): string[] {
	const column = nameColumn(entries, width);
	return entries.flatMap(({ name, text }) => {
		const lines = wrap(text, Math.max(20, width - column));
		if (name.length + GAP > column) return [paint(name), ...indent(lines, column)];
		const [first = '', ...rest] = lines;
		return [`${paint(name)}${' '.repeat(column - name.length)}${first}`.trimEnd(), ...indent(rest, column)];
	});
}

/** As wide as the longest name where all texts then fit on their line, else as the longest of a usual length. */
function nameColumn(entries: readonly Entry[], width: number): number {
	const lengths = entries.map((entry) => entry.name.length);
	const longest = Math.max(0, ...lengths) + GAP;
	if (entries.every((entry) => longest + entry.text.length <= width)) return longest;
	const most = Math.floor(width * 0.45);
	return Math.max(0, ...lengths.filter((length) => length <= most)) + GAP;
}
