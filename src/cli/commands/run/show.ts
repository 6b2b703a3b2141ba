/** `run show`: what a run did, and which of its rows need a look. */

import { outcomeNames } from '../../../bulk/counts.js';
import type { RowRecord } from '../../../bulk/records.js';
import { nextSteps } from '../../../bulk/reports.js';
import { findRun, summariseRun } from '../../../bulk/runs.js';
import { finalRecords, type JournalScan, scanJournal } from '../../../bulk/scan.js';
import { ExitCode } from '../../../errors.js';
import type { OutcomeName } from '../../../http/outcome.js';
import type { Row } from '../../../output/columns.js';
import { outcomeView, plainColumns } from '../../../output/outcome-view.js';
import type { CommandSpec, Invocation } from '../../command.js';
import { outputOptions } from '../../options/output.js';
import { chosenFormat, openResults, stdoutPalette } from '../../results.js';
import { runArgument, runsPlace, runView } from '../../runs.js';

/** How many rows that need a look are shown beside the run. */
const SHOWN = 20;

const NEED_A_LOOK: ReadonlySet<OutcomeName> = new Set(['failed', 'invalid', 'unknown', 'not-sent']);

/** The rows' last records, without the answers, which a journal does not keep. */
function recordView(record: RowRecord): Row {
	const { body: _body, ...view } = outcomeView(record);
	return { ...view, line: record.line ?? null };
}

async function* recordsWith(path: string, outcomes: ReadonlySet<OutcomeName>): AsyncGenerator<RowRecord> {
	for await (const batch of finalRecords(path)) {
		for (const record of batch) if (outcomes.has(record.outcome)) yield record;
	}
}

async function firstOf(path: string): Promise<RowRecord[]> {
	const found: RowRecord[] = [];
	for await (const record of recordsWith(path, NEED_A_LOOK)) {
		found.push(record);
		if (found.length === SHOWN) break;
	}
	return found;
}

function details(scan: JournalScan): Row {
	const { done, inFlight, resumes, snapshots, corruptLines, corrupt, header } = scan;
	return {
		done,
		in_flight: inFlight,
		resumes,
		snapshots,
		damaged_lines: corruptLines,
		...(corruptLines === 0 ? {} : { damage: corrupt.map(({ line, reason }) => `line ${line}: ${reason}`) }),
		tool: header.tool,
		settings: header.settings,
	};
}

/** A list of rows instead of the run. */
async function listRows(invocation: Invocation, path: string, outcomes: ReadonlySet<OutcomeName>): Promise<void> {
	const palette = await stdoutPalette(invocation);
	const ids = await idNamesOf(path);
	const results = await openResults(invocation, {
		palette,
		columns: [{ path: 'row' }, ...plainColumns({ ids, palette })],
	});
	for await (const record of recordsWith(path, outcomes)) await results.row(recordView(record));
	await results.end();
}

async function idNamesOf(path: string): Promise<string[]> {
	for await (const record of recordsWith(path, new Set(outcomeNames))) {
		if (Object.keys(record.ids).length > 0) return Object.keys(record.ids);
	}
	return ['id'];
}

async function showRun(invocation: Invocation, path: string): Promise<void> {
	const palette = await stdoutPalette(invocation);
	const [summary, scan] = [await summariseRun(path, ''), await scanJournal(path)];
	const failures = (await firstOf(path)).map(recordView);
	const { header } = scan;
	const counts = summary.counts ?? scan.counts;
	const next = nextSteps({ header, counts }).map(([, command]) => command);
	const view = { ...runView(summary), ...details(scan), next, failures };
	const format = chosenFormat(invocation.options);
	const forPerson = format === undefined || format === 'table';
	const hidden = new Set(['failures', 'settings', 'next']);
	const shown = Object.keys(view).filter((name) => !hidden.has(name));
	const results = await openResults(invocation, {
		palette,
		single: true,
		...(forPerson ? { columns: shown.map((name) => ({ path: name })) } : {}),
	});
	await results.row(view);
	await results.end();
	const { fields, field, query } = invocation.options;
	if (!forPerson || failures.length === 0 || fields !== undefined || field !== undefined || query !== undefined) return;
	invocation.context.stdout.write('\n');
	const ids = Object.keys((await firstOf(path))[0]?.ids ?? {});
	const rows = await openResults(invocation, {
		palette,
		columns: [{ path: 'row' }, ...plainColumns({ ids, palette })],
	});
	for (const failure of failures) await rows.row(failure);
	await rows.end();
	const { stderr } = invocation.context;
	for (const command of next) stderr.write(`next: ${palette.command(command)}\n`);
}

export const command: CommandSpec = {
	summary: 'Show a run: its counts, and the first rows that did not go well.',
	description:
		'With --outcome, its rows are listed instead, each with its last outcome. A journal has no bodies of answers.',
	examples: [
		{ command: 'supportctl run show last', note: 'the newest run' },
		{ command: 'supportctl run show 20261121 --json', note: 'all that its journal says' },
		{ command: 'supportctl run show last --outcome unknown --format ids', note: 'rows nobody knows the fate of' },
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
		const { context, args, options } = invocation;
		const path = findRun(runsPlace(invocation), args[0] as string, context.cwd);
		const outcomes = options.outcome as OutcomeName[] | undefined;
		if (outcomes === undefined) await showRun(invocation, path);
		else await listRows(invocation, path, new Set(outcomes));
		return ExitCode.ok;
	},
};
