/** Objects as exports, whole, or as tables for people. */

import { PAGE_SIZE } from '../../api/reads.js';
import type { ListedObject } from '../../bulk/lists/pages.js';
import { createSheet, exportedNames, listComparedTerms } from '../../bulk/lists/sheet.js';
import type { Ids } from '../../bulk/run/plan.js';
import type { Column } from '../../output/columns.js';
import { createRedactor } from '../../output/redact.js';
import { warn } from '../notices.js';
import { chosenFormat, columnsNamed, isOwnTable, openResults, type ResultShape } from '../results.js';
import { printedIds } from '../runs/outcomes.js';
import type { Reading } from './reading.js';
import { namedFields, terminalColumns } from './terminal.js';

/** @param single one object, which is whole in every format but csv and tsv */
export function formOf({ read, invocation }: Reading, single = false) {
	const format = chosenFormat(invocation);
	const asCells = format === 'csv' || format === 'tsv';
	const isData = asCells || (!single && (format === 'json' || format === 'ndjson'));
	return {
		single,
		format,
		asCells,
		isExport: isData && read.update !== undefined,
		isTable: isOwnTable(invocation),
	};
}

type Form = ReturnType<typeof formOf>;

/** Which fields of a list the service has to send; undefined for all. */
export function fieldsNeeded({ read, invocation: { options } }: Reading, { format, isExport }: Form) {
	if (options.query !== undefined || read.orders.length === 0) return undefined;
	let names: readonly string[] | undefined = columnsNamed(options);
	if (names === undefined) {
		if (format === 'ids' || format === 'count') names = [];
		else if (isExport) names = exportedNames(read);
		else if (format === undefined || format === 'table') names = read.shown;
	}
	const fields = names?.map((path) => path.split('.')[0] as string);
	return fields && [...new Set(['id', ...fields])].filter((name) => !read.owners.includes(name));
}

type Screen = Pick<ResultShape, 'beforeWrite' | 'onPager'>;

/** The first objects decide the columns. A table looks up names of many objects in one request. */
export function createPrinter(reading: Reading, form: Form, screen: Screen = {}) {
	let waiting: { object: ListedObject; owners: Ids }[] = [];
	let opened: Awaited<ReturnType<typeof openRows>> | undefined;

	async function flush() {
		const objects = waiting.map(({ object }) => object);
		opened ??= await openRows(reading, form, screen, objects);
		await opened.learn(objects);
		for (const { object, owners } of waiting) {
			const taken = opened.row(object, owners);
			if (taken !== undefined) await taken;
		}
		waiting = [];
		return opened;
	}

	return {
		async print(objects: readonly ListedObject[], owners: Ids): Promise<void> {
			waiting.push(...objects.map((object) => ({ object, owners })));
			if (waiting.length >= (form.isTable ? PAGE_SIZE : 1)) await flush();
		},
		async end(): Promise<void> {
			const rows = waiting.length > 0 || opened === undefined ? await flush() : opened;
			await rows.end();
		},
	};
}

async function openRows(reading: Reading, form: Form, screen: Screen, sample: readonly ListedObject[]) {
	const { read, invocation, dialect, directories } = reading;
	const { single, asCells, isExport } = form;
	const { terms } = directories;
	if (isExport) await listComparedTerms(read, sample, directories);
	const sheet = createSheet({ read, asCells, sample, dialect, terms, redact: createRedactor() });
	const own = sample.flatMap((each) => Object.keys(sheet.whole(each)));
	const keys = new Set([...read.owners, ...own, 'id', ...exportedNames(read), ...read.shown]);
	const named = form.isTable ? namedFields(read, single) : [];
	let columns: Column[] | undefined;
	if (form.isTable) columns = terminalColumns(reading, single ? [...read.owners, ...own] : read.shown, named, single);
	else if (asCells || !single) columns = (asCells ? sheet.columns : read.shown).map((path) => ({ path }));
	const results = await openResults(invocation, {
		...screen,
		single,
		idOf: (row) => row.id ?? row.slug,
		// Some objects show less than others.
		...(sample.length > 0 && { keys: [...keys] }),
		columns,
	});
	const isWhole = !isExport || columnsNamed(invocation.options) !== undefined;
	return {
		learn: (objects: readonly ListedObject[]) => directories.learn(named, objects),
		row(object: ListedObject, owners: Ids): void | Promise<void> {
			return results.row({
				...printedIds(owners),
				...(isWhole && sheet.whole(object)),
				...(isExport && sheet.exported(object)),
			});
		},
		async end(): Promise<void> {
			await results.end();
			if (isExport) warn(invocation.context, sheet.warnings());
		},
	};
}
