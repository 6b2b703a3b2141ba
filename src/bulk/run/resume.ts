/** Continues a run from its journal. */

import { closeSync, existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { endpoints } from '../../api/endpoints.js';
import { counted } from '../../api/names.js';
import { createPlanner, type Planner } from '../../api/request.js';
import { UsageError } from '../../errors.js';
import { openRegularFile } from '../../folder.js';
import type { OutcomeName } from '../../http/outcome.js';
import { ByRow } from '../journal/by-row.js';
import { APPLIED, type Counts, countState, createCounts } from '../journal/counts.js';
import { type JournalScan, type RowStates, UnderWay } from '../journal/history.js';
import { lineReader, recordAt, scanJournal } from '../journal/read.js';
import type { BeforeRecord, JournalRecord, LeavesRecord } from '../journal/records.js';
import { type Journal, openJournal } from '../journal/write.js';
import type { Fields, RunHeader } from '../plan.js';
import { type InputPlace, inputFileOf, type RowSource } from '../sources.js';
import type { OwnDoubt } from './decide.js';
import { KeySet } from './key-set.js';
import { takeUpName } from './names.js';
import { rowsUnderWay } from './read-after.js';
import type { PlannedRows, RunRow } from './rows.js';
import { extents, type RunSetup } from './setup.js';
import type { Survey } from './survey.js';

/** @param path of the journal, which is locked if rows are sent */
export async function openPast(path: string, setup: RunSetup): Promise<PastPart> {
	// Users that an earlier part looked up may be deleted by now.
	const { directories, redact } = setup.means;
	const olds = new OldValuesOfRows(path);
	const { checks } = setup.work.plan;
	const watch = (record: JournalRecord, place: number): void => {
		takeUpName(record, directories);
		if (checks.ifUnmodified && record.type === 'before') olds.note(record, place);
	};
	if (!extents[setup.work.extent].sends) return new PastPart(await scanJournal(path, watch), setup, olds);
	const { journal, scan } = await openJournal(path, redact, watch);
	return new PastPart(scan, setup, olds, journal);
}

/** What rows found when they were tried first: eight bytes a row. */
class OldValuesOfRows {
	readonly #places = new ByRow(Float64Array);

	constructor(private readonly path: string) {}

	note({ row, anew }: BeforeRecord, place: number): void {
		if (anew === true || this.#places.get(row) === 0) this.#places.set(row, place);
	}

	/** As far as the journal has them. */
	of(row: number): Fields {
		const place = this.#places.get(row);
		if (place === 0) return {};
		const fd = openRegularFile(this.path);
		try {
			const record = recordAt(lineReader(fd), place);
			return record.type === 'before' ? record.values : {};
		} finally {
			closeSync(fd);
		}
	}
}

export class PastPart {
	readonly states: RowStates;
	readonly own: number;
	readonly counts = createCounts();
	readonly #again: readonly OutcomeName[];
	readonly #underWay: UnderWay;
	readonly #lost: RunRow[] = [];
	readonly #open = new KeySet();
	/** The last row that set each field of an object, and to what, by the object's key. */
	readonly #later = new Map<string, Map<string, { readonly row: number; readonly value: unknown }>>();
	/** Objects that this run may have written, where a check asks whether they were modified. */
	readonly #written: KeySet | undefined;
	readonly #planner: Planner;

	constructor(
		private readonly scan: JournalScan,
		private readonly setup: RunSetup,
		private readonly olds: OldValuesOfRows,
		readonly journal?: Journal,
	) {
		const { plan, resumes } = setup.work;
		this.states = scan.states;
		this.own = scan.header.input.own;
		this.#again = resumes?.again ?? [];
		this.#underWay = new UnderWay(scan);
		if (plan.checks.ifUnmodified) this.#written = new KeySet();
		this.#planner = createPlanner(endpoints[plan.endpoint], setup.means.dialect);
	}

	/** Undefined if no earlier part of the run can have written the row's object. */
	ownDoubt({ row, request }: RunRow): OwnDoubt | undefined {
		const isAgain = this.states.mayBeWritten(row);
		const isWritten = isAgain || this.#written?.mayHave(request.key) === true;
		return isWritten ? { isAgain, old: this.olds.of(row) } : undefined;
	}

	/** Also of a row that is sent again. */
	isOpen(row: number): boolean {
		return !this.states.isDone(row) || this.#again.includes(this.states.outcomeOf(row) as OutcomeName);
	}

	/** Call it for each row, in order. @returns whether it is done */
	look(planned: RunRow): boolean {
		const { states } = this;
		const { row, request } = planned;
		const { key, sent, endpoint } = request;
		const isLost = !states.isDone(row) && this.#underWay.has(row, request);
		if (isLost) this.#lost.push(planned);
		if (isLost || states.mayBeWritten(row)) this.#written?.add(key);
		if (this.isOpen(row)) {
			this.#open.add(key);
			return false;
		}
		if (endpoint.updates && states.mayBeWritten(row) && this.#open.mayHave(key)) {
			const fields = this.#later.get(key) ?? new Map();
			for (const name in sent) fields.set(name, { row, value: sent[name] });
			this.#later.set(key, fields);
		}
		return true;
	}

	async begin(): Promise<void> {
		const { states, scan, setup, journal } = this;
		const { clock, tool } = setup.means;
		const part = { again: this.#again, concurrency: rowsUnderWay(setup.work.plan, setup.limits.tuning) };
		for (const { row } of this.#lost) states.add(row, APPLIED);
		scan.begin(part);
		scan.finish();
		for (const row of states.rows()) if (states.isDone(row)) countState(this.counts, states.get(row));
		if (journal === undefined) return;
		for (const { row } of this.#lost)
			journal.record({ type: 'attempt', row, attempt: 0, lost: true }).catch(() => undefined);
		await journal.record({ type: 'resume', at: new Date(clock.now()).toISOString(), tool, ...part });
	}

	/** Rows that were under way when an earlier part was killed, and that this part did not come to. */
	get inDoubt(): RunRow[] {
		return this.#lost.filter(({ row }) => !this.states.isRecorded(row));
	}

	get leaves(): readonly LeavesRecord[] {
		return this.scan.leaves;
	}

	allCounts(): Counts {
		this.scan.finish();
		return this.scan.counts;
	}

	/** Leaves out fields that a later row of the object set; skipped if none is left. */
	withoutSuperseded(planned: RunRow): RunRow {
		const { row, request } = planned;
		const { key, ids, sent = {} } = request;
		const later = this.#later.get(key);
		const laterRow = (name: string): number => later?.get(name)?.row ?? 0;
		const gone = Object.keys(sent).filter((name) => laterRow(name) > row);
		if (gone.length === 0) return planned;
		const by = Math.max(...gone.map(laterRow));
		// An earlier attempt of this row wrote it, or the later one would have found another value.
		const wasThere = (name: string): boolean =>
			this.states.outcomeOf(laterRow(name)) === 'skipped' && isDeepStrictEqual(later?.get(name)?.value, sent[name]);
		const isGone = new Set(gone);
		const kept = Object.entries(sent).filter(([name]) => !isGone.has(name));
		if (kept.length === 0) {
			const message = `row ${by} set the same object later; sending this row would undo that`;
			return { ...planned, skip: { code: 'superseded', message } };
		}
		return {
			...planned,
			request: this.#planner({ ids, fields: Object.fromEntries(kept) }),
			isPart: true,
			writtenBefore: gone.filter(wasThere),
			remarks: [`${gone.join(', ')} not sent: row ${by} set it later`],
		};
	}
}

/** @throws UsageError for different rows */
export function checkSameInput({ id, input }: RunHeader, rows: PlannedRows, survey: Survey): void {
	if (rows.sha256() === input.sha256 && survey.rows === input.rows) return;
	throw inputChanged(id, [
		`then: ${counted(input.rows, 'row')}, SHA-256 ${input.sha256}`,
		`now: ${counted(survey.rows, 'row')}, SHA-256 ${rows.sha256()}`,
	]);
}

/** Where the rows come from now. @param moved the input's new place @throws UsageError */
export async function sourceAgain({ id, input, plan }: RunHeader, moved?: InputPlace): Promise<RowSource> {
	const { source } = plan;
	const file = inputFileOf(source);
	if (moved !== undefined) {
		if (file !== undefined) return { ...file, ...moved };
		throw new UsageError(`run ${id} did not read a file, so --input can't replace its rows`);
	}
	if (file === undefined) return source;
	if (!existsSync(file.path)) {
		const what = input.copied ? 'standard input, and no copy was kept' : `${file.path}, which was not found`;
		throw new UsageError(`run ${id} read ${what}`, {
			code: 'unreadable_input',
			hint: 'point to the input with --input FILE',
		});
	}
	const { digestOf } = await import('../input/source.js');
	if ((await digestOf(file.path)) !== input.sha256) throw inputChanged(id);
	return source;
}

function inputChanged(id: string, details: string[] = []): UsageError {
	return new UsageError(`the input changed since run ${id} was started; nothing was sent`, {
		code: 'input_changed',
		hint: 'resume with the unchanged input, or start a new run',
		details,
	});
}
