/** What a column does with a cell: an ID, a field or a parameter of the row. */

import type { Field } from '../../api/fields.js';
import type { RowValues } from '../../api/plan.js';
import {
	checkTyped,
	isObject,
	isProblem,
	kindOf,
	type Parsed,
	parseField,
	quote,
	type ValueRules,
} from '../../api/values.js';

export interface Draft extends RowValues {
	ids: Record<string, string>;
	fields: Record<string, unknown>;
	/** What the keys of a JSON row mean, to find two that mean the same. */
	seen?: Set<string> | undefined;
}

/** Puts a cell into the row. @returns what is wrong with it */
export interface Column {
	readonly name: string;
	text(cell: string, row: Draft): string | undefined;
	typed(value: unknown, row: Draft): string | undefined;
}

export function claim(row: Draft, name: string, means: string): string | undefined {
	row.seen ??= new Set();
	if (row.seen.has(means)) return `${quote(name)} is the same field as another column or key`;
	row.seen.add(means);
	return undefined;
}

/** An empty cell leaves the row as it is. */
export function textColumn<T>(
	name: string,
	parse: (text: string) => Parsed<T>,
	store: (row: Draft, value: T) => void,
): Column {
	const text: Column['text'] = (cell, row) => {
		const trimmed = cell.trim();
		if (trimmed === '') return undefined;
		const parsed = parse(trimmed);
		if (isProblem(parsed)) return `${name}: ${parsed.problem}`;
		store(row, parsed.value);
		return undefined;
	};
	const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
	return { name, text, typed: (value, row) => text(textOf(value ?? ''), row) };
}

/** Printed by `run rejects` for secrets; it must not become one. */
export const PLACEHOLDER = '[redacted]';

function holdsPlaceholder(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return value === PLACEHOLDER;
	return JSON.stringify(value).includes(`"${PLACEHOLDER}"`);
}

/** @param clear an empty cell sends "" */
function valueColumn(
	name: string,
	clear: boolean,
	parse: { text(cell: string): Parsed<unknown>; typed(value: unknown): Parsed<unknown> },
	store: (row: Draft, value: unknown) => void,
): Column {
	const put = (parsed: Parsed<unknown>, row: Draft): string | undefined => {
		if (isProblem(parsed)) return parsed.problem;
		const { value } = parsed;
		if (holdsPlaceholder(value)) return `${name} is the placeholder ${PLACEHOLDER}; replace it with the actual value`;
		store(row, value);
		return undefined;
	};
	return {
		name,
		text: (cell, row) => {
			if (cell.trim() !== '') return put(parse.text(cell), row);
			return clear ? put(parse.typed(''), row) : undefined;
		},
		typed: (value, row) => put(parse.typed(value), row),
	};
}

/** Kinds that keep the spaces around a cell. */
const AS_WRITTEN: ReadonlySet<Field['kind']> = new Set(['text', 'longtext', 'secret']);

export function fieldColumn(name: string, field: Field, rules: ValueRules, clear: boolean): Column {
	const asWritten = AS_WRITTEN.has(field.kind);
	const parse = {
		text: (cell: string) => parseField(field, asWritten ? cell : cell.trim(), rules),
		typed: (value: unknown) => checkTyped(field, value, rules),
	};
	return valueColumn(name, clear, parse, ({ fields }, value) => {
		const earlier = fields[field.name];
		const isMap = field.kind === 'map' && isObject(value) && isObject(earlier);
		fields[field.name] = isMap ? { ...earlier, ...value } : value;
	});
}

export const asItIs = <T>(value: T): Parsed<T> => ({ value });

export function customColumn(name: string, field: string, rules: ValueRules, clear: boolean): Column {
	const typed = (value: unknown): Parsed<unknown> => {
		if (typeof value === 'string' || rules.undocumented) return { value };
		return { problem: `custom field ${quote(name)} is ${kindOf(value)}; custom fields hold strings` };
	};
	return valueColumn(name, clear, { text: asItIs, typed }, (row, value) => {
		// Assigning it would set the prototype.
		if (field === '__proto__') row.fields = { ...row.fields, [field]: value };
		else row.fields[field] = value;
	});
}
