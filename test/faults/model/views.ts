/** What `run show --changes` and `history` say that a run did, against what the desk saw. */

import { isDeepStrictEqual } from 'node:util';
import { expectThat, type ModelRun, statesOf } from './asked.js';
import type { ModelDesk, State } from './desk.js';

interface FieldChange {
	readonly field: string;
	readonly old: unknown;
	readonly new: unknown;
	/** Why there is no old value. */
	readonly old_unknown?: string;
}

/** As `--json` prints it. */
export interface ShownChange {
	readonly row: number;
	readonly action: string;
	readonly outcome: string;
	readonly changes: readonly FieldChange[];
}

/** IDs are numbers or texts, and tags come in any order. */
function isSameShown(held: unknown, shown: unknown): boolean {
	const [left, right] = [held, shown].map((value) => (Array.isArray(value) ? [...value].map(String).sort() : value));
	return isDeepStrictEqual(left, right) || (!Array.isArray(left) && String(left ?? '') === String(right ?? ''));
}

/** @param path of its object */
function isSeen(desk: ModelDesk, run: ModelRun, path: string, change: FieldChange): boolean {
	const { field, old, new: after, old_unknown: isUntold } = change;
	const states = statesOf(desk, run, path);
	const isOwn = ({ by }: State): boolean => by === run.id;
	const written = states.findLastIndex((each) => isOwn(each) && isSameShown(each.held?.[field], after));
	// What stood there before the first write of the row, which may have been sent again.
	const stood = states.slice(0, Math.max(written, 0)).some(({ held }) => isSameShown(held?.[field], old));
	return written > 0 && (stood || isUntold !== undefined);
}

/** @param keepsOld whether it saved old values */
export function checkChanges(desk: ModelDesk, run: ModelRun, shown: readonly ShownChange[], keepsOld: boolean): void {
	const pathOf = (row: number): string => run.rows.find((each) => each.row === row)?.path ?? '';
	for (const { row, action, outcome, changes } of shown) {
		const facts = { run: run.id, row, action, outcome, changes };
		expectThat(
			outcome === (run.outcomes.get(row)?.outcome ?? 'unknown'),
			'changes have the outcome of their row',
			facts,
		);
		if (outcome !== 'ok' || action !== 'update') continue;
		for (const change of changes) {
			expectThat(isSeen(desk, run, pathOf(row), change), 'a change that is shown was made', { ...facts, change });
		}
	}
	if (!keepsOld) return;
	for (const [at, { path, held, sent, by, isPart }] of desk.states.entries()) {
		if (at < run.start || by !== run.id || held === undefined) continue;
		const before = desk.held(path, at);
		const listed = shown.filter(({ row }) => pathOf(row) === path);
		const missing = Object.keys(sent)
			.filter((name) => !isSameShown(before?.[name], held[name]))
			.filter(
				(name) =>
					!listed.some(({ action, changes }) => action !== 'update' || changes.some(({ field }) => field === name)),
			);
		const facts = { run: run.id, path, missing, isPart, listed };
		expectThat(missing.length === 0, 'what was changed is shown', facts);
	}
}

/** The history of an object has the changes of a run, the newest first. */
export function checkHistory(
	run: ModelRun,
	path: string,
	history: readonly (ShownChange & { readonly run: string })[],
	shown: readonly ShownChange[],
): void {
	// What IDs are called may have been asked for by one of the two alone.
	const said = ({ row, action, outcome, changes }: ShownChange) => {
		return { row, action, outcome, changes: changes.map(({ field, old, new: after }) => [field, old, after]) };
	};
	const inHistory = history.filter((each) => each.run === run.id).map(said);
	const rows = new Set(run.rows.filter((each) => each.path === path).map(({ row }) => row));
	const inRun = shown
		.filter(({ row }) => rows.has(row))
		.map(said)
		.reverse();
	expectThat(isDeepStrictEqual(inHistory, inRun), 'a history has the changes of its runs', { path, inHistory, inRun });
}

/** The command that prints it. */
export function historyWords(path: string): string[] {
	const [, noun = '', id = '', below, reply = ''] = path.split('/');
	if (below === 'replies') return ['reply', 'history', id, reply];
	const singular = { tickets: 'ticket', users: 'user', attachments: 'attachment' }[noun];
	return singular === undefined ? ['term', 'history', noun, id] : [singular, 'history', id];
}
