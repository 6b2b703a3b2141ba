/** What a line of a plan may contain. A plan may come from elsewhere, so that each line is checked like a command line; and what could not be shown is not sent. */

import { bodyKinds, type Endpoint, endpoints, isOfPasswords, mustBeGiven, nameColumnOf } from '../../api/endpoints.js';
import { taxonomies } from '../../api/fields.js';
import { checkTyped, kinds } from '../../api/kinds.js';
import { isId, isObject, isProblem, nestingProblem, parseId, parseSlug } from '../../api/values.js';
import { type OutcomeName, outcomeNames } from '../../http/outcomes.js';
import type { CalledRecord } from '../called.js';
import { namesOf } from '../held.js';
import { areIds, mayBeSent } from '../journal/header.js';
import type { Json } from '../journal/records.js';
import type { Fields, RunPlan } from '../plan.js';
import type { Planned, PlannedWrite } from '../planned.js';

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
const isCountOrNone = (value: unknown): value is number | undefined => value === undefined || isCount(value);
const isTextOrNone = (value: unknown): value is string | undefined => value === undefined || isText(value);

/** What its lines may have; anything else would be sent, or not, without being shown. */
const PLANNED_KEYS: ReadonlySet<string> = new Set([
	'type',
	'row',
	'line',
	'ids',
	'label',
	'force',
	'reassign',
	'modified',
	'fields',
	'before',
]);

/** A line behind the header. */
export type PlanItem =
	| { readonly is: 'planned'; readonly write: PlannedWrite }
	| { readonly is: 'left'; readonly left: LeftLine }
	| { readonly is: 'called'; readonly called: CalledRecord }
	/** Rows that were left out and are only counted. */
	| { readonly is: 'unlisted'; readonly code: string; readonly rows: number }
	/** What its maker was warned of. */
	| { readonly is: 'warning'; readonly text: string };

export type LineType = PlanItem['is'];

/** @param last the row of the planned line before @returns the line, or a clause about what is wrong with it */
type Read<Type extends LineType> = (
	record: Json,
	plan: RunPlan,
	last: number,
) => Extract<PlanItem, { is: Type }> | string;

/** A type of line that is not here does not compile. */
const readers: { readonly [Type in LineType]: Read<Type> } = {
	planned(record, plan, last) {
		const problem = plannedProblem(record, plan, last);
		if (problem !== undefined) return `row ${record.row} can't be sent: ${problem}`;
		return { is: 'planned', write: plannedWrite(record) };
	},
	left: (record) =>
		isLeft(record) ? { is: 'left', left: leftLine(record) } : `its entry for row ${record.row} can't be read`,
	called(record, plan) {
		if (!isCalled(record, plan)) return "a name in it can't be read";
		return { is: 'called', called: { of: `${record.of}`, id: `${record.id}`, name: `${record.name}` } };
	},
	unlisted: ({ code, rows }) =>
		isText(code) && isCount(rows) ? { is: 'unlisted', code, rows } : "its count of left-out rows can't be read",
	warning: ({ text }) => (isText(text) ? { is: 'warning', text } : "a warning in it can't be read"),
};

export function isLineType(type: unknown): type is LineType {
	return typeof type === 'string' && Object.hasOwn(readers, type);
}

/** @param record of a known type */
export function itemOf(record: Json, plan: RunPlan, last: number): PlanItem | string {
	return isLineType(record.type) ? readers[record.type](record, plan, last) : "a line of it can't be read";
}

function plannedProblem(record: Json, plan: RunPlan, last: number): string | undefined {
	const { row, line, ids, label, force, reassign, modified, fields, before } = record;
	const endpoint = endpoints[plan.endpoint];
	const { values, absent } = isObject(before) ? before : {};
	const strange = Object.keys(record).find((name) => !PLANNED_KEYS.has(name));
	if (strange !== undefined) return `it has a ${JSON.stringify(strange)}`;
	if (!isCount(row) || row <= last) return 'it is out of order';
	if (!isCountOrNone(line)) return "its line isn't a number";
	if (!isObject(ids) || !isObject(fields) || !isObject(values)) return 'it is incomplete';
	if (!Array.isArray(absent) || !absent.every(isText)) return 'it is incomplete';
	if (!isTextOrNone(label) || !isTextOrNone(modified)) return 'one of its labels is not text';
	if (!areIds(ids, endpoint, plan)) return "its ID isn't one";
	const other = Object.keys(ids).find((name) => !idNamesOf(endpoint).includes(name));
	if (other !== undefined) return `its command takes no ${JSON.stringify(other)}`;
	return (
		queryProblem(endpoint, ids, force, reassign) ??
		fieldsProblem(endpoint, fields, plan) ??
		oldProblem(endpoint, fields, { values, absent }) ??
		labelProblem(endpoint, label, values)
	);
}

/** For what has no name beside its ID, a username would pass for what it is called. */
function idNamesOf(endpoint: Endpoint): (string | undefined)[] {
	return [...endpoint.parameters.map(({ name }) => name), nameColumnOf(endpoint)];
}

/** An apply compares old values: a field without one would be sent whatever the object has. */
function oldProblem(
	endpoint: Endpoint,
	fields: Fields,
	{ values, absent }: PlannedWrite['before'],
): string | undefined {
	const untold = Object.keys(fields).find((name) => !Object.hasOwn(values, name) && !absent.includes(name));
	if (untold !== undefined) return `it has no old value of ${JSON.stringify(untold)}`;
	const isEmpty = Object.keys(values).length === 0;
	return endpoint.deletes && isEmpty && !isOfPasswords(endpoint) ? 'it has no old values' : undefined;
}

/** Apply compares a label with the object; nothing that it reads shows this one. */
function labelProblem(endpoint: Endpoint, label: string | undefined, values: Fields): string | undefined {
	if (label === undefined || isOfPasswords(endpoint)) return undefined;
	if (bodyKinds[endpoint.body].areListed) return 'its label is that of a ticket, which is not read';
	return endpoint.deletes && label !== namesOf(values)[0] ? 'its label is not one of its old values' : undefined;
}

function queryProblem(
	{ query }: Endpoint,
	ids: Readonly<Record<string, string>>,
	force: unknown,
	reassign: unknown,
): string | undefined {
	const given: Readonly<Record<string, unknown>> = { force, reassign };
	if (force !== undefined && force !== true) return 'its force is not true';
	if (reassign !== undefined && (!isText(reassign) || isProblem(parseId(reassign)))) return "its receiver isn't an ID";
	for (const name of ['force', 'reassign'] as const) {
		const parameter = query.find((each) => each.name === name);
		if (parameter === undefined && given[name] !== undefined) return `its command has no ${name}`;
		if (parameter !== undefined && given[name] === undefined && mustBeGiven(parameter, ids)) {
			return `${name} is missing`;
		}
	}
	return undefined;
}

function fieldsProblem(endpoint: Endpoint, fields: Fields, plan: RunPlan): string | undefined {
	const names = Object.keys(fields);
	if (!bodyKinds[endpoint.body].isSent) return names.length === 0 ? undefined : 'a delete has no fields';
	if (names.length === 0) return 'it changes nothing';
	for (const name of names) {
		if (!mayBeSent(endpoint, name, plan)) return `${JSON.stringify(name)} isn't a field`;
		const problem = valueProblem(endpoint, name, fields[name], plan);
		if (problem !== undefined) return problem;
	}
	return undefined;
}

const isPlain = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** Undefined for a value that a plan can show, and that a command line could have. */
export function valueProblem(
	endpoint: Endpoint,
	name: string,
	value: unknown,
	{ undocumented }: Pick<RunPlan, 'undocumented'>,
): string | undefined {
	const tooDeep = nestingProblem(value);
	if (tooDeep !== undefined) return `${name}: ${tooDeep}`;
	if (bodyKinds[endpoint.body].areTexts) {
		return isText(value) || undocumented ? undefined : `custom field ${JSON.stringify(name)} isn't a text`;
	}
	const field = endpoint.fields.find((each) => each.name === name);
	// Those that updates would clear are sent as they were shown.
	if (field === undefined) return undefined;
	const { many, isSecret } = kinds[field.kind];
	if (isSecret) return `${name} is secret`;
	const shapes = {
		items: isPlain(value) || (Array.isArray(value) && value.every(isPlain)),
		entries: isPlain(value) || isObject(value) || Array.isArray(value),
		one: isPlain(value),
	};
	if (!shapes[many ?? 'one']) return `${name} has a value that can't be shown`;
	const checked = checkTyped(field, value, { undocumented });
	return isProblem(checked) ? checked.problem : undefined;
}

function plannedWrite({ row, line, ids, label, force, reassign, modified, fields, before }: Json): PlannedWrite {
	const { values, absent } = before as PlannedWrite['before'];
	return {
		row: row as number,
		line: line as number | undefined,
		ids: ids as PlannedWrite['ids'],
		label: label as string | undefined,
		force: force === true ? true : undefined,
		reassign: reassign as string | undefined,
		modified: modified as string | undefined,
		fields: fields as Fields,
		before: { values, absent },
	};
}

interface LeftLine extends Pick<Planned, 'row' | 'line'> {
	readonly ids: Readonly<Record<string, string>>;
	readonly label: string | undefined;
	readonly outcome: OutcomeName;
	readonly code: string | undefined;
	readonly message: string | undefined;
}

function isLeft({ row, line, ids, label, outcome, code, message }: Json): boolean {
	const areTexts = [label, code, message].every(isTextOrNone);
	const hasIds = isObject(ids) && Object.values(ids).every(isText);
	return isCount(row) && isCountOrNone(line) && areTexts && hasIds && outcomeNames.includes(outcome as OutcomeName);
}

function leftLine({ row, line, ids, label, outcome, code, message }: Json): LeftLine {
	return {
		row: row as number,
		line: line as number | undefined,
		ids: ids as LeftLine['ids'],
		label: label as string | undefined,
		outcome: outcome as OutcomeName,
		code: code as string | undefined,
		message: message as string | undefined,
	};
}

function isCalled({ of, id, name }: Json, { undocumented }: RunPlan): boolean {
	const isPlace = of === 'users' || taxonomies.some((each) => each === of);
	return (isPlace || (undocumented && !isProblem(parseSlug(`${of}`)))) && isId(id) && isText(name);
}
