/** Objects as rows of an export or as fields to edit, which an update reads back unchanged. */

import { compareValue } from '../../api/applied.js';
import { rawValue, type TermIndex } from '../../api/compare.js';
import type { Dialect } from '../../api/dialect.js';
import { type Field, findField } from '../../api/fields.js';
import { kinds } from '../../api/kinds.js';
import { counted } from '../../api/names.js';
import type { Read } from '../../api/reads.js';
import { emptyRecord, hasInexactNumber, isObject, looksLikeNumber } from '../../api/values.js';
import { cellText } from '../../text.js';
import { heldOf, isNothing, shownValue } from '../held.js';
import { type ColumnReader, type Draft, fieldColumn } from '../input/columns.js';
import type { Fields, Ids } from '../plan.js';
import type { Directories } from './directory.js';
import type { ListedObject } from './pages.js';

interface SheetOptions {
	read: Read;
	/** Whether values become cells of text. */
	asCells: boolean;
	/** Fields of which these show rendered text only are left out. */
	sample: readonly ListedObject[];
	dialect: Dialect;
	redact<T>(value: T): T;
	terms?: TermIndex;
}

/** Without the owners. */
export function exportedNames(read: Read): string[] {
	if (read.update === undefined) return read.shown.filter((name) => !read.owners.includes(name));
	return ['id', ...exportedFields(read).map(({ name }) => name), ...(read.hasModified ? ['modified_gmt'] : [])];
}

function exportedFields({ update }: Read): Field[] {
	return (update?.fields ?? []).filter(({ kind, computed }) => !kinds[kind].isSecret && computed === undefined);
}

/** Before an export: a slug can look like an ID, or be shown damaged, and in a cell an ID can be the name of another term. */
export async function listComparedTerms(
	read: Read,
	objects: readonly ListedObject[],
	owners: Ids,
	asCells: boolean,
	{ terms }: Directories,
) {
	const isSlug = (value: unknown): boolean => typeof value === 'string' && value !== '';
	const isShown = (name: string): boolean =>
		objects.some((each) => (asCells ? !isNothing(each[name]) : isSlug(each[name])));
	for (const { name, kind } of exportedFields(read)) {
		const { of, shownBySlug } = kinds[kind].names ?? {};
		if (of !== 'terms' || !isShown(name)) continue;
		// IDs can be exported without the list, slugs can't.
		if (shownBySlug) await terms(name).list();
		else if (asCells)
			await terms(name)
				.list()
				.catch(() => undefined);
	}
	const { taxonomy } = owners;
	if (asCells && taxonomy !== undefined && namesTerms(read))
		await terms(taxonomy)
			.list()
			.catch(() => undefined);
}

/** Whether an update also finds its objects by the name of a term. */
const namesTerms = ({ update }: Read): boolean => update?.parameters.at(-1)?.names === 'terms';

export function createSheet(options: SheetOptions) {
	const { read, sample, asCells } = options;
	const fields = exportedFields(read);
	const rendered = fields.filter(({ name }) =>
		sample.some((each) => each[name] !== undefined && rawValue(each[name]) === undefined),
	);
	const columns = exportedNames(read).filter((name) => !rendered.some((field) => field.name === name));
	const exported = columns.map((name) => {
		const field = fields.find((each) => each.name === name);
		const exportOf = field === undefined ? (value: unknown) => value : createReader(field, options);
		const isOwn = name === 'id' && asCells && namesTerms(read);
		const leftOut: unknown[] = [];
		return { name, exportOf, isOwn, leftOut };
	});
	return {
		columns: [...read.owners, ...columns],
		/** What an update reads. */
		exported(object: ListedObject, { taxonomy }: Ids = {}): Record<string, unknown> {
			const row: Record<string, unknown> = {};
			for (const { name, exportOf, isOwn, leftOut } of exported) {
				const index = isOwn && taxonomy !== undefined ? options.terms?.(taxonomy) : undefined;
				const value = index === undefined ? exportOf(object[name]) : index.exportedId(String(object[name]));
				if (value === LEFT_OUT) leftOut.push(object.id);
				else if (value !== undefined) row[name] = value;
			}
			return row;
		},
		whole: ({ _links, ...object }: ListedObject): Record<string, unknown> =>
			Object.fromEntries(Object.entries(object).map(([name, value]) => [name, rawValue(value) ?? value])),
		/** About the rows so far. */
		warnings(): string[] {
			const warnings = exported
				.filter(({ leftOut }) => leftOut.length > 0)
				.map(({ name, leftOut: ids }) => {
					const count = `${counted(ids.length, 'value')} left out`;
					const which = `${read.list.noun} ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''}`;
					return `${name}: ${count} (${which}): an update would reject or change ${ids.length === 1 ? 'it' : 'them'}`;
				});
			if (rendered.length === 0) return warnings;
			const names = rendered.map(({ name }) => name).join(', ');
			const why = "skipped: the service only returns rendered text, which can't be written back";
			return [`${names}: ${why}`, ...warnings];
		},
	};
}

/** Services show the site's locale and an editor's preferences if nothing is stored: writing them back would pin them. */
function ownValue({ name }: Field, value: unknown): unknown {
	if (name === 'locale' && value === 'en_US') return undefined;
	// Services refuse to unassign a ticket.
	if (name === 'assignee' && value === 0) return undefined;
	if (name !== 'meta' || !isObject(value)) return value;
	const { persisted_preferences: _, ...own } = value;
	return Object.keys(own).length === 0 ? undefined : own;
}

const LEFT_OUT = Symbol('left out');

/** How many values of a field are remembered: tickets share few, and memory must not grow with the list. */
const REMEMBERED = 1000;

/** Values that an update would refuse or change are left out. */
function createReader(field: Field, { asCells, dialect, redact, terms }: SheetOptions): (shown: unknown) => unknown {
	const column = fieldColumn(field, { undocumented: false, statusIn: dialect.toNeutral }, false);
	const known = new Map<string, unknown>();
	return (shown) => {
		const value = ownValue(field, rawValue(shown));
		if (value === undefined || value === null || value === '') return undefined;
		if (Array.isArray(value) && value.length === 0) return undefined;
		const term = terms === undefined ? undefined : termsOf(field, value, terms(field.name), asCells);
		if (term !== undefined) return term;
		const key = JSON.stringify(value);
		if (known.has(key)) return known.get(key);
		// Entries of a map may be secrets.
		const isHidden = redact({ [field.name]: value })[field.name] !== value;
		const found = isHidden ? LEFT_OUT : checkedValue(field, value, column, asCells);
		if (known.size < REMEMBERED) known.set(key, found);
		return found;
	};
}

/** @returns what an update reads as these terms; undefined for a value like any other */
function termsOf({ kind }: Field, value: unknown, index: ReturnType<TermIndex>, asCells: boolean): unknown {
	const { names, many } = kinds[kind];
	if (names?.of !== 'terms') return undefined;
	const items = [value].flat();
	// Without a list, the slug of one term would be read as the ID of another.
	if (!index.isListed) return items.some(isDigits) ? LEFT_OUT : undefined;
	if (many === undefined && typeof value === 'string') return index.exported(value) ?? LEFT_OUT;
	if (!asCells || !items.every(isItem)) return undefined;
	const ids = items.map((item) => (typeof item === 'string' ? index.ofSlug(item) : String(item)));
	if (ids.includes(undefined)) return LEFT_OUT;
	return ids.map((id = '') => index.exportedId(id)).join(',');
}

const isDigits = (item: unknown): boolean => typeof item === 'string' && looksLikeNumber(item);
const isItem = (item: unknown): boolean => typeof item === 'string' || Number.isSafeInteger(item);

function checkedValue(field: Field, value: unknown, column: ColumnReader, asCells: boolean): unknown {
	if (hasInexactNumber(value)) return LEFT_OUT;
	const normal = kinds[field.kind].takenBack(value);
	if (normal === undefined) return LEFT_OUT;
	// A copy, since one object would count as the same whatever is in it.
	const given = asCells ? cellText(normal) : structuredClone(normal);
	const draft: Draft = { ids: {}, fields: {} };
	const problem = column(field.name, given, draft, asCells);
	if (problem !== undefined) return LEFT_OUT;
	const isReadable = typeof given !== 'string' || !UNREADABLE.test(given);
	// A cell of spaces leaves the field alone.
	if (!Object.hasOwn(draft.fields, field.name)) return isReadable ? given : LEFT_OUT;
	const back = draft.fields[field.name];
	const isText = typeof back === 'string' && typeof value === 'string';
	const isSame = isText ? back === value : compareValue(field, back, value) === 'same';
	return isSame && (isReadable || !asCells) ? given : LEFT_OUT;
}

/** UTF-8 has no half surrogates, and a NUL makes a file binary. */
const UNREADABLE = /[\p{Surrogate}\0]/u;

/** @returns `expected` by an update */
export function editableFields(object: ListedObject, options: Omit<SheetOptions, 'asCells' | 'sample'>) {
	const sheet = createSheet({ ...options, asCells: false, sample: [object] });
	const exported = sheet.exported(object);
	const all = options.read.update?.fields ?? [];
	const fields = all.filter(({ name }) => {
		const value = rawValue(object[name]);
		// Fields without a value can be filled.
		const isEditable = Object.hasOwn(exported, name) || (value !== undefined && isNothing(value));
		return isEditable && sheet.columns.includes(name);
	});
	const held = options.read.update && heldOf(options.read.update, object, options.terms);
	const now = (name: string): unknown => held && shownValue(held.field(name));
	return {
		fields: fields.map((field) => ({ ...field, value: exported[field.name] ?? (kinds[field.kind].empty || '') })),
		expected: Object.fromEntries(fields.map(({ name }) => [name, [now(name)]])),
		warnings: sheet.warnings(),
	};
}

/** Fields that are left out stay. */
export function changedFields(before: Fields, after: Fields, fields: readonly Field[]): Fields {
	const changes = emptyRecord<unknown>();
	for (const [given, value] of Object.entries(after)) {
		const { name, kind } = findField(fields, given) ?? { name: given, kind: 'text' };
		const old = before[name];
		if (isSameJson(value, old)) continue;
		const { empty, many } = kinds[kind];
		const wanted = value ?? empty;
		changes[name] = many === 'entries' ? changedKeys(old, wanted) : wanted;
	}
	return changes;
}

/** Services keep entries that are not sent. */
function changedKeys(old: unknown, wanted: unknown): unknown {
	if (!isObject(wanted)) return wanted;
	const before = isObject(old) ? old : {};
	const removed = Object.fromEntries(Object.keys(before).map((key) => [key, null]));
	const entries = Object.entries({ ...removed, ...wanted });
	return Object.fromEntries(entries.filter(([key, value]) => !isSameJson(before[key], value)));
}

const isSameJson = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);
