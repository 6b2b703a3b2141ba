/** What reports are written from: facts about runs, and their rows. */

import { endpoints } from '../../api/endpoints.js';
import { type Counts, sumOf } from '../journal/counts.js';
import type { RecordFile, Tick } from '../journal/read.js';
import type { RowRecord } from '../journal/records.js';
import type { RunHeader } from '../run/plan.js';

export interface ReportFacts {
	readonly header: RunHeader;
	readonly journals: readonly string[];
	readonly counts: Counts;
	readonly ms: number;
	readonly next?: readonly Step[];
	readonly problems?: readonly string[];
}

export type Step = readonly [text: string, command: string];

export interface Report extends ReportFacts {
	readonly noun: string;
	readonly recorded: Counts;
	readonly ticks: readonly Tick[];
	records(): Iterable<RowRecord>;
}

export function reportOn(facts: ReportFacts, files: readonly RecordFile[]): Report {
	return {
		...facts,
		noun: endpoints[facts.header.plan.endpoint].noun,
		recorded: sumOf(files.map(({ scan }) => scan.counts)),
		ticks: files.flatMap(({ ticks }) => ticks),
		*records() {
			for (const file of files) yield* file.records();
		},
	};
}
