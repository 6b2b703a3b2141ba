/** `ticket history` and the like: what this tool did to an object. */

import { counted, nameRow } from '../../api/names.js';
import { type EditNoun, reads } from '../../api/reads.js';
import { readReference } from '../../api/references.js';
import { isProblem, looksLikeNumber, OWN_ID, parseId, quote } from '../../api/values.js';
import { actions, changeLines, changeView, doneText } from '../../bulk/change.js';
import { type HistoryEntry, historyOf, idIn, type ObjectHistory } from '../../bulk/history.js';
import { shortId } from '../../bulk/journal/folder.js';
import { fullMessage } from '../../bulk/journal/records.js';
import { commandOf, notesOf } from '../../bulk/plan.js';
import type { RecordedChange } from '../../bulk/recorded.js';
import { leavesTexts } from '../../bulk/run/left-behind.js';
import { sources, undoneRun } from '../../bulk/sources.js';
import { UsageError } from '../../errors.js';
import { isDone, outcomes } from '../../http/outcomes.js';
import type { Column, Row } from '../../output/columns.js';
import { asksForJson } from '../../output/sanitise.js';
import { readSetup, resolveBaseUrl } from '../../profile/resolve.js';
import { shellWord, stateFolder } from '../../profile/settings.js';
import { relativeTime } from '../../text.js';
import type { CommandSpec, Invocation } from '../command.js';
import { lookUpId, lookUpWith } from '../lookups.js';
import { say, warn, writeSummary } from '../notices.js';
import { pick } from '../options/option.js';
import { connectionOptions, outputOptions } from '../options/shared.js';
import { isDataFormat, isNarrow, printAll, printsLines } from '../results.js';
import { ownerArguments } from './objects.js';
import { noteSkipped } from './run/list.js';

/** What stands for an object. */
const HELP: Partial<Record<EditNoun, string>> = { user: 'ID, or username', term: 'ID, slug or name' };

export function historyCommand(noun: EditNoun): CommandSpec {
	const owners = ownerArguments(reads[noun]);
	return {
		arguments: [...owners, { name: 'id', help: HELP[noun] ?? 'ID', required: true }],
		options: [...pick(connectionOptions, 'profile', 'base-url'), ...outputOptions],
		run: (invocation) =>
			showHistory(
				noun,
				invocation,
				owners.map(({ name }) => name),
			),
	};
}

async function showHistory(noun: EditNoun, invocation: Invocation, owners: readonly string[]): Promise<undefined> {
	const { context, args } = invocation;
	const stateDir = stateFolder(context);
	const taxonomy = owners[0] === 'taxonomy' ? args[0] : undefined;
	const id = await idOf(invocation, noun, noun === 'user' ? 'users' : taxonomy, args[owners.length] as string);
	const found = await historyOf(
		stateDir,
		{ noun, id, taxonomy, baseUrl: baseUrlOf(invocation) },
		lookUpWith(invocation),
	);
	const shape = { columns: columnsFor(invocation), keys: KEYS, idOf: ({ run }: Row) => run };
	const rows = found.entries.flatMap((entry) => {
		const run = runFacts(entry);
		return changeRows(invocation, entry).map((row) => ({ ...run, ...row }));
	});
	await printAll(invocation, shape, rows);
	tellSource(invocation, found, nameRow({ id }, noun), id);
	return undefined;
}

/**
 * Journals know what runs named; the service knows the rest.
 * @param of `users` or a taxonomy; undefined for objects without names
 * @throws UsageError
 */
async function idOf(invocation: Invocation, noun: EditNoun, of: string | undefined, given: string): Promise<string> {
	const { by, text: name } = readReference(given);
	const isName = by === 'name' || (by === 'either' && !looksLikeNumber(name));
	if (of === undefined || !isName) {
		const parsed = parseId(name);
		if (isProblem(parsed)) throw new UsageError(`${noun}: ${parsed.problem}`, { code: 'invalid_id' });
		return parsed.value;
	}
	const id = given === OWN_ID ? undefined : idIn(stateFolder(invocation.context), of, name);
	if (id !== undefined) return id;
	const found = await lookUpId(invocation, of, given);
	if (found !== undefined && 'id' in found) return found.id;
	const find = of === 'users' ? `supportctl user id ${shellWord(name)}` : `supportctl term list ${shellWord(of)}`;
	throw new UsageError(`no run mentions ${noun} ${quote(name)}; pass the ID`, {
		code: 'unknown_name',
		details: found !== undefined && 'problem' in found ? [found.problem] : undefined,
		hint: `to find it: ${find}`,
	});
}

/** Undefined where nothing says which service is meant: then all of them are. */
function baseUrlOf({ context, options }: Invocation): string | undefined {
	const setup = readSetup(context, options);
	return setup.settings.baseUrl === undefined ? undefined : resolveBaseUrl(setup).url;
}

function runFacts({ header }: HistoryEntry): Row {
	const { id, started, who, plan } = header;
	return {
		run: id,
		started,
		user: who?.user ?? null,
		host: who?.host ?? null,
		account: who?.account ?? null,
		command: commandOf(plan),
		undoes: undoneRun(plan.source) ?? null,
		service: plan.service.baseUrl,
		note: notesOf(header).join('; ') || null,
	};
}

/** A line for each field where people look, and one object for each row of a run elsewhere. */
export function changeRows(invocation: Invocation, entry: RecordedChange): Row[] {
	const { row, outcome, record, change, gap } = entry;
	const applied = new Set(entry.applied);
	const said = outcome === 'ok' ? undefined : record === undefined ? CRASHED : fullMessage(record);
	const facts = { row, outcome, status: record?.status ?? null, code: record?.code ?? null };
	const messageWith = (more?: unknown): string | null => {
		return [said, gap, more].filter((text) => typeof text === 'string').join('; ') || null;
	};
	if (!printsLines(invocation)) {
		const view = changeView(change);
		const changes = view.changes.map((each) => (applied.has(each.field) ? { ...each, outcome: 'ok' } : each));
		return [{ ...view, changes, ...facts, message: messageWith() }];
	}
	if (!actions[change.action].setsFields) {
		const title = change.object.label ?? null;
		return [{ ...facts, title, field: null, old: null, new: doneText(change), message: messageWith() }];
	}
	const lines: Row[] = change.fields.length === 0 ? [{ field: null, old: null, new: null }] : changeLines(change);
	return lines.map((line) => {
		if (!applied.has(String(line.field))) return { ...facts, ...line, message: messageWith(line.message) };
		return { row, status: null, code: null, ...line, outcome: 'ok' };
	});
}

const CRASHED = 'the run was killed; the change may have been written';

const KEYS = [
	'run',
	'started',
	'user',
	'host',
	'account',
	'command',
	'undoes',
	'service',
	'note',
	'row',
	'outcome',
	'status',
	'code',
	'title',
	'action',
	'receiver',
	'change',
	'changes',
	'field',
	'old',
	'new',
	'old_id',
	'new_id',
	'message',
];

/** Of one object a row, which other formats have in lines. */
const OF_OBJECTS = ['action', 'receiver', 'change', 'changes'];

export const fieldColumns: readonly Column[] = [
	{ path: 'field', whole: true },
	{ path: 'old', least: 8, wraps: true },
	{ path: 'new', least: 8, wraps: true },
	{ path: 'outcome', style: (_, { outcome }) => outcomes[outcome as keyof typeof outcomes]?.style },
];

function columnsFor(invocation: Invocation): Column[] {
	const { stdout, clock } = invocation.context;
	if (isDataFormat(invocation)) return KEYS.filter((path) => !OF_OBJECTS.includes(path)).map((path) => ({ path }));
	const more: Column[] = [
		{ path: 'note', optional: true },
		{ path: 'message', optional: true },
	];
	const hasRoom = !isNarrow(invocation.context);
	if (!stdout.isTTY) return [{ path: 'started' }, { path: 'run' }, { path: 'user' }, ...fieldColumns, ...more];
	return [
		{ path: 'when', get: ({ started }) => relativeTime(Date.parse(String(started)), clock.now()), least: 8 },
		{ path: 'run', get: ({ run }) => shortId(String(run)), whole: true },
		...(hasRoom ? [{ path: 'user', label: 'who', least: 4 }] : []),
		...fieldColumns,
		...more.filter(({ path }) => hasRoom || path !== 'note'),
	];
}

/** Where this comes from, and what it can't tell. */
function tellSource(invocation: Invocation, found: ObjectHistory, object: string, id: string): void {
	const { context } = invocation;
	const { entries, folder, runs, oldest, elsewhere, skipped, damaged } = found;
	const since = oldest === undefined ? null : `${oldest.slice(0, 4)}-${oldest.slice(4, 6)}-${oldest.slice(6, 8)}`;
	const last = undoableIn(found);
	const next = last && `supportctl run undo ${last.header.id} --ids ${id}`;
	const deletes = entries.filter((entry) => isDone(entry) && !actions[entry.change.action].setsFields);
	const leaves = leavesTexts(found.leaves, deletes.length);
	if (asksForJson(context.argv)) {
		const skips = skipped.map(({ id: run, state, problem }) => ({ run, state, problem }));
		const lines = damaged.map(({ id: run, lines: damaged_lines }) => ({ run, damaged_lines }));
		const facts = { folder, runs, since, other_services: elsewhere, skipped: skips, damaged: lines };
		const left = leaves.length > 0 && { leaves };
		writeSummary(context, { ...facts, ...left, next: next === undefined ? [] : [next] });
		return;
	}
	noteSkipped(context, skipped);
	for (const { id: run, lines } of damaged.slice(0, 3)) {
		warn(context, [`run ${run} has ${counted(lines, 'damaged line')}, which may be about ${object}`]);
	}
	const readable = skipped.length === 0 ? 'run' : 'readable run';
	if (entries.length === 0) say(invocation, `no ${readable} changed ${object}`);
	const others = elsewhere === 0 ? '' : `; ${counted(elsewhere, 'run')} on other services left out`;
	const from = since === null ? '' : `, the oldest from ${since}`;
	say(
		invocation,
		`read ${counted(runs - skipped.length, readable)} in ${folder}${from}${others}; earlier changes and those made elsewhere aren't known`,
	);
	for (const text of leaves) say(invocation, text);
	if (next !== undefined) say(invocation, `to restore the newest change: ${next}`);
}

/** The newest change, unless it restored an earlier one. */
function undoableIn({ entries: [newest] }: ObjectHistory): HistoryEntry | undefined {
	if (newest === undefined) return undefined;
	const { outcome, gap, header } = newest;
	const isWritten = outcomes[outcome].written !== false && gap === undefined;
	return isWritten && header.plan.checks.snapshot && !sources[header.plan.source.from].restores ? newest : undefined;
}
