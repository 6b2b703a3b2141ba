/** Runs as they are printed: one object a run, its columns, and what a journal can't say about rows without a record. */

import { type Counts, openRows, outcomeNames, totalOf } from '../../bulk/journal/counts.js';
import type { RunSummary } from '../../bulk/journal/folder.js';
import type { JournalScan } from '../../bulk/journal/read.js';
import { commandOf, formatShard, sourceName } from '../../bulk/run/plan.js';
import type { Palette } from '../../output/colour.js';
import type { Column, Row } from '../../output/columns.js';

/** Rows that a resume would send; null where the journal can't be read. */
function openOf({ header, counts, end }: Pick<RunSummary, 'header' | 'counts' | 'end'>): number | null {
	if (end !== undefined) return openRows(end.counts);
	if (header === undefined || counts === undefined) return null;
	return header.input.own - (totalOf(counts) - openRows(counts));
}

/** One run as an object; the named keys are always there. */
export function runView({ id, state, path, header, counts, end, problem }: RunSummary): Row {
	const plan = header?.plan;
	const view: Record<string, unknown> = {
		run: id,
		state,
		command: plan === undefined ? null : commandOf(plan),
		undoes: plan?.source.from === 'snapshots' ? plan.source.run : null,
		retries: plan?.source.from === 'run' ? plan.source.run : null,
		service: plan?.service.baseUrl ?? null,
		profile: plan?.service.profile ?? null,
		input: plan === undefined ? null : sourceName(plan.source),
		input_rows: header?.input.rows ?? null,
		shard: plan?.shard === undefined ? null : formatShard(plan.shard),
		rows: header?.input.own ?? null,
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

const hostOf = ({ service }: Row): string =>
	typeof service === 'string' && URL.canParse(service) ? new URL(service).host : '';

/** A line of a terminal that has room for the date and the host, which a run's id and input nearly say. */
const WIDE = 120;

/** The columns of a list of runs on a terminal; what went wrong is red. */
export function runColumns(palette: Palette, width = WIDE): Column[] {
	const bad = (path: string): Column => ({ path, style: (text, row) => (row[path] === 0 ? text : palette.bad(text)) });
	const seldom = (path: string): Column => ({ ...bad(path), optional: true, usual: '0' });
	const isFine = (state: unknown): boolean => state === 'finished' || state === 'running';
	return [
		{ path: 'run', whole: true },
		...(width < WIDE ? [] : [{ path: 'started' }, { path: 'host', get: hostOf }]),
		{ path: 'input', least: 5 },
		{ path: 'command', least: 8 },
		{
			path: 'state',
			least: 6,
			style: (text, row) => (isFine(row.state) ? palette.good(text) : palette.doubtful(text)),
		},
		{ path: 'rows' },
		{ path: 'ok' },
		bad('failed'),
		seldom('differs'),
		seldom('invalid'),
		seldom('unknown'),
		{ path: 'open' },
		{ path: 'shard', optional: true },
		{ path: 'problem', optional: true, important: true },
	];
}

/**
 * A line about rows without a record: how many, whether they may have been sent, and the next step. Empty where there are none.
 * @param exports What the next step is where they were not sent
 */
export function unreachedNote(
	{ state }: RunSummary,
	{ header, counts, end, states }: JournalScan,
	exports = `supportctl run rejects ${header.id} --outcome not-sent exports them`,
): string {
	const { id } = header;
	const recorded = totalOf(counts);
	const all: Counts | undefined = end?.counts;
	const count = (state === 'running' || all === undefined ? header.input.own : totalOf(all)) - recorded;
	if (count <= 0) return '';
	const rows = count === 1 ? '1 row has' : `${count} rows have`;
	const doubt = doubtOf(state, end, states);
	if (doubt !== undefined) {
		return `note: ${rows} no record and may have been sent: ${doubt}; supportctl run resume ${id} sends what is not done\n`;
	}
	return `note: ${rows} no record, because the run ended before${exports === '' ? '' : `; ${exports}`}\n`;
}

/** Why rows without a record may have been sent; undefined where they were not. */
function doubtOf(
	state: RunSummary['state'],
	end: JournalScan['end'],
	states: JournalScan['states'],
): string | undefined {
	if (state === 'running') return 'the run is still going on';
	if (end === undefined) return 'the run has no end';
	if (states.doubtful) return 'its journal is damaged';
	return states.silent ? 'an earlier part of the run was killed' : undefined;
}
