/** Where bulk rows come from: opens a file, standard input or arguments so that they can be read twice in constant memory. */

import { type FileHandle, open, unlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileProblem, UsageError } from '../errors.js';
import { openArguments } from './arguments.js';
import { type Batch, type BlockReader, type ReadLimits, readBlocks } from './blocks.js';
import type { CsvReader } from './csv.js';
import { formatOfName, formatOfText, isText, unclearFormat } from './format-of-input.js';
import type { InputFormat } from './input-formats.js';
import { isSpooled, type SpoolOptions, spool } from './spool.js';
import { CHUNK_BYTES, SteadyFile } from './steady-file.js';

export type { Batch, RawRow } from './blocks.js';

export interface OpenInputOptions extends SpoolOptions {
	/** A file, or `-` for standard input. */
	path?: string;
	/** Ids from the command line, instead of a path. */
	ids?: readonly string[];
	/** Beats what the extension or the first bytes say. */
	format?: InputFormat;
	/** The raw bytes of standard input. */
	stdin: AsyncIterable<Uint8Array>;
	/** The folder that a relative path starts from. */
	cwd?: string;
	/** The largest record, in bytes; 8 MiB unless told. */
	maxLineBytes?: number;
}

/** Bulk input that can be read any number of times, each time with the same rows or with an error. */
export interface InputSource {
	/** What messages call it: `edits.csv`, `standard input`, `arguments`. */
	readonly name: string;
	/** The file as it was named, for annotations; undefined for standard input and arguments. */
	readonly file: string | undefined;
	/** Where the bytes are: the file, or the spooled copy of standard input. */
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
	/** Yields the rows from the first on. Throws UsageError naming the line, or that the file has changed. */
	read(): AsyncIterable<Batch>;
	/** Takes a spooled copy's name away: it is read on, and gone even if this process is killed. */
	detach(): Promise<void>;
	/** Closes the file and removes a spooled copy, unless it is kept for a resume. */
	dispose(options?: { keep?: boolean }): Promise<void>;
}

export const DEFAULT_MAX_LINE_BYTES = 8 * 1024 * 1024;

async function openFile(path: string, shown: string): Promise<FileHandle> {
	try {
		const handle = await open(path, 'r');
		if ((await handle.stat()).isDirectory()) {
			await handle.close();
			throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
		}
		return handle;
	} catch (error) {
		throw new UsageError(`can't read ${shown}: ${fileProblem(error)}`, { code: 'unreadable_input', cause: error });
	}
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

async function createReader(format: InputFormat, limits: ReadLimits): Promise<BlockReader> {
	switch (format) {
		case 'ndjson':
			return (await import('./ndjson.js')).createNdjsonReader();
		case 'ids':
			return (await import('./ids.js')).createIdsReader();
		default:
			return (await import('./csv.js')).createCsvReader({ ...limits, format });
	}
}

/** Reads as far as the header. */
async function readHeader(chunks: AsyncIterable<Buffer>, format: InputFormat, limits: ReadLimits): Promise<CsvReader> {
	const reader = (await createReader(format, limits)) as CsvReader;
	for await (const _ of readBlocks(chunks, reader, limits)) break;
	if (reader.columns === undefined) {
		throw new UsageError(`${limits.name} is empty: a header with the columns' names is needed`, {
			code: 'invalid_input',
		});
	}
	return reader;
}

async function firstText(chunks: AsyncIterable<Buffer>): Promise<string> {
	for await (const chunk of chunks) return chunk.toString('utf8', 0, 65_536);
	return '';
}

/** Opens the input; CSV and TSV are read as far as their header. */
export async function openInput(options: OpenInputOptions): Promise<InputSource> {
	if (options.ids !== undefined) return openArguments(options.ids);
	const { path: given = '-', stateDir } = options;
	const fromStdin = given === '-';
	const name = fromStdin ? 'standard input' : given;
	const path = fromStdin ? undefined : resolve(options.cwd ?? '.', given);
	const limits: ReadLimits = { name, maxLineBytes: options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES };

	const opened = path === undefined ? await spool(options.stdin, options) : await openRegular(path, name, options);
	const spooled = isSpooled(opened.path, stateDir);
	const file = new SteadyFile(opened.handle, name);
	const detach: InputSource['detach'] = async () => {
		if (spooled) await unlink(opened.path).catch(() => undefined);
	};
	const dispose: InputSource['dispose'] = async ({ keep = false } = {}) => {
		await file.close();
		if (spooled && !keep) await unlink(opened.path).catch(() => undefined);
	};

	try {
		const magic = await file.head(2);
		const packed = magic[0] === 0x1f && magic[1] === 0x8b;
		const chunks = (): AsyncGenerator<Buffer> => (packed ? gunzip(file.chunks(false), name) : file.chunks(true));
		const named = options.format ?? (path === undefined ? undefined : formatOfName(path));
		const format = named ?? (await detectFormat(chunks(), name, path !== undefined && isText(path)));
		const header = format === 'csv' || format === 'tsv' ? await readHeader(chunks(), format, limits) : undefined;
		return {
			name,
			file: fromStdin ? undefined : given,
			path: opened.path,
			format,
			columns: header?.columns,
			headerLine: header?.headerLine,
			delimiter: header?.delimiter,
			spooled,
			get sha256() {
				return file.sha256;
			},
			async *read() {
				yield* readBlocks(chunks(), await createReader(format, limits), limits);
			},
			detach,
			dispose,
		};
	} catch (error) {
		// A resume's spooled input stays where it is; a fresh copy goes.
		await dispose({ keep: opened.path === path });
		throw error;
	}
}

/** @param mayBeNames Whether lines that look like nothing else are a list of names. */
async function detectFormat(chunks: AsyncIterable<Buffer>, name: string, mayBeNames: boolean): Promise<InputFormat> {
	const head = await firstText(chunks);
	const format = formatOfText(head) ?? (mayBeNames ? 'ids' : undefined);
	if (format === undefined) throw unclearFormat(name, head);
	return format;
}

/** A pipe or a device can't be read twice: it is spooled like standard input. */
async function openRegular(
	path: string,
	name: string,
	options: OpenInputOptions,
): Promise<{ handle: FileHandle; path: string }> {
	const handle = await openFile(path, name);
	if ((await handle.stat()).isFile()) return { handle, path };
	return await spool(handle.createReadStream(), options);
}
