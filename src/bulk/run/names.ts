/** Names → IDs, before anything is sent. */

import { type Endpoint, nameColumnOf } from '../../api/endpoints.js';
import { itemsOf, kinds } from '../../api/kinds.js';
import { readOfWrite } from '../../api/reads.js';
import { type Named, named, readReference } from '../../api/references.js';
import type { RowValues } from '../../api/request.js';
import { isId, isProblem, parseSlug, quote } from '../../api/values.js';
import { andNothingSent, UsageError } from '../../errors.js';
import type { JournalRecord } from '../journal/records.js';
import type { Journal } from '../journal/write.js';
import type { Directories } from '../lists/directory.js';
import type { Directory } from '../lists/found.js';
import type { Fields, RunPlan } from '../plan.js';

function isNamed(value: unknown, of: Named): value is string {
	return typeof value === 'string' && value !== '' && named[of].mayBeName(value);
}

/** Conditions of a delete have the fields of an update. */
function kindOfNames(endpoint: Endpoint, column: string) {
	const { fields } = readOfWrite(endpoint)?.update ?? endpoint;
	const field = fields.find(({ name }) => name === column);
	const kind = field && kinds[field.kind];
	return kind?.names && { ...kind.names, many: kind.many };
}

export function hasNames(endpoint: Endpoint, { names, fields, mayName = new Set() }: RowValues): boolean {
	if (names !== undefined) return true;
	for (const column of mayName) {
		const kind = kindOfNames(endpoint, column);
		if (kind !== undefined && [fields?.[column]].flat().some((each) => isNamed(each, kind.of))) return true;
	}
	return false;
}

interface NameProblem {
	column: string;
	problem: string;
	isMissing: boolean;
}

/** Puts IDs in the place of names. @returns what is wrong with them */
async function resolve(endpoint: Endpoint, values: RowValues, directories: Directories): Promise<NameProblem[]> {
	const problems: NameProblem[] = [];
	const idOf = async (column: string, text: string, directory: Directory | undefined) => {
		const found = (await directory?.id(text)) ?? { asGiven: true };
		if ('id' in found) return found.id;
		const problem = 'problem' in found ? found.problem : unlistedProblem(endpoint, column, text);
		const isMissing = 'missing' in found && found.missing === true;
		if (problem !== undefined) problems.push({ column, problem, isMissing });
		return problem === undefined ? text : undefined;
	};
	const receiver = { name: 'reassign', names: 'users' } as const;
	for (const { name: column, names } of [...endpoint.parameters, receiver]) {
		const text = values.names?.[column];
		const id = text && (await idOf(column, text, directoryOf(names, values, directories)));
		if (!id) continue;
		if (column === 'reassign') values.reassign = id;
		else values.ids = { ...values.ids, [column]: id };
	}
	for (const column of values.mayName ?? []) {
		const kind = kindOfNames(endpoint, column);
		if (kind === undefined) continue;
		const items: unknown[] = [values.fields?.[column]].flat();
		const directory = kind.of === 'users' ? directories.users : directories.terms(column);
		let isChanged = false;
		for (const [at, text] of items.entries()) {
			const id = isNamed(text, kind.of) ? await idOf(column, text, directory) : undefined;
			if (id === undefined) continue;
			items[at] = kind.asNumber && isId(id) ? Number(id) : id;
			isChanged ||= items[at] !== text;
		}
		const value = kind.many === 'items' ? [...new Set(items)] : items[0];
		if (isChanged) values.fields = { ...values.fields, [column]: value };
	}
	return problems;
}

function directoryOf(names: Named | undefined, { ids }: RowValues, from: Directories): Directory | undefined {
	switch (names) {
		case 'terms':
			return from.terms(ids.taxonomy ?? '');
		case 'users':
			return from.users;
		case 'passwords':
			return ids.user_id === undefined ? undefined : from.passwords(ids.user_id);
		case undefined:
			return undefined;
	}
}

function unlistedProblem({ parameters }: Endpoint, column: string, text: string): string | undefined {
	const kind = parameters.find(({ name }) => name === column)?.kind;
	if (kind === 'id' && !isId(text)) return `${quote(text)}: this service doesn't list its terms; use the ID`;
	const parsed = kind === 'slug' ? parseSlug(text) : { value: text };
	return isProblem(parsed) ? parsed.problem : undefined;
}

/** The names of one row; its IDs then contain the username, for messages. */
export async function resolveRow(
	endpoint: Endpoint,
	values: RowValues,
	directories: Directories,
): Promise<NameProblem[]> {
	const own = endpoint.parameters.at(-1);
	const name = own && values.names?.[own.name];
	const problems = await resolve(endpoint, values, directories);
	const column = nameColumnOf(endpoint);
	if (name === undefined || column === undefined) return problems;
	const { by, text } = readReference(name);
	if (by !== 'id') values.ids = { ...values.ids, [column]: text };
	return problems;
}

/** A resume must mean the same objects, whatever their names are by then. */
export async function keepNames(journal: Journal, directories: Directories): Promise<void> {
	let written: Promise<void> | undefined;
	for (const record of directories.memory.records) written = journal.record({ type: 'name', ...record });
	await written;
}

export function takeUpName(record: JournalRecord, directories: Directories): void {
	if (record.type === 'name') directories.memory.remember(record);
}

export function namedValues({ values, checks }: RunPlan, endpoint: Endpoint) {
	const { ids, reassign, fields, add, remove } = values;
	let names: Record<string, string> | undefined;
	for (const parameter of endpoint.parameters) {
		const text = ids[parameter.name];
		if (parameter.names !== undefined && isNamed(text, parameter.names)) names = { ...names, [parameter.name]: text };
	}
	if (isNamed(reassign, 'users')) names = { ...names, reassign };
	const toResolve = (given: Fields): Pick<RowValues, 'fields' | 'mayName'> => {
		return { fields: given, mayName: new Set(Object.keys(given)) };
	};
	const lists = [add, remove].map((each): RowValues => ({ ids, ...toResolve(each) }));
	const conditions = checks.conditions.map(({ field, value }): RowValues => {
		const isList = kindOfNames(endpoint, field)?.many === 'items';
		return { ids, ...toResolve({ [field]: isList ? itemsOf(value) : value }) };
	});
	const shared: RowValues = { ids, reassign, names, ...toResolve(fields) };
	return [shared, ...lists, ...conditions] as const;
}

/** The plan with IDs. @throws UsageError that lists unknown names */
export async function withIds(plan: RunPlan, endpoint: Endpoint, directories: Directories): Promise<RunPlan> {
	const found = namedValues(plan, endpoint);
	const problems: NameProblem[] = [];
	for (const values of found) problems.push(...(await resolve(endpoint, values, directories)));
	const [first, ...details] = problems.map(({ column, problem }) => {
		return problem.startsWith(`${column} `) ? problem : `${column}: ${problem}`;
	});
	if (first !== undefined) throw new UsageError(andNothingSent(first), { code: 'unknown_name', details });
	const { values, checks } = plan;
	const [{ ids, reassign, fields = {} }, add, remove, ...tested] = found;
	return {
		...plan,
		values: {
			...values,
			ids,
			reassign,
			fields,
			add: add?.fields as RunPlan['values']['add'],
			remove: remove?.fields as RunPlan['values']['remove'],
		},
		checks: {
			...checks,
			conditions: checks.conditions.map(({ field }, at) => {
				return { field, value: [tested[at]?.fields?.[field]].flat().join(',') };
			}),
		},
	};
}

export function comparedTerms({ checks }: RunPlan, { fields }: Endpoint, sent: Iterable<string>): string[] {
	const names = [...sent, ...checks.conditions.map(({ field }) => field)];
	return fields
		.filter(({ name, kind }) => kinds[kind].names?.shownBySlug && names.includes(name))
		.map(({ name }) => name);
}
