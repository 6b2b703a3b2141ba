/** What a report for people says: of a run, or of a plan. */

import { nameRow, plural } from '../../api/names.js';
import { chooseEndpoint } from '../../api/plan.js';
import type { OutcomeName } from '../../http/outcome.js';
import { durationText } from '../../text.js';
import { type Counts, nextSteps, openRows, outcomeNames, totalOf } from '../journal/counts.js';
import type { Tick } from '../journal/read.js';
import type { RowRecord } from '../journal/records.js';
import { commandOf, formatShard, type RunHeader, type RunPlan, sourceName } from '../run/plan.js';
import { plainText } from './escape.js';
import { nounOf, type Report, reasonOf, remarksOn, type Step } from './report.js';
import { workedMs } from './timeline.js';

export interface Page {
	/** "213 of 300 tickets need attention". */
	readonly title: string;
	readonly state: 'done' | 'doubtful' | 'failed' | 'planned';
	/** What, where and when. */
	readonly about: string;
	/** The run, the service, the input. */
	readonly details: readonly string[];
	readonly problems: readonly string[];
	readonly noun: string;
	/** None in a plan. */
	readonly outcomes: readonly { readonly name: OutcomeName; readonly rows: number }[];
	readonly steps: readonly Step[];
	readonly ticks: readonly Tick[];
	/** Reasons, or changes of a plan; the most frequent first. */
	readonly groups: readonly Group[];
	readonly ungrouped: number;
	/** `toCheck` of them need attention. */
	readonly total: number;
	readonly toCheck: number;
	/** Those to check first. */
	readonly rows: readonly PageRow[];
}

export interface PageRow {
	readonly row: number;
	readonly line?: number | undefined;
	/** "ticket 14". */
	readonly name: string;
	readonly link?: string | undefined;
	/** None in a plan. */
	readonly outcome?: OutcomeName | undefined;
	readonly remarks: string;
	readonly changes: readonly Change[];
	readonly attempts?: number | undefined;
	readonly ms?: number | undefined;
}

export interface Change {
	readonly field: string;
	readonly old: unknown;
	readonly new: unknown;
}

export interface Group {
	readonly outcome?: OutcomeName | undefined;
	readonly text: string;
	rows: number;
	readonly first: Pick<PageRow, 'row' | 'name' | 'link'>;
}

/** A browser sorts so many quickly. */
export const MOST_ROWS = 5000;
const MOST_GROUPS = 100;
const MOST_TEXT = 500;

export function pageOfRun(report: Report): Page {
	const { header, counts, noun, ticks, ms, next, problems = [] } = report;
	const { rows, groups, ungrouped, toCheck } = readRows(report);
	return {
		title: titleOf(header.plan, counts),
		state: stateOf(counts),
		about: `${aboutText(header)}, took ${durationText(workedMs(ticks) || ms)}`,
		details: detailsOf(header),
		problems,
		noun,
		outcomes: outcomeNames.map((name) => ({ name, rows: counts[name] })).filter((each) => each.rows > 0),
		steps: next ?? nextSteps(header.id, counts, openRows(counts) > 0),
		ticks,
		groups,
		ungrouped,
		total: totalOf(report.recorded),
		toCheck,
		rows,
	};
}

export interface PlanFacts {
	readonly header: Pick<RunHeader, 'plan' | 'started' | 'input'>;
	readonly by?: string | undefined;
	readonly note?: string | undefined;
	readonly steps: readonly Step[];
	readonly rows: Iterable<Pick<RowRecord, 'row' | 'line' | 'ids' | 'link'> & Pick<PageRow, 'changes'>>;
}

export function pageOfPlan({ header, by, note, steps, rows: planned }: PlanFacts): Page {
	const { plan } = header;
	const noun = nounOf(plan);
	const link = linkReader(plan.service.baseUrl);
	const groups = new Groups();
	const rows: PageRow[] = [];
	let total = 0;
	for (const { row, line, ids, link: shown, changes } of planned) {
		const page = { row, line, name: nameRow(ids, noun), link: link(shown), remarks: '', changes };
		if (total++ < MOST_ROWS) rows.push(page);
		for (const change of changes) {
			groups.add(`${change.field}: ${valueText(change.new)}`, `set ${change.field} to ${valueText(change.new)}`, page);
		}
	}
	return {
		title: `Plan: ${count(total, noun)} would be ${doneText(plan)}`,
		state: 'planned',
		about: `${aboutText(header)}${by === undefined ? '' : `, planned by ${by}`}`,
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

export const number = (value: number): string => value.toLocaleString('en');

const count = (rows: number, noun: string): string => `${number(rows)} ${plural(noun, rows)}`;

function titleOf(plan: RunPlan, counts: Counts): string {
	const noun = nounOf(plan);
	const total = totalOf(counts);
	const bad = total - counts.ok - counts.skipped;
	const need = bad === 1 ? 'needs attention' : 'need attention';
	if (bad > 0) return bad === total ? `${count(bad, noun)} ${need}` : `${number(bad)} of ${count(total, noun)} ${need}`;
	const skipped = counts.skipped === 0 ? '' : `, ${number(counts.skipped)} skipped`;
	return `${count(counts.ok, noun)} ${doneText(plan)}${skipped}`;
}

/** "updated". */
function doneText({ endpoint: name, source, values }: RunPlan): string {
	if (source.from === 'snapshots') return 'restored';
	const { endpoint } = chooseEndpoint(name, values.ids.taxonomy, true);
	const deleted = endpoint.trash && !values.force ? 'moved to the trash' : 'deleted';
	return { set: 'updated', delete: deleted, read: 'looked up', once: 'checked' }[endpoint.replay];
}

function stateOf(counts: Counts): Page['state'] {
	if (counts.failed + counts.invalid > 0) return 'failed';
	return counts.differs + counts.unknown + counts['not-sent'] > 0 ? 'doubtful' : 'done';
}

function aboutText({ plan, started }: Pick<RunHeader, 'plan' | 'started'>): string {
	const { baseUrl } = plan.service;
	const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
	return `supportctl ${commandOf(plan)} on ${host}, ${dateText(started)}`;
}

function detailsOf({ plan, input, id }: Pick<RunHeader, 'plan' | 'input'> & { id?: string }): string[] {
	const all = input.own === input.rows ? '' : ` of ${number(input.rows)}`;
	const shard = plan.shard === undefined ? '' : ` (shard ${formatShard(plan.shard)})`;
	return [
		...(id === undefined ? [] : [`Run ${id.replaceAll(',', ', ')}`]),
		`${number(input.own)}${all} ${plural('row', input.rows)}${shard} from ${sourceName(plan.source)}`,
		plan.service.baseUrl,
	];
}

/** `November 21, 2026 at 07:45 UTC`. */
function dateText(iso: string): string {
	const date = new Date(iso);
	if (Number.isNaN(date.getTime())) return iso;
	const day = date.toLocaleDateString('en-US', { timeZone: 'UTC', dateStyle: 'long' });
	return `${day} at ${date.toISOString().slice(11, 16)} UTC`;
}

export function valueText(value: unknown): string {
	if (value === undefined || value === null || value === '') return '(empty)';
	if (Array.isArray(value)) return value.length === 0 ? '(empty)' : value.map(valueText).join(', ');
	return plainText(typeof value === 'string' ? value : JSON.stringify(value), MOST_TEXT);
}

/** Only links to the service itself. */
function linkReader(baseUrl: string): (link: unknown) => string | undefined {
	const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : undefined;
	return (link) => {
		if (typeof link !== 'string' || !URL.canParse(link)) return undefined;
		const url = new URL(link);
		const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
		const isOwn = url.host === host && url.username === '' && url.password === '';
		return isWeb && isOwn ? url.href : undefined;
	};
}

/** Digits don't make a new group. */
class Groups {
	readonly #byKey = new Map<string, Group>();
	others = 0;

	add(key: string, text: string, row: PageRow): void {
		const known = this.#byKey.get(key);
		if (known !== undefined) known.rows++;
		else if (this.#byKey.size === MOST_GROUPS) this.others++;
		else {
			const { outcome, row: at, name, link } = row;
			this.#byKey.set(key, { outcome, text, rows: 1, first: { row: at, name, link } });
		}
	}

	sorted(): Group[] {
		return [...this.#byKey.values()].sort((left, right) => right.rows - left.rows);
	}
}

const GOOD: ReadonlySet<OutcomeName> = new Set(['ok', 'skipped']);

/** Reads all rows once and keeps the first to check, then others. */
function readRows({ records, noun, header }: Report) {
	const link = linkReader(header.plan.service.baseUrl);
	const groups = new Groups();
	const wrong: PageRow[] = [];
	const different: PageRow[] = [];
	const fine: PageRow[] = [];
	let toCheck = 0;
	for (const record of records()) {
		const { outcome, differs = [] } = record;
		const isWrong = outcome !== 'differs' && !GOOD.has(outcome);
		const isFine = !isWrong && outcome !== 'differs' && differs.length === 0;
		const list = isWrong ? wrong : isFine ? fine : different;
		if (isFine && fine.length >= MOST_ROWS) continue;
		const row = rowOf(record, noun, link);
		if (list.length < MOST_ROWS) list.push(row);
		if (isFine) continue;
		toCheck++;
		const fields = differs.map(({ field }) => field).join(', ');
		const text = fields === '' ? reasonOf(record) : `the service returned a different ${fields}`;
		const short = plainText(text, MOST_TEXT);
		groups.add(`${outcome} ${short.replace(/\d+/g, '#')}`, short, row);
	}
	const rows = [...wrong, ...different, ...fine].slice(0, MOST_ROWS);
	return { rows, groups: groups.sorted(), ungrouped: groups.others, toCheck };
}

function rowOf(record: RowRecord, noun: string, link: ReturnType<typeof linkReader>): PageRow {
	const { row, line, ids, outcome, attempts, ms } = record;
	return {
		row,
		line,
		name: plainText(nameRow(ids, noun), MOST_TEXT),
		link: link(record.link),
		outcome,
		remarks: plainText(remarksOn(record), MOST_TEXT),
		changes: [],
		attempts,
		ms,
	};
}
