/** The first pass of a run: reads and checks every row before anything is sent, in constant memory. */

import { asksNothing, type Request } from '../../api/plan.js';
import { mentionsOwnId } from '../../api/values.js';
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

export function createSurvey({ values: { add, remove } }: RunPlan): Survey {
	return {
		...{ rows: 0, last: 0, selected: 0, empty: 0, skipped: 0, permanent: 0, invalid: 0 },
		first: [],
		read: undefined,
		guard: new ReassignGuard(),
		fields: new Set(Object.keys({ ...add, ...remove })),
		hasSecrets: false,
		mentionsOwnId: false,
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
		survey.invalid++;
		planned.complaints.forEach(complain);
		return;
	}
	const { request, reassign } = planned;
	const { endpoint, sent } = request;
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
	survey.mentionsOwnId ||= mentionsOwnId(endpoint.fields, sent);
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

/** Numbers in a typed array that grows: 4 bytes each as long as all of them fit, then 8. */
class NumberList {
	private numbers: Uint32Array | Float64Array = new Uint32Array(1024);
	count = 0;

	add(value: number): void {
		if (value > 0xffff_ffff && this.numbers instanceof Uint32Array) this.numbers = Float64Array.from(this.numbers);
		if (this.count === this.numbers.length) {
			const larger = new (this.numbers.constructor as typeof Uint32Array)(this.numbers.length * 2);
			larger.set(this.numbers);
			this.numbers = larger;
		}
		this.numbers[this.count++] = value;
	}

	get values(): Uint32Array | Float64Array {
		return this.numbers.subarray(0, this.count);
	}
}

/** Collects who is deleted and who receives, in at most 32 bytes a row, to find a receiver that is itself deleted. */
export class ReassignGuard {
	private readonly ids = new NumberList();
	private isSorted = true;
	/** Each receiver that is not the one of the row before. */
	private readonly receivers = new NumberList();
	private last: string | undefined;
	/** The rows of these receivers, where they do not follow one another: places in the list, and the row of each. */
	private readonly places = new NumberList();
	private readonly rows = new NumberList();
	private lastRow: number | undefined;

	/** Notes a row of `user delete`. */
	add(row: number, { ids }: Pick<Request, 'ids'>, reassign: string): void {
		this.ids.add(Number(ids.id));
		this.isSorted = false;
		if (reassign === this.last) return;
		this.last = reassign;
		if (this.lastRow !== row - 1) {
			this.places.add(this.receivers.count);
			this.rows.add(row);
		}
		this.lastRow = row;
		this.receivers.add(Number(reassign));
	}

	/** Whether a user is in the delete set. Every row may name a receiver of its own, so the ids are sorted once. */
	deletes(id: string | number): boolean {
		const wanted = Number(id);
		const ids = this.ids.values;
		if (!this.isSorted) ids.sort();
		this.isSorted = true;
		let from = 0;
		let to = ids.length;
		while (from < to) {
			const middle = (from + to) >>> 1;
			if ((ids[middle] as number) < wanted) from = middle + 1;
			else to = middle;
		}
		return ids[from] === wanted;
	}

	/** The first receivers, at most `limit` of them. */
	firstReceivers(limit: number): number[] {
		return [...new Set(this.receivers.values.subarray(0, limit))];
	}

	/** @throws UsageError where a row reassigns to a user that the same set deletes. */
	check(): void {
		const receivers = this.receivers.values;
		const at = receivers.findIndex((receiver) => this.deletes(receiver));
		if (at < 0) return;
		const known = this.places.values.findLastIndex((place) => place <= at);
		const row = (this.rows.values[known] as number) + at - (this.places.values[known] as number);
		const message = `row ${row} reassigns to user ${receivers[at]}, who is deleted in the same set; nothing was sent`;
		throw new UsageError(message, { code: 'reassign_to_deleted', hint: '--reassign takes a user who stays' });
	}
}
