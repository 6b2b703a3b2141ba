/** Runs as the run commands name, find and print them. */

import { existsSync } from 'node:fs';
import { openRows, outcomeNames, rowsToMend, totalOf } from '../bulk/counts.js';
import type { RunHeader } from '../bulk/records.js';
import { findRun, type RunSummary } from '../bulk/runs.js';
import type { JournalScan } from '../bulk/scan.js';
import { UsageError } from '../errors.js';
import type { Palette } from '../output/colour.js';
import type { Column, Row } from '../output/columns.js';
import { stateFolder } from '../profile/environment.js';
import type { Invocation } from './command.js';

/** The state folder, which needs no profile. */
export function runsPlace({ context }: Invocation): string {
	return stateFolder({ env: context.env, cwd: context.cwd });
}

/** The journal of the run that the first argument names. @throws UsageError, FailedError */
export function namedRun(invocation: Invocation): string {
	const [name] = invocation.args;
	if (name === undefined) {
		throw new UsageError('missing <run>: an id, the start of one, last, or a journal', {
			code: 'missing_argument',
			hint: 'supportctl run list shows them',
		});
	}
	return findRun(runsPlace(invocation), name, invocation.context.cwd);
}

/** @throws UsageError where a run's input is gone from the place where it was read */
export function checkInputThere({ id, input: { path } }: RunHeader): void {
	if (path === undefined || existsSync(path)) return;
	throw new UsageError(`run ${id} read ${path}, and there is no such file here`, {
		code: 'unreadable_input',
		hint: 'say where it is now with --input FILE',
	});
}

/** The rows that the run answers for: those of its shard, where it is one part of several. */
function ownRowsOf({ shard, input }: RunHeader): number {
	return shard?.rows ?? input.rows;
}

/** Rows that a resume would send; null where nobody knows. */
function openOf({ header, counts, end }: Pick<RunSummary, 'header' | 'counts' | 'end'>): number | null {
	if (end !== undefined) return openRows(end.counts);
	if (header === undefined || counts === undefined) return null;
	const done = counts.ok + counts.skipped + rowsToMend(counts);
	return ownRowsOf(header) - done;
}

/** Rows of a run that its journal has no record of. */
export interface UnreachedRows {
	count: number;
	/** Why some of them may have been sent all the same; undefined where none was. */
	doubt: string | undefined;
}

export function unreachedRows({ state }: RunSummary, { header, counts, end, states }: JournalScan): UnreachedRows {
	const recorded = totalOf(counts);
	if (state === 'running' || end === undefined) {
		return {
			count: ownRowsOf(header) - recorded,
			doubt: state === 'running' ? 'the run is still going on' : 'the run has no end',
		};
	}
	const doubt = states.doubtful
		? 'its journal is damaged'
		: states.silent
			? 'an earlier part of the run was killed'
			: undefined;
	return { count: totalOf(end.counts) - recorded, doubt };
}

/** A line about them: what they are, and `step`, what can be done about those that were surely not sent. Nothing where there are none. */
export function unreachedNote({ id }: RunHeader, { count, doubt }: UnreachedRows, step: string): string {
	if (count <= 0) return '';
	const rows = count === 1 ? '1 row' : `${count} rows`;
	const have = count === 1 ? 'has' : 'have';
	if (doubt === undefined)
		return `note: ${rows} ${count === 1 ? 'was' : 'were'} not reached and ${have} no record; ${step}\n`;
	return `note: ${rows} that ${have} no record may have been sent all the same: ${doubt}; supportctl run resume ${id} sends what is not done\n`;
}

/** One run as an object to print; the named keys are always there. */
export function runView({ id, state, path, header, counts, end, problem }: RunSummary): Row {
	const view: Record<string, unknown> = {
		run: id,
		state,
		command: header?.command.join(' ') ?? null,
		undoes: header?.undoes ?? null,
		service: header?.baseUrl ?? null,
		profile: header?.profile ?? null,
		input: header?.input.name ?? null,
		input_rows: header?.input.rows ?? null,
		shard: header?.shard?.part ?? null,
		rows: header === undefined ? null : ownRowsOf(header),
	};
	for (const name of outcomeNames) view[name.replace('-', '_')] = counts?.[name] ?? null;
	return {
		...view,
		open: openOf({ header, counts, end }),
		exit_code: end?.exit ?? null,
		started: header?.started ?? null,
		ended: end?.at ?? null,
		journal: path,
		...(problem === undefined ? {} : { problem }),
	};
}

/** Every key that a run can have. */
export const runKeys: readonly string[] = [...Object.keys(runView({ id: '', state: 'finished', path: '' })), 'problem'];

const GOOD: ReadonlySet<unknown> = new Set(['finished', 'running']);

/** The end of a run's id, in which it differs from those of the same day. */
function shortId(id: unknown): string {
	return String(id ?? '').replace(/^\d{8}-\d{6}-/, '');
}

export function runColumns(palette: Palette): Column[] {
	return [
		{ path: 'run', whole: true },
		{
			path: 'state',
			least: 8,
			style: (text, row) => (GOOD.has(row.state) ? palette.good(text) : palette.doubtful(text)),
		},
		{ path: 'command', important: true, least: 12 },
		{ path: 'rows' },
		{ path: 'ok' },
		{ path: 'failed' },
		{ path: 'open' },
		{ path: 'shard', optional: true },
		{ path: 'problem', optional: true, important: true },
		{ path: 'undoes', short: ({ undoes }) => shortId(undoes), optional: true },
	];
}
