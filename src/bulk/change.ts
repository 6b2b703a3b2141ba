/** What a row does to its object, made once from the request that is sent and what was read; every view prints it. */

import type { Endpoint } from '../api/endpoints.js';
import type { Field } from '../api/fields.js';
import { nameRow } from '../api/names.js';
import type { Request } from '../api/plan.js';
import { isObject } from '../api/values.js';
import type { Known } from '../http/known.js';
import { type Outcome, unsent } from '../http/outcome.js';
import { eachHidden, hexOf, showHidden } from '../text.js';

/** A value as it is sent or shown, and what people call the users or terms in it. */
export interface Value {
	readonly value: unknown;
	readonly name?: string | undefined;
}

export interface FieldChange {
	readonly field: string;
	readonly from: Known<Value>;
	readonly to: Value;
	/** Of a list whose old items are known. */
	readonly added?: readonly Value[];
	readonly removed?: readonly Value[];
}

export type Action = 'update' | 'trash' | 'delete';

export interface Change {
	/** The label is a title, a username or the name of a term. */
	readonly object: { readonly noun: string; readonly ids: Readonly<Record<string, string>>; readonly label?: string };
	readonly action: Action;
	/** Who gets what a deleted user leaves. */
	readonly receiver?: { readonly id: string; readonly name?: string };
	readonly fields: readonly FieldChange[];
	/** Why nothing is sent. */
	readonly left?: Pick<Outcome, 'outcome' | 'code' | 'message'>;
}

/** A request, or what a plan or a journal keeps of one. */
export interface Written extends Pick<Request, 'endpoint' | 'ids' | 'permanent' | 'sent'> {
	readonly reassign?: string | undefined;
}

/** What was read of the written fields; `absent` are those that the service did not show. */
export interface Before {
	readonly values: Readonly<Record<string, unknown>>;
	readonly absent: readonly string[];
}

export interface Naming {
	label?: string | undefined;
	nameOf?(field: Pick<Field, 'name' | 'kind'>, value: unknown): string | undefined;
	/** Secret values, by the field's name. */
	redact?(fields: Readonly<Record<string, unknown>>): unknown;
}

const NOT_SHOWN: Known<never> = {
	is: 'unknown',
	why: unsent('unknown', 'not_shown', 'the service does not show this field'),
};

const NOT_READ: Known<never> = { is: 'unknown', why: unsent('unknown', 'not_read', 'the old value was not read') };

/** @param before undefined if the object was not read */
export function changeOf(written: Written, before: Before | undefined, naming: Naming = {}): Change {
	const { endpoint, ids, reassign, sent = {} } = written;
	const { label, nameOf, redact = (fields) => fields } = naming;
	const hidden = (fields: Readonly<Record<string, unknown>>) => {
		const clean = redact(fields);
		return isObject(clean) ? clean : fields;
	};
	const values = before && hidden(before.values);
	const to = hidden(sent);
	const from = (name: string): Known<unknown> => {
		if (values === undefined) return NOT_READ;
		return Object.hasOwn(values, name) ? { is: 'shown', value: values[name] } : NOT_SHOWN;
	};
	const receiver = reassign === undefined ? undefined : named({ name: 'reassign', kind: 'user' }, reassign, nameOf);
	return {
		object: { noun: endpoint.noun, ids, ...(label === undefined ? {} : { label }) },
		action: actionOf(written),
		...(receiver && { receiver: { id: String(receiver.value), name: receiver.name } }),
		fields: Object.keys(to).map((name) => fieldChange(endpoint, name, from(name), to[name], nameOf)),
	};
}

export function actionOf({ endpoint, permanent }: Pick<Written, 'endpoint' | 'permanent'>): Action {
	if (endpoint.replay !== 'delete') return 'update';
	return endpoint.trash && !permanent ? 'trash' : 'delete';
}

function fieldChange(
	endpoint: Endpoint,
	name: string,
	from: Known<unknown>,
	to: unknown,
	nameOf: Naming['nameOf'],
): FieldChange {
	const field = endpoint.body === 'fields' ? endpoint.fields.find((each) => each.name === name) : undefined;
	const called = (value: unknown): Value => (field === undefined ? { value } : named(field, value, nameOf));
	const shown: Known<Value> = from.is === 'shown' ? { is: 'shown', value: called(from.value) } : from;
	const change: FieldChange = { field: name, from: shown, to: called(to) };
	const isList = field?.kind === 'terms' || field?.kind === 'list';
	if (!isList || from.is !== 'shown') return change;
	const items = { old: itemsIn(from.value), new: itemsIn(to) };
	const without = (all: readonly unknown[], others: readonly unknown[]): Value[] => {
		const there = new Set(others.map(String));
		return all.filter((item) => !there.has(String(item))).map(called);
	};
	return { ...change, added: without(items.new, items.old), removed: without(items.old, items.new) };
}

function itemsIn(value: unknown): unknown[] {
	return value === null || value === undefined || value === '' ? [] : [value].flat();
}

const NAMED_KINDS: ReadonlySet<Field['kind']> = new Set(['user', 'term', 'terms']);

function named(field: Pick<Field, 'name' | 'kind'>, value: unknown, nameOf: Naming['nameOf']): Value {
	if (nameOf === undefined || !NAMED_KINDS.has(field.kind)) return { value };
	const nameOne = (item: unknown): string | undefined => (isNobody(item) ? undefined : nameOf(field, item));
	if (!Array.isArray(value)) return { value, name: nameOne(value) };
	const names = value.map((item) => nameOne(item) ?? String(item));
	return { value, name: names.length === 0 ? undefined : names.join(', ') };
}

function isNobody(value: unknown): boolean {
	return value === null || value === undefined || value === '' || value === 0 || value === '0';
}

/** `ticket 14 "Printer on fire"`, `user 7 "amir.rossi"` */
export function objectText({ noun, ids, label }: Change['object']): string {
	const { username: _, ...own } = ids;
	const name = nameRow(Object.keys(own).length === 0 ? ids : own, noun);
	return label === undefined ? name : `${name} ${JSON.stringify(excerpt(label, LONGEST_LABEL))}`;
}

/** `ticket 14 "Printer on fire": assignee sofia.bauer → jose.kaya; ticket-tag +VIP −Bug` */
export function changeText(change: Change): string {
	return showHidden(`${objectText(change.object)}: ${doneText(change)}`);
}

/** What happens to the object. */
export function doneText({ action, receiver, fields, left }: Change): string {
	if (left !== undefined) return left.message ?? left.code ?? left.outcome;
	switch (action) {
		case 'trash':
			return 'to the trash';
		case 'delete':
			return receiver === undefined
				? 'permanently deleted'
				: `permanently deleted; posts go to ${receiver.name ?? `user ${receiver.id}`}`;
		case 'update':
			return fields.map(fieldText).join('; ');
	}
}

/** `assignee sofia.bauer → jose.kaya`, `ticket-tag +VIP −Bug` */
export function fieldText(change: FieldChange): string {
	const { old, new: next } = sidesOf(change);
	return old === undefined ? `${change.field} ${next}` : `${change.field} ${old} → ${next}`;
}

export interface Sides {
	/** Undefined for a list, whose new side says what comes and goes. */
	readonly old?: string;
	readonly new: string;
}

/** Both sides in names, with hidden characters visible; of long texts the changed part. */
export function sidesOf(change: FieldChange, most = MOST_CHANGED): Sides {
	const { from, to, added, removed } = change;
	if (added !== undefined && removed !== undefined && added.length + removed.length > 0) {
		const items = [...added.map((item) => `+${itemText(item)}`), ...removed.map((item) => `−${itemText(item)}`)];
		return { new: items.join(' ') };
	}
	const next = valueText(to);
	if (from.is !== 'shown') return { old: from.is === 'absent' ? NOTHING : unknownText(from.why), new: cut(next, most) };
	const old = valueText(from.value);
	const [left, right] = looksSame(old, next) ? [escapeAll(old), escapeAll(next)] : [old, next];
	const isLong = [left, right].some((text) => text.length > LONG) && !isEmpty(from.value) && !isEmpty(to);
	if (!isLong) return { old: left, new: right };
	const [was, is] = changedPart(left, right);
	return { old: cut(was, most), new: cut(is, most) };
}

const NOTHING = '(empty)';
const LONG = 80;
const MOST_CHANGED = 400;
const LONGEST_LABEL = 60;
/** Around the changed part of a long text. */
const CONTEXT = 24;

function unknownText({ code }: Outcome): string {
	return code === 'not_shown' ? '(not shown)' : '(not read)';
}

function isEmpty({ value }: Value): boolean {
	const isNone = value === undefined || value === null || value === '';
	return isNone || (Array.isArray(value) && value.length === 0);
}

/** What can be told from words around it stays bare. */
const BARE = /^[\p{L}\p{N}@_+][\p{L}\p{N}\p{M}@._+:-]*$/u;

function valueText(given: Value): string {
	const { value, name } = given;
	if (isEmpty(given)) return NOTHING;
	if (name !== undefined) return quoted(name);
	if (typeof value === 'string') return quoted(value);
	if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
		return value.map((item) => quoted(String(item))).join(', ');
	return showHidden(JSON.stringify(value));
}

function itemText({ value, name }: Value): string {
	return quoted(name ?? String(value));
}

function quoted(text: string): string {
	if (BARE.test(text)) return text;
	return `"${showHidden(text).replaceAll('"', '\\"')}"`;
}

function looksSame(left: string, right: string): boolean {
	const visible = (text: string): string =>
		text
			.normalize('NFKC')
			.replace(eachHidden(), '')
			.replace(/^"(.*)"$/s, '$1');
	return left !== right && visible(left) === visible(right);
}

function escapeAll(text: string): string {
	const escaped = text.replace(/[^\x20-\x7e]/gu, (character) => {
		const point = character.codePointAt(0) ?? 0;
		return point < 0x10000 ? `\\u${hexOf(point, 4)}` : `\\u{${hexOf(point, 0)}}`;
	});
	return escaped.startsWith('"') ? escaped : `"${escaped}"`;
}

/** Without what both begin and end with, but for a few words. */
function changedPart(left: string, right: string): [left: string, right: string] {
	const most = Math.min(left.length, right.length);
	let start = 0;
	while (start < most && left[start] === right[start]) start++;
	let end = 0;
	while (end < most - start && left.at(-1 - end) === right.at(-1 - end)) end++;
	const from = start <= CONTEXT ? 0 : start - CONTEXT;
	const partOf = (text: string): string => {
		const to = end <= CONTEXT ? text.length : text.length - end + CONTEXT;
		return `${from === 0 ? '' : '…'}${slice(text, from, to)}${to === text.length ? '' : '…'}`;
	};
	return [partOf(left), partOf(right)];
}

function cut(text: string, most: number): string {
	return text.length <= most ? text : `${slice(text, 0, most)}… (${text.length - most} more characters)`;
}

function excerpt(text: string, most: number): string {
	return text.length <= most ? text : `${slice(text, 0, most - 1)}…`;
}

/** Never half of a character. */
function slice(text: string, from: number, to: number): string {
	const isHalf = (at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;
	return text.slice(isHalf(from) ? from - 1 : from, isHalf(to) ? to + 1 : to);
}
