/** What a run promises, checked against every state that the desk's objects ever had. */

import { isDeepStrictEqual } from 'node:util';
import { pathOf, type Shown } from '../../support/objects.js';
import type { ModelDesk, State } from './desk.js';

/** What one row of the input asks for. */
export interface Asked {
	readonly row: number;
	/** Of its object. */
	readonly path: string;
	/** As the desk keeps them. */
	readonly fields: Shown;
	/** IDs of tags. */
	readonly add?: readonly number[];
	readonly remove?: readonly number[];
	readonly isDelete?: boolean;
}

/** The last record of a row in a journal. */
export interface Recorded {
	readonly outcome: string;
	readonly code?: string;
	readonly status?: number;
	readonly message?: string;
	readonly warnings?: readonly string[];
}

export interface ModelRun {
	readonly id: string;
	readonly rows: readonly Asked[];
	/** How many states there were before its first command. */
	readonly start: number;
	/** From the journal. */
	outcomes: ReadonlyMap<number, Recorded>;
	/** How many lines of the journal were looked at. */
	lines: number;
}

export function expectThat(isTrue: boolean, promise: string, facts: unknown): void {
	if (!isTrue) throw new Error(`${promise}: ${JSON.stringify(facts)}`);
}

const TAGS = 'ticket-tag';

function isSameValue(name: string, left: unknown, right: unknown): boolean {
	if (name === TAGS && Array.isArray(left) && Array.isArray(right)) {
		return isDeepStrictEqual([...left].sort(), [...right].sort());
	}
	return isDeepStrictEqual(left, right);
}

/** Whether the object has what the row asks for. */
function holds(
	held: Shown | undefined,
	{ fields, add = [], remove = [], isDelete }: Asked,
	without = new Set<string>(),
) {
	if (isDelete === true) return held === undefined || held.status === 'trash';
	if (held === undefined) return false;
	const tags = held[TAGS] as number[] | undefined;
	const areTagged = add.every((id) => tags?.includes(id)) && !remove.some((id) => tags?.includes(id));
	return (
		(without.has(TAGS) || areTagged) &&
		Object.entries(fields).every(([name, value]) => without.has(name) || isSameValue(name, held[name], value))
	);
}

/** The row's value of a field, given what the field held before; undefined if it does not ask for the field. */
function valueAfter(row: Asked, name: string, before: unknown): unknown {
	if (row.isDelete === true) return name === 'status' ? 'trash' : undefined;
	if (name === TAGS && (row.add !== undefined || row.remove !== undefined)) {
		const tags = (before as number[]).filter((id) => row.remove?.includes(id) !== true);
		return [...tags, ...(row.add ?? []).filter((id) => !tags.includes(id))];
	}
	return row.fields[name];
}

const namesOf = (row: Asked): string[] => {
	const names = Object.keys(row.fields);
	if (row.add !== undefined || row.remove !== undefined) names.push(TAGS);
	return row.isDelete === true ? ['status'] : names;
};

const MAYBE_WRITTEN = ['ok', 'unknown', 'differs'];

const isUnchanged = ({ outcome, code }: Recorded): boolean => outcome === 'skipped' && code === 'unchanged';
const mayBeWritten = (recorded: Recorded | undefined): boolean =>
	recorded === undefined || MAYBE_WRITTEN.includes(recorded.outcome) || isUnchanged(recorded);

/** Also a part of what it asks for. After a kill, its own write may be what moved the time of the last change: a conflict. */
function mayHaveLeft(recorded: Recorded | undefined): boolean {
	return mayBeWritten(recorded) || recorded?.outcome === 'failed' || recorded?.code === 'conflict';
}

/** Fields that a later row of the same object has set: the earlier row leaves them out. */
function superseded(run: ModelRun, row: Asked): Set<string> {
	const later = run.rows.filter(
		(each) => each.path === row.path && each.row > row.row && mayBeWritten(run.outcomes.get(each.row)),
	);
	return new Set(later.flatMap(namesOf));
}

/** The states of a row's object while the run had time to write it, the one before it among them. */
function statesOf({ states }: ModelDesk, { start }: ModelRun, path: string): State[] {
	const before = states.slice(0, start).findLast((each) => each.path === path);
	const since = states.slice(start).filter((each) => each.path === path);
	return before === undefined ? since : [before, ...since];
}

function isBySomeRow({ sent }: State, row: Asked): boolean {
	if (row.isDelete === true) return sent.status === 'trash' || Object.keys(sent).length === 0;
	const own = Object.keys(row.fields);
	const names = Object.keys(sent);
	const isTagged = row.add !== undefined || row.remove !== undefined;
	return names.length > 0 && names.every((name) => (isTagged && name === TAGS) || own.includes(name));
}

/** Each outcome says what the desk did. */
export function checkOutcomes(desk: ModelDesk, run: ModelRun): void {
	for (const row of run.rows) {
		const recorded = run.outcomes.get(row.row);
		if (recorded === undefined) continue;
		const states = statesOf(desk, run, row.path);
		const facts = { run: run.id, row, recorded, states: states.map(({ by, sent }) => ({ by, sent })) };
		const without = recorded.warnings?.some((text) => text.includes('left out: row'))
			? superseded(run, row)
			: undefined;
		const hasHeld = states.some(({ held }) => holds(held, row, without));
		const { outcome, code } = recorded;
		if (outcome === 'ok') expectThat(hasHeld, 'a row that is ok was written', facts);
		else if (isUnchanged(recorded)) expectThat(hasHeld, 'a row that is unchanged had its values', facts);
		else if (code === 'superseded') {
			const later = superseded(run, row);
			const isCovered = namesOf(row).every((name) => later.has(name));
			expectThat(isCovered, 'a row is superseded by a later one that was written', facts);
		} else if (['failed', 'not-sent', 'invalid', 'skipped'].includes(outcome)) {
			const wrote = states.filter(({ by, isPart }) => by === run.id && isPart !== true);
			// Another row may have asked for the same.
			const own = wrote.filter(
				(state) =>
					isBySomeRow(state, row) &&
					holds(state.held, row) &&
					!run.rows.some(
						(each) =>
							each.row !== row.row &&
							each.path === row.path &&
							mayBeWritten(run.outcomes.get(each.row)) &&
							isBySomeRow(state, each) &&
							holds(state.held, each, superseded(run, each)),
					),
			);
			expectThat(own.length === 0, `a row that is ${outcome} was not written`, facts);
		}
	}
}

/** The last row of an object that was written is the one whose values it has. */
export function checkOrder(desk: ModelDesk, run: ModelRun): void {
	for (const path of new Set(run.rows.map((row) => row.path))) {
		const states = statesOf(desk, run, path);
		const [first] = states;
		const rows = run.rows.filter((row) => row.path === path);
		for (const name of new Set(rows.flatMap(namesOf))) {
			const isOurs = states.slice(1).every(({ by, sent }) => by === run.id || !Object.hasOwn(sent, name));
			if (!isOurs || first?.held === undefined) continue;
			let possible: unknown[] = [first.held[name]];
			for (const row of rows) {
				const recorded = run.outcomes.get(row.row);
				const after = possible.map((value) => valueAfter(row, name, value));
				if (after[0] === undefined) continue;
				const isLeftOut = recorded?.warnings?.some((text) => text.includes('left out: row')) === true;
				const isSure = recorded !== undefined && (recorded.outcome === 'ok' || isUnchanged(recorded)) && !isLeftOut;
				if (isSure) possible = after;
				else if (isLeftOut || mayHaveLeft(recorded)) possible = [...possible, ...after];
			}
			const held = desk.held(path)?.[name];
			const isFine = desk.held(path) === undefined || possible.some((value) => isSameValue(name, value, held));
			const outcomes = rows.map(({ row, fields }) => [row, fields[name], run.outcomes.get(row)?.outcome]);
			expectThat(isFine, 'the last row that was written wins', { run: run.id, path, name, held, possible, outcomes });
		}
	}
}

/** Nothing is written to what no row names, object or field. @param from the states that the command made */
export function checkTouched(desk: ModelDesk, rows: readonly Asked[], from: number): void {
	for (const [at, { path, held, by }] of desk.states.entries()) {
		if (at < from || by === 'others') continue;
		const own = rows.filter((row) => row.path === path);
		expectThat(own.length > 0, 'only objects of the input are written', { path, held, by });
		const names = new Set(['modified_gmt', ...own.flatMap(namesOf)]);
		const before = desk.held(path, at);
		const changed = Object.keys(held ?? {}).filter((name) => !isSameValue(name, before?.[name], held?.[name]));
		const strange = changed.filter((name) => !names.has(name));
		expectThat(strange.length === 0, 'only fields of the input are written', { path, strange, before, held, by });
	}
}

/** A healthy service refuses only what is gone, such as a second delete. */
export function checkFair(recorded: readonly Recorded[]): void {
	const isGone = ({ status }: Recorded): boolean => status === 404 || status === 410;
	const bad = recorded.filter((each) => !isGone(each) && !['ok', 'skipped'].includes(each.outcome));
	expectThat(bad.length === 0, 'no row fails on a healthy service', bad);
}

/** With `--verify`, what is ok was read after its write. @param from the states of the command @param rows that it recorded */
export function checkVerified(
	desk: ModelDesk,
	run: ModelRun,
	from: number,
	rows: Iterable<{ readonly row: number }>,
): void {
	for (const { row } of rows) {
		const asked = run.rows.find((each) => each.row === row);
		if (asked === undefined || run.outcomes.get(row)?.outcome !== 'ok') continue;
		const written = desk.states.findLast(
			(each, at) => at >= from && each.path === asked.path && each.by === run.id && isBySomeRow(each, asked),
		);
		if (written === undefined || !holds(written.held, asked)) continue;
		const later = desk.requests.slice(written.at).filter(({ method }) => method === 'GET');
		const isRead = later.some(({ url }) => pathOf({ url }) === asked.path || isListOf(url, asked.path));
		expectThat(isRead, 'what is verified was read after it was written', { run: run.id, asked });
	}
}

function isListOf(url: string, path: string): boolean {
	const [, noun, id = ''] = path.split('/');
	const include = new URL(url, 'http://desk').searchParams.get('include')?.split(',');
	return pathOf({ url }) === `/${noun}` && include?.includes(id) === true;
}

/** What others wrote is not written over, where the run looks right before it writes. @param isAnyField or a planned one */
export function checkKept(desk: ModelDesk, run: Pick<ModelRun, 'id'>, isAnyField: boolean, since: number): void {
	for (const [at, { path, sent, held, by }] of desk.states.entries()) {
		if (at < since || by !== run.id) continue;
		const theirs = desk.states.slice(since, at).filter((each) => each.path === path && each.by === 'others');
		const isLost = (name: string): boolean => !isSameValue(name, held?.[name], desk.held(path, at)?.[name]);
		const over = theirs.filter(
			(each) => isAnyField || Object.keys(each.sent).some((name) => name in sent && isLost(name)),
		);
		expectThat(over.length === 0, "somebody else's edit is not written over", { run: run.id, path, sent, over });
	}
}

/** Whether a resume would send rows. */
export function isLeftOpen({ rows, outcomes }: ModelRun): boolean {
	const all = [...outcomes.values()];
	const isOpen = ({ outcome, status }: Recorded): boolean =>
		outcome === 'unknown' || outcome === 'not-sent' || (outcome === 'failed' && status === 401);
	return all.some(isOpen) || all.length < rows.length;
}

/** The first that applies. @param isFirst whether rows that were not reached were not asked for */
export function exitCodeOf({ rows, outcomes }: Pick<ModelRun, 'rows' | 'outcomes'>, isFirst: boolean): number {
	const all = [...outcomes.values()];
	const count = (test: (each: Recorded) => boolean): number => all.filter(test).length;
	if (count(({ status }) => status === 401) > 0) return 4;
	const left = count(
		({ outcome, code = '' }) =>
			outcome === 'skipped' && ['drift', 'conflict', 'changed_since', 'not_restorable'].includes(code),
	);
	const total = (isFirst ? all.length : rows.length) - count(({ code }) => code === 'left_out');
	const open = isFirst ? 0 : rows.length - all.length;
	const bad =
		left +
		open +
		count(({ outcome }) => ['failed', 'not-sent', 'invalid'].includes(outcome)) -
		count(({ code }) => code === 'left_out');
	if (count(({ status, outcome }) => outcome === 'failed' && status === 403) === total && total > 0) return 4;
	const isSent = count(({ outcome }) => ['ok', 'differs', 'unknown', 'failed'].includes(outcome)) > 0;
	if (bad > 0) return bad === total || (left > 0 && !isSent) ? 1 : 3;
	if (count(({ outcome }) => outcome === 'unknown') > 0) return 5;
	return count(({ outcome }) => outcome === 'differs') > 0 ? 6 : 0;
}

/**
 * @param atUndo how many states there were before `run undo` began
 * @param exitCode of the last command of the undo; null if it was killed
 */
export function checkUndone(desk: ModelDesk, run: ModelRun, atUndo: number, exitCode: number | null): void {
	for (const path of new Set(run.rows.map((row) => row.path))) {
		const states = statesOf(desk, run, path).filter((each) => desk.states.indexOf(each) < atUndo);
		const before = states[0]?.held;
		const written = desk.held(path, atUndo);
		const now = desk.held(path);
		for (const name of Object.keys({ ...before, ...written, ...now })) {
			if (name === 'modified_gmt') continue;
			const values = { before: before?.[name], written: written?.[name], now: now?.[name] };
			const facts = { run: run.id, path, name, ...values, exitCode };
			const isNow = (held: Shown | undefined): boolean => isSameValue(name, now?.[name], held?.[name]);
			const wrote = states.filter(({ sent, by }) => by === run.id && Object.hasOwn(sent, name));
			const last = wrote.at(-1);
			const theirs = states.filter(({ sent, by }) => by === 'others' && Object.hasOwn(sent, name));
			const isAfter = last !== undefined && theirs.some((each) => states.indexOf(each) > states.indexOf(last));
			const meanwhile = desk.states
				.slice(atUndo)
				.findLast((each) => each.by === 'others' && each.path === path && Object.hasOwn(each.sent, name));
			if (meanwhile !== undefined) {
				expectThat(isNow(meanwhile.held), 'undo leaves what somebody writes meanwhile', facts);
				continue;
			}
			if (last === undefined) expectThat(isNow(written), 'undo leaves what the run did not write', facts);
			else if (isAfter && !isSameValue(name, last.held?.[name], written?.[name])) {
				expectThat(isNow(written), "undo leaves somebody else's value", facts);
			} else {
				const olds = [before, ...theirs.map(({ held }) => held)];
				const isBack = olds.some(isNow);
				expectThat(isBack || (exitCode !== 0 && isNow(written)), 'undo puts back the old value', facts);
			}
			const isBack = last === undefined || isNow(before) || (theirs.length > 0 && !isAfter);
			if (exitCode === 0) expectThat(isBack, 'undo that exits 0 has put back every field', facts);
		}
	}
}

/** Rows of a plan, one after another, leave what the rows of its input leave. */
export function checkPlan(desk: ModelDesk, planned: readonly Asked[], rows: readonly Asked[]): void {
	for (const path of new Set(rows.map((row) => row.path))) {
		const before = desk.held(path) ?? {};
		const [left, right] = [planned, rows].map((all) => {
			let held = before;
			for (const row of all.filter((each) => each.path === path)) {
				const after = namesOf(row).map((name) => [name, valueAfter(row, name, held[name])]);
				held = { ...held, ...Object.fromEntries(after) };
			}
			return held;
		});
		const isSame = Object.keys({ ...left, ...right }).every((name) => isSameValue(name, left?.[name], right?.[name]));
		expectThat(isSame, 'a plan leaves what its input asks for', { path, left, right });
	}
}
