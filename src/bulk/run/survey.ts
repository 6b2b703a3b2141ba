/** The first pass of a run: checks every row before anything is sent, in constant memory. */

import { asksNothing, type Request } from '../../api/plan.js';
import { UsageError } from '../../errors.js';
import type { Complaint } from '../input/rows.js';
import { changesLists, type RunPlan } from './plan.js';
import { isInvalid, isOwn, type PlannedRow, type PlannedRows, type RunRow } from './rows.js';

export interface Survey {
	/** Of the whole input. */
	rows: number;
	last: number;
	/** To be sent by this shard. */
	selected: number;
	/** Valid rows of the whole input without a change. */
	empty: number;
	/** Those of this shard. */
	skipped: number;
	permanent: number;
	invalid: number;
	/** For the question before a delete. */
	first: { ids: Readonly<Record<string, string>> }[];
	/** A read may show its object before the run. */
	read: RunRow | undefined;
	guard: ReassignGuard;
	/** For columns of the results. */
	fields: Set<string>;
	/** Values that must not be kept. */
	hasSecrets: boolean;
}

const FIELDS_FROM_ROWS = 200;
const NAMED_ROWS = 10;

export interface SurveyHooks {
	complain(complaint: Complaint): void;
	holdsSecret(sent: Readonly<Record<string, unknown>>): boolean;
	/** By an earlier part of the run. */
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

/** @throws UsageError */
export async function surveyRows(rows: Pick<PlannedRows, 'read'>, plan: RunPlan, hooks: SurveyHooks): Promise<Survey> {
	const survey = createSurvey(plan);
	for await (const batch of rows.read()) for (const planned of batch) addToSurvey(survey, planned, plan, hooks);
	return survey;
}

export function ownRows({ selected, skipped, invalid }: Survey, { shard }: Pick<RunPlan, 'shard'>): number {
	return selected + skipped + (shard === undefined || shard.index === 1 ? invalid : 0);
}

export interface SetLimits {
	readonly expect?: number | undefined;
	readonly max?: number | undefined;
}

/** @throws UsageError */
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

/** Finds receivers that are deleted themselves. */
export class ReassignGuard {
	private readonly deleted = new Set<string>();
	/** With the first row that names it. */
	private readonly receivers = new Map<string, number>();

	add(row: number, { ids }: Pick<Request, 'ids'>, reassign: string): void {
		if (ids.id !== undefined) this.deleted.add(ids.id);
		if (!this.receivers.has(reassign)) this.receivers.set(reassign, row);
	}

	deletes(id: string | number): boolean {
		return this.deleted.has(String(id));
	}

	firstReceivers(limit: number): number[] {
		return [...this.receivers.keys()].slice(0, limit).map(Number);
	}

	/** @throws UsageError */
	check(): void {
		for (const [receiver, row] of this.receivers) {
			if (!this.deleted.has(receiver)) continue;
			const message = `row ${row} reassigns to user ${receiver}, who is also being deleted; nothing was sent`;
			throw new UsageError(message, { code: 'reassign_to_deleted', hint: 'reassign to a user you are not deleting' });
		}
	}
}
