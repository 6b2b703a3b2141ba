/** Objects as exports, whole, or as tables for people. */

import type { Read } from '../../api/reads.js';
import type { ListedObject } from '../../bulk/lists/pages.js';
import { createSheet, exportedNames } from '../../bulk/lists/sheet.js';
import { listTerms } from '../../bulk/run/names.js';
import { parseFields } from '../../output/columns.js';
import { createRedactor } from '../../output/redact.js';
import { warn } from '../notices.js';
import { chosenFormat, isOwnTable, openResults, type ResultShape } from '../results.js';
import type { Ids, Reading } from './reading.js';
import { BATCH, createTerminalRows } from './terminal.js';

export type Printer = Awaited<ReturnType<ReturnType<typeof printingOf>['open']>>;

export interface PrintOptions {
	/** Whole in every format but csv and tsv. */
	single?: boolean;
	/** Looked at, not printed. */
	absent?: readonly string[];
}

export function printingOf(reading: Reading, { single = false, absent = [] }: PrintOptions) {
	const { read, invocation, session, directories } = reading;
	const { options } = invocation;
	const profileFormat = session.connection.settings.format;
	const format = chosenFormat(options, profileFormat);
	const isNamed = options.fields !== undefined || options.field !== undefined;
	const asCells = format === 'csv' || format === 'tsv';
	const isExport = read.update !== undefined && (asCells || (!single && (format === 'json' || format === 'ndjson')));
	const isTable = isOwnTable(invocation, profileFormat);
	const knownNames = ['id', ...exportedNames(read), ...read.shown];

	/** The service need not send others. */
	function namesOf(): readonly string[] | undefined {
		const names = namesPrinted(read, { format, isExport, paths: pathsOf(options) });
		if (options.query !== undefined || !read.paged || names === undefined) return undefined;
		// Typos are compared with all names.
		if (!names.every((name) => knownNames.includes(name))) return undefined;
		return [...new Set(['id', ...names.filter((name) => !read.owners.includes(name)), ...absent])];
	}

	/** @param sample decides the columns @throws UsageError */
	async function open(sample: readonly ListedObject[], screen: Pick<ResultShape, 'beforeWrite' | 'onPager'> = {}) {
		const { dialect } = session;
		const { index: terms } = directories;
		if (isExport && read.update !== undefined) {
			const isShown = (name: string): boolean =>
				sample.some((each) => typeof each[name] === 'string' && each[name] !== '');
			const names = exportedNames(read).filter(isShown);
			await listTerms(directories, read.update, names);
		}
		const sheet = createSheet({ read, asCells, sample, dialect, terms, owners: {}, redact: createRedactor() });
		const person = isTable ? createTerminalRows(reading, single) : undefined;
		const names = asCells ? sheet.columns : read.shown;
		const columns = person?.columns(names) ?? names.map((path) => ({ path, label: path }));
		const keys = [
			...new Set([...sample.flatMap((each) => Object.keys(sheet.whole(each))), ...read.owners, ...knownNames]),
		];
		const results = await openResults(invocation, {
			...{ profileFormat, single, ...screen },
			idOf: (row) => row.id ?? row.slug,
			// Some objects show less than others.
			...(sample.length > 0 && { keys }),
			columns: single && !asCells ? undefined : columns,
		});
		return {
			learn: async (objects: readonly ListedObject[]): Promise<void> => await person?.learn(objects),
			/** A promise asks to wait. */
			print(object: ListedObject, owners: Ids): void | Promise<void> {
				const exported = isExport ? sheet.exported(object) : {};
				const whole = isExport && !isNamed ? {} : sheet.whole(object);
				const row = { ...ownerValues(owners), ...whole, ...exported };
				return results.row(person?.row(row) ?? row);
			},
			async end(): Promise<void> {
				await results.end();
				if (isExport) warn(invocation.context, sheet.warnings());
			},
		};
	}
	const countsOnly = format === 'count' && options.query === undefined;
	const batch = isTable ? BATCH : 1;
	return { names: namesOf(), countsOnly, batch, open };
}

function pathsOf({ fields, field }: Reading['invocation']['options']): string[] | undefined {
	if (field !== undefined) return [field];
	return fields === undefined ? undefined : parseFields(fields).map(({ path }) => path);
}

interface Printed {
	format: string | undefined;
	isExport: boolean;
	paths: readonly string[] | undefined;
}

function namesPrinted(read: Read, { format, isExport, paths }: Printed): readonly string[] | undefined {
	if (paths !== undefined) return paths.map((path) => path.split('.')[0] as string);
	if (format === 'ids' || format === 'count') return ['id'];
	if (isExport) return exportedNames(read);
	return format === undefined || format === 'table' ? read.shown : undefined;
}

function ownerValues(owners: Ids): Record<string, unknown> {
	return Object.fromEntries(Object.entries(owners).map(([name, id]) => [name, name === 'taxonomy' ? id : Number(id)]));
}
