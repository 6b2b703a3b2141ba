/** What a row does to its object, made once from the request that is sent and what was read; every view prints it. */

import { type Endpoint, endpoints } from '../api/endpoints.js';
import type { Field } from '../api/fields.js';
import { kinds, namesUsers } from '../api/kinds.js';
import { nameRow } from '../api/names.js';
import type { Request } from '../api/request.js';
import { isObject } from '../api/values.js';
import type { Known } from '../http/known.js';
import { type Outcome, unsent } from '../http/outcome.js';
import { eachHidden, escapeUnseen, formatCount, showHidden } from '../text.js';
import { changedPart, slice } from './excerpt.js';
import { isNothing } from './held.js';
import type { BeforeRecord, RowRecord } from './journal/records.js';
import type { RunPlan } from './plan.js';

/** A value as it is sent or shown, and what people call the users or terms in it. */
export interface Value {
	readonly value: unknown;
	readonly name?: string | undefined;
	/** An assignee of 0. */
	readonly isNobody?: true;
	/** Sent, and never written down: it is secret, or nothing shows it. */
	readonly isWithheld?: true;
}

export interface FieldChange {
	readonly field: string;
	readonly from: Known<Value>;
	readonly to: Value;
	/** Of a list whose old items are known. */
	readonly added?: readonly Value[];
	readonly removed?: readonly Value[];
	/** Sent with the value that it has: an update without it would clear it, or all fields are sent. */
	readonly stays?: true;
}

interface ActionFacts {
	/** Whether it gives fields values, which are shown one by one. */
	readonly setsFields: boolean;
}

/** What is done to an object. A member that lacks a column does not compile. */
const actionRows = {
	update: { setsFields: true },
	trash: { setsFields: false },
	delete: { setsFields: false },
} as const satisfies Record<string, ActionFacts>;

export type Action = keyof typeof actionRows;

export const actions: Readonly<Record<Action, ActionFacts>> = actionRows;

export interface Change {
	/** The label is a title, a username or the name of a term. */
	readonly object: { readonly noun: string; readonly ids: Readonly<Record<string, string>>; readonly label?: string };
	readonly action: Action;
	/** Who gets what a deleted user leaves. */
	readonly receiver?: { readonly id: string; readonly name?: string };
	readonly fields: readonly FieldChange[];
	/** Why nothing is sent. */
	readonly left?: Left;
	/** What an undo of the object leaves as it is, though it sends the rest, and why. */
	readonly unrestored?: Pick<Left, 'code' | 'message'>;
}

export type Left = Pick<Outcome, 'outcome' | 'code' | 'message'>;

/** A request, or what a plan or a journal keeps of one. */
export interface Written extends Pick<Request, 'endpoint' | 'ids' | 'permanent' | 'sent'> {
	readonly reassign?: string | undefined;
}

/** What was read of the written fields; `absent` are those that the object does not have. */
export interface Before {
	readonly values: Readonly<Record<string, unknown>>;
	readonly absent: readonly string[];
}

export type NameOf = (field: Pick<Field, 'name' | 'kind'>, value: unknown) => string | undefined;

export interface Naming {
	label?: string | undefined;
	nameOf?: NameOf | undefined;
	/** Secret values, by the field's name. */
	redact?(fields: Readonly<Record<string, unknown>>): unknown;
	/** Whether a field is sent with the value that it has. */
	stays?(field: string): boolean;
	/** Fields that were sent with values that nobody kept. */
	withheld?: readonly string[];
}

/** Who receives what deleted users leave. */
export const receiverField = { name: 'reassign', kind: 'user' } as const satisfies Pick<Field, 'name' | 'kind'>;

const NOT_SHOWN: Known<never> = {
	is: 'unknown',
	why: unsent('unknown', 'not_shown', 'the service does not show this field'),
};

const NOT_THERE: Known<never> = { is: 'absent', why: NOT_SHOWN.why };

const NOT_READ: Known<never> = { is: 'unknown', why: unsent('unknown', 'not_read', 'the old value was not read') };

/** @param before undefined if the object was not read */
export function changeOf(written: Written, before: Before | undefined, naming: Naming = {}): Change {
	const { endpoint, ids, reassign, sent = {} } = written;
	const { label, nameOf, redact = (fields) => fields, stays = () => false, withheld = [] } = naming;
	const hidden = (fields: Readonly<Record<string, unknown>>) => {
		const clean = redact(fields);
		return isObject(clean) ? clean : fields;
	};
	const values = before && hidden(before.values);
	const absent = new Set(before?.absent);
	const to = hidden(sent);
	const from = (name: string): Known<unknown> => {
		if (values === undefined) return NOT_READ;
		if (Object.hasOwn(values, name)) return { is: 'shown', value: values[name] };
		return absent.has(name) ? NOT_THERE : NOT_SHOWN;
	};
	const receiver = reassign === undefined ? undefined : named(receiverField, reassign, nameOf);
	const called = label ?? ids.username ?? ownName(endpoint, ids, nameOf);
	return {
		object: { noun: endpoint.noun, ids, ...(called === undefined ? {} : { label: called }) },
		action: actionOf(written),
		...(receiver && { receiver: { id: String(receiver.value), name: receiver.name } }),
		fields: [
			...withheld.map((name) => ({
				...fieldChange(endpoint, name, from(name), undefined, nameOf),
				to: { value: undefined, isWithheld: true } as const,
			})),
			...Object.keys(to).map((name) => {
				const change = fieldChange(endpoint, name, from(name), to[name], nameOf);
				return stays(name) ? { ...change, stays: true as const } : change;
			}),
		],
	};
}

function ownName({ parameters }: Endpoint, { id, taxonomy = '' }: Written['ids'], nameOf: Naming['nameOf']) {
	if (id === undefined) return undefined;
	const names = parameters.at(-1)?.names;
	switch (names) {
		case 'users':
			return nameOf?.({ name: 'id', kind: 'user' }, id);
		case 'terms':
			return nameOf?.({ name: taxonomy, kind: 'term' }, id);
		// A slug is what people call a password, and other objects have a label.
		case 'passwords':
		case undefined:
			return undefined;
		default:
			return names satisfies never;
	}
}

/** A row that is not sent, and why. */
export function leftChange(
	written: Written,
	{ outcome, code, message }: Left,
	naming: Naming = {},
): Change & { readonly left: Left } {
	return { ...changeOf({ ...written, sent: {} }, undefined, naming), left: { outcome, code, message } };
}

/** Of a row in a journal: flags gave it what it has not itself. */
type Kept = Pick<BeforeRecord, 'ids'> & Partial<BeforeRecord> & Pick<RowRecord, 'force' | 'reassign'>;

/** What a row of a run did, by what its journal kept before the write. */
export function changeOfRecord(
	{ ids, values = {}, sent = {}, absent = [], untold = [], withheld = [], label, force, reassign }: Kept,
	{ endpoint: name, values: shared }: RunPlan,
	naming: Naming,
): Change {
	const endpoint = endpoints[name];
	const isDelete = endpoint.deletes;
	const written = { endpoint, ids, permanent: shared.force || force === true, reassign: reassign ?? shared.reassign };
	const unkept = [...new Set([...untold, ...withheld])].filter((field) => !Object.hasOwn(sent, field));
	return changeOf(
		{ ...written, sent: isDelete ? {} : sent },
		{ values, absent },
		{ ...naming, label, withheld: isDelete ? [] : unkept },
	);
}

export function actionOf({ endpoint, permanent }: Pick<Written, 'endpoint' | 'permanent'>): Action {
	if (!endpoint.deletes) return 'update';
	return endpoint.trash && !permanent ? 'trash' : 'delete';
}

function fieldChange(
	endpoint: Endpoint,
	name: string,
	from: Known<unknown>,
	to: unknown,
	nameOf: Naming['nameOf'],
): FieldChange {
	const field = endpoint.fields.find((each) => each.name === name);
	const called = (value: unknown): Value => (field === undefined ? { value } : named(field, value, nameOf));
	const shown: Known<Value> = from.is === 'shown' ? { is: 'shown', value: called(from.value) } : from;
	const change: FieldChange = { field: name, from: shown, to: called(to) };
	if (field === undefined || kinds[field.kind].many !== 'items' || from.is !== 'shown') return change;
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

function named(field: Pick<Field, 'name' | 'kind'>, value: unknown, nameOf: Naming['nameOf']): Value {
	if (nameOf === undefined || kinds[field.kind].names === undefined) return { value };
	if (namesUsers(field) && isZero(value)) return { value, isNobody: true };
	const nameOne = (item: unknown): string | undefined => (isNothing(item) ? undefined : nameOf(field, item));
	if (!Array.isArray(value)) return { value, name: nameOne(value) };
	const names = value.map((item) => nameOne(item) ?? String(item));
	return { value, name: names.length === 0 ? undefined : names.join(', ') };
}

const isZero = (value: unknown): boolean => value === 0 || value === '0';

/** `ticket 14 "Printer on fire"`, `user 7 "amir.rossi"` */
export function objectText({ noun, ids, label }: Change['object']): string {
	const { username: _, ...own } = ids;
	const name = nameRow(Object.keys(own).length === 0 ? ids : own, noun);
	return label === undefined || (ids.username === label && Object.keys(own).length === 0)
		? name
		: `${name} ${JSON.stringify(excerpt(label, LONGEST_LABEL))}`;
}

/** `ticket 14 "Printer on fire": assignee sofia.bauer → jose.kaya; ticket-tag +VIP −Bug` */
export function changeText(change: Change): string {
	const done = doneText(change);
	const { noun, ids } = change.object;
	const isNamed = change.left !== undefined && done.startsWith(nameRow(ids, noun));
	return showHidden(isNamed ? done : `${objectText(change.object)}: ${done}`);
}

/** What happens to the object. */
export function doneText({ action, receiver, fields, left, unrestored }: Change): string {
	if (left !== undefined) return left.message ?? left.code ?? left.outcome;
	switch (action) {
		case 'trash':
			return 'to the trash';
		case 'delete':
			return receiver === undefined
				? 'permanently deleted'
				: `permanently deleted; posts go to ${receiver.name ?? `user ${receiver.id}`}`;
		case 'update':
			return [...fields.map(fieldText), ...(unrestored?.message === undefined ? [] : [unrestored.message])].join('; ');
	}
}

/** `assignee sofia.bauer → jose.kaya`, `ticket-tag +VIP −Bug` */
export function fieldText(change: FieldChange): string {
	const { old, new: next } = sidesOf(change);
	if (change.stays === true) return `${change.field} stays ${next}`;
	return old === undefined ? `${change.field} ${next}` : `${change.field} ${old} → ${next}`;
}

/** `+VIP`, `−Bug`: what comes and goes. */
export function itemsOf({ added = [], removed = [] }: FieldChange): string[] {
	const textOf = ({ value, name }: Value): string => quoted(name ?? String(value));
	return [...added.map((item) => `+${textOf(item)}`), ...removed.map((item) => `−${textOf(item)}`)];
}

export interface Sides {
	/** Undefined for a list, whose new side says what comes and goes. */
	readonly old?: string;
	readonly new: string;
}

/**
 * Both sides in names, with hidden characters visible; of long texts the changed part.
 * @param inCells texts stand alone, so that only those that could be misread are quoted
 */
export function sidesOf(change: FieldChange, { most = MOST_CHANGED, inCells = false } = {}): Sides {
	const { from, to } = change;
	const quote = inCells ? quotedInCell : quoted;
	const items = itemsOf(change);
	if (items.length > 0) return { new: items.join(' ') };
	const next = valueText(to, quote);
	if (from.is !== 'shown')
		return { old: from.is === 'absent' ? NOT_A_FIELD : unknownText(from.why), new: cut(next, most) };
	const old = valueText(from.value, quote);
	const [left, right] = looksSame(old, next) ? [escapeUnseen(old), escapeUnseen(next)] : [old, next];
	const isLong = [left, right].some((text) => text.length > LONG) && !isEmpty(from.value) && !isEmpty(to);
	if (!isLong) return { old: left, new: right };
	const [was, is] = changedPart(left, right);
	return { old: cut(was, most), new: cut(is, most) };
}

/** Whatever was there before. */
export function newText({ to }: FieldChange): string {
	return valueText(to, quoted);
}

const NOTHING = '(empty)';
const NOBODY = '(nobody)';
/** The service lists all fields of the object: it may ignore this one. */
const NOT_A_FIELD = '(not there)';
const LONG = 80;
const MOST_CHANGED = 400;
const LONGEST_LABEL = 60;

function unknownText({ code }: Outcome): string {
	return code === 'not_shown' ? '(not shown)' : '(not read)';
}

function isEmpty({ value }: Value): boolean {
	const isNone = value === undefined || value === null || value === '';
	return isNone || (Array.isArray(value) && value.length === 0);
}

/** What can be told from words around it stays bare. */
const BARE = /^[\p{L}\p{N}@_+][\p{L}\p{N}\p{M}@._+:-]*$/u;

function valueText(given: Value, quote: typeof quoted): string {
	const { value, name, isNobody, isWithheld } = given;
	if (isWithheld === true) return '(not kept)';
	if (isEmpty(given)) return NOTHING;
	if (isNobody === true) return NOBODY;
	if (name !== undefined) return quote(name);
	if (typeof value === 'string') return quote(value);
	if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
		return value.map((item) => quote(String(item))).join(', ');
	return showHidden(JSON.stringify(value));
}

function quoted(text: string): string {
	if (BARE.test(text)) return text;
	return `"${showHidden(text).replaceAll('"', '\\"')}"`;
}

function quotedInCell(text: string): string {
	return text.trim() === text && !/^[("]/.test(text) ? showHidden(text) : quoted(text);
}

function looksSame(left: string, right: string): boolean {
	const visible = (text: string): string =>
		text
			.normalize('NFKC')
			.replace(eachHidden(), '')
			.replace(/\s+/g, ' ')
			.replace(/[\u0370-\u052f]/g, (letter) => LOOK_ALIKES.get(letter) ?? letter)
			.replace(/^"(.*)"$/s, '$1');
	return left !== right && visible(left) === visible(right);
}

/** Letters of Cyrillic and Greek that nobody tells from Latin ones. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
	[...'АВЕЅІЈКМНОРСТУХаеѕіјорсухԁһԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧο'].map((letter, at) => {
		return [letter, 'ABESIJKMHOPCTYXaesijopcyxdhqwABEZHIKMNOPTYXo'.charAt(at)];
	}),
);

export function cut(text: string, most: number): string {
	return text.length <= most ? text : `${slice(text, 0, most)}… (${formatCount(text.length - most)} more characters)`;
}

function excerpt(text: string, most: number): string {
	return text.length <= most ? text : `${slice(text, 0, most - 1)}…`;
}

/** Each field on a line of its own, for tables. */
export function changeLines(change: Change): Record<string, unknown>[] {
	const title = change.object.label ?? null;
	const none = { title, field: null, old: null, new: null, old_id: null, new_id: null };
	if (change.left !== undefined || !actions[change.action].setsFields) return [{ ...none, message: doneText(change) }];
	const lines: Record<string, unknown>[] = change.fields.map((each) => {
		const { field, from, to, stays } = each;
		const { old = null, new: next } = sidesOf(each, { inCells: true });
		const ids = { old_id: from.is === 'shown' ? idIn(from.value) : null, new_id: idIn(to) };
		return { title, field, old, new: next, ...ids, message: stays === true ? 'sent as it is' : null };
	});
	const { unrestored } = change;
	return unrestored === undefined ? lines : [...lines, { ...none, message: unrestored.message ?? null }];
}

/** What a name stands for. */
function idIn({ value, name }: Value): unknown {
	return name === undefined ? null : value;
}

/** For programs: IDs beside names. */
export function changeView(change: Change): View & { readonly changes: readonly FieldView[] } {
	const { object, action, receiver, fields, left, unrestored } = change;
	const why = left ?? unrestored;
	return {
		title: object.label ?? null,
		action: left === undefined ? action : null,
		receiver: receiver === undefined ? null : { id: Number(receiver.id), name: receiver.name ?? null },
		change: showHidden(doneText(change)),
		changes: fields.map(fieldView),
		outcome: left?.outcome ?? null,
		code: why?.code ?? null,
		message: why?.message ?? null,
	};
}

type View = Readonly<Record<string, unknown>>;

type FieldView = View & { readonly field: string };

function fieldView({ field, from, to, added, removed, stays }: FieldChange): FieldView {
	const old = from.is === 'shown' ? from.value : { value: null };
	const itemOf = ({ value, name }: Value) => ({ id: value, name: name ?? null });
	return {
		field,
		old: old.value ?? null,
		new: to.value ?? null,
		old_name: old.name ?? null,
		new_name: to.name ?? null,
		...(from.is === 'unknown' && { old_unknown: from.why.code ?? null }),
		...(from.is === 'absent' && { old_unknown: 'not_there' }),
		...(to.isWithheld === true && { new_unknown: 'not_kept' }),
		...(added !== undefined && { added: added.map(itemOf) }),
		...(removed !== undefined && { removed: removed.map(itemOf) }),
		...(stays === true && { stays }),
	};
}
