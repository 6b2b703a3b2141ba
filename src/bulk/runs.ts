/** Runs by name: their ids, and the journals that the state folder knows of. */

import {
	closeSync,
	existsSync,
	fstatSync,
	openSync,
	readdirSync,
	readSync,
	realpathSync,
	rmSync,
	statSync,
} from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { FailedError, fileProblem, UsageError } from '../errors.js';
import { lockHolder } from '../lock.js';
import type { Counts } from './counts.js';
import { runsFolder } from './journal.js';
import { MAX_LINE_BYTES } from './journal-lines.js';
import { endRecordOf, readHeader } from './read-records.js';
import type { EndRecord } from './records.js';
import type { RunHeader } from './run/plan.js';
import { inStartOrder } from './run-order.js';
import { type JournalScan, scanJournal } from './scan.js';

const EXTENSION = '.ndjson';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** A name that sorts by time, to the millisecond: `20261121-074512-f3k9x`. @param random 0 ≤ x < 1. */
export function createRunId(now: number, random: () => number): string {
	const time = new Date(now).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
	const ms = now % 1000;
	let tail = `${DIGITS[ms >> 5]}${DIGITS[ms & 31]}`;
	for (let index = 0; index < 3; index++) tail += DIGITS[Math.floor(random() * 32)];
	return `${time}-${tail}`;
}

/** The ids of all runs in the state folder, the one that was started first before the others. */
export function runIds(stateDir: string): string[] {
	const folder = runsFolder(stateDir);
	try {
		const ids = readdirSync(folder)
			.filter((name) => name.endsWith(EXTENSION) && !name.startsWith('.'))
			.map((name) => name.slice(0, -EXTENSION.length));
		return inStartOrder(folder, ids);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
		throw new FailedError(`can't read the folder of runs ${folder}: ${fileProblem(error)}`, {
			code: 'unreadable_runs',
			hint: 'let SUPPORTCTL_STATE_DIR name a folder that you can read',
			cause: error,
		});
	}
}

/** @throws UsageError for what could be read without end */
function regularFile(path: string, name: string): string {
	if (statSync(path).isFile()) return realpathSync(path);
	throw new UsageError(`${name} is not a journal: it is not a regular file`, { code: 'no_such_run' });
}

/**
 * The journal of a run that a person named: a path, an id, a unique start of one, or `last`.
 * Throws UsageError where there is none or more than one.
 */
export function findRun(stateDir: string, name: string, cwd = '.'): string {
	const isPath = name.includes('/') || name.includes(sep) || name.endsWith(EXTENSION);
	if (isPath) {
		const path = resolve(cwd, name);
		if (existsSync(path)) return regularFile(path, name);
		throw new UsageError(`there is no journal ${name}`, { code: 'no_such_run' });
	}
	const ids = runIds(stateDir);
	const matches =
		name === 'last' ? ids.slice(-1) : ids.includes(name) ? [name] : ids.filter((id) => id.startsWith(name));
	if (name !== '' && matches.length === 1) return journalOf(stateDir, matches[0] as string);
	const beside = resolve(cwd, name);
	if (name !== '' && matches.length === 0 && statSync(beside, { throwIfNoEntry: false })?.isFile() === true)
		return realpathSync(beside);
	if (matches.length > 1 && name !== '') {
		throw new UsageError(`${matches.length} runs start with "${name}": ${matches.slice(0, 5).join(', ')}`, {
			code: 'ambiguous_run',
			hint: 'give more of the id',
		});
	}
	throw new UsageError(name === 'last' ? 'there is no run yet' : `there is no run "${name}"`, {
		code: 'no_such_run',
		hint: 'supportctl run list shows the runs; a journal elsewhere is named by its path',
	});
}

function journalOf(stateDir: string, id: string): string {
	const path = join(runsFolder(stateDir), `${id}${EXTENSION}`);
	try {
		return realpathSync(path);
	} catch (error) {
		throw new UsageError(`the journal of run ${id} is gone: ${path}`, { code: 'no_such_run', cause: error });
	}
}

/**
 * `running`: a process has it; `finished`: it came to its last row; `stopped`: it ended before that by itself;
 * `interrupted`: it was told to stop; `broken-off`: it has no end.
 */
export type RunState = 'running' | 'finished' | 'stopped' | 'interrupted' | 'broken-off' | 'damaged';

/** One run, as a list shows it. */
export interface RunSummary {
	id: string;
	path: string;
	state: RunState;
	/** Absent where the journal can't be read. */
	header?: RunHeader;
	counts?: Counts;
	end?: EndRecord;
	/** Why it is damaged. */
	problem?: string;
}

const EDGE_BYTES = 64 * 1024;

/** The text up to the first line's end, which may be far away: a header has every id that was an argument. Empty without one. */
function readFirstLine(fd: number): string {
	const pieces: Buffer[] = [];
	for (let at = 0; at < MAX_LINE_BYTES; at += EDGE_BYTES) {
		const piece = Buffer.alloc(EDGE_BYTES);
		const length = readSync(fd, piece, 0, EDGE_BYTES, at);
		const end = piece.subarray(0, length).indexOf(10);
		pieces.push(piece.subarray(0, end < 0 ? length : end));
		if (end >= 0) return Buffer.concat(pieces).toString('utf8');
		if (length < EDGE_BYTES) break;
	}
	return '';
}

/** The first line and, where it is the run's end, the last one: a list must not read whole journals. */
function readEdges(path: string): { first: string; last: string } {
	const fd = openSync(path, 'r');
	try {
		const first = readFirstLine(fd);
		const { size } = fstatSync(fd);
		const tail = Buffer.alloc(Math.min(size, EDGE_BYTES));
		const tailLength = readSync(fd, tail, 0, tail.length, size - tail.length);
		const lines = tail.toString('utf8', 0, tailLength).split('\n');
		return { first, last: lines.at(-2) ?? '' };
	} finally {
		closeSync(fd);
	}
}

/** What a run was started with. @throws FailedError for a file that is no journal */
export function readRunHeader(path: string): RunHeader {
	return readHeader(readEdges(path).first, path);
}

function parseEnd(line: string): EndRecord | undefined {
	if (!line.startsWith('{"type":"end"')) return undefined;
	try {
		return endRecordOf(JSON.parse(line) as Record<string, unknown>);
	} catch {
		return undefined;
	}
}

function stateOf(end: EndRecord | undefined): RunState {
	if (end === undefined) return 'broken-off';
	if (end.interrupted) return 'interrupted';
	return end.counts['not-sent'] > 0 ? 'stopped' : 'finished';
}

/** What a journal amounts to; only one without an end is read as a whole, unless that was done already. */
export async function summariseRun(path: string, id: string, scan?: JournalScan): Promise<RunSummary> {
	try {
		const { first, last } = readEdges(path);
		const header = readHeader(first, path);
		const end = parseEnd(last);
		const held = lockHolder(`${path}.lock`) !== undefined;
		const counts = end?.counts ?? (scan ?? (await scanJournal(path))).counts;
		const state = held ? 'running' : stateOf(end);
		return { id: header.id, path, state, header, counts, ...(end === undefined ? {} : { end }) };
	} catch (error) {
		return { id, path, state: 'damaged', problem: (error as Error).message };
	}
}

/** Removes a run from the state folder; a journal elsewhere (--journal) stays, and only the link to it goes. */
export function removeRun(stateDir: string, id: string): void {
	rmSync(join(runsFolder(stateDir), `${id}${EXTENSION}`), { force: true });
}

/** The runs that the state folder knows of, the newest first, at most `limit`. */
export async function listRuns(stateDir: string, limit = Number.POSITIVE_INFINITY): Promise<RunSummary[]> {
	const summaries: RunSummary[] = [];
	for (const id of runIds(stateDir).reverse().slice(0, limit)) {
		let path: string;
		try {
			path = journalOf(stateDir, id);
		} catch (error) {
			summaries.push({
				id,
				path: join(runsFolder(stateDir), id + EXTENSION),
				state: 'damaged',
				problem: (error as Error).message,
			});
			continue;
		}
		summaries.push(await summariseRun(path, id));
	}
	return summaries;
}
