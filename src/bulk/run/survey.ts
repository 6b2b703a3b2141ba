/** The first pass of a run: checks every row before anything is sent, in constant memory. */

import { endpointList } from '../../api/endpoints.js';
import { UsageError } from '../../errors.js';
import type { Complaint } from '../input/rows.js';
import type { Fields, Ids, RunPlan } from './plan.js';
import { isInvalid, isOwn, type PlannedRow, type RunRow } from './rows.js';

export interface Survey {
	rows: number;
	last: number;
	selected: number;
	empty: number;
	skipped: number;
	permanent: number;
	invalid: number;
	first: { ids: Ids }[];
	/** A read may show its object before the run. */
	read: RunRow | undefined;
	/** Numbers: a slice of an input's text would keep all of it. */
	deleted: Set<number>;
	/** Who receives what deleted users leave, with the first row that names it. */
	receivers: Map<number, number>;
	fields: Set<string>;
	/** IDs of users that rows name, with the field that does. */
	users: Map<string, string>;
	hasSecrets: boolean;
}

const FIELDS_FROM_ROWS = 200;
const NAMED_ROWS = 10;
/** One request looks up so many. */
const MOST_USERS = 100;

const userFields: ReadonlySet<string> = new Set(
	endpointList.flatMap(({ fields }) => fields.filter(({ kind }) => kind === 'user').map(({ name }) => name)),
);

export interface SurveyHooks {
	complain?(complaint: Complaint): void;
	holdsSecret?(sent: Fields): boolean;
	isDone?(row: RunRow): boolean;
}

export async function surveyRows(
	batches: AsyncIterable<readonly PlannedRow[]> | readonly PlannedRow[][],
	plan: RunPlan,
	hooks: SurveyHooks = {},
): Promise<Survey> {
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
		deleted: new Set(),
		receivers: new Map(),
		fields: new Set(Object.keys({ ...plan.values.add, ...plan.values.remove })),
		users: new Map(),
		hasSecrets: false,
	};
	for await (const batch of batches) for (const planned of batch) addRow(survey, planned, plan, hooks);
	return survey;
}

function addRow(survey: Survey, planned: PlannedRow, { shard }: RunPlan, hooks: SurveyHooks): void {
	survey.rows++;
	survey.last = planned.row;
	const isOurs = isOwn(planned, shard);
	if (isInvalid(planned)) {
		if (planned.isGone === true) {
			if (isOurs) survey.skipped++;
			return;
		}
		survey.invalid++;
		for (const complaint of planned.complaints) hooks.complain?.(complaint);
		return;
	}
	const { row, request, reassign, skip } = planned;
	if (reassign !== undefined) {
		survey.deleted.add(Number(request.ids.id));
		const receiver = Number(reassign);
		if (!survey.receivers.has(receiver)) survey.receivers.set(receiver, row);
	}
	if (skip !== undefined) survey.empty++;
	if (!isOurs) return;
	if (skip !== undefined) {
		survey.skipped++;
		return;
	}
	if (hooks.isDone?.(planned) !== true) {
		survey.selected++;
		if (request.permanent) survey.permanent++;
		survey.read ??= planned;
		if (survey.first.length < NAMED_ROWS) survey.first.push({ ids: request.ids });
	}
	const { sent } = request;
	if (sent === undefined) return;
	if (survey.selected <= FIELDS_FROM_ROWS) for (const name in sent) survey.fields.add(name);
	for (const name in sent) {
		const id = String(sent[name]);
		if (userFields.has(name) && id !== '0' && survey.users.size < MOST_USERS) survey.users.set(id, name);
	}
	survey.hasSecrets ||= hooks.holdsSecret?.(sent) === true;
}

export function ownRows({ selected, skipped, invalid }: Survey, { shard }: RunPlan): number {
	return selected + skipped + (shard === undefined || shard.index === 1 ? invalid : 0);
}

export interface SetLimits {
	expect?: number;
	max?: number;
}

/** @throws UsageError */
export function checkSet({ rows, deleted, receivers }: Survey, { expect, max }: SetLimits): void {
	const there = rows === 1 ? 'there is 1 row' : `there are ${rows} rows`;
	if (expect !== undefined && rows !== expect) {
		throw new UsageError(`--expect ${expect}, but ${there}; nothing was sent`, { code: 'expect' });
	}
	if (max !== undefined && rows > max) {
		throw new UsageError(`--max ${max}, but ${there}; nothing was sent`, { code: 'max' });
	}
	for (const [receiver, row] of receivers) {
		if (!deleted.has(receiver)) continue;
		const message = `row ${row} reassigns to user ${receiver}, who is also being deleted; nothing was sent`;
		throw new UsageError(message, { code: 'reassign_to_deleted', hint: 'reassign to a user you are not deleting' });
	}
}
