/** A header → a function that turns raw rows into the values of requests, or complaints. */

import { bodyKinds, type Endpoint, mustBeGiven, numberedIdNames, ownColumnOf } from '../../api/endpoints.js';
import { flagName } from '../../api/fields.js';
import type { ValueRules } from '../../api/kinds.js';
import { counted } from '../../api/names.js';
import { readOfWrite } from '../../api/reads.js';
import { type Named, named } from '../../api/references.js';
import { parsePathValue, type RowValues } from '../../api/request.js';
import { didYouMean, nearest } from '../../api/suggest.js';
import { looksLikeNumber, type Parsed, quote } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import { formatCount } from '../../text.js';
import { type ColumnSettings, rowIdName } from '../plan.js';
import { type FormatFacts, formatFacts, type InputFormat } from '../sources.js';
import {
	asItIs,
	type ColumnReader,
	customColumn,
	type Draft,
	fieldColumn,
	looseName,
	shellQuoted,
	textColumn,
	usualField,
} from './columns.js';
import type { RawRow } from './input.js';

export interface CompileOptions extends Partial<ColumnSettings> {
	readonly name: string;
	readonly format: InputFormat;
	/** Undefined for objects and IDs. */
	readonly columns: readonly string[] | undefined;
	readonly headerLine?: number | undefined;
	readonly endpoint: Endpoint;
	readonly rules: ValueRules;
	/** A deployment's own name of a field → the interface's; any other comes back as it is. */
	readonly fieldIn?: (name: string) => string;
	/** What flags give to every row. */
	readonly flags?: Partial<RowValues>;
	/** Then rows without a field have something to send. */
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

export interface Columns {
	/** Columns that are not sent. */
	readonly ignored: readonly string[];
	/** Columns that are spelled differently from their fields. */
	readonly matched: readonly Matched[];
	/** As the header calls it: users may have a column `id` or `username`. */
	columnOf(field: string): string | undefined;
	read(raw: RawRow): RowValues | Complaint[];
	/** After all rows: whether flags name keys that no object has. @throws UsageError */
	checkKeys(): void;
	/** What a refused row has besides: its names can be looked up, so that all complaints come at once. */
	readAll(raw: RawRow): { values: RowValues; complaints: Complaint[] };
}

/** `row 812 (edits.csv line 813): status "hodl" …` */
export function formatComplaint({ row, line, column, message }: Complaint, name: string): string {
	const place = line === undefined ? '' : ` (${name} line ${line})`;
	const starts = [`${column} `, `${column}: `];
	const isNamed =
		column === undefined || starts.some((start) => message.startsWith(start)) || message.includes(quote(column));
	return `row ${row}${place}: ${isNamed ? '' : `column ${quote(column)}: `}${message}`;
}

/** Added by `run rejects`. */
const REASON_COLUMNS: readonly string[] = ['error', 'rejected_because'];

/** `error`, unless the input sends its own: a reason must never become a value. */
export function reasonColumn(isTaken: (name: string) => boolean): string {
	return REASON_COLUMNS.find((name) => !isTaken(name)) ?? 'reason';
}

/** Added by `ticket fields get`. */
const OUTCOME_COLUMNS: readonly string[] = ['outcome', 'message'];

const FORCE: Readonly<Record<string, boolean>> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

function parseForce(text: string): Parsed<boolean> {
	const value = FORCE[text.toLowerCase()];
	return typeof value === 'boolean' ? { value } : { problem: `${quote(text)} is not true or false` };
}

interface Meaning {
	/** Empty for a custom field, and for what is ignored. */
	readonly name: string;
	readonly means: string;
	readonly read: ColumnReader;
}

/** @param clears whether an empty cell is sent */
function meaningsOf({ endpoint, rules }: CompileOptions, clears: boolean): Meaning[] {
	const { parameters, query, fields, noun } = endpoint;
	const meanings: Meaning[] = [];
	const add = <T>(
		name: string,
		parse: (text: string) => Parsed<T>,
		store: (row: Draft, value: T) => void,
		means = name,
	): void => {
		meanings.push({ name, means, read: textColumn(parse, store) });
	};
	const addNamed = (name: string, of: Named, parameter = name): void => {
		const { mayBeName, parse } = named[of];
		const store = (row: Draft, text: string): void => {
			if (mayBeName(text)) row.names = { ...row.names, [parameter]: text };
			else if (parameter === 'reassign') row.reassign = text;
			else row.ids[parameter] = text;
		};
		add(name, parse, store, parameter);
	};
	for (const field of fields) {
		const read = fieldColumn(field, rules, clears);
		meanings.push({ name: field.name, means: `field ${field.name}`, read });
	}
	if (readOfWrite(endpoint)?.hasModified) add('modified_gmt', asItIs<string>, (row, time) => (row.modified = time));
	for (const { name } of query) {
		if (name === 'reassign') addNamed(name, 'users');
		else add(name, parseForce, (row, force) => (row.force = force));
	}
	for (const parameter of parameters) {
		const { name, names } = parameter;
		const parse = (text: string) => parsePathValue(parameter, text, endpoint, rules.undocumented);
		const isOnlyId = parameters.length === 1 && numberedIdNames.has(`${noun}_id`);
		for (const each of isOnlyId ? ['id', `${noun}_id`] : [name]) {
			if (names !== undefined) addNamed(each, names, name);
			else add(each, parse, (row, id) => (row.ids[name] = id), name);
		}
		const column = ownColumnOf(parameter);
		if (column !== undefined && !meanings.some((each) => each.name === column)) {
			add(column, asItIs<string>, (row, text) => (row.names = { ...row.names, [name]: `@${text}` }));
		}
	}
	return meanings;
}

/** Each row of JSON may have keys of its own, and memory must not grow with the input. */
const REMEMBERED = 1000;

/** What names of columns, or keys of JSON, mean for an endpoint. */
class Names {
	/** Those of the interface, for suggestions. */
	readonly usual: readonly string[];
	readonly #meanings: ReadonlyMap<string, Meaning>;
	/** Of columns whose empty cells are sent. */
	readonly #clearing: ReadonlyMap<string, Meaning>;
	/** A column that means nothing else is a field. */
	readonly #takesAnyName: boolean;
	/** A file of outcomes that our own commands wrote. */
	readonly #isResult: boolean;

	/** The column that a line of an ID alone stands for. */
	readonly ownId: string;
	readonly #found = new Map<string, Meaning | undefined>();
	readonly #ignore: ReadonlySet<string>;
	/** Names that flags gave and no row had so far, with their flags. */
	readonly #unseen: Map<string, string>;
	#isRead = false;

	constructor(private readonly options: CompileOptions) {
		this.ownId = rowIdName(options.endpoint);
		this.#ignore = new Set(options.ignore);
		this.#unseen = new Map(namedByFlags(options));
		// The first of a name counts.
		const byName = (meanings: Meaning[]) => new Map(meanings.toReversed().map((each) => [looseName(each.name), each]));
		const meanings = meaningsOf(options, false);
		this.usual = meanings.map(({ name }) => name);
		this.#meanings = byName(meanings);
		this.#clearing = options.blank === 'clear' ? byName(meaningsOf(options, true)) : this.#meanings;
		this.#takesAnyName = bodyKinds[options.endpoint.body].takesAnyName;
		this.#isResult = this.#takesAnyName && OUTCOME_COLUMNS.every((each) => options.columns?.includes(each));
	}

	isMapped(name: string): boolean {
		return Object.hasOwn(this.options.map ?? {}, name);
	}

	/** @returns flags with a name that no row has */
	unseen(): string[] {
		return this.#isRead ? [...this.#unseen.values()] : [];
	}

	find(name: string): Meaning | undefined {
		this.#isRead = true;
		this.#unseen.delete(name);
		const known = this.#found.get(name);
		if (known !== undefined) return known;
		const found = this.isIgnored(name) ? { name: '', means: ` ${name}`, read: () => undefined } : this.#meaningOf(name);
		if (this.#found.size < REMEMBERED) this.#found.set(name, found);
		return found;
	}

	/** By a flag, or because our own commands add the column. */
	isIgnored(name: string): boolean {
		const { ignoreOther } = this.options;
		if (this.#ignore.has(name) || (ignoreOther === true && this.#meaningOf(name) === undefined)) return true;
		if (this.isMapped(name)) return false;
		return REASON_COLUMNS.includes(name) || (this.#isResult && OUTCOME_COLUMNS.includes(name));
	}

	#meaningOf(name: string): Meaning | undefined {
		const { columns, rules, fieldIn = (field) => field } = this.options;
		const wanted = this.#takesAnyName ? this.#mapped(name) : fieldIn(this.#mapped(name).trim());
		// Keys of JSON come from programs.
		const usual = columns === undefined || this.isMapped(name) ? undefined : usualField(wanted);
		const clears = this.#clears(name);
		const meanings = clears ? this.#clearing : this.#meanings;
		const found = meanings.get(looseName(wanted)) ?? meanings.get(looseName(usual ?? ''));
		if (found !== undefined || !this.#takesAnyName) return found;
		return { name: '', means: `field ${wanted}`, read: customColumn(wanted, rules, clears) };
	}

	#clears(name: string): boolean {
		const { blank, clear } = this.options;
		return blank === 'clear' && (clear === undefined || clear.some((each) => looseName(each) === looseName(name)));
	}

	#mapped(name: string): string {
		return this.isMapped(name) ? (this.options.map?.[name] as string) : name;
	}

	/** `Notes` may be `time-notes`. */
	containing(word: string): string | undefined {
		const loose = looseName(word);
		return loose.length < 4 ? undefined : this.usual.find((each) => looseName(each).includes(loose));
	}

	unknown(name: string): string {
		const mapped = this.#mapped(name);
		const suggestion = didYouMean(mapped, this.usual);
		if (mapped === name) return `unknown column ${quote(name)}${suggestion}`;
		const { noun } = this.options.endpoint;
		return `column ${quote(name)} is mapped to ${quote(mapped)}, which is not a field of ${noun}${suggestion}`;
	}
}

interface Matched {
	readonly column: string;
	readonly field: string;
}

type NamedColumn = readonly [name: string, read: ColumnReader];

interface Header {
	readonly columns: NamedColumn[];
	readonly matched: Matched[];
	readonly byField: ReadonlyMap<string, string>;
}

/** Names that must be there, as they are. */
function namedByFlags({ map = {}, ignore = [] }: Partial<ColumnSettings>): (readonly [name: string, flag: string])[] {
	return [
		...Object.entries(map).map(([name, field]) => [name, `--map ${name}=${field}`] as const),
		...ignore.map((name) => [name, `--ignore-column ${name}`] as const),
	];
}

interface SettingNeeds {
	readonly flag: string;
	readonly needs: 'hasNames' | 'hasCells';
	readonly isGiven: (settings: Partial<ColumnSettings>) => boolean;
}

/** Flags that could do nothing where a format lacks what they are for. */
const settingNeeds: readonly SettingNeeds[] = [
	{ flag: '--map', needs: 'hasNames', isGiven: ({ map = {} }) => Object.keys(map).length > 0 },
	{ flag: '--ignore-column', needs: 'hasNames', isGiven: ({ ignore = [] }) => ignore.length > 0 },
	{ flag: '--ignore-other-columns', needs: 'hasNames', isGiven: ({ ignoreOther }) => ignoreOther === true },
	{ flag: '--blank', needs: 'hasCells', isGiven: ({ blank }) => blank === 'clear' },
];

/** What to do instead, by what is not there. */
const WITHOUT: Readonly<Record<SettingNeeds['needs'], { readonly what: string; readonly hint: string }>> = {
	hasNames: { what: 'columns', hint: 'if it has a header with columns: --input-format csv' },
	hasCells: { what: 'cells', hint: 'in JSON, "" clears a field, and a key that is left out leaves it alone' },
};

/** @throws UsageError */
function checkSettings(options: CompileOptions): void {
	const facts: FormatFacts = formatFacts[options.format];
	for (const { flag, needs, isGiven } of settingNeeds) {
		if (facts[needs] || !isGiven(options)) continue;
		const { what, hint } = WITHOUT[facts.hasNames ? needs : 'hasNames'];
		const message = `${flag}: ${options.name} is ${facts.isA}, which has no ${what}`;
		throw new UsageError(message, { code: 'conflicting_flags', hint });
	}
}

/** A clause, which is made only if it is shown: suggestions take time. */
type HeaderProblem = () => string;

/** So many are shown. */
const MOST_PROBLEMS = 20;

function compileHeader(options: CompileOptions, names: Names): Header {
	const { columns: header, endpoint, flags = {} } = options;
	if (header === undefined) return { columns: [], matched: [], byField: new Map() };
	const has = (name: string): boolean => header.includes(name);
	const hasLoosely = (name: string): boolean => header.some((each) => looseName(each) === looseName(name));
	const listed = ` (columns: ${header
		.filter((each) => each !== '')
		.slice(0, MOST_PROBLEMS)
		.join(', ')})`;
	const isAbsent = (name: string, flag: string) => (): string =>
		`${flag}: no such column${didYouMean(name, header) || listed}`;
	const problems: HeaderProblem[] = [
		...namedByFlags(options).filter(([name]) => !has(name)),
		...(options.clear ?? [])
			.filter((name) => !hasLoosely(name))
			.map((name) => [name, `--blank clear=${name}`] as const),
	].map(([name, flag]) => isAbsent(name, flag));
	const meanings = new Map<string, string>();
	const unknown: string[] = [];
	const columns: NamedColumn[] = [];
	const matched: Matched[] = [];
	const byField = new Map<string, string>();
	for (const [index, name] of header.entries()) {
		const found = name === '' ? undefined : names.find(name);
		if (found === undefined) {
			if (name !== '') unknown.push(name);
			problems.push(() => (name === '' ? `column ${index + 1} has no name in the header` : names.unknown(name)));
			continue;
		}
		const earlier = meanings.get(found.means);
		if (earlier === name) problems.push(() => `column ${quote(name)} appears twice in the header`);
		else if (earlier !== undefined) {
			problems.push(() => `columns ${quote(earlier)} and ${quote(name)} are the same field`);
		}
		meanings.set(found.means, name);
		columns.push([name, found.read]);
		const { name: field } = found;
		byField.set(field, name);
		const isLoose = field !== '' && flagName(field) !== flagName(name.toLowerCase());
		if (isLoose && !names.isMapped(name)) matched.push({ column: name, field });
	}
	const missing = endpoint.parameters
		.filter((each) => !meanings.has(each.name) && flags.ids?.[each.name] === undefined)
		.filter((each) => !meanings.has(ownColumnOf(each) ?? each.name))
		.map(({ name }) => name);
	problems.push(...missing.map((name) => () => `missing column ${quote(name)}${didYouMean(name, unknown)}`));
	if (problems.length === 0 && !isAnythingSet(options, [...meanings.keys()])) {
		problems.push(() => 'nothing to send: no column matches a field, and no flag sets one');
	}
	if (problems.length > 0) throw headerError(header, options, names, problems, unknown, missing);
	return { columns, matched, byField };
}

/** By a column or a flag, or by the command itself. */
function isAnythingSet({ endpoint, flags = {}, changesLists }: CompileOptions, meanings: readonly string[]): boolean {
	const { isSent } = bodyKinds[endpoint.body];
	if (!isSent || endpoint.looksUp !== undefined || changesLists === true) return true;
	return Object.keys(flags.fields ?? {}).length > 0 || meanings.some((each) => each.startsWith('field '));
}

/** Columns of users: in the place of the ID, usernames, emails and display names are all read. */
const PEOPLE = /name|mail|user|login/i;

function headerError(
	header: readonly string[],
	{ name: file, headerLine: line = 1, endpoint }: CompileOptions,
	names: Names,
	problems: readonly HeaderProblem[],
	unknown: readonly string[],
	missing: readonly string[],
): UsageError {
	const hasNoHeader = missing.length > 0 && header.some(looksLikeNumber);
	const shown = problems.slice(0, MOST_PROBLEMS).map((problem) => problem());
	if (problems.length > shown.length) shown.push(`… and ${formatCount(problems.length - shown.length)} more`);
	const [first, ...details] = hasNoHeader ? ['this file has no header'] : shown;
	const [column] = unknown;
	const [id] = missing;
	const byUsername = header.find((name) => names.find(name)?.name === 'username');
	const example = byUsername === undefined ? `COLUMN=${id}` : shellQuoted(`${byUsername}=${id}`);
	let hint = id && `if the column has a different name: --map ${example}`;
	if (hasNoHeader) {
		const field = names.usual.includes('status') ? 'status' : 'name';
		hint = `add a header line with the column names, such as ${id},${field}`;
	} else if (column !== undefined) {
		const isOfUsers = endpoint.parameters.some((each) => each.name === id && ownColumnOf(each) !== undefined);
		const person = isOfUsers && PEOPLE.test(column) ? id : undefined;
		const field = person ?? nearest(column, names.usual) ?? names.containing(column) ?? 'FIELD';
		const [them, one] = unknown.length === 1 ? ['it', 'it'] : ['them', 'one'];
		const isLong = unknown.length > MOST_PROBLEMS;
		const flag = isLong ? '--ignore-other-columns' : `--ignore-column ${shellQuoted(unknown.join(','))}`;
		const ignore = `to ignore ${them}: ${flag}`;
		const map = `to send ${one}: --map ${shellQuoted(`${column}=${field}`)}`;
		const isTitle = id !== undefined && unknown.length === header.filter((name) => name !== '').length;
		const above = 'if the line is a title or a comment, remove it: the header comes first';
		hint = isTitle ? `${map}; ${above}` : `${ignore}; ${map}`;
	}
	return new UsageError(`${file} line ${line}: ${first}`, {
		code: 'invalid_input',
		details,
		hint,
		data: { file, line },
	});
}

/** What only the whole row shows. */
function rowProblem({ ids, names, fields, force, reassign }: Draft, options: CompileOptions): string | undefined {
	const { endpoint, flags = {} } = options;
	for (const { name } of endpoint.parameters) {
		const isNamed = names?.[name] !== undefined;
		if (ids[name] === undefined && !isNamed) return `${name} is missing`;
		const isBoth = isNamed && ids[name] !== undefined && ids[name] !== flags.ids?.[name];
		if (isBoth) return `has both ${name} and username`;
	}
	for (const parameter of endpoint.query) {
		const { name, presence, reason } = parameter;
		const isMust = mustBeGiven(parameter, ids);
		if (name === 'reassign') {
			const isMissing = reassign === undefined && names?.reassign === undefined;
			if (isMust && isMissing) return `reassign is required: ${reason}`;
		} else if (isMust && force !== true) return `force must be true: ${reason}`;
		else if (presence === 'always' && force === false) return `force can't be false: ${reason}`;
	}
	const { looksUp } = endpoint;
	if (looksUp !== undefined && !fields[looksUp]) return `${looksUp} is missing`;
	return undefined;
}

type Complain = (column: string | undefined, message: string | undefined) => void;

function fill(
	draft: Draft,
	{ cells, object, id, problem }: RawRow,
	columns: readonly NamedColumn[],
	names: Names,
	complain: Complain,
): void {
	if (cells !== undefined && cells.length !== columns.length) {
		complain(undefined, `${counted(cells.length, 'cell')} where the header has ${counted(columns.length, 'column')}`);
	} else if (cells !== undefined) {
		for (const [index, cell] of cells.entries()) {
			const [name, read] = columns[index] as NamedColumn;
			complain(name, read(name, cell, draft, true));
		}
	} else if (object !== undefined) {
		const seen = new Set<string>();
		for (const name of Object.keys(object)) {
			const found = names.find(name);
			if (found === undefined) complain(name, names.unknown(name));
			else if (seen.has(found.means)) complain(name, `${quote(name)} is the same field as another column or key`);
			else complain(name, found.read(name, object[name], draft, false));
			seen.add(found?.means ?? '');
		}
	} else if (id !== undefined) {
		const found = names.find(names.ownId)?.read(names.ownId, id, draft, true);
		const isSheet = /^[^\d,;\t]+[,;\t]/.test(id);
		const hint = isSheet ? '; for a file with columns use --input FILE, or --input - --input-format csv' : '';
		complain(names.ownId, found && found + hint);
	} else complain(undefined, problem ?? 'the row is empty');
}

/** @throws UsageError with all that is wrong with the header */
export function compileColumns(options: CompileOptions): Columns {
	const { endpoint, flags = {} } = options;
	checkSettings(options);
	const names = new Names(options);
	const { columns, matched, byField } = compileHeader(options, names);
	function readAll(raw: RawRow): { values: RowValues; complaints: Complaint[] } {
		const draft: Draft = {
			ids: { ...flags.ids },
			force: flags.force,
			reassign: flags.reassign,
			names: flags.names,
			fields: { ...flags.fields },
			modified: undefined,
		};
		const complaints: Complaint[] = [];
		const complain: Complain = (column, message) => {
			const { row, line } = raw;
			if (message !== undefined) complaints.push({ row, line, column, message, ids: draft.ids });
		};
		fill(draft, raw, columns, names, complain);
		if (complaints.length === 0) complain(undefined, rowProblem(draft, options));
		const values: RowValues = draft;
		if (complaints.length > 0) return { values, complaints };
		const { looksUp } = endpoint;
		if (looksUp !== undefined) draft.ids[looksUp] = String(draft.fields[looksUp]);
		if (draft.names?.reassign !== undefined) draft.reassign = undefined;
		if (!bodyKinds[endpoint.body].isSent) values.fields = undefined;
		return { values, complaints };
	}

	return {
		ignored: options.columns?.filter((name) => names.isIgnored(name)) ?? [],
		matched,
		columnOf: (field) => byField.get(field),
		readAll,
		checkKeys() {
			const [flag] = options.columns === undefined ? names.unseen() : [];
			if (flag === undefined) return;
			throw new UsageError(`${flag}: no object of ${options.name} has this key`, { code: 'invalid_input' });
		},
		read(raw) {
			const { values, complaints } = readAll(raw);
			return complaints.length > 0 ? complaints : values;
		},
	};
}
