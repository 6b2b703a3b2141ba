/** A plan's rows: reads the source and plans one request per row, in both passes. */

import type { Dialect } from '../../api/dialect.js';
import { type Endpoint, endpoints, nameColumnOf } from '../../api/endpoints.js';
import { createPlanner, type Planner, type Request, type RowValues } from '../../api/request.js';
import { type RowOutcome, skipped, unsent } from '../../http/outcome.js';
import type { ReasonCode } from '../../http/outcomes.js';
import { type InputSource, openArguments, type RawRow } from '../input/input.js';
import { type Columns, type Complaint, compileColumns } from '../input/rows.js';
import { inOrder } from '../lists/batches.js';
import type { Directories } from '../lists/directory.js';
import { type Fields, inShard, listedFields, NOTHING_TO_SEND, type RunPlan, type Shard } from '../plan.js';
import type { InputRows, RowSource } from '../sources.js';
import { hasNames, resolveRow } from './names.js';

export interface RunRow {
	readonly row: number;
	readonly line?: number;
	readonly request: Request;
	readonly reassign?: string;
	/** Of the object, in a plan. */
	readonly label?: string | undefined;
	/** What other rows of the plan call the object, before and after them. */
	readonly renamed?: readonly string[] | undefined;
	/** The object must still have one of these values in each field. */
	readonly expected?: Readonly<Record<string, readonly unknown[]>>;
	/** Fields that an undo can't put back, with their old values where they are known. */
	readonly kept?: Readonly<Record<string, { readonly why: string; readonly old?: unknown }>> | undefined;
	readonly skip?: { readonly code: ReasonCode; readonly message: string };
	readonly remarks?: readonly string[];
	/** Whether fields are not sent, because a later row of the run set them. */
	readonly isPart?: true;
	/** Those of them that the later row found there already: an earlier attempt of this row had written them. */
	readonly writtenBefore?: readonly string[];
	readonly modified?: string;
}

export interface InvalidRow {
	readonly row: number;
	readonly line?: number;
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
	/** Undefined for rows of a journal or a saved plan. */
	readonly input?: InputSource;
	readonly columns?: Columns;
	/** After the first pass. */
	sha256(): string;
	/** In input order; `isOwn` says which are a shard's. */
	read(): AsyncIterable<readonly PlannedRow[]>;
}

/** Invalid rows belong to the first shard. */
export function isOwn(planned: PlannedRow, shard: Shard | undefined): boolean {
	if (shard === undefined) return true;
	return isInvalid(planned) ? shard.index === 1 : inShard(planned.request.key, shard);
}

export const ROWS_AT_ONCE = 100;

export async function* inBatches(rows: Iterable<RunRow>): AsyncGenerator<RunRow[]> {
	let batch: RunRow[] = [];
	for (const row of rows) {
		batch.push(row);
		if (batch.length < ROWS_AT_ONCE) continue;
		yield batch;
		batch = [];
	}
	if (batch.length > 0) yield batch;
}

/** Plans a row in two steps: names are looked up between them. */
export class RowPlanner {
	readonly columns: Columns;
	readonly #endpoint: Endpoint;
	readonly #request: Planner;
	readonly #listed: readonly string[];

	constructor(
		private readonly plan: RunPlan,
		{ name, format, columns, headerLine }: InputSource,
		dialect: Dialect,
		secrets: Fields,
	) {
		const { values, undocumented } = plan;
		const { ids, force, reassign } = values;
		const endpoint = endpoints[plan.endpoint];
		this.#endpoint = endpoint;
		this.#request = createPlanner(endpoint, dialect);
		this.#listed = listedFields(plan);
		this.columns = compileColumns({
			...plan.columns,
			name,
			format,
			columns,
			headerLine,
			endpoint,
			rules: { undocumented, statusIn: dialect.toNeutral },
			fieldIn: dialect.toNeutral,
			changesLists: this.#listed.length > 0,
			flags: { ids, force: force || undefined, reassign, fields: { ...values.fields, ...secrets } },
		});
	}

	finish({ row, line }: Pick<RawRow, 'row' | 'line'>, found: RowValues | Complaint[]): PlannedRow {
		if (Array.isArray(found)) return { row, line, complaints: found };
		const refusal = this.#refusal(found);
		if (refusal !== undefined) return { row, line, complaints: [{ row, line, ids: found.ids, ...refusal }] };
		const request = this.#request(found);
		const { sent } = request;
		const isEmpty = sent !== undefined && Object.keys(sent).length === 0;
		const skip = isEmpty && this.#listed.length === 0 ? NOTHING_TO_SEND : undefined;
		const { expected } = this.plan.checks;
		return { row, line, request, reassign: found.reassign, modified: found.modified, skip, expected };
	}

	#refusal({ fields = {}, modified }: RowValues): Pick<Complaint, 'column' | 'message'> | undefined {
		const column = this.#listed.find((name) => Object.hasOwn(fields, name));
		if (column !== undefined) {
			const advice = `to ignore the value: --ignore-column ${column}`;
			return { column, message: `${column} has a value, but a flag adds or removes its items; ${advice}` };
		}
		if (!this.plan.checks.ifUnmodified || modified !== undefined) return undefined;
		return { column: undefined, message: 'modified_gmt is missing; --if-unmodified needs it' };
	}

	async planAll(batch: readonly RawRow[], directories: Directories, concurrency: number): Promise<PlannedRow[]> {
		const planned: PlannedRow[] = new Array(batch.length);
		const named: { index: number; raw: RawRow; values: RowValues; complaints: Complaint[] }[] = [];
		batch.forEach((raw, index) => {
			const { values, complaints } = this.columns.readAll(raw);
			if (hasNames(this.#endpoint, values)) named.push({ index, raw, values, complaints });
			else planned[index] = this.finish(raw, complaints.length > 0 ? complaints : values);
		});
		const finished = inOrder(named, concurrency, async ({ index, raw, values, complaints }) => {
			planned[index] = await this.#planNamed(raw, values, directories, complaints);
		});
		for await (const _ of finished);
		return planned;
	}

	/** @param refused what is wrong with it already */
	async #planNamed(
		raw: RawRow,
		found: RowValues,
		directories: Directories,
		refused: readonly Complaint[],
	): Promise<PlannedRow> {
		const own = this.#endpoint.parameters.at(-1)?.name ?? '';
		const name = found.names?.[own];
		const problems = await resolveRow(this.#endpoint, found, directories);
		if (problems.length === 0) return this.finish(raw, refused.length > 0 ? [...refused] : found);
		const { row, line } = raw;
		const hasPlace = nameColumnOf(this.#endpoint) !== undefined;
		const ids = name !== undefined && !hasPlace ? { ...found.ids, slug: name } : found.ids;
		const unknown = problems.map(({ column, problem }) => {
			const byName = column === own ? this.columns.columnOf('username') : undefined;
			const label = this.columns.columnOf(column) ?? byName ?? column;
			return { row, line, column: label, message: problem, ids };
		});
		const complaints = [...refused, ...unknown];
		const isGone = refused.length === 0 && problems.every(({ column, isMissing }) => isMissing && column === own);
		return { row, line, complaints, isGone: isGone && this.plan.checks.ignoreMissing };
	}
}

/** @param onDraft is told of a copy of stdin before it is made @throws UsageError */
export async function openInputOf(
	source: InputRows,
	stdin: AsyncIterable<Uint8Array>,
	stateDir: string,
	onDraft?: (path: string) => void,
): Promise<InputSource> {
	if (source.from === 'ids') return openArguments(source.ids);
	const { openInput } = await import('../input/source.js');
	const { path, name, format, delimiter, encoding } = source;
	return await openInput({ path, name, stdin, stateDir, format, delimiter, encoding, onSpool: onDraft });
}

export function invalidOutcome({ row, line, complaints, isGone = false }: InvalidRow): RowOutcome {
	const why = complaints.map(({ message }) => message).join('; ');
	const own = isGone ? skipped({ code: 'not_found', message: why }) : unsent('invalid', 'invalid_input', why);
	return { row, line, ids: complaints[0]?.ids ?? {}, ...own };
}
