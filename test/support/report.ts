/** Reports for tests: the facts of runs, and the text of each format. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../../src/api/endpoints.js';
import { changeOf } from '../../src/bulk/change.js';
import { openRecords } from '../../src/bulk/journal/read.js';
import { LeftRows } from '../../src/bulk/left.js';
import type { Fields } from '../../src/bulk/plan.js';
import type { PlanFacts, ReportFacts } from '../../src/bulk/reports/page.js';
import { type ReportFormat, writeReports } from '../../src/bulk/reports/write.js';
import { Totals } from '../../src/bulk/totals.js';
import type { RowOutcome } from '../../src/http/outcome.js';
import { headerOf, outcomeOf, startJournal } from './journal.js';
import { temporaryFolder } from './temporary.js';
import { whenTestEnds } from './test-end.js';

export const HOSTILE = 'no <b>&"\u0000\u001b[2J]]> |pipe| `code` @everyone\r\n::error::x \ud800 *é* [x](y)';

export const DIFFERS = { outcome: 'differs', code: 'differs', message: 'another value: status' } as const;

/** Closed when the test ends, if nobody did before. */
export async function recordsOf(journal: string): ReturnType<typeof openRecords> {
	const file = await openRecords(journal);
	let isOpen = true;
	const close = (): void => {
		if (isOpen) file.close();
		isOpen = false;
	};
	whenTestEnds(close);
	return { ...file, close };
}

/** The facts of a run with these outcomes. */
export async function runOf(
	outcomes: readonly RowOutcome[],
	rows = outcomes.length,
	more: { plan?: Parameters<typeof headerOf>[1] } = {},
): Promise<ReportFacts> {
	const journal = startJournal(temporaryFolder(), rows, undefined, more.plan);
	for (const each of outcomes) void journal.outcome(each);
	await journal.close();
	const file = await recordsOf(journal.path);
	return {
		header: headerOf(rows, more.plan),
		files: [file],
		counts: { ...file.scan.counts },
		ms: 1234,
	};
}

/** A run with some of everything: an `unknown` that a resume settled, and rows that were never reached. */
export async function exampleRun(): Promise<ReportFacts> {
	const refused = { status: 400, code: 'rest_invalid_param', reasons: { status: 'is <not> one of …' } };
	const lost = { outcome: 'unknown', status: undefined, code: 'timeout' } as const;
	const facts = await runOf(
		[
			outcomeOf(1),
			outcomeOf(2, { outcome: 'failed', message: HOSTILE, ...refused }),
			outcomeOf(3, lost),
			outcomeOf(4, { ...lost, message: 'no response' }),
			outcomeOf(5, { outcome: 'skipped', status: undefined, code: 'unchanged' }),
			outcomeOf(6, { outcome: 'invalid', status: undefined, message: 'id is missing', ids: {} }),
			outcomeOf(7, { ...DIFFERS, differs: [{ field: 'status', sent: 'hold', shown: 'read' }] }),
			outcomeOf(3),
		],
		9,
	);
	facts.counts['not-sent'] = 2;
	return facts;
}

export async function reportOf(format: ReportFormat, facts?: ReportFacts): Promise<string> {
	const path = join(temporaryFolder(), 'report');
	await writeReports([{ format, path }], facts ?? (await exampleRun()), '.');
	return readFileSync(path, 'utf8');
}

/** A plan of `ticket update` with these fields a row, each of ticket 1, 2 …, whose old values are these. */
export function planFacts(rows: readonly { old?: Fields; new: Fields; label?: string }[]): PlanFacts {
	const who = { user: 'ada', host: 'laptop' };
	const endpoint = endpoints['ticket.update'];
	const totals = new Totals();
	const planned = rows.map(({ old, new: sent, label }, at) => {
		const ids = { id: String(at + 1) };
		const before = old && { values: old, absent: [] };
		const change = changeOf({ endpoint, ids, permanent: false, sent }, before, { label });
		totals.add(change);
		return { row: at + 1, line: at + 2, change };
	});
	return {
		header: { ...headerOf(rows.length), who, note: 'Close what is solved' },
		...{ name: 'plan.ndjson', digest: 'f'.repeat(64), rows: planned, totals, left: new LeftRows(), warnings: [] },
	};
}
