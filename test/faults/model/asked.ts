/** What the rows of a run ask for, what its journal says of them, and what the desk held. */

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
	/** The trash is not enough. */
	readonly isPermanent?: boolean;
}

/** `--if`, with the value as the desk keeps it. */
export interface Condition {
	readonly field: string;
	readonly value: unknown;
}

/** Of `--ids`, `--except` and `--fields`. */
export interface Part {
	readonly words: readonly string[];
	readonly paths: ReadonlySet<string>;
	/** Undefined for all fields. */
	readonly fields?: ReadonlySet<string> | undefined;
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
	readonly condition?: Condition | undefined;
	/** The others are left out. */
	readonly part?: Part | undefined;
	/** From the journal. */
	outcomes: ReadonlyMap<number, Recorded>;
	/** How many lines of the journal were looked at. */
	lines: number;
	wasKilled: boolean;
}

export function expectThat(isTrue: boolean, promise: string, facts: unknown): void {
	if (!isTrue) throw new Error(`${promise}: ${JSON.stringify(facts)}`);
}

const TAGS = 'ticket-tag';

export function isSameValue(name: string, left: unknown, right: unknown): boolean {
	if (name === TAGS && Array.isArray(left) && Array.isArray(right)) {
		return isDeepStrictEqual([...left].sort(), [...right].sort());
	}
	return isDeepStrictEqual(left, right);
}

export function meets(held: Shown | undefined, condition: Condition | undefined): boolean {
	return condition === undefined || isSameValue(condition.field, held?.[condition.field], condition.value);
}

/** Whether the object has what the row asks for. */
export function holds(
	held: Shown | undefined,
	{ fields, add = [], remove = [], isDelete, isPermanent }: Asked,
	without = new Set<string>(),
): boolean {
	if (isDelete === true) return held === undefined || (held.status === 'trash' && isPermanent !== true);
	if (held === undefined) return false;
	const tags = held[TAGS] as number[] | undefined;
	const areTagged = add.every((id) => tags?.includes(id)) && !remove.some((id) => tags?.includes(id));
	return (
		(without.has(TAGS) || areTagged) &&
		Object.entries(fields).every(([name, value]) => without.has(name) || isSameValue(name, held[name], value))
	);
}

/** The row's value of a field, given what the field held before; undefined if it does not ask for the field. */
export function valueAfter(row: Asked, name: string, before: unknown): unknown {
	if (row.isDelete === true) return name === 'status' ? 'trash' : undefined;
	if (name === TAGS && (row.add !== undefined || row.remove !== undefined)) {
		const tags = (before as number[]).filter((id) => row.remove?.includes(id) !== true);
		return [...tags, ...(row.add ?? []).filter((id) => !tags.includes(id))];
	}
	return row.fields[name];
}

export function namesOf(row: Asked): string[] {
	if (row.isDelete === true) return ['status'];
	const isTagged = row.add !== undefined || row.remove !== undefined;
	return [...Object.keys(row.fields), ...(isTagged ? [TAGS] : [])];
}

/** A later row of the object has set some of its fields. */
export const leavesOut = (recorded: Recorded | undefined): boolean =>
	recorded?.warnings?.some((text) => text.endsWith('set it later')) === true;

const MAYBE_WRITTEN = ['ok', 'unknown', 'differs'];

export const isUnchanged = ({ outcome, code }: Recorded): boolean => outcome === 'skipped' && code === 'unchanged';
export const mayBeWritten = (recorded: Recorded | undefined): boolean =>
	recorded === undefined || MAYBE_WRITTEN.includes(recorded.outcome) || isUnchanged(recorded);

/** The states of a row's object while the run had time to write it, the one before it among them. */
export function statesOf({ states }: ModelDesk, { start }: Pick<ModelRun, 'start'>, path: string): State[] {
	const before = states.slice(0, start).findLast((each) => each.path === path);
	const since = states.slice(start).filter((each) => each.path === path);
	return before === undefined ? since : [before, ...since];
}

export function isBySomeRow({ sent }: State, row: Asked): boolean {
	if (row.isDelete === true) return sent.status === 'trash' || Object.keys(sent).length === 0;
	const own = namesOf(row);
	const names = Object.keys(sent);
	return names.length > 0 && names.every((name) => own.includes(name));
}
