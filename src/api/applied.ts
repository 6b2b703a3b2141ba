/** Whether an object shows what a request sent, field by field. */

import { compareRaw, compareTexts, type Equality, rawValue, type TermIndex } from './compare.js';
import { bodyKinds, type Endpoint } from './endpoints.js';
import { type Field, passwordField } from './fields.js';
import { kinds } from './kinds.js';
import { emptyRecord, isObject } from './values.js';

/** One field whose value is not the one that was sent. */
export interface AppliedDifference {
	field: string;
	sent: unknown;
	shown: unknown;
}

type Values = Readonly<Record<string, unknown>>;
type ComparedField = Pick<Field, 'name' | 'kind'>;
type ComparedEndpoint = Partial<Pick<Endpoint, 'fields' | 'body'>>;

/** `{name: {name, value, markup}}`; none are an empty list. @returns undefined for any other shape */
export function readCustomFields(body: unknown): Record<string, unknown> | undefined {
	const fields = emptyRecord<unknown>();
	if (Array.isArray(body) && body.length === 0) return fields;
	if (!isObject(body) || Object.keys(body).length === 0) return undefined;
	for (const [name, field] of Object.entries(body)) {
		if (!isObject(field) || !Object.hasOwn(field, 'value')) return undefined;
		if (typeof field.name !== 'string') return undefined;
		fields[name] = field.value;
	}
	return fields;
}

/** A deployment's prefix is in the markup. */
export function writtenName(body: unknown, name: string): string {
	const field = isObject(body) ? body[name] : undefined;
	const markup = isObject(field) && typeof field.markup === 'string' ? field.markup : '';
	const named = [...markup.matchAll(/\s(?:name|id)=["']([^"'[]+)/g)].map(([, found = '']) => found);
	return named.find((each) => each === name || each.endsWith(`_${name}`)) ?? name;
}

/** @returns undefined for a value that has no text */
export function customFieldText(value: unknown): string | undefined {
	if (value === null || value === undefined || value === false) return '';
	if (value === true) return '1';
	if (typeof value === 'object') return undefined;
	return String(value);
}

export function compareCustomField(sent: unknown, shown: unknown): Equality {
	const left = customFieldText(sent);
	const right = customFieldText(shown);
	if (left === undefined || right === undefined) return 'not comparable';
	// 1.10 is shown as 1.1.
	const isSameNumber = typeof shown === 'number' && left.trim() !== '' && Number(left) === shown;
	return isSameNumber ? 'same' : compareTexts(left, right);
}

/** @param field undefined for names outside the table */
export function compareValue(
	field: ComparedField | undefined,
	sent: unknown,
	shown: unknown,
	terms?: TermIndex,
): Equality {
	const { name, kind } = field ?? { name: '', kind: 'text' };
	return compareRaw(kinds[kind].compare, sent, shown, name, terms);
}

export function compareField(
	{ fields, body = 'fields' }: ComparedEndpoint,
	name: string,
	sent: unknown,
	shown: unknown,
	terms?: TermIndex,
): Equality {
	if (bodyKinds[body].areTexts) return compareCustomField(sent, shown);
	// `--data` can contain it in any body.
	if (name === passwordField.name) return 'not comparable';
	const field = fields?.find((each) => each.name === name);
	return compareValue(field, sent, shown, terms);
}

/** Both lists are empty if every field is the same; `open` are not comparable or not shown. */
export function compareAll(
	sent: Values,
	shown: (name: string) => unknown,
	compare: (name: string, sent: unknown, shown: unknown) => Equality,
): { differs: AppliedDifference[]; open: string[] } {
	const differs: AppliedDifference[] = [];
	const open: string[] = [];
	for (const field of Object.keys(sent)) {
		const value = sent[field];
		const effect = field === 'time-adjustments-type' ? effectOfAdjustment(shown) : undefined;
		const held = effect ?? shown(field);
		const compared = compare(field, value, held);
		if (compared === 'not comparable') open.push(field);
		if (compared === 'other') differs.push({ field, sent: value, shown: rawValue(held) ?? null });
	}
	return { differs, open };
}

/** Texts of one line whose outer spaces a service dropped: a comparison takes them for the same, but they are not what was sent. */
export function trimmedIn(
	{ fields, body = 'fields' }: ComparedEndpoint,
	sent: Values,
	shown: (name: string) => unknown,
): AppliedDifference[] {
	return Object.keys(sent).flatMap((name) => {
		const value = sent[name];
		const now = rawValue(shown(name));
		const facts = kinds[fields?.find((each) => each.name === name)?.kind ?? 'text'];
		const isLine = bodyKinds[body].areTexts || (facts.isText && facts.readsFiles !== true);
		const isTrimmed = typeof value === 'string' && value !== now && value.replace(/^[ \t]+|[ \t]+$/g, '') === now;
		return isLine && isTrimmed ? [{ field: name, sent: value, shown: now }] : [];
	});
}

/** Services store any word as the type; the times show whether it added or subtracted. */
function effectOfAdjustment(shown: (name: string) => unknown): '+' | '-' | undefined {
	const moved = Number(shown('time-final')) - Number(shown('time-calculated'));
	const minutes = Number(shown('time-adjustments'));
	if (moved === 0 || Math.abs(moved) !== Math.abs(minutes)) return undefined;
	return moved > 0 ? '+' : '-';
}
