/** Reports on a run for machines and people, written from its journal in constant memory. */

import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, stat, unlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatCsvRecord } from '../csv.js';
import { FailedError, fileProblem } from '../errors.js';
import { countOutcome, createCounts, outcomeNames, totalOf } from './counts.js';
import { differences, fullMessage, type RowRecord } from './records.js';
import {
	escapeXml,
	HIDDEN,
	idsText,
	journalsOf,
	notReachedText,
	type Records,
	type ReportFacts,
	reasonOf,
	rowsOf,
	stepsOf,
	titleOf,
} from './report-facts.js';
import { realName } from './report-place.js';
import type { ReportFormat, ReportSpec } from './report-spec.js';
import { finalRecords, recordedIdNames } from './row-records.js';
import { commandOf, fileOf, sourceName } from './run/plan.js';
import { formatShard } from './shard.js';

/** Differences that were allowed: the test passed, and its output has them. */
function junitOutput(record: RowRecord): string {
	const lines = record.outcome === 'ok' ? differences(record) : [];
	return lines.length === 0 ? '' : `<system-out>${escapeXml(lines.join('\n'))}</system-out>`;
}

function junitVerdict(record: RowRecord): string {
	const message = escapeXml(reasonOf(record));
	const type = escapeXml(record.code ?? record.outcome);
	const details =
		record.reasons === undefined ? [] : Object.entries(record.reasons).map(([key, why]) => `${key}: ${why}`);
	const body = escapeXml([...details, ...differences(record)].join('\n'));
	switch (record.outcome) {
		case 'ok':
			return '';
		case 'skipped':
			return `<skipped message="${message}"/>`;
		case 'unknown':
		case 'not-sent':
			return `<error message="${escapeXml(record.outcome)}: ${message}" type="${type}">${body}</error>`;
		default:
			return `<failure message="${message}" type="${type}">${body}</failure>`;
	}
}

/** One test a row; rows that were never reached are one test that could not be run. */
async function* junit(facts: ReportFacts, records: Records): AsyncGenerator<string> {
	const { header } = facts;
	const shown = createCounts();
	for await (const batch of records()) for (const record of batch) countOutcome(shown, record);
	const missing = totalOf(facts.counts) - totalOf(shown);
	const { problems = [] } = facts;
	const more = (missing > 0 ? 1 : 0) + problems.length;
	const head = [
		`tests="${totalOf(shown) + more}"`,
		`failures="${shown.differs + shown.failed + shown.invalid}"`,
		`errors="${shown.unknown + shown['not-sent'] + more}"`,
		`skipped="${shown.skipped}"`,
		`time="${(facts.ms / 1000).toFixed(3)}"`,
	].join(' ');
	const suite = escapeXml(`supportctl ${commandOf(header.plan)}`);
	yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="supportctl" ${head}>\n`;
	yield `<testsuite name="${suite}" ${head} timestamp="${escapeXml(header.started)}">\n<properties>`;
	yield `<property name="run" value="${escapeXml(header.id)}"/>`;
	yield `<property name="service" value="${escapeXml(header.plan.service.baseUrl)}"/></properties>\n`;
	const file = fileOf(header.plan) === undefined ? '' : ` file="${escapeXml(fileOf(header.plan) as string)}"`;
	for await (const batch of records()) {
		let text = '';
		for (const record of batch) {
			const name = escapeXml(`row ${record.row}: ${idsText(record.ids)}`);
			const line = file === '' || record.line === undefined ? '' : ` line="${record.line}"`;
			const inside = junitVerdict(record) + junitOutput(record);
			const open = `<testcase classname="${suite}" name="${name}"${file}${line} time="${(record.ms / 1000).toFixed(3)}"`;
			text += inside === '' ? `${open}/>\n` : `${open}>${inside}</testcase>\n`;
		}
		yield text;
	}
	if (missing > 0) {
		const message = escapeXml(notReachedText(missing, facts));
		yield `<testcase classname="${suite}" name="rows that were not reached" time="0"><error message="${message}" type="not-sent"/></testcase>\n`;
	}
	for (const problem of problems) {
		const name = escapeXml(problem);
		yield `<testcase classname="${suite}" name="${name}" time="0"><error message="${name}" type="shards"/></testcase>\n`;
	}
	yield '</testsuite>\n</testsuites>\n';
}

/** A record in the shape in which outcomes are printed. */
function flat(record: RowRecord): Record<string, unknown> {
	const { type: _type, ids, row, line, ...rest } = record;
	return { row, line, ...ids, ...rest };
}

async function* json(facts: ReportFacts, records: Records): AsyncGenerator<string> {
	const { header, counts, exit, ended, ms, problems } = facts;
	const head = {
		run: header.id,
		command: commandOf(header.plan),
		service: header.plan.service.baseUrl,
		profile: header.plan.service.profile,
	};
	const shard = header.plan.shard && formatShard(header.plan.shard);
	const input = { name: sourceName(header.plan.source), ...header.input };
	const rest = { input, shard, started: header.started, ended, ms, exit, counts };
	yield `${JSON.stringify({ ...head, ...rest, journal: journalsOf(facts).join(','), problems }, null, '\t').slice(0, -2)},\n\t"rows": [`;
	let separator = '\n\t\t';
	let shown = 0;
	for await (const batch of records()) {
		shown += batch.length;
		let text = '';
		for (const record of batch) {
			text += separator + JSON.stringify(flat(record));
			separator = ',\n\t\t';
		}
		yield text;
	}
	yield `\n\t],\n\t"not_reached": ${Math.max(0, totalOf(counts) - shown)}\n}\n`;
}

/** A spreadsheet would run a cell that begins so as a formula: an apostrophe in front makes it text. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/u;

/** A cell of a report, which is made for people and their spreadsheets; numbers of ours stay numbers. */
function reportCell(cell: string | number | undefined): string {
	if (typeof cell !== 'string') return cell === undefined ? '' : String(cell);
	return FORMULA.test(cell) ? `'${cell}` : cell;
}

async function* csv(facts: ReportFacts, records: Records): AsyncGenerator<string> {
	const idColumns = await recordedIdNames(journalsOf(facts)[0] as string);
	yield formatCsvRecord([
		'row',
		'line',
		...idColumns,
		'outcome',
		'status',
		'code',
		'message',
		'attempts',
		'ms',
		'differs',
	]);
	let shown = 0;
	for await (const batch of records()) {
		shown += batch.length;
		let text = '';
		for (const record of batch) {
			const cells = [
				record.row,
				record.line,
				...idColumns.map((name) => record.ids[name]),
				record.outcome,
				record.status,
				record.code,
				fullMessage(record),
				record.attempts,
				record.ms,
				record.differs === undefined ? undefined : JSON.stringify(record.differs),
			];
			text += formatCsvRecord(cells.map(reportCell));
		}
		yield text;
	}
	const ids = idColumns.map(() => '');
	const note = (code: string, message: string): string =>
		formatCsvRecord(['', '', ...ids, 'not-sent', '', code, message, '', '', '']);
	const missing = totalOf(facts.counts) - shown;
	if (missing > 0) yield note('not_reached', notReachedText(missing, facts));
	for (const problem of facts.problems ?? []) yield note('shards', problem);
}

/** How many rows a markdown report names: a CI job's summary is read, and may hold 1 MiB. */
const MARKDOWN_ROWS = 50;
const MARKDOWN_TEXT = 300;

/** A text as the content of a table's cell: nothing in it is markup, a mention or a new row. */
export function escapeMarkdown(text: string): string {
	const short = text.length > MARKDOWN_TEXT ? `${text.slice(0, MARKDOWN_TEXT)}…` : text;
	return short
		.replace(HIDDEN, ' ')
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('@', '&#64;')
		.replace(/[\\`*_{}[\]()#+!|~>]/g, '\\$&');
}

/** The first rows that a person has to look at: those that did not go well before those that only differ. */
async function rowsToCheck(records: Records): Promise<{ rows: RowRecord[]; more: number }> {
	const bad: RowRecord[] = [];
	const differing: RowRecord[] = [];
	let count = 0;
	for await (const batch of records()) {
		for (const record of batch) {
			const isDone = record.outcome === 'ok' || record.outcome === 'differs' || record.outcome === 'skipped';
			if (isDone && differences(record).length === 0) continue;
			count++;
			const list = isDone ? differing : bad;
			if (list.length < MARKDOWN_ROWS) list.push(record);
		}
	}
	const rows = [...bad, ...differing].slice(0, MARKDOWN_ROWS);
	return { rows, more: count - rows.length };
}

function whyCheck(record: RowRecord): string {
	const isGood = record.outcome === 'ok' && record.message === undefined;
	return [...(isGood ? [] : [reasonOf(record)]), ...differences(record)].join('; ');
}

async function* markdown(facts: ReportFacts, records: Records): AsyncGenerator<string> {
	const { header, counts } = facts;
	const { rows, more } = await rowsToCheck(records);
	yield `## supportctl ${escapeMarkdown(commandOf(header.plan))}: ${titleOf(facts)}\n\n`;
	const input = escapeMarkdown(sourceName(header.plan.source));
	yield `Run ${escapeMarkdown(header.id)} on ${escapeMarkdown(header.plan.service.baseUrl)}, ${rowsOf(header)} from ${input}, ${(facts.ms / 1000).toFixed(1)} s.\n\n`;
	for (const problem of facts.problems ?? []) yield `**${escapeMarkdown(problem)}**\n\n`;
	yield '| outcome | rows |\n| --- | ---: |\n';
	for (const name of outcomeNames) if (counts[name] > 0 || name === 'ok') yield `| ${name} | ${counts[name]} |\n`;
	if (rows.length > 0) {
		yield `\n### Rows to check\n\n| row | line | what | outcome | reason |\n| ---: | ---: | --- | --- | --- |\n`;
		for (const record of rows) {
			yield `| ${record.row} | ${record.line ?? ''} | ${escapeMarkdown(idsText(record.ids))} | ${record.outcome} | ${escapeMarkdown(whyCheck(record))} |\n`;
		}
		if (more > 0) yield `\n… and ${more} more.\n`;
	}
	const steps = stepsOf(facts);
	if (steps.length > 0) yield `\n### Next\n\n${steps.map(([text, command]) => `- ${text}: \`${command}\`\n`).join('')}`;
}

const writers: Readonly<Record<ReportFormat, (facts: ReportFacts, records: Records) => AsyncIterable<string>>> = {
	junit,
	json,
	markdown,
	csv,
	html: async function* (facts, records) {
		yield* (await import('./html-report.js')).html(facts, records);
	},
};

const PIECE = 256 * 1024;

async function writeAll(handle: FileHandle, texts: AsyncIterable<string>): Promise<void> {
	let piece = '';
	for await (const text of texts) {
		piece += text;
		if (piece.length < PIECE) continue;
		await handle.writeFile(piece);
		piece = '';
	}
	await handle.writeFile(piece);
}

/** True for a terminal, a pipe or a device: those can't be replaced by a file. */
async function isSpecial(path: string): Promise<boolean> {
	return await stat(path).then(
		(stats) => !stats.isFile(),
		() => false,
	);
}

async function* recordsOf(facts: ReportFacts): AsyncGenerator<RowRecord[]> {
	for (const path of journalsOf(facts)) yield* finalRecords(path);
}

/** Writes one report; the file is there whole or not at all. Throws FailedError. */
export async function writeReport(spec: ReportSpec, facts: ReportFacts, cwd = '.'): Promise<void> {
	const path = await realName(resolve(cwd, spec.path));
	const direct = await isSpecial(path);
	const draft = direct ? path : `${path}.${randomBytes(4).toString('hex')}.tmp`;
	let handle: FileHandle | undefined;
	try {
		handle = await open(draft, direct ? 'w' : 'wx', 0o666);
		await writeAll(
			handle,
			writers[spec.format](facts, () => recordsOf(facts)),
		);
		await handle.close();
		if (!direct) await rename(draft, path);
	} catch (error) {
		await handle?.close().catch(() => undefined);
		if (!direct && handle !== undefined) await unlink(draft).catch(() => undefined);
		throw new FailedError(`can't write the report ${spec.path}: ${fileProblem(error)}`, {
			code: 'report_failed',
			cause: error,
		});
	}
}

/** Writes all reports, also where one fails. @throws FailedError */
export async function writeReports(specs: readonly ReportSpec[], facts: ReportFacts, cwd: string): Promise<void> {
	const failures: Error[] = [];
	for (const spec of specs) {
		await writeReport(spec, facts, cwd).catch((error: Error) => failures.push(error));
	}
	const [first, ...others] = failures;
	if (first === undefined) return;
	if (others.length === 0) throw first;
	throw new FailedError(`${failures.length} reports could not be written`, {
		code: 'report_failed',
		details: failures.map(({ message }) => message),
	});
}
