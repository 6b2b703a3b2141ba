/** What the formats of reports share: the facts that they show, and their words. */

import { hiddenCharacter } from '../characters.js';
import { ExitCode } from '../errors.js';
import { type Counts, openRows } from './counts.js';
import { nextSteps } from './next-steps.js';
import { fullMessage, type RowRecord } from './records.js';
import type { RunHeader } from './run/plan.js';
import { formatShard } from './shard.js';

/** What a report says besides the rows. */
export interface ReportFacts {
	readonly header: RunHeader;
	readonly journalPath: string;
	/** Rows that were never reached count as `not-sent` here and have no record. */
	readonly counts: Counts;
	readonly exit: ExitCode;
	/** ISO 8601. */
	readonly ended: string;
	/** How long this process worked on it, in milliseconds. */
	readonly ms: number;
	/** Where the report is on several runs, their journals. */
	readonly journals?: readonly string[];
	/** Their next steps, in place of those of one run. */
	readonly next?: readonly [text: string, command: string][];
	/** Parts of the input that no run answers for, or several do. */
	readonly problems?: readonly string[];
}

export type Records = () => AsyncIterable<readonly RowRecord[]>;

/** A row's name in reports: `ticket_id 14, id 3`. */
export function idsText(ids: Readonly<Record<string, string>>): string {
	return Object.entries(ids)
		.map(([name, value]) => `${name} ${value}`)
		.join(', ');
}

export function reasonOf(record: RowRecord): string {
	const status = record.status === undefined ? '' : ` (HTTP ${record.status})`;
	return `${fullMessage(record) ?? record.code ?? record.outcome}${status}`;
}

/** A text as an XML attribute's or element's content; characters that XML can't hold become U+FFFD. */
export function escapeXml(text: string): string {
	return text
		.replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;')
		.replaceAll('\n', '&#10;')
		.replaceAll('\r', '&#13;')
		.replaceAll('\t', '&#9;');
}

/** What a report says of rows that have no record, the one time that it does. */
export function notReachedText(missing: number, { header: { id }, journals }: ReportFacts): string {
	const [rows, them] = missing === 1 ? ['1 row was', 'it'] : [`${missing} rows were`, 'them'];
	return `${rows} not reached; supportctl run resume ${journals === undefined ? id : 'of each run'} sends ${them}`;
}

export const HIDDEN = new RegExp(`${hiddenCharacter.source}+`, 'gu');

/** The journals that a report is made from. */
export function journalsOf({ journals, journalPath }: ReportFacts): readonly string[] {
	return journals ?? [journalPath];
}

export function stepsOf({ next, header, counts }: ReportFacts): readonly [text: string, command: string][] {
	return next ?? nextSteps(header.id, counts, openRows(counts) > 0);
}

/** How many rows it is on: `30 of 40 rows (shard 2/3)`. */
export function rowsOf({ input, plan: { shard } }: ReportFacts['header']): string {
	const rows = input.own === input.rows ? `${input.rows} rows` : `${input.own} of ${input.rows} rows`;
	return shard === undefined ? rows : `${rows} (shard ${formatShard(shard)})`;
}

export function titleOf({ exit, counts: { differs } }: ReportFacts): string {
	if (exit === ExitCode.ok) return 'all rows went through';
	if (exit !== ExitCode.differs) return `exit code ${exit}`;
	return `done, but ${differs} ${differs === 1 ? 'row differs' : 'rows differ'} from what was sent`;
}
