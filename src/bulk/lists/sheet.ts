/** An object as a row of an export: what an update reads back from it is what the object holds, or it is left out. */

import type { Dialect } from '../../api/dialect.js';
import { holdsInexactNumber, inexactNumberIn } from '../../api/exact-numbers.js';
import type { Field } from '../../api/fields.js';
import type { Read } from '../../api/reads.js';
import { isObject, OWN_ID } from '../../api/values.js';
import { type CellReader, type Draft, fieldColumn } from '../input/columns.js';
import { type Held, heldOf, isUnchanged } from '../run/held.js';
import type { ListedObject } from './pages.js';

/** What is printed of the objects of a list. */
export interface Sheet {
	/** The columns of an export, in the order of the endpoint's fields. */
	readonly columns: readonly string[];
	/** A row of an export: only what an update reads. */
	exported(object: ListedObject): Record<string, unknown>;
	/** The whole object, with raw values in the place of `{raw, rendered}`. */
	whole(object: ListedObject): Record<string, unknown>;
	/** What was left out of the rows so far. */
	warnings(): string[];
}

export interface SheetOptions {
	read: Read;
	/** Ids from the path that objects don't show: the ticket of a reply, the taxonomy of a term. */
	owners: Readonly<Record<string, string | number>>;
	/** Whether values stand in cells of text. */
	asCells: boolean;
	/** The first objects of the list: a column that they show rendered alone is left out. */
	sample: readonly ListedObject[];
	dialect: Dialect;
	/** Hides secrets in an object. */
	redact<T>(value: T): T;
}

/** How many ids a warning names. */
const NAMED = 3;

export function createSheet(options: SheetOptions): Sheet {
	const { read, owners, sample, dialect } = options;
	const fields = (read.update?.fields ?? []).filter(
		({ name, kind }) => kind !== 'secret' && !read.computed.includes(name),
	);
	const rendered = fields.filter(({ name }) => sample.some((each) => isRenderedAlone(each[name])));
	const exported = fields.filter((field) => !rendered.includes(field));
	const readers = exported.map((field) => ({ field, column: columnOf(field, dialect) }));
	const own = read.update === undefined ? read.shown.filter((name) => !read.owners.includes(name)) : ['id'];
	const leftOut = new Map<string, { ids: unknown[]; count: number }>();

	const note = (name: string, id: unknown): void => {
		const noted = leftOut.get(name) ?? { ids: [], count: 0 };
		leftOut.set(name, noted);
		noted.count++;
		if (noted.ids.length < NAMED) noted.ids.push(id);
	};

	return {
		columns: [
			...read.owners,
			...own,
			...exported.map(({ name }) => name),
			...(read.update !== undefined && read.hasModified ? ['modified_gmt'] : []),
		],
		exported(object) {
			const row: Record<string, unknown> = { ...owners };
			for (const name of own) row[name] = object[name];
			const shown = options.redact(object);
			const held = heldOf({ body: 'fields' }, object, '') as Held;
			for (const { field, column } of readers) {
				// A secret in it would be hidden where it is printed.
				const isSecret = shown[field.name] !== object[field.name];
				const value = isSecret ? LEFT_OUT : valueFor(field, object[field.name], held, column, options);
				if (value === LEFT_OUT) note(field.name, object.id);
				else if (value !== undefined) row[field.name] = value;
			}
			if (read.hasModified && object.modified_gmt !== undefined) row.modified_gmt = object.modified_gmt;
			return row;
		},
		whole: (object) => ({
			...owners,
			...Object.fromEntries(
				Object.entries(object)
					.filter(([name]) => name !== '_links')
					.map(([name, value]) => [name, rawOf(value)]),
			),
		}),
		warnings: () => [
			...(rendered.length === 0
				? []
				: [`${namesOf(rendered)}: the service shows rendered text only, which is no value to write; left out`]),
			...[...leftOut].map(([name, { ids, count }]) => {
				const which = `${ids.join(', ')}${count > ids.length ? ', …' : ''}`;
				return `${name}: ${count} ${count === 1 ? 'value' : 'values'} left out (${read.list.noun} ${which}), which an update would not read back unchanged`;
			}),
		],
	};
}

const namesOf = (fields: readonly Field[]): string => fields.map(({ name }) => name).join(', ');

/** The column that an update reads the field with. */
function columnOf(field: Field, dialect: Dialect): CellReader {
	return fieldColumn(field.name, field, { undocumented: false, statusIn: dialect.statusIn }, false);
}

function isRenderedAlone(value: unknown): boolean {
	return isObject(value) && Object.hasOwn(value, 'rendered') && !Object.hasOwn(value, 'raw');
}

function rawOf(value: unknown): unknown {
	return inexactNumberIn(value) ?? (isObject(value) && Object.hasOwn(value, 'raw') ? value.raw : value);
}

const LEFT_OUT = Symbol('left out');

/**
 * The value of a field for an export; undefined where the object has none. Each is read back with the reader of an
 * update, so that nothing is exported which the update would refuse or change.
 */
function valueFor(
	field: Field,
	shown: unknown,
	held: Held,
	column: CellReader,
	{ read: { update }, asCells }: SheetOptions,
): unknown {
	const value = rawOf(shown);
	if (update === undefined || isNothing(value)) return undefined;
	if (isRenderedAlone(value) || holdsInexactNumber(value)) return LEFT_OUT;
	const given = asCells ? cellOf(field, value) : copyOf(normal(field, value));
	if (given === OWN_ID && field.kind === 'user') return LEFT_OUT;
	const draft: Draft = { ids: {}, force: undefined, reassign: undefined, fields: {} };
	const problem = asCells ? column.text(given as string, draft) : column.typed(given, draft);
	if (problem !== undefined) return LEFT_OUT;
	// An empty cell leaves the field alone.
	if (!Object.hasOwn(draft.fields, field.name))
		return typeof value === 'string' && !isUnreadable(value) ? given : LEFT_OUT;
	const isSame = isUnchanged(update, field.name, draft.fields[field.name], held);
	return isSame && !(asCells && isUnreadable(given as string)) ? given : LEFT_OUT;
}

function isNothing(value: unknown): boolean {
	return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Half of a pair of surrogates can't be written as UTF-8, and a file with a NUL is read as no text. */
const isUnreadable = (cell: string): boolean => /[\p{Surrogate}\0]/u.test(cell);

/** As it is once it was written and read. */
function copyOf(value: unknown): unknown {
	return typeof value === 'object' ? JSON.parse(JSON.stringify(value)) : value;
}

/** A switch as services write it, as the update takes it. */
function normal({ kind }: Field, value: unknown): unknown {
	if (kind !== 'boolean') return value;
	if (value === 1 || value === '1' || value === 'yes') return true;
	return value === 0 || value === '0' || value === 'no' ? false : value;
}

function cellOf(field: Field, value: unknown): string {
	const given = normal(field, value);
	if (Array.isArray(given) && given.every((each) => typeof each !== 'object' || each === null)) return given.join(',');
	return typeof given === 'object' ? JSON.stringify(given) : String(given);
}
