/** Where bulk rows come from: a file, standard input or arguments, so opened that they can be read twice in constant memory. */

import { type FileHandle, open, unlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileProblem, UsageError } from '../../errors.js';
import type { CsvHeader } from './csv.js';
import { detectFormat, formatOfName, type InputFormat, refuseSpreadsheet } from './formats.js';
import { isSpooled, type Spool, type SpoolOptions, spool } from './spool.js';
import { CHUNK_BYTES, SteadyFile } from './steady-file.js';
import { type Batch, checkedText, type ReadLimits, readIds } from './text.js';

export type { Batch, RawRow } from './text.js';

export interface OpenInputOptions extends SpoolOptions {
	/** A file, or `-` for standard input. */
	path?: string;
	/** What messages call it; the path by default. */
	name?: string;
	/** Beats what the extension or the first bytes say. */
	format?: InputFormat;
	/** The raw bytes of standard input. */
	stdin: AsyncIterable<Uint8Array>;
	/** The folder that a relative path starts from. */
	cwd?: string;
	/** The largest record, in bytes; 8 MiB by default. */
	maxRecordBytes?: number;
}

/** Bulk input that can be read any number of times, each time with the same rows or with an error. */
export interface InputSource {
	/** What messages call it: `edits.csv`, `standard input`, `arguments`. */
	readonly name: string;
	/** The file as it was named, for annotations; undefined for standard input and arguments. */
	readonly file: string | undefined;
	/** Where the bytes are: the file, or where `keep` puts a copy of standard input. */
	readonly path: string | undefined;
	readonly format: InputFormat;
	/** The header of CSV and TSV. */
	readonly columns: readonly string[] | undefined;
	/** The line on which it stands. */
	readonly headerLine: number | undefined;
	/** The separator of CSV and TSV. */
	readonly delimiter: string | undefined;
	/** Of the bytes as they are on disk, known after the first whole pass. */
	readonly sha256: string | undefined;
	/** Whether the bytes are a private copy that dispose removes. */
	readonly spooled: boolean;
	/** Yields the rows from the first on. Throws UsageError that names the line, or says that the file has changed. */
	read(): AsyncIterable<Batch>;
	/** Gives a copy of standard input a name, so that a resume finds it. Not for input with secrets. */
	keep(): Promise<void>;
	/** Closes the file and removes a spooled copy, unless it is kept for a resume. */
	dispose(options?: { keep?: boolean }): Promise<void>;
}

const DEFAULT_MAX_RECORD_BYTES = 8 * 1024 * 1024;

async function openFile(path: string, name: string): Promise<FileHandle> {
	try {
		const handle = await open(path, 'r');
		if ((await handle.stat()).isDirectory()) {
			await handle.close();
			throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
		}
		return handle;
	} catch (error) {
		throw new UsageError(`can't read ${name}: ${fileProblem(error)}`, { code: 'unreadable_input', cause: error });
	}
}

/** What can be read twice; a pipe or a device can't, and is spooled like standard input. */
async function openTwice(path: string | undefined, name: string, options: OpenInputOptions): Promise<Spool> {
	if (path === undefined) return await spool(options.stdin, options);
	const handle = await openFile(path, name);
	if ((await handle.stat()).isFile()) return { handle, path, keep: async () => undefined };
	return await spool(handle.createReadStream(), options);
}

/** Unpacks while reading; damage is the input's fault and named so. */
async function* gunzip(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
	const [{ createGunzip }, { Readable, pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')]);
	const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
	// The error reaches the reader through the iteration below.
	pipeline(Readable.from(chunks), unpacked, () => undefined);
	try {
		for await (const chunk of unpacked) yield chunk as Buffer;
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code?.startsWith('Z_') !== true) throw error;
		const reason = code === 'Z_BUF_ERROR' ? 'it ends too early' : 'it is damaged';
		throw new UsageError(`${name} can't be unpacked: ${reason}`, { code: 'invalid_input', cause: error });
	}
}

async function* readRows(
	open: () => AsyncIterable<Buffer>,
	format: InputFormat,
	limits: ReadLimits,
	onHeader: (header: CsvHeader) => void,
): AsyncGenerator<Batch> {
	const text = (): AsyncGenerator<Buffer> => checkedText(open(), limits.name);
	switch (format) {
		case 'csv':
		case 'tsv':
			return yield* (await import('./csv.js')).readCsv(text, format, limits, onHeader);
		case 'ndjson':
			return yield* (await import('./json.js')).readNdjson(text(), limits);
		case 'json':
			return yield* (await import('./json.js')).readJsonArray(text(), limits);
		case 'ids':
			return yield* readIds(text(), limits);
	}
}

/** Reads CSV and TSV as far as the header. */
async function headerOf(
	open: () => AsyncIterable<Buffer>,
	format: InputFormat,
	limits: ReadLimits,
): Promise<CsvHeader | undefined> {
	if (format !== 'csv' && format !== 'tsv') return undefined;
	let header: CsvHeader | undefined;
	const note = (found: CsvHeader): void => {
		header = found;
	};
	for await (const _ of readRows(open, format, limits, note)) break;
	if (header !== undefined) return header;
	throw new UsageError(`${limits.name} is empty: a header with the columns' names is needed`, {
		code: 'invalid_input',
	});
}

async function firstText(chunks: AsyncIterable<Buffer>): Promise<string> {
	for await (const chunk of chunks) return chunk.toString('utf8', 0, CHUNK_BYTES);
	return '';
}

/** Opens the input; CSV and TSV are read as far as their header. */
export async function openInput(options: OpenInputOptions): Promise<InputSource> {
	const { path: given = '-', stateDir } = options;
	const fromStdin = given === '-';
	const name = options.name ?? (fromStdin ? 'standard input' : given);
	const path = fromStdin ? undefined : resolve(options.cwd ?? '.', given);
	const limits: ReadLimits = { name, maxRecordBytes: options.maxRecordBytes ?? DEFAULT_MAX_RECORD_BYTES };

	const opened = await openTwice(path, name, options);
	const spooled = isSpooled(opened.path, stateDir);
	const file = new SteadyFile(opened.handle, name);
	const dispose: InputSource['dispose'] = async ({ keep = false } = {}) => {
		await file.close();
		if (spooled && !keep) await unlink(opened.path).catch(() => undefined);
	};

	try {
		const start = await file.head(4);
		refuseSpreadsheet(name, start);
		const packed = start[0] === 0x1f && start[1] === 0x8b;
		const chunks = (): AsyncGenerator<Buffer> => (packed ? gunzip(file.chunks(), name) : file.chunks());
		const named = options.format ?? (path === undefined ? undefined : formatOfName(path));
		const format = named ?? detectFormat(name, await firstText(chunks()));
		const header = await headerOf(chunks, format, limits);
		return {
			name,
			file: fromStdin ? undefined : given,
			path: opened.path,
			format,
			columns: header?.columns,
			headerLine: header?.line,
			delimiter: header?.delimiter,
			spooled,
			get sha256() {
				return file.sha256;
			},
			read: () => readRows(chunks, format, limits, () => undefined),
			keep: opened.keep,
			dispose,
		};
	} catch (error) {
		// A resume's spooled input stays where it is; a fresh copy goes.
		await dispose({ keep: opened.path === path });
		throw error;
	}
}
