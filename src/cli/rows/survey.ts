/** The first pass: reads and checks every row before anything is sent, in constant memory. */

import type { Endpoint } from '../../api/endpoints.js';
import { asksNothing, type PlannedRequest, type RowValues } from '../../api/plan.js';
import type { RunRow } from '../../bulk/engine.js';
import { ReassignGuard } from '../../bulk/guards.js';
import { type Complaint, formatComplaint, type RowReader } from '../../bulk/input/rows.js';
import type { InputSource, RawRow } from '../../bulk/input/source.js';
import { inShard, type Shard } from '../../bulk/shard.js';
import { createRedactor } from '../../output/redact.js';

/** Turns a raw row into a planned one, or says what is wrong with it. */
export type RowPlan = (raw: RawRow) => PlannedRow | Complaint[];

export interface PlannedRow extends RunRow {
	readonly values: RowValues;
}

export interface Survey {
	/** Rows in the input. */
	rows: number;
	/** Valid rows of this shard: what will be sent. */
	selected: number;
	/** Valid rows of the whole input that leave every field alone. */
	empty: number;
	/** Of these, the ones of this shard: they are done without being sent. */
	skipped: number;
	/** Of the selected ones, how many say force, by a flag or by a column of their own. */
	forced: number;
	/** Rows that complaints are about. */
	invalid: number;
	/** Complaints about them. */
	complaints: number;
	guard: ReassignGuard;
	/** Fields that the first rows set, for the columns of the results. */
	fields: Set<string>;
	/** Whether some row holds a value that must not be kept. */
	hasSecrets: boolean;
}

/** How many rows are looked at for the fields that they set. */
const FIELDS_FROM_ROWS = 200;

export interface PlanningOptions {
	read: RowReader;
	plan(values: RowValues): PlannedRequest;
	/** Ids that the shared body held; they have to be those of the path. */
	dataIds: Readonly<Record<string, unknown>>;
}

/** Reading, then planning, of one row. */
export function createRowPlan({ read, plan, dataIds }: PlanningOptions): RowPlan {
	const bodyIds = Object.entries(dataIds);
	return (raw) => {
		const values = read(raw);
		if (Array.isArray(values)) return values;
		for (const [name, value] of bodyIds) {
			const own = values.ids[name] ?? values.ids.id;
			if (String(value) === own) continue;
			const message = `--data has ${name} ${JSON.stringify(value)}, but the path says ${own}; ids belong in the path`;
			return [{ row: raw.row, line: raw.line, column: undefined, message }];
		}
		return { row: raw.row, line: raw.line, request: plan(values), values };
	};
}

/** Whether a shard answers for a row. One that can't be read has no key: it is the first shard's. */
export function fallsTo(shard: Shard | undefined, planned: PlannedRow | Complaint[]): boolean {
	if (shard === undefined) return true;
	return Array.isArray(planned) ? shard.index === 1 : inShard(planned.request.key, shard);
}

/** Checks all rows. @throws UsageError for input that can't be read at all. */
export async function surveyRows(
	source: Pick<InputSource, 'read'>,
	planRow: RowPlan,
	options: { shard: Shard | undefined; endpoint: Endpoint; complain(complaint: Complaint): void },
): Promise<Survey> {
	const { shard, complain } = options;
	const survey: Survey = {
		rows: 0,
		selected: 0,
		empty: 0,
		skipped: 0,
		forced: 0,
		invalid: 0,
		complaints: 0,
		guard: new ReassignGuard(),
		fields: new Set(),
		hasSecrets: false,
	};
	const redact = createRedactor();
	const reassigns = options.endpoint.query.some(({ name }) => name === 'reassign');
	for await (const batch of source.read()) {
		for (const raw of batch) {
			survey.rows++;
			const planned = planRow(raw);
			if (Array.isArray(planned)) {
				survey.invalid++;
				survey.complaints += planned.length;
				planned.forEach(complain);
				continue;
			}
			if (reassigns) survey.guard.add(planned.row, planned.request, planned.values.reassign);
			const isEmpty = asksNothing(planned.request);
			if (isEmpty) survey.empty++;
			if (shard !== undefined && !inShard(planned.request.key, shard)) continue;
			if (isEmpty) {
				survey.skipped++;
				continue;
			}
			survey.selected++;
			if (planned.values.force === true) survey.forced++;
			const { sent } = planned.request;
			if (sent === undefined) continue;
			if (survey.selected <= FIELDS_FROM_ROWS) for (const name in sent) survey.fields.add(name);
			if (!survey.hasSecrets && redact(sent) !== sent) survey.hasSecrets = true;
		}
	}
	return survey;
}

/** Rows that this process answers for: those it sends, those that need not be sent, and those that can't be. */
export function ownRows({ selected, skipped, invalid }: Survey, shard: Shard | undefined): number {
	return selected + skipped + (shard === undefined || shard.index === 1 ? invalid : 0);
}

/** A complaint as a person reads it; ids from the command line have no line to name. */
export function complaintText(complaint: Complaint, source: { name: string; fromArguments: boolean }): string {
	return source.fromArguments ? complaint.message : formatComplaint(complaint, source.name);
}
