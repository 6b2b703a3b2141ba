/** A run's journal: append-only NDJSON that is in the file before a row counts as done. */

import {
	closeSync,
	constants,
	fchmodSync,
	fdatasync,
	fdatasyncSync,
	fstatSync,
	fsyncSync,
	ftruncateSync,
	openSync,
	realpathSync,
	type Stats,
	statSync,
	symlinkSync,
	unlinkSync,
	writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FailedError, fileProblem, UsageError } from '../../errors.js';
import { isSameFile, makeFolder } from '../../folder.js';
import type { Outcome } from '../../http/outcome.js';
import { acquireLock, type Lock } from '../../lock.js';
import type { RunHeader } from '../run/plan.js';
import { journalPath, noteStarted, runsFolder } from './folder.js';
import { type JournalScan, scanJournal } from './read.js';
import {
	type AttemptRecord,
	beforeLine,
	type EndRecord,
	headerLine,
	type OldValues,
	type Redact,
	rowLine,
	type TickRecord,
} from './records.js';

/** How long records may lie in the system's cache before the disk has to have them. */
const SYNC_EVERY_MS = 250;

/** Records of one turn of the event loop, which are written together. */
interface Batch {
	readonly written: Promise<void>;
	resolve(): void;
	reject(error: Error): void;
}

function createBatch(): Batch {
	const batch = {} as { written: Promise<void>; resolve: () => void; reject: (error: Error) => void };
	batch.written = new Promise((resolve, reject) => Object.assign(batch, { resolve, reject }));
	// Where the record is not waited for, the next append fails too.
	batch.written.catch(() => undefined);
	return batch;
}

const NOT_SYNCABLE: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOTSUP', 'EROFS']);

/** Whether there is nothing to wait for, as with a pipe, and so no failure. */
function isNotSyncable(error: unknown): boolean {
	return NOT_SYNCABLE.has((error as NodeJS.ErrnoException).code);
}

function syncNow(fd: number): void {
	try {
		fdatasyncSync(fd);
	} catch (error) {
		if (!isNotSyncable(error)) throw error;
	}
}

/**
 * Writes records. Each append resolves once its record is in the file, so that a killed process loses nothing that was
 * reported done. The disk itself follows within a quarter of a second: a power cut can cost the records of about that
 * long, and their rows are sent again by a resume.
 */
export class Journal {
	/** Why nothing more can be written; it stays, since a journal must not go on behind a gap. */
	failure: FailedError | undefined;
	#text = '';
	#batch: Batch | undefined;
	#dirty = false;
	#timer: NodeJS.Timeout | undefined;
	#closed = false;

	constructor(
		private readonly fd: number,
		private readonly lock: Lock,
		readonly path: string,
		readonly header: RunHeader,
		private readonly redact: Redact,
	) {}

	/** Takes one record; resolves when it is in the file. */
	append(line: string): Promise<void> {
		if (this.failure !== undefined) return Promise.reject(this.failure);
		if (this.#batch === undefined) {
			this.#batch = createBatch();
			setImmediate(() => this.flush());
		}
		this.#text += line;
		this.#text += '\n';
		return this.#batch.written;
	}

	outcome(outcome: Outcome): Promise<void> {
		return this.append(rowLine(outcome, this.redact));
	}

	attempt(record: AttemptRecord): Promise<void> {
		return this.append(JSON.stringify({ type: 'attempt', ...record }));
	}

	tick(record: TickRecord): Promise<void> {
		return this.append(JSON.stringify({ type: 'tick', ...record }));
	}

	/** To be awaited before a delete is sent: after a crash, its 404 is then known to be its own doing. */
	sent(row: number): Promise<void> {
		return this.append(`{"type":"sent","row":${row}}`);
	}

	/** To be awaited before the row that changes these values is sent. */
	before(row: number, ids: Readonly<Record<string, string>>, old: OldValues): Promise<void> {
		return this.append(beforeLine(row, ids, old, this.redact));
	}

	/** Writes what was appended, in one write. */
	flush(): void {
		const batch = this.#batch;
		if (batch === undefined) return;
		const bytes = Buffer.from(this.#text, 'utf8');
		this.#batch = undefined;
		this.#text = '';
		try {
			this.#write(bytes);
			batch.resolve();
			this.#dirty = true;
			this.#timer ??= setTimeout(() => this.#sync(), SYNC_EVERY_MS).unref();
		} catch (error) {
			batch.reject(this.#fail(error));
		}
	}

	/** The whole of it, or an error with no half record left behind. */
	#write(bytes: Buffer): void {
		let written = 0;
		try {
			while (written < bytes.length) {
				const count = writeSync(this.fd, bytes, written);
				if (count === 0) throw Object.assign(new Error('nothing was written'), { code: 'ENOSPC' });
				written += count;
			}
		} catch (error) {
			this.#dropTorn(bytes, written);
			throw error;
		}
	}

	#dropTorn(bytes: Buffer, written: number): void {
		const whole = written === 0 ? 0 : bytes.lastIndexOf(10, written - 1) + 1;
		if (whole === written) return;
		try {
			ftruncateSync(this.fd, fstatSync(this.fd).size - (written - whole));
		} catch {
			// A torn last line is dropped by whoever reads the journal.
		}
	}

	#fail(error: unknown): FailedError {
		this.failure ??= new FailedError(`can't write the journal ${this.path}: ${fileProblem(error)}`, {
			code: 'journal_failed',
			hint: `make room, then: supportctl run resume ${this.header.id}`,
			data: { journal: this.path, run: this.header.id },
			cause: error,
		});
		return this.failure;
	}

	/** Fails where the journal's name leads to another file, or another process has taken the journal over. */
	#checkPlace(): void {
		if (this.failure !== undefined || (isSameFile(this.fd, this.path) && this.lock.isHeld())) return;
		this.failure = new FailedError(`the journal ${this.path} was removed or replaced during the run`, {
			code: 'journal_failed',
			hint: 'the rows that were sent until then are not recorded in a file any more; this run cannot be resumed',
			data: { journal: this.path },
		});
	}

	/** In the background, since a disk may take its time. An error means that earlier records may be gone too. */
	#sync(): void {
		this.#dirty = false;
		this.#checkPlace();
		fdatasync(this.fd, (error) => {
			this.#timer = undefined;
			if (this.#closed) return;
			if (error !== null && !isNotSyncable(error)) this.#fail(error);
			else if (this.#dirty) this.#timer = setTimeout(() => this.#sync(), SYNC_EVERY_MS).unref();
		});
	}

	/** Writes the last record, waits for the disk, and gives the lock back. @throws what made the journal fail */
	close(end?: EndRecord): void {
		if (this.#closed) return;
		try {
			if (end !== undefined && this.failure === undefined) this.append(JSON.stringify({ type: 'end', ...end }));
			this.flush();
			this.#checkPlace();
			if (this.failure === undefined) syncNow(this.fd);
		} catch (error) {
			this.#fail(error);
		} finally {
			this.#closed = true;
			clearTimeout(this.#timer);
			closeSync(this.fd);
			this.lock.release();
		}
		if (this.failure !== undefined) throw this.failure;
	}
}

const ELSEWHERE = 'nothing was sent; choose another place with --journal FILE or SUPPORTCTL_STATE_DIR';

/** Why a journal can't be begun or opened. Later the journal's own failure is reported. */
function cannotWrite(path: string, error: unknown, hint: string): Error {
	if (error instanceof FailedError || error instanceof UsageError) return error;
	const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
	const why = isMissing ? 'there is no such file or folder' : fileProblem(error);
	return new FailedError(`can't write the journal ${path}: ${why}`, { code: 'journal_failed', hint, cause: error });
}

/** A pipe could wait for ever, and a device keeps nothing. @throws FailedError */
function checkRegular(path: string, stats: Stats | undefined): void {
	if (stats === undefined || stats.isFile()) return;
	const what = stats.isDirectory() ? 'a folder' : 'not a regular file';
	throw new FailedError(`can't write the journal ${path}: it is ${what}`, { code: 'journal_failed', hint: ELSEWHERE });
}

/** One lock whatever link leads to the journal. */
function lockJournal(path: string): Lock {
	return acquireLock(`${path}.lock`, `the journal ${path}`);
}

export interface CreateJournalOptions {
	readonly header: RunHeader;
	readonly stateDir: string;
	/** A place of its own, as `--journal` says, instead of the state folder. */
	readonly path?: string | undefined;
	readonly redact: Redact;
}

/** Starts a journal: the header is on the disk when this returns. @throws FailedError, or UsageError for a file in use */
export function createJournal(options: CreateJournalOptions): Journal {
	const { header, stateDir, redact } = options;
	const path = resolve(options.path ?? journalPath(stateDir, header.id));
	let fd: number | undefined;
	let lock: Lock | undefined;
	try {
		if (options.path === undefined) makeFolder(dirname(path));
		const before = statSync(path, { throwIfNoEntry: false });
		checkRegular(path, before);
		// So that no open waits for the other end of a pipe.
		const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NONBLOCK ?? 0);
		fd = openSync(path, flags, 0o600);
		lock = lockJournal(realpathSync(path));
		const stats = fstatSync(fd);
		checkRegular(path, stats);
		if (stats.size > 0) throw alreadyUsed(path);
		fchmodSync(fd, 0o600);
		beginFile(fd, path, before !== undefined, `${headerLine(header)}\n`);
		if (options.path !== undefined) {
			// Lets `run list`, `last` and the run's id find it; else its path still does.
			tryTo(() => {
				makeFolder(runsFolder(stateDir));
				symlinkSync(path, journalPath(stateDir, header.id));
			});
		}
		noteStarted(stateDir, header.id);
		return new Journal(fd, lock, path, header, redact);
	} catch (error) {
		if (fd !== undefined) closeSync(fd);
		lock?.release();
		throw cannotWrite(path, error, ELSEWHERE);
	}
}

function alreadyUsed(path: string): UsageError {
	return new UsageError(`the journal ${path} already holds something`, {
		code: 'journal_exists',
		hint: `resume its run with: supportctl run resume ${path}, or choose another file`,
	});
}

/** Writes the first line through to the disk; where that fails, the file is as it was before. */
function beginFile(fd: number, path: string, existed: boolean, line: string): void {
	try {
		const bytes = Buffer.from(line, 'utf8');
		for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
		syncNow(fd);
		// A file's name is on the disk only once its folder is. Some systems have no way to wait for that.
		tryTo(() => {
			const folder = openSync(dirname(path), 'r');
			try {
				fsyncSync(folder);
			} finally {
				closeSync(folder);
			}
		});
	} catch (error) {
		tryTo(() => (existed ? ftruncateSync(fd, 0) : unlinkSync(path)));
		throw error;
	}
}

/** For steps whose failure changes nothing. */
function tryTo(step: () => void): void {
	try {
		step();
	} catch {
		// What comes after it works without.
	}
}

export interface OpenJournalOptions {
	readonly redact: Redact;
	/** ISO 8601, for the record of the resume. */
	readonly at: string;
	readonly tool: string;
}

/**
 * Opens a journal to go on with its run: locks it, reads it, and cuts off a torn last line.
 * @throws FailedError where another process writes it, or where it can't be read
 */
export async function openJournal(
	path: string,
	{ redact, at, tool }: OpenJournalOptions,
): Promise<{ journal: Journal; scan: JournalScan }> {
	let lock: Lock | undefined;
	let fd: number | undefined;
	try {
		const real = realpathSync(path);
		checkRegular(real, statSync(real));
		lock = lockJournal(real);
		const scan = await scanJournal(real);
		fd = openSync(real, constants.O_RDWR | constants.O_APPEND);
		if (scan.tornBytes > 0) ftruncateSync(fd, scan.validBytes);
		const journal = new Journal(fd, lock, real, scan.header, redact);
		const resumed = journal.append(JSON.stringify({ type: 'resume', at, tool }));
		journal.flush();
		await resumed;
		return { journal, scan };
	} catch (error) {
		if (fd !== undefined) closeSync(fd);
		lock?.release();
		throw cannotWrite(path, error, 'this resume sent nothing; a run goes on only in its own journal');
	}
}
