/** Private copies of what can be read once only: standard input, pipes and devices. */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, stat, unlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { FailedError, fileProblem, SupportctlError } from '../errors.js';
import { makeFolder } from '../folder.js';

const SPOOL_FOLDER = 'spool';

/** A copy that was kept for a resume, or left by a killed process, is of no use for ever. */
const SPOOL_DAYS = 30;

/** Removes copies that nobody came back for. */
async function pruneSpool(folder: string): Promise<void> {
	const oldest = Date.now() - SPOOL_DAYS * 86_400_000;
	for (const name of await readdir(folder)) {
		const path = join(folder, name);
		const { mtimeMs } = await stat(path);
		if (mtimeMs < oldest) await unlink(path);
	}
}

export interface SpoolOptions {
	/** Where copies are kept, in a folder of their own. */
	stateDir: string;
	/** Told of the copy that is about to be made, so that whoever ends the process can remove it. */
	onSpool?: ((path: string) => void) | undefined;
}

/** Whether a file is such a copy. */
export function isSpooled(path: string, stateDir: string): boolean {
	return path.startsWith(join(stateDir, SPOOL_FOLDER) + sep);
}

/** Copies a stream into a private file, so that it can be read twice. */
export async function spool(
	bytes: AsyncIterable<Uint8Array>,
	{ stateDir, onSpool }: SpoolOptions,
): Promise<{ handle: FileHandle; path: string }> {
	const folder = join(stateDir, SPOOL_FOLDER);
	const path = join(folder, `input-${Date.now().toString(36)}-${randomBytes(6).toString('hex')}`);
	let handle: FileHandle | undefined;
	try {
		makeFolder(folder);
		await pruneSpool(folder).catch(() => undefined);
		const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
		onSpool?.(path);
		handle = await open(path, flags, 0o600);
		for await (const chunk of bytes) await handle.writeFile(chunk);
		return { handle, path };
	} catch (error) {
		await handle?.close();
		await unlink(path).catch(() => undefined);
		if (error instanceof SupportctlError) throw error;
		throw new FailedError(`can't keep a copy of standard input in ${folder}: ${fileProblem(error)}`, {
			code: 'spool_failed',
			hint: 'give the input as a file with --input, or another folder with SUPPORTCTL_STATE_DIR',
			cause: error,
		});
	}
}
