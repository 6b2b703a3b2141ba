/** Journals for tests. */

import { join } from 'node:path';
import { neutralPrefixes } from '../../src/api/dialect.js';
import { sealed } from '../../src/bulk/journal/records.js';
import { createJournal, type Journal } from '../../src/bulk/journal/write.js';
import type { RunHeader, RunPlan } from '../../src/bulk/plan.js';
import type { RowOutcome } from '../../src/http/outcome.js';
import { redact } from '../../src/output/redact.js';

export function planOf(more: Partial<RunPlan> = {}): RunPlan {
	return {
		endpoint: 'ticket.update',
		source: { from: 'file', path: '/data/edits.csv', name: 'edits.csv', format: 'csv' },
		columns: { map: {}, ignore: [], ignoreOther: false, blank: 'skip' },
		values: { ids: {}, fields: {}, withheld: [], force: false, add: {}, remove: {} },
		checks: {
			onlyChanged: false,
			verify: false,
			snapshot: false,
			ifUnmodified: false,
			conditions: [],
			allowDiffers: false,
			ignoreMissing: false,
		},
		stop: { onError: false },
		skipInvalid: false,
		undocumented: false,
		service: { baseUrl: 'https://desk.example', prefixes: neutralPrefixes, profile: 'desk', protected: false },
		...more,
	};
}

/** @param more Parts of the plan, the id of the run, and how many rows are its own */
export function headerOf(
	rows: number,
	{ id = '20261121-074512-k3f9x', own = rows, ...more }: Partial<RunPlan> & { id?: string; own?: number } = {},
): RunHeader {
	return {
		id,
		started: '2026-11-21T07:45:12.000Z',
		tool: '0.1.0',
		concurrency: 4,
		plan: planOf(more),
		input: { sha256: 'ab', rows, own, copied: false },
	};
}

export function startJournal(
	stateDir: string,
	rows: number,
	path?: string,
	more: Parameters<typeof headerOf>[1] = {},
): Journal {
	return createJournal(headerOf(rows, more), stateDir, path, redact);
}

export function outcomeOf(row: number, more: Partial<RowOutcome> = {}): RowOutcome {
	return { row, line: row + 1, ids: { id: String(row) }, outcome: 'ok', status: 200, attempts: 1, ms: 12.4, ...more };
}

export const journalIn = (stateDir: string, id = headerOf(0).id): string => join(stateDir, 'runs', `${id}.ndjson`);

/** A line of a journal with the right checksum, whatever it held before. */
export function lineOf(given: Record<string, unknown> | null): string {
	if (given === null) return sealed('null');
	const { crc: _, ...record } = given;
	return sealed(JSON.stringify(record));
}
