/** Prose in lines, for help and for what is printed at a terminal. */

export const helpWidth = (columns: number | undefined): number => Math.max(40, Math.min(columns ?? 80, 100));

/** A word that is too long breaks behind `|`. */
export function wrap(text: string, width: number): string[] {
	const lines: string[] = [];
	let line = '';
	for (const piece of text.match(/[^\s|]*(?:\||\s+|$)/g) ?? []) {
		if (line !== '' && (line + piece).trimEnd().length > width) {
			lines.push(line.trimEnd());
			line = '';
		}
		line += piece;
	}
	return line === '' ? lines : [...lines, line];
}
