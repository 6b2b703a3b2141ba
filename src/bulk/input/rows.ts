/** A header → a function that turns a raw row into a request's values, or complaints. */

import { type Endpoint, numberedIdNames } from '../../api/endpoints.js';
import { type Field, flagName } from '../../api/fields.js';
import type { RowValues } from '../../api/plan.js';
import { showsModified } from '../../api/reads.js';
import { didYouMean, nearest } from '../../api/suggest.js';
import { looksLikeNumber, type Parsed, parseId, parseSlugOrName, quote, type ValueRules } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { ColumnSettings } from '../run/plan.js';
import {
	asItIs,
	type Column,
	claim,
	customColumn,
	customObjectColumn,
	type Draft,
	fieldColumn,
	mapKeyColumn,
	textColumn,
} from './columns.js';
import { looseName, shellQuoted, usualField } from './headers.js';
import type { RawRow } from './input.js';

export interface CompileOptions extends Partial<ColumnSettings> {
	readonly name: string;
	/** Undefined for objects and IDs. */
	readonly columns: readonly string[] | undefined;
	readonly headerLine?: number | undefined;
	/** With `endpointFor`, it stands for all. */
	readonly endpoint: Endpoint;
	/** @throws UsageError */
	readonly endpointFor?: (taxonomy: string) => Endpoint;
	readonly rules: ValueRules;
	/** Other names come back as they are. */
	readonly fieldIn?: (name: string) => string;
	readonly flags?: Partial<RowValues>;
	/** Rows without a field have something to send. */
	readonly changesLists?: boolean;
}

export interface Complaint {
	row: number;
	line: number | undefined;
	/** Undefined if the whole row is wrong. */
	column: string | undefined;
	message: string;
	/** As far as they could be read. */
	ids?: Readonly<Record<string, string>>;
}

/** An array is complaints. A row that changes nothing has empty `fields`. */
export type RowReader = (raw: RawRow) => RowValues | Complaint[];

/** `row 812 (edits.csv line 813): status "hodl" …` */
export function formatComplaint({ row, line, column, message }: Complaint, name: string): string {
	const place = line === undefined ? '' : ` (${name} line ${line})`;
	// Most messages begin with the field.
	const isNamed = column === undefined || message.startsWith(`${column} `) || message.includes(quote(column));
	return `row ${row}${place}: ${isNamed ? '' : `column ${quote(column)}: `}${message}`;
}

/** `rejected_because` if the input sends its own `error`: a reason must never become a value. */
export function reasonColumn(isTaken: (name: string) => boolean): string {
	let free = isTaken('error') ? 'rejected_because' : 'error';
	for (let number = 2; isTaken(free); number++) free = `rejected_because_${number}`;
	return free;
}

/** Also of runs with different flags. */
const REASON_COLUMN = /^(?:error|rejected_because(?:_\d+)?)$/;

/** Added by `ticket fields get`. */
const OUTCOME_COLUMNS: readonly string[] = ['outcome', 'message'];

const FORCE: Readonly<Record<string, boolean>> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

function parseForce(text: string): Parsed<boolean> {
	const value = FORCE[text.toLowerCase()];
	return typeof value === 'boolean' ? { value } : { problem: `${quote(text)} is not true or false` };
}

/** Equal names clash. */
interface Meaning {
	readonly name: string;
	readonly means: string;
	/** @param name as spelled in the input */
	column(name: string): Column;
}

function meaningsOf({ endpoint, endpointFor, rules, blank }: CompileOptions): ReadonlyMap<string, Meaning> {
	const { parameters, query, fields, body, method, noun } = endpoint;
	const known = new Map<string, Meaning>();
	const add = (name: string, means: string, column: Meaning['column']): void => {
		known.set(flagName(name.toLowerCase()), { name, means, column });
	};
	type Store<T> = (row: Draft, value: T) => void;
	const addText = <T>(name: string, parse: (text: string) => Parsed<T>, store: Store<T>, means = name): void => {
		add(name, means, (column) => textColumn(column, parse, store));
	};
	for (const field of body === 'fields' ? fields : []) {
		add(field.name, `field ${field.name}`, (column) => fieldColumn(column, field, rules, blank === 'clear'));
	}
	if (showsModified(endpoint)) addText('modified_gmt', asItIs<string>, (row, time) => (row.modified = time));
	const addId = (name: string, parameter: string, parse = parseId): void => {
		addText(
			name,
			(text) => (looksLikeNumber(text) || parse !== parseId ? parse(text) : { value: text }),
			(row, text) => {
				if (!looksLikeNumber(text)) row.names = { ...row.names, [parameter]: text };
				else if (parameter === 'reassign') row.reassign = text;
				else row.ids[parameter] = text;
			},
			parameter,
		);
	};
	if (query.some(({ name }) => name === 'reassign')) addId('reassign', 'reassign');
	// Rows of other taxonomies may take `force`.
	if (query.some(({ name }) => name === 'force') || (endpointFor !== undefined && method === 'DELETE')) {
		addText('force', parseForce, (row, force) => (row.force = force));
	}
	if (endpointFor !== undefined) {
		const parse = (text: string): Parsed<string> => {
			try {
				endpointFor(text);
				return { value: text };
			} catch (error) {
				if (error instanceof UsageError) return { problem: `${quote(text)}: ${error.message}` };
				throw error;
			}
		};
		addText('taxonomy', parse, (row, text) => (row.ids.taxonomy = text));
	}
	for (const { name, kind, names } of parameters) {
		const isOnlyId = parameters.length === 1 && numberedIdNames.has(`${noun}_id`);
		for (const each of isOnlyId ? ['id', `${noun}_id`] : [name]) {
			const parse = kind === 'id' ? parseId : parseSlugOrName;
			if (names !== undefined) addId(each, name, parse);
			else addText(each, parse, (row, id) => (row.ids[name] = id), name);
		}
		// If it isn't a field.
		if (names === 'users' && !known.has('username')) {
			addText('username', asItIs<string>, (row, text) => (row.names = { ...row.names, [name]: `@${text}` }));
		}
	}
	return known;
}

const ignored = (name: string): Column => ({ name, text: () => undefined, typed: () => undefined });

function createLookUp(options: CompileOptions) {
	const { endpoint, rules, columns = [], fieldIn = (name) => name, idColumn, blank, map = {} } = options;
	const { ignore = [], ignoreOther = false } = options;
	const left = new Set(ignore);
	const known = meaningsOf(options);
	const isCustom = endpoint.body === 'custom_fields';
	const clear = blank === 'clear';
	/** Of --id-column, and of a list of IDs. */
	const rowId = (endpoint.parameters.at(-1) ?? (endpoint.fields[0] as Field)).name;
	const byFlagName = (name: string): Meaning | undefined => known.get(flagName(name.trim().toLowerCase()));
	const loose = new Map([...known.values()].reverse().map((each) => [looseName(each.name), each]));
	/** Keys of JSON come from programs. */
	const byHeader = (name: string): Meaning | undefined => {
		if (options.columns === undefined || Object.hasOwn(map, name)) return undefined;
		return loose.get(looseName(name)) ?? byFlagName(usualField(name) ?? '');
	};
	const mappedName = (name: string): string => (Object.hasOwn(map, name) ? (map[name] as string) : name);

	const meaningOf = (name: string): { column: Column; means: string; name?: string } | undefined => {
		// No dialect translates custom fields.
		const wanted = isCustom ? mappedName(name) : fieldIn(mappedName(name).trim());
		const own = idColumn === name ? rowId : wanted;
		const found = byFlagName(own) ?? byHeader(own);
		if (found !== undefined) return { column: found.column(name), means: found.means, name: found.name };
		if (isCustom && (options.columns !== undefined || wanted !== 'custom_fields')) {
			return { column: customColumn(name, wanted, rules, clear), means: `field ${wanted}` };
		}
		if (isCustom) {
			return { column: customObjectColumn(name, (field) => customColumn(field, field, rules, clear)), means: wanted };
		}
		const [, start = '', key = ''] = /^([^.]+)\.(.+)$/s.exec(wanted) ?? [];
		const field = endpoint.fields.find((each) => each.kind === 'map' && each.name === byFlagName(start)?.name);
		if (field === undefined) return undefined;
		return { column: mapKeyColumn(name, field, key, clear), means: `field ${field.name}.${key}` };
	};

	const isSheet = isCustom && OUTCOME_COLUMNS.every((each) => columns.includes(each));
	/** Named by a flag, or added by our own commands. */
	const isIgnored = (name: string): boolean => {
		if (left.has(name) || (ignoreOther && meaningOf(name) === undefined)) return true;
		if (Object.hasOwn(map, name) || idColumn === name) return false;
		if (REASON_COLUMN.test(name)) return true;
		return isSheet && OUTCOME_COLUMNS.includes(name);
	};

	return {
		isIgnored,
		find: (name: string) => (isIgnored(name) ? { column: ignored(name), means: ` ${name}` } : meaningOf(name)),
		unknown(name: string): string {
			const mapped = mappedName(name);
			const suggestion = didYouMean(
				mapped,
				Array.from(known.values(), (each) => each.name),
			);
			if (mapped === name) return `unknown column ${quote(name)}${suggestion}`;
			return `column ${quote(name)} is mapped to ${quote(mapped)}, which is not a field of ${endpoint.noun}${suggestion}`;
		},
		/** For `--map`. */
		likely(name: string): string {
			const names = Array.from(known.values(), (each) => each.name);
			const word = looseName(name);
			const part = word.length < 4 ? undefined : names.find((each) => looseName(each).includes(word));
			return nearest(name, names) ?? part ?? 'FIELD';
		},
		idOnly: byFlagName(rowId)?.column(rowId) as Column,
	};
}

const NAMED_COLUMNS = 20;

/** Spelled differently from its field. */
export interface Matched {
	readonly column: string;
	readonly field: string;
}

/** @throws UsageError with all that is wrong */
function compileHeader(
	header: readonly string[],
	options: CompileOptions,
	lookUp: ReturnType<typeof createLookUp>,
): { columns: Column[]; matched: Matched[] } {
	const { endpoint, flags = {}, map = {}, idColumn: own, name: input, headerLine: line } = options;
	const present = new Set(header);
	const problems = [...Object.keys(map), ...(own === undefined ? [] : [own])]
		.filter((name) => !present.has(name))
		.map((name) => `missing column ${quote(name)}${didYouMean(name, header)}`);
	const meanings = new Map<string, string>();
	const unknown: string[] = [];
	const columns: Column[] = [];
	const matched: Matched[] = [];
	for (const name of header) {
		const found = lookUp.find(name);
		if (found === undefined) {
			unknown.push(name);
			if (unknown.length <= NAMED_COLUMNS) problems.push(lookUp.unknown(name));
			continue;
		}
		const earlier = meanings.get(found.means);
		if (earlier !== undefined) problems.push(`columns ${quote(earlier)} and ${quote(name)} are the same field`);
		meanings.set(found.means, name);
		columns.push(found.column);
		const { name: field } = found;
		const isLoose = field !== undefined && flagName(field) !== flagName(name.toLowerCase());
		if (isLoose && !Object.hasOwn(map, name) && name !== own) matched.push({ column: name, field });
	}
	if (unknown.length > NAMED_COLUMNS) problems.push(`${unknown.length - NAMED_COLUMNS} more unknown columns`);
	let missing: string | undefined;
	for (const { name, names } of endpoint.parameters) {
		const isGiven = meanings.has(name) || flags.ids?.[name] !== undefined;
		if (isGiven || (names === 'users' && meanings.has('username'))) continue;
		missing ??= name;
		problems.push(`missing column ${quote(name)}${didYouMean(name, unknown)}`);
	}
	const sends = endpoint.body !== 'none' && endpoint.returns !== 'user-id';
	const hasField =
		options.changesLists === true ||
		Object.keys(flags.fields ?? {}).length > 0 ||
		[...meanings.keys()].some((each) => each.startsWith('field '));
	if (problems.length === 0 && sends && !hasField) {
		problems.push('nothing to send: no column matches a field, and no flag sets one');
	}
	if (problems.length === 0) return { columns, matched };
	const place = `${input}${line === undefined ? '' : ` line ${line}`}`;
	if (missing !== undefined && header.some(looksLikeNumber)) {
		const example = endpoint.fields.find(({ name }) => ['status', 'title', 'name'].includes(name));
		throw new UsageError(`${place}: this file has no header`, {
			code: 'invalid_input',
			hint: `add a header line with the column names, such as ${missing},${example?.name ?? 'name'}`,
			data: { file: input, line: line ?? 1 },
		});
	}
	const [first, ...details] = problems;
	const named = unknown.slice(0, NAMED_COLUMNS);
	const ofUnknown = [
		`to ignore ${unknown.length === 1 ? 'it' : 'them'}: --ignore-column ${shellQuoted(named.join(','))}`,
		`to send ${named.length === 1 ? 'it' : 'one'}: --map ${shellQuoted(`${named[0]}=${lookUp.likely(named[0] ?? '')}`)}`,
	].join('; ');
	const byUsername = header.find((name) => lookUp.find(name)?.name === 'username');
	const column = byUsername === undefined ? `COLUMN=${missing}` : shellQuoted(`${byUsername}=${missing}`);
	const ofMissing = missing && `if the column has a different name: --map ${column}`;
	throw new UsageError(`${place}: ${first}`, {
		code: 'invalid_input',
		details,
		hint: unknown.length > 0 ? ofUnknown : ofMissing,
		data: { file: input, line: line ?? 1 },
	});
}

function rowProblem({ ids, names, fields, force, reassign }: Draft, options: CompileOptions): string | undefined {
	const { endpoint, endpointFor, flags = {} } = options;
	for (const { name } of endpoint.parameters) {
		const isNamed = names?.[name] !== undefined;
		if (ids[name] === undefined && !isNamed) return `${name} is missing`;
		const isBoth = isNamed && ids[name] !== undefined && ids[name] !== flags.ids?.[name];
		if (isBoth) return `has both ${name} and username`;
	}
	if (endpointFor !== undefined && ids.taxonomy === undefined) return 'taxonomy is missing';
	const { query } = endpointFor === undefined ? endpoint : endpointFor(ids.taxonomy as string);
	for (const { name, presence, reason } of query) {
		if (name === 'reassign') {
			const isMissing = reassign === undefined && names?.reassign === undefined;
			if (presence === 'must' && isMissing) return `reassign is missing: ${reason}`;
		} else if (presence === 'must' && force !== true) return `force must be true: ${reason}`;
		else if (presence === 'always' && force === false) return `force can't be false: ${reason}`;
	}
	if (endpoint.returns === 'user-id' && !fields.username) return 'username is missing';
	return undefined;
}

/** `ignored` columns are not read. @throws UsageError */
export function compileColumns(options: CompileOptions): {
	read: RowReader;
	ignored: readonly string[];
	matched: readonly Matched[];
} {
	const { columns: header, endpoint, flags = {} } = options;
	const names = createLookUp(options);
	const { columns, matched } =
		header === undefined ? { columns: [], matched: [] } : compileHeader(header, options, names);
	const { ids, force, reassign, names: users, fields } = flags;

	const keys = new Map<string, ReturnType<typeof names.find>>();
	const findKey = (name: string): ReturnType<typeof names.find> => {
		if (keys.has(name)) return keys.get(name);
		const found = names.find(name);
		// A set without end would grow with the input.
		if (keys.size < 1000) keys.set(name, found);
		return found;
	};

	return {
		ignored: header?.filter(names.isIgnored) ?? [],
		matched,
		read(raw) {
			const { row, line, cells, object, id } = raw;
			const complaints: Complaint[] = [];
			const complain = (column: string | undefined, message: string, draft?: Draft): Complaint[] => {
				// The IDs are filled while the row is read.
				complaints.push({ row, line, column, message, ...(draft === undefined ? {} : { ids: draft.ids }) });
				return complaints;
			};
			if (cells !== undefined && cells.length !== columns.length) {
				const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
				return complain(undefined, `${count} where the header has ${columns.length} columns`);
			}
			const draft: Draft = {
				ids: { ...ids },
				...{ force, reassign, names: users },
				fields: { ...fields },
				...{ modified: undefined, seen: undefined },
			};
			if (cells !== undefined) {
				for (let index = 0; index < columns.length; index++) {
					const column = columns[index] as Column;
					const problem = column.text(cells[index] as string, draft);
					if (problem !== undefined) complain(column.name, problem, draft);
				}
			} else if (object !== undefined) {
				for (const name of Object.keys(object)) {
					const found = findKey(name);
					const problem =
						found === undefined
							? names.unknown(name)
							: (claim(draft, name, found.means) ?? found.column.typed(object[name], draft));
					if (problem !== undefined) complain(name, problem, draft);
				}
			} else if (id !== undefined) {
				const problem = names.idOnly.text(id, draft);
				const isSheet = /^[^\d,;\t]+[,;\t]/.test(id);
				const hint = isSheet ? '; for a file with columns use --input FILE, or --input - --input-format csv' : '';
				if (problem !== undefined) complain(names.idOnly.name, problem + hint, draft);
			} else return complain(undefined, raw.problem ?? 'the row is empty');
			if (complaints.length > 0) return complaints;
			const problem = rowProblem(draft, options);
			if (problem !== undefined) return complain(undefined, problem, draft);
			if (endpoint.returns === 'user-id') draft.ids.username = draft.fields.username as string;
			if (draft.names?.reassign !== undefined) draft.reassign = undefined;
			draft.seen = undefined;
			const values: RowValues = draft;
			if (endpoint.body === 'none') values.fields = undefined;
			return values;
		},
	};
}
