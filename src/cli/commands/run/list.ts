/** `run list`, `run show` and `run prune`. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { plural } from '../../../api/names.js';
import {
	type Counts,
	exitCodeOf,
	nextSteps,
	openRows,
	outcomeNames,
	sumOf,
	totalOf,
} from '../../../bulk/journal/counts.js';
import {
	listRuns,
	type RunState,
	type RunSummary,
	removeRun,
	runIds,
	summariseRun,
} from '../../../bulk/journal/folder.js';
import { openRecords, type RecordFile } from '../../../bulk/journal/read.js';
import { commandOf, formatShard, inputFileOf, type RunHeader, sourceName } from '../../../bulk/run/plan.js';
import { isPlanFile } from '../../../bulk/run/plan-file.js';
import { ExitCode, UsageError } from '../../../errors.js';
import type { OutcomeName } from '../../../http/outcome.js';
import type { Palette } from '../../../output/colour.js';
import type { Column, Row } from '../../../output/columns.js';
import { stateFolder } from '../../../profile/settings.js';
import { defineCommand, type Invocation } from '../../command.js';
import { notify, paletteFor, say } from '../../notices.js';
import { options } from '../../options/option.js';
import { outputOptions, reportOption, wholeNumber } from '../../options/shared.js';
import { chosenFormat, picksValues, printAll } from '../../results.js';
import { outcomeOption, runArgument } from '../../runs/options.js';
import { outcomeColumns, outcomeView } from '../../runs/outcomes.js';

function runView(summary: RunSummary): Row {
	const { id, state, path, header, counts, end, problem } = summary;
	const plan = header?.plan;
	const numbers = outcomeNames.map((name) => [name.replace('-', '_'), counts?.[name] ?? null]);
	return {
		run: id,
		state,
		command: plan === undefined ? null : commandOf(plan),
		undoes: plan?.source.from === 'snapshots' ? plan.source.run : null,
		service: plan?.service.baseUrl ?? null,
		profile: plan?.service.profile ?? null,
		input: plan === undefined ? null : sourceName(plan.source),
		input_rows: header?.input.rows ?? null,
		shard: plan?.shard === undefined ? null : formatShard(plan.shard),
		rows: header?.input.own ?? null,
		...Object.fromEntries(numbers),
		// Also rows without a record.
		open: header && counts ? header.input.own - totalOf(counts) + openRows(counts) : null,
		can_undo: plan?.checks.snapshot ?? null,
		exit_code: end?.exit ?? null,
		user: header?.who?.user ?? null,
		host: header?.who?.host ?? null,
		account: header?.who?.account ?? null,
		note: header?.note ?? null,
		started: header?.started ?? null,
		ended: end?.at ?? null,
		journal: path,
		...(problem === undefined ? {} : { problem }),
	};
}

const runKeys = [...Object.keys(runView({ id: '', state: 'finished', path: '' })), 'problem'];

/** Room for the input, who and why. */
const WIDE = 120;

function runColumns(palette: Palette, width = WIDE): Column[] {
	const bad = (path: string): Column => ({ path, style: (text) => (text === '0' ? text : palette.bad(text)) });
	const seldom = (path: string): Column => ({ ...bad(path), optional: true, usual: '0' });
	const isFine = (state: unknown): boolean => state === 'finished' || state === 'running';
	const serviceOf = ({ service }: Row): string =>
		typeof service === 'string' && URL.canParse(service) ? new URL(service).host : '';
	const issues: Column = {
		...bad('issues'),
		get: ({ failed, differs, invalid, unknown }) =>
			[failed, differs, invalid, unknown].reduce<number>((sum, count) => sum + Number(count), 0),
	};
	const more: Column[] = [
		{ path: 'input', least: 5 },
		{ path: 'service', get: serviceOf, least: 8 },
		{ path: 'user', least: 4, optional: true },
		{ path: 'note', least: 8, optional: true },
	];
	return [
		{ path: 'run', whole: true },
		{ path: 'command', least: 6 },
		...(width < WIDE ? [] : more),
		{
			path: 'state',
			least: 6,
			style: (text, row) => (isFine(row.state) ? palette.good(text) : palette.doubtful(text)),
		},
		{ path: 'rows' },
		{ path: 'ok' },
		...(width < WIDE ? [issues] : [bad('failed'), seldom('differs'), seldom('invalid'), seldom('unknown')]),
		{ path: 'open' },
		{ path: 'undo', get: ({ can_undo }) => (can_undo === true ? 'yes' : ''), optional: true },
		{ path: 'shard', optional: true },
		{ path: 'problem', optional: true, important: true },
	];
}

/** @throws UsageError */
async function print(invocation: Invocation, runs: readonly RunSummary[]): Promise<void> {
	const palette = await paletteFor(invocation, 'stdout');
	const columns = runColumns(palette, invocation.context.stdout.columns);
	await printAll(invocation, { columns, keys: runKeys, idOf: ({ run }) => run }, runs.map(runView));
}

/** Runs on a terminal, and rows beside one. */
const SHOWN = 20;

export const list = defineCommand({
	arguments: [],
	options: [
		...options('Runs', [
			{
				flags: '--limit <n>',
				help: 'Print at most N runs, newest first',
				parse: wholeNumber('--limit', 1),
				defaultText: `${SHOWN} on a terminal, all elsewhere`,
			},
		]),
		...outputOptions,
	],
	async run(invocation) {
		const { context, options: given } = invocation;
		const stateDir = stateFolder(context);
		const isPlain = context.stdout.isTTY && chosenFormat(given) === undefined && given.query === undefined;
		const limit = given.limit ?? (isPlain ? SHOWN : Number.POSITIVE_INFINITY);
		await print(invocation, await listRuns(stateDir, limit));
		const more = runIds(stateDir).length - limit;
		if (more > 0) say(invocation, `… and ${more} older; --limit shows more, run prune removes old runs`);
		return ExitCode.ok;
	},
});

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `30d` @throws UsageError */
function parseAge(text: string): number {
	const [, count, unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
	if (count !== undefined) return Number(count) * (UNITS[unit] as number);
	throw new UsageError(`--older-than must be a number of h, d or w such as 30d, not ${JSON.stringify(text)}`, {
		code: 'invalid_value',
	});
}

const OPEN: ReadonlySet<RunState> = new Set(['stopped', 'interrupted', 'broken-off', 'damaged']);

export const prune = defineCommand({
	arguments: [],
	options: [
		...options('Runs', [
			{
				flags: '--older-than <age>',
				help: 'Remove runs older than this, e.g. 12h, 30d or 8w',
				parse: parseAge,
				defaultText: '30d',
			},
			{ flags: '--force', help: 'Also remove runs with unsent rows' },
			{ flags: '-n, --dry-run', help: 'List the runs without removing them' },
			{ flags: '-y, --yes', help: 'Skip confirmation' },
		]),
		...outputOptions,
	],
	async run(invocation) {
		const { context, options: given } = invocation;
		const { dryRun = false, force = false, olderThan = parseAge('30d'), yes = false } = given;
		const stateDir = stateFolder(context);
		const before = new Date(context.clock.now() - olderThan).toISOString();
		const old = (await listRuns(stateDir)).filter(
			({ state, header }) =>
				header !== undefined && header.started < before && state !== 'running' && (force || !OPEN.has(state)),
		);
		const runs = `${old.length} ${plural('run', old.length)}`;
		if (!dryRun && !yes && old.length > 0) {
			const what = `the journals of ${runs} before ${before.slice(0, 10)}`;
			if (!context.prompts.available) {
				throw new UsageError(`refusing to remove ${what} without confirmation; pass --yes`, { code: 'needs_yes' });
			}
			if (!(await context.prompts.confirm(`Remove ${what}?`))) {
				throw new UsageError('canceled; nothing was removed', { code: 'cancelled' });
			}
		}
		// Refused before anything is removed.
		await print(invocation, old);
		if (!dryRun) for (const { id } of old) removeRun(stateDir, id);
		say(invocation, `${runs} ${dryRun ? 'would be ' : ''}removed`);
		return ExitCode.ok;
	},
});

const FOR_PROGRAMS: ReadonlySet<string> = new Set(['failures', 'plan', 'next']);

const BAD: readonly OutcomeName[] = ['failed', 'differs', 'invalid', 'unknown', 'not-sent'];

interface Shown extends RecordFile {
	summary: RunSummary;
}

/** Rows without a record are unsent. */
function allCounts({ scan: { header, end, counts } }: Shown): Counts {
	const all = { ...(end?.counts ?? counts) };
	all['not-sent'] += Math.max(0, header.input.own - totalOf(all));
	return all;
}

/** Shards of one input, with missing and duplicate ones. @throws UsageError */
function together(runs: readonly [Shown, ...Shown[]]) {
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
		throw new UsageError(`runs ${scan.header.id} and ${other.id} have different inputs`, { code: 'input_changed' });
	}
	const mixed = headers.slice(1).find((each) => (each.plan.shard?.count ?? 0) !== plan.shard?.count);
	if (mixed !== undefined) {
		const [one, another] = [plan.shard, mixed.plan.shard].map((each) => (each ? formatShard(each) : 'all rows'));
		const message = `run ${scan.header.id} has ${one}, run ${mixed.id} has ${another}: rows would be counted twice`;
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
	const whole: RunSummary = {
		...{ id: header.id, header },
		path: runs.map((run) => run.summary.path).join(','),
		state: runs.every((run) => run.summary.state === 'finished') ? 'finished' : 'stopped',
		counts: sumOf(runs.map((run) => run.summary.counts ?? run.scan.counts)),
	};
	return {
		...{ header, summary: whole, next },
		missing: all.filter((index) => !indices.includes(index)).map((index) => `${index}/${count}`),
		twice: parts.filter(({ index }, at) => indices.indexOf(index) !== at).map(formatShard),
	};
}

async function writeReportsOn(runs: readonly [Shown, ...Shown[]], texts: readonly string[], cwd: string) {
	const { parseReport, checkReportPlaces, writeReports } = await import('../../../bulk/reports/write.js');
	const specs = texts.map(parseReport);
	const taken = runs.flatMap(({ summary: { path }, scan }) => [
		['the journal of the run', path] as const,
		["the run's input", inputFileOf(scan.header.plan.source)?.path] as const,
	]);
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
				...missing.map((shard) => `shard ${shard} is missing`),
				...twice.map((shard) => `shard ${shard} appears more than once`),
			],
		},
		cwd,
	);
}

/** A journal has no bodies. */
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

async function showRuns(invocation: Invocation, runs: readonly [Shown, ...Shown[]]): Promise<void> {
	const failures: Row[] = [];
	for (const row of rowsOf(runs, BAD)) if (failures.push(row) >= SHOWN) break;
	const { summary, next, missing, twice } = together(runs);
	const shards = runs.flatMap(({ scan }) => scan.header.plan.shard ?? []);
	const { done, inFlight, resumes, snapshots, corrupt, header } = runs[0].scan;
	const view: Row = {
		...runView(summary),
		...(runs.length === 1
			? {
					...{ done, in_flight: inFlight ?? null, resumes, snapshots, damaged_lines: corrupt.length },
					...(corrupt.length > 0 && { damage: corrupt.map(({ line, reason }) => `line ${line}: ${reason}`) }),
					...{ tool: header.tool, plan: header.plan },
				}
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

export const show = defineCommand({
	arguments: [{ ...runArgument, variadic: true }],
	options: [outcomeOption('List the rows with these outcomes', outcomeNames), reportOption, ...outputOptions],
	async run(invocation) {
		const { args, context, options } = invocation;
		const { pastRun, unreachedNote } = await import('../../runs/past.js');
		const [only = ''] = args;
		const file = resolve(context.cwd, only);
		if (args.length === 1 && isPlanFile(file)) {
			const saved = await import('../../runs/saved.js');
			if (options.report !== undefined) await saved.writeReportsOnPlan(file, options.report, context.cwd);
			await saved.showPlan(invocation, file);
			return ExitCode.ok;
		}
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
				for (const { scan, summary } of runs) {
					const note = unreachedNote(summary, scan);
					if (note !== undefined) notify(context, 'message', note.trimEnd());
				}
			}
			return ExitCode.ok;
		} finally {
			for (const { close } of opened) close();
		}
	},
});
