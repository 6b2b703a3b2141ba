/** `run list` and `run prune`: the runs that the state folder knows of. */

import { openRows, outcomeNames, totalOf } from '../../../bulk/journal/counts.js';
import { listRuns, type RunState, type RunSummary, removeRun, runIds } from '../../../bulk/journal/folder.js';
import { commandOf, formatShard, sourceName } from '../../../bulk/run/plan.js';
import { ExitCode, UsageError } from '../../../errors.js';
import type { Palette } from '../../../output/colour.js';
import type { Column, Row } from '../../../output/columns.js';
import { stateFolder } from '../../../profile/settings.js';
import { defineCommand, type Invocation } from '../../command.js';
import { paletteFor, say } from '../../notices.js';
import { options } from '../../options/option.js';
import { outputOptions, wholeNumber } from '../../options/shared.js';
import { chosenFormat, printAll } from '../../results.js';

/** One run as an object; the named keys are always there. */
export function runView(summary: RunSummary): Row {
	const { id, state, path, header, counts, end, problem } = summary;
	const plan = header?.plan;
	const numbers = outcomeNames.map((name) => [name.replace('-', '_'), counts?.[name] ?? null]);
	return {
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
		...Object.fromEntries(numbers),
		// What a resume would send: also rows that have no record.
		open: header && counts ? header.input.own - totalOf(counts) + openRows(counts) : null,
		exit_code: end?.exit ?? null,
		started: header?.started ?? null,
		ended: end?.at ?? null,
		journal: path,
		...(problem === undefined ? {} : { problem }),
	};
}

/** Every key that a run can have. */
const runKeys = [...Object.keys(runView({ id: '', state: 'finished', path: '' })), 'problem'];

/** A line of a terminal that has room for the date and the host, which a run's id and input nearly say. */
const WIDE = 120;

/** The columns of a list of runs on a terminal; what went wrong is red. */
function runColumns(palette: Palette, width = WIDE): Column[] {
	const bad = (path: string): Column => ({ path, style: (text, row) => (row[path] === 0 ? text : palette.bad(text)) });
	const seldom = (path: string): Column => ({ ...bad(path), optional: true, usual: '0' });
	const isFine = (state: unknown): boolean => state === 'finished' || state === 'running';
	const hostOf = ({ service }: Row): string =>
		typeof service === 'string' && URL.canParse(service) ? new URL(service).host : '';
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

/** Prints runs. @throws UsageError for a column that no run has */
async function print(invocation: Invocation, runs: readonly RunSummary[]): Promise<void> {
	const palette = await paletteFor(invocation, 'stdout');
	const columns = runColumns(palette, invocation.context.stdout.columns);
	await printAll(invocation, { columns, keys: runKeys, idOf: ({ run }) => run }, runs.map(runView));
}

/** How many runs are shown on a terminal. */
const SHOWN = 20;

export const list = defineCommand({
	description:
		'States: running; finished (at its last row); stopped (ended before that); interrupted (by a signal); broken-off (killed, or the machine failed).',
	examples: {
		'supportctl run list': 'all runs',
		'supportctl run list --query \'[?open!=`0` && !problem && state!=`"running"`].run\' --format ids': 'runs to resume',
	},
	arguments: [],
	options: [
		...options('Runs', [
			{
				flags: '--limit <n>',
				help: 'At most N runs, the newest',
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

/** `30d` → milliseconds. @throws UsageError */
function parseAge(text: string): number {
	const [, count, unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
	if (count !== undefined) return Number(count) * (UNITS[unit] as number);
	throw new UsageError(`--older-than takes a number of h, d or w such as 30d, not ${JSON.stringify(text)}`, {
		code: 'invalid_value',
	});
}

/** Rows of these runs can still be resumed. */
const OPEN: ReadonlySet<RunState> = new Set(['stopped', 'interrupted', 'broken-off', 'damaged']);

export const prune = defineCommand({
	description:
		'A removed run can no longer be shown, retried or undone. Runs with open rows are kept unless --force is given; a running one always. Asks first.',
	examples: {
		'supportctl run prune --older-than 30d --dry-run': 'list what would be removed',
		'supportctl run prune --older-than 12w --yes': 'without a question',
	},
	arguments: [],
	options: [
		...options('Runs', [
			{
				flags: '--older-than <age>',
				help: 'Runs that started before: a number of h, d or w',
				parse: parseAge,
				defaultText: '30d',
			},
			{ flags: '--force', help: 'Remove runs with open rows too' },
			{ flags: '-n, --dry-run', help: 'List the runs and remove none' },
			{ flags: '-y, --yes', help: 'Do not ask' },
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
		const runs = `${old.length} ${old.length === 1 ? 'run' : 'runs'}`;
		if (!dryRun && !yes && old.length > 0) {
			const what = `the journals of ${runs} before ${before.slice(0, 10)}`;
			if (!context.prompts.available) {
				throw new UsageError(`to remove ${what} without a terminal, give --yes`, { code: 'needs_yes' });
			}
			if (!(await context.prompts.confirm(`Remove ${what}?`))) {
				throw new UsageError('cancelled; nothing was removed', { code: 'cancelled' });
			}
		}
		// A column that no run has is refused before anything is removed.
		await print(invocation, old);
		if (!dryRun) for (const { id } of old) removeRun(stateDir, id);
		say(invocation, `${runs} ${dryRun ? 'would be ' : ''}removed`);
		return ExitCode.ok;
	},
});
