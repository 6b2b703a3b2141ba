/** Outcomes as they are printed. */

import { readCustomFields } from '../../api/applied.js';
import { type Endpoint, idNames } from '../../api/endpoints.js';
import { differences, fullMessage, type RowRecord } from '../../bulk/journal/records.js';
import { writes } from '../../http/judge.js';
import type { RowOutcome } from '../../http/outcome.js';
import { type OutcomeName, outcomes } from '../../http/outcomes.js';
import { type Column, ownOf, type Row } from '../../output/columns.js';
import { asksForData, type ResultShape } from '../results.js';
import type { RunJob } from './job.js';
import { positionalsOf } from './options.js';

/** As numbers, if they are exact. */
export function printedIds(ids: Readonly<Record<string, string>>): Record<string, string | number> {
	const printed: Record<string, string | number> = {};
	for (const name of Object.keys(ids)) {
		const text = ids[name] as string;
		const number = (name === 'id' || name.endsWith('_id')) && /^\d+$/.test(text) ? Number(text) : Number.NaN;
		printed[name] = Number.isSafeInteger(number) ? number : text;
	}
	return printed;
}

/** An edit whose rows --quiet leaves out. */
export function isBareEdit(job: RunJob): boolean {
	return writes(job) && !asksForData(job);
}

/** Programs find the same keys in every row; `reasons` and `warnings` only if there are any. */
export function outcomeView(result: RowOutcome): Row {
	const { row, ids, outcome, status, code, message, reasons, warnings, attempts, ms, differs, body } = result;
	// Key by key: rows then share one hidden class, which is much faster.
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

/** For an error about any other name before something is sent. */
export function outcomeKeys(ids: readonly string[]): string[] {
	const found = ids.includes('username') ? ['id'] : [];
	const own = ['outcome', 'status', 'code', 'message', 'reasons', 'warnings', 'attempts', 'ms', 'differs', 'body'];
	return ['row', ...ids, ...found, ...own];
}

/** Every key that an outcome can have, whichever its command. */
const RESERVED = outcomeKeys(idNames);

export function outcomeColumns(endpoint: Endpoint, own: readonly Column[] = []): Column[] {
	const ids = positionalsOf(endpoint).map(({ name }) => name);
	const message: Column = { path: 'message', get: messageOf, optional: true, important: true };
	return [
		...(endpoint.looksUp === undefined ? ids : [endpoint.looksUp, 'id']).map((path) => ({ path })),
		{ path: 'outcome', style: (_, row) => outcomeIn(row)?.style },
		...own,
		message,
	];
}

function messageOf(row: Row): string {
	const { message, reasons, warnings = [], differs } = row as Partial<RowRecord>;
	if (reasons === undefined && warnings.length === 0 && differs?.length === 0) return message ?? '';
	const said = fullMessage({ message: message ?? undefined, reasons });
	// What is skipped for a reason has it as a warning too.
	const parts = new Set([...(said === undefined ? [] : [said]), ...warnings, ...differences({ differs })]);
	return [...parts].join('; ');
}

/** To programs, an outcome's own keys mean the same in every format. */
function namedColumn(space: string, name: string, get: NonNullable<Column['get']>): Column {
	const path = `${space}.${name}`;
	return { path, label: name, get, ...(RESERVED.includes(name) && { key: path }) };
}

/** Each row has its own. */
function customFields(keys: readonly string[]): Pick<ResultShape, 'more' | 'resolve'> {
	// Each column asks for them.
	const known = new WeakMap<Row, object>();
	function fieldsOf(row: Row): object {
		const { outcome, body } = row;
		const fields = known.get(row) ?? (outcome === 'ok' ? readCustomFields(body) : undefined) ?? {};
		known.set(row, fields);
		return fields;
	}
	return {
		more: (row) =>
			Object.keys(fieldsOf(row)).map((name) => namedColumn('field', name, (each) => ownOf(fieldsOf(each), name))),
		resolve(name) {
			if (keys.includes(name.split('.')[0] as string)) return undefined;
			const bare = name.replace(/^field\./, '');
			const field = RESERVED.includes(bare) ? bare : name;
			return (row) => ownOf(fieldsOf(row), field) ?? (name === 'ticket_id' ? row.id : undefined);
		},
	};
}

/** A query may leave rows that are none of ours. */
const outcomeIn = ({ outcome }: Row) => outcomes[outcome as OutcomeName] as (typeof outcomes)[OutcomeName] | undefined;

export function outcomeShape({ endpoint }: RunJob, fields: readonly string[]): ResultShape {
	const ids = positionalsOf(endpoint).map(({ name }) => name);
	const idName = endpoint.looksUp !== undefined ? 'id' : (ids.at(-1) as string);
	const keys = outcomeKeys(ids);
	const shown = endpoint.returns === 'object' ? fields.filter((field) => field !== 'password') : [];
	const own = shown.map((field) => namedColumn('body', field, (row) => ownOf(row.body, field)));
	const shape: ResultShape = {
		keys,
		columns: outcomeColumns(endpoint, own),
		holdsResponses: true,
		onPager: false,
		idOf: (row) => (outcomeIn(row)?.passesOn ? row[idName] : undefined),
	};
	switch (endpoint.returns) {
		case 'fields':
			return { ...shape, ...customFields(keys) };
		case 'fields-set':
			// A ticket's ID has two names.
			return { ...shape, resolve: (name) => (name === 'id' ? (row) => row.ticket_id : undefined) };
		case 'object':
		case 'user-id':
		case 'check':
		case 'list':
		case 'any':
			return shape;
	}
}
