/** `run show`: what a run did, or several runs together, and which of their rows need a look. */

import { statSync } from 'node:fs';
import {
	type Counts,
	exitCodeOf,
	nextSteps,
	openRows,
	outcomeNames,
	sumOf,
	totalOf,
} from '../../../bulk/journal/counts.js';
import { type RunSummary, summariseRun } from '../../../bulk/journal/folder.js';
import { type JournalScan, openRecords, type RecordFile } from '../../../bulk/journal/read.js';
import type { RowRecord } from '../../../bulk/journal/records.js';
import type { ReportFacts } from '../../../bulk/reports/formats.js';
import { formatShard, inputFileOf, type Shard } from '../../../bulk/run/plan.js';
import { ExitCode, UsageError } from '../../../errors.js';
import type { OutcomeName } from '../../../http/outcome.js';
import type { Row } from '../../../output/columns.js';
import type { Renderer } from '../../../output/render.js';
import { defineCommand, type Invocation } from '../../command.js';
import { paletteFor } from '../../notices.js';
import { options } from '../../options/option.js';
import { outputOptions, reportOption } from '../../options/shared.js';
import { chosenFormat, openResults, picksValues } from '../../results.js';
import { runArgument } from '../../runs/options.js';
import { pastRun, unreachedNote } from '../../runs/past.js';
import { outcomeColumns, outcomeView } from '../../runs/shape.js';
import { runView } from './list.js';

/** How many rows are shown beside the run. */
const SHOWN = 20;

/** What a table of the run leaves out. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set(['failures', 'plan', 'next']);

const BAD: ReadonlySet<OutcomeName> = new Set(['failed', 'differs', 'invalid', 'unknown', 'not-sent']);

interface Shown {
	path: string;
	file: RecordFile;
	scan: JournalScan;
	summary: RunSummary;
}

/** The last records of rows; a journal has no bodies. */
function recordView(record: RowRecord): Row {
	const { body: _body, ...view } = outcomeView(record);
	return { ...view, line: record.line ?? null };
}

function details({ scan, summary }: Shown): Row {
	const { done, inFlight, resumes, snapshots, corruptLines, corrupt, header, counts, end } = scan;
	// Rows of a run without an end may be open though the journal has no record of them.
	const resumable = summary.state !== 'running' && (end === undefined || openRows(end.counts) > 0);
	return {
		done,
		in_flight: inFlight ?? null,
		resumes,
		snapshots,
		damaged_lines: corruptLines,
		...(corruptLines === 0 ? {} : { damage: corrupt.map(({ line, reason }) => `line ${line}: ${reason}`) }),
		tool: header.tool,
		plan: header.plan,
		next: summary.state === 'running' ? [] : nextSteps(header.id, counts, resumable).map(([, command]) => command),
	};
}

async function openRowList(invocation: Invocation, [first]: readonly Shown[]): Promise<Renderer> {
	const palette = await paletteFor(invocation, 'stdout');
	const columns = [{ path: 'row' }, ...outcomeColumns(first?.file.idNames ?? [], palette)];
	return await openResults(invocation, { columns });
}

/** Rows instead of the run. */
async function listRows(invocation: Invocation, runs: readonly Shown[], outcomes: readonly OutcomeName[]) {
	const results = await openRowList(invocation, runs);
	for (const { file } of runs) {
		for (const record of file.records((outcome) => outcomes.includes(outcome))) await results.row(recordView(record));
	}
	await results.end();
	if (!outcomes.includes('not-sent')) return;
	for (const { scan, summary } of runs) invocation.context.stderr.write(unreachedNote(summary, scan) ?? '');
}

/** The shards that no run is of, and those that several are. @throws UsageError for runs of different inputs */
function shardsOf(runs: readonly Shown[]): { parts: Shard[]; missing: string[]; twice: string[] } {
	const [first, ...others] = runs.map(({ scan }) => scan.header);
	const other = others.find(({ input }) => input.sha256 !== first?.input.sha256);
	if (other !== undefined) {
		throw new UsageError(`run ${other.id} read another input than run ${first?.id}`, { code: 'input_changed' });
	}
	const parts = runs.map(({ scan }) => scan.header.plan.shard).filter((each) => each !== undefined);
	const indices = parts.map(({ index }) => index);
	const count = parts[0]?.count ?? 0;
	const missing = Array.from({ length: count }, (_, at) => at + 1).filter((index) => !indices.includes(index));
	const twice = parts.filter(({ index }, at) => indices.indexOf(index) !== at);
	return { parts, missing: missing.map((index) => `${index}/${count}`), twice: twice.map(formatShard) };
}

/** What became of all rows of the runs; those without a record are open. */
function countsOf(runs: readonly Shown[], unreached = false): Counts {
	const counts = sumOf(runs.map(({ scan }) => scan.end?.counts ?? scan.counts));
	const own = runs.reduce((sum, { scan }) => sum + scan.header.input.own, 0);
	if (unreached) counts['not-sent'] += Math.max(0, own - totalOf(counts));
	return counts;
}

/** Several runs as one: the shards of one input, with what is missing or there twice. */
function together(runs: readonly Shown[]): Row {
	const { parts, missing, twice } = shardsOf(runs);
	const counts = countsOf(runs);
	return {
		...runView({
			...(runs[0] as Shown).summary,
			counts,
			state: runs.every(({ summary }) => summary.state === 'finished') ? 'finished' : 'stopped',
		}),
		run: runs.map(({ scan }) => scan.header.id).join(','),
		shard: parts.map(formatShard).join(', ') || null,
		rows: runs.reduce((sum, { scan }) => sum + scan.header.input.own, 0),
		open: runs.reduce((sum, { summary }) => sum + Number(runView(summary).open), 0),
		exit_code: exitCodeOf(counts),
		journal: runs.map(({ path }) => path).join(','),
		missing_shards: missing,
		shards_twice: twice,
	};
}

/** What a report says of runs that are over or under way. */
function reportFacts(runs: readonly Shown[]): ReportFacts {
	const [first] = runs as [Shown, ...Shown[]];
	const counts = countsOf(runs, true);
	const started = runs.map(({ scan }) => scan.header.started).sort();
	const ended = runs.map(({ path, scan }) => scan.end?.at ?? statSync(path).mtime.toISOString()).sort();
	const facts: ReportFacts = {
		header: first.scan.header,
		journals: runs.map(({ path }) => path),
		counts,
		exit: first.scan.end?.exit ?? exitCodeOf(counts),
		ended: ended.at(-1) as string,
		ms: Math.max(0, Date.parse(ended.at(-1) as string) - Date.parse(started[0] as string)) || 0,
	};
	if (runs.length === 1) return facts;
	const { missing, twice } = shardsOf(runs);
	const { input, plan, ...header } = first.scan.header;
	return {
		...facts,
		header: {
			...header,
			id: runs.map(({ scan }) => scan.header.id).join(', '),
			started: started[0] as string,
			plan: { ...plan, shard: undefined },
			input: { ...input, own: runs.reduce((sum, { scan }) => sum + scan.header.input.own, 0) },
		},
		exit: exitCodeOf(counts),
		next: runs.flatMap((run) => {
			const own = countsOf([run], true);
			return nextSteps(run.scan.header.id, own, openRows(own) > 0);
		}),
		problems: [
			...missing.map((shard) => `no run of shard ${shard} is here`),
			...twice.map((shard) => `shard ${shard} is here more than once`),
		],
	};
}

async function writeReportsOn(runs: readonly Shown[], texts: readonly string[], cwd: string): Promise<void> {
	const { parseReport, checkReportPlaces, writeReports } = await import('../../../bulk/reports/write.js');
	const specs = texts.map(parseReport);
	const files = runs.flatMap(({ path, scan }) => [
		{ path, what: 'the journal of the run' },
		{ path: inputFileOf(scan.header.plan.source)?.path ?? '-', what: "the run's input" },
	]);
	const taken = files.filter(({ path }) => path !== '-');
	await checkReportPlaces(specs, taken, cwd);
	await writeReports(specs, reportFacts(runs), cwd);
}

async function showRuns(invocation: Invocation, runs: readonly Shown[]): Promise<void> {
	const palette = await paletteFor(invocation, 'stdout');
	const failures: Row[] = [];
	for (const { file } of runs) {
		for (const record of file.records((outcome) => BAD.has(outcome))) {
			if (failures.push(recordView(record)) >= SHOWN) break;
		}
		if (failures.length >= SHOWN) break;
	}
	const only = runs.length === 1 ? (runs[0] as Shown) : undefined;
	const view: Row = {
		...(only === undefined ? together(runs) : { ...runView(only.summary), ...details(only) }),
		failures,
	};
	const format = chosenFormat(invocation.options);
	const forPerson = format === undefined || format === 'table';
	const isShown = (name: string): boolean =>
		!FOR_PROGRAMS.has(name) &&
		view[name] !== null &&
		view[name] !== 0 &&
		(name !== 'input_rows' || view.input_rows !== view.rows);
	const shown = Object.keys(view).filter(isShown);
	const results = await openResults(invocation, {
		single: true,
		keys: Object.keys(view),
		idOf: ({ run }) => run,
		...(forPerson ? { columns: shown.map((path) => ({ path })) } : {}),
	});
	await results.row(view);
	await results.end();
	if (!forPerson || picksValues(invocation.options)) return;
	const { stdout, stderr } = invocation.context;
	if (failures.length > 0) {
		stdout.write('\n');
		const rows = await openRowList(invocation, runs);
		for (const row of failures) await rows.row(row);
		await rows.end();
	}
	for (const command of (view.next as string[] | undefined) ?? []) stderr.write(`next: ${palette.command(command)}\n`);
}

export const command = defineCommand({
	description:
		'Several runs are added up: the shards of one input, with what is missing or there twice. With --outcome, rows are listed instead, each with its last outcome. A journal has no bodies of responses.',
	examples: {
		'supportctl run show last': 'the newest run',
		'supportctl run show shard-*.ndjson --json': 'the shards of one input together',
		'supportctl run show last --report html:run.html': 'a page with a plot over time',
		'supportctl run show last --outcome unknown': 'rows with an unknown outcome',
	},
	arguments: [{ ...runArgument, variadic: true }],
	options: [
		...options('Rows', [
			{
				flags: '--outcome <name>',
				help: 'List the rows with this outcome',
				repeatable: true,
				choices: outcomeNames,
			},
		]),
		reportOption,
		...outputOptions,
	],
	async run(invocation) {
		const paths = invocation.args.map((name) => pastRun(name, invocation.context).path);
		const runs: Shown[] = [];
		try {
			for (const path of new Set(paths)) {
				const file = await openRecords(path);
				const { scan } = file;
				runs.push({ path, file, scan, summary: await summariseRun(path, scan.header.id, scan) });
			}
			const { outcome, report } = invocation.options;
			if (report !== undefined) await writeReportsOn(runs, report, invocation.context.cwd);
			await (outcome === undefined ? showRuns(invocation, runs) : listRows(invocation, runs, outcome));
			return ExitCode.ok;
		} finally {
			for (const { file } of runs) file.close();
		}
	},
});
