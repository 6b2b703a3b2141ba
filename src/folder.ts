/** Private folders, and files that are read whole or in part. */

import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes it and those above it, 0700. Node's recursive mkdir never returns where /proc gives ENOENT below a folder that is there. */
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
			if (total > maxBytes) {
				const kib = maxBytes / 1024;
				const most = kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`;
				throw Object.assign(new Error(`it is larger than ${most}`), { code: 'ERR_SMALL_FILE' });
			}
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
