/** Tables that fit the terminal, drawn by cli-table3, or a block of lines for each row. */

import Table from 'cli-table3';
import stringWidth from 'string-width';
import { cellText } from '../text.js';
import type { Palette } from './colour.js';
import {
	asRow,
	columnsFor,
	type Encoder,
	type EncoderOptions,
	optionalLast,
	type ResolvedColumn,
	type Row,
} from './columns.js';
import { sanitise, sanitiseLines } from './sanitise.js';

const GAP = '  ';

/** The width of a cell, if its column has none. */
const LEAST = 6;

/** Shares of the width that an important column keeps; tried in this order. */
const SHARES = [0.4, 0.35, 0];

/** No terminal is wider. */
const LONGEST = 2_000;

const ASCII = /^[\x20-\x7e]*$/;

interface Part {
	readonly column: ResolvedColumn;
	readonly label: string;
	readonly cells: readonly string[];
}

/** Whether an optional column is shown for this cell. */
const isWorthShowing = (column: ResolvedColumn, text: string): boolean => text !== '' && text !== column.usual;

interface Layout {
	readonly paths: readonly string[];
	/** Undefined where rows are blocks of lines. */
	readonly widths: readonly number[] | undefined;
}

export function createTable(options: EncoderOptions): Encoder {
	const { chosen, single, more, isTTY } = options;
	const width = isTTY ? options.width : Number.POSITIVE_INFINITY;
	const end = (): string => '';
	if (single) {
		const record = (row: Row): string => recordText(columnsFor(options.columns, more, [row]), row, options);
		return { rows: (rows) => rows.map((row) => record(asRow(row))).join(''), end };
	}
	let known: readonly ResolvedColumn[] = options.columns;
	let last: Layout | undefined;

	return {
		rows(given) {
			if (given.length === 0) return '';
			const rows = given.map(asRow);
			known = optionalLast(columnsFor(known, more, rows));
			const all = known.map((column) => partOf(column, rows, options)).filter((part) => isShown(part, last, options));
			// Columns that are empty in all rows give way before rows become blocks.
			const filled = all.filter(({ cells }) => chosen || cells.some((text) => text !== ''));
			const layouts = [all, filled].map((parts) => ({ parts, widths: widthsFor(parts, last, width) }));
			const fitting = layouts.find(({ parts, widths }) => parts.length > 0 && widths !== undefined);
			const { parts, widths } = fitting ?? { parts: all, widths: undefined };
			const paths = parts.map(({ column }) => column.path);
			const isNew = last?.paths.join() !== paths.join() || (widths === undefined) !== (last.widths === undefined);
			const before = isNew && last !== undefined ? '\n' : '';
			const columns = parts.map(({ column }) => column);
			last = { paths, widths };
			if (widths !== undefined) return before + drawRows(parts, widths, rows, isNew, options);
			return before + rows.map((row) => `${recordText(columns, row, options)}\n`).join('');
		},
		end,
	};
}

function partOf(column: ResolvedColumn, rows: readonly Row[], { isTTY }: EncoderOptions): Part {
	const cells = rows.map((row) => {
		const text = cellText(column.get(row));
		return sanitise(isTTY && text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
	});
	return { column, label: sanitise(column.label).toUpperCase(), cells };
}

function isShown({ column, cells }: Part, last: Layout | undefined, { isTTY, chosen }: EncoderOptions): boolean {
	if (!isTTY || chosen || column.optional !== true) return true;
	return last?.paths.includes(column.path) === true || cells.some((text) => isWorthShowing(column, text));
}

/** No narrower than under the last header, if there is room. @returns undefined without room for every column */
function widthsFor(parts: readonly Part[], last: Layout | undefined, width: number): number[] | undefined {
	const room = width - GAP.length * (parts.length - 1);
	const labels = parts.map(({ label }) => widthOf(label));
	const natural = parts.map(({ cells }, index) => Math.max(labels[index] as number, ...cells.map(widthOf)));
	const before = last?.paths.length === parts.length ? last.widths : undefined;
	const wanted = natural.map((each, index) => Math.max(each, before?.[index] ?? 0));
	for (const share of SHARES) {
		const minimum = parts.map(({ column }, index) => {
			if (column.whole === true) return natural[index] as number;
			const kept = column.important === true ? Math.floor(room * share) : 0;
			return Math.max(labels[index] as number, kept, column.least ?? LEAST);
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
	const standIns = createStandIns();
	if (withHeader) table.push(parts.map(({ label }) => standIns.cell(label, palette.heading)));
	for (const [number, row] of rows.entries()) {
		const cells = parts.map(({ column, cells }, index) => {
			const fit = column.wraps === true ? wrapWords : truncated;
			return fit(cells[number] ?? '', widths[index] ?? 0);
		});
		// Line by line, in the order in which stand-ins are drawn.
		for (let line = 0; line < Math.max(...cells.map(({ length }) => length)); line++) {
			const texts = cells.map((lines) => lines[line] ?? '');
			table.push(
				texts.map((text, index) => standIns.cell(text, (each) => styled(parts[index]?.column, each, row, palette))),
			);
		}
	}
	return standIns
		.replaceIn(table.toString())
		.split('\n')
		.map((line) => `${line.trimEnd()}\n`)
		.join('');
}

function styled(column: ResolvedColumn | undefined, text: string, row: Row, palette: Palette): string {
	const name = column?.style?.(text, row);
	return name === undefined ? text : palette[name](text);
}

/** cli-table3 measures by an older Unicode. It lays out stand-ins of the right width for cells beyond ASCII. */
function createStandIns() {
	const texts: string[] = [];
	return {
		cell(text: string, style: (text: string) => string): string {
			const width = widthOf(text);
			if (width === 0) return '';
			if (ASCII.test(text)) return style(text);
			texts.push(text);
			return style('\ue000'.repeat(width));
		},
		replaceIn: (drawn: string): string => drawn.replace(/\ue000+/g, () => texts.shift() ?? ''),
	};
}

/** Narrower texts are hard to read. */
const LEAST_TEXT = 20;

function recordText(columns: readonly ResolvedColumn[], row: Row, options: EncoderOptions): string {
	const { palette, chosen, isTTY, width } = options;
	const shown = columns.filter(
		(column) => chosen || column.optional !== true || isWorthShowing(column, cellText(column.get(row))),
	);
	const labels = shown.map((column) => sanitise(column.label === '' ? column.path : column.label));
	const room = Math.max(0, ...labels.map(widthOf));
	const left = width - room - GAP.length;
	const lines = shown.map((column, index) => {
		const value = column.get(row);
		const given = cellText(value);
		const all = sanitiseLines(given).split('\n');
		// A single word, such as a path, and JSON stay whole: people copy them.
		const isJson = typeof value === 'object' && given === JSON.stringify(value);
		const wraps = (line: string): boolean =>
			isTTY && (column.wraps === true || (/\s/.test(line) && !isJson && left >= LEAST_TEXT));
		const fitting = all.flatMap((line) => (wraps(line) ? wrapWords(line, left) : [line]));
		const text = fitting.join(`\n${' '.repeat(room)}${GAP}`);
		const label = labels[index] as string;
		const padding = ' '.repeat(room - widthOf(label));
		return `${palette.heading(label + padding)}${GAP}${styled(column, text, row, palette)}`.trimEnd();
	});
	return lines.map((line) => `${line}\n`).join('');
}

/** ASCII is the quick way. */
function widthOf(text: string): number {
	return ASCII.test(text) ? text.length : stringWidth(text);
}

/** Ends in an ellipsis, never in half a character. */
export function truncate(text: string, width: number): string {
	if (widthOf(text) <= width) return text;
	if (width <= 1) return width === 1 ? '…' : '';
	let kept = '';
	let used = 0;
	for (const { segment } of new Intl.Segmenter().segment(text)) {
		used += stringWidth(segment);
		if (used > width - 1) break;
		kept += segment;
	}
	return `${kept.trimEnd()}…`;
}

const truncated = (text: string, width: number): [string] => [truncate(text, width)];

/** A word that is too long breaks between characters. @returns at least one line */
export function wrapWords(text: string, width: number): string[] {
	if (widthOf(text) <= width) return [text];
	const lines: string[] = [];
	let line = '';
	for (const word of text.match(/\s*\S+/g) ?? []) {
		if (widthOf(line + word) <= width) {
			line += word;
			continue;
		}
		if (line !== '') lines.push(line);
		const pieces = chunks(word.trimStart(), Math.max(2, width));
		lines.push(...pieces.slice(0, -1));
		line = pieces.at(-1) ?? '';
	}
	return [...lines, line];
}

/** No wider than this, and never half of a character. */
function chunks(word: string, width: number): string[] {
	if (widthOf(word) <= width) return [word];
	const found: string[] = [];
	let part = '';
	for (const { segment } of new Intl.Segmenter().segment(word)) {
		if (stringWidth(part + segment) > width) {
			found.push(part);
			part = '';
		}
		part += segment;
	}
	return [...found, part];
}

/** Shrinks the widest columns first. @returns undefined if the minimums don't fit */
export function fitWidths(
	natural: readonly number[],
	minimum: readonly number[],
	available: number,
): number[] | undefined {
	for (let most = Math.max(0, ...natural); most >= 0; most--) {
		const widths = natural.map((width, index) => Math.min(width, Math.max(minimum[index] ?? 0, most)));
		if (widths.reduce((sum, width) => sum + width, 0) <= available) return widths;
	}
	return undefined;
}
