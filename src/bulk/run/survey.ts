/** The first pass of a run: reads and checks every row before anything is sent, in constant memory. */

import { chooseEndpoint } from '../../api/choose.js';
import { asksNothing } from '../../api/plan.js';
import { mentionsOwnId } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import { ReassignGuard } from '../guards.js';
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
	/** Whether some row sends @me for the caller's own id. */
	mentionsOwnId: boolean;
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

/** A survey, and the function that adds a row to it. */
export function createSurvey(
	plan: RunPlan,
	{ complain, holdsSecret, isDone }: SurveyHooks,
): { survey: Survey; take(planned: PlannedRow): void } {
	const survey: Survey = {
		rows: 0,
		last: 0,
		selected: 0,
		empty: 0,
		skipped: 0,
		permanent: 0,
		invalid: 0,
		first: [],
		read: undefined,
		guard: new ReassignGuard(),
		fields: new Set(Object.keys({ ...plan.values.add, ...plan.values.remove })),
		hasSecrets: false,
		mentionsOwnId: false,
	};
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, plan.undocumented);
	const reassigns = endpoint.query.some(({ name }) => name === 'reassign');
	const take = (planned: PlannedRow): void => {
		survey.rows++;
		survey.last = planned.row;
		if (isInvalid(planned)) {
			survey.invalid++;
			planned.complaints.forEach(complain);
			return;
		}
		const { request } = planned;
		if (reassigns) survey.guard.add(planned.row, request, planned.reassign);
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
		const { sent } = request;
		if (sent === undefined) return;
		if (survey.selected <= FIELDS_FROM_ROWS) for (const name in sent) survey.fields.add(name);
		if (!survey.hasSecrets && holdsSecret(sent)) survey.hasSecrets = true;
		if (!survey.mentionsOwnId && mentionsOwnId(endpoint.fields, sent)) survey.mentionsOwnId = true;
	};
	return { survey, take };
}

/** Checks all rows. @throws UsageError for input that can't be read at all */
export async function surveyRows(rows: Pick<PlannedRows, 'read'>, plan: RunPlan, hooks: SurveyHooks): Promise<Survey> {
	const { survey, take } = createSurvey(plan, hooks);
	for await (const batch of rows.read()) batch.forEach(take);
	return survey;
}

/** Rows that this run answers for: those it sends, those with nothing to send, and those that can't be sent. */
export function ownRows({ selected, skipped, invalid }: Survey, { shard }: Pick<RunPlan, 'shard'>): number {
	return selected + skipped + (shard === undefined || shard.index === 1 ? invalid : 0);
}

/** How many rows there may be. */
export interface CountLimits {
	expect?: number | undefined;
	max?: number | undefined;
}

/** Checks rules over the whole set before anything is sent. @throws UsageError */
export function checkSet(survey: Pick<Survey, 'rows' | 'guard'>, limits: CountLimits): void {
	const { rows } = survey;
	const there = rows === 1 ? 'there is 1 row' : `there are ${rows} rows`;
	if (limits.expect !== undefined && rows !== limits.expect) {
		throw new UsageError(`--expect ${limits.expect}, but ${there}; nothing was sent`, { code: 'expect' });
	}
	if (limits.max !== undefined && rows > limits.max) {
		throw new UsageError(`--max ${limits.max}, but ${there}; nothing was sent`, { code: 'max' });
	}
	survey.guard.check();
}
