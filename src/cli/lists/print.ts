/** Objects as exports, whole, or as tables for people. */

import type { Field } from '../../api/fields.js';
import { kinds, namesUsers } from '../../api/kinds.js';
import { PAGE_SIZE, type Read } from '../../api/reads.js';
import { readMoment } from '../../api/values.js';
import type { ListedObject } from '../../bulk/lists/pages.js';
import { createSheet, exportedNames, listComparedTerms } from '../../bulk/lists/sheet.js';
import type { Ids } from '../../bulk/plan.js';
import type { Column } from '../../output/columns.js';
import { factsOf } from '../../output/formats.js';
import { createRedactor } from '../../output/redact.js';
import { momentText, relativeTime } from '../../text.js';
import { warn } from '../notices.js';
import { chosenFormat, columnsNamed, isNarrow, isOwnTable, openResults, type ResultShape } from '../results.js';
import { printedIds } from '../runs/outcomes.js';
import type { Reading } from './reading.js';

/** @param single one object, which is whole in every format but csv and tsv */
export function formOf({ read, invocation }: Reading, single = false) {
	const format = chosenFormat(invocation);
	const { exports } = factsOf(format);
	const asCells = exports === 'cells';
	const isData = asCells || (!single && exports === 'values');
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
		const { prints } = factsOf(format);
		if (prints === 'id' || prints === 'count') names = [];
		else if (isExport) names = exportedNames(read);
		else if (prints === 'columns') names = read.shown;
	}
	const fields = names?.map((path) => path.split('.')[0] as string);
	return fields && [...new Set(['id', ...fields])].filter((name) => !read.owners.includes(name));
}

type Screen = Pick<ResultShape, 'beforeWrite' | 'onPager'>;

/** The first objects decide the columns. A table looks up names of many objects in one request. */
export function createPrinter(reading: Reading, form: Form, screen: Screen = {}) {
	let waiting: { object: ListedObject; owners: Ids }[] = [];
	let opened: Awaited<ReturnType<typeof openTable>> | undefined;

	async function flush() {
		const objects = waiting.map(({ object }) => object);
		const { read, directories } = reading;
		if (form.isExport) await listComparedTerms(read, objects, waiting[0]?.owners ?? {}, form.asCells, directories);
		opened ??= await openTable(reading, form, screen, objects);
		await opened.learn(objects);
		for (const { object, owners } of waiting) {
			const taken = opened.row(object, owners);
			// Most rows need no wait, and waiting costs a turn.
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

async function openTable(reading: Reading, form: Form, screen: Screen, sample: readonly ListedObject[]) {
	const { read, invocation, dialect, directories } = reading;
	const { single, asCells, isExport } = form;
	const { terms } = directories;
	const sheet = createSheet({ read, asCells, sample, dialect, terms, redact: createRedactor() });
	const own = sample.flatMap((each) => Object.keys(sheet.whole(each)));
	const keys = new Set([...read.owners, ...own, 'id', ...exportedNames(read), ...read.shown]);
	const named = form.isTable ? namedFields(read, single) : [];
	let columns: Column[] | undefined;
	if (form.isTable) columns = terminalColumns(reading, single ? namesForPeople(read, own) : read.shown, named, single);
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
				...(isExport && sheet.exported(object, owners)),
			});
		},
		async end(): Promise<void> {
			await results.end();
			if (isExport) warn(invocation.context, sheet.warnings());
		},
	};
}

/** What names an object comes first, and long text last. */
const FIRST = ['id', 'title', 'name', 'username', 'email', 'status', 'state', 'roles'];
const LAST = ['content', 'description', 'caption'];

/** Once each, without what is for programs. */
function namesForPeople({ owners, update }: Read, own: readonly string[]): string[] {
	const isField = new Set(update?.fields.map(({ name }) => name));
	// The same moments without a zone, addresses of pages, and a reply's ticket again.
	const hidden = new Set([
		'date',
		'modified',
		'meta',
		'guid',
		'link',
		...(owners.includes('ticket_id') ? ['parent'] : []),
	]);
	const hasOwnName = own.some((name) => name === 'title' || name === 'content' || name === 'username');
	if (hasOwnName) hidden.add('slug');
	const shown = own.filter((name) => !hidden.has(name) || (name === 'date' && !own.includes('date_gmt')));
	const fields = shown.filter((name) => isField.has(name));
	const first = FIRST.filter((name) => shown.includes(name));
	const last = LAST.filter((name) => shown.includes(name));
	const middle = [...fields, ...shown].filter((name) => !last.includes(name));
	return [...new Set([...owners, ...first, ...middle, ...last])];
}

/** GMT, without a zone. */
const TIMES: ReadonlySet<string> = new Set(['modified_gmt', 'date_gmt', 'registered_date', 'created', 'last_used']);

/** They get the width that a terminal has left. */
const IMPORTANT: ReadonlySet<string> = new Set(['title', 'content', 'name']);

/** Left out of a narrow terminal, where titles would have no room. */
const WIDE_ONLY: ReadonlySet<string> = new Set(['state', 'ticket_priority']);

const LABELS: Readonly<Record<string, string>> = {
	ticket_priority: 'priority',
	modified_gmt: 'modified',
	date_gmt: 'date',
	registered_date: 'registered',
};

const WORDS: Readonly<Record<string, string>> = {
	...LABELS,
	ticket_id: 'ticket',
	'ticket-tag': 'tags',
	date_gmt: 'created',
};

/** `customer-reply-count` → `customer reply count`. */
function wordsOf(name: string): string {
	return WORDS[name] ?? name.replace(/^(?:ticket|support)_/, '').replaceAll(/[_-]/g, ' ');
}

/** Values of one object that say nothing. */
const USUAL: Readonly<Record<string, string>> = { 'time-adjustments-type': '+' };

/** Fields of which names are shown instead of IDs and slugs. */
function namedFields({ update, shown }: Read, single: boolean): Field[] {
	const fields = (update?.fields ?? []).filter(({ name }) => single || shown.includes(name));
	return fields.filter(({ kind }) => kinds[kind].names !== undefined);
}

/** @param single one object, whose empty fields are left out */
export function terminalColumns(
	{ invocation, directories }: Reading,
	names: readonly string[],
	named: readonly Field[],
	single: boolean,
): Column[] {
	const { clock } = invocation.context;
	const hasRoom = single || !isNarrow(invocation.context);

	function timeText({ ms }: { ms: number }): string {
		return (single ? momentText : relativeTime)(ms, clock.now());
	}

	function shownValue(name: string, field: Field | undefined, value: unknown): unknown {
		if (field === undefined) {
			const moment = TIMES.has(name) && typeof value === 'string' ? readMoment(value) : undefined;
			return moment === undefined ? value : timeText(moment);
		}
		if (namesUsers(field) && value === 0) return '';
		const texts = [value].flat().map((each) => directories.nameShown(field, each) ?? String(each ?? ''));
		return texts.includes('') ? value : texts.join(', ');
	}

	return names
		.filter((name) => hasRoom || !WIDE_ONLY.has(name))
		.map((path) => {
			const field = named.find(({ name }) => name === path);
			return {
				path,
				label: single ? wordsOf(path) : (LABELS[path] ?? path),
				...(single && { optional: true, usual: USUAL[path] ?? '0' }),
				get: (row) => shownValue(path, field, row[path]),
				important: IMPORTANT.has(path),
				// A time that is cut off says nothing.
				whole: TIMES.has(path),
				// People copy usernames.
				...(field !== undefined && namesUsers(field) && { least: 10 }),
			};
		});
}
