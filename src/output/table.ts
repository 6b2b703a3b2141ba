/** table: columns that fit the terminal, drawn by cli-table3, or, where they can't fit, a block of lines for each row. */

import Table from 'cli-table3';
import stringWidth from 'string-width';
import {
	asRow,
	cellText,
	columnsFor,
	type Encoder,
	type EncoderOptions,
	optionalLast,
	type ResolvedColumn,
	type Row,
} from './columns.js';
import { sanitise, sanitiseLines } from './sanitise.js';

const GAP = '  ';

/** How many rows are held to find the widths: a screen or two. */
const SAMPLE = 100;

/** What shrunk cells keep at the least, and the share of the line that an important column keeps; tried in this order. */
const CONCESSIONS = [
	{ least: 8, share: 0.4 },
	{ least: 6, share: 0.4 },
	{ least: 8, share: 0 },
	{ least: 6, share: 0 },
];

/** Longer text is measured and cut from its beginning only: no terminal is wider. */
const LONGEST = 2_000;

const ASCII = /^[\x20-\x7e]*$/;

/** A column with the texts of its cells, one for each held row. */
interface Part {
	readonly column: ResolvedColumn;
	readonly label: string;
	readonly cells: readonly string[];
}

const isFilled = ({ cells }: Part): boolean => cells.some((text) => text !== '');

/** Whether a cell of an optional column is worth showing the column for. */
const isWorthShowing = (column: ResolvedColumn, text: string): boolean => text !== '' && text !== column.usual;

export function createTable(options: EncoderOptions): Encoder {
	const { isTTY, chosen, single, discover } = options;
	let held: Row[] = [];
	/** Every column so far. */
	let known: readonly ResolvedColumn[] = [];
	/** What stands under the last header; undefined widths stand for blocks. */
	let last: { paths: ReadonlySet<string>; widths: readonly number[] | undefined } | undefined;
	/** Columns that are left out as long as they are empty, for want of room. */
	let dropped: ReadonlySet<string> = new Set();

	const cell = (column: ResolvedColumn, row: Row): string => {
		if (!isTTY) return sanitise(cellText(column.get(row)));
		const text = cellText((column.short ?? column.get)(row));
		return sanitise(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
	};

	/** Whether a row has something in a column that the last header has not: it begins a section of its own. */
	function needsColumn(row: Row): boolean {
		if (chosen || last === undefined) return false;
		const { paths } = last;
		const isHidden = ({ path }: { path: string }): boolean => !paths.has(path);
		if (discover?.(row).some((column) => isHidden(column) && !dropped.has(column.path))) return true;
		return known
			.filter((column) => isHidden(column) && (column.optional === true || dropped.has(column.path)))
			.some((column) => isWorthShowing(column, cell(column, row)));
	}

	function release(): string {
		if (held.length === 0) return '';
		const isNewTo = (column: ResolvedColumn): boolean => !known.some((each) => each.path === column.path);
		known = optionalLast([...known, ...columnsFor(options, held).filter(isNewTo)]);
		// Optional columns are shown from the first row on that has something in them.
		const isShown = ({ column, cells }: Part): boolean =>
			!isTTY ||
			chosen ||
			column.optional !== true ||
			last?.paths.has(column.path) === true ||
			cells.some((text) => isWorthShowing(column, text));
		let parts = known
			.map((column): Part => {
				const label = sanitise(column.label).toUpperCase();
				return { column, label, cells: held.map((row) => cell(column, row)) };
			})
			.filter((part) => isShown(part) && (!dropped.has(part.column.path) || isFilled(part)));
		const isAsWide = parts.length === last?.paths.size;
		let widths = widthsFor(parts, isAsWide ? (last?.widths ?? []) : [], options.width);
		if (widths === undefined && !chosen && last === undefined) {
			// Columns that are empty in all rows give way before rows become blocks.
			const filled = parts.filter(isFilled);
			const fewer = filled.length === 0 ? undefined : widthsFor(filled, [], options.width);
			if (fewer !== undefined) {
				dropped = new Set(parts.filter((part) => !filled.includes(part)).map(({ column }) => column.path));
				[parts, widths] = [filled, fewer];
			}
		}
		const isNew = !isAsWide || (widths === undefined) !== (last?.widths === undefined);
		const columns = parts.map(({ column }) => column);
		const text =
			widths === undefined
				? held.map((row) => `${recordText(columns, row, options)}\n`).join('')
				: drawRows(parts, widths, held, isNew, options);
		const before = isNew && last !== undefined ? '\n' : '';
		last = { paths: new Set(columns.map(({ path }) => path)), widths };
		held = [];
		return before + text;
	}

	if (single) {
		const record = (row: Row): string => recordText(columnsFor(options, [row]), row, options);
		return { row: (row) => record(asRow(row)), end: () => '' };
	}
	return {
		row(given) {
			const row = asRow(given);
			const text = held.length > 0 && needsColumn(row) ? release() : '';
			held.push(row);
			return held.length < SAMPLE ? text : text + release();
		},
		settle: release,
		end: release,
	};
}

/** Widths that fit the terminal; a column is never narrower than before, where there is room for that. */
function widthsFor(parts: readonly Part[], before: readonly number[], width: number): number[] | undefined {
	const room = width - GAP.length * (parts.length - 1);
	const labels = parts.map(({ label }) => widthOf(label));
	const natural = parts.map(({ cells }, index) => Math.max(labels[index] as number, ...cells.map(widthOf)));
	const wanted = natural.map((each, index) => Math.max(each, before[index] ?? 0));
	for (const { least, share } of CONCESSIONS) {
		const minimum = parts.map(({ column }, index) => {
			if (column.whole === true) return natural[index] as number;
			const kept = column.important === true && share > 0 ? Math.floor(room * share) : (column.least ?? least);
			return Math.max(labels[index] as number, kept);
		});
		const widths = fitWidths(wanted, minimum, room);
		if (widths !== undefined) return widths;
	}
	return undefined;
}

const EDGES = ['top', 'bottom', 'left', 'mid', 'right'].flatMap((edge) => [
	edge,
	`${edge}-mid`,
	`${edge}-left`,
	`${edge}-right`,
]);

/**
 * Draws rows without borders. cli-table3 measures by an older Unicode, in which some emoji and scripts have another width:
 * it lays out cells beyond ASCII as stand-ins of the right width, which their texts then replace.
 */
function drawRows(
	parts: readonly Part[],
	widths: readonly number[],
	rows: readonly Row[],
	withHeader: boolean,
	{ palette }: EncoderOptions,
): string {
	const table = new Table({
		chars: { ...Object.fromEntries(EDGES.map((edge) => [edge, ''])), middle: GAP },
		style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
		colWidths: widths.map((width) => Math.max(1, width)),
	});
	const texts: string[] = [];
	const painted = (text: string, style: (text: string) => string): string => {
		const width = widthOf(text);
		if (width === 0) return '';
		if (ASCII.test(text)) return style(text);
		texts.push(text);
		return style('\ue000'.repeat(width));
	};
	if (withHeader) table.push(parts.map(({ label }) => painted(label, palette.heading)));
	for (const [number, row] of rows.entries()) {
		table.push(
			parts.map(({ column, cells }, index) => {
				const cut = column.ends === true ? truncateMiddle : truncate;
				const text = cut(cells[number] as string, widths[index] as number);
				return painted(text, (each) => column.style?.(each, row) ?? each);
			}),
		);
	}
	const drawn = table.toString().replace(/\ue000+/g, () => texts.shift() as string);
	const lines = drawn.split('\n').map((line) => `${line.trimEnd()}\n`);
	return lines.join('');
}

/** `key  value` lines: keys padded to the longest, a value of several lines goes on under its first. */
function recordText(columns: readonly ResolvedColumn[], row: Row, { palette, chosen }: EncoderOptions): string {
	const shown = columns.filter(
		(column) => chosen || column.optional !== true || isWorthShowing(column, cellText(column.get(row))),
	);
	const labels = shown.map((column) => sanitise(column.label === '' ? column.path : column.label));
	const room = Math.max(0, ...labels.map(widthOf));
	const lines = shown.map((column, index) => {
		const text = sanitiseLines(cellText(column.get(row))).replaceAll('\n', `\n${' '.repeat(room)}${GAP}`);
		const label = labels[index] as string;
		const padding = ' '.repeat(room - widthOf(label));
		return `${palette.heading(label + padding)}${GAP}${column.style?.(text, row) ?? text}`.trimEnd();
	});
	return lines.map((line) => `${line}\n`).join('');
}

/** Columns of a terminal that the text takes; text that is all ASCII is the quick way. */
function widthOf(text: string): number {
	return ASCII.test(text) ? text.length : stringWidth(text);
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

/** The same, cut in the middle. */
function truncateMiddle(text: string, width: number): string {
	if (widthOf(text) <= width) return text;
	const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
	let tail = '';
	while (characters.length > 0 && widthOf(tail) + widthOf(characters.at(-1) as string) <= Math.floor((width - 1) / 2)) {
		tail = (characters.pop() as string) + tail;
	}
	return truncate(text, width - widthOf(tail)) + tail;
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
	const widths = [...least];
	// The narrowest of those that want more grows first, so that the widest are shrunk the most.
	for (let spare = available - sum(widths); spare > 0; spare--) {
		let chosen = -1;
		widths.forEach((width, index) => {
			const wantsMore = width < (natural[index] as number);
			if (wantsMore && (chosen < 0 || width < (widths[chosen] as number))) chosen = index;
		});
		widths[chosen] = (widths[chosen] as number) + 1;
	}
	return widths;
}
