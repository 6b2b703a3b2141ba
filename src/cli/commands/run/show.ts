/** `run show`: a run, shards of one input together, their rows, or a saved plan. */

import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { endpoints } from '../../../api/endpoints.js';
import { counted } from '../../../api/names.js';
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
import {
	commandOf,
	formatShard,
	inputFileOf,
	madeBy,
	type RunHeader,
	type RunPlan,
	sourceName,
} from '../../../bulk/run/plan.js';
import { changesIn, isPlanFile, plannedWrites, readPlan } from '../../../bulk/run/plan-file.js';
import { ExitCode, UsageError } from '../../../errors.js';
import type { OutcomeName } from '../../../http/outcome.js';
import type { Row } from '../../../output/columns.js';
import { asksForJson, sanitise } from '../../../output/sanitise.js';
import { defineCommand, type Invocation } from '../../command.js';
import { notify, writeSummary } from '../../notices.js';
import { outputOptions, reportOption } from '../../options/shared.js';
import { chosenFormat, picksValues, printAll, SHOWN } from '../../results.js';
import { outcomeOption, runArgument } from '../../runs/options.js';
import { outcomeColumns, outcomeView, printedIds } from '../../runs/outcomes.js';
import { BAD } from '../../runs/printers/messages.js';
import { changeLines } from '../../runs/printers/preview.js';
import { writeReportsOnPlan } from '../../runs/reports.js';
import { runView } from './list.js';

export const command = defineCommand({
	arguments: [{ ...runArgument, variadic: true }],
	options: [outcomeOption('List the rows with these outcomes', outcomeNames), reportOption, ...outputOptions],
	async run(invocation) {
		const { args, context, options } = invocation;
		const { pastRun, unreachedNote } = await import('../../runs/past.js');
		const plan = resolve(context.cwd, args[0]);
		if (args.length === 1 && isPlanFile(plan)) {
			if (options.report !== undefined) await writeReportsOnPlan(plan, options.report, context.cwd);
			await showPlan(invocation, plan);
			return ExitCode.ok;
		}
		const paths = new Set(args.map((name) => pastRun(name, context).path));
		const opened: Shown[] = [];
		try {
			for (const path of paths) {
				const file = await openRecords(path);
				opened.push({ ...file, summary: await summariseRun(path, file.scan.header.id, file.scan) });
			}
			// An argument is required.
			const runs = opened as [Shown, ...Shown[]];
			const whole = combine(runs);
			const outcomes = options.outcome?.flat();
			if (options.report !== undefined) await writeReports(runs, whole, options.report, context.cwd);
			if (outcomes === undefined) await showRuns(invocation, runs, whole);
			else await printRecords(invocation, runs, rowsOf(runs, outcomes));
			if (outcomes?.includes('not-sent') !== true) return ExitCode.ok;
			for (const { scan } of runs) {
				const note = unreachedNote(scan);
				if (note !== undefined) notify(context, 'message', note.text);
			}
			return ExitCode.ok;
		} finally {
			for (const { close } of opened) close();
		}
	},
});

interface Shown extends RecordFile {
	summary: RunSummary;
}

type Runs = readonly [Shown, ...Shown[]];

type Whole = ReturnType<typeof combine>;

/** Rows without a record are unsent. */
function allCounts({ scan: { header, end, counts } }: Shown): Counts {
	const all = { ...(end?.counts ?? counts) };
	all['not-sent'] += Math.max(0, header.input.own - totalOf(all));
	return all;
}

/** Shards of one input as one run. */
function combine(runs: Runs) {
	const ended = runs.filter(({ summary }) => summary.state !== 'running');
	const next = ended.flatMap((run) => {
		const counts = allCounts(run);
		return nextSteps(run.scan.header.id, counts, openRows(counts) > 0);
	});
	const counts = sumOf(runs.map(allCounts));
	const [{ scan, summary }, ...others] = runs;
	const { header } = scan;
	if (others.length === 0) return { summary, header, counts, next, missing: [], twice: [] };
	const headers = runs.map((run) => run.scan.header);
	checkTogether(headers);
	const shards = headers.flatMap(({ plan }) => plan.shard ?? []);
	const count = shards[0]?.count ?? 0;
	const given = shards.map(formatShard);
	const all = Array.from({ length: count }, (_, at) => formatShard({ index: at + 1, count }));
	const whole: RunHeader = {
		...header,
		id: headers.map(({ id }) => id).join(','),
		started: headers.map(({ started }) => started).sort()[0] ?? header.started,
		plan: { ...header.plan, shard: undefined },
		input: { ...header.input, own: headers.reduce((sum, { input }) => sum + input.own, 0) },
	};
	const together: RunSummary = {
		id: whole.id,
		header: whole,
		path: runs.map((run) => run.summary.path).join(','),
		state: runs.every((run) => run.summary.state === 'finished') ? 'finished' : 'stopped',
		counts: sumOf(runs.map((run) => run.summary.counts ?? run.scan.counts)),
	};
	const missing = all.filter((shard) => !given.includes(shard));
	const twice = all.filter((shard) => given.indexOf(shard) !== given.lastIndexOf(shard));
	return { summary: together, header: whole, counts, next, missing, twice };
}

/** @throws UsageError unless they are shards of one input */
function checkTogether([first, ...others]: readonly RunHeader[]): void {
	for (const other of others) {
		const runs = `runs ${first?.id} and ${other.id}`;
		if (other.input.sha256 !== first?.input.sha256) {
			throw new UsageError(`${runs} have different inputs`, { code: 'input_changed' });
		}
		const count = first.plan.shard?.count;
		if (count === undefined || other.plan.shard?.count !== count) {
			const message = `${runs} are not shards of one run: rows would be counted twice`;
			throw new UsageError(message, { code: 'shards_overlap' });
		}
	}
}

async function writeReports(runs: Runs, whole: Whole, texts: readonly string[], cwd: string): Promise<void> {
	const reports = await import('../../../bulk/reports/write.js');
	const taken = runs.flatMap(({ summary: { path }, scan }) => [
		['the journal of the run', path] as const,
		["the run's input", inputFileOf(scan.header.plan.source)?.path] as const,
	]);
	const specs = await reports.checkReports(texts, taken, cwd);
	const { header, counts, next, missing, twice } = whole;
	const ends = runs.map(({ summary: { path }, scan }) => scan.end?.at ?? statSync(path).mtime.toISOString());
	const ended = ends.sort().at(-1) ?? header.started;
	const facts = {
		header,
		counts,
		next,
		journals: runs.map(({ summary }) => summary.path),
		ms: Math.max(0, Date.parse(ended) - Date.parse(header.started)) || 0,
		problems: [
			...missing.map((shard) => `shard ${shard} is missing`),
			...twice.map((shard) => `shard ${shard} appears more than once`),
		],
	};
	await reports.writeReports(specs, facts, cwd);
}

/** A journal has no bodies. */
function* rowsOf(runs: Runs, outcomes: readonly OutcomeName[]): Generator<Row> {
	for (const run of runs) {
		for (const record of run.records((outcome) => outcomes.includes(outcome))) {
			const { body: _body, ...view } = outcomeView(record);
			yield { ...view, line: record.line ?? null };
		}
	}
}

async function printRecords(invocation: Invocation, [first]: Runs, rows: Iterable<Row>): Promise<void> {
	const columns = outcomeColumns(endpoints[first.scan.header.plan.endpoint]);
	await printAll(invocation, { columns: [{ path: 'row' }, ...columns] }, rows);
}

const FOR_PROGRAMS: ReadonlySet<string> = new Set(['failures', 'plan', 'next']);

async function showRuns(invocation: Invocation, runs: Runs, whole: Whole): Promise<void> {
	const failures: Row[] = [];
	for (const row of rowsOf(runs, BAD)) {
		failures.push(row);
		if (failures.length === SHOWN) break;
	}
	const { summary, next } = whole;
	const more = runs.length === 1 ? detailsOf(runs[0]) : shardsOf(runs, whole);
	const view: Row = { ...runView(summary), ...more, next: next.map(([, command]) => command), failures };
	const format = chosenFormat(invocation);
	const forPerson = format === undefined || format === 'table';
	const isShown = (name: string): boolean =>
		!FOR_PROGRAMS.has(name) &&
		view[name] !== null &&
		view[name] !== 0 &&
		(name !== 'input_rows' || view.input_rows !== view.rows);
	const keys = Object.keys(view);
	const columns = forPerson ? keys.filter(isShown).map((path) => ({ path })) : undefined;
	await printAll(invocation, { single: true, keys, columns, idOf: ({ run }) => run }, [view]);
	if (!forPerson || picksValues(invocation.options)) return;
	const { stdout, stderr } = invocation.context;
	if (failures.length > 0) {
		stdout.write('\n');
		await printRecords(invocation, runs, failures);
	}
	for (const [, command] of next) stderr.write(`next: ${command}\n`);
}

function detailsOf({ scan }: Shown): Row {
	const { done, inFlight, resumes, snapshots, corrupt, header } = scan;
	const damage = corrupt.map(({ line, reason }) => `line ${line}: ${reason}`);
	return {
		done,
		in_flight: inFlight ?? null,
		resumes,
		snapshots,
		damaged_lines: corrupt.length,
		...(damage.length > 0 && { damage }),
		tool: header.tool,
		plan: header.plan,
	};
}

function shardsOf(runs: Runs, { counts, missing, twice }: Whole): Row {
	const shards = runs.flatMap(({ scan }) => scan.header.plan.shard ?? []);
	return {
		shard: shards.map(formatShard).join(', '),
		exit_code: exitCodeOf(counts),
		missing_shards: missing,
		shards_twice: twice,
	};
}

async function showPlan(invocation: Invocation, path: string): Promise<void> {
	const { context } = invocation;
	const { header, sha256, rows } = readPlan(path);
	const { plan, started, who, note } = header;
	const endpoint = endpoints[plan.endpoint];
	const ids = endpoint.parameters.map(({ name }) => name);
	const columns = [...ids, 'field', 'old', 'new'].map((path) => ({ path }));
	const shape = { columns: [...columns, { path: 'message', optional: true }], idOf: ({ id }: Row) => id };
	await printAll(invocation, shape, changesOf(path, plan));
	const command = commandOf(plan);
	const { baseUrl } = plan.service;
	const input = sourceName(plan.source);
	if (asksForJson(context.argv)) {
		const facts = { plan: path, digest: sha256, rows, command, service: baseUrl, input, started };
		writeSummary(context, { ...facts, who, note: note ?? null });
		return;
	}
	const objects = `${counted(rows, endpoint.noun)} on ${new URL(baseUrl).host}`;
	const by = who === undefined ? '' : ` by ${madeBy(who)}`;
	const lines = [
		`plan ${basename(path)}: ${objects} (${command} of ${input})`,
		`made ${started.slice(0, 16).replace('T', ' ')} UTC${by}`,
		...(note === undefined ? [] : [`note: ${note}`]),
		`digest: ${sha256}`,
	];
	for (const line of lines) context.stderr.write(`${sanitise(line)}\n`);
}

function* changesOf(path: string, plan: RunPlan): Generator<Row> {
	for (const planned of plannedWrites(path, plan)) {
		const place = { row: planned.row, ...printedIds(planned.ids) };
		for (const line of changeLines(changesIn(planned, plan))) yield { ...place, ...line };
	}
}
