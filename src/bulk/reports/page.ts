/** What reports say of a run or a plan. */

import { endpoints } from '../../api/endpoints.js';
import { nameRow, plural } from '../../api/names.js';
import { meaningOf, type OutcomeName, outcomeNames } from '../../http/outcomes.js';
import { durationText } from '../../text.js';
import { type Counts, nextSteps, openRows, sumOf, totalOf } from '../journal/counts.js';
import type { RecordFile, Tick } from '../journal/read.js';
import { differences, type RowRecord, reasonOf } from '../journal/records.js';
import { commandOf, formatShard, madeBy, type RunHeader, type RunPlan } from '../plan.js';
import { sourceName, sources } from '../sources.js';

export interface ReportFacts {
	readonly header: RunHeader;
	/** Of its journals, which stay open until the reports are written. */
	readonly files: readonly RecordFile[];
	readonly counts: Counts;
	readonly ms: number;
	readonly next?: readonly Step[];
	readonly problems?: readonly string[];
}

export type Step = readonly [text: string, command: string];

export function recordedIn({ files }: ReportFacts): Counts {
	return sumOf(files.map(({ scan }) => scan.counts));
}

export function* recordsIn({ files }: ReportFacts): Generator<RowRecord> {
	for (const file of files) yield* file.records();
}

export interface Page {
	readonly isPlan: boolean;
	readonly title: string;
	readonly about: string;
	readonly details: readonly string[];
	readonly problems: readonly string[];
	readonly noun: string;
	readonly outcomes: readonly { readonly name: OutcomeName; readonly rows: number }[];
	readonly steps: readonly Step[];
	readonly ticks: readonly Tick[];
	readonly groups: readonly Group[];
	readonly ungrouped: number;
	readonly total: number;
	readonly toCheck: number;
	readonly rows: readonly PageRow[];
}

export interface PageRow {
	readonly row: number;
	readonly line?: number;
	readonly name: string;
	readonly link?: string;
	readonly outcome?: OutcomeName;
	readonly remarks: string;
	readonly changes: readonly Change[];
}

export interface Change {
	field: string;
	old: unknown;
	new: unknown;
}

export interface Group {
	readonly text: string;
	rows: number;
	readonly first: PageRow;
}

/** A browser sorts so many quickly. */
export const MOST_ROWS = 5000;
const MOST_GROUPS = 100;

export function pageOfRun(facts: ReportFacts): Page {
	const { header, files, counts, ms, next, problems = [] } = facts;
	const { noun } = endpoints[header.plan.endpoint];
	const ticks = files.flatMap((file) => file.ticks);
	return {
		isPlan: false,
		title: titleOf(header.plan, counts),
		about: `${aboutText(header)}, took ${durationText(workedMs(ticks) || ms)}`,
		details: [`Run ${header.id.replaceAll(',', ', ')}`, ...detailsOf(header)],
		problems,
		noun,
		outcomes: outcomeNames.map((name) => ({ name, rows: counts[name] })).filter((each) => each.rows > 0),
		steps: next ?? nextSteps(header.id, counts, openRows(counts) > 0),
		ticks,
		total: totalOf(recordedIn(facts)),
		...readRows(facts, noun),
	};
}

export interface PlanFacts {
	readonly header: RunHeader;
	readonly steps: readonly Step[];
	readonly rows: Iterable<Pick<RowRecord, 'row' | 'line' | 'ids'> & Pick<PageRow, 'changes'>>;
}

export function pageOfPlan({ header, steps, rows: planned }: PlanFacts): Page {
	const { plan, who, note } = header;
	const { noun } = endpoints[plan.endpoint];
	const groups = new Groups();
	const rows: PageRow[] = [];
	let total = 0;
	for (const { row, line, ids, changes } of planned) {
		const shown: PageRow = { row, line, name: nameRow(ids, noun), remarks: '', changes };
		if (total++ < MOST_ROWS) rows.push(shown);
		for (const { field, new: value } of changes) groups.add(`set ${field} to ${valueText(value)}`, shown);
	}
	return {
		isPlan: true,
		title: `Plan: ${count(total, noun)} would be ${doneText(plan)}`,
		about: `${aboutText(header)}${who === undefined ? '' : `, planned by ${madeBy(who)}`}`,
		details: [...(note === undefined ? [] : [note]), ...detailsOf(header)],
		problems: [],
		noun,
		outcomes: [],
		steps,
		ticks: [],
		groups: groups.sorted(),
		ungrouped: groups.others,
		total,
		toCheck: total,
		rows,
	};
}

export function workedMs(ticks: readonly Tick[]): number {
	return ticks.reduce((longest, { end }) => Math.max(longest, end), 0);
}

export function formatCount(value: number): string {
	return value.toLocaleString('en');
}

function count(rows: number, noun: string): string {
	return `${formatCount(rows)} ${plural(noun, rows)}`;
}

function titleOf(plan: RunPlan, counts: Counts): string {
	const { noun } = endpoints[plan.endpoint];
	const total = totalOf(counts);
	const bad = total - counts.ok - counts.skipped;
	const need = bad === 1 ? 'needs attention' : 'need attention';
	if (bad > 0)
		return bad === total ? `${count(bad, noun)} ${need}` : `${formatCount(bad)} of ${count(total, noun)} ${need}`;
	const skipped = counts.skipped === 0 ? '' : `, ${formatCount(counts.skipped)} skipped`;
	return `${count(counts.ok, noun)} ${doneText(plan)}${skipped}`;
}

function doneText({ endpoint, source, values }: RunPlan): string {
	if (sources[source.from].restores) return 'restored';
	const { replay, trash } = endpoints[endpoint];
	const deleted = trash && !values.force ? 'moved to the trash' : 'deleted';
	return { set: 'updated', delete: deleted, read: 'looked up', once: 'checked' }[replay];
}

function aboutText({ plan, started }: RunHeader): string {
	const date = new Date(started);
	const day = date.toLocaleDateString('en-US', { timeZone: 'UTC', dateStyle: 'long' });
	const time = date.toISOString().slice(11, 16);
	return `supportctl ${commandOf(plan)} on ${new URL(plan.service.baseUrl).host}, ${day} at ${time} UTC`;
}

function detailsOf({ plan, input }: RunHeader): string[] {
	const all = input.own === input.rows ? '' : ` of ${formatCount(input.rows)}`;
	const shard = plan.shard === undefined ? '' : ` (shard ${formatShard(plan.shard)})`;
	const rows = `${formatCount(input.own)}${all} ${plural('row', input.rows)}${shard}`;
	return [`${rows} from ${sourceName(plan.source)}`, plan.service.baseUrl];
}

export function valueText(value: unknown): string {
	if (value === undefined || value === null || value === '') return '(empty)';
	if (Array.isArray(value)) return value.length === 0 ? '(empty)' : value.map(valueText).join(', ');
	return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Only links to the service itself. */
function ownLink(link: string | undefined, baseUrl: string): string | undefined {
	if (link === undefined || !URL.canParse(link)) return undefined;
	const { protocol, host, username, password, href } = new URL(link);
	const isWeb = protocol === 'https:' || protocol === 'http:';
	const isOwn = host === new URL(baseUrl).host && username === '' && password === '';
	return isWeb && isOwn ? href : undefined;
}

class Groups {
	readonly #byKey = new Map<string, Group>();
	others = 0;

	add(text: string, first: PageRow, key = text): void {
		const known = this.#byKey.get(key);
		if (known !== undefined) known.rows++;
		else if (this.#byKey.size === MOST_GROUPS) this.others++;
		else this.#byKey.set(key, { text, rows: 1, first });
	}

	sorted(): Group[] {
		return [...this.#byKey.values()].sort((left, right) => right.rows - left.rows);
	}
}

function readRows(facts: ReportFacts, noun: string) {
	const { baseUrl } = facts.header.plan.service;
	const groups = new Groups();
	const wrong: PageRow[] = [];
	const different: PageRow[] = [];
	const fine: PageRow[] = [];
	let toCheck = 0;
	for (const record of recordsIn(facts)) {
		const { row, line, ids, outcome, differs = [] } = record;
		const { test } = meaningOf(record);
		const isGood = test === 'passed' || test === 'skipped';
		const isPlain = outcome === 'ok' && record.message === undefined;
		let list = wrong;
		if (outcome === 'differs' || (isGood && differs.length > 0)) list = different;
		else if (isGood) list = fine;
		if (list === fine && fine.length >= MOST_ROWS) continue;
		const shown: PageRow = {
			row,
			line,
			name: nameRow(ids, noun),
			link: ownLink(record.link, baseUrl),
			outcome,
			remarks: [...(isPlain ? [] : [reasonOf(record)]), ...differences(record)].join('; '),
			changes: [],
		};
		if (list.length < MOST_ROWS) list.push(shown);
		if (list === fine) continue;
		toCheck++;
		const fields = differs.map(({ field }) => field).join(', ');
		const text = fields === '' ? reasonOf(record) : `the service returned a different ${fields}`;
		groups.add(text, shown, `${outcome} ${text.replace(/\d+/g, '#')}`);
	}
	const rows = [...wrong, ...different, ...fine].slice(0, MOST_ROWS);
	return { rows, groups: groups.sorted(), ungrouped: groups.others, toCheck };
}
