/** Runs by name: their ids, in which order they were started, and the journals that the state folder knows of. */

import {
	appendFileSync,
	closeSync,
	existsSync,
	fstatSync,
	readdirSync,
	readFileSync,
	readSync,
	realpathSync,
	rmSync,
	statSync,
} from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { FailedError, fileProblem, UsageError } from '../../errors.js';
import { openRegularFile } from '../../folder.js';
import { lockHolder } from '../../lock.js';
import type { RunHeader } from '../run/plan.js';
import type { Counts } from './counts.js';
import type { JournalScan } from './history.js';
import { lineReader, scanJournal } from './read.js';
import { type EndRecord, endRecordOf, parseRecord, readHeader } from './records.js';

const EXTENSION = '.ndjson';

/** The folder of journals below the state folder. */
export function runsFolder(stateDir: string): string {
	return join(stateDir, 'runs');
}

/** Where the journal of a run is, or a link to it. */
export function journalPath(stateDir: string, id: string): string {
	return join(runsFolder(stateDir), id + EXTENSION);
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** A name that sorts by time, to the millisecond: `20261121-074512-f3k9x`. @param random 0 ≤ x < 1. */
export function createRunId(now: number, random: () => number): string {
	const time = new Date(now).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
	const ms = now % 1000;
	let tail = `${DIGITS[ms >> 5]}${DIGITS[ms & 31]}`;
	for (let index = 0; index < 3; index++) tail += DIGITS[Math.floor(random() * 32)];
	return `${time}-${tail}`;
}

/** What createRunId makes. */
const RUN_ID = /^\d{8}-\d{6}-[0-9a-z]{5}$/;

/** Where runs are noted in the order of their starts, one id a line: a clock may be set back. */
const orderFile = (stateDir: string): string => join(runsFolder(stateDir), '.order');

/** Notes that a run was started, after all that are noted already. */
export function noteStarted(stateDir: string, id: string): void {
	try {
		// Appended in one piece, so that runs which start at once lose nothing; the break comes first, so that a line
		// that was cut off by a crash spoils no other.
		appendFileSync(orderFile(stateDir), `\n${id}`, { mode: 0o600 });
	} catch {
		// Its id still says when it was started.
	}
}

/**
 * The ids of all runs in the state folder, the oldest start first. One whose start is not noted, such as a copied
 * journal, stands right behind the last start that its id is later than; what is no run's id comes before all others.
 */
export function runIds(stateDir: string): string[] {
	const folder = runsFolder(stateDir);
	let names: string[];
	try {
		names = readdirSync(folder);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
		throw new FailedError(`can't read the folder of runs ${folder}: ${fileProblem(error)}`, {
			code: 'unreadable_runs',
			hint: 'set SUPPORTCTL_STATE_DIR to a readable folder',
			cause: error,
		});
	}
	const isJournal = (name: string): boolean => name.endsWith(EXTENSION) && !name.startsWith('.');
	const there = new Set(names.filter(isJournal).map((name) => name.slice(0, -EXTENSION.length)));
	let noted = '';
	try {
		noted = readFileSync(orderFile(stateDir), 'utf8');
	} catch {
		// No start was noted yet.
	}
	const runs = noted.split('\n').filter((id) => there.delete(id));
	const others = [...there].sort();
	for (const id of others.filter((each) => RUN_ID.test(each))) {
		runs.splice(runs.findLastIndex((each) => each < id) + 1, 0, id);
	}
	return [...others.filter((id) => !RUN_ID.test(id)), ...runs];
}

/**
 * The journal of a run that a person named: a path, an id, a unique start of one, `last`, or a file beside it.
 * @throws UsageError where there is none or more than one
 */
export function findRun(stateDir: string, name: string, cwd = '.'): string {
	const path = resolve(cwd, name);
	const found = statSync(path, { throwIfNoEntry: false });
	if (name.includes('/') || name.includes(sep) || name.endsWith(EXTENSION)) {
		if (found?.isFile() === true) return realpathSync(path);
		const message = found === undefined ? `journal ${name} not found` : `${name} isn't a journal: not a regular file`;
		throw new UsageError(message, { code: 'no_such_run' });
	}
	const ids = runIds(stateDir);
	const isStart = (id: string): boolean => name !== '' && id.startsWith(name);
	const matches = name === 'last' ? ids.slice(-1) : ids.includes(name) ? [name] : ids.filter(isStart);
	const [id = '', ...more] = matches;
	if (more.length > 0) {
		throw new UsageError(`${matches.length} runs start with "${name}": ${matches.slice(0, 5).join(', ')}`, {
			code: 'ambiguous_run',
			hint: 'use a longer prefix',
		});
	}
	if (id !== '') {
		const journal = journalPath(stateDir, id);
		if (existsSync(journal)) return realpathSync(journal);
		throw new UsageError(`journal of run ${id} not found: ${journal}`, { code: 'no_such_run' });
	}
	if (name !== '' && found?.isFile() === true) return realpathSync(path);
	throw new UsageError(name === 'last' ? 'no runs yet' : `run "${name}" not found`, {
		code: 'no_such_run',
		hint: 'supportctl run list shows the runs; for a journal elsewhere, pass its path',
	});
}

/**
 * `running`: a process has it; `finished`: it came to its last row; `stopped`: it ended before that by itself;
 * `interrupted`: a signal stopped it; `broken-off`: it has no end.
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

/** The first line and, where it is short, the last one: a list must not read whole journals. */
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

/** What a run was started with. @throws FailedError for a file that is no journal */
export function readRunHeader(path: string): RunHeader {
	return readHeader(readEdges(path).first, path);
}

function stateOf(end: EndRecord | undefined): RunState {
	if (end === undefined) return 'broken-off';
	if (end.interrupted) return 'interrupted';
	return end.counts['not-sent'] > 0 ? 'stopped' : 'finished';
}

/** What a journal amounts to; only one without an end is read as a whole, unless that was done already. */
export async function summariseRun(journal: string, id: string, scan?: JournalScan): Promise<RunSummary> {
	let path = journal;
	try {
		path = realpathSync(journal);
		const { first, last } = readEdges(path);
		const header = readHeader(first, path);
		const record = parseRecord(last);
		const end = typeof record === 'string' ? undefined : endRecordOf(record);
		const counts = end?.counts ?? (scan ?? (await scanJournal(path))).counts;
		const state = lockHolder(`${path}.lock`) === undefined ? stateOf(end) : 'running';
		return { id: header.id, path, state, header, counts, ...(end === undefined ? {} : { end }) };
	} catch (error) {
		return { id, path, state: 'damaged', problem: fileProblem(error) };
	}
}

/** The runs that the state folder knows of, the newest first, at most `limit`. */
export async function listRuns(stateDir: string, limit = Number.POSITIVE_INFINITY): Promise<RunSummary[]> {
	const summaries: RunSummary[] = [];
	for (const id of runIds(stateDir).reverse().slice(0, limit)) {
		summaries.push(await summariseRun(journalPath(stateDir, id), id));
	}
	return summaries;
}

/** Removes a run from the state folder; a journal elsewhere (--journal) stays, and only the link to it goes. */
export function removeRun(stateDir: string, id: string): void {
	rmSync(journalPath(stateDir, id), { force: true });
}
