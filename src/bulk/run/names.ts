/** Names → IDs, before anything is sent. */

import type { Endpoint } from '../../api/endpoints.js';
import type { RowValues } from '../../api/plan.js';
import { isProblem, looksLikeNumber, parseSlug, quote } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { Json } from '../journal/records.js';
import type { Journal } from '../journal/write.js';
import type { Directories, Directory } from '../lists/directory.js';
import type { Ids, RunPlan } from './plan.js';

interface NameUse {
	column: string;
	text: string;
	/** Once the names before it have their IDs. */
	directory(from: Directories): Pick<Directory, 'id'> | undefined;
	set(id: string): void;
}

export function isNamed(value: unknown): value is string {
	return typeof value === 'string' && value !== '' && !looksLikeNumber(value);
}

export function* usesIn(endpoint: Endpoint, values: RowValues): Generator<NameUse> {
	if (values.names !== undefined) yield* namedIds(endpoint, values, values.names);
	for (const column in values.fields) {
		const kind = endpoint.fields.find(({ name }) => name === column)?.kind;
		if (kind !== 'user' && kind !== 'term' && kind !== 'terms') continue;
		const items: unknown[] = [values.fields[column]].flat();
		for (const [at, text] of items.entries()) {
			if (!isNamed(text)) continue;
			yield {
				column,
				text,
				directory: ({ users, terms }) => (kind === 'user' ? users : terms(column)),
				set(id) {
					items[at] = kind === 'term' ? id : Number(id);
					const value = kind === 'terms' ? [...new Set(items)] : items[0];
					values.fields = { ...values.fields, [column]: value };
				},
			};
		}
	}
}

function* namedIds(endpoint: Endpoint, values: RowValues, given: Ids): Generator<NameUse> {
	for (const { name: column, names } of [...endpoint.parameters, { name: 'reassign', names: 'users' }]) {
		const text = given[column];
		if (text === undefined) continue;
		yield {
			column,
			text,
			directory({ users, terms, passwords }) {
				const { taxonomy = '', user_id: user } = values.ids;
				if (names === 'terms') return terms(taxonomy);
				if (names === 'users') return users;
				return user === undefined ? undefined : passwords(user);
			},
			set(id) {
				if (column === 'reassign') values.reassign = id;
				else values.ids = { ...values.ids, [column]: id };
			},
		};
	}
}

interface NameProblem {
	column: string;
	problem: string;
	isMissing: boolean;
}

/** Puts IDs in the place of names. @returns what is wrong with them */
async function resolve(uses: Iterable<NameUse>, endpoint: Endpoint, directories: Directories): Promise<NameProblem[]> {
	const problems: NameProblem[] = [];
	for (const { column, text, directory, set } of uses) {
		const fail = (problem: string): void => void problems.push({ column, problem, isMissing: true });
		const found = (await directory(directories)?.id(text)) ?? { asGiven: true };
		const kind = endpoint.parameters.find(({ name }) => name === column)?.kind;
		if ('id' in found) set(found.id);
		else if ('problem' in found) fail(found.problem);
		else if (kind === 'id') fail(`${quote(text)}: this service doesn't list its terms; use the ID`);
		else if (kind === 'slug') {
			const parsed = parseSlug(text);
			if (isProblem(parsed)) fail(parsed.problem);
			else set(parsed.value);
		}
	}
	return problems;
}

/** The names of one row; its IDs then contain the username, for messages. */
export async function resolveRow(
	endpoint: Endpoint,
	values: RowValues,
	directories: Directories,
): Promise<NameProblem[]> {
	const own = endpoint.parameters.at(-1);
	const name = own && values.names?.[own.name];
	const problems = await resolve(usesIn(endpoint, values), endpoint, directories);
	if (own === undefined || name === undefined || own.names !== 'users') return problems;
	values.ids = { ...values.ids, username: name.replace(/^@/, '') };
	const { id } = values.ids;
	const isUserDelete = endpoint.query.some((each) => each.name === 'reassign');
	if (problems.length > 0 || !isUserDelete || id === undefined) return problems;
	// Before a permanent delete, the account must show the name.
	const problem = await directories.users.conflict(id, name);
	return problem === undefined ? [] : [{ column: own.name, problem, isMissing: false }];
}

export async function resolveArgument(
	endpoint: Endpoint,
	ids: RowValues['ids'],
	directories: Directories,
): Promise<{ ids: RowValues['ids']; problem?: string }> {
	const own = endpoint.parameters.at(-1);
	const text = own && ids[own.name];
	if (own?.names === undefined || !isNamed(text)) return { ids };
	const values: RowValues = { ids, names: { [own.name]: text } };
	const [first] = await resolveRow(endpoint, values, directories);
	return { ids: values.ids, problem: first?.problem };
}

/** Keeps what was looked up for a resume. */
export async function keepNames(journal: Journal, directories: Directories): Promise<void> {
	let written: Promise<void> | undefined;
	for (const record of directories.memory.records) written = journal.record({ type: 'name', ...record });
	await written;
}

export function takeUpName({ type, of, name, id, problem }: Json, directories: Directories): void {
	if (type !== 'name' || typeof of !== 'string' || typeof name !== 'string') return;
	if (typeof id === 'string') directories.memory.remember({ of, name, id });
	else if (typeof problem === 'string') directories.memory.remember({ of, name, problem });
}

/** The values of a plan that may be names, and those that are. */
export function sharedValues({ values, checks }: RunPlan, endpoint: Endpoint) {
	const { ids, reassign } = values;
	let names: Record<string, string> | undefined;
	for (const parameter of endpoint.parameters) {
		const text = ids[parameter.name];
		if (parameter.names !== undefined && isNamed(text)) names = { ...names, [parameter.name]: text };
	}
	if (isNamed(reassign)) names = { ...names, reassign };
	const shared: RowValues = { ids, reassign, fields: values.fields, names };
	const add: RowValues = { ids, fields: values.add };
	const remove: RowValues = { ids, fields: values.remove };
	const conditions = checks.conditions.map(({ field, value }): RowValues => ({ ids, fields: { [field]: value } }));
	const uses = [shared, add, remove, ...conditions].flatMap((each) => [...usesIn(endpoint, each)]);
	return { shared, add, remove, conditions, uses };
}

/** @throws UsageError that lists unknown names */
export async function withIds(plan: RunPlan, endpoint: Endpoint, directories: Directories): Promise<RunPlan> {
	const found = await findIds(plan, endpoint, directories);
	if (!Array.isArray(found)) return found;
	const [first, ...details] = found;
	throw new UsageError(`${first}; nothing was sent`, { code: 'unknown_name', details });
}

/** The plan with IDs, or what is wrong with its names. */
export async function findIds(
	plan: RunPlan,
	endpoint: Endpoint,
	directories: Directories,
): Promise<RunPlan | string[]> {
	const { shared, add, remove, conditions, uses } = sharedValues(plan, endpoint);
	const problems = await resolve(uses, endpoint, directories);
	if (problems.length > 0) return problems.map(({ column, problem }) => `${column}: ${problem}`);
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
				const found = conditions[at]?.fields?.[field] ?? value;
				return { field, value: [found].flat().join(',') };
			}),
		},
	};
}

/** Fields of a plan that are compared by the ID of a term. */
export function termsIn({ values, checks }: RunPlan, endpoint: Endpoint): string[] {
	const { fields, add, remove } = values;
	return termsAmong(endpoint, [
		...Object.keys({ ...fields, ...add, ...remove }),
		...checks.conditions.map(({ field }) => field),
	]);
}

/** Lists of terms are shown as IDs. */
function termsAmong({ fields }: Endpoint, names: readonly string[]): string[] {
	return fields.filter(({ name, kind }) => kind === 'term' && names.includes(name)).map(({ name }) => name);
}

export async function listTerms(directories: Directories, endpoint: Endpoint, names: readonly string[]): Promise<void> {
	for (const name of termsAmong(endpoint, names)) await directories.terms(name).list();
}
