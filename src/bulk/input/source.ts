/** Files and stdin, opened so that they can be read twice in constant memory. */

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, open, readdir, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { FailedError, fileProblem, SupportctlError, UsageError } from '../../errors.js';
import { makeFolder, openRegularFile, PRIVATE } from '../../folder.js';
import { unreadable } from '../../io/files.js';
import type { Encoding } from '../../text.js';
import { type InputFormat, inputFormats, STDIN_NAME } from '../sources.js';
import { checkedText, headOf } from './checked-text.js';
import type { InputSource, RawRow } from './input.js';
import { readJsonArray } from './json.js';
import { readIds, readNdjson } from './lines.js';

/** Larger chunks cost more memory. */
const CHUNK_BYTES = 16 * 1024;

const EXTENSIONS: ReadonlyMap<string, InputFormat> = new Map([
	['csv', 'csv'],
	['tsv', 'tsv'],
	['tab', 'tsv'],
	['ndjson', 'ndjson'],
	['jsonl', 'ndjson'],
	['ids', 'ids'],
]);

/** A header of one column must be the name of an ID. */
const LOOKS: readonly [RegExp, InputFormat][] = [
	[/^\[/, 'json'],
	[/^\{/, 'ndjson'],
	[/^\d+$/, 'ids'],
	[/^"?sep=.$|^["\p{L}_].*[,;]/iu, 'csv'],
	[/^["\p{L}_].*\t/iu, 'tsv'],
	[/^"?(?:id|ticket[-_]id|user[-_]id|slug|username)"?$/i, 'csv'],
];

/** By name, else by the first lines. */
export function formatOf(path: string, head: string): InputFormat | undefined {
	const extension = /\.([a-z]+)(?:\.gz)?$/i.exec(basename(path))?.[1]?.toLowerCase() ?? '';
	const first = head.trim().split(/[\r\n]/, 1)[0] ?? '';
	const looksLike = LOOKS.find(([look]) => look.test(first))?.[1];
	return EXTENSIONS.get(extension) ?? looksLike ?? (extension === 'txt' ? 'ids' : undefined);
}

/** As a stream if it can be read only once, as a pipe. @throws UsageError */
async function openFile(path: string, name: string): Promise<FileHandle | AsyncIterable<Uint8Array>> {
	let handle: FileHandle | undefined;
	try {
		handle = await open(path, 'r');
		const found = await handle.stat();
		if (found.isDirectory()) throw Object.assign(new Error('it is a directory'), { code: 'EISDIR' });
		return found.isFile() ? handle : handle.createReadStream();
	} catch (error) {
		await handle?.close();
		throw unreadable(name, error);
	}
}

/** Standard input is copied for a resume; a copy that nobody came back for is removed after 30 days. */
const KEPT_MS = 30 * 86_400_000;

/** What copies of standard input are called: other files of their folder are not ours. */
const COPY_NAME = /^input-[\da-f-]{36}$/;

async function removeOldCopies(folder: string): Promise<void> {
	for (const name of await readdir(folder)) {
		if (!COPY_NAME.test(name)) continue;
		const path = join(folder, name);
		if (Date.now() - (await lstat(path)).mtimeMs > KEPT_MS) await unlink(path);
	}
}

/** Without a name it is gone if this process is killed. @throws FailedError */
async function writeCopy(path: string, bytes: AsyncIterable<Uint8Array>, isNamed: boolean): Promise<FileHandle> {
	const folder = dirname(path);
	let handle: FileHandle | undefined;
	try {
		makeFolder(folder);
		handle = await open(path, 'wx+', PRIVATE);
		if (!isNamed) await unlink(path);
		for await (const chunk of bytes) await handle.writeFile(chunk);
		if (isNamed) await handle.sync();
		return handle;
	} catch (error) {
		await handle?.close();
		await unlink(path).catch(() => undefined);
		if (error instanceof SupportctlError) throw error;
		throw new FailedError(`can't keep a copy of ${STDIN_NAME} in ${folder}: ${fileProblem(error)}`, {
			code: 'spool_failed',
			hint: 'pass the input as a file with --input, or set SUPPORTCTL_STATE_DIR to a different directory',
			cause: error,
		});
	}
}

/** Every pass reads the same bytes, or fails. */
class SteadyReader {
	sha256: string | undefined;
	/** The start of each chunk's digest, to notice a change before its rows are used. */
	readonly #marks: number[] = [];

	constructor(
		private readonly handle: FileHandle,
		private readonly name: string,
	) {}

	async *chunks(): AsyncGenerator<Buffer> {
		const hash = createHash('sha256');
		let place = 0;
		for (let index = 0; ; index++) {
			const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
			const { bytesRead } = await this.handle.read(buffer, 0, CHUNK_BYTES, place);
			if (bytesRead === 0) break;
			place += bytesRead;
			const chunk = buffer.subarray(0, bytesRead);
			const mark = hash.update(chunk).copy().digest().readUIntBE(0, 6);
			if (index < this.#marks.length ? this.#marks[index] !== mark : this.sha256 !== undefined) throw this.#changed();
			this.#marks[index] = mark;
			yield chunk;
		}
		const digest = hash.digest('hex');
		if (this.sha256 !== undefined && this.sha256 !== digest) throw this.#changed();
		this.sha256 = digest;
	}

	#changed(): UsageError {
		return new UsageError(`${this.name} changed while it was being read`, {
			code: 'input_changed',
			hint: "don't change the file during a run, or pass a copy",
			data: { file: this.name },
		});
	}
}

/** Before anything is read or shown: the path may come from a foreign journal. @throws UsageError */
export async function digestOf(path: string): Promise<string> {
	const hash = createHash('sha256');
	try {
		const fd = openRegularFile(path);
		for await (const chunk of createReadStream('', { fd })) hash.update(chunk as Buffer);
	} catch (error) {
		throw unreadable(path, error);
	}
	return hash.digest('hex');
}

/** Unpacks while it reads; damage is the input's fault, and named so. */
async function* gunzip(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
	const { createGunzip } = await import('node:zlib');
	const { Readable, pipeline } = await import('node:stream');
	const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
	// The iteration below gets the error.
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

type Text = () => AsyncIterable<string>;

type Rows = Pick<InputSource, 'columns' | 'headerLine'> & { read(): AsyncIterable<readonly RawRow[]> };

/** @param head the text up to a limit, for the separator */
type Opener = (text: Text, name: string, head: string, delimiter?: string) => Rows | Promise<Rows>;

const openers: Readonly<Record<InputFormat, Opener>> = {
	csv: separated('csv'),
	tsv: separated('tsv'),
	ndjson: (text, name) => ({ read: () => readNdjson(text(), name) }),
	json: (text, name) => ({ read: () => readJsonArray(text(), name) }),
	ids: (text, name) => ({ read: () => readIds(text(), name) }),
};

function separated(format: 'csv' | 'tsv'): Opener {
	return async (text, name, head, given) => {
		const { delimiterOf, readCsv } = await import('./csv.js');
		const delimiter = given ?? delimiterOf(head, format);
		return await openCsv(text, name, (chunks) => readCsv(chunks, name, delimiter));
	};
}

type RowReader = (chunks: AsyncIterable<string>) => AsyncGenerator<RawRow[]>;

async function openCsv(text: Text, name: string, readRows: RowReader): Promise<Rows> {
	async function* read(): AsyncGenerator<readonly RawRow[]> {
		for await (const batch of readRows(text())) {
			const rows = batch[0]?.row === 0 ? batch.slice(1) : batch;
			if (rows.length > 0) yield rows;
		}
	}
	for await (const [header] of readRows(text())) {
		return { columns: header?.cells, headerLine: header?.line, read };
	}
	throw new UsageError(`${name} is empty: a header line with the column names is required`, { code: 'invalid_input' });
}

export interface OpenInputOptions {
	path: string;
	name?: string;
	/** Takes precedence over the name and the contents. */
	format?: InputFormat;
	/** Of CSV, if not the one that its header has. */
	delimiter?: string | undefined;
	/** Of text without a byte order mark. */
	encoding?: Encoding | undefined;
	stdin: AsyncIterable<Uint8Array>;
	/** For copies, in a folder of their own. */
	stateDir: string;
	/** Before a copy is made, so that it can be removed. */
	onSpool?: ((path: string) => void) | undefined;
}

/** @throws UsageError, FailedError */
export async function openInput(options: OpenInputOptions): Promise<InputSource> {
	const isStdin = options.path === '-';
	const name = options.name ?? (isStdin ? STDIN_NAME : options.path);
	const folder = join(options.stateDir, 'spool');
	const given = isStdin ? options.stdin : await openFile(options.path, name);
	const isCopied = !('stat' in given);
	const path = isCopied ? join(folder, `input-${randomUUID()}`) : resolve(options.path);
	if (isCopied) {
		await removeOldCopies(folder).catch(() => undefined);
		options.onSpool?.(path);
	}
	const handle = isCopied ? await writeCopy(path, given, false) : given;
	const spooled = dirname(path) === folder && COPY_NAME.test(basename(path));
	const dispose = async ({ keep = false } = {}): Promise<void> => {
		await handle.close();
		if (spooled && !keep) await unlink(path).catch(() => undefined);
	};
	try {
		const bytes = new SteadyReader(handle, name);
		const isPacked = await checkStart(handle, name);
		const text = (): AsyncGenerator<string> =>
			checkedText(isPacked ? gunzip(bytes.chunks(), name) : bytes.chunks(), name, options.encoding);
		const head = await headOf(text());
		const format = options.format ?? formatOf(isStdin ? '' : options.path, head) ?? refuseFormat(name, head);
		const rows = await openers[format](text, name, head, options.delimiter);
		return {
			...rows,
			name,
			path,
			format,
			spooled,
			dispose,
			get sha256() {
				return bytes.sha256;
			},
			async readThrough() {
				for await (const _ of bytes.chunks());
			},
			async keep() {
				if (!isCopied) return;
				// The file's own place is at its end.
				const kept = await writeCopy(path, handle.createReadStream({ start: 0, autoClose: false }), true);
				await kept.close();
			},
		};
	} catch (error) {
		// A resume's copy stays.
		await dispose({ keep: !isCopied });
		throw error;
	}
}

/** @returns whether it is packed @throws UsageError */
async function checkStart(handle: FileHandle, name: string): Promise<boolean> {
	const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
	const start = buffer.toString('hex');
	// A zip archive or an old spreadsheet.
	if (start !== '504b0304' && start !== 'd0cf11e0') return start.startsWith('1f8b');
	throw new UsageError(`${name} is a spreadsheet or an archive, not text`, {
		code: 'unknown_format',
		hint: 'save it as CSV (in Excel: "CSV UTF-8 (Comma delimited)") and use that file',
	});
}

function refuseFormat(name: string, head: string): never {
	if (head.trim() === '') throw new UsageError(`${name} is empty`, { code: 'invalid_input' });
	throw new UsageError(`unknown input format: ${name}`, {
		code: 'unknown_format',
		hint: `pass --input-format ${inputFormats.join('|')}`,
	});
}
