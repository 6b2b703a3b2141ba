/** Journals for tests. */

import { join } from 'node:path';
import { createJournal, type Journal } from '../../src/bulk/journal.js';
import type { RunHeader } from '../../src/bulk/records.js';
import type { Outcome } from '../../src/http/outcome.js';
import { redact } from '../../src/output/redact.js';

export function headerOf(rows: number, more: Partial<RunHeader> = {}): RunHeader {
	return {
		id: '20261121-074512-k3f9x',
		command: ['ticket', 'update'],
		settings: { concurrency: 4 },
		input: { name: 'edits.csv', path: '/data/edits.csv', file: 'edits.csv', format: 'csv', sha256: 'ab', rows },
		profile: 'desk',
		baseUrl: 'https://desk.example',
		tool: '0.1.0',
		started: '2026-11-21T07:45:12.000Z',
		...more,
	};
}

export function startJournal(stateDir: string, rows: number, path?: string, more: Partial<RunHeader> = {}): Journal {
	return createJournal({ header: headerOf(rows, more), stateDir, path, redact });
}

export function outcomeOf(row: number, more: Partial<Outcome> = {}): Outcome {
	return { row, line: row + 1, ids: { id: String(row) }, outcome: 'ok', status: 200, attempts: 1, ms: 12.4, ...more };
}

export const journalIn = (stateDir: string, id = headerOf(0).id): string => join(stateDir, 'runs', `${id}.ndjson`);
