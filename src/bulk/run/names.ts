/** Names → IDs, before anything is sent. */

import type { Endpoint, PathParameter } from '../../api/endpoints.js';
import type { Field } from '../../api/fields.js';
import type { RowValues } from '../../api/plan.js';
import { isProblem, looksLikeNumber, parseSlug, quote } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { RawRow } from '../input/input.js';
import type { Complaint } from '../input/rows.js';
import type { Journal } from '../journal/write.js';
import type { Directories, Directory } from '../lists/directory.js';
import type { RunPlan } from './plan.js';
import type { FinishRow, PlannedRow, RowPlanning } from './rows.js';

interface NameUse {
	/** A path parameter, a field or `reassign`. */
	readonly column: string;
	readonly text: string;
	/** Where the name is found, once the names before it have their IDs. */
	directory(from: Directories): Pick<Directory, 'id'>;
	set(id: string): void;
}

interface Values {
	ids: Readonly<Record<string, string>>;
	names?: Readonly<Record<string, string>> | undefined;
	reassign?: string | undefined;
	fields?: Readonly<Record<string, unknown>> | undefined;
}

/** Rows may name their taxonomy. */
type EndpointOf = (ids: Values['ids']) => Endpoint;

export function isNamed(value: unknown): value is string {
	return typeof value === 'string' && value !== '' && !looksLikeNumber(value);
}

function namesIn(endpoint: Endpoint, values: Values): NameUse[] {
	const { names, fields } = values;
	if (names === undefined && fields === undefined) return [];
	return [...namedIds(endpoint, values), ...namedFields(endpoint, values)];
}

function namedIds(endpoint: Endpoint, values: Values): NameUse[] {
	const columns: Pick<PathParameter, 'name' | 'names'>[] = [...endpoint.parameters, { name: 'reassign' }];
	return columns.flatMap(({ name: column, names }) => {
		const text = values.names?.[column];
		if (text === undefined) return [];
		const use: NameUse = {
			column,
			text,
			directory(from) {
				if (names === 'terms') return from.terms(values.ids.taxonomy ?? taxonomyOf(endpoint));
				return names === 'passwords' ? from.passwords(values.ids.user_id ?? '') : from.users;
			},
			set(id) {
				if (column === 'reassign') values.reassign = id;
				else values.ids = { ...values.ids, [column]: id };
			},
		};
		return [use];
	});
}

const taxonomyOf = ({ path }: Endpoint): string => path.split('/')[1] as string;

function namedFields(endpoint: Endpoint, values: Values): NameUse[] {
	const uses: NameUse[] = [];
	for (const column in values.fields) {
		const value = values.fields[column];
		if (typeof value !== 'string' && !Array.isArray(value)) continue;
		const kind = endpoint.fields.find(({ name }) => name === column)?.kind;
		const put = (now: unknown): void => {
			values.fields = { ...values.fields, [column]: now };
		};
		if (kind === 'user' && isNamed(value)) {
			uses.push({ column, text: value, directory: (from) => from.users, set: (id) => put(Number(id)) });
		} else if (kind === 'term' && isNamed(value)) {
			uses.push({ column, text: value, directory: (from) => from.terms(column), set: put });
		} else if (kind === 'terms') {
			const items: unknown[] = [value].flat();
			for (const [at, text] of items.entries()) {
				if (!isNamed(text)) continue;
				const set = (id: string): void => {
					items[at] = Number(id);
					put([...new Set(items)]);
				};
				uses.push({ column, text, directory: (from) => from.terms(column), set });
			}
		}
	}
	return uses;
}

interface NameProblem {
	use: NameUse;
	problem: string;
}

/** @returns what is wrong */
async function resolve(uses: readonly NameUse[], endpoint: Endpoint, directories: Directories): Promise<NameProblem[]> {
	const problems: NameProblem[] = [];
	for (const use of uses) {
		const { text, column } = use;
		const parameter = endpoint.parameters.find(({ name }) => name === column);
		// A password can't be found while its user is unknown.
		if (parameter?.names === 'passwords' && problems.length > 0) continue;
		const found = await use.directory(directories).id(text);
		if ('id' in found) use.set(found.id);
		else if ('problem' in found) problems.push({ use, problem: found.problem });
		else if (parameter?.kind === 'slug') {
			const parsed = parseSlug(text);
			if (isProblem(parsed)) problems.push({ use, problem: parsed.problem });
			else use.set(parsed.value);
		} else if (parameter !== undefined) {
			problems.push({ use, problem: `${quote(text)}: this service doesn't list its terms; use the ID` });
		}
	}
	return problems;
}

export interface RowNames {
	plan(batch: readonly RawRow[], rows: RowPlanning): Promise<PlannedRow[]>;
	/** From an earlier part of the run: its users may be deleted by now. */
	takeUp(journal: string): Promise<void>;
	/** Keeps what was looked up for a resume. */
	keep(journal: Journal): Promise<void>;
}

export interface RowNamesOptions {
	directories: Directories;
	endpointOf: EndpointOf;
	concurrency: number;
	/** An unknown user counts as deleted. */
	ignoreMissing: boolean;
}

export function createRowNames(options: RowNamesOptions): RowNames {
	const { directories, endpointOf, concurrency } = options;
	return {
		async plan(batch, rows) {
			const { read, finish } = rows;
			const planned: PlannedRow[] = new Array(batch.length);
			const named: (() => Promise<void>)[] = [];
			for (const [index, raw] of batch.entries()) {
				const found = read(raw);
				const endpoint = Array.isArray(found) ? undefined : endpointOf(found.ids);
				const uses = Array.isArray(found) || endpoint === undefined ? [] : namesIn(endpoint, found);
				if (Array.isArray(found) || endpoint === undefined || uses.length === 0) {
					planned[index] = finish(raw, found);
				} else {
					named.push(async () => {
						planned[index] = await planNamed(raw, { found, endpoint, uses, options, ...rows });
					});
				}
			}
			const work = async (): Promise<void> => {
				for (let next = named.shift(); next !== undefined; next = named.shift()) await next();
			};
			await Promise.all(Array.from({ length: Math.min(concurrency, named.length) }, work));
			return planned;
		},
		async takeUp(journal) {
			const { scanJournal } = await import('../journal/read.js');
			await scanJournal(journal, ({ type, of, name, id, problem }) => {
				if (type !== 'name' || typeof of !== 'string' || typeof name !== 'string') return;
				if (typeof id === 'string') directories.remember({ of, name, id });
				else if (typeof problem === 'string') directories.remember({ of, name, problem });
			});
		},
		async keep(journal) {
			let written: Promise<void> | undefined;
			for (const record of directories.records()) written = journal.record({ type: 'name', ...record });
			await written;
		},
	};
}

interface NamedRow {
	found: RowValues;
	endpoint: Endpoint;
	uses: readonly NameUse[];
	options: RowNamesOptions;
	finish: FinishRow;
	labels: ReadonlyMap<string, string>;
}

async function planNamed(
	{ row, line }: RawRow,
	{ found, endpoint, uses, options, finish, labels }: NamedRow,
): Promise<PlannedRow> {
	const { directories, ignoreMissing } = options;
	const own = endpoint.parameters.at(-1);
	const name = own && found.names?.[own.name];
	const problems = await resolve(uses, endpoint, directories);
	const ids = name === undefined || own?.names !== 'users' ? found.ids : { ...found.ids, username: bareName(name) };
	found.ids = ids;
	const shown = own?.kind === 'slug' && name !== undefined ? { [own.name]: name, ...ids } : ids;
	const complaints = problems.map(({ use, problem }): Complaint => {
		return { row, line, column: labels.get(use.column) ?? use.column, message: problem, ids: shown };
	});
	if (complaints.length > 0) {
		const isGone = ignoreMissing && problems.every(({ use }) => use.column === own?.name);
		return isGone ? { row, line, complaints, isGone } : { row, line, complaints };
	}
	const message = await conflictOf(endpoint, found, directories);
	if (message !== undefined) {
		return { row, line, complaints: [{ row, line, column: own?.name, message, ids }] };
	}
	return finish({ row, line }, found);
}

const bareName = (name: string): string => name.replace(/^@/, '');

/** Before a permanent delete, the account must show the name. */
async function conflictOf(
	endpoint: Endpoint,
	{ ids, names }: Pick<RowValues, 'ids' | 'names'>,
	directories: Directories,
): Promise<string | undefined> {
	const isUserDelete = endpoint.query.some(({ name }) => name === 'reassign');
	if (!isUserDelete || names?.id === undefined || ids.id === undefined) return undefined;
	return await directories.users.conflict(ids.id, names.id);
}

/** Values for all rows. */
function sharedValues({ values, checks }: RunPlan, endpoint: Endpoint) {
	const { ids, reassign } = values;
	const names: Record<string, string> = {};
	for (const parameter of endpoint.parameters) {
		const text = ids[parameter.name];
		if (parameter.names !== undefined && isNamed(text)) names[parameter.name] = text;
	}
	if (isNamed(reassign)) names.reassign = reassign;
	const shared: Values = { ids, reassign, fields: values.fields, names };
	const add: Values = { ids, fields: values.add };
	const remove: Values = { ids, fields: values.remove };
	const conditions = checks.conditions.map(({ field, value }): Values => ({ ids, fields: { [field]: value } }));
	const uses = [shared, add, remove, ...conditions].flatMap((each) => namesIn(endpoint, each));
	return { shared, add, remove, conditions, uses };
}

/** Looked up for a dry run too. */
export function hasSharedNames(plan: RunPlan, endpoint: Endpoint): boolean {
	return sharedValues(plan, endpoint).uses.length > 0;
}

/** @throws UsageError that lists unknown names */
export async function withIds(plan: RunPlan, endpoint: Endpoint, directories: Directories): Promise<RunPlan> {
	const found = await findIds(plan, endpoint, directories);
	if (!Array.isArray(found)) return found;
	const [first, ...details] = found;
	throw new UsageError(`${first}; nothing was sent`, { code: 'unknown_name', details });
}

/** The same, or what is wrong with the names. */
export async function findIds(
	plan: RunPlan,
	endpoint: Endpoint,
	directories: Directories,
): Promise<RunPlan | string[]> {
	const { shared, add, remove, conditions, uses } = sharedValues(plan, endpoint);
	const problems = await resolve(uses, endpoint, directories);
	if (problems.length > 0) return problems.map(({ use, problem }) => `${use.column}: ${problem}`);
	const { values, checks } = plan;
	return {
		...plan,
		values: {
			...values,
			ids: shared.ids,
			reassign: shared.reassign,
			fields: shared.fields ?? {},
			add: add.fields as RunPlan['values']['add'],
			remove: remove.fields as RunPlan['values']['remove'],
		},
		checks: {
			...checks,
			conditions: checks.conditions.map(({ field, value }, at) => {
				const resolved = conditions[at]?.fields?.[field] ?? value;
				return { field, value: [resolved].flat().join(',') };
			}),
		},
	};
}

export function termsIn({ values, checks }: RunPlan, { fields }: Pick<Endpoint, 'fields'>): string[] {
	const { add, remove } = values;
	const names = [
		...Object.keys({ ...values.fields, ...add, ...remove }),
		...checks.conditions.map(({ field }) => field),
	];
	const isTerm = ({ name, kind }: Field): boolean => kind === 'term' && names.includes(name);
	return fields.filter(isTerm).map(({ name }) => name);
}

/** Of fields that are compared. */
export async function listTerms(
	directories: Directories,
	{ fields }: Pick<Endpoint, 'fields'>,
	names: Iterable<string>,
): Promise<void> {
	for (const name of names) {
		const kind = fields.find((each) => each.name === name)?.kind;
		// Lists of terms are shown as IDs.
		if (kind === 'term') await directories.list(name);
	}
}

export async function resolveArgument(
	endpoint: Endpoint,
	ids: Readonly<Record<string, string>>,
	directories: Directories,
): Promise<{ ids: Values['ids']; problem?: string | undefined }> {
	const own = endpoint.parameters.at(-1);
	const text = own && ids[own.name];
	if (own?.names === undefined || !isNamed(text)) return { ids };
	const values: Values = { ids, names: { [own.name]: text } };
	const [problem] = await resolve(namesIn(endpoint, values), endpoint, directories);
	const named = own.names === 'users' ? { ...values.ids, username: bareName(text) } : values.ids;
	if (problem !== undefined) return { ids: named, problem: problem.problem };
	const conflict = await conflictOf(endpoint, { ids: named, names: values.names }, directories);
	return { ids: named, problem: conflict };
}
