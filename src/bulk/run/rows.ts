/** A plan's rows: reads its source, whatever it is, and plans one request per row; both passes of a run read the same. */

import type { Dialect } from '../../api/dialect.js';
import type { Endpoint } from '../../api/endpoints.js';
import { chooseEndpoint, createPlanner, type Planner, type Request, type RowValues } from '../../api/plan.js';
import { lookedUpId } from '../../http/judge.js';
import type { Outcome, OutcomeName, RowOutcome } from '../../http/outcome.js';
import type { InputSource, RawRow } from '../input/input.js';
import { type Complaint, compileColumns, type Matched, type RowReader } from '../input/rows.js';
import { inShard, type RowSource, type RunPlan, type Shard } from './plan.js';

/** A row that can be sent. */
export interface RunRow {
	/** 1-based place in the input. */
	readonly row: number;
	/** 1-based line in the input file, where there is one. */
	readonly line?: number | undefined;
	readonly request: Request;
	/** The user who receives what a deleted user leaves. */
	readonly reassign?: string | undefined;
	/** Values of which the object must still have one in each field. */
	readonly expected?: Expected | undefined;
	/** Why the row is not sent, where that is known before. */
	readonly skip?: { readonly code: string; readonly message: string } | undefined;
	/** What a person has to know of the row whatever its outcome is. */
	readonly remarks?: readonly string[] | undefined;
	/** The object's `modified_gmt` as the input has it, for --if-unmodified. */
	readonly modified?: string | undefined;
}

/** What an object is expected to have just before its write. */
export interface Expected {
	readonly values: Readonly<Record<string, readonly unknown[]>>;
	/** Whether a field with another value is left out and the others are sent; otherwise the row is skipped. */
	readonly byField: boolean;
	/** How messages go on after "title was changed": by whom, and what sends it all the same. */
	readonly code: string;
	readonly hint: string;
}

/** A row that can't be sent. */
export interface InvalidRow {
	readonly row: number;
	readonly line?: number | undefined;
	readonly complaints: readonly Complaint[];
	/** A delete of what nobody knows, with --ignore-missing: ok without a request. */
	readonly isGone?: boolean;
}

export type PlannedRow = RunRow | InvalidRow;

export function isInvalid(planned: PlannedRow): planned is InvalidRow {
	return 'complaints' in planned;
}

/** The rows of a plan, which can be read any number of times: each time the same rows, or an error. */
export interface PlannedRows {
	/** Where they can be read again: standard input has become a file by then. */
	readonly source: RowSource;
	/** The input as bytes, for whoever prints its rows again; undefined where rows come from a journal's old values. */
	readonly input: InputSource | undefined;
	/** Columns that are not sent. */
	readonly ignored: readonly string[];
	/** Headers that aren't spelt like their fields. */
	readonly matched: readonly Matched[];
	/** Known after the first whole pass. */
	sha256(): string;
	/** All rows, in input order, many at a time; a shard takes its own by `isOwn`. */
	read(): AsyncIterable<readonly PlannedRow[]>;
	/** Gives a private copy of standard input a name, so that a resume finds it. Not for rows with secrets. */
	keep(): Promise<void>;
	/** Closes the source and removes a private copy, unless a resume needs it. */
	dispose(options?: { keep?: boolean }): Promise<void>;
}

export interface RowContext {
	dialect: Dialect;
	/** Values of the plan's withheld fields, and of secret fields from a prompt. */
	secrets: Readonly<Record<string, unknown>>;
	/** Puts IDs in the place of names. */
	names?: { plan(batch: readonly RawRow[], rows: RowPlanning): Promise<PlannedRow[]> } | undefined;
	stdin: AsyncIterable<Uint8Array>;
	stateDir: string;
	/** Is called with the path of each private copy of standard input before it is made. */
	onCopy?: ((path: string) => void) | undefined;
}

/** Whether a row belongs to a shard. An invalid row has no key: it belongs to the first shard. */
export function isOwn(planned: PlannedRow, shard: Shard | undefined): boolean {
	if (shard === undefined) return true;
	return isInvalid(planned) ? shard.index === 1 : inShard(planned.request.key, shard);
}

/** How raw rows become requests, in two steps. */
export interface RowPlanning {
	read: RowReader;
	finish: FinishRow;
	/** Field → its column, where that is spelt differently. */
	labels: ReadonlyMap<string, string>;
}

/** Plans what was read of a row. */
export type FinishRow = (place: Pick<RawRow, 'row' | 'line'>, found: ReturnType<RowReader>) => PlannedRow;

/** How raw rows become requests. @throws UsageError for a header that can't be used */
export function planRows(
	plan: RunPlan,
	input: Pick<InputSource, 'name' | 'columns' | 'headerLine'>,
	{ dialect, secrets }: Pick<RowContext, 'dialect' | 'secrets'>,
): {
	planRow(raw: RawRow): PlannedRow;
	readRow: RowReader;
	finishRow: FinishRow;
	ignored: readonly string[];
	matched: readonly Matched[];
} {
	const { values, columns, undocumented } = plan;
	const { endpoint, forTaxonomy } = chooseEndpoint(plan.endpoint, values.ids.taxonomy, undocumented);
	const request = plannerOf(plan, dialect);
	const changed = Object.keys({ ...values.add, ...values.remove });
	const { read, ignored, matched } = compileColumns({
		...columns,
		name: input.name,
		columns: input.columns,
		headerLine: input.headerLine,
		endpoint,
		...(forTaxonomy === undefined ? {} : { endpointFor: forTaxonomy }),
		rules: { undocumented, statusIn: dialect.statusIn },
		fieldIn: dialect.fieldIn,
		changesLists: changed.length > 0,
		flags: {
			ids: values.ids,
			...(values.force ? { force: true } : {}),
			reassign: values.reassign,
			fields: { ...values.fields, ...secrets },
		},
	});
	const finishRow: FinishRow = ({ row, line }, found) => {
		if (Array.isArray(found)) return { row, line, complaints: found };
		const given = changed.find((name) => Object.hasOwn(found.fields ?? {}, name));
		if (given !== undefined) {
			const message = `${given} has a value here, and a flag adds items to it or removes some; --ignore-column ${given} leaves the value out`;
			return { row, line, complaints: [{ row, line, column: given, message, ids: found.ids }] };
		}
		if (plan.checks.ifUnmodified && found.modified === undefined) {
			const message = 'modified_gmt is missing, which --if-unmodified compares';
			return { row, line, complaints: [{ row, line, column: undefined, message, ids: found.ids }] };
		}
		return { row, line, request: request(found), reassign: found.reassign, modified: found.modified };
	};
	return { ignored, matched, readRow: read, finishRow, planRow: (raw) => finishRow(raw, read(raw)) };
}

/** Finds the endpoint of a row, by its taxonomy where rows have one. */
export function endpointFinder({
	endpoint: name,
	undocumented,
	values,
}: Pick<RunPlan, 'endpoint' | 'undocumented' | 'values'>): (ids: Readonly<Record<string, string>>) => Endpoint {
	const { endpoint, forTaxonomy } = chooseEndpoint(name, values.ids.taxonomy, undocumented);
	if (forTaxonomy === undefined) return () => endpoint;
	return ({ taxonomy }) => (taxonomy === undefined ? endpoint : forTaxonomy(taxonomy));
}

/** The planner of a plan's endpoint, by the taxonomy of each row where rows have one. */
export function plannerOf(
	{ endpoint, undocumented, values: shared }: Pick<RunPlan, 'endpoint' | 'undocumented' | 'values'>,
	dialect: Dialect,
): Planner {
	const { endpoint: model, forTaxonomy } = chooseEndpoint(endpoint, shared.ids.taxonomy, undocumented);
	if (forTaxonomy === undefined) return createPlanner(model, dialect);
	const planners = new Map<string, Planner>();
	return (values: RowValues) => {
		const taxonomy = values.ids.taxonomy as string;
		let planner = planners.get(taxonomy);
		if (planner === undefined) {
			planner = createPlanner(forTaxonomy(taxonomy), dialect);
			planners.set(taxonomy, planner);
		}
		return planner(values);
	};
}

/** The outcome of a row; that of a look-up has the id that was found. */
export function outcomeOf({ row, line, remarks, request: { endpoint, ids } }: RunRow, result: Outcome): RowOutcome {
	const id = endpoint.returns === 'user-id' && result.outcome === 'ok' ? lookedUpId(result.body) : undefined;
	const outcome: RowOutcome = { row, ids: id === undefined ? ids : { ...ids, id }, ...result };
	if (line !== undefined) outcome.line = line;
	if (remarks !== undefined) outcome.warnings = [...(result.warnings ?? []), ...remarks];
	return outcome;
}

/** The outcome of a row that is not sent. */
export function skippedOutcome({ row, line, request: { ids }, skip, remarks }: RunRow): RowOutcome {
	return {
		row,
		...(line === undefined ? {} : { line }),
		ids,
		outcome: 'skipped',
		...skip,
		attempts: 0,
		ms: 0,
		...(remarks === undefined ? {} : { warnings: [...remarks] }),
	};
}

/** The outcome of a row that can't be sent. */
export function invalidOutcome({ row, line, complaints, isGone = false }: InvalidRow) {
	return {
		row,
		...(line === undefined ? {} : { line }),
		ids: complaints[0]?.ids ?? {},
		outcome: (isGone ? 'ok' : 'invalid') as OutcomeName,
		code: isGone ? 'gone' : 'invalid_input',
		message: complaints.map((each) => each.message).join('; '),
		attempts: 0,
		ms: 0,
	};
}
