/** Private copies of what can be read once only: standard input, pipes and devices. */

import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, stat, unlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { FailedError, fileProblem, SupportctlError } from '../../errors.js';
import { makeFolder } from '../../folder.js';

const SPOOL_FOLDER = 'spool';

const DAY_MS = 86_400_000;
/** A copy that was kept for a resume is removed after this long. */
const KEPT_MS = 30 * DAY_MS;
/** An empty copy is one that a process was about to make when it was killed. */
const EMPTY_MS = 60_000;

async function prune(folder: string): Promise<void> {
	for (const name of await readdir(folder)) {
		const path = join(folder, name);
		const { mtimeMs, size } = await stat(path);
		if (Date.now() - mtimeMs > (size === 0 ? EMPTY_MS : KEPT_MS)) await unlink(path);
	}
}

/** Whether a file is such a copy. */
export function isSpooled(path: string, stateDir: string): boolean {
	return path.startsWith(join(stateDir, SPOOL_FOLDER) + sep);
}

/** A copy of a stream. It has no name, so that nothing of it is left if this process is killed, until it is kept. */
export interface Spool {
	readonly handle: FileHandle;
	/** Where `keep` puts it. */
	readonly path: string;
	/** Gives the copy its name, for a later resume. */
	keep(): Promise<void>;
}

export interface SpoolOptions {
	/** Where copies are kept, in a folder of their own. */
	stateDir: string;
	/** Is called with the name that a copy may have from now on, so that whoever ends the process can remove it. */
	onSpool?: ((path: string) => void) | undefined;
}

/** Copies a stream, so that it can be read twice. */
export async function spool(bytes: AsyncIterable<Uint8Array>, { stateDir, onSpool }: SpoolOptions): Promise<Spool> {
	const folder = join(stateDir, SPOOL_FOLDER);
	const path = join(folder, `input-${Date.now().toString(36)}-${randomBytes(6).toString('hex')}`);
	const explain = (error: unknown): unknown => {
		if (error instanceof SupportctlError) return error;
		return new FailedError(`can't keep a copy of standard input in ${folder}: ${fileProblem(error)}`, {
			code: 'spool_failed',
			hint: 'give the input as a file with --input, or another folder with SUPPORTCTL_STATE_DIR',
			cause: error,
		});
	};
	let handle: FileHandle | undefined;
	try {
		makeFolder(folder);
		await prune(folder).catch(() => undefined);
		onSpool?.(path);
		handle = await open(path, 'wx+', 0o600);
		await unlink(path);
		for await (const chunk of bytes) await handle.writeFile(chunk);
	} catch (error) {
		await handle?.close();
		throw explain(error);
	}
	const copy = handle;
	return {
		handle,
		path,
		async keep() {
			let named: FileHandle | undefined;
			try {
				named = await open(path, 'wx', 0o600);
				// Read by place, since the file's own place is at its end.
				for await (const chunk of copy.createReadStream({ start: 0, autoClose: false })) await named.writeFile(chunk);
				await named.sync();
			} catch (error) {
				await unlink(path).catch(() => undefined);
				throw explain(error);
			} finally {
				await named?.close();
			}
		},
	};
}
