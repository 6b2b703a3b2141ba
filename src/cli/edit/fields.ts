/** The fields of an object as YAML that a person edits, and what they changed in it; pure. */

import type { Endpoint } from '../../api/endpoints.js';
import type { Field, FieldKind } from '../../api/fields.js';
import { didYouMean } from '../../api/suggest.js';
import {
	checkTyped,
	findField,
	isObject,
	isProblem,
	nestingProblem,
	quote,
	type ValueRules,
} from '../../api/values.js';
import { type Held, heldOf, isNothing, isUnchanged } from '../../bulk/run/read-back.js';
import { suggestedValues } from '../runs/options.js';

/** What can be edited, by the noun of its commands. */
export type EditNoun = 'ticket' | 'reply' | 'user' | 'attachment' | 'term';

/** An object that is edited. */
export interface EditableObject {
	endpoint: Endpoint;
	/** Its fields as an export has them: those with a value that an update can write back. */
	exported: Readonly<Record<string, unknown>>;
	/** As the service shows it. */
	whole: unknown;
	/** The names of an export. */
	columns: readonly string[];
	rules: ValueRules;
}

/** What values a kind takes, where that is not a list. */
const TAKES: Partial<Record<FieldKind, string>> = {
	integer: 'a whole number',
	user: 'a user id, 0 for none, or "@me"',
	date: 'ISO 8601',
	term: 'a slug or an id',
	terms: 'a list of ids or slugs',
	list: 'a list',
	map: 'names and values; a name that is removed is sent as null',
};

/** Kinds whose plain YAML values are text: `007` is not a number. */
const TEXTS: ReadonlySet<FieldKind> = new Set(['text', 'longtext', 'term', 'email', 'date', 'status', 'adjustment']);

/** The value of a field that has none, where that is not "". */
const EMPTY: Partial<Record<FieldKind, unknown>> = { terms: [], list: [], map: {}, user: 0, integer: 0 };

/** Comment lines of about 100 characters. */
function comment(text: string): string {
	return text.replace(/(.{1,100})(?:\s+|$)/g, '# $1\n');
}

function commentOf({ kind, help }: Field): string {
	const takes = suggestedValues[kind]?.join(', ') ?? TAKES[kind];
	return comment(takes === undefined ? help : `${help}: ${takes}`);
}

/** Fields that the service shows and an update can write back; one without a value is shown empty. */
function valuesOf({ endpoint, exported, whole, columns }: EditableObject): [Field, unknown][] {
	const held = heldOf(endpoint, whole, '') as Held;
	return endpoint.fields
		.filter(({ name }) => columns.includes(name))
		.filter(({ name }) => Object.hasOwn(exported, name) || (held.has(name) && isNothing(held.get(name))))
		.map((field) => {
			const empty = EMPTY[field.kind] || '';
			return [field, exported[field.name] ?? empty];
		});
}

/** @param what is edited: `ticket 14 on desk.example` */
export async function fieldsAsYaml(object: EditableObject, what: string): Promise<string> {
	const { yamlText } = await import('../../output/yaml.js');
	const head = comment(
		`${what}. Change values, save and close the editor: only what changed is sent. An empty file cancels.`,
	);
	const fields = valuesOf(object).map(([field, value]) => commentOf(field) + yamlText({ [field.name]: value }));
	return [head, ...fields].join('\n');
}

/** The text with a problem on top. */
export function withProblem(text: string, problem: string | undefined): string {
	return problem === undefined ? text : `${problem.trimEnd().replace(/^/gm, '# error: ')}\n${text}`;
}

export function withoutProblem(text: string): string {
	return text.replace(/^(?:# error: .*\r?\n)+/, '');
}

export type Changes = { fields: Readonly<Record<string, unknown>> } | { problem: string };

/** What an edited text changes; undefined where it holds nothing. Fields that it leaves out stay as they are. */
export async function changesIn(object: EditableObject, original: string, text: string): Promise<Changes | undefined> {
	if (text === original) return { fields: {} };
	const { readYamlMapping } = await import('../../output/yaml.js');
	const { endpoint, rules } = object;
	const known = valuesOf(object).map(([field]) => field);
	const isText = (name: string): boolean => TEXTS.has(findField(known, name)?.kind ?? 'map');
	const before = readYamlMapping(original, isText) ?? {};
	let after: Record<string, unknown> | undefined;
	try {
		after = readYamlMapping(text, isText);
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		return { problem: error.message };
	}
	if (after === undefined) return undefined;
	const held = heldOf(endpoint, object.whole, '') as Held;
	const fields: [string, unknown][] = [];
	for (const [name, value] of Object.entries(after)) {
		const field = findField(known, name);
		if (field === undefined) {
			const names = known.map((each) => each.name);
			if (!rules.undocumented) return { problem: `there is no field ${quote(name)} here${didYouMean(name, names)}` };
			fields.push([name, value]);
			continue;
		}
		const old = before[field.name];
		if (JSON.stringify(value) === JSON.stringify(old)) continue;
		const given = value ?? EMPTY[field.kind] ?? '';
		const deep = nestingProblem(given);
		const checked = deep === undefined ? checkTyped(field, given, rules) : { problem: `${field.name}: ${deep}` };
		if (isProblem(checked)) return checked;
		const wanted = field.kind === 'map' ? changedKeys(old, checked.value) : checked.value;
		if (!isUnchanged(endpoint, field.name, wanted, held)) fields.push([field.name, wanted]);
	}
	return { fields: Object.fromEntries(fields) };
}

/** The entries of a map that changed: services keep those that are not sent. */
function changedKeys(old: unknown, wanted: unknown): unknown {
	if (!isObject(wanted)) return wanted;
	const before = isObject(old) ? old : {};
	const removed = Object.keys(before).map((key) => [key, null] as const);
	const changed = Object.entries({ ...Object.fromEntries(removed), ...wanted });
	return Object.fromEntries(changed.filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value)));
}
