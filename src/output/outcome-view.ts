/** Outcomes as they are printed: the object's key order, and which columns a table of them has. */

import { outcomeStyle, type Palette } from './colour.js';
import type { Column, Row } from './columns.js';

/** What is printed of a row's result; the shape that the engine hands over. */
export interface OutcomeLike {
	readonly row: number;
	readonly line?: number | undefined;
	readonly ids: Readonly<Record<string, string>>;
	readonly outcome: string;
	readonly status?: number | undefined;
	readonly code?: string | undefined;
	readonly message?: string | undefined;
	readonly reasons?: Readonly<Record<string, string>> | undefined;
	readonly attempts: number;
	readonly ms: number;
	readonly differs?: readonly { field: string; sent: unknown; shown: unknown }[] | undefined;
	readonly warnings?: readonly string[] | undefined;
	readonly body?: unknown;
}

/** Ids that are numbers are printed as numbers, as the service does; what a number can't hold exactly stays text. */
function idValue(name: string, text: string): string | number {
	if (name !== 'id' && !name.endsWith('_id')) return text;
	const number = Number(text);
	return /^\d+$/.test(text) && Number.isSafeInteger(number) ? number : text;
}

/** Path ids as they are printed, whatever is printed of their row. */
export function printedIds(ids: Readonly<Record<string, string>>): Record<string, string | number> {
	return Object.fromEntries(Object.entries(ids).map(([name, text]) => [name, idValue(name, text)]));
}

/**
 * The printed object: row, the path ids, outcome, status, code, message, attempts, ms, differs, body. The named keys
 * are always there, so that a reader of one line knows those of all; `reasons` and `warnings` only where there are any.
 * A look-up that found no id has none.
 */
export function outcomeView(outcome: OutcomeLike): Row {
	const view: Record<string, unknown> = { row: outcome.row };
	for (const name in outcome.ids) view[name] = idValue(name, outcome.ids[name] as string);
	if (outcome.ids.username !== undefined && outcome.ids.id === undefined) view.id = null;
	view.outcome = outcome.outcome;
	view.status = outcome.status ?? null;
	view.code = outcome.code ?? null;
	view.message = outcome.message ?? null;
	if (outcome.reasons !== undefined) view.reasons = outcome.reasons;
	if (outcome.warnings !== undefined && outcome.warnings.length > 0) view.warnings = outcome.warnings;
	view.attempts = outcome.attempts;
	view.ms = Math.round(outcome.ms);
	view.differs = outcome.differs ?? [];
	view.body = outcome.body ?? null;
	return view;
}

/** The keys that an outcome can have, for a complaint about another one before anything is sent. */
export function outcomeKeys(ids: readonly string[]): string[] {
	const found = ids.includes('username') ? ['id'] : [];
	return ['row', ...ids, ...found, 'outcome', 'status', 'code', 'message', 'reasons', 'warnings', ...REST];
}

const REST = ['attempts', 'ms', 'differs', 'body'];

/** What the columns of a table depend on. */
export interface OutcomeTable {
	/** The path ids, in the order in which they are shown. */
	readonly ids: readonly string[];
	readonly palette: Palette;
}

const columnOfId = (name: string): Column => ({ path: name, label: name });

function outcomeColumn(palette: Palette): Column {
	return {
		path: 'outcome',
		style: (text, row) => outcomeStyle(palette, String(row.outcome))(text),
	};
}

/** Why a row failed, or what is odd about it: the message, the service's reasons, what differs. */
function messageOf(row: Row): string {
	const parts: string[] = [];
	if (typeof row.message === 'string') parts.push(row.message);
	for (const [field, reason] of Object.entries((row.reasons ?? {}) as Record<string, unknown>)) {
		const text = String(reason);
		parts.push(text.includes(field) ? text : `${field}: ${text}`);
	}
	for (const warning of Array.isArray(row.warnings) ? row.warnings : []) parts.push(String(warning));
	for (const each of Array.isArray(row.differs)
		? (row.differs as { field: string; sent: unknown; shown: unknown }[])
		: []) {
		parts.push(`${each.field} is ${JSON.stringify(each.shown)}, not ${JSON.stringify(each.sent)}`);
	}
	return parts.join('; ');
}

const messageColumn: Column = { path: 'message', get: messageOf, optional: true, important: true };

/** Ids, outcome, each changed field as the service has it now, and a message where there is one. */
export function updateColumns(
	{ ids, palette }: OutcomeTable,
	fields: readonly string[],
	reserved: readonly string[],
): Column[] {
	return [
		...ids.map(columnOfId),
		outcomeColumn(palette),
		...fields.filter((field) => field !== 'password').map((field) => bodyColumn(field, reserved)),
		messageColumn,
	];
}

/** The response's field; where the name has dots in it, it is still one key. */
function bodyColumn(field: string, reserved: readonly string[]): Column {
	return { ...namedColumn('body', field, reserved), get: (row) => ownOf(row.body, field) };
}

/**
 * A column whose name the service chose: to programs, an outcome's own keys mean what they mean in every format.
 * @param reserved the keys that some command's outcomes have
 */
function namedColumn(space: string, name: string, reserved: readonly string[]): Column {
	const path = `${space}.${name}`;
	return { path, label: name, ...(reserved.includes(name) ? { key: path } : {}) };
}

function ownOf(value: unknown, key: string): unknown {
	return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
		? (value as Record<string, unknown>)[key]
		: undefined;
}

/** Ids, outcome, and what became of the thing: trashed or deleted. */
export function deleteColumns({ ids, palette }: OutcomeTable): Column[] {
	return [...ids.map(columnOfId), outcomeColumn(palette), { path: 'result', get: deletedHow }, messageColumn];
}

function deletedHow(row: Row): string {
	if (row.outcome !== 'ok' && row.outcome !== 'differs') return '';
	if (ownOf(row.body, 'deleted') === true) return 'deleted';
	if (ownOf(row.body, 'status') === 'trash') return 'trashed';
	return row.status === 404 || row.status === 410 ? 'already gone' : 'accepted';
}

/** Ids and outcome alone. */
export function plainColumns({ ids, palette }: OutcomeTable): Column[] {
	return [...ids.map(columnOfId), outcomeColumn(palette), messageColumn];
}

/** User names, the ids found for them, and a message where there is one. */
export function lookupColumns({ palette }: OutcomeTable): Column[] {
	return [{ path: 'username' }, { path: 'id' }, outcomeColumn(palette), messageColumn];
}

/** Reads a response's custom fields, name to value; undefined where it has none that can be read. */
export type ReadCustomFields = (body: unknown) => Readonly<Record<string, unknown>> | undefined;

/** One column for each custom field of a row; for a renderer's `more`. */
export function customFieldColumns(read: ReadCustomFields, reserved: readonly string[]): (row: Row) => Column[] {
	let lastRow: Row | undefined;
	let lastFields: Readonly<Record<string, unknown>> | undefined;

	/** Every column of a row asks for the same fields. */
	function fieldsOf(row: Row): Readonly<Record<string, unknown>> | undefined {
		if (row !== lastRow) {
			lastFields = row.outcome === 'ok' ? read(row.body) : undefined;
			lastRow = row;
		}
		return lastFields;
	}

	return (row) =>
		Object.keys(fieldsOf(row) ?? {}).map((name) => ({
			...namedColumn('field', name, reserved),
			get: (each) => ownOf(fieldsOf(each), name),
		}));
}

/** For a renderer's `resolve`: a name that is no key of an outcome is a custom field. */
export function customFieldNamed(
	read: ReadCustomFields,
	keys: readonly string[],
	reserved: readonly string[],
): (name: string) => ((row: Row) => unknown) | undefined {
	return (name) => {
		if (keys.includes(name.split('.')[0] as string)) return undefined;
		const field =
			name.startsWith('field.') && reserved.includes(name.slice('field.'.length)) ? name.slice('field.'.length) : name;
		return (row) => (row.outcome === 'ok' ? ownOf(read(row.body), field) : undefined);
	};
}
