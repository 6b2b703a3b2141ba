/** Outcomes as they are printed: the object's key order, and which columns a table of them has. */

import { outcomeStyle, type Palette } from './colour.js';
import { type Column, ownOf, type Row } from './columns.js';

/** What is printed of a row's result; the shape that the engine hands over. */
export interface OutcomeLike {
	readonly row: number;
	readonly ids: Readonly<Record<string, string>>;
	readonly outcome: string;
	readonly status?: number | undefined;
	readonly code?: string | undefined;
	readonly message?: string | undefined;
	readonly reasons?: Readonly<Record<string, string>> | undefined;
	readonly attempts: number;
	readonly ms: number;
	readonly differs?: readonly Difference[] | undefined;
	readonly warnings?: readonly string[] | undefined;
	readonly body?: unknown;
}

interface Difference {
	field: string;
	sent: unknown;
	shown: unknown;
}

/**
 * Path ids as they are printed: numbers as numbers, as the service prints them; what a number can't hold exactly stays
 * text.
 */
export function printedIds(ids: Readonly<Record<string, string>>): Record<string, string | number> {
	const printed: Record<string, string | number> = {};
	for (const name of Object.keys(ids)) {
		const text = ids[name] as string;
		const number = (name === 'id' || name.endsWith('_id')) && /^\d+$/.test(text) ? Number(text) : Number.NaN;
		printed[name] = Number.isSafeInteger(number) ? number : text;
	}
	return printed;
}

/**
 * The printed object: row, the path ids, outcome, status, code, message, attempts, ms, differs, body. The named keys
 * are always there, so that a reader of one line knows those of all; `reasons` and `warnings` only where there are any.
 * A look-up that found no id has none.
 */
export function outcomeView(result: OutcomeLike): Row {
	const { row, ids, outcome, status, code, message, reasons, warnings, attempts, ms, differs, body } = result;
	// Key by key and not spread: rows then share one hidden class, which is several times as fast.
	const view: Record<string, unknown> = { row };
	const printed = printedIds(ids);
	for (const name of Object.keys(printed)) view[name] = printed[name];
	if (ids.username !== undefined && ids.id === undefined) view.id = null;
	view.outcome = outcome;
	view.status = status ?? null;
	view.code = code ?? null;
	view.message = message ?? null;
	if (reasons) view.reasons = reasons;
	if (warnings && warnings.length > 0) view.warnings = warnings;
	view.attempts = attempts;
	view.ms = Math.round(ms);
	view.differs = differs ?? [];
	view.body = body ?? null;
	return view;
}

/** The keys that an outcome can have, for a complaint about another one before anything is sent. */
export function outcomeKeys(ids: readonly string[]): string[] {
	const found = ids.includes('username') ? ['id'] : [];
	const own = ['outcome', 'status', 'code', 'message', 'reasons', 'warnings', 'attempts', 'ms', 'differs', 'body'];
	return ['row', ...ids, ...found, ...own];
}

/** Why a row failed, or what is odd about it: the message, the service's reasons, what differs. */
function messageOf({ message, reasons, warnings, differs }: Row): string {
	const isPlain = reasons === undefined && warnings === undefined && Array.isArray(differs) && differs.length === 0;
	if (isPlain) return typeof message === 'string' ? message : '';
	return [
		...(typeof message === 'string' ? [message] : []),
		...Object.entries((reasons ?? {}) as Record<string, unknown>).map(([field, reason]) =>
			String(reason).includes(field) ? String(reason) : `${field}: ${reason}`,
		),
		...(Array.isArray(warnings) ? warnings.map(String) : []),
		...(Array.isArray(differs) ? (differs as Difference[]) : []).map(
			({ field, sent, shown }) => `${field} is ${JSON.stringify(shown)}, not ${JSON.stringify(sent)}`,
		),
	].join('; ');
}

/** The ids, the outcome, what a command shows of its own, and a message where there is one. */
export function outcomeColumns(ids: readonly string[], palette: Palette, own: readonly Column[] = []): Column[] {
	const style = (text: string, row: Row): string => outcomeStyle(palette, String(row.outcome))(text);
	const message: Column = { path: 'message', get: messageOf, optional: true, important: true };
	return [...ids.map((path) => ({ path })), { path: 'outcome', style }, ...own, message];
}

/**
 * A column whose name the service chose: to programs, an outcome's own keys mean what they mean in every format.
 * @param reserved the keys that some command's outcomes have
 */
function namedColumn(space: string, name: string, reserved: readonly string[]): Column {
	const path = `${space}.${name}`;
	return { path, label: name, ...(reserved.includes(name) && { key: path }) };
}

/** Each changed field as the response has it; where the name has dots in it, it is still one key. */
export function fieldColumns(fields: readonly string[], reserved: readonly string[]): Column[] {
	return fields
		.filter((field) => field !== 'password')
		.map((field) => ({ ...namedColumn('body', field, reserved), get: (row) => ownOf(row.body, field) }));
}

/** What became of a deleted thing: trashed or deleted. */
export const deletionColumn: Column = {
	path: 'result',
	get({ outcome, status, body }) {
		if (outcome !== 'ok' && outcome !== 'differs') return '';
		if (ownOf(body, 'deleted') === true) return 'deleted';
		if (ownOf(body, 'status') === 'trash') return 'trashed';
		return status === 404 || status === 410 ? 'already gone' : 'accepted';
	},
};

/** Reads a response's custom fields, name to value; undefined where it has none that can be read. */
export type ReadCustomFields = (body: unknown) => Readonly<Record<string, unknown>> | undefined;

/** One column for each custom field of a row; for a renderer's `more`. */
export function customFieldColumns(read: ReadCustomFields, reserved: readonly string[]): (row: Row) => Column[] {
	let last: { row?: Row; fields?: ReturnType<ReadCustomFields> } = {};
	/** Every column of a row asks for the same fields. */
	const fieldsOf = (row: Row): ReturnType<ReadCustomFields> => {
		if (row !== last.row) last = { row, fields: row.outcome === 'ok' ? read(row.body) : undefined };
		return last.fields;
	};
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
		const bare = name.replace(/^field\./, '');
		const field = reserved.includes(bare) ? bare : name;
		return (row) => (row.outcome === 'ok' ? ownOf(read(row.body), field) : undefined);
	};
}
