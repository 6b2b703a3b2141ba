/** Where bulk rows come from: opens a file, standard input or arguments so that they can be read twice in constant memory. */

import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, stat, unlink } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { FailedError, fileProblem, SupportctlError, UsageError } from '../errors.js';
import { makeFolder } from '../folder.js';
import { openArguments } from './arguments.js';
import { type Batch, type BlockReader, type ReadLimits, readBlocks } from './blocks.js';
import type { CsvReader } from './csv.js';
import { type InputFormat, inputFormats } from './input-formats.js';

export type { Batch, RawRow } from './blocks.js';

export interface OpenInputOptions {
	/** A file, or `-` for standard input. */
	path?: string;
	/** Ids from the command line, instead of a path. */
	ids?: readonly string[];
	/** Beats what the extension or the first bytes say. */
	format?: InputFormat;
	/** The raw bytes of standard input. */
	stdin: AsyncIterable<Uint8Array>;
	/** Where standard input is spooled, in a folder of its own. */
	stateDir: string;
	/** The folder that a relative path starts from. */
	cwd?: string;
	/** The largest record, in bytes; 8 MiB unless told. */
	maxLineBytes?: number;
	/** Told of the copy that is about to be made, so that whoever ends the process can remove it. */
	onSpool?: ((path: string) => void) | undefined;
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

/** Small enough that a chunk's rows die young: with four times as much, a run needs half as much memory again. */
const CHUNK_BYTES = 64 * 1024;
const SPOOL_FOLDER = 'spool';

/** A file read in equal chunks; every later pass has to meet the bytes of the first. */
class SteadyFile {
	readonly #handle: FileHandle;
	readonly #name: string;
	/** The start of the running digest after each chunk: enough to notice a change before its rows are used. */
	readonly #marks: number[] = [];
	sha256: string | undefined;

	constructor(handle: FileHandle, name: string) {
		this.#handle = handle;
		this.#name = name;
	}

	#changed(): UsageError {
		return new UsageError(`${this.#name} changed while it was being read`, {
			code: 'input_changed',
			hint: 'leave the file alone during a run, or give a copy of it',
			data: { file: this.#name },
		});
	}

	async #fill(buffer: Buffer, position: number): Promise<number> {
		let length = 0;
		while (length < buffer.length) {
			const { bytesRead } = await this.#handle.read(buffer, length, buffer.length - length, position + length);
			if (bytesRead === 0) break;
			length += bytesRead;
		}
		return length;
	}

	/** The first bytes, outside any pass. */
	async head(length: number): Promise<Buffer> {
		const buffer = Buffer.alloc(length);
		return buffer.subarray(0, await this.#fill(buffer, 0));
	}

	/** @param reuse Whether each chunk lies in the same memory and is gone when the next one is asked for. */
	async *chunks(reuse: boolean): AsyncGenerator<Buffer> {
		const hash = createHash('sha256');
		let buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
		let position = 0;
		for (let index = 0; ; index++) {
			const length = await this.#fill(buffer, position);
			if (length === 0) break;
			const chunk = buffer.subarray(0, length);
			hash.update(chunk);
			const mark = hash.copy().digest().readUIntBE(0, 6);
			if (index < this.#marks.length ? this.#marks[index] !== mark : this.sha256 !== undefined) throw this.#changed();
			this.#marks[index] = mark;
			position += length;
			yield chunk;
			if (!reuse) buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
		}
		const digest = hash.digest('hex');
		if (this.sha256 !== undefined && this.sha256 !== digest) throw this.#changed();
		this.sha256 = digest;
	}

	async close(): Promise<void> {
		await this.#handle.close();
	}
}

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

/** A copy that was kept for a resume, or left by a killed process, is of no use for ever. */
const SPOOL_DAYS = 30;

/** Removes copies that nobody came back for. */
async function pruneSpool(folder: string): Promise<void> {
	const oldest = Date.now() - SPOOL_DAYS * 86_400_000;
	for (const name of await readdir(folder)) {
		const path = join(folder, name);
		const { mtimeMs } = await stat(path);
		if (mtimeMs < oldest) await unlink(path);
	}
}

/** Copies a stream into a private file, so that it can be read twice. */
async function spool(
	bytes: AsyncIterable<Uint8Array>,
	{ stateDir, onSpool }: Pick<OpenInputOptions, 'stateDir' | 'onSpool'>,
): Promise<{ handle: FileHandle; path: string }> {
	const folder = join(stateDir, SPOOL_FOLDER);
	const path = join(folder, `input-${Date.now().toString(36)}-${randomBytes(6).toString('hex')}`);
	let handle: FileHandle | undefined;
	try {
		makeFolder(folder);
		await pruneSpool(folder).catch(() => undefined);
		const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
		onSpool?.(path);
		handle = await open(path, flags, 0o600);
		for await (const chunk of bytes) await handle.writeFile(chunk);
		return { handle, path };
	} catch (error) {
		await handle?.close();
		await unlink(path).catch(() => undefined);
		if (error instanceof SupportctlError) throw error;
		throw new FailedError(`can't keep a copy of standard input in ${folder}: ${fileProblem(error)}`, {
			code: 'spool_failed',
			hint: 'give the input as a file with --input, or another folder with SUPPORTCTL_STATE_DIR',
			cause: error,
		});
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
function isText(path: string): boolean {
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

function unclearFormat(name: string, head: string): UsageError {
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
	const spooled = opened.path.startsWith(join(stateDir, SPOOL_FOLDER) + sep);
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
