/** An object that a delete names twice is deleted once: a second request could only fail, or delete more than was asked for. */

import type { Endpoint } from '../../api/endpoints.js';
import { nameRow } from '../../api/names.js';
import type { Request } from '../../api/request.js';
import { KeySet } from './key-set.js';
import { isInvalid, type PlannedRow, type PlannedRows, type RunRow } from './rows.js';

/** The same rows, of which those are skipped whose object an earlier one deletes. Costs a pass over the rows. */
export async function withoutRepeats({ deletes }: Endpoint, rows: PlannedRows): Promise<PlannedRows> {
	const repeated = deletes ? await namedAgain(rows) : undefined;
	if (repeated === undefined || repeated.size === 0) return rows;
	return {
		...rows,
		async *read() {
			const earlier = new Map<string, RunRow>();
			for await (const batch of rows.read()) {
				yield batch.map((row) => (isDelete(row) ? onceOnly(row, repeated, earlier) : row));
			}
		},
	};
}

const isDelete = (row: PlannedRow): row is RunRow => !isInvalid(row) && row.skip === undefined;

/** Rows that go one after the other may be about several objects: the passwords of one user. */
function objectOf({ key, endpoint, ids }: Request): string {
	return `${key} ${ids[endpoint.parameters.at(-1)?.name ?? '']}`;
}

/** In constant memory. @returns objects that are named twice, and a few others */
async function namedAgain(rows: PlannedRows): Promise<Set<string>> {
	const all = new KeySet();
	const repeated = new Set<string>();
	for await (const batch of rows.read()) {
		for (const { request } of batch.filter(isDelete)) {
			const object = objectOf(request);
			if (all.add(object)) repeated.add(object);
		}
	}
	return repeated;
}

function onceOnly(row: RunRow, repeated: ReadonlySet<string>, earlier: Map<string, RunRow>): PlannedRow {
	const { request, reassign } = row;
	const object = objectOf(request);
	const first = repeated.has(object) ? earlier.get(object) : undefined;
	// What is in the trash can still be deleted for good.
	if (first === undefined || (request.permanent && !first.request.permanent)) {
		if (repeated.has(object)) earlier.set(object, row);
		return row;
	}
	const what = `row ${first.row} deletes ${nameRow(request.ids, request.endpoint.noun)} already`;
	if (reassign === first.reassign) return { ...row, skip: { code: 'named_again', message: what } };
	const message = `${what}, and its posts go to user ${first.reassign}, not ${reassign}`;
	const complaint = { row: row.row, line: row.line, column: 'reassign', message, ids: request.ids };
	return { row: row.row, line: row.line, complaints: [complaint] };
}
