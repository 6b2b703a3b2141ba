/** What a read before the write shows: which fields are sent, or why none are. */

import { type AppliedDifference, compareField, type TermIndex } from '../../api/applied.js';
import type { Endpoint } from '../../api/endpoints.js';
import type { Request } from '../../api/plan.js';
import { emptyRecord } from '../../api/values.js';
import { type Outcome, skipped, unsent } from '../../http/outcome.js';
import type { OldValues } from '../journal/records.js';
import { type Held, holds, isNothing, isUnchanged, valuesOf } from './held.js';
import { type Checks, type Fields, listedFields, NOTHING_TO_SEND, type RunPlan } from './plan.js';
import type { RunRow } from './rows.js';

export type Decision =
	| { readonly skip: Outcome }
	| {
			readonly fields: Fields;
			readonly left: readonly AppliedDifference[];
	  };

export const UNCHANGED = { code: 'unchanged', message: 'no change' } as const;

export function decide(row: RunRow, held: Held, plan: RunPlan, terms?: TermIndex): Decision {
	const { checks } = plan;
	const { endpoint, sent } = row.request;
	const hidden = listedFields(plan).find((field) => !held.has(field));
	if (hidden !== undefined) {
		const message = `the service does not show ${hidden}, so items can't be added or removed; nothing was written`;
		return { skip: unsent('failed', 'not_shown', message) };
	}
	const conflict = conflictOf(row, held, checks);
	if (conflict !== undefined) return { skip: conflict };
	const left = changedByOthers(row, held, terms);
	const all: Record<string, unknown> = { ...sent, ...listChanges(held, plan) };
	for (const { field } of left) delete all[field];
	const changed = emptyRecord<unknown>();
	for (const [name, value] of Object.entries(all)) {
		if (!isUnchanged(endpoint, name, value, held)) changed[name] = value;
	}
	const fields = checks.onlyChanged ? changed : all;
	const isEmpty = Object.keys(fields).length === 0;
	if (left.length > 0 && (isEmpty || plan.source.from !== 'snapshots')) {
		return { skip: skipped(leftBy(left, plan)) };
	}
	if (isEmpty && endpoint.body !== 'none') {
		return { skip: skipped(checks.onlyChanged || listedFields(plan).length > 0 ? UNCHANGED : NOTHING_TO_SEND) };
	}
	return { fields, left };
}

function conflictOf({ request, modified }: RunRow, held: Held, checks: Checks): Outcome | undefined {
	const now = checks.ifUnmodified ? held.get('modified_gmt') : modified;
	if (now !== modified) {
		const message = `modified since: modified_gmt is ${now ?? 'unknown'}, not ${modified ?? 'given'}`;
		return skipped({ code: 'conflict', message });
	}
	for (const { field, value } of checks.conditions) {
		if (holds(request.endpoint, held, field, value)) continue;
		const message = `${field} is ${JSON.stringify(held.get(field) ?? null)}, not "${value}"`;
		return skipped({ code: 'condition', message });
	}
	return undefined;
}

function changedByOthers({ request, expected }: RunRow, held: Held, terms?: TermIndex): AppliedDifference[] {
	const { endpoint, sent = {} } = request;
	const left: AppliedDifference[] = [];
	for (const [field, values] of Object.entries(expected ?? {})) {
		const fine = Object.hasOwn(sent, field) ? [...values, sent[field]] : values;
		const now = held.get(field);
		// Services may leave out cleared fields.
		const isFine = held.has(field)
			? fine.some((value) => compareField(endpoint, field, value, now, terms) !== 'other')
			: fine.some(isNothing);
		if (!isFine) left.push({ field, sent: sent[field], shown: now ?? null });
	}
	return left;
}

const EDITED = { code: 'conflict', hint: 'edit it again to see its current fields' } as const;

const LEFT = {
	ids: EDITED,
	file: EDITED,
	plan: { code: 'drift', hint: 'to send it anyway: --allow-drift' },
	snapshots: { code: 'changed_since', hint: 'pass --overwrite to restore it' },
} as const;

export function leftBy(left: readonly AppliedDifference[], { source }: RunPlan) {
	const { code, hint } = LEFT[source.from];
	const changes = left.map(({ field, shown }) => `${field} was changed since: it is ${JSON.stringify(shown)}`);
	return { code, message: [...changes, hint].join('; ') };
}

export function listChanges(held: Held, plan: RunPlan): Fields {
	const { add, remove } = plan.values;
	const changes = emptyRecord<unknown>();
	for (const field of listedFields(plan)) {
		const now = held.get(field);
		const items = isNothing(now) ? [] : [now].flat();
		const gone = new Set((remove[field] ?? []).map(String));
		const kept = items.filter((item) => !gone.has(String(item)));
		const there = new Set(kept.map(String));
		const added = (add[field] ?? []).filter((item) => !there.has(String(item)));
		if (added.length > 0 || kept.length < items.length) changes[field] = [...kept, ...added];
	}
	return changes;
}

/** An update clears these fields unless it sends them again. */
export function withCleared({ cleared = [] }: Endpoint, held: Held, fields: Fields): Fields {
	const names = cleared.filter((name) => !isNothing(held.get(name)) && !Object.hasOwn(fields, name));
	return { ...fields, ...Object.fromEntries(names.map((name) => [name, held.get(name)])) };
}

export function oldValues(held: Held, { endpoint, sent = {} }: Request): OldValues {
	// A status restores from the trash.
	const written = endpoint.trash ? { status: 'trash' } : sent;
	return { ...valuesOf(held, Object.keys(written)), sent: written };
}
