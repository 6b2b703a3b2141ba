/** Continues a run from its journal. */

import { endpoints } from '../../api/endpoints.js';
import { createPlanner, type Planner } from '../../api/plan.js';
import { UsageError } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import { APPLIED, countState, createCounts } from '../journal/counts.js';
import { type JournalScan, type RowStates, UnderWay } from '../journal/history.js';
import { type Journal, openJournal } from '../journal/write.js';
import { hashKey, type RunHeader } from './plan.js';
import { rowsUnderWay } from './read-after.js';
import { isInvalid, isOwn, type PlannedRows, type RunRow } from './rows.js';
import type { RunSetup } from './setup.js';
import type { Survey } from './survey.js';

/** The last row that set each field of an object, by the object's key. */
type LaterRows = Map<string, Map<string, number>>;

export class PastPart {
	readonly states: RowStates;
	readonly own: number;
	readonly counts = createCounts();
	/** Rows to be sent again, by their earlier outcome. */
	readonly left = createCounts();

	constructor(
		scan: JournalScan,
		private readonly later: LaterRows,
		private readonly planner: Planner,
	) {
		const { states, header } = scan;
		this.states = states;
		this.own = header.input.own;
		for (const row of states.rows()) countState(states.isDone(row) ? this.counts : this.left, states.get(row));
		// Counted when the run ends.
		this.left['not-sent'] = 0;
	}

	/** Call it when the row has a new outcome. */
	renew(row: number): void {
		if (this.states.outcomeOf(row) !== 'not-sent') countState(this.left, this.states.get(row), -1);
	}

	/** Leaves out fields that a later row of the object set; skipped if none is left. */
	withoutSuperseded(planned: RunRow): RunRow {
		const { row, request, remarks = [] } = planned;
		const { key, ids, sent = {} } = request;
		const later = this.later.get(key);
		const gone = Object.keys(sent).filter((name) => (later?.get(name) ?? 0) > row);
		if (gone.length === 0) return planned;
		const by = Math.max(...gone.map((name) => later?.get(name) ?? 0));
		const kept = Object.entries(sent).filter(([name]) => !gone.includes(name));
		if (kept.length === 0) {
			const message = `row ${by} set the same object later; sending this row would undo that`;
			return { ...planned, skip: { code: 'superseded', message } };
		}
		return {
			...planned,
			request: this.planner({ ids, fields: Object.fromEntries(kept) }),
			remarks: [...remarks, `${gone.join(', ')} left out: row ${by} set it later`],
		};
	}
}

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

export async function takeUp(
	path: string,
	rows: PlannedRows,
	setup: RunSetup,
): Promise<{ journal: Journal; past: PastPart }> {
	const { journal, scan } = await openJournal(path, setup.redact);
	try {
		const { past, underWay } = await readPast(scan, rows, setup);
		for (const row of underWay) journal.record({ type: 'attempt', row, attempt: 0, lost: true }).catch(() => undefined);
		const noted = journal.record({
			type: 'resume',
			at: new Date(setup.clock.now()).toISOString(),
			tool: setup.tool,
			concurrency: rowsUnderWay(setup.plan, setup.tuning),
			again: setup.resumes?.again,
		});
		journal.flush();
		await noted;
		return { journal, past };
	} catch (error) {
		await journal.close().catch(() => undefined);
		throw error;
	}
}

export async function readPast(
	scan: JournalScan,
	rows: PlannedRows,
	{ plan, tuning, dialect, resumes }: RunSetup,
): Promise<{ past: PastPart; underWay: readonly number[] }> {
	const { states } = scan;
	const again = resumes?.again ?? [];
	const endpoint = endpoints[plan.endpoint];
	const underWay = new UnderWay(scan);
	const lost: number[] = [];
	const open = new KeySet();
	const later: LaterRows = new Map();
	const look = ({ row, request }: RunRow): void => {
		const { key, sent } = request;
		if (!states.isDone(row) && underWay.has(row, key)) lost.push(row);
		if (!states.isDone(row) || again.includes(states.outcomeOf(row) as OutcomeName)) open.add(key);
		else if (endpoint.replay === 'set' && states.mayBeWritten(row) && open.mayHave(key)) {
			const fields = later.get(key) ?? new Map<string, number>();
			for (const name in sent) fields.set(name, row);
			later.set(key, fields);
		}
	};
	for await (const batch of rows.read()) {
		for (const each of batch) {
			if (!isInvalid(each) && isOwn(each, plan.shard) && each.skip === undefined) look(each);
		}
		if (underWay.isFull && (batch.at(-1)?.row ?? 0) > states.lastDone) break;
	}
	for (const row of lost) states.add(row, APPLIED);
	scan.begin({ again, concurrency: rowsUnderWay(plan, tuning) });
	scan.finish();
	return { past: new PastPart(scan, later, createPlanner(endpoint, dialect)), underWay: lost };
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
