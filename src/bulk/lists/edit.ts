/** The fields of one object, as a person edits them. */

import type { Field, FieldKind } from '../../api/fields.js';
import { emptyRecord, findField, isObject } from '../../api/values.js';
import { heldOf, isNothing } from '../run/held.js';
import type { Fields } from '../run/plan.js';
import type { ListedObject } from './pages.js';
import { createSheet, type SheetOptions } from './sheet.js';

/** Of kinds that are not text: there `007` is a number. */
const EMPTY: Partial<Record<FieldKind, unknown>> = {
	terms: [],
	list: [],
	map: {},
	user: 0,
	integer: 0,
	boolean: '',
	switch: '',
};

export const isTextKind = (kind: FieldKind): boolean => !Object.hasOwn(EMPTY, kind);

/** @returns undefined if the object shows no fields; `expected` by an update */
export function editableFields(object: ListedObject, options: Omit<SheetOptions, 'asCells' | 'sample'>) {
	const { update } = options.read;
	const held = update && heldOf(update, object);
	if (update === undefined || held === undefined) return undefined;
	const sheet = createSheet({ ...options, asCells: false, sample: [object] });
	const exported = sheet.exported(object);
	const fields = update.fields.filter(({ name }) => {
		// Fields without a value can be filled.
		const isEditable = Object.hasOwn(exported, name) || (held.has(name) && isNothing(held.get(name)));
		return isEditable && sheet.columns.includes(name);
	});
	return {
		fields: fields.map((field) => ({ ...field, value: exported[field.name] ?? (EMPTY[field.kind] || '') })),
		expected: Object.fromEntries(fields.map(({ name }) => [name, [held.get(name)]])),
		warnings: sheet.warnings(),
	};
}

/** Fields that are left out stay. */
export function changedFields(before: Fields, after: Fields, fields: readonly Field[]): Fields {
	const changes = emptyRecord<unknown>();
	for (const [given, value] of Object.entries(after)) {
		const { name, kind } = findField(fields, given) ?? { name: given, kind: 'text' };
		const old = before[name];
		if (isSame(value, old)) continue;
		const wanted = value ?? EMPTY[kind] ?? '';
		changes[name] = kind === 'map' ? changedKeys(old, wanted) : wanted;
	}
	return changes;
}

/** Services keep entries that are not sent. */
function changedKeys(old: unknown, wanted: unknown): unknown {
	if (!isObject(wanted)) return wanted;
	const before = isObject(old) ? old : {};
	const removed = Object.fromEntries(Object.keys(before).map((key) => [key, null]));
	const entries = Object.entries({ ...removed, ...wanted });
	return Object.fromEntries(entries.filter(([key, value]) => !isSame(before[key], value)));
}

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);
