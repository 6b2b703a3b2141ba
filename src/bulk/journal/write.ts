/** A journal: append-only NDJSON, written before a row counts as done. */

import {
	closeSync,
	constants,
	fchmodSync,
	fdatasync,
	fstatSync,
	fsyncSync,
	ftruncateSync,
	openSync,
	realpathSync,
	symlinkSync,
	unlinkSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FailedError, fileProblem, SupportctlError, UsageError } from '../../errors.js';
import { isNotSyncable, isSameFile, makeFolder, PRIVATE, syncNow, writeWhole } from '../../folder.js';
import type { RowOutcome } from '../../http/outcome.js';
import { acquireLock, type Lock } from '../../lock.js';
import type { RunHeader } from '../plan.js';
import { journalPath } from './folder.js';
import type { JournalScan } from './history.js';
import { scanJournal } from './read.js';
import {
	beforeLine,
	type EndRecord,
	headerLine,
	type JournalRecord,
	type OldValues,
	type PlainRecord,
	type Redact,
	rowLine,
	sealed,
} from './records.js';

/** So long may records be only in the system's cache. */
const SYNC_EVERY_MS = 250;

/** For steps whose failure changes nothing for those after them. */
function tryTo(step: () => void): void {
	try {
		step();
	} catch {}
}

/**
 * Methods resolve once the record is in the file: a killed process loses nothing. The disk follows within 250 ms; after
 * a power cut a resume sends the rows of that time again.
 */
export class Journal {
	/** A journal must not go on after a gap: a resume would send rows twice. The run stops. */
	failure: FailedError | undefined;
	/** Records of one turn of the event loop, which are written together. */
	#text = '';
	#written: Promise<void> | undefined;
	#settle: ((error?: FailedError) => void) | undefined;
	#dirty = false;
	/** Resolves once the disk has what is being synced. */
	#syncing: Promise<void> | undefined;
	readonly #timer = setInterval(() => this.#sync(), SYNC_EVERY_MS).unref();
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

	/** @param outcome without secrets */
	outcome(outcome: RowOutcome): Promise<void> {
		return this.#append(rowLine(outcome));
	}

	/** Await it before the row is sent: old values that were not recorded can't be restored. */
	before(row: number, ids: Readonly<Record<string, string>>, old: OldValues): Promise<void> {
		return this.#append(beforeLine(row, ids, old, this.redact));
	}

	#append(line: string): Promise<void> {
		if (this.failure !== undefined) return Promise.reject(this.failure);
		if (this.#written === undefined) {
			this.#written = new Promise((resolve, reject) => {
				this.#settle = (error) => (error === undefined ? resolve() : reject(error));
			});
			// The next append fails with it too.
			this.#written.catch(() => undefined);
			setImmediate(() => this.flush());
		}
		this.#text += sealed(line);
		this.#text += '\n';
		return this.#written;
	}

	/** All that was appended, in one write. */
	flush(): void {
		const text = this.#text;
		const settle = this.#settle;
		this.#text = '';
		this.#written = undefined;
		this.#settle = undefined;
		if (settle === undefined) return;
		try {
			if (this.failure !== undefined) throw this.failure;
			// Readers drop a line that was written in part.
			writeWhole(this.fd, text);
			settle();
			this.#dirty = true;
		} catch (error) {
			settle(this.#cannotWrite(error));
		}
	}

	#cannotWrite(cause: unknown): FailedError {
		const message = `can't write the journal ${this.path}: ${fileProblem(cause)}`;
		return this.#fail(message, `free some space, then: supportctl run resume ${this.header.id}`, cause);
	}

	/** Another file may be at the journal's name by now, or another process may write it. */
	#checkPlace(): void {
		if (isSameFile(this.fd, this.path) && this.lock.isHeld()) return;
		this.#fail(`the journal ${this.path} was removed or replaced during the run`, "this run can't be resumed");
	}

	#fail(message: string, hint: string, cause?: unknown): FailedError {
		const data = { journal: this.path, run: this.header.id };
		this.failure ??= new FailedError(message, { code: 'journal_failed', hint, data, cause });
		return this.failure;
	}

	/** In the background. After an error, earlier records may be lost too. */
	#sync(): void {
		if (!this.#dirty || this.#syncing !== undefined) return;
		this.#dirty = false;
		this.#checkPlace();
		const synced = new Promise<void>((resolve) => {
			fdatasync(this.fd, (error) => {
				if (error !== null && !isNotSyncable(error)) this.#cannotWrite(error);
				resolve();
			});
		});
		this.#syncing = synced.then(() => {
			this.#syncing = undefined;
		});
	}

	/** @throws what made the journal fail */
	async close(end?: EndRecord): Promise<void> {
		if (this.#closed) return;
		this.#closed = true;
		clearInterval(this.#timer);
		try {
			// The system reports a failed write once, to this sync.
			if (this.#syncing !== undefined) await this.#syncing;
			if (end !== undefined && this.failure === undefined) this.record({ type: 'end', ...end });
			this.flush();
			this.#checkPlace();
			if (this.failure === undefined) syncNow(this.fd);
		} catch (error) {
			this.#cannotWrite(error);
		} finally {
			closeSync(this.fd);
			this.lock.release();
		}
		if (this.failure !== undefined) throw this.failure;
	}
}

/** Why a journal can't be begun or opened; a failure later on is the journal's own to report. */
function cannotOpen(path: string, error: unknown, hint: string): Error {
	if (error instanceof SupportctlError) return error;
	const message = `can't write the journal ${path}: ${fileProblem(error)}`;
	return new FailedError(message, { code: 'journal_failed', hint, cause: error });
}

/** Opens and locks a journal's file; closes and unlocks it if a later step fails. */
function openLocked(path: string, flags: number) {
	// Opening a pipe would wait for a reader.
	const fd = openSync(path, constants.O_RDWR | constants.O_APPEND | (constants.O_NONBLOCK ?? 0) | flags, PRIVATE);
	try {
		const stats = fstatSync(fd);
		if (!stats.isFile()) throw new Error('not a regular file');
		// The lock is named after the path, so two names would have two.
		if (stats.nlink > 1) throw new Error(`the file has ${stats.nlink} hard links; remove the others`);
		// One lock, whatever link leads to the journal.
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

/** The header is on the disk when this returns. @param given by default in the state folder @throws FailedError, UsageError */
export function createJournal(header: RunHeader, stateDir: string, given: string | undefined, redact: Redact): Journal {
	const path = resolve(given ?? journalPath(stateDir, header.id));
	let opened: ReturnType<typeof openLocked> | undefined;
	try {
		if (given === undefined) makeFolder(dirname(path));
		opened = openLocked(path, constants.O_CREAT);
		const { fd, lock, size } = opened;
		if (size > 0) {
			throw new UsageError(`the journal ${path} already exists`, {
				code: 'journal_exists',
				hint: `choose a different file, or resume its run: supportctl run resume ${path}`,
			});
		}
		fchmodSync(fd, PRIVATE);
		beginFile(fd, path, `${headerLine(header)}\n`);
		if (given !== undefined) {
			const link = journalPath(stateDir, header.id);
			tryTo(() => makeFolder(dirname(link)));
			tryTo(() => symlinkSync(path, link));
		}
		return new Journal(fd, lock, path, header, redact);
	} catch (error) {
		opened?.release();
		const hint = 'nothing was sent; choose a different place with --journal FILE or SUPPORTCTL_STATE_DIR';
		throw cannotOpen(path, error, hint);
	}
}

/** Leaves no file behind if it fails. */
function beginFile(fd: number, path: string, line: string): void {
	try {
		writeWhole(fd, line);
		syncNow(fd);
	} catch (error) {
		tryTo(() => unlinkSync(path));
		throw error;
	}
	// A file's name is on the disk once its directory is.
	tryTo(() => {
		const folder = openSync(dirname(path), 'r');
		tryTo(() => fsyncSync(folder));
		closeSync(folder);
	});
}

/** Locks and reads it, and cuts off a torn last line. @throws FailedError */
export async function openJournal(
	path: string,
	redact: Redact,
	watch?: (record: JournalRecord, place: number) => void,
): Promise<{ journal: Journal; scan: JournalScan }> {
	let opened: ReturnType<typeof openLocked> | undefined;
	try {
		opened = openLocked(path, 0);
		const { fd, lock, real } = opened;
		const scan = await scanJournal(real, watch);
		if (scan.tornBytes > 0) ftruncateSync(fd, scan.validBytes);
		return { journal: new Journal(fd, lock, real, scan.header, redact), scan };
	} catch (error) {
		opened?.release();
		throw cannotOpen(path, error, 'nothing was sent; a run continues only in its own journal');
	}
}
