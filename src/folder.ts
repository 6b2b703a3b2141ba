/** Private folders for settings, journals and spooled input, and reads that can't hang. */

import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, 0700. Node's recursive mkdir never returns where a file system such as /proc gives
 * ENOENT although the parent is there.
 */
export function makeFolder(path: string): void {
	try {
		mkdirSync(path, { mode: 0o700 });
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'EEXIST' && isFolder(path)) return;
		const parent = dirname(path);
		if (code !== 'ENOENT' || isFolder(parent)) throw error;
		makeFolder(parent);
		makeFolder(path);
	}
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

const MAX_SILENCE_MS = 10_000;
const MAX_UNWRITTEN_MS = 500;
const POLL_MS = 5;

/** Never waits without end: devices and named pipes can't hang the program, process substitution works. @throws the errors of node:fs, or ERR_SMALL_FILE with a clause as message */
export function readSmallFile(path: string, maxBytes: number): Buffer {
	const refuse = (message: string): never => {
		throw Object.assign(new Error(message), { code: 'ERR_SMALL_FILE' });
	};
	const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	try {
		const stats = fstatSync(fd);
		if (stats.isDirectory()) throw Object.assign(new Error('it is a directory'), { code: 'EISDIR' });
		const chunks: Buffer[] = [];
		let total = 0;
		let silence = 0;
		for (;;) {
			const chunk = Buffer.allocUnsafe(64 * 1024);
			let length: number | undefined;
			try {
				length = readSync(fd, chunk);
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
			}
			if (length === 0 && (total > 0 || !stats.isFIFO())) break;
			// Not an empty text: its writer may only be late.
			if (length === 0 && silence >= MAX_UNWRITTEN_MS) refuse('it is a pipe, and nothing was written to it');
			if (length === undefined && silence >= MAX_SILENCE_MS) {
				refuse(`nothing came from it for ${MAX_SILENCE_MS / 1000} seconds`);
			}
			if (length === undefined || length === 0) {
				Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
				silence += POLL_MS;
				continue;
			}
			silence = 0;
			total += length;
			const kib = maxBytes / 1024;
			if (total > maxBytes) refuse(`it is larger than ${kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`}`);
			chunks.push(chunk.subarray(0, length));
		}
		return Buffer.concat(chunks, total);
	} finally {
		closeSync(fd);
	}
}

/** Opens a regular file for reading: a device has no end, and a pipe may never have a writer. Throws what node:fs throws. */
export function openRegularFile(path: string): number {
	const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	if (fstatSync(fd).isFile()) return fd;
	closeSync(fd);
	throw Object.assign(new Error('it is not a regular file'), { code: isFolder(path) ? 'EISDIR' : 'ERR_SMALL_FILE' });
}

export function readStart(path: string): string {
	const fd = openRegularFile(path);
	try {
		const start = Buffer.alloc(64 * 1024);
		return start.toString('utf8', 0, readSync(fd, start));
	} finally {
		closeSync(fd);
	}
}

export function isSameFile(fd: number, path: string): boolean {
	try {
		const [opened, named] = [fstatSync(fd, { bigint: true }), statSync(path, { bigint: true })];
		return opened.ino === named.ino && opened.dev === named.dev;
	} catch {
		return false;
	}
}
