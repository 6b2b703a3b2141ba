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
import { openRecords, type RecordFile } from '../../../bulk/journal/read.js';
import { formatShard, inputFileOf, type RunHeader } from '../../../bulk/run/plan.js';
import { ExitCode, UsageError } from '../../../errors.js';
import type { OutcomeName } from '../../../http/outcome.js';
import type { Row } from '../../../output/columns.js';
import { defineCommand, type Invocation } from '../../command.js';
import { paletteFor } from '../../notices.js';
import { outputOptions, reportOption } from '../../options/shared.js';
import { chosenFormat, picksValues, printAll } from '../../results.js';
import { outcomeOption, runArgument } from '../../runs/options.js';
import { outcomeColumns, outcomeView } from '../../runs/outcomes.js';
import { pastRun, unreachedNote } from '../../runs/past.js';
import { runView } from './list.js';

/** How many rows are shown beside the run. */
const SHOWN = 20;

/** What a table of the run leaves out. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set(['failures', 'plan', 'next']);

const BAD: readonly OutcomeName[] = ['failed', 'differs', 'invalid', 'unknown', 'not-sent'];

interface Shown extends RecordFile {
	summary: RunSummary;
}

/** One run, or several as one. */
interface Whole {
	header: RunHeader;
	summary: RunSummary;
	/** Of each run, what can be done about it. */
	next: [text: string, command: string][];
	/** Shards that no run is of, and those that several are. */
	missing: string[];
	twice: string[];
}

/** What became of all rows that a run answers for; those without a record are open. */
function allCounts({ scan: { header, end, counts } }: Shown): Counts {
	const all = { ...(end?.counts ?? counts) };
	all['not-sent'] += Math.max(0, header.input.own - totalOf(all));
	return all;
}

/** Adds up runs. @throws UsageError for runs of different inputs */
function together(runs: readonly [Shown, ...Shown[]]): Whole {
	const headers = runs.map(({ scan }) => scan.header);
	const [{ scan, summary }] = runs;
	const { input, plan } = scan.header;
	const next = runs.flatMap((run) => {
		const counts = allCounts(run);
		return run.summary.state === 'running' ? [] : nextSteps(run.scan.header.id, counts, openRows(counts) > 0);
	});
	if (runs.length === 1) return { header: scan.header, summary, next, missing: [], twice: [] };
	const other = headers.find((each) => each.input.sha256 !== input.sha256);
	if (other !== undefined) {
		throw new UsageError(`run ${other.id} read another input than run ${scan.header.id}`, { code: 'input_changed' });
	}
	const mixed = headers.slice(1).find((each) => (each.plan.shard?.count ?? 0) !== plan.shard?.count);
	if (mixed !== undefined) {
		const [one, another] = [plan.shard, mixed.plan.shard].map((each) => (each ? formatShard(each) : 'all rows'));
		const message = `run ${scan.header.id} is of ${one}, and run ${mixed.id} of ${another}: rows would be counted twice`;
		throw new UsageError(message, { code: 'shards_overlap' });
	}
	const parts = headers.flatMap((header) => header.plan.shard ?? []);
	const indices = parts.map(({ index }) => index);
	const count = parts[0]?.count ?? 0;
	const all = Array.from({ length: count }, (_, at) => at + 1);
	const header: RunHeader = {
		...scan.header,
		id: headers.map(({ id }) => id).join(','),
		started: headers.map(({ started }) => started).sort()[0] as string,
		plan: { ...plan, shard: undefined },
		input: { ...input, own: headers.reduce((sum, each) => sum + each.input.own, 0) },
	};
	return {
		header,
		summary: {
			id: header.id,
			path: runs.map((run) => run.summary.path).join(','),
			state: runs.every((run) => run.summary.state === 'finished') ? 'finished' : 'stopped',
			header,
			counts: sumOf(runs.map((run) => run.summary.counts ?? run.scan.counts)),
		},
		next,
		missing: all.filter((index) => !indices.includes(index)).map((index) => `${index}/${count}`),
		twice: parts.filter(({ index }, at) => indices.indexOf(index) !== at).map(formatShard),
	};
}

async function writeReportsOn(runs: readonly [Shown, ...Shown[]], texts: readonly string[], cwd: string) {
	const { parseReport, checkReportPlaces, writeReports } = await import('../../../bulk/reports/write.js');
	const specs = texts.map(parseReport);
	const taken = runs.flatMap(({ summary: { path }, scan }) => {
		const input = inputFileOf(scan.header.plan.source)?.path ?? '-';
		return [
			{ path, what: 'the journal of the run' },
			...(input === '-' ? [] : [{ path: input, what: "the run's input" }]),
		];
	});
	await checkReportPlaces(specs, taken, cwd);
	const { header, next, missing, twice } = together(runs);
	const counts = sumOf(runs.map(allCounts));
	const ends = runs.map(({ summary: { path }, scan }) => scan.end?.at ?? statSync(path).mtime.toISOString());
	const ended = ends.sort().at(-1) as string;
	const own = runs.length === 1 ? runs[0].scan.end?.exit : undefined;
	await writeReports(
		specs,
		{
			...{ header, counts, ended, next },
			journals: runs.map(({ summary }) => summary.path),
			exit: own ?? exitCodeOf(counts),
			ms: Math.max(0, Date.parse(ended) - Date.parse(header.started)) || 0,
			problems: [
				...missing.map((shard) => `no run of shard ${shard} is here`),
				...twice.map((shard) => `shard ${shard} is here more than once`),
			],
		},
		cwd,
	);
}

/** The last records of rows with these outcomes; a journal has no bodies. */
function* rowsOf(runs: readonly Shown[], outcomes: readonly OutcomeName[]): Generator<Row> {
	for (const run of runs) {
		for (const record of run.records((outcome) => outcomes.includes(outcome))) {
			const { body: _body, ...view } = outcomeView(record);
			yield { ...view, line: record.line ?? null };
		}
	}
}

async function printRecords(invocation: Invocation, [first]: readonly [Shown, ...Shown[]], rows: Iterable<Row>) {
	const columns = outcomeColumns(first.idNames, await paletteFor(invocation, 'stdout'));
	await printAll(invocation, { columns: [{ path: 'row' }, ...columns] }, rows);
}

/** What a single run has besides. */
function detailsOf({ done, inFlight, resumes, snapshots, corruptLines, corrupt, header }: Shown['scan']): Row {
	return {
		...{ done, in_flight: inFlight ?? null, resumes, snapshots, damaged_lines: corruptLines },
		...(corruptLines === 0 ? {} : { damage: corrupt.map(({ line, reason }) => `line ${line}: ${reason}`) }),
		...{ tool: header.tool, plan: header.plan },
	};
}

async function showRuns(invocation: Invocation, runs: readonly [Shown, ...Shown[]]): Promise<void> {
	const failures: Row[] = [];
	for (const row of rowsOf(runs, BAD)) if (failures.push(row) >= SHOWN) break;
	const { summary, next, missing, twice } = together(runs);
	const shards = runs.flatMap(({ scan }) => scan.header.plan.shard ?? []);
	const view: Row = {
		...runView(summary),
		...(runs.length === 1
			? detailsOf(runs[0].scan)
			: {
					...{ shard: shards.map(formatShard).join(', ') || null, exit_code: exitCodeOf(summary.counts as Counts) },
					...{ missing_shards: missing, shards_twice: twice },
				}),
		next: next.map(([, command]) => command),
		failures,
	};
	const format = chosenFormat(invocation.options);
	const forPerson = format === undefined || format === 'table';
	const shown = Object.keys(view).filter(
		(name) =>
			!FOR_PROGRAMS.has(name) &&
			view[name] !== null &&
			view[name] !== 0 &&
			(name !== 'input_rows' || view.input_rows !== view.rows),
	);
	const columns = forPerson ? { columns: shown.map((path) => ({ path })) } : {};
	await printAll(invocation, { single: true, keys: Object.keys(view), idOf: ({ run }) => run, ...columns }, [view]);
	if (!forPerson || picksValues(invocation.options)) return;
	const { stdout, stderr } = invocation.context;
	if (failures.length > 0) {
		stdout.write('\n');
		await printRecords(invocation, runs, failures);
	}
	const palette = await paletteFor(invocation, 'stdout');
	for (const [, command] of next) stderr.write(`next: ${palette.command(command)}\n`);
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
	options: [outcomeOption('List the rows with these outcomes', outcomeNames), reportOption, ...outputOptions],
	async run(invocation) {
		const { args, context, options } = invocation;
		const paths = new Set(args.map((name) => pastRun(name, context).path));
		const opened: Shown[] = [];
		try {
			for (const path of paths) {
				const file = await openRecords(path);
				opened.push({ ...file, summary: await summariseRun(path, file.scan.header.id, file.scan) });
			}
			const runs = opened as [Shown, ...Shown[]];
			const outcomes = options.outcome?.flat();
			if (options.report !== undefined) await writeReportsOn(runs, options.report, context.cwd);
			if (outcomes === undefined) await showRuns(invocation, runs);
			else await printRecords(invocation, runs, rowsOf(runs, outcomes));
			if (outcomes?.includes('not-sent') === true) {
				for (const { scan, summary } of runs) context.stderr.write(unreachedNote(summary, scan) ?? '');
			}
			return ExitCode.ok;
		} finally {
			for (const { close } of opened) close();
		}
	},
});
