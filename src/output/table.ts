/** table: columns that fit the terminal, drawn by cli-table3, or, where they can't fit, a block of lines for each row. */

import Table from 'cli-table3';
import stringWidth from 'string-width';
import {
	asRow,
	cellText,
	columnsFor,
	type Encoder,
	type EncoderOptions,
	newColumns,
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

export function createTable(options: EncoderOptions): Encoder {
	return options.single ? createRecord(options) : createGrid(options);
}

/** Columns and widths under one header; undefined widths stand for blocks. */
interface Section {
	readonly columns: readonly ResolvedColumn[];
	readonly widths: readonly number[] | undefined;
}

function createGrid(options: EncoderOptions): Encoder {
	let held: Row[] = [];
	let last: Section | undefined;
	let known: readonly ResolvedColumn[] = [];
	/** Columns that are left out as long as they are empty, for want of room. */
	let dropped: readonly ResolvedColumn[] = [];

	const cell = (column: ResolvedColumn, row: Row): string => {
		if (!options.isTTY) return sanitise(cellText(column.get(row)));
		const text = cellText((column.short ?? column.get)(row));
		return sanitise(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
	};

	/** Optional columns are shown from the first row on that has something in them. */
	function visibleColumns(): ResolvedColumn[] {
		const paths = new Set(known.map((column) => column.path));
		const all = [...known, ...columnsFor(options, held).filter((column) => !paths.has(column.path))];
		known = [...all.filter((column) => column.optional !== true), ...all.filter((column) => column.optional === true)];
		if (!options.isTTY || options.chosen) return [...known];
		const shown = new Set(last?.columns.map((column) => column.path));
		return known.filter(
			(column) =>
				column.optional !== true ||
				shown.has(column.path) ||
				held.some((row) => isWorthShowing(column, cell(column, row))),
		);
	}

	/** Widths that fit the terminal; a column is never narrower than before, where there is room for that. */
	function widthsFor(columns: readonly ResolvedColumn[], before: readonly number[]): number[] | undefined {
		const labels = columns.map((column) => widthOf(labelOf(column)));
		const natural = columns.map((column, index) =>
			held.reduce((widest, row) => Math.max(widest, widthOf(cell(column, row))), labels[index] as number),
		);
		const room = options.width - GAP.length * (columns.length - 1);
		const wanted = natural.map((width, index) => Math.max(width, before[index] ?? 0));
		for (const { least, share } of CONCESSIONS) {
			const minimum = columns.map((column, index) => {
				if (column.whole === true) return natural[index] as number;
				const kept = column.important === true && share > 0 ? Math.floor(room * share) : (column.least ?? least);
				return Math.max(labels[index] as number, kept);
			});
			const widths = fitWidths(wanted, minimum, room);
			if (widths !== undefined) return widths;
		}
		return undefined;
	}

	/** Columns that are empty in all rows give way before rows become blocks. */
	function openSection(): Section {
		const isFilled = (column: ResolvedColumn): boolean => held.some((row) => cell(column, row) !== '');
		const columns = visibleColumns().filter((column) => !isDropped(column) || isFilled(column));
		const isSame = columns.length === last?.columns.length;
		const widths = widthsFor(columns, isSame ? (last?.widths ?? []) : []);
		if (widths !== undefined || options.chosen || last !== undefined) return { columns, widths };
		const filled = columns.filter(isFilled);
		const fewer = filled.length === 0 ? undefined : widthsFor(filled, []);
		if (fewer === undefined) return { columns, widths };
		dropped = columns.filter((column) => !filled.includes(column));
		return { columns: filled, widths: fewer };
	}

	const isDropped = ({ path }: Pick<ResolvedColumn, 'path'>): boolean => dropped.some((each) => each.path === path);

	function release(): string {
		if (held.length === 0) return '';
		const section = openSection();
		const { columns, widths } = section;
		const isNew =
			section.columns.length !== last?.columns.length || (widths === undefined) !== (last.widths === undefined);
		let text = isNew && last !== undefined ? '\n' : '';
		if (widths === undefined)
			text += held.map((row) => `${recordLines(columns, row, options).join('\n')}\n\n`).join('');
		else text += drawRows(columns, widths, isNew);
		last = section;
		held = [];
		return text;
	}

	function drawRows(columns: readonly ResolvedColumn[], widths: readonly number[], withHeader: boolean): string {
		const layout = createLayout(widths);
		const { palette } = options;
		if (withHeader) layout.add(columns.map((column) => ({ text: labelOf(column), style: palette.heading })));
		for (const row of held) {
			layout.add(
				columns.map((column, index) => {
					const cut = column.ends === true ? truncateMiddle : truncate;
					const text = cut(cell(column, row), widths[index] as number);
					return { text, style: (painted) => column.style?.(painted, row) ?? painted };
				}),
			);
		}
		return layout.text();
	}

	return {
		row(given) {
			const row = asRow(given);
			// What is not shown yet begins a section of its own.
			const text = last !== undefined && held.length > 0 && needsColumn(row) ? release() : '';
			held.push(row);
			return held.length < SAMPLE ? text : text + release();
		},
		settle: release,
		end: release,
	};

	function needsColumn(row: Row): boolean {
		if (options.chosen || last === undefined) return false;
		const shown = new Set(last.columns.map((column) => column.path));
		if (newColumns(options, shown, row).some((column) => !isDropped(column))) return true;
		return known.some((column) => {
			if (shown.has(column.path) || !(column.optional === true || isDropped(column))) return false;
			return isWorthShowing(column, cell(column, row));
		});
	}
}

interface Layout {
	add(cells: readonly { text: string; style: (text: string) => string }[]): void;
	text(): string;
}

/**
 * A table without borders. cli-table3 measures by an older Unicode, in which some emoji and scripts have another width:
 * it lays out cells beyond ASCII as stand-ins of the right width, which their texts then replace.
 */
function createLayout(widths: readonly number[]): Layout {
	const table = new Table({
		chars: borderless,
		style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
		colWidths: widths.map((width) => Math.max(1, width)),
	});
	const texts: string[] = [];
	return {
		add(cells) {
			table.push(
				cells.map(({ text, style }) => {
					const width = widthOf(text);
					if (width === 0) return '';
					if (ASCII.test(text)) return style(text);
					texts.push(text);
					return style('\ue000'.repeat(width));
				}),
			);
		},
		text() {
			let next = 0;
			const drawn = table.toString().replace(/\ue000+/g, () => texts[next++] as string);
			return drawn
				.split('\n')
				.map((line) => `${line.trimEnd()}\n`)
				.join('');
		},
	};
}

const borderless = {
	top: '',
	'top-mid': '',
	'top-left': '',
	'top-right': '',
	bottom: '',
	'bottom-mid': '',
	'bottom-left': '',
	'bottom-right': '',
	left: '',
	'left-mid': '',
	mid: '',
	'mid-mid': '',
	right: '',
	'right-mid': '',
	middle: GAP,
};

function labelOf(column: ResolvedColumn): string {
	return sanitise(column.label).toUpperCase();
}

/** Whether a cell of an optional column is worth showing the column for. */
function isWorthShowing(column: ResolvedColumn, text: string): boolean {
	return text !== '' && text !== column.usual;
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
	const shown = columns.filter(
		(column) => chosen || column.optional !== true || isWorthShowing(column, cellText(column.get(row))),
	);
	const labels = shown.map((column) => sanitise(column.label === '' ? column.path : column.label));
	const room = Math.max(0, ...labels.map(widthOf));
	return shown.map((column, index) => {
		const text = sanitiseLines(cellText(column.get(row))).replaceAll('\n', `\n${' '.repeat(room)}${GAP}`);
		const label = labels[index] as string;
		const padding = ' '.repeat(room - widthOf(label));
		return `${palette.heading(label + padding)}${GAP}${column.style?.(text, row) ?? text}`.trimEnd();
	});
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
