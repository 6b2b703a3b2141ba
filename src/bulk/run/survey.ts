/** The first pass of a run: reads and checks every row before anything is sent, in constant memory. */

import { asksNothing, type Request } from '../../api/plan.js';
import { UsageError } from '../../errors.js';
import type { Complaint } from '../input/rows.js';
import { changesLists, type RunPlan } from './plan.js';
import { isInvalid, isOwn, type PlannedRow, type PlannedRows, type RunRow } from './rows.js';

export interface Survey {
	/** Rows of the whole input. */
	rows: number;
	/** The highest row number. */
	last: number;
	/** Valid rows of this shard that have something to send and are not done. */
	selected: number;
	/** Valid rows of the whole input that change no field. */
	empty: number;
	/** Of these, the ones of this shard: they are done without a request. */
	skipped: number;
	/** Of the selected rows, how many delete permanently. */
	permanent: number;
	/** Rows with complaints. */
	invalid: number;
	/** The first selected rows, as they are named in a question before a delete. */
	first: { ids: Readonly<Record<string, string>> }[];
	/** The first selected row, whose object a read before the run may show. */
	read: RunRow | undefined;
	guard: ReassignGuard;
	/** Fields that the first rows set, for the columns of the results. */
	fields: Set<string>;
	/** Whether some row holds a value that must not be kept. */
	hasSecrets: boolean;
}

/** How many rows are examined for the fields that they set. */
const FIELDS_FROM_ROWS = 200;
/** How many rows a question names. */
const NAMED_ROWS = 10;

export interface SurveyHooks {
	complain(complaint: Complaint): void;
	/** Whether a body has a field that is named like a secret. */
	holdsSecret(sent: Readonly<Record<string, unknown>>): boolean;
	/** Whether an earlier part of the run did the row. */
	isDone?(row: number): boolean;
}

export function createSurvey({ values: { add, remove } }: RunPlan): Survey {
	return {
		...{ rows: 0, last: 0, selected: 0, empty: 0, skipped: 0, permanent: 0, invalid: 0 },
		first: [],
		read: undefined,
		guard: new ReassignGuard(),
		fields: new Set(Object.keys({ ...add, ...remove })),
		hasSecrets: false,
	};
}

export function addToSurvey(
	survey: Survey,
	planned: PlannedRow,
	plan: RunPlan,
	{ complain, holdsSecret, isDone }: SurveyHooks,
): void {
	survey.rows++;
	survey.last = planned.row;
	if (isInvalid(planned)) {
		if (planned.isGone === true) {
			if (isOwn(planned, plan.shard)) survey.skipped++;
			return;
		}
		survey.invalid++;
		planned.complaints.forEach(complain);
		return;
	}
	const { request, reassign } = planned;
	const { sent } = request;
	if (reassign !== undefined) survey.guard.add(planned.row, request, reassign);
	const isEmpty = asksNothing(request) && !changesLists(plan);
	if (isEmpty) survey.empty++;
	if (!isOwn(planned, plan.shard)) return;
	if (isEmpty) {
		survey.skipped++;
		return;
	}
	if (isDone?.(planned.row) !== true) {
		survey.selected++;
		if (request.permanent) survey.permanent++;
		survey.read ??= planned;
		if (survey.first.length < NAMED_ROWS) survey.first.push({ ids: request.ids });
	}
	if (sent === undefined) return;
	if (survey.selected <= FIELDS_FROM_ROWS) for (const name in sent) survey.fields.add(name);
	survey.hasSecrets ||= holdsSecret(sent);
}

/** Checks all rows. @throws UsageError for input that can't be read at all */
export async function surveyRows(rows: Pick<PlannedRows, 'read'>, plan: RunPlan, hooks: SurveyHooks): Promise<Survey> {
	const survey = createSurvey(plan);
	for await (const batch of rows.read()) for (const planned of batch) addToSurvey(survey, planned, plan, hooks);
	return survey;
}

/** Rows that belong to this run: those it sends, those with nothing to send, and those that can't be sent. */
export function ownRows({ selected, skipped, invalid }: Survey, { shard }: Pick<RunPlan, 'shard'>): number {
	return selected + skipped + (shard === undefined || shard.index === 1 ? invalid : 0);
}

/** How many rows there must or may be. */
export interface SetLimits {
	readonly expect?: number | undefined;
	readonly max?: number | undefined;
}

/** Checks rules over the whole set before anything is sent. @throws UsageError */
export function checkSet({ rows, guard }: Pick<Survey, 'rows' | 'guard'>, limits: SetLimits): void {
	const there = rows === 1 ? 'there is 1 row' : `there are ${rows} rows`;
	if (limits.expect !== undefined && rows !== limits.expect) {
		throw new UsageError(`--expect ${limits.expect}, but ${there}; nothing was sent`, { code: 'expect' });
	}
	if (limits.max !== undefined && rows > limits.max) {
		throw new UsageError(`--max ${limits.max}, but ${there}; nothing was sent`, { code: 'max' });
	}
	guard.check();
}

/** Collects who is deleted and who receives, to find a receiver that is itself deleted. */
export class ReassignGuard {
	private readonly deleted = new Set<string>();
	/** Each receiver, with the first row that names it. */
	private readonly receivers = new Map<string, number>();

	/** Notes a row of `user delete`. */
	add(row: number, { ids }: Pick<Request, 'ids'>, reassign: string): void {
		if (ids.id !== undefined) this.deleted.add(ids.id);
		if (!this.receivers.has(reassign)) this.receivers.set(reassign, row);
	}

	/** Whether a user is in the delete set. */
	deletes(id: string | number): boolean {
		return this.deleted.has(String(id));
	}

	/** The first receivers, at most `limit` of them. */
	firstReceivers(limit: number): number[] {
		return [...this.receivers.keys()].slice(0, limit).map(Number);
	}

	/** @throws UsageError where a row reassigns to a user that the same set deletes. */
	check(): void {
		for (const [receiver, row] of this.receivers) {
			if (!this.deleted.has(receiver)) continue;
			const message = `row ${row} reassigns to user ${receiver}, who is deleted in the same set; nothing was sent`;
			throw new UsageError(message, { code: 'reassign_to_deleted', hint: '--reassign takes a user who stays' });
		}
	}
}
