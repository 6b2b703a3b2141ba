/** Reads a journal from its start to its end in constant memory, and says how its run stands. */

import { open } from 'node:fs/promises';
import { FailedError, fileProblem } from '../errors.js';
import type { OutcomeName } from '../http/outcome.js';
import { type Counts, createCounts, isRefused, outcomeNames } from './counts.js';
import { type Json, journalLines, parseRecord } from './journal-lines.js';
import { endRecordOf, isCount, notAJournal, readHeader } from './read-records.js';
import type { EndRecord } from './records.js';
import { FORBIDDEN, isDoneState, LOST, OUTCOME, REFUSED, RowStates, SENT, UNAUTHORIZED } from './row-states.js';
import { isDeletePlan, type RunHeader } from './run/plan.js';

/** A line that is no record although the journal goes on behind it. */
export interface CorruptLine {
	line: number;
	reason: string;
}

/** What a journal says. */
export interface JournalScan {
	readonly header: RunHeader;
	readonly states: RowStates;
	/** By the last outcome of each row; rows without one are not counted. */
	readonly counts: Counts;
	/** Rows that a resume leaves alone. */
	readonly done: number;
	/** Rows that may have been sent without an outcome being known; undefined where the journal can't tell how many. */
	readonly inFlight: number | undefined;
	/** The first of them, at most 100. */
	readonly corrupt: readonly CorruptLine[];
	readonly corruptLines: number;
	/** The bytes of whole lines. */
	readonly validBytes: number;
	/** The bytes behind them, of a line that was never finished. */
	readonly tornBytes: number;
	/** The last record, where it says that the run came to an end. */
	readonly end: EndRecord | undefined;
	readonly resumes: number;
	/** Whether old values were kept, so that the run can be undone. */
	readonly snapshots: number;
}

/** What a pass over a journal gathers. */
class Gathering {
	readonly states = new RowStates();
	readonly counts = createCounts();
	readonly corrupt: CorruptLine[] = [];
	corruptLines = 0;
	done = 0;
	inFlight = 0;
	resumes = 0;
	snapshots = 0;
	end: EndRecord | undefined;
	readonly #rows: number;
	readonly #unmarked: boolean;

	constructor(rows: number, unmarked: boolean) {
		this.#rows = rows;
		this.#unmarked = unmarked;
	}

	/** A part of the run is over: the whole of it, or what came before a resume. */
	endPart(): void {
		if (this.#unmarked && this.end === undefined) this.states.silent = true;
	}

	complain(line: number, reason: string): void {
		this.corruptLines++;
		this.states.doubtful = true;
		if (this.corrupt.length < 100) this.corrupt.push({ line, reason });
	}

	take(record: Json, line: number): void {
		const problem = this.#takeKind(record);
		if (problem !== undefined) this.complain(line, problem);
	}

	#takeKind(record: Json): string | undefined {
		if (record.type === 'end') {
			this.end = endRecordOf(record);
			return this.end === undefined ? 'an incomplete end' : undefined;
		}
		if (record.type === 'resume') this.endPart();
		// Something came after the end: the run goes on.
		this.end = undefined;
		if (record.type === 'resume') {
			this.resumes++;
			return undefined;
		}
		if (record.type === 'tick' || record.type === 'user') return undefined;
		const { row } = record;
		if (!isCount(row) || row < 1 || row > this.#rows) return `a row that the input does not have`;
		switch (record.type) {
			case 'row':
				return this.#takeOutcome(row, record);
			case 'sent':
				// Sent again without a word of what became of it before: that was lost with its process.
				this.#change(row, this.states.get(row) | ((this.states.get(row) & SENT) === 0 ? SENT : SENT | LOST));
				return undefined;
			case 'attempt':
				// An answer came: the row is not under way any more.
				this.#change(row, record.lost === true ? this.states.get(row) | LOST : this.states.get(row) & ~SENT);
				return undefined;
			case 'before':
				this.snapshots++;
				return undefined;
			default:
				return `a record of an unknown kind`;
		}
	}

	#takeOutcome(row: number, record: Json): string | undefined {
		const index = outcomeNames.indexOf(record.outcome as OutcomeName);
		if (index < 0) return 'an unknown outcome';
		const outcome = outcomeNames[index] as OutcomeName;
		const failed = outcome === 'failed';
		let state = (index + 1) | (this.states.get(row) & LOST);
		if (failed && record.status === 401) state |= UNAUTHORIZED;
		if (failed && record.status === 403) state |= FORBIDDEN;
		if (failed && isRefused(record.status)) state |= REFUSED;
		if (outcome === 'skipped' && record.code === 'conflict') state |= REFUSED;
		if (outcome === 'unknown') state |= LOST;
		this.#change(row, state);
		return undefined;
	}

	/** Counts follow the rows' states: an earlier outcome of the row no longer counts. */
	#change(row: number, state: number): void {
		const before = this.states.get(row);
		this.#count(before, -1);
		this.#count(state, 1);
		this.states.set(row, state);
	}

	#count(state: number, step: 1 | -1): void {
		const { counts } = this;
		const outcome = outcomeNames[(state & OUTCOME) - 1];
		if (isDoneState(state)) this.done += step;
		else if ((state & (SENT | LOST)) !== 0) this.inFlight += step;
		if (outcome === undefined) return;
		counts[outcome] += step;
		if ((state & UNAUTHORIZED) !== 0) counts.unauthorized += step;
		if ((state & FORBIDDEN) !== 0) counts.forbidden += step;
		if ((state & REFUSED) !== 0) counts[outcome === 'skipped' ? 'conflicts' : 'refused'] += step;
	}
}

async function sizeOf(path: string): Promise<number> {
	const handle = await open(path, 'r');
	try {
		return (await handle.stat()).size;
	} finally {
		await handle.close();
	}
}

function unreadable(path: string, error: unknown): Error {
	if (error instanceof FailedError) return error;
	return new FailedError(`can't read the journal ${path}: ${fileProblem(error)}`, {
		code: 'unreadable_journal',
		cause: error,
	});
}

/** Reads a journal from its start to its last whole line. Throws FailedError for a file that is no journal. */
export async function scanJournal(path: string): Promise<JournalScan> {
	try {
		const size = await sizeOf(path);
		let header: RunHeader | undefined;
		let gathering = new Gathering(0, false);
		let validBytes = 0;
		for await (const { first, texts, end } of journalLines(path)) {
			for (let index = 0; index < texts.length; index++) {
				if (header === undefined) {
					header = readHeader(texts[index], path);
					gathering = new Gathering(header.input.last ?? header.input.rows, !isDeletePlan(header.plan));
					continue;
				}
				const record = parseRecord(texts[index]);
				if (typeof record === 'string') gathering.complain(first + index, record);
				else gathering.take(record, first + index);
			}
			validBytes = end;
		}
		if (header === undefined) {
			throw notAJournal(path, 'its first line was never finished, so nothing was sent');
		}
		gathering.endPart();
		const { states, counts, done, inFlight, corrupt, corruptLines, end, resumes, snapshots } = gathering;
		return {
			header,
			states,
			counts,
			done,
			inFlight: states.silent ? undefined : inFlight,
			corrupt,
			corruptLines,
			validBytes,
			tornBytes: Math.max(0, size - validBytes),
			end,
			resumes,
			snapshots,
		};
	} catch (error) {
		throw unreadable(path, error);
	}
}
