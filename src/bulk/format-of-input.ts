/** Which format an input has, by its name and by what its first lines look like. */

import { basename } from 'node:path';
import { UsageError } from '../errors.js';
import { type InputFormat, inputFormats } from './input-formats.js';

const EXTENSIONS: Readonly<Record<string, InputFormat>> = {
	csv: 'csv',
	tsv: 'tsv',
	tab: 'tsv',
	ndjson: 'ndjson',
	jsonl: 'ndjson',
	ids: 'ids',
};

/** The format that a file's name promises; `.gz` does not count. */
export function formatOfName(path: string): InputFormat | undefined {
	const extension = /\.([a-z]+)(?:\.gz)?$/i.exec(basename(path))?.[1]?.toLowerCase();
	return extension === undefined || !Object.hasOwn(EXTENSIONS, extension) ? undefined : EXTENSIONS[extension];
}

/** A text file holds whatever its first line looks like, and otherwise a list. */
export function isText(path: string): boolean {
	return /\.txt(?:\.gz)?$/i.test(path);
}

/** Headers that alone on a line make a table with one column, not a list of ids. */
const ID_HEADERS = /^"?(?:id|ticket[-_]id|user[-_]id|slug|username)"?$/i;

/** What the first lines look like; undefined where they look like several things or like nothing. */
export function formatOfText(head: string): InputFormat | undefined {
	const first = (/^[\s\uFEFF]*([^\r\n]*)/.exec(head)?.[1] ?? '').trim();
	if (first === '') return undefined;
	if (first.startsWith('{')) return 'ndjson';
	if (/^\d+$/.test(first)) return 'ids';
	if (/^"?sep=.$/i.test(first)) return 'csv';
	if (!/^["A-Za-z_]/.test(first)) return undefined;
	if (/[,;]/.test(first)) return 'csv';
	if (first.includes('\t')) return 'tsv';
	return ID_HEADERS.test(first) ? 'csv' : undefined;
}

export function unclearFormat(name: string, head: string): UsageError {
	const what = head.trimStart().startsWith('[')
		? ' (it begins like a JSON array; NDJSON has one object a line)'
		: head.trim() === ''
			? ' (it is empty)'
			: '';
	return new UsageError(`can't tell which format ${name} has${what}`, {
		code: 'unknown_format',
		hint: `say which with --input-format ${inputFormats.join('|')}`,
	});
}
