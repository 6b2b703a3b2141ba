/** `run show`: a run, shards of one input together, their rows, or a saved plan. */

import { basename, resolve } from 'node:path';
import { createDialect } from '../../../api/dialect.js';
import { endpoints } from '../../../api/endpoints.js';
import { counted } from '../../../api/names.js';
import { countWords, exitCodeOf, needsAttention, withUnsent } from '../../../bulk/journal/counts.js';
import { findRun } from '../../../bulk/journal/folder.js';
import type { JournalScan } from '../../../bulk/journal/history.js';
import { closeRuns, combine, type OpenRuns, openRuns, type Whole } from '../../../bulk/journal/shards.js';
import { commandOf, formatShard, madeBy, type RunPlan } from '../../../bulk/plan.js';
import { isPlanFile, plannedChanges, readPlan, sumUp } from '../../../bulk/plan-file/read.js';
import type { Changes, RecordedChange } from '../../../bulk/recorded.js';
import { leavesTexts } from '../../../bulk/run/left-behind.js';
import { inputFileOf, sourceName } from '../../../bulk/sources.js';
import { type OutcomeName, outcomeNames } from '../../../http/outcomes.js';
import type { Context } from '../../../io/context.js';
import type { Column, Row } from '../../../output/columns.js';
import { factsOf } from '../../../output/formats.js';
import { asksForJson, sanitise } from '../../../output/sanitise.js';
import { stateFolder } from '../../../profile/settings.js';
import { momentText } from '../../../text.js';
import { defineCommand, type Invocation } from '../../command.js';
import { lookUpWith } from '../../lookups.js';
import { say, writeSummary } from '../../notices.js';
import { outputOptions, reportOption } from '../../options/shared.js';
import { chosenFormat, openResults, picksValues, printAll, printsLeft, printsLines, SHOWN } from '../../results.js';
import { outcomeOption, runArgument } from '../../runs/options.js';
import { outcomeColumns, outcomeView, printedIds } from '../../runs/outcomes.js';
import { changeColumns, plannedLines, plannedView, reportPlan } from '../../runs/printers/preview.js';
import { noteUnreached, runView } from './list.js';

export const command = defineCommand({
	arguments: [{ ...runArgument, variadic: true }],
	options: [
		{ flags: '--changes', help: 'List what the run changed: old and new values', group: 'Rows' },
		outcomeOption('List the rows with these outcomes', outcomeNames),
		reportOption,
		...outputOptions,
	],
	async run(invocation) {
		const { args, context, options } = invocation;
		const plan = resolve(context.cwd, args[0]);
		if (args.length === 1 && isPlanFile(plan)) {
			if (options.report !== undefined) await reportPlan(args[0], options.report, context.cwd);
			await showPlan(invocation, plan);
			return;
		}
		const stateDir = stateFolder(context);
		const runs = await openRuns(new Set(args.map((name) => findRun(stateDir, name, context.cwd))));
		try {
			const whole = combine(runs);
			const outcomes = options.outcome?.flat();
			if (options.report !== undefined) await writeReports(invocation, runs, whole, options.report);
			if (options.changes === true) await showChanges(invocation, runs, outcomes);
			else if (outcomes === undefined) await showRuns(invocation, runs, whole);
			else
				await printRecords(
					invocation,
					runs,
					rowsOf(runs, (name) => outcomes.includes(name)),
				);
			if (outcomes?.includes('not-sent')) for (const { scan } of runs) noteUnreached(context, scan);
		} finally {
			closeRuns(runs);
		}
	},
});

async function showChanges(
	invocation: Invocation,
	runs: OpenRuns,
	outcomes: readonly OutcomeName[] | undefined,
): Promise<void> {
	const { changesOf } = await import('../../../bulk/recorded.js');
	const { changeRows, fieldColumns } = await import('../history.js');
	const ids = endpoints[runs[0].scan.header.plan.endpoint].parameters.map(({ name }) => name);
	const titled = [{ path: 'title', optional: true }, ...fieldColumns, { path: 'message', optional: true }];
	const columns = [...['row', ...ids].map((path) => ({ path })), ...titled];
	const isWanted = (change: RecordedChange) => outcomes?.includes(change.outcome) ?? change.isTried;
	const results = await openResults(invocation, { columns, idOf: ({ id }) => id });
	let isNothing = true;
	for (const { summary } of runs) {
		for (const change of await changesOf(summary.path, isWanted, lookUpWith(invocation))) {
			const place = printedIds(change.change.object.ids);
			isNothing = false;
			for (const row of changeRows(invocation, change)) await results.row({ row: change.row, ...place, ...row });
		}
	}
	await results.end();
	if (isNothing) say(invocation, outcomes === undefined ? 'this run changed nothing' : 'no rows with these outcomes');
}

async function writeReports(call: Invocation, runs: OpenRuns, whole: Whole, texts: readonly string[]): Promise<void> {
	const { cwd } = call.context;
	const reports = await import('../../../bulk/reports/write.js');
	const taken = runs.flatMap(({ summary: { path }, scan }) => [
		['the journal of the run', path] as const,
		["the run's input", inputFileOf(scan.header.plan.source)?.path] as const,
	]);
	const specs = await reports.checkReports(texts, taken, cwd);
	const problems = [
		...whole.missing.map((shard) => `shard ${shard} is missing`),
		...whole.twice.map((shard) => `shard ${shard} appears more than once`),
	];
	const { openChanges } = await import('../../../bulk/recorded.js');
	const files: (OpenRuns[0] & { changes: Changes | undefined })[] = [];
	try {
		for (const run of runs) {
			const open = () => openChanges(run.summary.path, lookUpWith(call));
			files.push({ ...run, changes: reports.showChanges(specs) ? await open() : undefined });
		}
		const leaves = leavesTexts(
			runs.flatMap(({ scan }) => scan.leaves),
			whole.counts.ok,
		);
		await reports.writeReports(specs, { ...whole, files, problems, leaves }, cwd);
	} finally {
		for (const { changes } of files) changes?.close();
	}
}

/** A journal has no bodies. */
function* rowsOf(runs: OpenRuns, isWanted: (name: OutcomeName, state: number) => boolean): Generator<Row> {
	for (const run of runs) {
		for (const record of run.records(isWanted)) {
			const { body: _body, ...view } = outcomeView(record);
			yield { ...view, line: record.line ?? null };
		}
	}
}

async function printRecords(invocation: Invocation, [first]: OpenRuns, rows: Iterable<Row>): Promise<void> {
	const columns = outcomeColumns(endpoints[first.scan.header.plan.endpoint]);
	await printAll(invocation, { columns: [{ path: 'row' }, ...columns] }, rows);
}

const FOR_PROGRAMS: ReadonlySet<string> = new Set(['failures', 'plan', 'next', 'result', 'stopped']);

const TIMES: ReadonlySet<string> = new Set(['started', 'ended']);

/** On a terminal, times as in other screens. */
function columnOf(path: string, { stdout, clock }: Context): Column {
	if (!TIMES.has(path) || !stdout.isTTY) return { path };
	return { path, get: (row) => momentText(Date.parse(String(row[path])), clock.now()) };
}

async function showRuns(invocation: Invocation, runs: OpenRuns, whole: Whole): Promise<void> {
	const failures: Row[] = [];
	for (const row of rowsOf(runs, (_, state) => needsAttention(state))) {
		failures.push(row);
		if (failures.length === SHOWN) break;
	}
	const { summary, next } = whole;
	const more = runs.length === 1 ? detailsOf(runs[0]) : shardsOf(runs, whole);
	const view: Row = { ...runView(summary), ...more, next: next.map(([, command]) => command), failures };
	const forPerson = factsOf(chosenFormat(invocation)).prints === 'columns';
	const isShown = (name: string): boolean =>
		!FOR_PROGRAMS.has(name) &&
		view[name] !== null &&
		view[name] !== 0 &&
		(name !== 'input_rows' || view.input_rows !== view.rows);
	const keys = Object.keys(view);
	const columns = forPerson ? keys.filter(isShown).map((path) => columnOf(path, invocation.context)) : undefined;
	await printAll(invocation, { single: true, keys, columns, idOf: ({ run }) => run }, [view]);
	if (!forPerson || picksValues(invocation.options)) return;
	const { stdout, stderr } = invocation.context;
	if (failures.length > 0) {
		stdout.write('\n');
		await printRecords(invocation, runs, failures);
	}
	for (const [, command] of next) stderr.write(`next: ${command}\n`);
}

function detailsOf({ scan }: OpenRuns[0]): Row {
	const { done, inFlight, resumes, snapshots, corrupt, header, leaves } = scan;
	const moved = [...new Set(leaves.flatMap(({ run }) => run ?? []))];
	const damage = [...corrupt.map(({ line, reason }) => `line ${line}: ${reason}`), ...wrongEnd(scan)];
	return {
		done,
		in_flight: inFlight ?? null,
		resumes,
		snapshots,
		damaged_lines: corrupt.length,
		...(damage.length > 0 && { damage }),
		...(moved.length > 0 && { moved }),
		...(leaves.length > 0 && { leaves: leavesTexts(leaves, scan.counts.ok) }),
		tool: header.tool,
		plan: header.plan,
	};
}

/** Records are the evidence; an end that was edited is not. */
function wrongEnd({ header, end, counts: recorded }: JournalScan): string[] {
	if (end === undefined) return [];
	const [said, found] = [end.counts, recorded].map((counts) => countWords(withUnsent(header, counts)).join(', '));
	return said === found ? [] : [`its end says ${said || 'no rows'}, but its records say ${found || 'no rows'}`];
}

function shardsOf(runs: OpenRuns, { counts, missing, twice }: Whole): Row {
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
	const { totals, left, warnings } = sumUp(path, plan);
	const ids = endpoint.parameters.map(({ name }) => name);
	const command = commandOf(plan);
	const { baseUrl } = plan.service;
	const input = sourceName(plan.source);
	const isJson = asksForJson(context.argv);
	if (!isJson) {
		const objects = `${counted(rows, endpoint.noun)} on ${new URL(baseUrl).host}`;
		const by = who === undefined ? '' : ` by ${madeBy(who)}`;
		const lines = [
			`plan ${basename(path)}: ${objects} (${command} of ${input})`,
			...(rows === 0 ? [] : [totals.long()]),
			...left.texts().map((text) => `not in the plan: ${text}`),
			...(plan.checks.moveTickets && warnings.length === 0
				? ['tickets assigned to these users are moved first, to the user who receives the posts']
				: []),
			...warnings.map((text) => `warning: ${text}`),
			`made ${started.slice(0, 16).replace('T', ' ')} UTC${by}`,
			...(note === undefined ? [] : [`note: ${note}`]),
			`digest: ${sha256}`,
		];
		for (const line of lines) context.stderr.write(`${sanitise(line)}\n`);
	}
	const columns = changeColumns(endpoint, ids, invocation);
	await printAll(invocation, { columns, idOf: ({ id }) => id }, changesOf(path, plan, invocation));
	if (!isJson) return;
	const facts = { plan: path, digest: sha256, rows, command, service: baseUrl, input, started };
	const sums = { totals: totals.parts(), left: left.view(), warnings };
	writeSummary(context, { ...facts, ...sums, who, note: note ?? null });
}

function* changesOf(path: string, plan: RunPlan, call: Invocation): Generator<Row> {
	const inLines = printsLines(call);
	const isWhole = printsLeft(call);
	for (const planned of plannedChanges(path, plan, createDialect(plan.service.prefixes))) {
		if (planned.change?.left !== undefined && !isWhole) continue;
		if (inLines) yield* plannedLines(planned, call);
		else yield plannedView(planned);
	}
}
