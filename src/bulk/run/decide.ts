/** What a read before the write shows: which fields are sent, or why none are. */

import { isDeepStrictEqual } from 'node:util';
import type { AppliedDifference } from '../../api/applied.js';
import { compareTexts, type Equality } from '../../api/compare.js';
import { bodyKinds, type Endpoint, endpoints } from '../../api/endpoints.js';
import { passwordField } from '../../api/fields.js';
import { kinds, namesTerms } from '../../api/kinds.js';
import type { Request } from '../../api/request.js';
import { emptyRecord, looksLikeNumber, quote } from '../../api/values.js';
import { type Outcome, skipped, unsent } from '../../http/outcome.js';
import type { NameOf } from '../change.js';
import {
	compareCondition,
	type Held,
	isNothing,
	isShown,
	isUnchanged,
	type KnownValue,
	LABELS,
	labelOf,
	namesIn,
	shownValue,
	valuesOf,
} from '../held.js';
import type { OldValues } from '../journal/records.js';
import { type Fields, listedFields, NOTHING_TO_SEND, type RunPlan } from '../plan.js';
import { sources } from '../sources.js';
import type { RunRow } from './rows.js';

/** A field that the row leaves as it is. */
export interface LeftField extends AppliedDifference {
	/** If it isn't that someone changed it. */
	readonly why?: string;
	/** Nothing tells whose value it has; of an unread field a later read may. */
	readonly doubt?: 'unread' | 'not comparable' | undefined;
}

export type Decision =
	| {
			readonly skip: Outcome;
			/** What somebody else changed, to be said in names. */
			readonly changed?: readonly LeftField[];
	  }
	| {
			readonly fields: Fields;
			readonly left: readonly LeftField[];
	  };

/** Of an object that an earlier attempt or row of this run may have written. */
export interface OwnDoubt {
	/** Whether it was this row, so that its conditions were met. */
	readonly isAgain: boolean;
	/** What the row's fields held before, as far as a journal has it. */
	readonly old: Fields;
}

export const UNCHANGED = { code: 'unchanged', message: 'no change' } as const;

/** @param own only if the run may have written the object, and nothing says what it left */
export function decide(row: RunRow, held: Held, plan: RunPlan, own?: OwnDoubt): Decision {
	const { checks } = plan;
	const { endpoint, sent } = row.request;
	for (const field of listedFields(plan)) {
		const known = held.field(field);
		if (!isShown(known)) return { skip: notKnown(known, "so items can't be added or removed") };
		const unclear = unclearList(plan, field, held, known.value);
		if (unclear !== undefined) return { skip: unsent('failed', 'not_shown', `${unclear}; nothing was written`) };
	}
	const conflict = conflictOf(row, held, plan, own);
	if (conflict !== undefined) return { skip: conflict };
	const unknown = unknownBefore(row, held, plan);
	if (unknown !== undefined) return { skip: unknown };
	if (isInTrash(row, held)) return { skip: skipped({ code: 'unchanged', message: 'already in the trash' }) };
	const left = [...calledOtherwise(row, held), ...changedByOthers(row, held, plan), ...notRestorable(row, held)];
	const all: Record<string, unknown> = { ...sent, ...listChanges(held, plan) };
	for (const { field } of left) delete all[field];
	const changed = emptyRecord<unknown>();
	for (const [name, value] of Object.entries(all)) {
		if (!isUnchanged(endpoint, name, value, held)) changed[name] = value;
	}
	const fields = checks.sendUnchanged === true ? all : changed;
	const isEmpty = Object.keys(fields).length === 0;
	if (left.length > 0 && (isEmpty || !sources[plan.source.from].restores)) {
		const skip = allLeft(left, plan);
		return { skip: skip.outcome === 'failed' ? { ...skip, applied: thereOf(row, fields, left) } : skip, changed: left };
	}
	if (isEmpty && bodyKinds[endpoint.body].isSent) {
		const hadNothing = Object.keys(sent ?? {}).length === 0 && listedFields(plan).length === 0;
		return { skip: skipped(hadNothing ? NOTHING_TO_SEND : UNCHANGED) };
	}
	return { fields, left };
}

/** Where a plan was applied before, its rows have nothing left to do. */
function isInTrash({ request, expected }: RunRow, held: Held): boolean {
	const { trash, deletes } = request.endpoint;
	const isTrashed = trash && deletes && !request.permanent;
	return isTrashed && expected !== undefined && shownValue(held.field('status')) === 'trash';
}

/** @param effect what can't be done without the field */
function notKnown(known: Exclude<KnownValue, { is: 'shown' }>, effect: string): Outcome {
	return unsent('failed', 'not_shown', `${known.why.message}, ${effect}; nothing was written`);
}

function notComparable(field: string, now: unknown, value: string): Outcome {
	const message = `the service shows the ${field} as ${JSON.stringify(now)}, which can't be compared with "${value}", so --if ${field} can't be checked; nothing was written`;
	return unsent('failed', 'not_shown', message);
}

function conflictOf(row: RunRow, held: Held, plan: RunPlan, own: OwnDoubt | undefined): Outcome | undefined {
	const { checks } = plan;
	const { sent = {} } = row.request;
	if (checks.ifUnmodified) {
		const known = held.field('modified_gmt');
		if (!isShown(known)) return notKnown(known, "so --if-unmodified can't be checked");
		if (known.value !== row.modified) return modifiedSince(row, String(known.value), held, plan, own);
	}
	for (const { field, value } of checks.conditions) {
		const known = held.field(field);
		if (known.is === 'unknown') return notKnown(known, `so --if ${field} can't be checked`);
		const now = shownValue(known);
		const compared = compareCondition(held, field, now, value);
		if (compared === 'same') continue;
		// It was met when the row was sent first, and this is what the row itself has written since.
		if (own?.isAgain === true && Object.hasOwn(sent, field) && held.compare(field, sent[field]) === 'same') continue;
		if (compared === 'not comparable') return notComparable(field, now, value);
		const message = `${field} is ${JSON.stringify(now ?? null)}, not "${value}"`;
		return skipped({ code: 'condition', message });
	}
	return undefined;
}

/** A write of our own may be what modified the object, unless it shows a value that is neither the old nor the new one. */
function modifiedSince(
	{ request, modified = 'no time' }: RunRow,
	now: string,
	held: Held,
	plan: RunPlan,
	own: OwnDoubt | undefined,
): Outcome | undefined {
	const { endpoint, sent = {} } = request;
	const fields = Object.entries(sent);
	const isOthers = ([name, value]: [string, unknown]): boolean =>
		own !== undefined &&
		Object.hasOwn(own.old, name) &&
		compareExpected(held, name, own.old[name]) === 'other' &&
		held.compare(name, value) === 'other';
	if (own === undefined || fields.some(isOthers)) {
		const message = `modified by someone else at ${now} (your file has ${modified})`;
		return skipped({ code: 'conflict', message });
	}
	const isThere = ([name, value]: [string, unknown]): boolean => isUnchanged(endpoint, name, value, held);
	const isDone = fields.every(isThere) && Object.keys(listChanges(held, plan)).length === 0;
	if (isDone && plan.checks.sendUnchanged !== true) return undefined;
	const message = `modified at ${now} (your file has ${modified}), perhaps by this run, whose earlier write may be partly applied; nothing more was written`;
	return unsent('failed', 'modified_in_doubt', message);
}

/** Nothing is sent over a value that nobody can see. An undo leaves such a field out. */
function unknownBefore({ expected = {} }: RunRow, held: Held, { source }: RunPlan): Outcome | undefined {
	if (sources[source.from].restores) return undefined;
	const known = Object.keys(expected).map((field) => held.field(field));
	const unknown = known.find((each) => each.is === 'unknown');
	return unknown && notKnown(unknown, "so it can't be compared with what was expected");
}

/** What can't be compared may be someone else's. */
function changedByOthers({ request, expected }: RunRow, held: Held, { source }: RunPlan): LeftField[] {
	const { sent = {} } = request;
	const left: LeftField[] = [];
	for (const [field, values] of Object.entries(expected ?? {})) {
		const known = held.field(field);
		const now = shownValue(known);
		const compared = values.map((value) => compareExpected(held, field, value));
		// The new value may be there already.
		const isThere = Object.hasOwn(sent, field) && compareExpected(held, field, sent[field]) === 'same';
		if (isThere || compared.includes('same')) continue;
		const difference = { field, sent: sent[field], shown: now ?? null };
		const doubt = compared.includes('not comparable') ? uncompared(known, field, source) : {};
		left.push({ ...difference, ...doubt });
	}
	return left;
}

function uncompared(known: KnownValue, field: string, source: RunPlan['source']): Pick<LeftField, 'why' | 'doubt'> {
	// Only an undo gets here: nothing else is sent over a value that nobody can see.
	if (known.is === 'unknown') return { why: `${field} not restored: ${known.why.message}`, doubt: 'unread' };
	const why = `${field} ${sources[source.from].left.uncompared}`;
	return { why, doubt: known.is === 'shown' ? 'not comparable' : undefined };
}

function compareExpected(held: Held, field: string, value: unknown): Equality {
	const known = held.field(field);
	// A custom field that was emptied may be gone.
	if (!isShown(known)) return known.is === 'absent' && isNothing(value) ? 'same' : 'not comparable';
	const isEqual = isDeepStrictEqual(known.value, value) && held.leadsBack(field);
	return isEqual ? 'same' : held.compare(field, value);
}

/** A plan says what its object is called, and its reviewer went by that. */
function calledOtherwise({ label, expected, renamed = [] }: RunRow, held: Held): LeftField[] {
	const [name, ...others] = namesIn(held);
	if (label === undefined || expected === undefined || name === undefined) return [];
	// Rows of the plan may have renamed it; its old name is compared with the other fields.
	const known = [name, ...others, ...LABELS.flatMap((each) => expected[each] ?? []), ...renamed];
	if (known.some((each) => typeof each === 'string' && compareTexts(label, each) === 'same')) return [];
	const why = `the plan calls it ${quote(label)}, but it is ${quote(name)}`;
	return [{ field: 'label', sent: label, shown: name, why }];
}

/** What an undo can't put back is no matter if it is back already. */
export function notRestorable({ kept = {} }: RunRow, held: Held | undefined): LeftField[] {
	const left = Object.entries(kept).filter(
		([field, { old }]) => old === undefined || held?.compare(field, old) !== 'same',
	);
	return left.map(([field, { why, old = null }]) => {
		const shown = (held && shownValue(held.field(field))) ?? null;
		return { field, sent: old, shown, why: `${field} not restored: ${why}` };
	});
}

/** Fields of the row that are neither sent nor left: the object has their values, perhaps from an earlier attempt. */
export function thereOf({ request }: RunRow, sent: Fields, left: readonly LeftField[]): string[] {
	const others = new Set(left.map(({ field }) => field));
	return Object.keys(request.sent ?? {}).filter((name) => !Object.hasOwn(sent, name) && !others.has(name));
}

/** Of a row that sends nothing: it has failed where a later read may show what this one did not. */
export function allLeft(left: readonly LeftField[], plan: RunPlan, nameOf?: NameOf): Outcome {
	const reason = leftBy(left, plan, nameOf);
	const isUnread = left.some(({ doubt }) => doubt === 'unread');
	return isUnread ? unsent('failed', 'not_shown', `${reason.message}; nothing was written`) : skipped(reason);
}

/** @param nameOf what people call the users and terms in it */
export function leftBy(left: readonly LeftField[], { source, endpoint }: RunPlan, nameOf?: NameOf) {
	const nameIn = (name: string, value: unknown): string => {
		const field = endpoints[endpoint].fields.find((each) => each.name === name);
		const isNamed = field !== undefined && kinds[field.kind].names !== undefined && !isNothing(value);
		return (isNamed ? nameOf?.(field, value) : undefined) ?? JSON.stringify(value);
	};
	const {
		left: { code, since, hint },
		restores,
	} = sources[source.from];
	const said = left.map(
		({ field, shown, why }) => why ?? `someone changed ${field} to ${nameIn(field, shown)}${since}`,
	);
	const isChanged = !restores || left.some(({ why }) => why === undefined);
	if (!isChanged) return { code: 'not_restorable', message: said.join('; ') } as const;
	return { code, message: [...said, hint].join('; ') };
}

export function listChanges(held: Held, plan: RunPlan): Fields {
	const { add, remove } = plan.values;
	const changes = emptyRecord<unknown>();
	for (const field of listedFields(plan)) {
		const now = shownValue(held.field(field));
		const items = isNothing(now) ? [] : [now].flat();
		const gone = new Set((remove[field] ?? []).map(String));
		const kept = items.filter((item) => !gone.has(String(item)));
		const there = new Set(kept.map(String));
		const added = (add[field] ?? []).filter((item) => !there.has(String(item)));
		if (added.length > 0 || kept.length < items.length) changes[field] = [...kept, ...added];
	}
	return changes;
}

/** Where no list says which terms an object shows. @returns why its list can't be changed */
function unclearList(plan: RunPlan, field: string, held: Held, shown: unknown): string | undefined {
	const { kind } = endpoints[plan.endpoint].fields.find(({ name }) => name === field) ?? {};
	const items = [shown].flat().map(String);
	if (kind === undefined || !namesTerms({ kind }) || items.length === 0) return undefined;
	const service = `the service shows the ${field} as ${held.areIds(field) ? 'IDs' : quote(items.join(', '))}`;
	const unlisted = `${service} and doesn't list its terms, so`;
	// What is shown is sent back with what is added.
	if (!held.leadsBack(field)) return `${unlisted} nobody can say which these are`;
	const removed = (plan.values.remove[field] ?? []).map(String);
	const isClear = (item: string): boolean => items.includes(item) || (held.areIds(field) && looksLikeNumber(item));
	const unclear = removed.find((item) => !isClear(item));
	if (unclear === undefined) return undefined;
	const advice = held.areIds(field) ? 'use its ID' : 'write it as it is shown';
	return `${unlisted} ${quote(unclear)} can't be removed by ${held.areIds(field) ? 'name' : 'this name'}: ${advice}`;
}

/** An update clears these fields unless it sends them again. */
export function withCleared({ cleared = [] }: Endpoint, held: Held, fields: Fields): Fields {
	const kept = { ...fields };
	for (const name of cleared) {
		// Services that do not show the field have none to clear.
		const now = shownValue(held.field(name));
		if (!isNothing(now) && !Object.hasOwn(fields, name)) kept[name] = now;
	}
	return kept;
}

/** @returns the first field whose old value is not known, where a read could show it */
export function oldValues(
	held: Held,
	{ endpoint, sent = {} }: Request,
): OldValues | Extract<KnownValue, { is: 'unknown' }> {
	// A status restores from the trash.
	const written = endpoint.trash ? { status: 'trash' } : sent;
	const untold: string[] = [];
	const names = Object.keys(written).filter((name) => {
		// No service shows passwords, and one without lists of terms can't say more.
		const isUntold = name === passwordField.name || !held.leadsBack(name);
		if (isUntold) untold.push(name);
		return !isUntold;
	});
	const known = valuesOf(held, names);
	if ('is' in known) return known;
	return { ...known, sent: written, untold, label: labelOf(endpoint, held) };
}
