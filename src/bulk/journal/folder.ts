/** Runs by ID, which sorts by time, and their journals. */

import {
	closeSync,
	existsSync,
	fstatSync,
	readdirSync,
	readSync,
	realpathSync,
	rmSync,
	type Stats,
	statSync,
} from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { counted } from '../../api/names.js';
import { FailedError, fileProblem, UsageError } from '../../errors.js';
import { openRegularFile } from '../../folder.js';
import { lockHolder } from '../../lock.js';
import type { RunHeader } from '../plan.js';
import { type Counts, withUnsent } from './counts.js';
import { RUN_ID } from './header.js';
import type { JournalScan } from './history.js';
import { lineReader, scanJournal } from './read.js';
import { type EndRecord, readHeader, recordIn, unreadableJournal } from './records.js';

const EXTENSION = '.ndjson';

export function runsFolder(stateDir: string): string {
	return join(stateDir, 'runs');
}

/** The journal of a run, or a link to where --journal put it. */
export function journalPath(stateDir: string, id: string): string {
	return join(runsFolder(stateDir), id + EXTENSION);
}

/** Whether a run of this user made it here; it may be elsewhere (--journal), with a link in the state folder. */
export function isOwnJournal(stateDir: string, id: string, path: string): boolean {
	try {
		const isLinked = realpathSync(journalPath(stateDir, id)) === realpathSync(path);
		const user = process.getuid?.();
		return isLinked && (user === undefined || statSync(path).uid === user);
	} catch {
		return false;
	}
}

/** What an ID begins with: `20261121-074512`. */
export function idTime(ms: number): string {
	return new Date(ms).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
}

/** Sorts by time: `20261121-074512-f3k9x`. */
export function createRunId(now: number, random: () => number): string {
	const time = idTime(now);
	const digits = (value: number, count: number): string => value.toString(36).padStart(count, '0');
	return `${time}-${digits(now % 1000, 2)}${digits(Math.floor(random() * 36 ** 3), 3)}`;
}

/** For a run that belongs to another one and should be listed before it. There may be thousands: no two have one ID. */
export function runIdBefore(id: string, stateDir: string, random: () => number): string {
	const [, year, month, day, hour, minute, second] = /^(....)(..)(..)-(..)(..)(..)/.exec(id) ?? [];
	const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
	for (;;) {
		const before = createRunId(time - 1 - Math.floor(random() * 999), random);
		if (!existsSync(journalPath(stateDir, before))) return before;
	}
}

/** Oldest first. A run whose start isn't known, such as a copied journal, follows the one before it by ID. */
export function runIds(stateDir: string): string[] {
	const folder = runsFolder(stateDir);
	try {
		const names = readdirSync(folder).filter((name) => name.endsWith(EXTENSION));
		const ids = names.map((name) => name.slice(0, -EXTENSION.length));
		return ids.filter((id) => RUN_ID.test(id)).sort();
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
		throw new FailedError(`can't read the directory of journals ${folder}: ${fileProblem(error)}`, {
			code: 'unreadable_runs',
			hint: 'set SUPPORTCTL_STATE_DIR to a readable directory',
			cause: error,
		});
	}
}

/** `f3k9x` of `20261121-074512-f3k9x`: what people read and type. */
export function shortId(id: string): string {
	return id.slice(id.lastIndexOf('-') + 1);
}

function runsNamed(ids: readonly string[], name: string): readonly string[] {
	if (name === '') return [];
	if (name === 'last') return ids.slice(-1);
	if (ids.includes(name)) return [name];
	const short = ids.filter((id) => shortId(id) === name);
	return short.length > 0 ? short : ids.filter((id) => id.startsWith(name));
}

/** What cannot be looked at is not "not found". @throws FailedError */
function statsOf(path: string): Stats | undefined {
	try {
		return statSync(path);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
		throw unreadableJournal(path, error);
	}
}

/** By path, ID, short ID, unique prefix or `last`. @throws UsageError, or FailedError for one that can't be looked at */
export function findRun(stateDir: string, name: string, cwd = '.'): string {
	const path = resolve(cwd, name);
	if (name.includes('/') || name.includes(sep) || name.endsWith(EXTENSION)) {
		const found = statsOf(path);
		if (found?.isFile() === true) return realpathSync(path);
		const why = found === undefined ? 'not found' : 'is not a regular file';
		throw new UsageError(`journal ${name} ${why}`, { code: 'no_such_run' });
	}
	const matches = runsNamed(runIds(stateDir), name);
	const [id = '', ...more] = matches;
	if (more.length > 0) {
		throw new UsageError(`${counted(matches.length, 'run')} match "${name}": ${matches.slice(0, 5).join(', ')}`, {
			code: 'ambiguous_run',
			hint: 'use a longer prefix, or the full ID',
		});
	}
	if (id !== '') {
		const journal = journalPath(stateDir, id);
		if (statsOf(journal) !== undefined) return realpathSync(journal);
		throw new UsageError(`journal of run ${id} not found: ${journal}`, { code: 'no_such_run' });
	}
	if (name !== '' && statsOf(path)?.isFile() === true) return realpathSync(path);
	throw new UsageError(name === 'last' ? 'no runs yet' : `run "${name}" not found`, {
		code: 'no_such_run',
		hint: 'list runs with "supportctl run list", or pass the path of a journal',
	});
}

interface StateFacts {
	/** Whether the journal may be needed to finish the run. */
	readonly isOpen: boolean;
	/** Whether no process is at it any more. */
	readonly hasEnded: boolean;
	/** Whether rows may have been sent that no record names. */
	readonly hidesRows: boolean;
	/** Whether nobody can say what became of the rows. */
	readonly isLost: boolean;
}

const ended = { isOpen: true, hasEnded: true, hidesRows: false, isLost: false } as const;

/** A member that lacks a column does not compile. */
const stateRows = {
	running: { isOpen: false, hasEnded: false, hidesRows: true, isLost: false },
	finished: { ...ended, isOpen: false },
	stopped: ended,
	interrupted: ended,
	/** Killed, or the machine failed. */
	crashed: { ...ended, hidesRows: true },
	damaged: { ...ended, isLost: true },
	/** This user may not read the journal. */
	unreadable: { ...ended, isLost: true },
} as const satisfies Record<string, StateFacts>;

export type RunState = keyof typeof stateRows;

export const runStates: Readonly<Record<RunState, StateFacts>> = stateRows;

export function isRunState(name: unknown): name is RunState {
	return typeof name === 'string' && Object.hasOwn(runStates, name);
}

export interface RunSummary {
	id: string;
	path: string;
	state: RunState;
	/** Undefined if the journal can't be read. */
	header?: RunHeader;
	counts?: Counts;
	end?: EndRecord | undefined;
	problem?: string;
}

const EDGE_BYTES = 64 * 1024;

/** Lists must not read whole journals. */
function readEdges(path: string): { first: string; last: string } {
	const fd = openRegularFile(path);
	try {
		const first = lineReader(fd)(0)?.text ?? '';
		const { size } = fstatSync(fd);
		const tail = Buffer.alloc(Math.min(size, EDGE_BYTES));
		const length = readSync(fd, tail, 0, tail.length, size - tail.length);
		return { first, last: tail.toString('utf8', 0, length).split('\n').at(-2) ?? '' };
	} finally {
		closeSync(fd);
	}
}

/** @throws FailedError */
export function readRunHeader(path: string): RunHeader {
	try {
		return readHeader(readEdges(path).first, path);
	} catch (error) {
		throw unreadableJournal(path, error);
	}
}

function stateAfter(end: EndRecord | undefined, counts: Counts): RunState {
	if (end === undefined) return 'crashed';
	if (end.interrupted) return 'interrupted';
	return counts['not-sent'] > counts.left_out ? 'stopped' : 'finished';
}

/**
 * Reads the whole journal only if it has no end.
 * @param scan whose records count, whatever the end says
 */
export async function summariseRun(journal: string, id: string, scan?: JournalScan): Promise<RunSummary> {
	let path = journal;
	try {
		path = realpathSync(journal);
		const { first, last } = readEdges(path);
		const header = readHeader(first, path);
		const record = recordIn(last);
		const end = typeof record !== 'string' && record.type === 'end' ? record : undefined;
		const isBrief = scan === undefined && end !== undefined;
		const counts = isBrief ? end.counts : recordedCounts(scan ?? (await scanJournal(path)));
		const state = lockHolder(`${path}.lock`) === undefined ? stateAfter(end, counts) : 'running';
		return { id: header.id, path, state, header, counts, end };
	} catch (error) {
		return { id, path, state: isOfSystem(error) ? 'unreadable' : 'damaged', problem: whyNot(error) };
	}
}

/** Rows without a record were not sent, unless the run was killed. */
function recordedCounts({ header, end, counts }: JournalScan): Counts {
	return end === undefined ? counts : withUnsent(header, counts);
}

/** Whether the system keeps it from being read, rather than what it says. */
function isOfSystem(error: unknown): boolean {
	const { code, cause } = error as NodeJS.ErrnoException;
	return /^E[A-Z]+$/.test(code ?? '') || (cause !== undefined && isOfSystem(cause));
}

/** Without the path, which stands beside it. */
function whyNot(error: unknown): string {
	return fileProblem(error).replace(/^can't read the (?:journal|lock) [^\n]*?: /, '');
}

/** The runs that the state folder knows of, newest first. */
export async function listRuns(stateDir: string): Promise<RunSummary[]> {
	const summaries: RunSummary[] = [];
	for await (const summary of runsIn(stateDir)) summaries.push(summary);
	return summaries;
}

/** Newest first. @param since milliseconds since 1970 */
export async function* runsIn(stateDir: string, since = 0): AsyncGenerator<RunSummary> {
	// IDs begin with the time, so older journals need not be opened.
	const least = idTime(Math.max(0, since));
	for (const id of runIds(stateDir).reverse()) {
		if (id < least) return;
		yield await summariseRun(journalPath(stateDir, id), id);
	}
}

/** A journal that says nothing, and why. */
export type SkippedRun = RunSummary & { readonly problem: string };

export function isSkipped(summary: RunSummary): summary is SkippedRun {
	return summary.problem !== undefined;
}

/** A journal elsewhere (--journal) stays; only the link goes. */
export function removeRun(stateDir: string, id: string): void {
	rmSync(journalPath(stateDir, id), { force: true });
}
