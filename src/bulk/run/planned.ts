/** Rows of a saved plan: sent only while objects have the plan's old values. */

import type { Dialect } from '../../api/dialect.js';
import { readEndpointOf } from '../../api/reads.js';
import { UsageError } from '../../errors.js';
import type { FieldChange, PlannedWrite } from './events.js';
import { heldOf, isUnchanged } from './held.js';
import { type RowSource, type RunHeader, type RunPlan, type SavedPlan, withoutValues } from './plan.js';
import { plannedWrites, readPlan } from './plan-file.js';
import { type Expected, endpointFinder, inBatches, type PlannedRows, plannerOf, type RunRow } from './rows.js';

/** It keeps old values itself. */
export function applyPlan({ plan }: RunHeader, { path, sha256 }: SavedPlan, allowDrift: boolean): RunPlan {
	const { ids, force } = plan.values;
	const endpoint = endpointFinder(plan)(ids);
	const isRestorable = endpoint.replay === 'set' || (endpoint.trash && !force);
	const snapshot = readEndpointOf(endpoint) !== undefined && isRestorable;
	return {
		...plan,
		source: { from: 'plan', path, sha256, allowDrift },
		values: { ...withoutValues(plan.values), force },
		checks: { ...plan.checks, snapshot },
		shard: undefined,
		skipInvalid: false,
	};
}

export function openPlannedRows(
	plan: RunPlan,
	source: Extract<RowSource, { from: 'plan' }>,
	dialect: Dialect,
): PlannedRows {
	const { path, sha256, allowDrift } = source;
	const request = plannerOf(plan, dialect);
	function* rows(): Generator<RunRow> {
		if (readPlan(path).sha256 !== sha256) {
			throw new UsageError(`the plan ${path} was changed; nothing more was sent`, { code: 'bad_plan' });
		}
		for (const { row, line, ids, force, reassign, modified, fields, before } of plannedWrites(path, plan)) {
			yield {
				row,
				line,
				reassign,
				modified,
				request: request({ ids, force, reassign, fields }),
				expected: allowDrift ? undefined : expectedOf(before),
			};
		}
	}
	return { source, ignored: [], matched: [], sha256: () => sha256, read: () => inBatches(rows()) };
}

function expectedOf({ values, absent }: PlannedWrite['before']): Expected {
	const old = Object.entries(values).map(([name, value]) => [name, [value]]);
	const none = absent.map((name) => [name, [null]]);
	return {
		values: Object.fromEntries([...old, ...none]),
		byField: false,
		code: 'drift',
		hint: 'to send it anyway: --allow-drift',
	};
}

export function changesIn({ ids, fields, before, force }: PlannedWrite, plan: RunPlan): FieldChange[] {
	const { values } = before;
	const endpoint = endpointFinder(plan)(ids);
	const changeOf = (field: string, value: unknown): FieldChange => {
		return { field, old: values[field], new: value, isShown: Object.hasOwn(values, field) };
	};
	if (endpoint.body === 'none') {
		const field = IDENTITY.find((name) => Object.hasOwn(values, name)) ?? 'status';
		return [changeOf(field, endpoint.trash && force !== true ? 'trash' : 'deleted')];
	}
	const held = heldOf({ ...endpoint, body: 'fields' }, values);
	return Object.entries(fields)
		.filter(([name, value]) => held === undefined || !isUnchanged(endpoint, name, value, held))
		.map(([name, value]) => changeOf(name, value));
}

/** By which people know a deleted object; the first one shows what becomes of it. */
export const IDENTITY = ['status', 'username', 'name', 'title', 'slug', 'email'];
