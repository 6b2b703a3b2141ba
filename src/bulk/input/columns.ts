/** What a column of the input does with a cell: puts an id, a field or a parameter into the row that is being read, or says what is wrong. */

import type { Endpoint, PathParameter } from '../../api/endpoints.js';
import type { Field } from '../../api/fields.js';
import {
	checkTyped,
	isObject,
	isProblem,
	kindOf,
	parseField,
	parseId,
	parseSlug,
	quote,
	type ValueRules,
} from '../../api/values.js';
import { UsageError } from '../../errors.js';

/** How deep a value may be nested: far beyond use, and far from what JSON.stringify can't follow. */
const MAX_DEPTH = 32;

/** One row while it is put together. */
export interface Draft {
	ids: Record<string, string>;
	force: boolean | undefined;
	reassign: string | undefined;
	/** User names in place of ids. */
	names?: { id?: string; reassign?: string };
	/** When the object was changed last, as the input has it. */
	modified?: string | undefined;
	fields: Record<string, unknown>;
	/** What the row itself has said so far, where one key or cell can say several things. */
	seen?: Set<string> | undefined;
}

/** Notes what a key or a cell means; a problem where an earlier one of the row means the same. */
export function claim(draft: Draft, name: string, means: string): string | undefined {
	draft.seen ??= new Set();
	if (draft.seen.has(means)) return `${quote(name)} means the same as another column or key`;
	draft.seen.add(means);
	return undefined;
}

/** What a column does with its cell: stores it in the draft, or says what is wrong. */
export interface CellReader {
	readonly name: string;
	text(cell: string, draft: Draft): string | undefined;
	typed(value: unknown, draft: Draft): string | undefined;
}

/** Sets a key whatever its name: `__proto__` is a name like any other. */
export function put(record: Record<string, unknown>, name: string, value: unknown): void {
	if (name === '__proto__') {
		Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
	} else {
		record[name] = value;
	}
}

export function copyOf(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const copy: Record<string, unknown> = {};
	for (const name of Object.keys(record)) put(copy, name, record[name]);
	return copy;
}

/** What `run rejects` prints for a secret. Sent back, it would become the secret. */
export const PLACEHOLDER = '[redacted]';

/** Why a value can't be sent whatever its field, or undefined. */
function unsendable(value: unknown, left = MAX_DEPTH): string | undefined {
	if (value === PLACEHOLDER) return `is the placeholder ${PLACEHOLDER}; put the value itself there`;
	if (typeof value !== 'object' || value === null) return undefined;
	if (left === 0) return `is nested deeper than ${MAX_DEPTH} levels`;
	for (const each of Object.values(value)) {
		const problem = unsendable(each, left - 1);
		if (problem !== undefined) return problem;
	}
	return undefined;
}

/** A complaint about a value that can't be sent. */
function refuse(name: string, value: unknown): string | undefined {
	const problem = unsendable(value);
	return problem === undefined ? undefined : `${name} ${problem}`;
}

/** Takes one text into the draft, or says what is wrong with it. */
type Store = (text: string, draft: Draft) => string | undefined;

/** A cell whose blanks do not count; an empty one leaves the row as it is. */
const trimmed =
	(store: Store): CellReader['text'] =>
	(cell, draft) => {
		const text = cell.trim();
		return text === '' ? undefined : store(text, draft);
	};

/** How much of a rejected value a message repeats. */
const SHOWN = 60;

/** A value that is no string, as it stands in the input. */
function shown(value: unknown): string {
	const json = JSON.stringify(value);
	return json.length > SHOWN ? `${json.slice(0, SHOWN)}…` : json;
}

/** A value of any type that is read by its text; null and "" leave the row as it is. */
const asText =
	(store: Store): CellReader['typed'] =>
	(value, draft) => {
		if (value === null || value === '') return undefined;
		if (typeof value === 'string') return store(value.trim(), draft);
		const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
		// Complaints quote the text, and this value has no quotes.
		return store(text, draft)?.replace(quote(text), () => shown(value));
	};

/** An id column of the path. */
export function idColumn(name: string, parameter: PathParameter): CellReader {
	const isId = parameter.kind === 'id';
	const parse = isId ? parseId : parseSlug;
	const store: Store = (text, draft) => {
		const parsed = parse(text);
		if (isProblem(parsed)) return `${name} ${parsed.problem}`;
		draft.ids[parameter.name] = parsed.value;
		return undefined;
	};
	const read = asText(store);
	return {
		name,
		text: trimmed(store),
		typed: (value, draft) => {
			const fits = value === null || typeof value === 'string' || (isId && typeof value === 'number');
			if (fits) return read(value, draft);
			return `${name} ${shown(value)} is not ${isId ? 'an id' : 'a slug'}`;
		},
	};
}

/** The column that says which taxonomy, and so which endpoint, a row is about. */
export function taxonomyColumn(name: string, endpointFor: (taxonomy: string) => Endpoint): CellReader {
	const store: Store = (text, draft) => {
		try {
			endpointFor(text);
		} catch (error) {
			if (error instanceof UsageError) return error.message;
			throw error;
		}
		draft.ids.taxonomy = text;
		return undefined;
	};
	return {
		name,
		text: trimmed(store),
		typed: (value, draft) =>
			typeof value === 'string' ? store(value.trim(), draft) : `${name} ${shown(value)} is not a name`,
	};
}

const FORCE: ReadonlyMap<string, boolean> = new Map([
	['true', true],
	['yes', true],
	['1', true],
	['false', false],
	['no', false],
	['0', false],
]);

export function forceColumn(name: string): CellReader {
	const store: Store = (text, draft) => {
		const value = FORCE.get(text.toLowerCase());
		if (value === undefined) return `${name} ${quote(text)} is not true or false`;
		draft.force = value;
		return undefined;
	};
	return { name, text: trimmed(store), typed: asText(store) };
}

export function reassignColumn(name: string): CellReader {
	const store: Store = (text, draft) => {
		const parsed = parseId(text);
		if (isProblem(parsed)) return `${name} ${parsed.problem}`;
		draft.reassign = parsed.value;
		return undefined;
	};
	return { name, text: trimmed(store), typed: asText(store) };
}

/** A user name in place of the id of the row, or of the user who receives. */
export function userNameColumn(name: string, of: 'id' | 'reassign'): CellReader {
	const store: Store = (text, draft) => {
		draft.names = { ...draft.names, [of]: text };
		return undefined;
	};
	return { name, text: trimmed(store), typed: asText(store) };
}

/** `modified_gmt`: no field, but what --if-unmodified compares. */
export function modifiedColumn(name: string): CellReader {
	const store: Store = (text, draft) => {
		draft.modified = text;
		return undefined;
	};
	return { name, text: trimmed(store), typed: asText(store) };
}

/** Kinds whose text is passed on as it was written, blanks and all. */
const AS_WRITTEN: ReadonlySet<Field['kind']> = new Set(['text', 'longtext', 'secret']);

function joinMaps(earlier: unknown, later: unknown): unknown {
	if (!isObject(earlier) || !isObject(later)) return later;
	const joined = copyOf(earlier);
	for (const key of Object.keys(later)) put(joined, key, later[key]);
	return joined;
}

export function fieldColumn(name: string, field: Field, rules: ValueRules, clear: boolean): CellReader {
	const asWritten = AS_WRITTEN.has(field.kind);
	const isMap = field.kind === 'map';
	const wire = field.name;
	// Cells of a column repeat: what came of the last text is kept, unless it is an object that a later step could change.
	let lastText: string | undefined;
	let lastValue: unknown;
	let lastProblem: string | undefined;
	const read = (cell: string, trimmed: string): string | undefined => {
		const parsed = parseField(field, asWritten ? cell : trimmed, rules);
		if (isProblem(parsed)) return parsed.problem;
		lastValue = parsed.value;
		return refuse(name, parsed.value);
	};
	const store = (value: unknown, draft: Draft): string | undefined => {
		if (isMap && isObject(value)) {
			for (const key of Object.keys(value)) {
				const problem = claim(draft, `${wire}.${key}`, `${wire}.${key}`);
				if (problem !== undefined) return problem;
			}
		}
		draft.fields[wire] = isMap ? joinMaps(draft.fields[wire], value) : value;
		return undefined;
	};
	return {
		name,
		text: (cell, draft) => {
			if (cell !== lastText) {
				const trimmed = cell.trim();
				if (trimmed === '') return clear ? store('', draft) : undefined;
				lastProblem = read(cell, trimmed);
				lastText = lastProblem === undefined && typeof lastValue === 'object' ? undefined : cell;
			}
			return lastProblem ?? store(lastValue, draft);
		},
		typed: (value, draft) => {
			const parsed = checkTyped(field, value, rules);
			if (isProblem(parsed)) return parsed.problem;
			return refuse(name, value) ?? store(parsed.value, draft);
		},
	};
}

/** A column whose cells are kept as they were written; an empty one is left alone, or sent as "" under `clear`. */
function writtenColumn(
	name: string,
	clear: boolean,
	store: (value: unknown, draft: Draft) => string | undefined,
): Pick<CellReader, 'name' | 'text'> {
	return {
		name,
		text: (cell, draft) => {
			if (cell.trim() === '') return clear ? store('', draft) : undefined;
			return refuse(name, cell) ?? store(cell, draft);
		},
	};
}

/** `meta.KEY`: one key of a map field. */
export function mapKeyColumn(name: string, field: Field, key: string, clear: boolean): CellReader {
	const store = (value: unknown, draft: Draft): string | undefined => {
		const problem = claim(draft, name, `${field.name}.${key}`);
		if (problem !== undefined) return problem;
		const earlier = draft.fields[field.name];
		const map = isObject(earlier) ? copyOf(earlier) : {};
		put(map, key, value);
		draft.fields[field.name] = map;
		return undefined;
	};
	return {
		...writtenColumn(name, clear, store),
		typed: (value, draft) => refuse(name, value) ?? store(value, draft),
	};
}

/** A custom field; the interface maps names to strings (section 2.1). */
export function customColumn(name: string, field: string, rules: ValueRules, clear: boolean): CellReader {
	const store = (value: unknown, draft: Draft): undefined => {
		put(draft.fields, field, value);
	};
	return {
		...writtenColumn(name, clear, store),
		typed: (value, draft) => {
			const problem = refuse(name, value);
			if (problem !== undefined) return problem;
			if (typeof value === 'string' || rules.undocumented) return store(value, draft);
			return `custom field ${quote(name)} is ${kindOf(value)}; custom fields hold strings`;
		},
	};
}

/** NDJSON in the shape of the request: `{"ticket_id": 14, "custom_fields": {"color": "red"}}`. */
export function customObjectColumn(name: string, one: (field: string) => CellReader): CellReader {
	return {
		name,
		text: (cell, draft) => one(name).text(cell, draft),
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

/** A column that is not looked at. */
export function ignoredColumn(name: string): CellReader {
	return { name, text: () => undefined, typed: () => undefined };
}
