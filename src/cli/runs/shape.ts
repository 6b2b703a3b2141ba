/** How outcomes are printed: their keys, the columns of a table, and what is removed from them because it is secret. */

import { readCustomFields } from '../../api/applied.js';
import { idNames } from '../../api/choose.js';
import { differences, fullMessage, type RowRecord } from '../../bulk/journal/records.js';
import type { Outcome, Result } from '../../http/outcome.js';
import { outcomeStyle, type Palette } from '../../output/colour.js';
import { type Column, ownOf, type Row } from '../../output/columns.js';
import { redact, redactName, redactTexts } from '../../output/redact.js';
import { paletteFor } from '../notices.js';
import type { ResultShape } from '../results.js';
import { positionalsOf } from './options.js';
import type { RunJob } from './plan.js';

/** Path ids as they are printed: numbers as numbers, unless a number can't hold them exactly. */
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
 * The printed object. Its keys are always there, so that a reader of one line knows those of all; `reasons` and
 * `warnings` only where there are any. A look-up that found no id has none.
 */
export function outcomeView(result: Outcome): Row {
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

/** The keys that an outcome can have, for an error about another one before anything is sent. */
export function outcomeKeys(ids: readonly string[]): string[] {
	const found = ids.includes('username') ? ['id'] : [];
	const own = ['outcome', 'status', 'code', 'message', 'reasons', 'warnings', 'attempts', 'ms', 'differs', 'body'];
	return ['row', ...ids, ...found, ...own];
}

/** Every key that an outcome can have, whichever its command. */
const RESERVED = outcomeKeys(idNames);

/** Why a row failed, or what is odd about it. */
function messageOf(row: Row): string {
	const { message, reasons, warnings = [], differs } = row as Partial<RowRecord>;
	const said = fullMessage({ message: message ?? undefined, reasons });
	return [...(said === undefined ? [] : [said]), ...warnings, ...differences({ differs })].join('; ');
}

/** The ids, the outcome, what a command shows of its own, and a message where there is one. */
export function outcomeColumns(ids: readonly string[], palette: Palette, own: readonly Column[] = []): Column[] {
	const style = (text: string, row: Row): string => outcomeStyle(palette, String(row.outcome))(text);
	const message: Column = { path: 'message', get: messageOf, optional: true, important: true };
	return [...ids.map((path) => ({ path })), { path: 'outcome', style }, ...own, message];
}

/** A column whose name the service chose: to programs, an outcome's own keys mean what they mean in every format. */
function namedColumn(space: string, name: string, get: NonNullable<Column['get']>): Column {
	const path = `${space}.${name}`;
	return { path, label: name, get, ...(RESERVED.includes(name) && { key: path }) };
}

/** What became of a deleted thing. */
const deletionColumn: Column = {
	path: 'result',
	get({ outcome, status, body }) {
		if (outcome !== 'ok' && outcome !== 'differs') return '';
		if (ownOf(body, 'deleted') === true) return 'deleted';
		if (ownOf(body, 'status') === 'trash') return 'trashed';
		return status === 404 || status === 410 ? 'already gone' : 'accepted';
	},
};

/** Columns and names for custom fields: each row has its own. @param keys of the outcomes */
function customFields(keys: readonly string[]): Pick<ResultShape, 'more' | 'resolve'> {
	let last: { row?: Row; fields?: ReturnType<typeof readCustomFields> } = {};
	/** Every column of a row asks for the same fields. */
	const fieldsOf = (row: Row): typeof last.fields => {
		if (row !== last.row) last = { row, fields: row.outcome === 'ok' ? readCustomFields(row.body) : undefined };
		return last.fields;
	};
	return {
		more: (row) =>
			Object.keys(fieldsOf(row) ?? {}).map((name) => namedColumn('field', name, (each) => ownOf(fieldsOf(each), name))),
		resolve(name) {
			if (keys.includes(name.split('.')[0] as string)) return undefined;
			const bare = name.replace(/^field\./, '');
			const field = RESERVED.includes(bare) ? bare : name;
			return (row) => ownOf(fieldsOf(row), field);
		},
	};
}

/** Outcomes whose ids are printed by --format ids: the next command takes them. */
const WENT_WELL: ReadonlySet<unknown> = new Set(['ok', 'differs', 'skipped']);

/** The shape of the results of a job. @param fields that its rows set */
export async function outcomeShape(
	{ endpoint, plan, session, invocation }: Pick<RunJob, 'endpoint' | 'plan' | 'session' | 'invocation'>,
	fields: readonly string[],
): Promise<ResultShape> {
	const palette = await paletteFor(invocation, 'stdout');
	const ids = positionalsOf(plan.endpoint, endpoint).map((each) => each.name);
	const last = ids.at(-1) as string;
	const idName = last === 'username' ? 'id' : last;
	const keys = outcomeKeys(ids);
	const shape = (columns: Column[]): ResultShape => ({
		...{ keys, columns, holdsResponses: true, profileFormat: session.connection.settings.format },
		idOf: (row) => (WENT_WELL.has(row.outcome) ? row[idName] : undefined),
	});
	const plain = shape(outcomeColumns(ids, palette));
	if (endpoint.returns === 'user-id') return shape(outcomeColumns(['username', 'id'], palette));
	if (endpoint.returns === 'fields-set') return { ...plain, aliases: { id: 'ticket_id' } };
	if (endpoint.returns === 'fields') return { ...plain, ...customFields(keys), aliases: { ticket_id: 'id' } };
	// Each changed field as the response has it; a dot in its name means nothing.
	const changed = fields
		.filter((field) => field !== 'password')
		.map((field) => namedColumn('body', field, (row) => ownOf(row.body, field)));
	return shape(outcomeColumns(ids, palette, endpoint.replay === 'delete' ? [deletionColumn] : changed));
}

/**
 * An outcome without the secrets of its request; a value under a secret name is hidden, whether it was sent or is shown.
 * Our own words stay: a secret that is an ordinary word must not change an outcome.
 */
export function withoutSecretsOf<R extends Result>(outcome: R, secrets: readonly string[]): R {
	const { code, reasons, body, differs } = outcome;
	const clean = { ...outcome };
	if (differs !== undefined) {
		const clear = (value: unknown): unknown => (secrets.length === 0 ? value : redactTexts(value, secrets));
		const shown = (field: string, value: unknown): unknown => redact({ [field]: clear(value) })[field];
		clean.differs = differs.map((each) => {
			return { ...each, sent: shown(each.field, each.sent), shown: shown(each.field, each.shown) };
		});
	}
	if (secrets.length === 0) return clean;
	if (code !== undefined) clean.code = redactName(code, secrets);
	if (reasons !== undefined) {
		// The reasons themselves are texts of the response, which was cleaned as it came.
		clean.reasons = Object.fromEntries(Object.entries(reasons).map(([name, why]) => [redactName(name, secrets), why]));
	}
	if (body !== undefined) clean.body = redactTexts(body, secrets);
	return clean;
}
