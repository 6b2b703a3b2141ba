/** What the reports of a run are written from: facts about the run, and its rows in one or several journals. */

import { chooseEndpoint } from '../../api/plan.js';
import type { ExitCode } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import { type Counts, sumOf, totalOf } from '../journal/counts.js';
import type { RecordFile, Tick } from '../journal/read.js';
import { differences, fullMessage, type RowRecord } from '../journal/records.js';
import type { RunHeader, RunPlan } from '../run/plan.js';

/** What a report says besides the rows. */
export interface ReportFacts {
	readonly header: RunHeader;
	/** Of the run, or of each of several runs that are reported together. */
	readonly journals: readonly string[];
	/** Rows that were never reached count as `not-sent` here and have no record. */
	readonly counts: Counts;
	readonly exit: ExitCode;
	readonly ended: string;
	/** How long this process worked on it, in milliseconds. */
	readonly ms: number;
	/** The next steps of several runs, in place of those of one. */
	readonly next?: readonly Step[];
	/** Shards of the input that no run has, or several have. */
	readonly problems?: readonly string[];
}

export type Step = readonly [text: string, command: string];

export interface Report extends ReportFacts {
	/** What one row is: "ticket". */
	readonly noun: string;
	/** By the last record of each row. */
	readonly recorded: Counts;
	/** What is wrong with the run as a whole: rows that were never reached, and `problems`. */
	readonly gaps: readonly Gap[];
	/** How many rows have no record: they were never reached. */
	readonly missing: number;
	readonly idNames: readonly string[];
	readonly ticks: readonly Tick[];
	/** Each row's last record; can be read several times. */
	records(isWanted?: (outcome: OutcomeName) => boolean): Iterable<RowRecord>;
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
		noun: nounOf(header.plan),
		recorded,
		gaps,
		missing,
		idNames: files[0]?.idNames ?? [],
		ticks: files.flatMap(({ ticks }) => ticks),
		*records(isWanted) {
			for (const file of files) yield* file.records(isWanted);
		},
	};
}

export function nounOf({ endpoint: name, values: { ids } }: RunPlan): string {
	const { endpoint, forTaxonomy } = chooseEndpoint(name, ids.taxonomy, true);
	return forTaxonomy !== undefined && ids.taxonomy === undefined ? 'term' : endpoint.noun;
}

/** Why a row came to its outcome: `Invalid status. (HTTP 400)`. */
export function reasonOf(record: RowRecord): string {
	const status = record.status === undefined ? '' : ` (HTTP ${record.status})`;
	return `${fullMessage(record) ?? record.code ?? record.outcome}${status}`;
}

/** All there is to say about a row; nothing for one that is ok. */
export function remarksOn(record: RowRecord): string {
	const isOk = record.outcome === 'ok' && record.message === undefined;
	return [...(isOk ? [] : [reasonOf(record)]), ...differences(record)].join('; ');
}
