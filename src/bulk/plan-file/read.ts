/** Reads a plan's file, whole and unchanged: what each of its rows does, what they come to, and what it leaves out. */

import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, statSync } from 'node:fs';
import type { Dialect } from '../../api/dialect.js';
import { type Endpoint, endpoints } from '../../api/endpoints.js';
import { createPlanner } from '../../api/request.js';
import { fileProblem, UsageError } from '../../errors.js';
import { openRegularFile, readStart } from '../../folder.js';
import { Called } from '../called.js';
import { type Change, changeOf, leftChange } from '../change.js';
import { heldIn, isUnchanged } from '../held.js';
import { lineReader } from '../journal/read.js';
import { headerIn, type Json, parseRecord } from '../journal/records.js';
import { LeftRows } from '../left.js';
import type { RunHeader, RunPlan, SavedPlan } from '../plan.js';
import type { Planned, PlannedWrite } from '../planned.js';
import { Totals } from '../totals.js';
import { isLineType, itemOf, type PlanItem } from './check.js';

const START = '{"type":"saved-plan"';

export function isPlanFile(path: string): boolean {
	try {
		return statSync(path).isFile() && readStart(path).startsWith(START);
	} catch {
		return false;
	}
}

/** Of its first line alone, which may have been edited; undefined if it is no plan. */
export function planHeader(path: string): RunHeader | undefined {
	if (!isPlanFile(path)) return undefined;
	const [first = ''] = readStart(path).split('\n');
	const header = headerIn(first);
	return typeof header === 'string' ? undefined : header;
}

export function refused(path: string, why: string): UsageError {
	return new UsageError(`can't use the plan ${path}: ${why}`, { code: 'bad_plan', hint: 'make the plan again' });
}

/** Its lines, and then the plan itself. @throws UsageError unless it is whole and unchanged */
export function* readLines(path: string): Generator<Json, SavedPlan & { readonly header: RunHeader }> {
	if (existsSync(path) && !isPlanFile(path)) throw refused(path, "it isn't a plan");
	let fd: number | undefined;
	try {
		fd = openRegularFile(path);
		const lineAt = lineReader(fd);
		const hash = createHash('sha256');
		let line = lineAt(0);
		const header = headerIn(line?.text ?? '');
		if (typeof header === 'string') throw refused(path, header);
		let rows = 0;
		while (line !== undefined) {
			hash.update(`${line.text}\n`);
			line = lineAt(line.end);
			const record = line && parseRecord(line.text);
			if (record !== undefined && isLineType(record.type)) {
				if (record.type === 'planned') rows++;
				yield record;
				continue;
			}
			const sha256 = hash.digest('hex');
			if (record?.sha256 !== sha256 || fstatSync(fd).size !== line?.end) break;
			return { path, header, sha256, rows };
		}
		throw refused(path, 'it was changed after it was made, or its end is missing');
	} catch (error) {
		throw error instanceof UsageError ? error : refused(path, fileProblem(error));
	} finally {
		if (fd !== undefined) closeSync(fd);
	}
}

/** @throws UsageError unless it is whole, unchanged, and sends nothing but what a command line could */
export function readPlan(path: string) {
	const lines = readLines(path);
	for (;;) {
		const { done, value } = lines.next();
		if (done) return value;
	}
}

/** A plan may come from elsewhere: each line is checked like input. @throws UsageError */
export function* itemsIn(path: string, plan: RunPlan): Generator<PlanItem> {
	let last = 0;
	for (const record of readLines(path)) {
		const item = itemOf(record, plan, last);
		if (typeof item === 'string') throw refused(path, item);
		if (item.is === 'planned') last = item.write.row;
		yield item;
	}
}

export function* writesIn(path: string, plan: RunPlan): Generator<PlannedWrite> {
	for (const item of itemsIn(path, plan)) if (item.is === 'planned') yield item.write;
}

/** What a plan does, row by row, and what it leaves out. @throws UsageError */
export function* plannedChanges(path: string, plan: RunPlan, dialect?: Dialect): Generator<Planned> {
	const endpoint = endpoints[plan.endpoint];
	const request = createPlanner(endpoint, dialect);
	const called = new Called();
	const { nameOf } = called;
	for (const item of itemsIn(path, plan)) {
		switch (item.is) {
			case 'called':
				called.add(item.called);
				break;
			case 'left': {
				const { row, line, ids, label, ...left } = item.left;
				yield { row, line, change: leftChange({ endpoint, ids, permanent: false, sent: {} }, left, { label, nameOf }) };
				break;
			}
			case 'planned': {
				const { row, line, ids, force, reassign, fields } = item.write;
				yield {
					row,
					line,
					request: request({ ids, force, reassign, fields }),
					change: changeIn(item.write, endpoint, nameOf),
					write: item.write,
				};
				break;
			}
			// Of the whole plan: `sumUp` has them.
			case 'unlisted':
			case 'warning':
				break;
			default:
				item satisfies never;
		}
	}
}

function changeIn(
	{ ids, label, force, reassign, fields, before }: PlannedWrite,
	endpoint: Endpoint,
	nameOf: Called['nameOf'],
): Change {
	const { permanent, sent } = createPlanner(endpoint)({ ids, force, reassign, fields });
	const held = heldIn(endpoint, before.values);
	const stays = (name: string): boolean => isUnchanged(endpoint, name, fields[name], held);
	return changeOf({ endpoint, ids, permanent, sent, reassign }, before, { label, nameOf, stays });
}

/** What its rows come to, and what its maker was warned of. @throws UsageError */
export function sumUp(path: string, plan: RunPlan) {
	const totals = new Totals();
	const left = new LeftRows();
	const warnings: string[] = [];
	const { noun } = endpoints[plan.endpoint];
	for (const { row, change } of plannedChanges(path, plan)) {
		if (change === undefined) continue;
		totals.add(change);
		if (change.left !== undefined) left.add({ row, ids: change.object.ids, ...change.left }, noun);
	}
	for (const item of itemsIn(path, plan)) {
		if (item.is === 'unlisted') left.add({ ids: {}, outcome: 'skipped', code: item.code }, noun, item.rows);
		if (item.is === 'warning') warnings.push(item.text);
	}
	return { totals, left, warnings };
}
