/** Rows of a saved plan: sent only while objects have the plan's old values. */

import { readEndpointOf } from '../../api/reads.js';
import { UsageError } from '../../errors.js';
import type { FieldChange, PlannedWrite } from './events.js';
import { heldOf, isUnchanged } from './held.js';
import type { RowSource, RunHeader, RunPlan, SavedPlan } from './plan.js';
import { plannedWrites, readPlan } from './plan-file.js';
import { type Expected, endpointFinder, type PlannedRows, plannerOf, type RowContext, type RunRow } from './rows.js';

/** It keeps old values itself. */
export function applyPlan(
	{ plan }: Pick<RunHeader, 'plan'>,
	{ path, sha256 }: SavedPlan,
	allowDrift: boolean,
): RunPlan {
	const { ids } = plan.values;
	const { replay, trash, ...endpoint } = endpointFinder(plan)(ids);
	const canBeUndone = readEndpointOf(endpoint) !== undefined && (replay === 'set' || (trash && !plan.values.force));
	return {
		...plan,
		source: { from: 'plan', path, sha256, allowDrift },
		values: { ids, fields: {}, withheld: [], force: plan.values.force, add: {}, remove: {} },
		checks: { ...plan.checks, snapshot: canBeUndone },
		shard: undefined,
		skipInvalid: false,
	};
}

const BATCH = 100;

/** @throws UsageError for a changed plan */
export async function openPlannedRows(
	plan: RunPlan,
	source: Extract<RowSource, { from: 'plan' }>,
	{ dialect }: Pick<RowContext, 'dialect'>,
): Promise<PlannedRows> {
	const { path, sha256, allowDrift } = source;
	const request = plannerOf(plan, dialect);
	const toRow = ({ row, line, ids, force, reassign, modified, fields, before }: PlannedWrite): RunRow => ({
		...{ row, line, reassign, modified },
		request: request({ ids, force, reassign, fields }),
		...(allowDrift ? {} : { expected: expectedOf(before) }),
	});
	return {
		source,
		input: undefined,
		ignored: [],
		matched: [],
		sha256: () => sha256,
		async *read() {
			if (readPlan(path).sha256 !== sha256) {
				throw new UsageError(`the plan ${path} was changed; nothing more was sent`, { code: 'bad_plan' });
			}
			let batch: RunRow[] = [];
			for (const planned of plannedWrites(path, plan)) {
				batch.push(toRow(planned));
				if (batch.length < BATCH) continue;
				yield batch;
				batch = [];
			}
			if (batch.length > 0) yield batch;
		},
		keep: async () => undefined,
		dispose: async () => undefined,
	};
}

function expectedOf({ values, absent }: PlannedWrite['before']): Expected {
	const old = [...Object.entries(values), ...absent.map((name) => [name, null] as const)];
	return {
		values: Object.fromEntries(old.map(([name, value]) => [name, [value]])),
		byField: false,
		code: 'drift',
		hint: 'to send it anyway: --allow-drift',
	};
}

export function changesIn(planned: PlannedWrite, plan: RunPlan): FieldChange[] {
	const { ids, fields, before, force } = planned;
	const endpoint = endpointFinder(plan)(ids);
	if (endpoint.body === 'none') return [deletionOf(before, endpoint.trash && force !== true)];
	const held = heldOf({ ...endpoint, body: 'fields' }, before.values);
	return Object.entries(fields)
		.filter(([name, value]) => held === undefined || !isUnchanged(endpoint, name, value, held))
		.map(([field, value]) => {
			const isShown = Object.hasOwn(before.values, field);
			return { field, old: before.values[field], new: value, isShown };
		});
}

/** By which people know a deleted object; the first one shows what becomes of it. */
export const IDENTITY = ['status', 'username', 'name', 'title', 'slug', 'email'];

export function deletionOf({ values }: Pick<PlannedWrite['before'], 'values'>, isTrash: boolean): FieldChange {
	const field = IDENTITY.find((name) => Object.hasOwn(values, name)) ?? 'status';
	return { field, old: values[field], new: isTrash ? 'trash' : 'deleted', isShown: Object.hasOwn(values, field) };
}
