/** What reports say of a run or a plan. */

import { endpoints, ownId, replayRules } from '../../api/endpoints.js';
import { counted, nameRow, plural } from '../../api/names.js';
import { isDone, meaningOf, type OutcomeName, outcomeNames } from '../../http/outcomes.js';
import { durationText, formatCount } from '../../text.js';
import { actions, type Change, doneText, objectText } from '../change.js';
import { badRows, type Counts, nextSteps, openRows, sumOf, totalOf } from '../journal/counts.js';
import type { Tick } from '../journal/read.js';
import { differences, type RowRecord, reasonOf } from '../journal/records.js';
import { changedNotes, isListed, type LeftRows } from '../left.js';
import { commandOf, formatShard, makersOf, notesOf, type RunHeader, type RunPlan } from '../plan.js';
import type { Planned } from '../planned.js';
import { type Changes, wasGone } from '../recorded.js';
import { sourceName, sources } from '../sources.js';
import { Totals } from '../totals.js';

/** Rows of a journal, or of a run that was refused before it had one. */
interface ReportFile {
	readonly scan: { readonly counts: Counts };
	readonly ticks: readonly Tick[];
	records(): Iterable<RowRecord>;
	/** Undefined where nothing was sent. */
	readonly changes?: Pick<Changes, 'of'> | undefined;
}

export interface ReportFacts {
	readonly header: RunHeader;
	/** Of its journals, which stay open until the reports are written. */
	readonly files: readonly ReportFile[];
	readonly counts: Counts;
	readonly ms: number;
	/** Of several runs, in place of those of one. */
	readonly next?: readonly Step[];
	/** Missing and duplicate shards. */
	readonly problems?: readonly string[];
	/** What deleted objects left behind, with the command that moves it. */
	readonly leaves?: readonly string[];
	/** Nothing was sent: why. */
	readonly refused?: string;
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
	/** What helps to find it again: the run, the service, the input. */
	readonly details: readonly string[];
	readonly problems: readonly string[];
	/** What all changes come to. */
	readonly totals: readonly string[];
	readonly noun: string;
	readonly outcomes: readonly { readonly name: OutcomeName; readonly rows: number }[];
	readonly steps: readonly Step[];
	readonly ticks: readonly Tick[];
	/** Reasons, or changes of a plan; the most frequent first. */
	readonly groups: readonly Group[];
	/** Rows of more groups. */
	readonly ungrouped: number;
	readonly total: number;
	readonly toCheck: number;
	/** Rows that did what was asked, and changed something. */
	readonly changed: number;
	/** Those to check first. */
	readonly rows: readonly PageRow[];
	/** Rows of a plan that it leaves out, and why. */
	readonly left: readonly PageRow[];
	/** More of them. */
	readonly unlisted: number;
	/** Prints all rows. */
	readonly whole: string;
	/** Prints all changes. */
	readonly wholeChanges: string;
	/** Applies the plan; a page can leave out rows. */
	readonly apply?: string | undefined;
}

export interface PageRow {
	readonly row: number;
	readonly line?: number | undefined;
	readonly name: string;
	/** As `--ids` and `--except` take it. */
	readonly id?: string | undefined;
	/** Where the service shows it. */
	readonly link?: string | undefined;
	readonly outcome?: OutcomeName;
	readonly remarks: string;
	readonly change?: Change;
}

export interface Group {
	readonly text: string;
	rows: number;
	readonly first: PageRow;
}

/** A browser sorts so many quickly. */
export const MOST_ROWS = 5000;
/** A plan is read as a whole. */
const MOST_PLANNED = 50_000;
const MOST_GROUPS = 100;

export function pageOfRun(facts: ReportFacts): Page {
	const { header, files, counts, ms, next, problems = [], leaves = [], refused } = facts;
	const { noun } = endpoints[header.plan.endpoint];
	const rows = readRows(facts, noun);
	const ticks = files.flatMap((file) => file.ticks);
	const taken = refused === undefined ? `, took ${durationText(workedMs(ticks) || ms)}` : '';
	const run = refused === undefined ? [`Run ${header.id.replaceAll(',', ', ')}`] : [];
	return {
		isPlan: false,
		title: refused ?? titleOf(header.plan, counts, rows),
		about: `${aboutText(header)}${taken}`,
		details: [...run, ...detailsOf(header)],
		problems: [...problems, ...changedNotes(counts, header), ...leaves],
		noun,
		outcomes: outcomeNames.map((name) => ({ name, rows: counts[name] })).filter((each) => each.rows > 0),
		steps: next ?? nextSteps(header.id, counts, openRows(counts) > 0),
		ticks,
		total: totalOf(recordedIn(facts)),
		...rows,
		totals: rows.totals.parts(),
		left: [],
		unlisted: 0,
		whole: refused === undefined ? allRows(header, counts) : 'the same command with --json',
		wholeChanges: `supportctl run show ${header.id.replaceAll(',', ' ')} --changes`,
	};
}

/** What is not in the report. */
function allRows({ id }: RunHeader, counts: Counts): string {
	const names = outcomeNames.filter((name) => counts[name] > 0);
	return `supportctl run show ${id.replaceAll(',', ' ')} --outcome ${names.join(',')}`;
}

export interface PlanFacts {
	readonly header: RunHeader;
	/** Of the plan's file, as it is typed in a command. */
	readonly name: string;
	readonly digest: string;
	readonly rows: Iterable<Planned>;
	readonly totals: Totals;
	readonly left: LeftRows;
	readonly warnings: readonly string[];
}

export function pageOfPlan({ header, name, digest, rows: planned, totals, left: leftRows, warnings }: PlanFacts): Page {
	const { plan } = header;
	const endpoint = endpoints[plan.endpoint];
	const { noun } = endpoint;
	const rows: PageRow[] = [];
	const left: PageRow[] = [];
	let unlisted = 0;
	let total = 0;
	for (const { row, line, change } of planned) {
		if (change === undefined) continue;
		const { ids } = change.object;
		const shown: PageRow = { row, line, name: objectText(change.object), id: String(ownId(ids)), remarks: '', change };
		if (change.left !== undefined) {
			const { outcome } = change.left;
			if (left.length < MOST_ROWS) left.push({ ...shown, outcome, remarks: doneText(change) });
			else unlisted++;
		} else if (total++ < MOST_PLANNED) rows.push(shown);
	}
	const apply = total === 0 ? undefined : `supportctl run apply ${name} --digest ${digest}`;
	return {
		isPlan: true,
		title: total === 0 ? emptyTitle(leftRows) : `Plan: ${count(total, noun)} would be ${doneOf(plan, totals)}`,
		about: aboutText(header, 'planned by'),
		details: [...detailsOf(header), `digest ${digest}`],
		problems: [...warnings, ...leftRows.texts().map((text) => `Not in the plan: ${text}`)],
		totals: totals.parts(),
		noun,
		outcomes: [],
		steps: apply === undefined ? [] : [['Apply it', apply]],
		ticks: [],
		groups: [],
		ungrouped: 0,
		total,
		toCheck: total,
		changed: total,
		rows,
		left,
		unlisted,
		whole: `supportctl run show ${name} --format csv`,
		wholeChanges: `supportctl run show ${name} --format csv`,
		apply,
	};
}

function emptyTitle({ rows, areAllUnchanged }: LeftRows): string {
	if (rows === 0) return 'Plan: no rows';
	return areAllUnchanged ? 'Plan: no changes' : 'Plan: nothing would be sent';
}

/** Without the pauses before resumes. */
export function workedMs(ticks: readonly Tick[]): number {
	return ticks.reduce((longest, { end }) => Math.max(longest, end), 0);
}

function count(rows: number, noun: string): string {
	return counted(rows, noun);
}

function titleOf(plan: RunPlan, counts: Counts, { totals, gone }: ReturnType<typeof readRows>): string {
	const { noun } = endpoints[plan.endpoint];
	const total = totalOf(counts);
	const bad = badRows(counts);
	const need = bad === 1 ? 'needs attention' : 'need attention';
	if (bad > 0)
		return bad === total ? `${count(bad, noun)} ${need}` : `${formatCount(bad)} of ${count(total, noun)} ${need}`;
	const rest = counts.skipped - counts.not_found;
	const done = counts.ok - gone;
	const others = [
		done > 0 && gone > 0 ? `${formatCount(gone)} already gone` : '',
		counts.not_found > 0 ? `${formatCount(counts.not_found)} not found` : '',
		rest > 0 ? `${formatCount(rest)} skipped` : '',
	];
	const first =
		done === 0 && gone > 0 ? `${count(gone, noun)} already gone` : `${count(done, noun)} ${doneOf(plan, totals)}`;
	return [first, ...others].filter((text) => text !== '').join(', ');
}

/** Rows may say for themselves whether they are deleted for good. */
function doneOf({ endpoint, source, values }: RunPlan, { actions }: Totals): string {
	if (sources[source.from].restores) return 'restored';
	const { replay, trash } = endpoints[endpoint];
	const isTrashed = actions.size === 0 ? !values.force : !actions.has('delete');
	return trash && isTrashed ? 'moved to the trash' : replayRules[replay].done;
}

function aboutText(header: RunHeader, verb = 'by'): string {
	const { plan, started } = header;
	const date = new Date(started);
	const day = date.toLocaleDateString('en-US', { timeZone: 'UTC', dateStyle: 'long' });
	const time = date.toISOString().slice(11, 16);
	const makers = makersOf(header);
	const isApplied = sources[plan.source.from].isPlanned;
	const by = makers === undefined ? '' : `, ${isApplied ? makers : `${verb} ${makers}`}`;
	return `supportctl ${commandOf(plan)} on ${new URL(plan.service.baseUrl).host}, ${day} at ${time} UTC${by}`;
}

function detailsOf(header: RunHeader): string[] {
	const { plan, input } = header;
	const all = input.own === input.rows ? '' : ` of ${formatCount(input.rows)}`;
	const shard = plan.shard === undefined ? '' : ` (shard ${formatShard(plan.shard)})`;
	const rows = `${formatCount(input.own)}${all} ${plural('row', input.rows)}${shard}`;
	const notes = notesOf(header).map((note) => `Note: ${note}`);
	return [...notes, `${rows} from ${sourceName(plan.source)}`, plan.service.baseUrl];
}

/** Only links to the service itself. */
function ownLink(link: string | undefined, baseUrl: string): string | undefined {
	if (link === undefined || !URL.canParse(link)) return undefined;
	const { protocol, host, username, password, href } = new URL(link);
	const isWeb = protocol === 'https:' || protocol === 'http:';
	const isOwn = host === new URL(baseUrl).host && username === '' && password === '';
	return isWeb && isOwn ? href : undefined;
}

/** Texts that differ in digits only are one group. */
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
	const kept: PageRow[] = [];
	const fine: PageRow[] = [];
	const totals = new Totals();
	let toCheck = 0;
	let changed = 0;
	let gone = 0;
	for (const [record, change] of changesIn(facts)) {
		const { row, line, ids, outcome, differs = [] } = record;
		if (wasGone(record)) gone++;
		const { test } = meaningOf(record);
		const isGood = test === 'passed' || test === 'skipped';
		const isPlain = outcome === 'ok' && record.message === undefined;
		let list = wrong;
		if (outcome === 'differs' || (isGood && differs.length > 0)) list = different;
		else if (outcome === 'skipped' && isListed(record)) list = kept;
		else if (isGood) list = fine;
		if (change !== undefined && isDone(record)) {
			totals.add(change);
			if (list === fine) changed++;
		}
		if (list === fine && fine.length >= MOST_ROWS) continue;
		const shown: PageRow = {
			row,
			line,
			name: change === undefined ? nameRow(ids, noun) : objectText(change.object),
			link: ownLink(record.link, baseUrl),
			outcome,
			remarks: [...(isPlain ? [] : [reasonOf(record)]), ...differences(record)].join('; '),
			...(change !== undefined && { change }),
		};
		if (list.length < MOST_ROWS) list.push(shown);
		if (list === fine) continue;
		toCheck++;
		const fields = differs.map(({ field }) => field).join(', ');
		const text = fields === '' ? reasonOf(record) : `the service returned a different ${fields}`;
		groups.add(text, shown, `${outcome} ${text.replace(/\d+/g, '#')}`);
	}
	const rows = [...wrong, ...different, ...kept, ...fine].slice(0, MOST_ROWS);
	return { rows, groups: groups.sorted(), ungrouped: groups.others, toCheck, changed, totals, gone };
}

/** With what each row changed, or tried to. */
function* changesIn({ files }: ReportFacts): Generator<[record: RowRecord, change: Change | undefined]> {
	for (const { records, changes } of files) {
		for (const record of records()) {
			const { change, isTried = false } = changes?.of(record.row, record) ?? {};
			const isShown = change !== undefined && (!actions[change.action].setsFields || change.fields.length > 0);
			yield [record, isTried && isShown ? change : undefined];
		}
	}
}
