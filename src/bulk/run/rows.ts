/** A plan's rows: reads the source and plans one request per row, in both passes. */

import type { Dialect } from '../../api/dialect.js';
import type { Endpoint } from '../../api/endpoints.js';
import { chooseEndpoint, createPlanner, type Planner, type Request, type RowValues } from '../../api/plan.js';
import { lookedUpId } from '../../http/judge.js';
import type { Outcome, OutcomeName, RowOutcome } from '../../http/outcome.js';
import type { InputSource, RawRow } from '../input/input.js';
import { type Complaint, compileColumns, type Matched, type RowReader } from '../input/rows.js';
import { inShard, type RowSource, type RunPlan, type Shard } from './plan.js';

export interface RunRow {
	/** From 1. */
	readonly row: number;
	/** From 1. */
	readonly line?: number | undefined;
	readonly request: Request;
	/** Receives what a deleted user leaves. */
	readonly reassign?: string | undefined;
	/** The object must still have one of these values in each field. */
	readonly expected?: Expected | undefined;
	/** If known before. */
	readonly skip?: { readonly code: string; readonly message: string } | undefined;
	/** Shown whatever the outcome. */
	readonly remarks?: readonly string[] | undefined;
	/** For --if-unmodified. */
	readonly modified?: string | undefined;
}

/** Just before the write. */
export interface Expected {
	readonly values: Readonly<Record<string, readonly unknown[]>>;
	/** Leaves out single fields; otherwise the row is skipped. */
	readonly byField: boolean;
	/** The rest of a message such as "title was changed". */
	readonly code: string;
	readonly hint: string;
}

export interface InvalidRow {
	readonly row: number;
	readonly line?: number | undefined;
	readonly complaints: readonly Complaint[];
	/** Ok with --ignore-missing, without a request. */
	readonly isGone?: boolean;
}

export type PlannedRow = RunRow | InvalidRow;

export function isInvalid(planned: PlannedRow): planned is InvalidRow {
	return 'complaints' in planned;
}

/** Each pass has the same rows, or an error. */
export interface PlannedRows {
	/** For later passes: stdin is a file by then. */
	readonly source: RowSource;
	/** Undefined for rows from a journal. */
	readonly input: InputSource | undefined;
	readonly ignored: readonly string[];
	/** Spelled differently from their fields. */
	readonly matched: readonly Matched[];
	/** After the first pass. */
	sha256(): string;
	/** In input order; `isOwn` says which are a shard's. */
	read(): AsyncIterable<readonly PlannedRow[]>;
	/** Names a copy of stdin for a resume. Not for secrets. */
	keep(): Promise<void>;
	/** Keeps a private copy that a resume needs. */
	dispose(options?: { keep?: boolean }): Promise<void>;
}

export interface RowContext {
	dialect: Dialect;
	/** Of withheld fields and from prompts. */
	secrets: Readonly<Record<string, unknown>>;
	names?: { plan(batch: readonly RawRow[], rows: RowPlanning): Promise<PlannedRow[]> } | undefined;
	stdin: AsyncIterable<Uint8Array>;
	stateDir: string;
	/** Before a copy of stdin is made. */
	onCopy?: ((path: string) => void) | undefined;
}

/** Invalid rows belong to the first shard. */
export function isOwn(planned: PlannedRow, shard: Shard | undefined): boolean {
	if (shard === undefined) return true;
	return isInvalid(planned) ? shard.index === 1 : inShard(planned.request.key, shard);
}

export interface RowPlanning {
	read: RowReader;
	finish: FinishRow;
	/** If spelled differently. */
	labels: ReadonlyMap<string, string>;
}

export type FinishRow = (place: Pick<RawRow, 'row' | 'line'>, found: ReturnType<RowReader>) => PlannedRow;

/** @throws UsageError for a bad header */
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
			const message = `${given} has a value, but a flag adds or removes its items; to ignore the value: --ignore-column ${given}`;
			return { row, line, complaints: [{ row, line, column: given, message, ids: found.ids }] };
		}
		if (plan.checks.ifUnmodified && found.modified === undefined) {
			const message = 'modified_gmt is missing; --if-unmodified needs it';
			return { row, line, complaints: [{ row, line, column: undefined, message, ids: found.ids }] };
		}
		return { row, line, request: request(found), reassign: found.reassign, modified: found.modified };
	};
	return { ignored, matched, readRow: read, finishRow, planRow: (raw) => finishRow(raw, read(raw)) };
}

/** Rows may name their taxonomy. */
export function endpointFinder({
	endpoint: name,
	undocumented,
	values,
}: Pick<RunPlan, 'endpoint' | 'undocumented' | 'values'>): (ids: Readonly<Record<string, string>>) => Endpoint {
	const { endpoint, forTaxonomy } = chooseEndpoint(name, values.ids.taxonomy, undocumented);
	if (forTaxonomy === undefined) return () => endpoint;
	return ({ taxonomy }) => (taxonomy === undefined ? endpoint : forTaxonomy(taxonomy));
}

/** Rows may name their taxonomy. */
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

/** The outcome of a lookup has the ID. */
export function outcomeOf({ row, line, remarks, request: { endpoint, ids } }: RunRow, result: Outcome): RowOutcome {
	const id = endpoint.returns === 'user-id' && result.outcome === 'ok' ? lookedUpId(result.body) : undefined;
	const outcome: RowOutcome = { row, ids: id === undefined ? ids : { ...ids, id }, ...result };
	if (line !== undefined) outcome.line = line;
	if (remarks !== undefined) outcome.warnings = [...(result.warnings ?? []), ...remarks];
	return outcome;
}

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
