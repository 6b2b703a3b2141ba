/** What the sandbox holds: records by id, and the file that keeps those which were changed. */

import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isObject } from '../api/values.js';
import { FailedError, fileProblem } from '../errors.js';
import type { Seed } from './samples.js';

/** Ticket fields that hold the id of one term; 0 is none. */
export const ticketTermFields = ['product', 'department', 'ticket_priority', 'ticket_channel'] as const;

type TableName = keyof Seed;

/** The rows of one kind by id; `put` what was changed. */
export class Table<T extends { id: number }> extends Map<number, T> {
	readonly touched = new Set<number>();
	readonly #changed: () => void;

	constructor(rows: readonly T[], changed: () => void) {
		super(rows.map((row) => [row.id, row]));
		this.#changed = changed;
	}

	put(row: T): void {
		this.set(row.id, row);
		this.touched.add(row.id);
		this.#changed();
	}

	remove(id: number): void {
		this.delete(id);
		this.touched.add(id);
		this.#changed();
	}
}

/** The records. Tests may read and write them directly. */
export interface Store extends Readonly<{ [Name in TableName]: Table<Seed[Name][number]> }> {
	repliesOf(ticketId: number): Seed['replies'];
}

const tableNames = ['tickets', 'replies', 'attachments', 'users', 'terms', 'customValues'] as const;

/** @param changed called after every change */
export function createStore(seed: Seed, changed: () => void = () => {}): Store {
	const entries = tableNames.map((name) => [name, new Table<{ id: number }>(seed[name], changed)]);
	const tables: Omit<Store, 'repliesOf'> = Object.fromEntries(entries);
	return { ...tables, repliesOf: (id) => [...tables.replies.values()].filter(({ ticket }) => ticket === id) };
}

/** What differs from the seed: the id of each row that was changed, and the row, or null where it is gone. */
type Changes = Readonly<Record<TableName, readonly (readonly [id: number, row: { id: number } | null])[]>>;

export function changesOf(store: Store): Changes {
	const changes = tableNames.map((name) => [
		name,
		[...store[name].touched].map((id) => [id, store[name].get(id) ?? null]),
	]);
	return Object.fromEntries(changes);
}

export function applyChanges(store: Store, changes: Changes): void {
	for (const name of tableNames) {
		for (const [id, row] of changes[name]) {
			if (row === null) store[name].remove(id);
			else store[name].put(row as never);
		}
	}
}

const FORMAT = 'supportctl-sandbox';

/** Changes with the format below and with the sample data, so that a file made for other data is refused. */
const VERSION = 4;

export interface State {
	seed: number;
	/** The sandbox's own application password, so that profiles keep working. */
	password: string;
	changes: Changes;
}

/** The state in a file; undefined where there is no such file. Throws FailedError for one that can't be used. */
export function readState(path: string): State | undefined {
	const refuse = (what: string): FailedError =>
		new FailedError(`the state file ${path} ${what}`, {
			code: 'state_damaged',
			hint: 'nothing was changed in it; move it away, or name another file with --state',
		});
	let value: unknown;
	try {
		value = JSON.parse(readFileSync(path, 'utf8'));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		// The parser's own words would quote the file, which holds a password.
		throw refuse(
			error instanceof SyntaxError ? 'is damaged: it is not whole JSON' : `can't be read: ${fileProblem(error)}`,
		);
	}
	if (!isObject(value) || value.format !== FORMAT) throw refuse('is not the state of a sandbox');
	if (value.version !== VERSION) throw refuse('belongs to another version of the sandbox, which had other data');
	const { seed, password, changes } = value;
	const isChange = (each: unknown): boolean => Array.isArray(each) && Number.isSafeInteger(each[0]);
	const isWhole =
		isObject(changes) &&
		tableNames.every((name) => Array.isArray(changes[name]) && (changes[name] as unknown[]).every(isChange));
	if (!Number.isSafeInteger(seed) || typeof password !== 'string' || !isWhole)
		throw refuse('is damaged: parts of it are missing');
	return { seed: seed as number, password, changes: changes as Changes };
}

/** Changes within this time go to disk together. */
const SOON_MS = 300;

/**
 * Writes the state at once, and again soon after each change; the file is replaced as a whole.
 * @param warn called with the reason for a write that failed; it is tried again after the next change
 * @throws FailedError
 */
export function openStateFile(path: string, take: () => State, warn: (message: string) => void) {
	let isDirty = false;
	let timer: NodeJS.Timeout | undefined;

	function write(): void {
		// Through a link, so that it stays one.
		const target = existsSync(path) ? realpathSync(path) : path;
		const temporary = `${target}.${process.pid}.tmp`;
		try {
			rmSync(temporary, { force: true });
			const text = `${JSON.stringify({ format: FORMAT, version: VERSION, ...take() })}\n`;
			writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
			renameSync(temporary, target);
			isDirty = false;
		} catch (cause) {
			rmSync(temporary, { force: true });
			const folder = dirname(target);
			const why = existsSync(folder) ? fileProblem(cause) : `there is no folder ${folder}`;
			throw new FailedError(`the state file ${path} can't be written: ${why}`, {
				code: 'state_not_written',
				hint: existsSync(target)
					? 'the last state that was written is still there'
					: 'nothing is kept; name a file that can be written with --state',
			});
		}
	}

	write();
	return {
		changed(): void {
			isDirty = true;
			timer ??= setTimeout(() => {
				timer = undefined;
				try {
					write();
				} catch (error) {
					warn((error as Error).message);
				}
			}, SOON_MS);
		},
		/** Writes what is not yet on disk. @throws FailedError */
		close(): void {
			clearTimeout(timer);
			if (isDirty) write();
		},
	};
}
