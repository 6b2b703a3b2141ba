/** The sandbox's state on disk: written soon after changes and at the end, never half, and never over a file that can't be read. */

import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject } from '../api/values.js';
import { FailedError, fileProblem, isKnownFileProblem } from '../errors.js';
import { SEED_VERSION } from './seed.js';
import { type Changes, tableNames } from './store.js';

const FORMAT = 'supportctl-sandbox';

export interface State {
	seed: number;
	/** The sandbox's own application password, so that profiles keep working. */
	password: string;
	changes: Changes;
}

function damaged(path: string, what: string, cause?: unknown): FailedError {
	return new FailedError(`the state file ${path} ${what}`, {
		code: 'state_damaged',
		hint: 'Nothing was changed in it. Move it away, or name another file with --state.',
		cause,
	});
}

function isTable(value: unknown): boolean {
	if (!isObject(value) || !Array.isArray(value.gone) || !Array.isArray(value.rows)) return false;
	return (
		value.gone.every(Number.isSafeInteger) && value.rows.every((row) => isObject(row) && Number.isSafeInteger(row.id))
	);
}

/** The state in a file; undefined where there is no such file. Throws FailedError for one that can't be used. */
export function readState(path: string): State | undefined {
	let text: string;
	try {
		text = readFileSync(path, 'utf8');
	} catch (cause) {
		if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw damaged(path, `can't be read: ${(cause as Error).message}`, cause);
	}
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		// The parser's own words would quote the file, which holds a password.
		throw damaged(path, 'is damaged: it is not whole JSON');
	}
	if (!isObject(value) || value.format !== FORMAT) throw damaged(path, 'is not the state of a sandbox');
	if (value.samples !== SEED_VERSION) {
		throw damaged(path, 'belongs to another version of the sandbox, which had other sample data');
	}
	const { seed, password, changes } = value;
	const whole = isObject(changes) && tableNames.every((name) => isTable(changes[name]));
	if (!Number.isSafeInteger(seed) || typeof password !== 'string' || !whole) {
		throw damaged(path, 'is damaged: parts of it are missing');
	}
	return { seed: seed as number, password, changes: changes as Changes };
}

export interface StateFileOptions {
	take(): State;
	/** Called with the reason for a write that failed; it is tried again after the next change. */
	warn(message: string): void;
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
	monotonic(): number;
}

/** Changes within this time go to disk together. */
const SOON_MS = 300;

export class StateFile {
	readonly #path: string;
	readonly #options: StateFileOptions;
	readonly #closing = new AbortController();
	/** Which file it was when it was last written here. */
	#known: string;
	#dirty = false;
	#writing: Promise<void> | undefined;
	#lastMs = 0;

	constructor(path: string, options: StateFileOptions) {
		this.#path = path;
		this.#options = options;
		this.#known = identity(path);
	}

	/** Writes it now. Throws FailedError. */
	async write(): Promise<void> {
		// Through a link, so that it stays one.
		const target = existsSync(this.#path) ? realpathSync(this.#path) : this.#path;
		const temporary = `${target}.${process.pid}.tmp`;
		const started = this.#options.monotonic();
		this.#dirty = false;
		const text = `${JSON.stringify({ format: FORMAT, samples: SEED_VERSION, ...this.#options.take() })}\n`;
		try {
			if (identity(target) !== this.#known) throw new Error('another process has written or removed it meanwhile');
			await rm(temporary, { force: true });
			const file = await open(temporary, 'wx', 0o600);
			await file.writeFile(text).finally(() => file.sync().finally(() => file.close()));
			await rename(temporary, target);
			this.#known = identity(target);
		} catch (cause) {
			this.#dirty = true;
			await rm(temporary, { force: true }).catch(() => {});
			throw new FailedError(`the state file ${this.#path} can't be written: ${explain(cause, target)}`, {
				code: 'state_not_written',
				hint: existsSync(target)
					? 'The last state that was written is still there.'
					: 'Nothing is kept. Name a file that can be written with --state.',
				...(isKnownFileProblem(cause) ? {} : { cause }),
			});
		}
		this.#lastMs = this.#options.monotonic() - started;
	}

	/** A large state is written less often, so that writing never takes more than a tenth of the time. */
	async #writeSoon(): Promise<void> {
		while (this.#dirty && !this.#closing.signal.aborted) {
			await this.#options.sleep(Math.max(SOON_MS, this.#lastMs * 10), this.#closing.signal);
			if (this.#closing.signal.aborted) return;
			try {
				await this.write();
			} catch (error) {
				this.#options.warn((error as Error).message);
				return;
			}
		}
	}

	/** Something changed: the file is written soon. */
	changed(): void {
		this.#dirty = true;
		if (this.#writing !== undefined || this.#closing.signal.aborted) return;
		this.#writing = this.#writeSoon().finally(() => {
			this.#writing = undefined;
		});
	}

	/** Writes now what is not yet on disk. Throws FailedError. */
	async close(): Promise<void> {
		this.#closing.abort();
		await this.#writing;
		if (this.#dirty) await this.write();
	}
}

/** Why it could not be written. */
function explain(cause: unknown, target: string): string {
	const folder = dirname(target);
	if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') return fileProblem(cause);
	return existsSync(folder) ? (cause as Error).message : `there is no folder ${folder}`;
}

/** What differs between one writing of a file and the next; empty where there is no file. */
function identity(path: string): string {
	const found = statSync(path, { throwIfNoEntry: false });
	return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs}`;
}
