/** The sandbox's state on disk: written soon after changes and at the end, never half, and never over a file that can't be read. */

import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject } from '../api/values.js';
import { FailedError, fileProblem, isKnownFileProblem } from '../errors.js';
import { SEED_VERSION } from './samples.js';
import { type Changes, tableNames } from './store.js';

const FORMAT = 'supportctl-sandbox';

export interface State {
	seed: number;
	/** The sandbox's own application password, so that profiles keep working. */
	password: string;
	changes: Changes;
}

function isTable(value: unknown): boolean {
	if (!isObject(value) || !Array.isArray(value.gone) || !Array.isArray(value.rows)) return false;
	return value.gone.every(Number.isSafeInteger) && value.rows.every((row) => Number.isSafeInteger(row?.id));
}

/** The state in a file; undefined where there is no such file. Throws FailedError for one that can't be used. */
export function readState(path: string): State | undefined {
	const damaged = (what: string, cause?: unknown) =>
		new FailedError(`the state file ${path} ${what}`, {
			code: 'state_damaged',
			hint: 'Nothing was changed in it. Move it away, or name another file with --state.',
			cause,
		});
	let text: string;
	try {
		text = readFileSync(path, 'utf8');
	} catch (cause) {
		if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw damaged(`can't be read: ${(cause as Error).message}`, cause);
	}
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		// The parser's own words would quote the file, which holds a password.
		throw damaged('is damaged: it is not whole JSON');
	}
	if (!isObject(value) || value.format !== FORMAT) throw damaged('is not the state of a sandbox');
	if (value.samples !== SEED_VERSION)
		throw damaged('belongs to another version of the sandbox, which had other sample data');
	const { seed, password, changes } = value;
	const whole = isObject(changes) && tableNames.every((name) => isTable(changes[name]));
	if (!Number.isSafeInteger(seed) || typeof password !== 'string' || !whole)
		throw damaged('is damaged: parts of it are missing');
	return { seed: seed as number, password, changes: changes as Changes };
}

export interface StateFile {
	/** Writes it now. Throws FailedError. */
	write(): Promise<void>;
	/** Something changed: the file is written soon. */
	changed(): void;
	/** Writes now what is not yet on disk. Throws FailedError. */
	close(): Promise<void>;
}

/** Changes within this time go to disk together. */
const SOON_MS = 300;

/** @param warn called with the reason for a write that failed; it is tried again after the next change */
export function openStateFile(
	path: string,
	take: () => State,
	warn: (message: string) => void,
	clock: { monotonic(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> },
): StateFile {
	const closing = new AbortController();
	/** Which file it was when it was last written here. */
	let known = identity(path);
	let dirty = false;
	let writing: Promise<void> | undefined;
	let lastMs = 0;

	async function write(): Promise<void> {
		// Through a link, so that it stays one.
		const target = existsSync(path) ? realpathSync(path) : path;
		const temporary = `${target}.${process.pid}.tmp`;
		const started = clock.monotonic();
		dirty = false;
		const text = `${JSON.stringify({ format: FORMAT, samples: SEED_VERSION, ...take() })}\n`;
		try {
			if (identity(target) !== known) throw new Error('another process has written or removed it meanwhile');
			await rm(temporary, { force: true });
			const file = await open(temporary, 'wx', 0o600);
			await file.writeFile(text).finally(() => file.sync().finally(() => file.close()));
			await rename(temporary, target);
			known = identity(target);
		} catch (cause) {
			dirty = true;
			await rm(temporary, { force: true }).catch(() => {});
			const folder = dirname(target);
			const why = existsSync(folder) ? fileProblem(cause) : `there is no folder ${folder}`;
			throw new FailedError(`the state file ${path} can't be written: ${why}`, {
				code: 'state_not_written',
				hint: existsSync(target)
					? 'The last state that was written is still there.'
					: 'Nothing is kept. Name a file that can be written with --state.',
				...(isKnownFileProblem(cause) ? {} : { cause }),
			});
		}
		lastMs = clock.monotonic() - started;
	}

	async function writeSoon(): Promise<void> {
		while (dirty) {
			// A large state is written less often, so that writing never takes more than a tenth of the time.
			await clock.sleep(Math.max(SOON_MS, lastMs * 10), closing.signal);
			if (closing.signal.aborted) return;
			await write();
		}
	}

	return {
		write,
		changed() {
			dirty = true;
			if (writing !== undefined || closing.signal.aborted) return;
			writing = writeSoon()
				.catch((error: Error) => warn(error.message))
				.finally(() => {
					writing = undefined;
				});
		},
		async close() {
			closing.abort();
			await writing;
			if (dirty) await write();
		},
	};
}

/** What differs between one writing of a file and the next; empty where there is no file. */
function identity(path: string): string {
	const found = statSync(path, { throwIfNoEntry: false });
	return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs}`;
}
