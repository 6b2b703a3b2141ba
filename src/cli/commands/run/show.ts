/** `run show`: what a run did, and which of its rows need a look. */

import { outcomeNames } from '../../../bulk/counts.js';
import { nextSteps } from '../../../bulk/next-steps.js';
import type { RowRecord } from '../../../bulk/records.js';
import { finalRecords, firstRecords, recordedIdNames } from '../../../bulk/row-records.js';
import { type RunSummary, summariseRun } from '../../../bulk/runs.js';
import { type JournalScan, scanJournal } from '../../../bulk/scan.js';
import { ExitCode } from '../../../errors.js';
import type { OutcomeName } from '../../../http/outcome.js';
import type { Palette } from '../../../output/colour.js';
import type { Column, Row } from '../../../output/columns.js';
import { outcomeView, plainColumns } from '../../../output/outcome-view.js';
import { defineCommand, type Invocation } from '../../command.js';
import { outputOptions } from '../../options/output.js';
import { stdoutPalette } from '../../palette.js';
import { chosenFormat, openResults } from '../../results.js';
import { runArgument } from '../../run-argument.js';
import { namedRun, runView, unreachedNote, unreachedRows } from '../../runs.js';

/** How many rows that need a look are shown beside the run. */
const SHOWN = 20;

/** What a table of the run leaves out. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set(['failures', 'settings', 'next']);

/** What it tells only of a part of a sharded run. */
const OF_SHARDS: ReadonlySet<string> = new Set(['shard', 'input_rows']);

const NEED_A_LOOK: ReadonlySet<OutcomeName> = new Set(['differs', 'failed', 'invalid', 'unknown', 'not-sent']);

/** The rows' last records, without the answers, which a journal does not keep. */
function recordView(record: RowRecord): Row {
	const { body: _body, ...view } = outcomeView(record);
	return { ...view, line: record.line ?? null };
}

function details(scan: JournalScan): Row {
	const { done, inFlight, resumes, snapshots, corruptLines, corrupt, header } = scan;
	return {
		done,
		in_flight: inFlight ?? null,
		resumes,
		snapshots,
		damaged_lines: corruptLines,
		...(corruptLines === 0 ? {} : { damage: corrupt.map(({ line, reason }) => `line ${line}: ${reason}`) }),
		tool: header.tool,
		settings: header.settings,
	};
}

/** What can be done next. A run without an end has rows that nobody has word of, which is not to say that they were not sent. */
function nextCommands({ state, end }: RunSummary, { header, counts }: JournalScan): string[] {
	if (state === 'running') return [];
	const known = end === undefined ? { ...counts, 'not-sent': counts['not-sent'] + 1 } : end.counts;
	return nextSteps({ header, counts: known }).map(([, command]) => command);
}

async function rowColumns(path: string, palette: Palette): Promise<Column[]> {
	return [{ path: 'row' }, ...plainColumns({ ids: await recordedIdNames(path), palette })];
}

/** A list of rows instead of the run. */
async function listRows(invocation: Invocation, path: string, isWanted: (record: RowRecord) => boolean): Promise<void> {
	const palette = await stdoutPalette(invocation);
	const columns = await rowColumns(path, palette);
	const results = await openResults(invocation, { palette, columns });
	for await (const batch of finalRecords(path)) {
		for (const record of batch) if (isWanted(record)) await results.row(recordView(record));
	}
	await results.end();
}

/** Says of rows that were not sent, and that no list from a journal can have, how many there are. */
async function noteUnreached({ context }: Invocation, path: string): Promise<void> {
	const scan = await scanJournal(path);
	const { header } = scan;
	const unreached = unreachedRows(await summariseRun(path, header.id, scan), scan);
	const step = `supportctl run rejects ${header.id} --outcome not-sent gives them back`;
	context.stderr.write(unreachedNote(header, unreached, step));
}

async function showRun(invocation: Invocation, path: string): Promise<void> {
	const palette = await stdoutPalette(invocation);
	const scan = await scanJournal(path);
	const { header } = scan;
	const summary = await summariseRun(path, header.id, scan);
	const first = async (isWanted: Parameters<typeof firstRecords>[2]): Promise<Row[]> =>
		(await firstRecords(path, scan, isWanted, SHOWN)).map(recordView);
	const failures = await first((outcome) => NEED_A_LOOK.has(outcome));
	const next = nextCommands(summary, scan);
	const view: Row = { ...runView(summary), ...details(scan), next, failures };
	const { fields, field, query } = invocation.options;
	const format = chosenFormat(invocation.options);
	const forPerson = format === undefined || format === 'table';
	const shown = Object.keys(view).filter(
		(name) => !FOR_PROGRAMS.has(name) && !(view.shard === null && OF_SHARDS.has(name)),
	);
	const results = await openResults(invocation, {
		palette,
		single: true,
		keys: Object.keys(view),
		idOf: ({ run }) => run,
		...(forPerson ? { columns: shown.map((name) => ({ path: name })) } : {}),
	});
	await results.row(view);
	await results.end();
	if (!forPerson || fields !== undefined || field !== undefined || query !== undefined) return;
	const { stdout, stderr } = invocation.context;
	if (failures.length > 0) {
		stdout.write('\n');
		const rows = await openResults(invocation, { palette, columns: await rowColumns(path, palette) });
		for (const row of failures) await rows.row(row);
		await rows.end();
	}
	for (const command of next) stderr.write(`next: ${palette.command(command)}\n`);
}

export const command = defineCommand({
	summary: 'Show a run: its counts, and the first rows that did not go well.',
	description:
		'With --outcome, its rows are listed instead, each with its last outcome. A journal has no bodies of answers.',
	examples: [
		{ command: 'supportctl run show last', note: 'the newest run' },
		{ command: 'supportctl run show 20261121 --json', note: 'all that its journal says' },
		{ command: 'supportctl run show last --outcome unknown --format ids', note: 'rows nobody knows the fate of' },
		{ command: 'supportctl run show last --outcome differs', note: 'rows that the service shows with another value' },
	],
	arguments: [runArgument],
	options: [
		{
			flags: '--outcome <name>',
			help: 'List the rows with this outcome',
			group: 'Rows',
			repeatable: true,
			choices: outcomeNames,
		},
		...outputOptions,
	],
	async run(invocation) {
		const { options } = invocation;
		const path = namedRun(invocation);
		const outcomes = options.outcome as OutcomeName[] | undefined;
		if (outcomes === undefined) {
			await showRun(invocation, path);
			return ExitCode.ok;
		}
		await listRows(invocation, path, ({ outcome }) => outcomes.includes(outcome));
		if (outcomes.includes('not-sent')) await noteUnreached(invocation, path);
		return ExitCode.ok;
	},
});
