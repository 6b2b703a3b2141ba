/** The rows of a run that have to be done again by a person: which they are, and why, without holding them in memory. */

import { closeSync, openSync, readSync } from 'node:fs';
import { formatCsvRecord } from '../csv.js';
import { PLACEHOLDER } from './input/columns.js';
import type { RawRow } from './input/text.js';
import { journalLines, parseRecord } from './journal-lines.js';
import { rowRecordOf } from './read-records.js';
import { differences, fullMessage, type RowRecord } from './records.js';
import { RowNumbers } from './row-numbers.js';

export interface Rejects {
	/** The names of the path ids that records have, in their order; empty where no record has any. */
	readonly idNames: readonly string[];
	/** The rejected row's last record. */
	recordOf(row: number): RowRecord | undefined;
	close(): void;
}

const WINDOW_BYTES = 64 * 1024;

/** Reads lines by their place; neighbours come from one read. */
class LineReader {
	readonly #fd: number;
	readonly #window = Buffer.alloc(WINDOW_BYTES);
	#start = 0;
	#length = 0;

	constructor(path: string) {
		this.#fd = openSync(path, 'r');
	}

	lineAt(offset: number): string {
		const inWindow = this.#find(offset);
		if (inWindow !== undefined) return inWindow;
		this.#fill(offset);
		return this.#find(offset) ?? this.#longLineAt(offset);
	}

	close(): void {
		closeSync(this.#fd);
	}

	#fill(offset: number): void {
		this.#start = offset;
		this.#length = readSync(this.#fd, this.#window, 0, WINDOW_BYTES, offset);
	}

	/** The line, where the window holds all of it. */
	#find(offset: number): string | undefined {
		const from = offset - this.#start;
		if (from < 0 || from >= this.#length) return undefined;
		const end = this.#window.subarray(0, this.#length).indexOf(10, from);
		return end < 0 ? undefined : this.#window.toString('utf8', from, end);
	}

	#longLineAt(offset: number): string {
		const pieces: Buffer[] = [];
		for (let at = offset; ; at += WINDOW_BYTES) {
			this.#fill(at);
			const piece = this.#window.subarray(0, this.#length);
			const end = piece.indexOf(10);
			pieces.push(Buffer.from(piece.subarray(0, end < 0 ? this.#length : end)));
			if (end >= 0 || this.#length < WINDOW_BYTES) return Buffer.concat(pieces).toString('utf8');
		}
	}
}

function recordFrom(text: string | undefined): RowRecord | undefined {
	const json = parseRecord(text);
	return typeof json === 'string' ? undefined : rowRecordOf(json);
}

/** Finds the rows whose last record is wanted. To be closed. */
export async function gatherRejects(path: string, isWanted: (record: RowRecord) => boolean): Promise<Rejects> {
	// Where each rejected row's last record begins; 0 is the header's place and stands for none.
	const offsets = new RowNumbers(Float64Array);
	let idNames: readonly string[] = [];
	for await (const { texts, bytes, end } of journalLines(path)) {
		let offset = end - bytes.length;
		let at = 0;
		for (const text of texts) {
			const record = recordFrom(text);
			if (record !== undefined) {
				offsets.set(record.row, isWanted(record) ? offset : 0);
				const names = Object.keys(record.ids);
				// Of invalid rows not all may be known.
				if (names.length > idNames.length) idNames = names;
			}
			const next = bytes.indexOf(10, at) + 1;
			offset += next - at;
			at = next;
		}
	}
	const lines = new LineReader(path);
	return {
		idNames,
		recordOf(row) {
			const offset = offsets.get(row);
			return offset === 0 ? undefined : recordFrom(lines.lineAt(offset));
		},
		close: () => lines.close(),
	};
}

/** Why the row was rejected, in one line: `400 rest_invalid_param: Invalid parameter(s): status (status: …)`. */
export function errorText(record: RowRecord): string {
	const head = [record.status, record.code].filter((part) => part !== undefined).join(' ');
	const message = [fullMessage(record) ?? record.outcome, ...differences(record)].join('; ');
	return head === '' || record.outcome === 'invalid' ? message : `${head}: ${message}`;
}

/** What all rejected rows of a run have in common. */
export interface RejectLayout {
	/** The header of CSV and TSV. */
	readonly columns: readonly string[] | undefined;
	readonly idNames: readonly string[];
	/** The column for the reason; an earlier reason in the input gives way to it. */
	readonly reason: string;
	/** Where some row has a wrong number of cells: the column for such rows as they were written. */
	readonly asWritten?: string | undefined;
	/** What stands between the cells of a row as it was written. */
	readonly delimiter?: string | undefined;
	/** Whether a column is named like a secret, or was sent under such a name. */
	isSecret(name: string): boolean;
}

/** Whether a row of CSV or TSV has more cells than the header has columns, or fewer. */
export function isMisshapen({ cells }: RawRow, columns: readonly string[] | undefined): boolean {
	return cells !== undefined && columns !== undefined && cells.length !== columns.length;
}

/**
 * The cells of a row with a wrong number of them, as far as they go, and the row as it was written. Nobody knows which
 * cell is whose: what may be a secret is not printed.
 */
function misshapenCells(
	cells: readonly string[],
	columns: readonly string[],
	layout: RejectLayout,
): [string, string][] {
	const { asWritten, delimiter, isSecret } = layout;
	const secret = columns.findIndex(isSecret);
	const firstHidden = secret < 0 ? cells.length : secret - Math.max(0, columns.length - cells.length);
	const shown = columns.map((name, index): [string, string] => {
		const cell = cells[index] ?? '';
		return [name, index >= firstHidden && cell !== '' ? PLACEHOLDER : cell];
	});
	if (asWritten === undefined) return shown;
	const whole = secret < 0 ? formatCsvRecord(cells, delimiter).slice(0, -1) : PLACEHOLDER;
	return [...shown.filter(([name]) => name !== asWritten), [asWritten, whole]];
}

function cellsOf(raw: RawRow, record: RowRecord, layout: RejectLayout): [string, unknown][] {
	const { columns, idNames } = layout;
	if (raw.cells !== undefined && columns !== undefined) {
		if (isMisshapen(raw, columns)) return misshapenCells(raw.cells, columns, layout);
		return columns.map((name, index) => [name, raw.cells?.[index] ?? '']);
	}
	if (raw.object !== undefined) return Object.entries(raw.object);
	return raw.id === undefined ? [] : [...Object.entries(record.ids), [idNames.at(-1) ?? 'id', raw.id]];
}

/** The row as the input has it, and the reason. */
export function rejectedRow(raw: RawRow, record: RowRecord, layout: RejectLayout): Record<string, unknown> {
	const { columns, reason } = layout;
	// What can't be told by its cells is found by its place.
	const isUnclear = raw.problem !== undefined || isMisshapen(raw, columns);
	const place = isUnclear && raw.line !== undefined ? `line ${raw.line}: ` : '';
	const hidden = (name: string, value: unknown): unknown =>
		value !== '' && value !== null && layout.isSecret(name) ? PLACEHOLDER : value;
	return Object.fromEntries([
		...cellsOf(raw, record, layout)
			.filter(([name]) => name !== reason)
			.map(([name, value]) => [name, hidden(name, value)]),
		[reason, place + errorText(record)],
	]);
}
