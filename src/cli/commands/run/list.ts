/** `run list`, and runs as others show them. */

import { counted } from '../../../api/names.js';
import { openRows, totalOf } from '../../../bulk/journal/counts.js';
import { listRuns, type RunSummary, runIds } from '../../../bulk/journal/folder.js';
import type { JournalScan } from '../../../bulk/journal/history.js';
import { commandOf, formatShard } from '../../../bulk/plan.js';
import { sourceName } from '../../../bulk/sources.js';
import { outcomeNames } from '../../../http/outcomes.js';
import type { Context } from '../../../io/context.js';
import type { Column, Row } from '../../../output/columns.js';
import { stateFolder } from '../../../profile/settings.js';
import { defineCommand, type Invocation } from '../../command.js';
import { notify, say } from '../../notices.js';
import { options } from '../../options/option.js';
import { outputOptions, wholeNumber } from '../../options/shared.js';
import { chosenFormat, printAll, SHOWN } from '../../results.js';

export function runView(summary: RunSummary): Row {
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

const WIDE = 120;

function runColumns(width = WIDE): Column[] {
	const bad = (path: string): Column => ({ path, style: (text) => (text === '0' ? undefined : 'bad') });
	const seldom = (path: string): Column => ({ ...bad(path), optional: true, usual: '0' });
	const isFine = (state: unknown): boolean => state === 'finished' || state === 'running';
	const serviceOf = ({ service }: Row): string => (URL.canParse(`${service}`) ? new URL(`${service}`).host : '');
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
		{ path: 'state', least: 6, style: (_, { state }) => (isFine(state) ? 'good' : 'doubtful') },
		{ path: 'rows' },
		{ path: 'ok' },
		...(width < WIDE ? [issues] : [bad('failed'), seldom('differs'), seldom('invalid'), seldom('unknown')]),
		{ path: 'open' },
		{ path: 'undo', get: ({ can_undo }) => (can_undo === true ? 'yes' : ''), optional: true },
		{ path: 'shard', optional: true },
		{ path: 'problem', optional: true, important: true },
	];
}

export async function printRuns(invocation: Invocation, runs: readonly RunSummary[]): Promise<void> {
	const columns = runColumns(invocation.context.stdout.columns);
	await printAll(invocation, { columns, keys: runKeys, idOf: ({ run }) => run }, runs.map(runView));
}

/** @param areListed those that were not sent are listed already, from the input */
export function noteUnreached(context: Context, scan: JournalScan, areListed = false): void {
	const { header, counts, end, states } = scan;
	const count = (end === undefined ? header.input.own : totalOf(end.counts)) - totalOf(counts);
	const mayBeSent = end === undefined || states.doubtful;
	if (count <= 0 || (areListed && !mayBeSent)) return;
	const why = mayBeSent ? 'which may have been sent' : 'because the run ended before';
	const text = `note: ${counted(count, 'row')} without a record, ${why}; supportctl run resume ${header.id} sends them`;
	notify(context, 'message', text);
}

export const command = defineCommand({
	arguments: [],
	options: [
		...options('Runs', [
			{
				flags: '--limit <n>',
				help: 'Print at most N runs, newest first',
				parse: wholeNumber(1),
				defaultText: `${SHOWN} on a terminal, all elsewhere`,
			},
		]),
		...outputOptions,
	],
	async run(invocation) {
		const { context, options: given } = invocation;
		const stateDir = stateFolder(context);
		const isPlain = context.stdout.isTTY && chosenFormat(invocation) === undefined && given.query === undefined;
		const limit = given.limit ?? (isPlain ? SHOWN : Number.POSITIVE_INFINITY);
		await printRuns(invocation, await listRuns(stateDir, limit));
		const more = runIds(stateDir).length - limit;
		if (more > 0) say(invocation, `… and ${more} older; --limit shows more, run prune removes old runs`);
	},
});
