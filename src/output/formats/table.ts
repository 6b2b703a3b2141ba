/** table: columns that fit the terminal, or, where they can't, a block of lines for each row. */

import { cellText, type ResolvedColumn, type Row } from '../columns.js';
import { sanitise, sanitiseLines } from '../sanitise.js';
import { clip, fitWidths, pad, truncate, widthOf } from '../width.js';
import { asRow, columnsFor, type Encoder, type EncoderOptions, newColumns, SAMPLE } from './encoder.js';

const GAP = '  ';

/** The fewest columns in which a shrunk cell is still worth reading; tried one after the other. */
const NARROWEST = [8, 6];

/** The part of the line that an important column may keep. */
const IMPORTANT = 0.4;

/** Columns and their widths, as they hold until a row brings a new column. */
interface Section {
	columns: readonly ResolvedColumn[];
	/** The widest cell so far, with and without the header. */
	natural: number[];
	filled: number[];
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

	const cell = (column: ResolvedColumn, row: Row): string => sanitise(clip(cellText(column.get(row))));

	/** Without a terminal nothing is cut, so nothing may be clipped either. */
	const fullCell = (column: ResolvedColumn, row: Row): string => sanitise(cellText(column.get(row)));
	const textOf = options.isTTY ? cell : fullCell;

	/** Cells give way, the important ones after the others; headers and whole columns never do. */
	function widthsFor({ columns, natural, filled }: Omit<Section, 'widths'>): number[] | undefined {
		const room = width - GAP.length * (columns.length - 1);
		for (const share of [IMPORTANT, 0]) {
			for (const narrowest of NARROWEST) {
				const minimum = columns.map((column, index) => {
					const header = widthOf(sanitise(column.label));
					if (column.whole === true) return Math.max(header, filled[index] as number);
					return Math.max(header, column.important === true ? Math.floor(room * share) : narrowest);
				});
				const fitted = fitWidths(natural, minimum, room);
				if (fitted !== undefined) return fitted;
			}
		}
		return undefined;
	}

	function openSection(): Section {
		const columns = visibleColumns();
		const filled = columns.map((column) =>
			held.reduce((widest, row) => Math.max(widest, widthOf(textOf(column, row))), 0),
		);
		const natural = columns.map((column, index) => Math.max(widthOf(column.label), filled[index] as number));
		return { columns, natural, filled, widths: widthsFor({ columns, natural, filled }) };
	}

	/** Optional columns that all held rows leave empty are left out on a terminal. */
	function visibleColumns(): ResolvedColumn[] {
		const all = merge(known, columnsFor(options, held));
		known = all;
		if (!options.isTTY || options.chosen) return all;
		return all.filter((column) => column.optional !== true || held.some((row) => textOf(column, row) !== ''));
	}

	function line({ columns, natural, widths }: Section, texts: readonly string[], row: Row | undefined): string {
		const last = columns.length - 1;
		const cells = columns.map((column, index) => {
			const room = (widths ?? natural)[index] as number;
			const text = options.isTTY ? truncate(texts[index] as string, room) : (texts[index] as string);
			const painted = row === undefined ? palette.heading(text) : (column.style?.(text, row) ?? text);
			return index === last ? painted : painted + ' '.repeat(Math.max(0, room - widthOf(text)));
		});
		return `${cells.join(GAP).trimEnd()}\n`;
	}

	function header(open: Section): string {
		const gap = printed ? '\n' : '';
		printed = true;
		if (open.widths === undefined && options.isTTY) return gap;
		return (
			gap +
			line(
				open,
				open.columns.map((column) => sanitise(column.label).toUpperCase()),
				undefined,
			)
		);
	}

	function rowText(open: Section, row: Row): string {
		const texts = open.columns.map((column) => textOf(column, row));
		if (open.widths === undefined && options.isTTY) {
			return `${recordLines(open.columns, row, options).join('\n')}\n\n`;
		}
		if (texts.some((text, index) => widthOf(text) > (open.natural[index] as number))) {
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
		return known.some((column) => column.optional === true && !shown.has(column.path) && textOf(column, row) !== '');
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
		: columns.filter((column) => column.optional !== true || cellText(column.get(row)) !== '');
	const labels = shown.map((column) => sanitise(column.label));
	const room = Math.max(0, ...labels.map(widthOf));
	return shown.map((column, index) => {
		const text = sanitiseLines(cellText(column.get(row))).replaceAll('\n', `\n${' '.repeat(room)}${GAP}`);
		const label = pad(labels[index] as string, room);
		return `${palette.heading(label)}${GAP}${column.style?.(text, row) ?? text}`.trimEnd();
	});
}
