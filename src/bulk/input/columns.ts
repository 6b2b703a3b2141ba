/** What a column of the input does with a cell: puts an id, a field or a parameter into the row that is being read, or says what is wrong. */

import type { Endpoint, PathParameter } from '../../api/endpoints.js';
import type { Field } from '../../api/fields.js';
import {
	checkTyped,
	isObject,
	isProblem,
	kindOf,
	nestingProblem,
	type Parsed,
	parseField,
	parseId,
	parseSlug,
	quote,
	type ValueRules,
} from '../../api/values.js';
import { UsageError } from '../../errors.js';

/** One row while it is put together. */
export interface Draft {
	ids: Record<string, string>;
	force: boolean | undefined;
	reassign: string | undefined;
	/** User names in place of ids. */
	names?: { id?: string; reassign?: string } | undefined;
	/** When the object was changed last, as the input has it. */
	modified?: string | undefined;
	fields: Record<string, unknown>;
	/** What the row itself has said so far, where one key or cell can say several things. */
	seen?: Set<string>;
}

/** What a column does with its cell: stores it in the draft, or says what is wrong. */
export interface CellReader {
	readonly name: string;
	text(cell: string, draft: Draft): string | undefined;
	/** The same for a value of JSON. */
	typed(value: unknown, draft: Draft): string | undefined;
}

type Store<T> = (value: T, draft: Draft) => string | undefined;

/** Notes what a key or a cell means; a problem where an earlier one of the row means the same. */
export function claim(draft: Draft, name: string, means: string): string | undefined {
	draft.seen ??= new Set();
	if (draft.seen.has(means)) return `${quote(name)} means the same as another column or key`;
	draft.seen.add(means);
	return undefined;
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

/** A column whose values are read by their text, without outer spaces; an empty one leaves the row as it is. */
function textColumn(name: string, store: Store<string>): CellReader {
	const text: CellReader['text'] = (cell, draft) => {
		const trimmed = cell.trim();
		return trimmed === '' ? undefined : store(trimmed, draft);
	};
	return {
		name,
		text,
		typed: (value, draft) =>
			text(typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? ''), draft),
	};
}

/** A column whose text has one meaning or none. */
function parsedColumn<T>(
	name: string,
	parse: (text: string) => Parsed<T>,
	store: (value: T, draft: Draft) => void,
): CellReader {
	return textColumn(name, (text, draft) => {
		const parsed = parse(text);
		if (isProblem(parsed)) return `${name} ${parsed.problem}`;
		store(parsed.value, draft);
		return undefined;
	});
}

/** An id column of the path. */
export function idColumn(name: string, parameter: PathParameter): CellReader {
	return parsedColumn(name, parameter.kind === 'id' ? parseId : parseSlug, (value, draft) => {
		draft.ids[parameter.name] = value;
	});
}

/** The user who receives what a deleted one leaves. */
export function reassignColumn(name: string): CellReader {
	return parsedColumn(name, parseId, (value, draft) => {
		draft.reassign = value;
	});
}

const FORCE: Readonly<Record<string, boolean>> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

export function forceColumn(name: string): CellReader {
	const parse = (text: string): Parsed<boolean> => {
		const value = FORCE[text.toLowerCase()];
		return typeof value === 'boolean' ? { value } : { problem: `${quote(text)} is not true or false` };
	};
	return parsedColumn(name, parse, (value, draft) => {
		draft.force = value;
	});
}

/** The column that says which taxonomy, and so which endpoint, a row is about. */
export function taxonomyColumn(name: string, endpointFor: (taxonomy: string) => Endpoint): CellReader {
	return textColumn(name, (text, draft) => {
		try {
			endpointFor(text);
		} catch (error) {
			if (error instanceof UsageError) return error.message;
			throw error;
		}
		draft.ids.taxonomy = text;
		return undefined;
	});
}

/** A user name in place of the id of the row, or of the user who receives. */
export function userNameColumn(name: string, of: 'id' | 'reassign'): CellReader {
	return textColumn(name, (text, draft) => {
		draft.names = { ...draft.names, [of]: text };
		return undefined;
	});
}

/** `modified_gmt`: no field, but what --if-unmodified compares. */
export function modifiedColumn(name: string): CellReader {
	return textColumn(name, (text, draft) => {
		draft.modified = text;
		return undefined;
	});
}

/** A column that is not looked at. */
export function ignoredColumn(name: string): CellReader {
	return { name, text: () => undefined, typed: () => undefined };
}

/** Kinds whose text is passed on as it was written, spaces and all. */
const AS_WRITTEN: ReadonlySet<Field['kind']> = new Set(['text', 'longtext', 'secret']);

/** @param clear whether an empty cell sends "" and does not leave the field alone */
export function fieldColumn(name: string, field: Field, rules: ValueRules, clear: boolean): CellReader {
	const wire = field.name;
	const asWritten = AS_WRITTEN.has(field.kind);
	const store: Store<unknown> = (value, draft) => {
		if (field.kind === 'map' && isObject(value)) return storeKeys(value, draft);
		draft.fields[wire] = value;
		return undefined;
	};
	const storeKeys: Store<Record<string, unknown>> = (value, draft) => {
		for (const key of Object.keys(value)) {
			const problem = claim(draft, `${wire}.${key}`, `${wire}.${key}`);
			if (problem !== undefined) return problem;
		}
		const earlier = draft.fields[wire];
		draft.fields[wire] = isObject(earlier) ? { ...earlier, ...value } : value;
		return undefined;
	};
	return {
		name,
		text: (cell, draft) => {
			const trimmed = cell.trim();
			if (trimmed === '') return clear ? store('', draft) : undefined;
			const parsed = parseField(field, asWritten ? cell : trimmed, rules);
			if (isProblem(parsed)) return parsed.problem;
			return refuse(name, parsed.value) ?? store(parsed.value, draft);
		},
		typed: (value, draft) => {
			const parsed = checkTyped(field, value, rules);
			if (isProblem(parsed)) return parsed.problem;
			return refuse(name, value) ?? store(parsed.value, draft);
		},
	};
}

/** A column whose cells are kept as they were written. */
function writtenColumn(name: string, clear: boolean, store: Store<unknown>): CellReader {
	return {
		name,
		text: (cell, draft) => {
			if (cell.trim() === '') return clear ? store('', draft) : undefined;
			return refuse(name, cell) ?? store(cell, draft);
		},
		typed: (value, draft) => refuse(name, value) ?? store(value, draft),
	};
}

/** `meta.KEY`: one key of a map field. */
export function mapKeyColumn(name: string, field: Field, key: string, clear: boolean): CellReader {
	return writtenColumn(name, clear, (value, draft) => {
		const problem = claim(draft, name, `${field.name}.${key}`);
		if (problem !== undefined) return problem;
		const earlier = draft.fields[field.name];
		draft.fields[field.name] = { ...(isObject(earlier) ? earlier : {}), [key]: value };
		return undefined;
	});
}

/** A custom field; the interface maps names to strings (section 2.1). */
export function customColumn(name: string, field: string, rules: ValueRules, clear: boolean): CellReader {
	return writtenColumn(name, clear, (value, draft) => {
		if (typeof value !== 'string' && !rules.undocumented) {
			return `custom field ${quote(name)} is ${kindOf(value)}; custom fields hold strings`;
		}
		// By assignment it would be the prototype.
		if (field === '__proto__') draft.fields = { ...draft.fields, [field]: value };
		else draft.fields[field] = value;
		return undefined;
	});
}

/** NDJSON in the shape of the request: `{"ticket_id": 14, "custom_fields": {"color": "red"}}`. */
export function customObjectColumn(name: string, one: (field: string) => CellReader): CellReader {
	return {
		...one(name),
		typed: (value, draft) => {
			if (!isObject(value)) return one(name).typed(value, draft);
			for (const key of Object.keys(value)) {
				const problem = claim(draft, key, `field ${key}`) ?? one(key).typed(value[key], draft);
				if (problem !== undefined) return problem;
			}
			return undefined;
		},
	};
}
