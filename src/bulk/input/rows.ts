/** A header → a function that turns a raw row into what one request says, or into complaints; pure. */

import { numberedIdNames } from '../../api/choose.js';
import type { Endpoint } from '../../api/endpoints.js';
import { type Field, flagName } from '../../api/fields.js';
import type { RowValues } from '../../api/plan.js';
import { showsModified } from '../../api/reads.js';
import { didYouMean } from '../../api/suggest.js';
import { findField, quote, type ValueRules } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { ColumnSettings } from '../run/plan.js';
import {
	type CellReader,
	claim,
	customColumn,
	customObjectColumn,
	type Draft,
	fieldColumn,
	forceColumn,
	idColumn,
	ignoredColumn,
	mapKeyColumn,
	modifiedColumn,
	reassignColumn,
	taxonomyColumn,
	userNameColumn,
} from './columns.js';
import type { RawRow } from './input.js';

export interface CompileOptions extends Partial<ColumnSettings> {
	/** What messages call the input. */
	readonly name: string;
	/** The header of CSV and TSV; undefined where rows are objects or ids. */
	readonly columns: readonly string[] | undefined;
	/** The line on which it stands. */
	readonly headerLine?: number | undefined;
	/** What the rows are for; with `endpointFor`, the one that stands for all in messages. */
	readonly endpoint: Endpoint;
	/** For term commands: the endpoint of a row's taxonomy. Throws UsageError where there is none. */
	readonly endpointFor?: (taxonomy: string) => Endpoint;
	readonly rules: ValueRules;
	/** A deployment's own name of a field → the interface's; any other comes back as it is. */
	readonly fieldIn?: (name: string) => string;
	/** What flags give to every row. */
	readonly flags?: Partial<RowValues>;
	/** Whether rows that are ids are user names. */
	readonly byUsername?: boolean;
}

/** What is wrong with one cell or row. */
export interface Complaint {
	row: number;
	line: number | undefined;
	/** The column as the input names it; undefined where the row as a whole is wrong. */
	column: string | undefined;
	message: string;
	/** The row's path ids, as far as they could be read. */
	ids?: Readonly<Record<string, string>>;
}

/**
 * Reads one row; an array is always complaints. There is none about a row that leaves every field alone: its `fields`
 * are empty. `ids.taxonomy` names the endpoint where rows have several.
 */
export type RowReader = (raw: RawRow) => RowValues | Complaint[];

export interface CompiledRows {
	readonly read: RowReader;
	/** Columns that are not looked at, among them those that `run rejects` and `ticket fields get` add. */
	readonly ignored: readonly string[];
}

/** `row 812 (edits.csv line 813): status "hodl" is not a documented ticket status; did you mean "hold"?` */
export function formatComplaint({ row, line, column, message }: Complaint, name: string): string {
	const place = line === undefined ? '' : ` (${name} line ${line})`;
	// Most messages name the field first, which is the column unless --map says otherwise.
	const isNamed = column === undefined || message.startsWith(`${column} `) || message.includes(quote(column));
	return `row ${row}${place}: ${isNamed ? '' : `column ${quote(column)}: `}${message}`;
}

/**
 * The column in which `run rejects` gives the reason: `rejected_because` where the input's own `error` is sent, so that
 * what is fed in again with the run's flags never has the reason for a value.
 */
export function reasonColumn(isTaken: (name: string) => boolean): string {
	let free = isTaken('error') ? 'rejected_because' : 'error';
	for (let number = 2; isTaken(free); number++) free = `rejected_because_${number}`;
	return free;
}

/** A column of reasons, also where the run that it comes from had other flags. */
const REASON_COLUMN = /^(?:error|rejected_because(?:_\d+)?)$/;

/** The columns that `ticket fields get` adds to a sheet of custom fields. */
const OUTCOME_COLUMNS: readonly string[] = ['outcome', 'message'];

/** Columns of user names in place of ids. */
const USER_NAMES: Readonly<Record<string, 'id' | 'reassign'>> = { username: 'id', 'reassign-username': 'reassign' };

/** Whether rows may name users, whose ids are looked up. */
export function takesUserNames({ query }: Pick<Endpoint, 'query'>): boolean {
	return query.some(({ name }) => name === 'reassign');
}

/** The names under which a parameter's column is understood. */
function namesOf({ parameters, noun }: Endpoint, name: string): string[] {
	if (parameters.length !== 1) return [name];
	return numberedIdNames.has(`${noun}_id`) ? ['id', `${noun}_id`] : [name];
}

/** The names of query parameters that a row may have. */
function queryNames({ endpoint, endpointFor }: CompileOptions): string[] {
	const names: string[] = endpoint.query.map(({ name }) => name);
	// Another taxonomy's rows may take what this one's do not.
	const mayForce = endpointFor !== undefined && endpoint.method === 'DELETE' && !names.includes('force');
	return mayForce ? [...names, 'force'] : names;
}

/** The field that `--map` names for a column, else the column's own name. */
function mappedName(name: string, { map = {} }: CompileOptions): string {
	return Object.hasOwn(map, name) ? (map[name] as string) : name;
}

/** What a column does, and under which name it would clash with another. */
interface Meaning {
	column: CellReader;
	means: string;
}

/** What a name in the input means; undefined where it means nothing. */
function meaningOf(name: string, options: CompileOptions): Meaning | undefined {
	const { endpoint, endpointFor, rules, columns, fieldIn = (own: string) => own, idColumn: own } = options;
	const { fields, parameters, body } = endpoint;
	const clear = options.blank === 'clear';
	const given = mappedName(name, options);
	// Names of custom fields are the desk's own: no dialect has words for them.
	const wanted = body === 'custom_fields' ? given : fieldIn(given.trim());
	const key = flagName(wanted.trim().toLowerCase());
	const fieldMeaning = (field: Field): Meaning => {
		return { column: fieldColumn(name, field, rules, clear), means: `field ${field.name}` };
	};

	const isOwn = own === name;
	const isNamed = (parameter: string): boolean => namesOf(endpoint, parameter).some((each) => flagName(each) === key);
	const parameter = isOwn ? parameters.at(-1) : parameters.find((each) => isNamed(each.name));
	if (parameter !== undefined) return { column: idColumn(name, parameter), means: parameter.name };
	if (isOwn && endpoint.required.length === 1) return fieldMeaning(fields[0] as Field);
	if (endpointFor !== undefined && key === 'taxonomy') {
		return { column: taxonomyColumn(name, endpointFor), means: 'taxonomy' };
	}
	if (queryNames(options).includes(key)) {
		return { column: key === 'force' ? forceColumn(name) : reassignColumn(name), means: key };
	}
	if (takesUserNames(endpoint) && Object.hasOwn(USER_NAMES, key)) {
		return { column: userNameColumn(name, USER_NAMES[key] as 'id'), means: key };
	}
	if (key === 'modified-gmt' && showsModified(endpoint)) return { column: modifiedColumn(name), means: key };
	if (body === 'custom_fields') {
		if (columns !== undefined || wanted !== 'custom_fields') {
			return { column: customColumn(name, wanted, rules, clear), means: `field ${wanted}` };
		}
		const one = (field: string): CellReader => customColumn(field, field, rules, clear);
		return { column: customObjectColumn(name, one), means: wanted };
	}
	const field = findField(fields, wanted);
	if (field !== undefined) return fieldMeaning(field);
	const [, start = '', rest = ''] = /^([^.]+)\.(.+)$/s.exec(wanted) ?? [];
	const map = findField(fields, start);
	if (map?.kind !== 'map') return undefined;
	return { column: mapKeyColumn(name, map, rest, clear), means: `field ${map.name}.${rest}` };
}

/** Whether a column is not looked at: it is named by a flag, or is one that our own commands add. */
function isIgnored(name: string, options: CompileOptions): boolean {
	const { ignore = [], ignoreOther, map = {}, idColumn: own, columns = [], endpoint } = options;
	if (ignore.includes(name)) return true;
	if (ignoreOther === true && meaningOf(name, options) === undefined) return true;
	if (Object.hasOwn(map, name) || own === name) return false;
	if (REASON_COLUMN.test(name)) return true;
	const isSheet = endpoint.body === 'custom_fields' && OUTCOME_COLUMNS.every((each) => columns.includes(each));
	return isSheet && OUTCOME_COLUMNS.includes(name);
}

function columnOf(name: string, options: CompileOptions): Meaning | undefined {
	return isIgnored(name, options) ? { column: ignoredColumn(name), means: ` ${name}` } : meaningOf(name, options);
}

function unknownColumn(name: string, options: CompileOptions): string {
	const { endpoint, endpointFor } = options;
	const known = [
		...endpoint.parameters.flatMap((each) => namesOf(endpoint, each.name)),
		...(endpointFor === undefined ? [] : ['taxonomy']),
		...queryNames(options),
		...(takesUserNames(endpoint) ? ['username', 'reassign_username'] : []),
		...(showsModified(endpoint) ? ['modified_gmt'] : []),
		...endpoint.fields.map((each) => each.name),
	];
	const mapped = mappedName(name, options);
	if (mapped === name) return `unknown column ${quote(name)}${didYouMean(name, known)}`;
	return `column ${quote(name)} is mapped to ${quote(mapped)}, which is not a field of ${endpoint.noun}${didYouMean(mapped, known)}`;
}

/** The header's columns. @throws UsageError that names all that is wrong with them */
function compileHeader(header: readonly string[], options: CompileOptions): CellReader[] {
	const { endpoint, flags = {}, map = {}, idColumn: own, name: input, headerLine: line } = options;
	const problems: string[] = [];
	const meanings = new Map<string, string>();
	const unknown: string[] = [];
	const columns: CellReader[] = [];
	for (const name of [...Object.keys(map), ...(own === undefined ? [] : [own])]) {
		if (!header.includes(name)) problems.push(`there is no column ${quote(name)}${didYouMean(name, header)}`);
	}
	for (const name of header) {
		const found = columnOf(name, options);
		if (found === undefined) {
			unknown.push(name);
			problems.push(unknownColumn(name, options));
			continue;
		}
		const earlier = meanings.get(found.means);
		if (earlier !== undefined) problems.push(`columns ${quote(earlier)} and ${quote(name)} mean the same`);
		meanings.set(found.means, name);
		columns.push(found.column);
	}
	for (const { name } of endpoint.parameters) {
		const isGiven = meanings.has(name) || flags.ids?.[name] !== undefined;
		if (isGiven || (name === 'id' && meanings.has('username'))) continue;
		problems.push(`there is no column ${quote(name)}${didYouMean(name, unknown)}`);
	}
	const sends = endpoint.body !== 'none' && endpoint.returns !== 'user-id';
	const hasField =
		Object.keys(flags.fields ?? {}).length > 0 || [...meanings.keys()].some((each) => each.startsWith('field '));
	if (problems.length === 0 && sends && !hasField) {
		problems.push('no column is a field, and no flag gives one: there is nothing to send');
	}
	if (problems.length === 0) return columns;
	const [first, ...details] = problems;
	throw new UsageError(`${input}${line === undefined ? '' : ` line ${line}`}: ${first}`, {
		code: 'invalid_input',
		details,
		hint: 'rename a column with --map COLUMN=FIELD, or leave it out with --ignore-column COLUMN',
		data: { file: input, line: line ?? 1 },
	});
}

/** What only the whole row can show. */
function rowProblem({ ids, names, fields, force, reassign }: Draft, options: CompileOptions): string | undefined {
	const { endpoint, endpointFor } = options;
	for (const { name } of endpoint.parameters) {
		if (ids[name] === undefined && (name !== 'id' || names?.id === undefined)) return `${name} is missing`;
	}
	if (ids.id !== undefined && names?.id !== undefined) return 'id and username are both given';
	if (endpointFor !== undefined && ids.taxonomy === undefined) return 'taxonomy is missing';
	const { query } = endpointFor === undefined ? endpoint : endpointFor(ids.taxonomy as string);
	for (const { name, presence, reason } of query) {
		if (name === 'reassign') {
			const isMissing = reassign === undefined && names?.reassign === undefined;
			if (presence === 'must' && isMissing) return `reassign is missing: ${reason}`;
		} else if (presence === 'must' && force !== true) return `force has to be true: ${reason}`;
		else if (presence === 'always' && force === false) return `force can't be false: ${reason}`;
	}
	if (endpoint.returns === 'user-id' && !fields.username) return 'username is missing';
	return undefined;
}

/** Makes the function that reads rows. @throws UsageError for a header that can't be used */
export function compileColumns(options: CompileOptions): CompiledRows {
	const { columns: header, endpoint, flags = {} } = options;
	const columns = header === undefined ? [] : compileHeader(header, options);

	const complaint = ({ row, line }: RawRow, column: string | undefined, message: string, draft?: Draft): Complaint => {
		// The ids are filled while the rest of the row is read.
		return { row, line, column, message, ...(draft === undefined ? {} : { ids: draft.ids }) };
	};

	const begin = (): Draft => ({
		ids: { ...flags.ids },
		force: flags.force,
		reassign: flags.reassign,
		names: flags.names,
		fields: { ...flags.fields },
	});

	const end = (draft: Draft, raw: RawRow, complaints: Complaint[]): RowValues | Complaint[] => {
		if (complaints.length > 0) return complaints;
		const problem = rowProblem(draft, options);
		if (problem !== undefined) return [complaint(raw, undefined, problem, draft)];
		const { ids, force, reassign, names, fields, modified } = draft;
		if (endpoint.returns === 'user-id') ids.username = fields.username as string;
		return {
			ids,
			force,
			reassign: names?.reassign === undefined ? reassign : undefined,
			names,
			fields: endpoint.body === 'none' ? undefined : fields,
			modified,
		};
	};

	const readCells = (raw: RawRow, cells: readonly string[]): RowValues | Complaint[] => {
		if (cells.length !== columns.length) {
			const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
			return [complaint(raw, undefined, `${count} where the header has ${columns.length} columns`)];
		}
		const draft = begin();
		const complaints: Complaint[] = [];
		for (let index = 0; index < columns.length; index++) {
			const column = columns[index] as CellReader;
			const problem = column.text(cells[index] as string, draft);
			if (problem !== undefined) complaints.push(complaint(raw, column.name, problem, draft));
		}
		return end(draft, raw, complaints);
	};

	const keys = new Map<string, Meaning | undefined>();
	const keyMeaning = (name: string): Meaning | undefined => {
		if (keys.has(name)) return keys.get(name);
		const found = columnOf(name, options);
		// Names come from the input: a set without end would grow with it.
		if (keys.size < 1000) keys.set(name, found);
		return found;
	};

	const readObject = (raw: RawRow, object: Readonly<Record<string, unknown>>): RowValues | Complaint[] => {
		const draft = begin();
		const complaints: Complaint[] = [];
		for (const name of Object.keys(object)) {
			const found = keyMeaning(name);
			const problem =
				found === undefined
					? unknownColumn(name, options)
					: (claim(draft, name, found.means) ?? found.column.typed(object[name], draft));
			if (problem !== undefined) complaints.push(complaint(raw, name, problem, draft));
		}
		return end(draft, raw, complaints);
	};

	const rowId = endpoint.parameters.at(-1);
	const idOnly =
		options.byUsername === true
			? userNameColumn('username', 'id')
			: rowId !== undefined
				? idColumn(rowId.name, rowId)
				: fieldColumn('username', endpoint.fields[0] as Field, options.rules, false);
	const readId = (raw: RawRow, id: string): RowValues | Complaint[] => {
		const draft = begin();
		const problem = idOnly.text(id, draft);
		if (problem === undefined) return end(draft, raw, []);
		const isSheet = /^[^\d,;\t]+[,;\t]/.test(id);
		const hint = '; a sheet with columns is read by --input FILE, or --input - --input-format csv';
		return [complaint(raw, idOnly.name, isSheet ? problem + hint : problem, draft)];
	};

	return {
		ignored: header?.filter((name) => isIgnored(name, options)) ?? [],
		read: (raw) => {
			if (raw.cells !== undefined) return readCells(raw, raw.cells);
			if (raw.object !== undefined) return readObject(raw, raw.object);
			if (raw.id !== undefined) return readId(raw, raw.id);
			return [complaint(raw, undefined, raw.problem ?? 'the row is empty')];
		},
	};
}
