/** What the formats of reports share, and the formats for programs and for CI: JUnit, JSON, CSV and markdown. */

import { ExitCode } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import { formatCsvRecord, HIDDEN_CHARACTER } from '../../text.js';
import { type Counts, nextSteps, openRows, outcomeNames, totalOf } from '../journal/counts.js';
import { differences, fullMessage, type RowRecord, type TickRecord } from '../journal/records.js';
import { commandOf, fileOf, formatShard, type RunHeader, sourceName } from '../run/plan.js';

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
	readonly next?: readonly [text: string, command: string][];
	/** Shards of the input that no run has, or several have. */
	readonly problems?: readonly string[];
}

export interface Report extends ReportFacts {
	/** Rows without a record: they were never reached. */
	readonly missing: number;
	/** By the last record of each row. */
	readonly recorded: Counts;
	readonly idNames: readonly string[];
	readonly ticks: readonly TickRecord[];
	/** Each row's last record; can be read several times. */
	records(isWanted?: (outcome: OutcomeName) => boolean): Iterable<RowRecord>;
}

/** A row's name in reports: `ticket_id 14, id 3`. */
const idsText = ({ ids }: RowRecord): string =>
	Object.entries(ids)
		.map((pair) => pair.join(' '))
		.join(', ');

function reasonOf(record: RowRecord): string {
	const status = record.status === undefined ? '' : ` (HTTP ${record.status})`;
	return `${fullMessage(record) ?? record.code ?? record.outcome}${status}`;
}

export const rowColumns: readonly [title: string, of: (record: RowRecord) => string | number][] = [
	['row', ({ row }) => row],
	['line', ({ line = '' }) => line],
	['what', idsText],
	['outcome', ({ outcome }) => outcome],
	[
		'reason',
		(record) => {
			const isOk = record.outcome === 'ok' && record.message === undefined;
			return [...(isOk ? [] : [reasonOf(record)]), ...differences(record)].join('; ');
		},
	],
	['attempts', ({ attempts }) => attempts],
	['ms', ({ ms }) => Math.round(ms)],
];

/** Why rows did not go well; digits in a message don't make it another reason. */
export interface Reason {
	readonly outcome: OutcomeName;
	readonly text: string;
	rows: number;
	readonly first: number;
}

const MOST_REASONS = 100;

/**
 * Reads all rows once: the reasons, the most frequent first, how many rows have reasons beyond those, how many rows there
 * are to check, and some rows: first those that went wrong, then those that only differ, then those that are fine.
 * @param most so many rows
 * @param show a row as text, which is all that is kept of it
 */
export function readRows({ records }: Report, most: number, show: (record: RowRecord) => string) {
	const byText = new Map<string, Reason>();
	const ranks: string[][] = [[], [], []];
	let [others, toCheck] = [0, 0];
	for (const record of records()) {
		const { outcome, row, differs = [] } = record;
		const isWrong = !['ok', 'differs', 'skipped'].includes(outcome);
		const isFine = !isWrong && outcome !== 'differs' && differs.length === 0;
		const rank = ranks[isWrong ? 0 : isFine ? 2 : 1] as string[];
		if (rank.length < most) rank.push(show(record));
		if (isFine) continue;
		toCheck++;
		const fields = differs.map(({ field }) => field).join(', ');
		const text = fields === '' ? reasonOf(record) : `the service shows another value: ${fields}`;
		const key = `${outcome} ${text.slice(0, 500).replace(/\d+/g, '#')}`;
		const known = byText.get(key);
		if (known !== undefined) known.rows++;
		else if (byText.size < MOST_REASONS) byText.set(key, { outcome, text, rows: 1, first: row });
		else others++;
	}
	const reasons = [...byText.values()].sort((left, right) => right.rows - left.rows);
	return { reasons, others, toCheck, rows: ranks.flat().slice(0, most) };
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
function notReachedText({ missing, header: { id }, journals }: Report): string {
	const [rows, them] = missing === 1 ? ['1 row was', 'it'] : [`${missing} rows were`, 'them'];
	return `${rows} not reached; supportctl run resume ${journals.length === 1 ? id : 'of each run'} sends ${them}`;
}

/** A text beside others: shortened, and without hidden characters, which could reverse what stands beside them. */
export function plainText(text: string, limit: number): string {
	const short = text.length > limit ? `${text.slice(0, limit)}…` : text;
	return short.replace(new RegExp(`${HIDDEN_CHARACTER}+`, 'gu'), ' ');
}

/** What a report for people says before its rows. */
export function summaryOf(report: Report) {
	const { exit, counts, header, ms, next, problems = [], missing } = report;
	const { id, plan, input } = header;
	const differ = `${counts.differs} ${counts.differs === 1 ? 'row differs' : 'rows differ'}`;
	let ended = `exit code ${exit}`;
	if (exit === ExitCode.ok) ended = 'all rows went through';
	else if (exit === ExitCode.differs) ended = `done, but ${differ} from what was sent`;
	const rows = input.own === input.rows ? `${input.rows} rows` : `${input.own} of ${input.rows} rows`;
	const shard = plan.shard === undefined ? '' : ` (shard ${formatShard(plan.shard)})`;
	return {
		title: `supportctl ${commandOf(plan)}: ${ended}`,
		run: `Run ${id} on ${plan.service.baseUrl}, ${rows}${shard} from ${sourceName(plan.source)}`,
		seconds: `${(ms / 1000).toFixed(1)} s`,
		problems: [...problems, ...(missing > 0 ? [notReachedText(report)] : [])],
		outcomes: outcomeNames.filter((name) => counts[name] > 0 || name === 'ok'),
		steps: next ?? nextSteps(id, counts, openRows(counts) > 0),
	};
}

function junitResult(record: RowRecord): string {
	const differs = differences(record);
	const details = Object.entries(record.reasons ?? {}).map(([key, why]) => `${key}: ${why}`);
	const body = escapeXml([...details, ...differs].join('\n'));
	const message = escapeXml(reasonOf(record));
	const type = escapeXml(record.code ?? record.outcome);
	switch (record.outcome) {
		case 'ok':
			// Differences that were allowed.
			return differs.length === 0 ? '' : `<system-out>${escapeXml(differs.join('\n'))}</system-out>`;
		case 'skipped':
			return `<skipped message="${message}"/>`;
		case 'unknown':
		case 'not-sent':
			return `<error message="${record.outcome}: ${message}" type="${type}">${body}</error>`;
		default:
			return `<failure message="${message}" type="${type}">${body}</failure>`;
	}
}

/** One test a row; rows that were never reached are one test that could not be run. */
export function* junit(report: Report): Generator<string> {
	const { header, recorded, missing, problems = [] } = report;
	const more = (missing > 0 ? 1 : 0) + problems.length;
	const head = [
		`tests="${totalOf(recorded) + more}"`,
		`failures="${recorded.differs + recorded.failed + recorded.invalid}"`,
		`errors="${recorded.unknown + recorded['not-sent'] + more}"`,
		`skipped="${recorded.skipped}"`,
		`time="${(report.ms / 1000).toFixed(3)}"`,
	].join(' ');
	const suite = escapeXml(`supportctl ${commandOf(header.plan)}`);
	yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="supportctl" ${head}>\n`;
	yield `<testsuite name="${suite}" ${head} timestamp="${escapeXml(header.started)}">\n<properties>`;
	yield `<property name="run" value="${escapeXml(header.id)}"/>`;
	yield `<property name="service" value="${escapeXml(header.plan.service.baseUrl)}"/></properties>\n`;
	const input = fileOf(header.plan);
	const file = input === undefined ? '' : ` file="${escapeXml(input)}"`;
	for (const record of report.records()) {
		const name = escapeXml(`row ${record.row}: ${idsText(record)}`);
		const line = input === undefined || record.line === undefined ? '' : ` line="${record.line}"`;
		const inside = junitResult(record);
		const test = `testcase classname="${suite}" name="${name}"${file}${line} time="${(record.ms / 1000).toFixed(3)}"`;
		yield inside === '' ? `<${test}/>\n` : `<${test}>${inside}</testcase>\n`;
	}
	const failed = (name: string, message: string, type: string): string =>
		`<testcase classname="${suite}" name="${name}" time="0"><error message="${message}" type="${type}"/></testcase>\n`;
	if (missing > 0) yield failed('rows that were not reached', escapeXml(notReachedText(report)), 'not-sent');
	for (const problem of problems) yield failed(escapeXml(problem), escapeXml(problem), 'shards');
	yield '</testsuite>\n</testsuites>\n';
}

export function* json(report: Report): Generator<string> {
	const { header, journals, missing, counts, exit, ended, ms, problems } = report;
	const { plan, started, id, input } = header;
	const head = {
		run: id,
		command: commandOf(plan),
		service: plan.service.baseUrl,
		profile: plan.service.profile,
		input: { name: sourceName(plan.source), ...input },
		shard: plan.shard && formatShard(plan.shard),
		...{ started, ended, ms, exit, counts },
		journal: journals.join(','),
		problems,
	};
	yield `${JSON.stringify(head, null, '\t').slice(0, -2)},\n\t"rows": [`;
	let separator = '\n\t\t';
	for (const { ids, row, line, ...rest } of report.records()) {
		yield separator + JSON.stringify({ row, line, ...ids, ...rest });
		separator = ',\n\t\t';
	}
	yield `\n\t],\n\t"not_reached": ${missing}\n}\n`;
}

/** A spreadsheet would run a cell that begins so as a formula: an apostrophe in front makes it text. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/u;

/** A cell of a report, which is made for people and their spreadsheets; numbers of ours stay numbers. */
function reportCell(cell: string | number | undefined): string {
	return typeof cell === 'string' && FORMULA.test(cell) ? `'${cell}` : String(cell ?? '');
}

export function* csv(report: Report): Generator<string> {
	const { idNames, missing, problems = [] } = report;
	yield formatCsvRecord(['row', 'line', ...idNames, ...CSV_COLUMNS]);
	for (const record of report.records()) {
		const { row, line, ids, outcome, status, code, attempts, ms, differs } = record;
		const values = [outcome, status, code, fullMessage(record), attempts, ms, differs && JSON.stringify(differs)];
		yield formatCsvRecord([row, line, ...idNames.map((name) => ids[name]), ...values].map(reportCell));
	}
	const note = (code: string, message: string): string =>
		formatCsvRecord(['', '', ...idNames.map(() => ''), 'not-sent', '', code, message, '', '', '']);
	if (missing > 0) yield note('not_reached', notReachedText(report));
	for (const problem of problems) yield note('shards', problem);
}

const CSV_COLUMNS = ['outcome', 'status', 'code', 'message', 'attempts', 'ms', 'differs'];

/** How many rows a markdown report names: a CI job's summary is read, and may hold 1 MiB. */
const MARKDOWN_ROWS = 50;
const MARKDOWN_COLUMNS = 5;
const MARKDOWN_TEXT = 300;

/** A text as the content of a table's cell: nothing in it is markup, a mention or a new row. */
export function escapeMarkdown(text: string): string {
	return plainText(text, MARKDOWN_TEXT)
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('@', '&#64;')
		.replace(/[\\`*_{}[\]()#+!|~>]/g, '\\$&');
}

export function* markdown(report: Report): Generator<string> {
	const { title, run, seconds, problems, outcomes, steps } = summaryOf(report);
	yield `## ${escapeMarkdown(title)}\n\n${escapeMarkdown(run)}, ${seconds}.\n\n`;
	for (const problem of problems) yield `**${escapeMarkdown(problem)}**\n\n`;
	yield '| outcome | rows |\n| --- | ---: |\n';
	for (const name of outcomes) yield `| ${name} | ${report.counts[name]} |\n`;
	const columns = rowColumns.slice(0, MARKDOWN_COLUMNS);
	const { rows, toCheck } = readRows(report, MARKDOWN_ROWS, (record) => {
		return `| ${columns.map(([, of]) => escapeMarkdown(String(of(record)))).join(' | ')} |\n`;
	});
	if (toCheck > 0) {
		yield `\n### Rows to check\n\n| ${columns.map(([name]) => name).join(' | ')} |\n| ---: | ---: | --- | --- | --- |\n`;
		yield* rows.slice(0, toCheck);
		if (toCheck > rows.length) yield `\n… and ${toCheck - rows.length} more.\n`;
	}
	const items = steps.map(([text, command]) => `- ${text}: \`${command}\`\n`);
	if (items.length > 0) yield `\n### Next\n\n${items.join('')}`;
}
