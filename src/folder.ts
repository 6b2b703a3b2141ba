/** Private folders and files, written whole or not at all, and files that are read whole or in part. */

import { randomBytes } from 'node:crypto';
import {
	closeSync,
	constants,
	fchmodSync,
	fdatasyncSync,
	fstatSync,
	mkdirSync,
	openSync,
	readSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** What supportctl writes may hold data of customers: nobody else reads it, whatever the umask. */
export const PRIVATE = 0o600;

/** Makes it and those above it, 0700. Node's recursive mkdir never returns in /proc. */
export function makeFolder(path: string): void {
	if (isFolder(path)) return;
	const parent = dirname(path);
	if (parent !== path) makeFolder(parent);
	try {
		mkdirSync(path, { mode: 0o700 });
	} catch (error) {
		if (!isFolder(path)) throw error;
	}
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Also reads a pipe. @throws the errors of node:fs, or ERR_SMALL_FILE with a clause as message */
export function readSmallFile(path: string, maxBytes: number): Buffer {
	const fd = openSync(path, 'r');
	try {
		const chunks: Buffer[] = [];
		let total = 0;
		for (;;) {
			const chunk = Buffer.allocUnsafe(64 * 1024);
			const length = readSync(fd, chunk);
			if (length === 0) return Buffer.concat(chunks, total);
			chunks.push(chunk.subarray(0, length));
			total += length;
			if (total <= maxBytes) continue;
			throw Object.assign(new Error(`it is larger than ${maxBytes / 1024} KiB`), { code: 'ERR_SMALL_FILE' });
		}
	} finally {
		closeSync(fd);
	}
}

/** A pipe may never have a writer. @throws the errors of node:fs, or ERR_SMALL_FILE */
export function openRegularFile(path: string): number {
	const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	const stats = fstatSync(fd);
	if (stats.isFile()) return fd;
	closeSync(fd);
	const code = stats.isDirectory() ? 'EISDIR' : 'ERR_SMALL_FILE';
	throw Object.assign(new Error('it is not a regular file'), { code });
}

/** @returns the first 64 KiB as text @throws the errors of node:fs */
export function readStart(path: string): string {
	const fd = openRegularFile(path);
	try {
		const start = Buffer.alloc(64 * 1024);
		return start.toString('utf8', 0, readSync(fd, start));
	} finally {
		closeSync(fd);
	}
}

/** Whether the path still leads to the file that was opened: another program may have replaced it. */
export function isSameFile(fd: number, path: string): boolean {
	try {
		const [opened, named] = [fstatSync(fd, { bigint: true }), statSync(path, { bigint: true })];
		return opened.ino === named.ino && opened.dev === named.dev;
	} catch {
		return false;
	}
}

/** Where a link leads, also one to a file that is not there yet. */
export function realName(path: string): string {
	const full = resolve(path);
	const parent = dirname(full);
	return (
		orUndefined(() => realpathSync(full)) ?? join(orUndefined(() => realpathSync(parent)) ?? parent, basename(full))
	);
}

function orUndefined<T>(step: () => T): T | undefined {
	try {
		return step();
	} catch {
		return undefined;
	}
}

/** Writes all of it: the system may take a part at a time. */
export function writeWhole(fd: number, text: string): void {
	const bytes = Buffer.from(text);
	for (let written = 0; written < bytes.length; ) {
		const count = writeSync(fd, bytes, written);
		if (count === 0) throw Object.assign(new Error('nothing was written'), { code: 'ENOSPC' });
		written += count;
	}
}

/** Some file systems can't sync. */
export function isNotSyncable(error: unknown): boolean {
	return ['EINVAL', 'ENOTSUP', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '');
}

export function syncNow(fd: number): void {
	try {
		fdatasyncSync(fd);
	} catch (error) {
		if (!isNotSyncable(error)) throw error;
	}
}

const AT_ONCE = 64 * 1024;

/** A file that is at its place whole or not at all: it is written beside it. One that fails is removed. */
export class Draft {
	/** Where it will be. */
	readonly place: string;
	readonly path: string;
	readonly #fd: number;
	#isOpen = true;
	#text = '';

	/**
	 * @param keepsMode whether a file that it replaces says who may read it
	 * @param onDraft is told where it is written
	 * @throws the errors of node:fs, as all methods do
	 */
	constructor(
		place: string,
		{ keepsMode = false, onDraft }: { keepsMode?: boolean; onDraft?(path: string): void } = {},
	) {
		this.place = realName(place);
		this.path = `${this.place}.${randomBytes(4).toString('hex')}.tmp`;
		onDraft?.(this.path);
		this.#fd = openSync(this.path, 'wx', PRIVATE);
		const mode = keepsMode ? statSync(this.place, { throwIfNoEntry: false })?.mode : undefined;
		// Some file systems have no modes.
		if (mode !== undefined) orUndefined(() => fchmodSync(this.#fd, mode & 0o777));
	}

	write(text: string): void {
		this.#text += text;
		if (this.#text.length >= AT_ONCE) this.#orRemove(() => this.#flush());
	}

	#flush(): void {
		writeWhole(this.#fd, this.#text);
		this.#text = '';
	}

	/** Puts it at its place. */
	finish(): void {
		this.#orRemove(() => {
			this.#flush();
			syncNow(this.#fd);
			renameSync(this.path, this.place);
		});
		this.close();
	}

	#orRemove(step: () => void): void {
		try {
			step();
		} catch (error) {
			this.close();
			throw error;
		}
	}

	/** Removes it unless it is finished. */
	close(): void {
		if (!this.#isOpen) return;
		this.#isOpen = false;
		orUndefined(() => closeSync(this.#fd));
		rmSync(this.path, { force: true });
	}
}
