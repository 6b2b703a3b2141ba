/** What a run promises, checked against every state that the desk's objects ever had. */

import { isDeepStrictEqual } from 'node:util';
import type { Shown } from '../../support/objects.js';
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
				else if (isLeftOut || mayBeWritten(recorded) || recorded?.outcome === 'failed')
					possible = [...possible, ...after];
			}
			// A refused row may have been carried out in part only if the service says so.
			const held = desk.held(path)?.[name];
			const isFine = desk.held(path) === undefined || possible.some((value) => isSameValue(name, value, held));
			const outcomes = rows.map(({ row, fields }) => [row, fields[name], run.outcomes.get(row)?.outcome]);
			expectThat(isFine, 'the last row that was written wins', { run: run.id, path, name, held, possible, outcomes });
		}
	}
}

/** Nothing is written to what no row names. @param from the states that the command made */
export function checkTouched(desk: ModelDesk, run: Pick<ModelRun, 'rows'> | undefined, from: number): void {
	const paths = new Set(run?.rows.map((row) => row.path));
	const strange = desk.states.slice(from).filter(({ path, by }) => by !== 'others' && !paths.has(path));
	expectThat(strange.length === 0, 'only objects of the input are written', strange);
}

/** The first that applies. @param isFirst whether rows that were not reached were not asked for */
export function exitCodeOf(rows: number, outcomes: ReadonlyMap<number, Recorded>, isFirst: boolean): number {
	const all = [...outcomes.values()];
	const count = (test: (each: Recorded) => boolean): number => all.filter(test).length;
	const left = count(
		({ outcome, code = '' }) =>
			outcome === 'skipped' && ['drift', 'conflict', 'changed_since', 'not_restorable'].includes(code),
	);
	const total = (isFirst ? all.length : rows) - count(({ code }) => code === 'left_out');
	const open = isFirst ? 0 : rows - all.length;
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

/** @param atUndo how many states there were before `run undo` began @param exitCode of the undo */
export function checkUndone(desk: ModelDesk, run: ModelRun, atUndo: number, exitCode: number | null): void {
	for (const path of new Set(run.rows.map((row) => row.path))) {
		const states = statesOf(desk, run, path);
		const before = states[0]?.held;
		const written = desk.held(path, atUndo);
		const now = desk.held(path);
		const ours = states.filter(({ by }) => by === run.id);
		const names = new Set(ours.flatMap(({ sent }) => Object.keys(sent)));
		for (const name of Object.keys({ ...before, ...written, ...now })) {
			if (name === 'modified_gmt') continue;
			const facts = {
				run: run.id,
				path,
				name,
				before: before?.[name],
				written: written?.[name],
				now: now?.[name],
				exitCode,
			};
			const isSame = (left: Shown | undefined, right: Shown | undefined): boolean =>
				isSameValue(name, left?.[name], right?.[name]);
			const lastOurs = ours.findLast(({ sent }) => Object.hasOwn(sent, name));
			const isOthers = states.some(({ by, sent }) => by === 'others' && Object.hasOwn(sent, name));
			if (!names.has(name)) expectThat(isSame(written, now), 'undo leaves what the run did not write', facts);
			else if (isOthers) {
				const isKept = isSame(written, now) || (lastOurs !== undefined && isSame(written, lastOurs.held));
				expectThat(isKept, "undo leaves somebody else's value", facts);
			} else if (exitCode === 0) expectThat(isSame(before, now), 'undo that exits 0 has put back every field', facts);
			else expectThat(isSame(before, now) || isSame(written, now), 'undo puts back the old value or none', facts);
		}
	}
}
