/** Where bulk rows come from: a file or standard input, so opened that they can be read twice in constant memory. */

import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, stat, unlink } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { FailedError, fileProblem, SupportctlError, UsageError } from '../../errors.js';
import { makeFolder } from '../../folder.js';
import type { CsvHeader } from './csv.js';
import { type Batch, type InputFormat, type InputSource, inputFormats } from './input.js';
import { checkedText, headOf, type ReadLimits, readIds, readJsonArray, readNdjson } from './text.js';

export interface OpenInputOptions {
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
	/** Where copies are kept, in a folder of their own. */
	stateDir: string;
	/** Is called with the name that a copy may have from now on, so that the end of the process can remove it. */
	onSpool?: ((path: string) => void) | undefined;
	/** The largest record, in bytes; 8 MiB by default. */
	maxRecordBytes?: number;
}

const DEFAULT_MAX_RECORD_BYTES = 8 * 1024 * 1024;

/** With four times as much, a run needs half as much memory again. */
const CHUNK_BYTES = 64 * 1024;

const EXTENSIONS: ReadonlyMap<string, InputFormat> = new Map([
	...(['csv', 'tsv', 'ndjson', 'ids'] as const).map((name) => [name, name] as const),
	['tab', 'tsv'],
	['jsonl', 'ndjson'],
]);

/** The format that a file's name stands for; `.gz` does not count, and `.json` may be an array or lines. */
export function formatOfName(path: string): InputFormat | undefined {
	const [, extension = ''] = /\.([a-z]+)(?:\.gz)?$/i.exec(basename(path)) ?? [];
	return EXTENSIONS.get(extension.toLowerCase());
}

/** What first lines look like. A header of one column is that of a table only where it is the name of an id. */
const LOOKS: readonly [RegExp, InputFormat][] = [
	[/^\[/, 'json'],
	[/^\{/, 'ndjson'],
	[/^\d+$/, 'ids'],
	[/^"?sep=.$/i, 'csv'],
	[/^["a-z_].*[,;]/i, 'csv'],
	[/^["a-z_].*\t/i, 'tsv'],
	[/^"?(?:id|ticket[-_]id|user[-_]id|slug|username)"?$/i, 'csv'],
];

/** What the first lines look like; undefined where they look like several things or like nothing. */
export function formatOfText(head: string): InputFormat | undefined {
	const first = (/^[\s\uFEFF]*([^\r\n]*)/.exec(head)?.[1] ?? '').trim();
	return LOOKS.find(([look]) => look.test(first))?.[1];
}

/** The format of an input whose name does not say it. @throws UsageError where the text does not either */
function detectFormat(name: string, head: string): InputFormat {
	const found = formatOfText(head) ?? (/\.txt(?:\.gz)?$/i.test(name) ? 'ids' : undefined);
	if (found !== undefined) return found;
	throw new UsageError(`the format of ${name} is not known${head.trim() === '' ? ' (it is empty)' : ''}`, {
		code: 'unknown_format',
		hint: `say which with --input-format ${inputFormats.join('|')}`,
	});
}

/** Bytes that can be read twice, and where they are. */
interface Opened {
	readonly handle: FileHandle;
	/** Of a copy: where `keep` puts it. */
	readonly path: string;
	keep(): Promise<void>;
}

/** Opens a file; a pipe or a device can be read once only, and is copied like standard input. @throws UsageError */
async function openFile(path: string, name: string, options: OpenInputOptions): Promise<Opened> {
	let handle: FileHandle | undefined;
	try {
		handle = await open(path, 'r');
		const found = await handle.stat();
		if (found.isFile()) return { handle, path, keep: async () => undefined };
		if (found.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
	} catch (error) {
		await handle?.close();
		throw new UsageError(`can't read ${name}: ${fileProblem(error)}`, { code: 'unreadable_input', cause: error });
	}
	return await copy(handle.createReadStream(), options);
}

const SPOOL_FOLDER = 'spool';
/** A copy that was kept for a resume is removed after 30 days. */
const KEPT_MS = 30 * 86_400_000;
/** An empty copy is one that a process was about to make when it was killed. */
const EMPTY_MS = 60_000;

async function removeOldCopies(folder: string): Promise<void> {
	for (const name of await readdir(folder)) {
		const path = join(folder, name);
		const { mtimeMs, size } = await stat(path);
		if (Date.now() - mtimeMs > (size === 0 ? EMPTY_MS : KEPT_MS)) await unlink(path);
	}
}

/** Copies a stream. The copy has no name until it is kept, so that nothing of it is left if this process is killed. */
async function copy(bytes: AsyncIterable<Uint8Array>, { stateDir, onSpool }: OpenInputOptions): Promise<Opened> {
	const folder = join(stateDir, SPOOL_FOLDER);
	const path = join(folder, `input-${Date.now().toString(36)}-${randomBytes(6).toString('hex')}`);
	const explain = (error: unknown): unknown => {
		if (error instanceof SupportctlError) return error;
		return new FailedError(`can't keep a copy of standard input in ${folder}: ${fileProblem(error)}`, {
			code: 'spool_failed',
			hint: 'give the input as a file with --input, or another folder with SUPPORTCTL_STATE_DIR',
			cause: error,
		});
	};
	let unnamed: FileHandle | undefined;
	try {
		makeFolder(folder);
		await removeOldCopies(folder).catch(() => undefined);
		onSpool?.(path);
		unnamed = await open(path, 'wx+', 0o600);
		await unlink(path);
		for await (const chunk of bytes) await unnamed.writeFile(chunk);
	} catch (error) {
		await unnamed?.close();
		throw explain(error);
	}
	const handle = unnamed;
	return {
		handle,
		path,
		async keep() {
			let named: FileHandle | undefined;
			try {
				named = await open(path, 'wx', 0o600);
				// Read by place, since the file's own place is at its end.
				for await (const chunk of handle.createReadStream({ start: 0, autoClose: false })) await named.writeFile(chunk);
				await named.sync();
			} catch (error) {
				await unlink(path).catch(() => undefined);
				throw explain(error);
			} finally {
				await named?.close();
			}
		},
	};
}

/** A file in equal chunks; every later pass has to meet the bytes of the first. */
function createSteadyReader(handle: FileHandle, name: string) {
	/** The start of the running digest after each chunk: enough to notice a change before its rows are used. */
	const marks: number[] = [];
	let sha256: string | undefined;
	const changed = (): UsageError =>
		new UsageError(`${name} changed while it was being read`, {
			code: 'input_changed',
			hint: 'leave the file alone during a run, or give a copy of it',
			data: { file: name },
		});
	return {
		sha256: () => sha256,
		async *chunks(): AsyncGenerator<Buffer> {
			const hash = createHash('sha256');
			for (let index = 0; ; index++) {
				const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
				let length = 0;
				for (let bytesRead = -1; bytesRead !== 0 && length < CHUNK_BYTES; length += bytesRead) {
					({ bytesRead } = await handle.read(buffer, length, CHUNK_BYTES - length, index * CHUNK_BYTES + length));
				}
				if (length === 0) break;
				const chunk = buffer.subarray(0, length);
				const mark = hash.update(chunk).copy().digest().readUIntBE(0, 6);
				if (index < marks.length ? marks[index] !== mark : sha256 !== undefined) throw changed();
				marks[index] = mark;
				yield chunk;
			}
			const digest = hash.digest('hex');
			if (sha256 !== undefined && sha256 !== digest) throw changed();
			sha256 = digest;
		},
	};
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
	text: () => AsyncIterable<Buffer>,
	format: InputFormat,
	limits: ReadLimits,
	onHeader: (header: CsvHeader) => void,
): AsyncGenerator<Batch> {
	if (format === 'ids') yield* readIds(text(), limits);
	else if (format === 'ndjson') yield* readNdjson(text(), limits);
	else if (format === 'json') yield* readJsonArray(text(), limits);
	else yield* (await import('./csv.js')).readCsv(text, format, limits, onHeader);
}

/** Opens the input; CSV and TSV are read as far as their header. @throws UsageError, FailedError */
export async function openInput(options: OpenInputOptions): Promise<InputSource> {
	const { path: given = '-', stateDir } = options;
	const fromStdin = given === '-';
	const name = options.name ?? (fromStdin ? 'standard input' : given);
	const path = fromStdin ? undefined : resolve(options.cwd ?? '.', given);
	const limits: ReadLimits = { name, maxRecordBytes: options.maxRecordBytes ?? DEFAULT_MAX_RECORD_BYTES };

	const opened = await (path === undefined ? copy(options.stdin, options) : openFile(path, name, options));
	const spooled = opened.path.startsWith(join(stateDir, SPOOL_FOLDER) + sep);
	const bytes = createSteadyReader(opened.handle, name);
	const dispose: InputSource['dispose'] = async ({ keep = false } = {}) => {
		await opened.handle.close();
		if (spooled && !keep) await unlink(opened.path).catch(() => undefined);
	};

	try {
		const { buffer } = await opened.handle.read(Buffer.alloc(4), 0, 4, 0);
		const start = buffer.toString('hex');
		// A zip archive, or the older binary format of spreadsheets.
		if (start === '504b0304' || start === 'd0cf11e0') {
			throw new UsageError(`${name} is a spreadsheet or an archive, not text`, {
				code: 'unknown_format',
				hint: 'save it as CSV (in Excel: "CSV UTF-8 (Comma delimited)") and use that file',
			});
		}
		const isPacked = start.startsWith('1f8b');
		const text = (): AsyncGenerator<Buffer> =>
			checkedText(isPacked ? gunzip(bytes.chunks(), name) : bytes.chunks(), name);
		const named = options.format ?? (path === undefined ? undefined : formatOfName(path));
		const format = named ?? detectFormat(name, await headOf(text()));
		let header: CsvHeader | undefined;
		if (format === 'csv' || format === 'tsv') {
			const note = (found: CsvHeader): void => {
				header = found;
			};
			for await (const _ of readRows(text, format, limits, note)) break;
			if (header === undefined) {
				throw new UsageError(`${name} is empty: a header with the columns' names is needed`, { code: 'invalid_input' });
			}
		}
		return {
			name,
			path: opened.path,
			format,
			...header,
			spooled,
			get sha256() {
				return bytes.sha256();
			},
			read: () => readRows(text, format, limits, () => undefined),
			keep: opened.keep,
			dispose,
		};
	} catch (error) {
		// A resume's spooled input stays where it is; a fresh copy goes.
		await dispose({ keep: opened.path === path });
		throw error;
	}
}
