/** The formats that rows are read from, and which one an input has by its name or its first line. */

import { basename } from 'node:path';
import { UsageError } from '../../errors.js';

export const inputFormats = ['csv', 'tsv', 'ndjson', 'json', 'ids'] as const;

export type InputFormat = (typeof inputFormats)[number];

const EXTENSIONS: Readonly<Record<string, InputFormat>> = {
	csv: 'csv',
	tsv: 'tsv',
	tab: 'tsv',
	ndjson: 'ndjson',
	jsonl: 'ndjson',
	ids: 'ids',
};

/** The format that a file's name stands for; `.gz` does not count, and `.json` may be an array or lines. */
export function formatOfName(path: string): InputFormat | undefined {
	const extension = /\.([a-z]+)(?:\.gz)?$/i.exec(basename(path))?.[1]?.toLowerCase();
	return extension === undefined || !Object.hasOwn(EXTENSIONS, extension) ? undefined : EXTENSIONS[extension];
}

/** Headers that alone on a line make a table with one column, not a list of ids. */
const ID_HEADERS = /^"?(?:id|ticket[-_]id|user[-_]id|slug|username)"?$/i;

/** What the first lines look like; undefined where they look like several things or like nothing. */
export function formatOfText(head: string): InputFormat | undefined {
	const first = (/^[\s\uFEFF]*([^\r\n]*)/.exec(head)?.[1] ?? '').trim();
	if (first === '') return undefined;
	if (first.startsWith('[')) return 'json';
	if (first.startsWith('{')) return 'ndjson';
	if (/^\d+$/.test(first)) return 'ids';
	if (/^"?sep=.$/i.test(first)) return 'csv';
	if (!/^["A-Za-z_]/.test(first)) return undefined;
	if (/[,;]/.test(first)) return 'csv';
	if (first.includes('\t')) return 'tsv';
	return ID_HEADERS.test(first) ? 'csv' : undefined;
}

/** The format of an input whose name does not say it. Throws UsageError where the text does not either. */
export function detectFormat(name: string, head: string): InputFormat {
	const found = formatOfText(head);
	if (found !== undefined) return found;
	if (/\.txt(?:\.gz)?$/i.test(name)) return 'ids';
	throw new UsageError(`the format of ${name} is not known${head.trim() === '' ? ' (it is empty)' : ''}`, {
		code: 'unknown_format',
		hint: `say which with --input-format ${inputFormats.join('|')}`,
	});
}

/** How files of spreadsheet programs begin: a zip archive, and the older binary format. */
const SHEET_STARTS = ['504b0304', 'd0cf11e0'];

/** Refuses the own formats of spreadsheet programs. Throws UsageError. */
export function refuseSpreadsheet(name: string, start: Buffer): void {
	if (!SHEET_STARTS.includes(start.toString('hex', 0, 4))) return;
	throw new UsageError(`${name} is a spreadsheet or an archive, not text`, {
		code: 'unknown_format',
		hint: 'save it as CSV (in Excel: "CSV UTF-8 (Comma delimited)") and use that file',
	});
}
