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
import { dirname, join, resolve } from 'node:path';
import { FailedError, fileProblem, UsageError } from '../errors.js';
import { isSameFile, makeFolder } from '../folder.js';
import type { Outcome } from '../http/outcome.js';
import { acquireLock, type Lock } from '../lock.js';
import {
	type AttemptRecord,
	attemptLine,
	beforeLine,
	type EndRecord,
	endLine,
	headerLine,
	type OldValues,
	type Redact,
	resumeLine,
	rowLine,
	sentLine,
	type TickRecord,
	tickLine,
} from './records.js';
import type { RunHeader } from './run/plan.js';
import { noteStarted } from './run-order.js';
import { type JournalScan, scanJournal } from './scan.js';

/** How long records may lie in the system's cache before the disk has to have them. */
const SYNC_EVERY_MS = 250;

/** Records of one turn of the event loop, which are written together. */
interface Batch {
	readonly written: Promise<void>;
	resolve(): void;
	reject(error: Error): void;
}

function createBatch(): Batch {
	let resolve = (): void => undefined;
	let reject = (_: Error): void => undefined;
	const written = new Promise<void>((yes, no) => {
		resolve = yes;
		reject = no;
	});
	// Whoever does not wait for the record is told by the next append.
	written.catch(() => undefined);
	return { written, resolve, reject };
}

/** So that no open waits for the other end of a pipe. */
const NONBLOCK = constants.O_NONBLOCK ?? 0;

const NOT_SYNCABLE: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOTSUP', 'EROFS']);

/** Whether there is nothing to wait for, as with a pipe, and so no failure. */
function isNotSyncable(error: unknown): boolean {
	return NOT_SYNCABLE.has((error as NodeJS.ErrnoException).code);
}

/**
 * Writes records. Each append resolves once its record is in the file, so that a killed process loses nothing that was
 * reported done. The disk itself follows within a quarter of a second: a power cut can cost the records of about that
 * long, and their rows are sent again by a resume.
 */
export class Journal {
	readonly path: string;
	readonly header: RunHeader;
	readonly #fd: number;
	readonly #lock: Lock;
	readonly #redact: Redact;
	#text = '';
	#batch: Batch | undefined;
	#failure: FailedError | undefined;
	#dirty = false;
	#timer: NodeJS.Timeout | undefined;
	#closed = false;

	constructor(fd: number, lock: Lock, path: string, header: RunHeader, redact: Redact) {
		this.#fd = fd;
		this.#lock = lock;
		this.path = path;
		this.header = header;
		this.#redact = redact;
	}

	/** Why nothing more can be written; sticky, since a gap in a journal would be a lie. */
	get failure(): FailedError | undefined {
		return this.#failure;
	}

	/** Takes one record; resolves when it is in the file. */
	append(line: string): Promise<void> {
		if (this.#failure !== undefined) return Promise.reject(this.#failure);
		if (this.#batch === undefined) {
			this.#batch = createBatch();
			setImmediate(() => this.flush());
		}
		this.#text += line;
		this.#text += '\n';
		return this.#batch.written;
	}

	outcome(outcome: Outcome): Promise<void> {
		return this.append(rowLine(outcome, this.#redact));
	}

	attempt(record: AttemptRecord): Promise<void> {
		return this.append(attemptLine(record));
	}

	tick(record: TickRecord): Promise<void> {
		return this.append(tickLine(record));
	}

	/** To be awaited before a delete is sent. */
	sent(row: number): Promise<void> {
		return this.append(sentLine(row));
	}

	/** To be awaited before the row that changes these values is sent. */
	before(row: number, ids: Readonly<Record<string, string>>, old: OldValues): Promise<void> {
		return this.append(beforeLine(row, ids, old, this.#redact));
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
				const count = writeSync(this.#fd, bytes, written);
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
			ftruncateSync(this.#fd, fstatSync(this.#fd).size - (written - whole));
		} catch {
			// A torn last line is dropped by whoever reads the journal.
		}
	}

	#fail(error: unknown): FailedError {
		this.#failure ??= new FailedError(`can't write the journal ${this.path}: ${fileProblem(error)}`, {
			code: 'journal_failed',
			hint: `make room, then: supportctl run resume ${this.header.id}`,
			data: { journal: this.path, run: this.header.id },
			cause: error,
		});
		return this.#failure;
	}

	/** Fails where the journal's name leads to another file, or another process has taken the journal over. */
	#checkPlace(): void {
		if (this.#failure !== undefined || (isSameFile(this.#fd, this.path) && this.#lock.isHeld())) return;
		this.#failure = new FailedError(`the journal ${this.path} was removed or replaced during the run`, {
			code: 'journal_failed',
			hint: 'the rows that were sent until then are not recorded in a file any more; this run cannot be resumed',
			data: { journal: this.path },
		});
	}

	/** In the background, since a disk may take its time. An error means that earlier records may be gone too. */
	#sync(): void {
		this.#dirty = false;
		this.#checkPlace();
		fdatasync(this.#fd, (error) => {
			this.#timer = undefined;
			if (this.#closed) return;
			if (error !== null && !isNotSyncable(error)) this.#fail(error);
			else if (this.#dirty) this.#timer = setTimeout(() => this.#sync(), SYNC_EVERY_MS).unref();
		});
	}

	/** Writes the last record, waits for the disk, and lets go. Throws what made the journal fail, if anything did. */
	close(end?: EndRecord): void {
		if (this.#closed) return;
		try {
			if (end !== undefined && this.#failure === undefined) this.append(endLine(end));
			this.flush();
			this.#checkPlace();
			if (this.#failure === undefined) syncNow(this.#fd);
		} catch (error) {
			this.#fail(error);
		} finally {
			this.#closed = true;
			clearTimeout(this.#timer);
			closeSync(this.#fd);
			this.#lock.release();
		}
		if (this.#failure !== undefined) throw this.#failure;
	}
}

/** A pipe could wait for ever, and a device keeps nothing. @throws FailedError */
function checkRegular(path: string, stats: Stats | undefined): void {
	if (stats === undefined || stats.isFile()) return;
	throw new FailedError(
		`can't write the journal ${path}: it is ${stats.isDirectory() ? 'a folder' : 'not a regular file'}`,
		{
			code: 'journal_failed',
			hint: 'nothing was sent; choose another place with --journal FILE or SUPPORTCTL_STATE_DIR',
		},
	);
}

const lockPath = (path: string): string => `${path}.lock`;

/** The folder of journals below the state folder. */
export function runsFolder(stateDir: string): string {
	return join(stateDir, 'runs');
}

export interface CreateJournalOptions {
	readonly header: RunHeader;
	readonly stateDir: string;
	/** A place of its own, as `--journal` says, instead of the state folder. */
	readonly path?: string | undefined;
	readonly redact: Redact;
}

/** Before anything was sent: afterwards, the journal's own failure is told. @param hint What can be done about it. */
function cannotWrite(path: string, error: unknown, hint: string): Error {
	if (error instanceof FailedError || error instanceof UsageError) return error;
	const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
	const why = isMissing ? 'there is no such file or folder' : fileProblem(error);
	return new FailedError(`can't write the journal ${path}: ${why}`, { code: 'journal_failed', hint, cause: error });
}

/** A file's name is on the disk only once its folder is. */
function syncFolder(path: string): void {
	try {
		const fd = openSync(dirname(path), 'r');
		try {
			fsyncSync(fd);
		} finally {
			closeSync(fd);
		}
	} catch {
		// Some systems have no way to do so.
	}
}

/** Lets `run list`, `last` and the run's id find a journal that lies elsewhere. */
function linkInto(stateDir: string, id: string, path: string): void {
	try {
		makeFolder(runsFolder(stateDir));
		symlinkSync(path, join(runsFolder(stateDir), `${id}.ndjson`));
	} catch {
		// The journal's path still finds it.
	}
}

/** Starts a journal: the header is on the disk when this returns. Throws FailedError, or UsageError for a file in use. */
export function createJournal(options: CreateJournalOptions): Journal {
	const { header, stateDir, redact } = options;
	const path = resolve(options.path ?? join(runsFolder(stateDir), `${header.id}.ndjson`));
	let fd: number | undefined;
	let lock: Lock | undefined;
	try {
		if (options.path === undefined) makeFolder(dirname(path));
		const before = statSync(path, { throwIfNoEntry: false });
		checkRegular(path, before);
		fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | NONBLOCK, 0o600);
		lock = acquireLock(lockPath(realpathSync(path)), `the journal ${path}`);
		const stats = fstatSync(fd);
		checkRegular(path, stats);
		if (stats.size > 0) throw alreadyUsed(path);
		fchmodSync(fd, 0o600);
		const journal = new Journal(fd, lock, path, header, redact);
		beginFile(fd, path, before !== undefined, `${headerLine(header)}\n`);
		if (options.path !== undefined) linkInto(stateDir, header.id, path);
		noteStarted(runsFolder(stateDir), header.id);
		return journal;
	} catch (error) {
		if (fd !== undefined) closeSync(fd);
		lock?.release();
		throw cannotWrite(
			path,
			error,
			'nothing was sent; choose another place with --journal FILE or SUPPORTCTL_STATE_DIR',
		);
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
		syncFolder(path);
	} catch (error) {
		if (existed) tryTo(() => ftruncateSync(fd, 0));
		else tryTo(() => unlinkSync(path));
		throw error;
	}
}

/** For the last steps before an error is told: that one matters, not theirs. */
function tryTo(step: () => void): void {
	try {
		step();
	} catch {
		// The first error is the one to tell.
	}
}

function syncNow(fd: number): void {
	try {
		fdatasyncSync(fd);
	} catch (error) {
		if (!isNotSyncable(error)) throw error;
	}
}

export interface OpenJournalOptions {
	readonly redact: Redact;
	/** ISO 8601, for the record that says so. */
	readonly at: string;
	readonly tool: string;
}

/**
 * Opens a journal to go on with its run: locks it, reads it, and cuts off a torn last line.
 * Throws FailedError where another process writes it, or where it can't be read.
 */
export async function openJournal(
	path: string,
	options: OpenJournalOptions,
): Promise<{ journal: Journal; scan: JournalScan }> {
	let lock: Lock | undefined;
	let fd: number | undefined;
	try {
		const real = realpathSync(path);
		checkRegular(real, statSync(real));
		lock = acquireLock(lockPath(real), `the journal ${real}`);
		const scan = await scanJournal(real);
		fd = openSync(real, constants.O_RDWR | constants.O_APPEND);
		if (scan.tornBytes > 0) ftruncateSync(fd, scan.validBytes);
		const journal = new Journal(fd, lock, real, scan.header, options.redact);
		const resumed = journal.append(resumeLine(options.at, options.tool));
		journal.flush();
		await resumed;
		return { journal, scan };
	} catch (error) {
		if (fd !== undefined) closeSync(fd);
		lock?.release();
		throw cannotWrite(path, error, 'this resume sent nothing; a run goes on only in its own journal');
	}
}
