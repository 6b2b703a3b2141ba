/** table: columns that fit the terminal, or, where they can't, a block of lines for each row. */

import { cellText, type ResolvedColumn, type Row } from '../columns.js';
import { sanitise, sanitiseLines } from '../sanitise.js';
import { clip, fitWidths, pad, truncate, truncateMiddle, widthOf } from '../width.js';
import { asRow, columnsFor, type Encoder, type EncoderOptions, newColumns, SAMPLE } from './encoder.js';

const GAP = '  ';

/** The fewest columns in which a shrunk cell is still worth reading; tried one after the other. */
const NARROWEST = [8, 6];

/** The part of the line that an important column may keep. */
const IMPORTANT = 0.4;

/**
 * What gives way where columns don't fit, one after the other: the cells, then the headers down to so many columns, and
 * the important cells last, whose text says more than a whole header does.
 */
const CONCESSIONS = [
	{ share: IMPORTANT, header: Number.POSITIVE_INFINITY },
	{ share: IMPORTANT, header: 5 },
	{ share: 0, header: Number.POSITIVE_INFINITY },
	{ share: 0, header: 5 },
	{ share: 0, header: 4 },
];

/** Columns and their widths, as they hold until a row brings a new column. */
interface Section {
	columns: readonly ResolvedColumn[];
	/** The widest cell so far, with and without the header. */
	natural: number[];
	filled: number[];
	/** The fewest columns in which a header can't be taken for another one. */
	telling: readonly number[];
	/** Undefined where the columns can't fit side by side. */
	widths: number[] | undefined;
}

export function createTable(options: EncoderOptions): Encoder {
	return options.single ? createRecord(options) : createGrid(options);
}

function createGrid(options: EncoderOptions): Encoder {
	const { palette, width } = options;
	let section: Section | undefined;
	/** Rows that wait for the section's widths, and every column met so far. */
	let held: Row[] = [];
	let known: readonly ResolvedColumn[] = [];
	let printed = false;

	const cell = (column: ResolvedColumn, row: Row): string =>
		sanitise(clip(cellText((column.short ?? column.get)(row))));

	/** Without a terminal nothing is cut, so nothing may be clipped either. */
	const fullCell = (column: ResolvedColumn, row: Row): string => sanitise(cellText(column.get(row)));
	const textOf = options.isTTY ? cell : fullCell;

	/** Cells and headers give way, each as far as it still says what it is; whole columns never do. */
	function widthsFor({ columns, natural, filled, telling }: Omit<Section, 'widths'>): number[] | undefined {
		const room = width - GAP.length * (columns.length - 1);
		for (const { share, header } of CONCESSIONS) {
			const labels = columns.map((column, index) =>
				Math.min(widthOf(labelOf(column)), Math.max(header, telling[index] as number)),
			);
			const wanted = filled.map((each, index) => Math.max(each, labels[index] as number));
			for (const narrowest of NARROWEST) {
				const minimum = columns.map((column, index) => {
					const label = labels[index] as number;
					if (column.whole === true) return Math.max(label, filled[index] as number);
					const isKept = column.important === true && share > 0;
					return Math.max(label, isKept ? Math.floor(room * share) : (column.least ?? narrowest));
				});
				const fitted = fitWidths(wanted, minimum, room);
				// What the cells leave goes back to the headers.
				if (fitted !== undefined) return fitWidths(natural, fitted, room);
			}
		}
		return undefined;
	}

	function openSection(): Section {
		const columns = visibleColumns();
		const filled = columns.map((column) =>
			held.reduce((widest, row) => Math.max(widest, widthOf(textOf(column, row))), 0),
		);
		const natural = columns.map((column, index) => Math.max(widthOf(labelOf(column)), filled[index] as number));
		const telling = tellingWidths(columns.map(labelOf));
		return { columns, natural, filled, telling, widths: widthsFor({ columns, natural, filled, telling }) };
	}

	/** Optional columns that all held rows leave empty are left out on a terminal. */
	function visibleColumns(): ResolvedColumn[] {
		const all = merge(known, columnsFor(options, held));
		known = all;
		if (!options.isTTY || options.chosen) return all;
		return all.filter(
			(column) => column.optional !== true || held.some((row) => isTelling(column, textOf(column, row))),
		);
	}

	function line({ columns, natural, widths }: Section, texts: readonly string[], row: Row | undefined): string {
		const last = columns.length - 1;
		const cells = columns.map((column, index) => {
			const room = (widths ?? natural)[index] as number;
			const cut = column.ends === true && row !== undefined ? truncateMiddle : truncate;
			const text = options.isTTY ? cut(texts[index] as string, room) : (texts[index] as string);
			const painted = row === undefined ? palette.heading(text) : (column.style?.(text, row) ?? text);
			return index === last ? painted : painted + ' '.repeat(Math.max(0, room - widthOf(text)));
		});
		return `${cells.join(GAP).trimEnd()}\n`;
	}

	function header(open: Section): string {
		const gap = printed ? '\n' : '';
		printed = true;
		if (open.widths === undefined && options.isTTY) return gap;
		return gap + line(open, open.columns.map(labelOf), undefined);
	}

	function rowText(open: Section, row: Row): string {
		const texts = open.columns.map((column) => textOf(column, row));
		if (open.widths === undefined && options.isTTY) {
			return `${recordLines(open.columns, row, options).join('\n')}\n\n`;
		}
		if (texts.some((text, index) => widthOf(text) > measured(open, index))) {
			// A wider cell than those measured: columns grow from here as far as there is room, and none is cut needlessly.
			open.filled = open.filled.map((each, index) => Math.max(each, widthOf(texts[index] as string)));
			open.natural = open.natural.map((each, index) => Math.max(each, open.filled[index] as number));
			const widths = widthsFor(open);
			if (widths === undefined && cutsWhole(open)) {
				open.widths = undefined;
				return `\n${rowText(open, row)}`;
			}
			open.widths = widths ?? open.widths;
		}
		return line(open, texts, row);
	}

	/** The widest text for which a column has been measured; a header that was cut is no measure. */
	function measured({ natural, filled, widths }: Section, index: number): number {
		return Math.max(filled[index] as number, Math.min(natural[index] as number, widths?.[index] ?? Infinity));
	}

	function cutsWhole({ columns, filled, widths }: Section): boolean {
		return columns.some(
			(column, index) => column.whole === true && (filled[index] as number) > (widths?.[index] ?? Infinity),
		);
	}

	function release(): string {
		if (held.length === 0) return '';
		section = openSection();
		const open = section;
		const text = header(open) + held.map((row) => rowText(open, row)).join('');
		held = [];
		return text;
	}

	/** Whether a row has something to show that the section has no column for. */
	function needsColumn(open: Section, row: Row): boolean {
		if (options.chosen) return false;
		const shown = new Set(open.columns.map((column) => column.path));
		if (newColumns(options, shown, row).length > 0) return true;
		return known.some(
			(column) => column.optional === true && !shown.has(column.path) && isTelling(column, textOf(column, row)),
		);
	}

	return {
		row(given) {
			const row = asRow(given);
			if (section !== undefined && !needsColumn(section, row)) return rowText(section, row);
			section = undefined;
			held.push(row);
			return held.length < SAMPLE ? '' : release();
		},
		settle: release,
		end() {
			return release();
		},
	};
}

function labelOf(column: ResolvedColumn): string {
	return sanitise(column.label).toUpperCase();
}

/** Whether a cell of an optional column is worth showing the column for. */
function isTelling(column: ResolvedColumn, text: string): boolean {
	return text !== '' && text !== column.usual;
}

/** How wide each label has to be, its ellipsis included, to show the first character in which it differs from all others. */
function tellingWidths(labels: readonly string[]): number[] {
	const sorted = [...labels].sort();
	const common = (left: string, right: string | undefined): string => {
		let length = 0;
		while (right !== undefined && length < left.length && left[length] === right[length]) length++;
		return left.slice(0, length + 1);
	};
	const widths = new Map<string, number>();
	for (const [index, label] of sorted.entries()) {
		const needed = [sorted[index - 1], sorted[index + 1]].map((other) => widthOf(common(label, other)) + 1);
		widths.set(label, Math.max(...needed));
	}
	return labels.map((label) => widths.get(label) as number);
}

function merge(known: readonly ResolvedColumn[], found: readonly ResolvedColumn[]): ResolvedColumn[] {
	const paths = new Set(known.map((column) => column.path));
	const all = [...known, ...found.filter((column) => !paths.has(column.path))];
	return [...all.filter((column) => column.optional !== true), ...all.filter((column) => column.optional === true)];
}

/** One object: `key  value` lines. */
function createRecord(options: EncoderOptions): Encoder {
	return {
		row(given) {
			const row = asRow(given);
			const lines = recordLines(columnsFor(options, [row]), row, options);
			return lines.map((each) => `${each}\n`).join('');
		},
		end: () => '',
	};
}

/** Keys padded to the longest; a value of several lines goes on under its first. */
function recordLines(columns: readonly ResolvedColumn[], row: Row, { palette, chosen }: EncoderOptions): string[] {
	const shown = chosen
		? columns
		: columns.filter((column) => column.optional !== true || isTelling(column, cellText(column.get(row))));
	const labels = shown.map((column) => sanitise(column.label === '' ? column.path : column.label));
	const room = Math.max(0, ...labels.map(widthOf));
	return shown.map((column, index) => {
		const text = sanitiseLines(cellText(column.get(row))).replaceAll('\n', `\n${' '.repeat(room)}${GAP}`);
		const label = pad(labels[index] as string, room);
		return `${palette.heading(label)}${GAP}${column.style?.(text, row) ?? text}`.trimEnd();
	});
}
