/** Takes a run up again from its journal: what is done, what may have been sent, and which rows have to be sent anew. */

import { asksNothing, chooseEndpoint } from '../../api/plan.js';
import { UsageError } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import { type Counts, countState, createCounts } from '../journal/counts.js';
import type { JournalScan } from '../journal/read.js';
import type { Redact } from '../journal/records.js';
import { type Journal, openJournal } from '../journal/write.js';
import type { RunHeader } from './plan.js';
import { isInvalid, isOwn, type PlannedRows } from './rows.js';
import type { Survey } from './survey.js';

/** What earlier parts of a run did. */
export interface PastPart {
	/** Rows that are done; those to be sent again are not among them. */
	readonly counts: Counts;
	/** Rows to be sent again, by their outcome of then, which stands until they have another. */
	readonly left: Counts;
	/** Takes a row that has another outcome now out of those that are left. */
	renew(row: number): void;
	/** Rows that belong to the run. */
	readonly own: number;
	isDone(row: number): boolean;
	/** Whether the row may have been sent without an outcome that is known. */
	maybeSent(row: number): boolean;
}

/** @throws UsageError where the rows are not those that the run was started with */
export function checkSameInput({ id, input }: RunHeader, rows: PlannedRows, survey: Survey): void {
	if (rows.sha256() === input.sha256 && survey.rows === input.rows) return;
	throw new UsageError(`the input is not what run ${id} was started with; nothing was sent`, {
		code: 'input_changed',
		hint: 'resume with the unchanged input, or start a new run',
		details: [
			`then: ${input.rows} rows, SHA-256 ${input.sha256}`,
			`now: ${survey.rows} rows, SHA-256 ${rows.sha256()}`,
		],
	});
}

/** Locks the journal, reads it, and opens again the rows that were overtaken. @throws FailedError */
export async function takeUp(
	path: string,
	rows: PlannedRows,
	{ redact, at, tool }: { redact: Redact; at: string; tool: string },
): Promise<{ journal: Journal; past: PastPart }> {
	const { journal, scan } = await openJournal(path, { redact, at, tool });
	const { states } = scan;
	const { unknown, unauthorized } = scan.counts;
	const left = { ...createCounts(), unknown, unauthorized, failed: unauthorized };
	const failed = scan.counts.failed - unauthorized;
	const counts = { ...scan.counts, unknown: 0, 'not-sent': 0, failed, unauthorized: 0 };
	const reopened = await reopenOvertaken(journal, rows, scan, counts, left);
	return {
		journal,
		past: {
			counts,
			left,
			renew(row) {
				const outcome = states.outcomeOf(row);
				if (reopened.get(row) === 'unknown') left.unknown--;
				else if (outcome === 'unknown' || outcome === 'failed') countState(left, states.get(row), -1);
			},
			own: scan.header.input.own,
			isDone: (row) => states.isDone(row) && !reopened.has(row),
			maybeSent: (row) => states.maybeSent(row) || reopened.has(row),
		},
	};
}

/**
 * Of two rows that write the same object, the later one must be written last. Where it is done and the earlier one is
 * not, it is recorded as open and sent again after it. Deletes have no order.
 */
async function reopenOvertaken(
	journal: Journal,
	rows: PlannedRows,
	{ header: { plan }, states }: JournalScan,
	counts: Counts,
	left: Counts,
): Promise<ReadonlyMap<number, OutcomeName>> {
	const reopened = new Map<number, OutcomeName>();
	if (chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true).endpoint.replay !== 'set') return reopened;
	const { lastDone } = states;
	const open = new Set<string>();
	for await (const batch of rows.read()) {
		for (const planned of batch) {
			if (planned.row > lastDone) return reopened;
			const isDone = states.isDone(planned.row);
			if ((isDone && open.size === 0) || isInvalid(planned) || asksNothing(planned.request)) continue;
			if (!isOwn(planned, plan.shard)) continue;
			const { key, ids } = planned.request;
			if (!isDone) {
				open.add(key);
				continue;
			}
			const outcome = states.outcomeOf(planned.row);
			if (!open.has(key) || (outcome !== 'ok' && outcome !== 'differs' && outcome !== 'skipped')) continue;
			// What was written is not there any more once the earlier row is.
			const again = outcome === 'skipped' ? 'not-sent' : 'unknown';
			reopened.set(planned.row, again);
			counts[outcome]--;
			if (again === 'unknown') left.unknown++;
			await journal.outcome({
				row: planned.row,
				...(planned.line === undefined ? {} : { line: planned.line }),
				ids,
				outcome: again,
				code: 'overtaken',
				message: 'an earlier row of the same id has to be sent again, and this one after it',
				attempts: 0,
				ms: 0,
			});
		}
	}
	return reopened;
}
