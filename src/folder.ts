/** Private folders, and files that are read whole or in part. */

import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

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
