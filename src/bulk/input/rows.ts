/** A header → a function that turns a raw row into what one request says, or into complaints; pure. */

import type { Endpoint } from '../../api/endpoints.js';
import type { Field } from '../../api/fields.js';
import type { RowValues } from '../../api/plan.js';
import { didYouMean } from '../../api/suggest.js';
import { quote } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import { type CellReader, claim, copyOf, type Draft, fieldColumn, idColumn, userNameColumn } from './columns.js';
import { type CompileOptions, rowParameter, Vocabulary } from './header.js';
import type { RawRow } from './text.js';

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
 * are empty. `ids.taxonomy` names the endpoint where rows have several. */
export type RowReader = (raw: RawRow) => RowValues | Complaint[];

export interface CompiledRows {
	readonly read: RowReader;
	/** Columns that are not looked at, among them those that `run rejects` and `ticket fields get` add. */
	readonly ignored: readonly string[];
}

/** `row 812 (edits.csv line 813): status "hodl" is not a documented ticket status; did you mean "hold"?` */
export function formatComplaint(complaint: Complaint, name: string): string {
	const { row, line, column, message } = complaint;
	const place = line === undefined ? '' : ` (${name} line ${line})`;
	// Most messages name the field first, which is the column unless --map says otherwise.
	const isNamed = column === undefined || message.startsWith(`${column} `) || message.includes(quote(column));
	const where = isNamed ? '' : `column ${quote(column)}: `;
	return `row ${row}${place}: ${where}${message}`;
}

function headerError(options: CompileOptions, problems: readonly string[]): UsageError {
	const [first = '', ...rest] = problems;
	const { name, headerLine: line } = options;
	return new UsageError(`${name}${line === undefined ? '' : ` line ${line}`}: ${first}`, {
		code: 'invalid_input',
		details: rest,
		hint: 'rename a column with --map COLUMN=FIELD, or leave it out with --ignore-column COLUMN',
		data: { file: name, line: line ?? 1 },
	});
}

/** Whether a row can have something to send, where its request has to; what look-ups ask for has a complaint of its own. */
function mayFill({ endpoint, flags }: CompileOptions, meanings: ReadonlyMap<string, string>): boolean {
	if (endpoint.body === 'none' || endpoint.answer === 'user-id') return true;
	if (Object.keys(flags?.fields ?? {}).length > 0) return true;
	return [...meanings.keys()].some((means) => means.startsWith('field '));
}

/** The header's columns, or an error that names all that is wrong with them. */
function compileHeader(options: CompileOptions, words: Vocabulary, header: readonly string[]): CellReader[] {
	const problems: string[] = [];
	const meanings = new Map<string, string>();
	const columns: CellReader[] = [];
	const mapped = options.map instanceof Map ? [...options.map.keys()] : Object.keys(options.map ?? {});
	for (const name of options.idColumn === undefined ? mapped : [...mapped, options.idColumn]) {
		if (!header.includes(name)) problems.push(`there is no column ${quote(name)}${didYouMean(name, header)}`);
	}
	for (const name of header) {
		const found = words.find(name);
		if (found === undefined) {
			problems.push(words.unknown(name));
			continue;
		}
		const earlier = meanings.get(found.means);
		if (earlier !== undefined) problems.push(`columns ${quote(earlier)} and ${quote(name)} mean the same`);
		meanings.set(found.means, name);
		columns.push(found.column);
	}
	for (const parameter of options.endpoint.parameters) {
		if (parameter.name === 'id' && meanings.has('username')) continue;
		if (!meanings.has(parameter.name) && options.flags?.ids?.[parameter.name] === undefined) {
			const others = header.filter((name) => words.find(name) === undefined);
			problems.push(
				`there is no column ${quote(parameter.name)}${others.length === 0 ? '' : didYouMean(parameter.name, others)}`,
			);
		}
	}
	if (problems.length === 0 && !mayFill(options, meanings)) {
		problems.push('no column is a field, and no flag gives one: there is nothing to send');
	}
	if (problems.length > 0) throw headerError(options, problems);
	return columns;
}

/** Checks what only the whole row can show. */
function createFinish(options: CompileOptions): (draft: Draft) => RowValues | string {
	const { endpoint, endpointFor } = options;
	const needed = endpoint.parameters.map((each) => each.name);
	const sends = endpoint.body !== 'none';
	const lookup = endpoint.answer === 'user-id';

	const queryProblem = (target: Endpoint, draft: Draft): string | undefined => {
		for (const { name, presence, reason } of target.query) {
			if (
				name === 'reassign' &&
				presence === 'must' &&
				draft.reassign === undefined &&
				draft.names?.reassign === undefined
			) {
				return `reassign is missing: ${reason}`;
			}
			if (name === 'force' && presence === 'must' && draft.force !== true) return `force has to be true: ${reason}`;
			if (name === 'force' && presence === 'always' && draft.force === false) {
				return `force can't be false: ${reason}`;
			}
		}
		return undefined;
	};

	return (draft) => {
		for (const name of needed) {
			if (draft.ids[name] === undefined && (name !== 'id' || draft.names?.id === undefined))
				return `${name} is missing`;
		}
		if (draft.ids.id !== undefined && draft.names?.id !== undefined) return 'id and username are both given';
		if (endpointFor !== undefined && draft.ids.taxonomy === undefined) return 'taxonomy is missing';
		const target = endpointFor === undefined ? endpoint : endpointFor(draft.ids.taxonomy as string);
		if (target.query.length > 0) {
			const problem = queryProblem(target, draft);
			if (problem !== undefined) return problem;
		}
		if (lookup) {
			const name = draft.fields.username;
			if (typeof name !== 'string' || name === '') return 'username is missing';
			draft.ids.username = name;
		}
		return {
			ids: draft.ids,
			force: draft.force,
			reassign: draft.names?.reassign === undefined ? draft.reassign : undefined,
			names: draft.names,
			fields: sends ? draft.fields : undefined,
			...(draft.modified === undefined ? {} : { modified: draft.modified }),
		};
	};
}

/** A header among ids is a sheet that was taken for a list. */
function explainSheet(id: string, problem: string | undefined): string | undefined {
	if (problem === undefined || !/^[^\d,;\t]+[,;\t]/.test(id)) return problem;
	return `${problem}; a sheet with columns is read by --input FILE, or --input - --input-format csv`;
}

/** Makes the function that reads rows. Throws UsageError for a header that can't be used. */
export function compileColumns(options: CompileOptions): CompiledRows {
	const words = new Vocabulary(options);
	const { columns: header, endpoint, flags = {} } = options;
	const columns = header === undefined ? undefined : compileHeader(options, words, header);
	const finish = createFinish(options);
	const flagIds = flags.ids ?? {};
	const flagFields = flags.fields ?? {};
	const flagged = Object.keys(flagFields).length > 0;

	const complaint = (raw: RawRow, column: string | undefined, message: string, draft?: Draft): Complaint => ({
		row: raw.row,
		line: raw.line,
		column,
		message,
		// Filled while the rest of the row is read.
		...(draft === undefined ? {} : { ids: draft.ids }),
	});

	const begin = (): Draft => ({
		ids: { ...flagIds },
		force: flags.force,
		reassign: flags.reassign,
		...(flags.names === undefined ? {} : { names: flags.names }),
		fields: flagged ? copyOf(flagFields) : {},
	});

	const end = (draft: Draft, raw: RawRow, complaints: Complaint[] | undefined): RowValues | Complaint[] => {
		if (complaints !== undefined) return complaints;
		const values = finish(draft);
		return typeof values === 'string' ? [complaint(raw, undefined, values, draft)] : values;
	};

	const readCells = (raw: RawRow, cells: readonly string[], known: readonly CellReader[]): RowValues | Complaint[] => {
		if (cells.length !== known.length) {
			const message = `${cells.length === 1 ? '1 cell' : `${cells.length} cells`} where the header has ${known.length} columns`;
			return [complaint(raw, undefined, message)];
		}
		const draft = begin();
		let complaints: Complaint[] | undefined;
		for (let index = 0; index < known.length; index++) {
			const column = known[index] as CellReader;
			const problem = column.text(cells[index] as string, draft);
			if (problem === undefined) continue;
			complaints ??= [];
			complaints.push(complaint(raw, column.name, problem, draft));
		}
		return end(draft, raw, complaints);
	};

	const keys = new Map<string, { column: CellReader; means: string } | string>();
	/** The key's column, or what is wrong with it. */
	const lookUp = (name: string): { column: CellReader; means: string } | string => {
		const known = keys.get(name);
		if (known !== undefined) return known;
		const found = words.find(name) ?? words.unknown(name);
		// Names come from the input: a set without end would grow with it.
		if (keys.size < 1000) keys.set(name, found);
		return found;
	};

	const readKey = (name: string, value: unknown, draft: Draft): string | undefined => {
		const found = lookUp(name);
		if (typeof found === 'string') return found;
		return claim(draft, name, found.means) ?? found.column.typed(value, draft);
	};

	const readObject = (raw: RawRow, object: Readonly<Record<string, unknown>>): RowValues | Complaint[] => {
		const draft = begin();
		let complaints: Complaint[] | undefined;
		for (const name of Object.keys(object)) {
			const problem = readKey(name, object[name], draft);
			if (problem === undefined) continue;
			complaints ??= [];
			complaints.push(complaint(raw, name, problem, draft));
		}
		return end(draft, raw, complaints);
	};

	const single = rowParameter(endpoint);
	const idOnly: CellReader | undefined =
		options.byUsername === true
			? userNameColumn('username', 'id')
			: single !== undefined
				? idColumn(single.name, single)
				: endpoint.answer === 'user-id'
					? fieldColumn('username', endpoint.fields[0] as Field, options.rules, false)
					: undefined;
	const readId = (raw: RawRow, id: string): RowValues | Complaint[] => {
		const draft = begin();
		const problem = explainSheet(id, idOnly?.text(id, draft));
		return end(draft, raw, problem === undefined ? undefined : [complaint(raw, idOnly?.name, problem, draft)]);
	};

	return {
		ignored: header?.filter((name) => words.isIgnored(name)) ?? [],
		read: (raw) => {
			if (raw.cells !== undefined && columns !== undefined) return readCells(raw, raw.cells, columns);
			if (raw.object !== undefined) return readObject(raw, raw.object);
			if (raw.id !== undefined) return readId(raw, raw.id);
			return [complaint(raw, undefined, raw.problem ?? 'the row is empty')];
		},
	};
}
