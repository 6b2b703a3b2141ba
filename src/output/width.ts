/** How many columns text takes on a terminal, and text cut or padded to a number of them. */

import stringWidth from 'string-width';

const ASCII = /^[\x20-\x7e]*$/;

/** Longer text is measured and cut from its beginning only: no terminal is wider. */
const LONGEST = 2_000;

/** Columns that the text takes; text that is all ASCII is the quick way. */
export function widthOf(text: string): number {
	return ASCII.test(text) ? text.length : stringWidth(text);
}

/** Text whose beginning is all that a cell can show. */
export function clip(text: string): string {
	return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Text that takes at most `width` columns; what is cut off is replaced by an ellipsis, never half a character. */
export function truncate(text: string, width: number): string {
	if (widthOf(text) <= width) return text;
	if (width <= 1) return width === 1 ? '…' : '';
	if (ASCII.test(text)) return `${text.slice(0, width - 1).trimEnd()}…`;
	let kept = '';
	let used = 0;
	for (const { segment } of new Intl.Segmenter().segment(text)) {
		const wide = stringWidth(segment);
		if (used + wide > width - 1) break;
		kept += segment;
		used += wide;
	}
	return `${kept.trimEnd()}…`;
}

/** Text that takes at most `width` columns; what is cut out of its middle is replaced by an ellipsis. */
export function truncateMiddle(text: string, width: number): string {
	if (widthOf(text) <= width) return text;
	const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
	let tail = '';
	while (characters.length > 0 && widthOf(tail) + widthOf(characters.at(-1) as string) <= Math.floor((width - 1) / 2)) {
		tail = (characters.pop() as string) + tail;
	}
	return truncate(text, width - widthOf(tail)) + tail;
}

export function pad(text: string, width: number): string {
	return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/**
 * Widths that fit into `available` columns: the widest columns are shrunk first, none below its minimum.
 * @returns undefined where even the minimums do not fit.
 */
export function fitWidths(
	natural: readonly number[],
	minimum: readonly number[],
	available: number,
): number[] | undefined {
	const least = natural.map((width, index) => Math.min(width, minimum[index] ?? 0));
	const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0);
	if (sum(natural) <= available) return [...natural];
	if (sum(least) > available) return undefined;
	const capped = (cap: number): number[] =>
		natural.map((width, index) => Math.max(least[index] as number, Math.min(width, cap)));
	let cap = Math.max(...natural);
	while (sum(capped(cap)) > available) cap--;
	const widths = capped(cap);
	for (let index = 0, spare = available - sum(widths); index < widths.length && spare > 0; index++) {
		if ((natural[index] as number) > (widths[index] as number) && widths[index] === cap) {
			widths[index] = cap + 1;
			spare--;
		}
	}
	return widths;
}
