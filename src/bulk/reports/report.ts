/** What reports are written from: facts about runs, and their rows. */

import { endpoints } from '../../api/endpoints.js';
import type { ExitCode } from '../../errors.js';
import { type Counts, sumOf, totalOf } from '../journal/counts.js';
import type { RecordFile, Tick } from '../journal/read.js';
import { differences, fullMessage, type RowRecord } from '../journal/records.js';
import type { RunHeader } from '../run/plan.js';

export interface ReportFacts {
	readonly header: RunHeader;
	readonly journals: readonly string[];
	/** Rows that were never reached are `not-sent`. */
	readonly counts: Counts;
	readonly exit: ExitCode;
	readonly ended: string;
	readonly ms: number;
	readonly next?: readonly Step[];
	readonly problems?: readonly string[];
}

export type Step = readonly [text: string, command: string];

export interface Report extends ReportFacts {
	readonly noun: string;
	readonly recorded: Counts;
	readonly gaps: readonly Gap[];
	readonly ticks: readonly Tick[];
	/** The last record of each row. */
	records(): Iterable<RowRecord>;
}

export interface Gap {
	readonly code: 'not_reached' | 'shards';
	readonly text: string;
}

export function reportOn(facts: ReportFacts, files: readonly RecordFile[]): Report {
	const { header, counts, journals, problems = [] } = facts;
	const recorded = sumOf(files.map(({ scan }) => scan.counts));
	const missing = Math.max(0, totalOf(counts) - totalOf(recorded));
	const gaps: Gap[] = problems.map((text) => ({ code: 'shards', text }));
	if (missing > 0) {
		const rows = missing === 1 ? '1 row was not sent' : `${missing} rows were not sent`;
		const run = journals.length === 1 ? header.id : 'RUN';
		gaps.unshift({ code: 'not_reached', text: `${rows}; continue with: supportctl run resume ${run}` });
	}
	return {
		...facts,
		noun: endpoints[header.plan.endpoint].noun,
		recorded,
		gaps,
		ticks: files.flatMap(({ ticks }) => ticks),
		*records() {
			for (const file of files) yield* file.records();
		},
	};
}

/** `Invalid status. (HTTP 400)`. */
export function reasonOf(record: RowRecord): string {
	const status = record.status === undefined ? '' : ` (HTTP ${record.status})`;
	return `${fullMessage(record) ?? record.code ?? record.outcome}${status}`;
}

export function remarksOn(record: RowRecord): string {
	const isOk = record.outcome === 'ok' && record.message === undefined;
	return [...(isOk ? [] : [reasonOf(record)]), ...differences(record)].join('; ');
}
