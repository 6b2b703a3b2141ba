/** Continues a run from its journal. */

import type { Dialect } from '../../api/dialect.js';
import { asksNothing, chooseEndpoint, type Planner } from '../../api/plan.js';
import { UsageError } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import { APPLIED, type Counts, countState, createCounts } from '../journal/counts.js';
import { type JournalScan, type RowHistory, UnderWay } from '../journal/history.js';
import type { Redact, ResumeRecord } from '../journal/records.js';
import { type Journal, openJournal } from '../journal/write.js';
import { hashKey, type RunHeader, type RunPlan, type RunTuning } from './plan.js';
import { rowsUnderWay } from './read-after.js';
import { isInvalid, isOwn, type PlannedRows, plannerOf, type RunRow } from './rows.js';
import type { Survey } from './survey.js';

export interface PastPart {
	/** Rows that are done. */
	readonly counts: Counts;
	/** Rows to be sent again, by their earlier outcome. */
	readonly left: Counts;
	/** Call it when the row has a new outcome. */
	renew(row: number): void;
	readonly own: number;
	isDone(row: number): boolean;
	history(row: number): RowHistory;
	/** Leaves out fields that a later row of the object set; skipped if none is left. */
	withoutSuperseded(row: RunRow): RunRow;
}

/** @throws UsageError for different rows */
export function checkSameInput({ id, input }: RunHeader, rows: PlannedRows, survey: Survey): void {
	if (rows.sha256() === input.sha256 && survey.rows === input.rows) return;
	throw inputChanged(id, [
		`then: ${input.rows} rows, SHA-256 ${input.sha256}`,
		`now: ${survey.rows} rows, SHA-256 ${rows.sha256()}`,
	]);
}

export function inputChanged(id: string, details: string[] = []): UsageError {
	return new UsageError(`the input changed since run ${id} was started; nothing was sent`, {
		code: 'input_changed',
		hint: 'resume with the unchanged input, or start a new run',
		details,
	});
}

export interface Again {
	again: readonly OutcomeName[];
	plan: RunPlan;
	tuning: Pick<RunTuning, 'concurrency'>;
	dialect: Dialect;
}

/** @throws FailedError */
export async function takeUp(
	path: string,
	rows: PlannedRows,
	how: Again & Pick<ResumeRecord, 'at' | 'tool'> & { redact: Redact },
): Promise<{ journal: Journal; past: PastPart }> {
	const { journal, scan } = await openJournal(path, how.redact);
	const { at, tool, again, tuning } = how;
	try {
		const { past, underWay } = await readPast(scan, rows, how);
		for (const row of underWay) journal.record({ type: 'attempt', row, attempt: 0, lost: true }).catch(() => undefined);
		const concurrency = rowsUnderWay(how.plan, tuning);
		const noted = journal.record({ type: 'resume', at, tool, concurrency, again });
		journal.flush();
		await noted;
		return { journal, past };
	} catch (error) {
		await journal.close().catch(() => undefined);
		throw error;
	}
}

/** Objects and order of the rows, once they are read. */
export async function readPast(
	scan: JournalScan,
	rows: Pick<PlannedRows, 'read'>,
	{ plan, again, tuning, dialect }: Again,
): Promise<{ past: PastPart; underWay: readonly number[] }> {
	const { states } = scan;
	const { replay } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true).endpoint;
	const underWay = new UnderWay(scan);
	const lost: number[] = [];
	const open = new KeySet();
	const later = new Map<string, Map<string, number>>();
	const look = ({ row, request }: RunRow): void => {
		const { key, sent } = request;
		if (!states.isDone(row) && underWay.has(row, key)) lost.push(row);
		if (!states.isDone(row) || again.includes(states.outcomeOf(row) as OutcomeName)) open.add(key);
		else if (replay === 'set' && states.mayBeWritten(row) && open.mayHave(key)) {
			const fields = later.get(key) ?? new Map<string, number>();
			for (const name in sent) fields.set(name, row);
			later.set(key, fields);
		}
	};
	for await (const batch of rows.read()) {
		for (const each of batch) if (!isInvalid(each) && isOwn(each, plan.shard) && !asksNothing(each.request)) look(each);
		if (underWay.isFull && (batch.at(-1)?.row ?? 0) > states.lastDone) break;
	}
	for (const row of lost) states.add(row, APPLIED);
	scan.begin({ again, concurrency: rowsUnderWay(plan, tuning) });
	scan.finish();
	return { past: pastOf(scan, later, plannerOf(plan, dialect)), underWay: lost };
}

function pastOf(
	{ states, header }: JournalScan,
	later: ReadonlyMap<string, ReadonlyMap<string, number>>,
	planner: Planner,
): PastPart {
	const counts = createCounts();
	const left = createCounts();
	for (const row of states.rows()) countState(states.isDone(row) ? counts : left, states.get(row));
	// Counted when the run ends.
	left['not-sent'] = 0;
	return {
		counts,
		left,
		renew(row) {
			if (states.outcomeOf(row) !== 'not-sent') countState(left, states.get(row), -1);
		},
		own: header.input.own,
		isDone: (row) => states.isDone(row),
		history: (row) => states.history(row),
		withoutSuperseded(planned) {
			const { row, request } = planned;
			const fields = later.get(request.key);
			if (fields === undefined) return planned;
			const isLater = (name: string): boolean => (fields.get(name) ?? 0) > row;
			const names = Object.keys(request.sent ?? {});
			const gone = names.filter(isLater);
			if (gone.length === 0) return planned;
			const by = Math.max(...gone.map((name) => fields.get(name) as number));
			if (gone.length === names.length) {
				const message = `row ${by} set the same object later; sending this row would undo that`;
				return { ...planned, skip: { code: 'superseded', message } };
			}
			const kept = names.filter((name) => !isLater(name)).map((name) => [name, request.sent?.[name]] as const);
			const { ids } = request;
			const remark = `${gone.join(', ')} left out: row ${by} set it later`;
			return {
				...planned,
				request: planner({ ids, fields: Object.fromEntries(kept) }),
				remarks: [...(planned.remarks ?? []), remark],
			};
		},
	};
}

const BITS = 24;

/** In constant memory: of many keys it may mistake a few for its own. */
class KeySet {
	readonly #bits = new Uint8Array(1 << (BITS - 3));

	add(key: string): void {
		const place = hashKey(key) >>> (32 - BITS);
		this.#bits[place >>> 3] = (this.#bits[place >>> 3] ?? 0) | (1 << (place & 7));
	}

	mayHave(key: string): boolean {
		const place = hashKey(key) >>> (32 - BITS);
		return ((this.#bits[place >>> 3] ?? 0) & (1 << (place & 7))) !== 0;
	}
}
