/** Objects as exports, whole, or as tables for people. */

import type { ListedObject } from '../../bulk/lists/pages.js';
import { createSheet, exportedNames } from '../../bulk/lists/sheet.js';
import { listTerms } from '../../bulk/run/names.js';
import { parseFields } from '../../output/columns.js';
import { createRedactor } from '../../output/redact.js';
import { warn } from '../notices.js';
import { chosenFormat, isOwnTable, openResults, type ResultShape } from '../results.js';
import type { Ids, Reading } from './reading.js';
import { BATCH, createTerminalRows } from './terminal.js';

export type Printer = ReturnType<typeof createPrinter>;

interface PrinterOptions extends Pick<ResultShape, 'beforeWrite' | 'onPager'> {
	/** One object, which is whole in every format but csv and tsv. */
	single?: boolean;
}

/** The first objects decide the columns. */
export function createPrinter(reading: Reading, { single = false, ...screen }: PrinterOptions) {
	const { read, invocation, session, directories } = reading;
	const { options, context } = invocation;
	const profileFormat = session.connection.settings.format;
	const format = chosenFormat(options, profileFormat);
	const asCells = format === 'csv' || format === 'tsv';
	const isExport = read.update !== undefined && (asCells || (!single && (format === 'json' || format === 'ndjson')));
	const isNamed = options.fields !== undefined || options.field !== undefined;
	const person = isOwnTable(invocation, profileFormat) ? createTerminalRows(reading, single) : undefined;
	// A table looks up the names of many objects in one request.
	const batch = person === undefined ? 1 : BATCH;
	let waiting: { object: ListedObject; owners: Ids }[] = [];
	let opened: Awaited<ReturnType<typeof open>> | undefined;

	async function open(sample: readonly ListedObject[]) {
		if (isExport && read.update !== undefined) {
			const isShown = (name: string): boolean =>
				sample.some((each) => typeof each[name] === 'string' && each[name] !== '');
			await listTerms(directories, read.update, exportedNames(read).filter(isShown));
		}
		const { dialect } = session;
		const terms = directories.index;
		const sheet = createSheet({ read, asCells, sample, dialect, terms, owners: {}, redact: createRedactor() });
		const names = asCells ? sheet.columns : read.shown;
		const columns = person?.columns(names) ?? names.map((path) => ({ path, label: path }));
		const keys = [
			...sample.flatMap((each) => Object.keys(sheet.whole(each))),
			...read.owners,
			'id',
			...exportedNames(read),
			...read.shown,
		];
		const results = await openResults(invocation, {
			...screen,
			profileFormat,
			single,
			idOf: (row) => row.id ?? row.slug,
			// Some objects show less than others.
			...(sample.length > 0 && { keys: [...new Set(keys)] }),
			columns: single && !asCells ? undefined : columns,
		});
		return { sheet, results };
	}

	async function flush() {
		const objects = waiting.map(({ object }) => object);
		opened ??= await open(objects);
		const { sheet, results } = opened;
		await person?.learn(objects);
		for (const { object, owners } of waiting) {
			const whole = isExport && !isNamed ? {} : sheet.whole(object);
			const exported = isExport ? sheet.exported(object) : {};
			const row = { ...ownerValues(owners), ...whole, ...exported };
			const taken = results.row(person?.row(row) ?? row);
			// Most rows need no wait.
			if (taken !== undefined) await taken;
		}
		waiting = [];
		return opened;
	}

	/** Columns by default; undefined for whole objects. */
	function namesPrinted(): readonly string[] | undefined {
		if (options.field !== undefined) return [options.field];
		if (options.fields !== undefined) return parseFields(options.fields).map(({ path }) => path);
		if (format === 'ids' || format === 'count') return ['id'];
		if (isExport) return exportedNames(read);
		return format === undefined || format === 'table' ? read.shown : undefined;
	}

	return {
		/** Which fields the service has to send; undefined for all. */
		fieldsNeeded(): string[] | undefined {
			const names = namesPrinted()?.map((path) => path.split('.')[0] ?? '');
			if (options.query !== undefined || !read.paged || names === undefined) return undefined;
			return ['id', ...names.filter((name) => name !== 'id' && !read.owners.includes(name))];
		},
		async print(objects: readonly ListedObject[], owners: Ids): Promise<void> {
			waiting.push(...objects.map((object) => ({ object, owners })));
			if (waiting.length >= batch) await flush();
		},
		async end(): Promise<void> {
			const { sheet, results } = waiting.length > 0 || opened === undefined ? await flush() : opened;
			await results.end();
			if (isExport) warn(context, sheet.warnings());
		},
	};
}

function ownerValues(owners: Ids): Record<string, unknown> {
	return Object.fromEntries(Object.entries(owners).map(([name, id]) => [name, name === 'taxonomy' ? id : Number(id)]));
}
