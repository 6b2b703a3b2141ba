/** `run list`, and runs as others show them. */

import { basename } from 'node:path';
import { counted } from '../../../api/names.js';
import { readReference } from '../../../api/references.js';
import { quote, readMoment, splitIds } from '../../../api/values.js';
import { countWords, openRows, stepsAfter, totalOf, withUnsent } from '../../../bulk/journal/counts.js';
import { findRecords, isAbout } from '../../../bulk/journal/find.js';
import {
	isRunState,
	isSkipped,
	type RunSummary,
	runIds,
	runStates,
	runsIn,
	type SkippedRun,
	shortId,
} from '../../../bulk/journal/folder.js';
import type { JournalScan } from '../../../bulk/journal/history.js';
import { commandOf, formatShard, madeBy, type RunPlan } from '../../../bulk/plan.js';
import { sourceName, undoneRun } from '../../../bulk/sources.js';
import { UsageError } from '../../../errors.js';
import { outcomeNames } from '../../../http/outcomes.js';
import type { Context } from '../../../io/context.js';
import type { StyleName } from '../../../output/colour.js';
import type { Column, Row } from '../../../output/columns.js';
import { stateFolder } from '../../../profile/settings.js';
import { formatCount, readDuration, relativeTime } from '../../../text.js';
import { defineCommand, type Invocation } from '../../command.js';
import { notify, say, warn } from '../../notices.js';
import { options } from '../../options/option.js';
import { outputOptions, wholeNumber } from '../../options/shared.js';
import { chosenFormat, isDataFormat, isNarrow, printAll, SHOWN } from '../../results.js';

/** Why rows are left. */
function reasonOf({ state, end, header, problem }: RunSummary): string | null {
	if (problem !== undefined) return problem;
	if (header === undefined || !runStates[state].isOpen) return null;
	if (state === 'crashed') return 'the process was killed, or the machine crashed: the journal is incomplete';
	return end?.stopped?.why ?? null;
}

function nextOf({ state, header, counts }: RunSummary): string[] {
	if (!runStates[state].hasEnded || header === undefined || counts === undefined) return [];
	const all = withUnsent(header, counts);
	return stepsAfter(header, all, openRows(all) > 0).map(([, command]) => command);
}

/** Named keys are always there, for programs. */
export function runView(summary: RunSummary): Row {
	const { id, state, path, header, counts, end, problem } = summary;
	const plan = header?.plan;
	const made = plan?.source.from === 'plan' ? plan.source.made : undefined;
	const numbers = outcomeNames.map((name) => [name.replace('-', '_'), counts?.[name] ?? null]);
	return {
		run: id,
		state,
		result: resultText(summary),
		stopped: end?.stopped?.kind ?? null,
		reason: reasonOf(summary),
		command: plan === undefined ? null : commandOf(plan),
		undoes: undoneRun(plan?.source) ?? null,
		service: plan?.service.baseUrl ?? null,
		profile: plan?.service.profile ?? null,
		input: plan === undefined ? null : sourceName(plan.source),
		input_rows: header?.input.rows ?? null,
		shard: plan?.shard === undefined ? null : formatShard(plan.shard),
		rows: header?.input.own ?? null,
		...Object.fromEntries(numbers),
		left_out: counts?.left_out ?? null,
		// Also rows without a record.
		open: header && counts ? openRows(withUnsent(header, counts)) : null,
		can_undo: plan?.checks.snapshot ?? null,
		exit_code: end?.exit ?? null,
		user: header?.who?.user ?? null,
		host: header?.who?.host ?? null,
		account: header?.who?.account ?? null,
		note: header?.note ?? null,
		planned_by: made?.who === undefined ? null : madeBy(made.who),
		plan_note: made?.note ?? null,
		started: header?.started ?? null,
		ended: end?.at ?? null,
		journal: path,
		next: nextOf(summary),
		...(problem === undefined ? {} : { problem }),
	};
}

const runKeys = [...Object.keys(runView({ id: '', state: 'finished', path: '' })), 'problem'];

/** `50 ok, 10 failed`, `crashed: 3 ok, 7 unfinished` */
export function resultText({ state, header, counts, problem }: RunSummary): string {
	if (header === undefined || counts === undefined) return `${state}: ${problem}`;
	const open = runStates[state].hidesRows ? 'unfinished' : 'not sent';
	const text = countWords(withUnsent(header, counts), open).join(', ') || 'no rows';
	return state === 'finished' ? text : `${state}: ${text}`;
}

function resultStyle({ state, failed, differs, unknown, invalid }: Row): StyleName {
	// A query may leave rows that are none of ours.
	const { isOpen, isLost } = runStates[isRunState(state) ? state : 'stopped'];
	if (isLost || Number(failed) + Number(invalid) > 0) return 'bad';
	return !isOpen && Number(differs) + Number(unknown) === 0 ? 'good' : 'doubtful';
}

const NAMED_IDS = 3;

/** `night.csv`, `17 18`, `night.plan`, `run f3k9x` */
function fromText({ source }: RunPlan): string {
	switch (source.from) {
		case 'ids': {
			const named = source.ids.slice(0, NAMED_IDS).join(' ');
			return source.ids.length > NAMED_IDS ? `${named} …` : named;
		}
		case 'file':
			return basename(source.name);
		case 'plan':
			return basename(source.path);
		case 'snapshots':
			return `run ${shortId(source.run)}`;
	}
}

/** The run's own, and that of its plan. */
const noteText = ({ note, plan_note }: Row): string => [...new Set([plan_note, note])].filter(Boolean).join('; ');

/** What a table shows; other formats have all that is known. */
function runColumns(context: Context): Column[] {
	const { stdout, clock } = context;
	const result: Column = { path: 'result', least: 22, style: (_, row) => resultStyle(row) };
	if (!stdout.isTTY) {
		const before = ['run', 'started', 'user', 'command', 'input', 'state'].map((path) => ({ path }));
		return [...before, result, { path: 'note', get: noteText }];
	}
	const hasRoom = !isNarrow(context);
	const when = ({ started }: Row): string => {
		return typeof started === 'string' ? relativeTime(Date.parse(started), clock.now()) : '';
	};
	return [
		{ path: 'run', get: ({ run }) => shortId(String(run)), whole: true },
		{ path: 'when', get: when, least: 11 },
		...(hasRoom ? [{ path: 'user', label: 'who', least: 4 }] : []),
		{ path: 'command', least: 13 },
		{ path: 'from', least: 9 },
		hasRoom ? result : { ...result, least: 10 },
		{ path: 'shard', optional: true },
		...(hasRoom ? [{ path: 'note', get: noteText, least: 6, optional: true }] : []),
	];
}

export async function printRuns(invocation: Invocation, runs: readonly RunSummary[]): Promise<void> {
	const isEverything = isDataFormat(invocation);
	const columns = isEverything ? runKeys.map((path) => ({ path })) : runColumns(invocation.context);
	const forPerson = (summary: RunSummary): Row => {
		const { header } = summary;
		const more = isEverything ? {} : { from: header && fromText(header.plan) };
		return { ...runView(summary), ...more };
	};
	await printAll(invocation, { columns, keys: runKeys, idOf: ({ run }) => run }, runs.map(forPerson));
}

const NAMED_SKIPS = 3;

/** Journals that could say more, but not to this user. */
export function noteSkipped(context: Context, skipped: readonly SkippedRun[]): void {
	if (skipped.length === 0) return;
	const named = skipped.slice(0, NAMED_SKIPS).map(({ id, problem }) => `${id} (${problem})`);
	const rest = skipped.length > NAMED_SKIPS ? ', …' : '';
	warn(context, [`skipped ${counted(skipped.length, 'journal')}: ${named.join(', ')}${rest}`]);
}

/** @param listed how many of them are listed already, from the input */
export function noteUnreached(context: Context, scan: JournalScan, listed = 0): void {
	const { header, counts, end, states } = scan;
	const count = header.input.own - totalOf(counts) - listed;
	const mayBeSent = end === undefined || states.doubtful;
	if (count <= 0) return;
	const resume = `supportctl run resume ${header.id}`;
	const rows = counted(count, 'row');
	const unsent = `${rows} ${count === 1 ? 'was' : 'were'} not sent; send ${count === 1 ? 'it' : 'them'}: ${resume}`;
	const text = mayBeSent ? `${rows} without an outcome may have been sent; check and continue: ${resume}` : unsent;
	notify(context, 'message', text);
}

/** `7d`, or a date as lists take it: GMT if it names no zone. @throws UsageError */
function parseSince(text: string, flag: string): (now: number) => number {
	const age = readDuration(text);
	if (age !== undefined) return (now) => now - age;
	const moment = readMoment(text);
	if (moment !== undefined) return () => moment.ms;
	throw new UsageError(`${flag}: ${quote(text)} is not an age or a date`, {
		code: 'invalid_value',
		hint: 'use an age such as 7d or 12h, or a date such as 2026-03-31 or 2026-03-31T09:00:00',
	});
}

/** `30`, `#30`, `30,31`, or a username. */
function parseObjects(text: string): string[] {
	return splitIds(text).map((each) => readReference(each).text);
}

function isBy(name: string): (summary: RunSummary) => boolean {
	const wanted = name.toLowerCase();
	return ({ header }) => [header?.who?.user, header?.who?.account].some((each) => each?.toLowerCase() === wanted);
}

/** Whether the run wrote the object, or was asked to. */
function hasObject({ header, path }: RunSummary, ids: readonly string[]): boolean {
	const source = header?.plan.source;
	if (source?.from === 'ids' && source.ids.some((id) => ids.includes(id))) return true;
	return findRecords(path, ids).records.some((record) => ids.some((id) => isAbout(record, id)));
}

export const command = defineCommand({
	arguments: [],
	options: [
		...options('Runs', [
			{ flags: '--id <id>', help: 'Runs that wrote this object, or one of several: 14,16', parse: parseObjects },
			{ flags: '--since <age>', help: 'Runs started in this time (7d, 12h), or since a date', parse: parseSince },
			{ flags: '--user <name>', help: 'Runs of this system user or account' },
			{
				flags: '-L, --limit <n>',
				help: 'Maximum number of runs to list, newest first',
				parse: wholeNumber(1),
				defaultText: `${SHOWN} on a terminal, all elsewhere`,
			},
		]),
		...outputOptions,
	],
	async run(invocation) {
		const { context, options: given } = invocation;
		const { id, since, user } = given;
		const stateDir = stateFolder(context);
		const isPlain = context.stdout.isTTY && chosenFormat(invocation) === undefined && given.query === undefined;
		const limit = given.limit ?? (isPlain ? SHOWN : Number.POSITIVE_INFINITY);
		const isFiltered = id !== undefined || user !== undefined;
		// Their names alone say how many there are.
		const isAll = !isFiltered && since === undefined;
		const isWanted = user === undefined ? () => true : isBy(user);
		const found: RunSummary[] = [];
		const skipped: SkippedRun[] = [];
		let more = 0;
		for await (const summary of runsIn(stateDir, since?.(context.clock.now()))) {
			if (isFiltered && isSkipped(summary)) skipped.push(summary);
			else if (!isWanted(summary) || (id !== undefined && !hasObject(summary, id))) continue;
			else if (found.length < limit) found.push(summary);
			else more++;
			if (found.length === limit && isAll) break;
		}
		await printRuns(invocation, found);
		noteSkipped(context, skipped);
		if (found.length === 0) say(invocation, isAll ? 'no runs' : 'no runs match');
		if (isAll) more = runIds(stateDir).length - limit;
		if (more > 0) say(invocation, `… and ${formatCount(more)} older; --limit shows more, run prune removes old runs`);
	},
});
