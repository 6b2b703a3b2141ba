/** What a column of the input does with a cell: puts an id, a field or a parameter into the row that is being read, or says what is wrong. */

import type { Field } from '../../api/fields.js';
import type { RowValues } from '../../api/plan.js';
import {
	checkTyped,
	isObject,
	isProblem,
	kindOf,
	nestingProblem,
	type Parsed,
	parseField,
	quote,
	type ValueRules,
} from '../../api/values.js';

/** One row while it is read. */
export interface Draft extends RowValues {
	ids: Record<string, string>;
	fields: Record<string, unknown>;
	/** What the row itself has said so far, where one key or cell can say several things. */
	seen?: Set<string> | undefined;
}

/** Each stores a cell, or a value of JSON, in the row, or says what is wrong with it. */
export interface Column {
	readonly name: string;
	text(cell: string, row: Draft): string | undefined;
	typed(value: unknown, row: Draft): string | undefined;
}

/** Notes what a key or a cell means; a problem where an earlier one of the row means the same. */
export function claim(row: Draft, name: string, means: string): string | undefined {
	row.seen ??= new Set();
	if (row.seen.has(means)) return `${quote(name)} means the same as another column or key`;
	row.seen.add(means);
	return undefined;
}

/** A column that is read by its text, without outer spaces; an empty one leaves the row as it is. */
export function textColumn<T>(
	name: string,
	parse: (text: string) => Parsed<T>,
	store: (row: Draft, value: T) => void,
): Column {
	const text: Column['text'] = (cell, row) => {
		const trimmed = cell.trim();
		if (trimmed === '') return undefined;
		const parsed = parse(trimmed);
		if (isProblem(parsed)) return `${name} ${parsed.problem}`;
		store(row, parsed.value);
		return undefined;
	};
	const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
	return { name, text, typed: (value, row) => text(textOf(value ?? ''), row) };
}

/** What `run rejects` prints for a secret. Sent back, it would become the secret. */
export const PLACEHOLDER = '[redacted]';

/** Why a value can't be sent whatever its field is. */
function refuse(name: string, value: unknown): string | undefined {
	const isNested = typeof value === 'object' && value !== null;
	const tooDeep = isNested ? nestingProblem(value) : undefined;
	if (tooDeep !== undefined) return `${name}: ${tooDeep}`;
	const holds = isNested ? JSON.stringify(value).includes(`"${PLACEHOLDER}"`) : value === PLACEHOLDER;
	return holds ? `${name} is the placeholder ${PLACEHOLDER}; put the value itself there` : undefined;
}

/** A column of values that are sent. @param clear whether an empty cell sends "" and does not leave the field alone */
function valueColumn(
	name: string,
	clear: boolean,
	parse: { text(cell: string): Parsed<unknown>; typed(value: unknown): Parsed<unknown> },
	store: (row: Draft, value: unknown) => string | undefined,
): Column {
	const put = (parsed: Parsed<unknown>, row: Draft): string | undefined => {
		if (isProblem(parsed)) return parsed.problem;
		return refuse(name, parsed.value) ?? store(row, parsed.value);
	};
	return {
		name,
		text: (cell, row) => {
			if (cell.trim() === '') return clear ? put(parse.typed(''), row) : undefined;
			return put(parse.text(cell), row);
		},
		typed: (value, row) => put(parse.typed(value), row),
	};
}

/** Kinds whose text is passed on as it was written, spaces and all. */
const AS_WRITTEN: ReadonlySet<Field['kind']> = new Set(['text', 'longtext', 'secret']);

export function fieldColumn(name: string, field: Field, rules: ValueRules, clear: boolean): Column {
	const asWritten = AS_WRITTEN.has(field.kind);
	const parse = {
		text: (cell: string) => parseField(field, asWritten ? cell : cell.trim(), rules),
		typed: (value: unknown) => checkTyped(field, value, rules),
	};
	return valueColumn(name, clear, parse, (row, value) => {
		if (field.kind === 'map' && isObject(value)) return putKeys(row, field, value);
		row.fields[field.name] = value;
		return undefined;
	});
}

/** Adds keys to a map field; `name` is the column that gives them, where it names one key. */
function putKeys(row: Draft, { name: wire }: Field, values: Record<string, unknown>, name?: string) {
	for (const key of Object.keys(values)) {
		const problem = claim(row, name ?? `${wire}.${key}`, `${wire}.${key}`);
		if (problem !== undefined) return problem;
	}
	const earlier = row.fields[wire];
	row.fields[wire] = isObject(earlier) ? { ...earlier, ...values } : values;
	return undefined;
}

export const asItIs = <T>(value: T): Parsed<T> => ({ value });

/** `meta.KEY`: one key of a map field. */
export function mapKeyColumn(name: string, field: Field, key: string, clear: boolean): Column {
	return valueColumn(name, clear, { text: asItIs, typed: asItIs }, (row, value) =>
		putKeys(row, field, { [key]: value }, name),
	);
}

/** A custom field; the interface maps names to strings (section 2.1). */
export function customColumn(name: string, field: string, rules: ValueRules, clear: boolean): Column {
	const typed = (value: unknown): Parsed<unknown> => {
		if (typeof value === 'string' || rules.undocumented) return { value };
		return { problem: `custom field ${quote(name)} is ${kindOf(value)}; custom fields hold strings` };
	};
	return valueColumn(name, clear, { text: asItIs, typed }, (row, value) => {
		// By assignment it would be the prototype.
		if (field === '__proto__') row.fields = { ...row.fields, [field]: value };
		else row.fields[field] = value;
		return undefined;
	});
}

/** NDJSON in the shape of the request: `{"ticket_id": 14, "custom_fields": {"color": "red"}}`. */
export function customObjectColumn(name: string, one: (field: string) => Column): Column {
	return {
		...one(name),
		typed: (value, row) => {
			if (!isObject(value)) return one(name).typed(value, row);
			for (const key of Object.keys(value)) {
				const problem = claim(row, key, `field ${key}`) ?? one(key).typed(value[key], row);
				if (problem !== undefined) return problem;
			}
			return undefined;
		},
	};
}
