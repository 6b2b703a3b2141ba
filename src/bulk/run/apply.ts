/** Applies a saved plan: its rows are sent while objects have the old values that it names. */

import type { Dialect } from '../../api/dialect.js';
import { endpoints, isOfPasswords, ownId } from '../../api/endpoints.js';
import { namesUsers } from '../../api/kinds.js';
import { createPlanner } from '../../api/request.js';
import { isObject } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import { Called } from '../called.js';
import type { Change } from '../change.js';
import { namesOf } from '../held.js';
import { LeftRows } from '../left.js';
import type { Directories } from '../lists/directory.js';
import { Chosen, LEFT_OUT, type Part } from '../part.js';
import { canBeUndone, objectKey, type RunHeader, type RunPlan, type SavedPlan, withoutInput } from '../plan.js';
import { itemsIn, plannedChanges, readLines, readPlan, refused, writesIn } from '../plan-file/read.js';
import type { PlannedWrite } from '../planned.js';
import type { RowSource } from '../sources.js';
import { Totals } from '../totals.js';
import { KeySet } from './key-set.js';
import { inBatches, type PlannedRows, type RunRow } from './rows.js';

/** @param more which of its rows, and how */
export function applyPlan(
	{ plan, who, note, started }: RunHeader,
	{ path, sha256 }: SavedPlan,
	more: Pick<Extract<RowSource, { from: 'plan' }>, 'allowDrift' | 'part' | 'taken'>,
): RunPlan {
	const { force } = plan.values;
	const endpoint = endpoints[plan.endpoint];
	const bare = withoutInput(plan);
	const made = { started, who, note };
	return {
		...bare,
		source: { from: 'plan', path, sha256, made, ...more },
		values: { ...bare.values, force },
		checks: {
			...plan.checks,
			snapshot: canBeUndone(endpoint, force),
			// Where the plan was applied before, its deletes are done.
			ignoreMissing: endpoint.deletes || plan.checks.ignoreMissing,
		},
	};
}

/** What an apply is to take of a plan that earlier runs applied in part. */
export function openPart(path: string, part: Part, earlier: readonly RunHeader[]) {
	const chosen = new Chosen(part);
	const runs = earlier.flatMap(({ id, plan: { source } }) => {
		return source.from === 'plan' ? [{ id, chosen: new Chosen(source.part), taken: new Set(source.taken) }] : [];
	});
	const taken = new Set<string>();
	const by = new Set<string>();
	let rows = 0;
	let wanted = 0;
	for (const { type, ids } of readLines(path)) {
		if (type !== 'planned' || !isIds(ids)) continue;
		const own = String(ownId(ids));
		const isWanted = chosen.has(ids);
		wanted += Number(isWanted);
		const run = runs.find((each) => each.chosen.has(ids) && !each.taken.has(own));
		if (run === undefined) rows += Number(isWanted);
		else {
			taken.add(own);
			by.add(run.id);
		}
	}
	chosen.checkSeen('the plan');
	return { rows, wanted, taken: [...taken], by: [...by] };
}

function isIds(ids: unknown): ids is Record<string, string> {
	return isObject(ids) && Object.values(ids).every((each) => typeof each === 'string');
}

/** What an apply sends: its totals, the first changes, and what the plan left out. @throws UsageError */
export function chosenChanges(plan: RunPlan, source: Extract<RowSource, { from: 'plan' }>, most: number) {
	const chosen = new Chosen(source.part);
	const isTaken = new Set(source.taken);
	const totals = new Totals();
	const left = new LeftRows();
	const changes: Change[] = [];
	const { noun } = endpoints[plan.endpoint];
	for (const { row, change, write } of plannedChanges(source.path, plan)) {
		if (change?.left !== undefined) left.add({ row, ids: change.object.ids, ...change.left }, noun);
		if (change === undefined || write === undefined) continue;
		if (isTaken.has(String(ownId(write.ids))) || !chosen.has(write.ids)) continue;
		totals.add(change);
		if (changes.length < most) changes.push(change);
	}
	return { totals, changes, left };
}

/** Names in a plan are only what its maker says: those that the service shows otherwise refuse it. @throws UsageError */
export async function checkCalled(path: string, plan: RunPlan, directories: Directories): Promise<void> {
	const called = new Called();
	for (const item of itemsIn(path, plan)) if (item.is === 'called') called.add(item.called);
	const all = [...called.entries()];
	for (const field of new Set(all.map((each) => each.field))) {
		const ids = all.filter((each) => each.field === field).map(({ id }) => ({ [field.name]: id }));
		await directories.learn([field], ids);
	}
	for (const { field, id, name } of all) {
		const shown = directories.nameOf(field, id);
		if (shown === undefined || shown === name) continue;
		const what = namesUsers(field) ? 'user' : `${field.name} term`;
		throw misnamed(path, `${what} ${id}`, name, shown);
	}
	await checkObjects(path, plan, directories);
}

/** Users that were named and application passwords: no old value says what they are called. */
async function checkObjects(path: string, plan: RunPlan, { users, passwords }: Directories): Promise<void> {
	const named: string[] = [];
	for (const { ids } of writesIn(path, plan))
		if (ids.username !== undefined && ids.id !== undefined) named.push(ids.id);
	await users.learn(named);
	const isOfPassword = isOfPasswords(endpoints[plan.endpoint]);
	for (const { ids, label } of writesIn(path, plan)) {
		const { id = '', username, user_id: owner = '', slug = '' } = ids;
		const name = isOfPassword ? await passwords(owner).name(slug) : users.name(id);
		const called = isOfPassword ? label : username;
		if (called === undefined || name === undefined || name.toLowerCase() === called.toLowerCase()) continue;
		throw misnamed(path, isOfPassword ? `application password ${slug}` : `user ${id}`, called, name);
	}
}

function misnamed(path: string, what: string, name: string, shown: string): UsageError {
	return refused(path, `it calls ${what} ${JSON.stringify(name)}; the service shows ${JSON.stringify(shown)}`);
}

export function openPlannedRows(
	plan: RunPlan,
	source: Extract<RowSource, { from: 'plan' }>,
	dialect: Dialect,
): PlannedRows {
	const { path, sha256, allowDrift, part, taken = [] } = source;
	const chosen = new Chosen(part);
	const isTaken = new Set(taken);
	const request = createPlanner(endpoints[plan.endpoint], dialect);
	function* rows(): Generator<RunRow> {
		if (readPlan(path).sha256 !== sha256) {
			throw new UsageError(`the plan ${path} was changed; nothing more was sent`, { code: 'bad_plan' });
		}
		const names = namesGiven(path, plan);
		for (const { row, line, ids, label, force, reassign, modified, fields, before } of writesIn(path, plan)) {
			if (isTaken.has(String(ownId(ids)))) continue;
			yield {
				row,
				line,
				label,
				renamed: names.get(objectKey(ids)),
				reassign,
				modified,
				request: request({ ids, force, reassign, fields }),
				expected: allowDrift ? undefined : expectedOf(before),
				skip: chosen.has(ids) ? undefined : LEFT_OUT,
			};
		}
	}
	return { source, sha256: () => sha256, read: () => inBatches(rows()) };
}

/** Of objects with several rows: a later row finds the name that an earlier one gave. */
function namesGiven(path: string, plan: RunPlan): ReadonlyMap<string, readonly string[]> {
	const names = new Map<string, string[]>();
	if (!endpoints[plan.endpoint].updates) return names;
	const seen = new KeySet();
	for (const { ids } of writesIn(path, plan)) if (seen.add(objectKey(ids))) names.set(objectKey(ids), []);
	if (names.size === 0) return names;
	for (const { ids, fields, before } of writesIn(path, plan)) {
		names.get(objectKey(ids))?.push(...namesOf(before.values), ...namesOf(fields));
	}
	return names;
}

function expectedOf({ values, absent }: PlannedWrite['before']): RunRow['expected'] {
	const old = Object.entries(values).map(([name, value]) => [name, [value]]);
	const none = absent.map((name) => [name, [null]]);
	return Object.fromEntries([...old, ...none]);
}
