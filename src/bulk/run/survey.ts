/** The first pass of a run: reads and checks every row before anything is sent, in constant memory. */

import { chooseEndpoint } from '../../api/choose.js';
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

/** Collects who is deleted and who receives, in at most 24 bytes a row, to find a receiver that is itself deleted. */
export class ReassignGuard {
	private readonly ids = new NumberList();
	private isSorted = true;
	/** Each receiver that is not the one of the row before, and the first row that names it. */
	private readonly receivers = new NumberList();
	private readonly rows = new NumberList();
	private last: string | undefined;

	/** Notes a row of `user delete`. */
	add(row: number, request: Request, reassign: string | undefined): void {
		this.ids.add(Number(request.ids.id));
		this.isSorted = false;
		if (reassign === undefined || reassign === this.last) return;
		this.last = reassign;
		this.receivers.add(Number(reassign));
		this.rows.add(row);
	}

	/** Whether a user is in the delete set. */
	deletes(id: string | number): boolean {
		const wanted = Number(id);
		let from = 0;
		let to = this.ids.count;
		const ids = this.sorted();
		while (from < to) {
			const middle = (from + to) >>> 1;
			if ((ids[middle] as number) < wanted) from = middle + 1;
			else to = middle;
		}
		return from < this.ids.count && ids[from] === wanted;
	}

	/** The first receivers, at most `limit` of them. */
	firstReceivers(limit: number): number[] {
		return [...new Set(this.receivers.values.subarray(0, limit))];
	}

	/** Every row may name a receiver of its own, so the ids are sorted once to be searched quickly. */
	private sorted(): Uint32Array | Float64Array {
		if (!this.isSorted) this.ids.values.sort();
		this.isSorted = true;
		return this.ids.values;
	}

	/** @throws UsageError where a row reassigns to a user that the same set deletes. */
	check(): void {
		const rows = this.rows.values;
		for (const [index, receiver] of this.receivers.values.entries()) {
			if (!this.deletes(receiver)) continue;
			const row = rows[index] as number;
			throw new UsageError(
				`row ${row} reassigns to user ${receiver}, who is deleted in the same set; nothing was sent`,
				{ code: 'reassign_to_deleted', hint: '--reassign takes a user who stays' },
			);
		}
	}
}

export interface WriteGuardFacts {
	/** What is about to happen: "delete 12 tickets". */
	action: string;
	/** Whether a person is asked, as before each delete. */
	asks: boolean;
	host: string;
	profile: string | undefined;
	/** Whether the profile is marked protected. */
	protected: boolean;
	yes: boolean;
	/** The value of `--confirm`. */
	confirm: string | undefined;
}

/** What is needed before a write may start. @throws UsageError where it can't be had. */
export function needsQuestion(facts: WriteGuardFacts, canAsk: boolean): string | undefined {
	const where = `on ${facts.host}${facts.profile === undefined ? '' : ` (profile ${facts.profile})`}`;
	if (facts.protected) {
		const name = facts.profile ?? '';
		if (facts.confirm !== name) {
			throw new UsageError(`profile ${name} is protected: ${facts.action} ${where} needs --confirm=${name}`, {
				code: 'protected_profile',
				...(facts.confirm === undefined ? {} : { details: [`--confirm=${facts.confirm} names another profile`] }),
			});
		}
	} else if (facts.confirm !== undefined && facts.confirm !== facts.profile) {
		throw new UsageError(`--confirm=${facts.confirm}, but the profile is ${facts.profile ?? 'none'}`, {
			code: 'protected_profile',
		});
	}
	if (!facts.asks || facts.yes) return undefined;
	if (!canAsk) {
		throw new UsageError(`to ${facts.action} ${where} without a terminal to ask on, give --yes; nothing was sent`, {
			code: 'needs_yes',
		});
	}
	return `${facts.action.charAt(0).toUpperCase()}${facts.action.slice(1)} ${where}?`;
}
