/** A run's journal: append-only NDJSON that is in the file before a row counts as done. */

import {
	closeSync,
	constants,
	existsSync,
	fchmodSync,
	fdatasync,
	fdatasyncSync,
	fstatSync,
	fsyncSync,
	ftruncateSync,
	openSync,
	realpathSync,
	symlinkSync,
	unlinkSync,
	writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FailedError, fileProblem, UsageError } from '../../errors.js';
import { isSameFile, makeFolder } from '../../folder.js';
import type { RowOutcome } from '../../http/outcome.js';
import { acquireLock, type Lock } from '../../lock.js';
import type { RunHeader } from '../run/plan.js';
import { journalPath, noteStarted, runsFolder } from './folder.js';
import type { JournalScan } from './history.js';
import { scanJournal } from './read.js';
import {
	beforeLine,
	type EndRecord,
	headerLine,
	type OldValues,
	type PlainRecord,
	type Redact,
	rowLine,
	sealed,
} from './records.js';

/** How long records may lie in the system's cache before the disk has to have them. */
const SYNC_EVERY_MS = 250;

/** For steps whose failure changes nothing for what comes after them. */
function tryTo(step: () => void): void {
	try {
		step();
	} catch {
		// What comes after it works without.
	}
}

/** Writes all lines, or fails and leaves no part of a line behind. */
function writeLines(fd: number, text: string): void {
	const bytes = Buffer.from(text);
	let written = 0;
	try {
		while (written < bytes.length) {
			const count = writeSync(fd, bytes, written);
			if (count === 0) throw Object.assign(new Error('nothing was written'), { code: 'ENOSPC' });
			written += count;
		}
	} catch (error) {
		const torn = written - (bytes.subarray(0, written).lastIndexOf(10) + 1);
		// Otherwise whoever reads the journal drops the torn line.
		if (torn > 0) tryTo(() => ftruncateSync(fd, fstatSync(fd).size - torn));
		throw error;
	}
}

const NOT_SYNCABLE: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOTSUP', 'EROFS']);

/** Whether the file system has no way to wait for its disk, which is no failure. */
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
 * Writes records. Each method resolves once its record is in the file, so that a killed process loses nothing that was
 * reported done. The disk itself follows within a quarter of a second: a power cut can cost the records of about that
 * long, and their rows are sent again by a resume.
 */
export class Journal {
	/** Why nothing more can be written; it stays, since a journal must not go on behind a gap. */
	failure: FailedError | undefined;
	/** Records of one turn of the event loop, which are written together. */
	#text = '';
	#written: Promise<void> | undefined;
	#settle: ((error?: FailedError) => void) | undefined;
	#dirty = false;
	#timer: NodeJS.Timeout | undefined;
	/** Resolves when the disk has what is being synced. */
	#syncing: Promise<void> | undefined;
	#closed = false;

	constructor(
		private readonly fd: number,
		private readonly lock: Lock,
		readonly path: string,
		readonly header: RunHeader,
		private readonly redact: Redact,
	) {}

	record(record: PlainRecord): Promise<void> {
		return this.#append(JSON.stringify(record));
	}

	outcome(outcome: RowOutcome): Promise<void> {
		return this.#append(rowLine(outcome, this.redact));
	}

	/** To be awaited before the row that changes these values is sent. */
	before(row: number, ids: Readonly<Record<string, string>>, old: OldValues): Promise<void> {
		return this.#append(beforeLine(row, ids, old, this.redact));
	}

	#append(line: string): Promise<void> {
		if (this.failure !== undefined) return Promise.reject(this.failure);
		if (this.#written === undefined) {
			this.#written = new Promise((resolve, reject) => {
				this.#settle = (error) => (error === undefined ? resolve() : reject(error));
			});
			// Where the record is not waited for, the next append fails too.
			this.#written.catch(() => undefined);
			setImmediate(() => this.flush());
		}
		this.#text += sealed(line);
		this.#text += '\n';
		return this.#written;
	}

	/** Writes what was appended, in one write. */
	flush(): void {
		const [text, settle] = [this.#text, this.#settle];
		this.#text = '';
		this.#written = this.#settle = undefined;
		if (settle === undefined) return;
		if (this.failure !== undefined) {
			settle(this.failure);
			return;
		}
		try {
			writeLines(this.fd, text);
			settle();
			this.#dirty = true;
			if (!this.#closed) this.#timer ??= setTimeout(() => this.#sync(), SYNC_EVERY_MS).unref();
		} catch (error) {
			settle(this.#cannotWrite(error));
		}
	}

	#cannotWrite(cause: unknown): FailedError {
		const message = `can't write the journal ${this.path}: ${fileProblem(cause)}`;
		return this.#fail(message, `make room, then: supportctl run resume ${this.header.id}`, cause);
	}

	/** Fails where the journal's name leads to another file, or another process has taken the journal over. */
	#checkPlace(): void {
		if (isSameFile(this.fd, this.path) && this.lock.isHeld()) return;
		this.#fail(
			`the journal ${this.path} was removed or replaced during the run`,
			"the journal was lost; this run can't be resumed",
		);
	}

	#fail(message: string, hint: string, cause?: unknown): FailedError {
		const data = { journal: this.path, run: this.header.id };
		this.failure ??= new FailedError(message, { code: 'journal_failed', hint, data, cause });
		return this.failure;
	}

	/** In the background, since a disk may take its time. An error means that earlier records may be gone too. */
	#sync(): void {
		this.#dirty = false;
		this.#checkPlace();
		this.#syncing = new Promise((resolve) => {
			fdatasync(this.fd, (error) => {
				this.#syncing = this.#timer = undefined;
				if (error !== null && !isNotSyncable(error)) this.#cannotWrite(error);
				else if (this.#dirty && !this.#closed) this.#timer = setTimeout(() => this.#sync(), SYNC_EVERY_MS).unref();
				resolve();
			});
		});
	}

	/** Writes the last record, waits for the disk, and releases the lock. @throws what made the journal fail */
	async close(end?: EndRecord): Promise<void> {
		if (this.#closed) return;
		this.#closed = true;
		try {
			// The system reports a failed write once: to the sync that is under way.
			if (this.#syncing !== undefined) await this.#syncing;
			if (end !== undefined && this.failure === undefined) this.record({ type: 'end', ...end });
			this.flush();
			this.#checkPlace();
			if (this.failure === undefined) syncNow(this.fd);
		} catch (error) {
			this.#cannotWrite(error);
		} finally {
			clearTimeout(this.#timer);
			closeSync(this.fd);
			this.lock.release();
		}
		if (this.failure !== undefined) throw this.failure;
	}
}

/** Why a journal can't be begun or opened. Later the journal's own failure is reported. */
function cannotOpen(path: string, error: unknown, hint: string): Error {
	if (error instanceof FailedError || error instanceof UsageError) return error;
	const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
	const why = isMissing ? 'no such file or folder' : fileProblem(error);
	return new FailedError(`can't write the journal ${path}: ${why}`, { code: 'journal_failed', hint, cause: error });
}

/** Opens and locks a journal's file; closes and unlocks it where the next step fails. */
function openLocked(path: string, flags: number) {
	// So that no open waits for the other end of a pipe, which is refused then, as a device is: it keeps nothing.
	const fd = openSync(path, constants.O_RDWR | constants.O_APPEND | (constants.O_NONBLOCK ?? 0) | flags, 0o600);
	try {
		const stats = fstatSync(fd);
		if (!stats.isFile()) throw new Error('not a regular file');
		// One lock for each journal: symbolic links lead to one name, hard links are refused.
		if (stats.nlink > 1) throw new Error(`the file has ${stats.nlink} names (hard links); remove the others`);
		const real = realpathSync(path);
		const lock = acquireLock(`${real}.lock`, `the journal ${real}`);
		const release = (): void => {
			closeSync(fd);
			lock.release();
		};
		return { fd, real, lock, release, size: stats.size };
	} catch (error) {
		closeSync(fd);
		throw error;
	}
}

/**
 * Starts a journal in the state folder, or at a place of its own, as `--journal` says: the header is on the disk when
 * this returns.
 * @throws FailedError, or UsageError for a file in use
 */
export function createJournal({
	header,
	stateDir,
	path: given,
	redact,
}: {
	header: RunHeader;
	stateDir: string;
	path?: string | undefined;
	redact: Redact;
}): Journal {
	const path = resolve(given ?? journalPath(stateDir, header.id));
	let opened: ReturnType<typeof openLocked> | undefined;
	try {
		if (given === undefined) makeFolder(dirname(path));
		const isNew = !existsSync(path);
		opened = openLocked(path, constants.O_CREAT);
		const { fd, lock, size } = opened;
		if (size > 0) {
			throw new UsageError(`the journal ${path} already exists`, {
				code: 'journal_exists',
				hint: `choose a different file, or resume its run: supportctl run resume ${path}`,
			});
		}
		fchmodSync(fd, 0o600);
		beginFile(fd, path, isNew, `${headerLine(header)}\n`);
		if (given !== undefined) {
			// Lets `run list`, `last` and the run's id find it; else its path still does.
			tryTo(() => {
				makeFolder(runsFolder(stateDir));
				symlinkSync(path, journalPath(stateDir, header.id));
			});
		}
		noteStarted(stateDir, header.id);
		return new Journal(fd, lock, path, header, redact);
	} catch (error) {
		opened?.release();
		const hint = 'nothing was sent; choose another place with --journal FILE or SUPPORTCTL_STATE_DIR';
		throw cannotOpen(path, error, hint);
	}
}

/** Writes the first line through to the disk; where that fails, the file is as it was before. */
function beginFile(fd: number, path: string, isNew: boolean, line: string): void {
	try {
		writeLines(fd, line);
		syncNow(fd);
	} catch (error) {
		tryTo(() => (isNew ? unlinkSync(path) : ftruncateSync(fd, 0)));
		throw error;
	}
	// A file's name is on the disk only once its folder is. Some systems have no way to wait for that.
	tryTo(() => {
		const folder = openSync(dirname(path), 'r');
		tryTo(() => fsyncSync(folder));
		closeSync(folder);
	});
}

/**
 * Opens a journal to go on with its run: locks it, reads it, and cuts off a torn last line.
 * @throws FailedError where another process writes it, or where it can't be read
 */
export async function openJournal(path: string, redact: Redact): Promise<{ journal: Journal; scan: JournalScan }> {
	let opened: ReturnType<typeof openLocked> | undefined;
	try {
		opened = openLocked(path, 0);
		const { fd, lock, real } = opened;
		const scan = await scanJournal(real);
		if (scan.tornBytes > 0) ftruncateSync(fd, scan.validBytes);
		return { journal: new Journal(fd, lock, real, scan.header, redact), scan };
	} catch (error) {
		opened?.release();
		throw cannotOpen(path, error, 'nothing was sent; a run goes on only in its own journal');
	}
}
