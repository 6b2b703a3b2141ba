/** What commands that read have in common: the session, single objects, how objects are printed, and what failures mean. */

import { createPlanner } from '../../api/plan.js';
import type { Read } from '../../api/reads.js';
import { isProblem, OWN_ID, parseId } from '../../api/values.js';
import type { ListedObject } from '../../bulk/lists/pages.js';
import { createSheet, exportedNames } from '../../bulk/lists/sheet.js';
import { AdaptivePace } from '../../bulk/pace.js';
import { SupportctlError, UsageError } from '../../errors.js';
import type { Outcome, Result } from '../../http/outcome.js';
import { type SendOptions, send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import { DEFAULT_CONCURRENCY } from '../../http/types.js';
import { parseFields } from '../../output/columns.js';
import { createRedactor } from '../../output/redact.js';
import { leaveOnSignal } from '../interruption.js';
import { warn } from '../notices.js';
import { ownIdFor } from '../own-account.js';
import { chosenFormat, openResults, type ResultShape } from '../results.js';
import { exitCodeOfOutcome, failureOf, NO_ROUTE, plural } from '../runs/failures.js';
import { openSession, type Session } from '../session.js';
import { type Noun, type ReadInvocation, readOf } from './call.js';

type Ids = Readonly<Record<string, string>>;

/** One call of a command that reads. */
export interface Reading {
	noun: Noun;
	read: Read;
	/** Ids from the arguments that stand before the objects' own, by name; `taxonomy` among them. */
	owners: Ids;
	/** The arguments behind them. */
	rest: readonly string[];
	invocation: ReadInvocation;
	session: Session;
	client: Client;
	concurrency: number;
	send: SendOptions;
}

/** Opens what a reading needs, and closes it when the work is done. @param given a session that is open already @throws UsageError */
export async function withReading<T>(
	noun: Noun,
	invocation: ReadInvocation,
	work: (reading: Reading) => Promise<T>,
	given?: Session,
): Promise<T> {
	const { args, options, context } = invocation;
	const read = readOf(noun, noun === 'term' ? (args[0] as string) : '');
	const owners: Record<string, string> = {};
	for (const [at, name] of read.owners.entries()) {
		const text = args[at] as string;
		const isFree = name === 'taxonomy' || (name === 'user_id' && text === OWN_ID);
		owners[name] = isFree ? text : readId(name.replaceAll('_', ' '), text);
	}
	if (options.fields !== undefined) parseFields(options.fields);
	const session = given ?? (await openSession(invocation));
	const { settings } = session.connection;
	const concurrency = options.concurrency ?? settings.concurrency ?? DEFAULT_CONCURRENCY;
	const { clock, random } = context;
	const client = await session.openClient(concurrency);
	const unlisten = leaveOnSignal(invocation, 'nothing was changed; the output may be incomplete');
	try {
		const sending: SendOptions = {
			...session.sending,
			pace: new AdaptivePace({ clock, random, rate: options.rate ?? settings.rate }),
			// Numbers of fields are whole; those of a map are the service's own.
			exactNumbers: read.update?.fields.some(({ kind }) => kind === 'map') === true,
		};
		const rest = args.slice(read.owners.length);
		const reading: Reading = { noun, read, owners, rest, invocation, session, client, concurrency, send: sending };
		if (owners.user_id === OWN_ID) owners.user_id = await readUserId('user id', OWN_ID, reading);
		return await work(reading);
	} finally {
		unlisten();
		await client.close();
	}
}

/** @throws UsageError */
export function readId(label: string, text: string): string {
	const parsed = parseId(text);
	if (isProblem(parsed)) throw new UsageError(`${label}: ${parsed.problem}`, { code: 'invalid_id' });
	return parsed.value;
}

/** A user's id, or @me for the caller's own. @throws UsageError */
export async function readUserId(label: string, text: string, { session, client, send }: Reading): Promise<string> {
	if (text !== OWN_ID) return readId(label, text);
	return String(await ownIdFor(`${label} ${OWN_ID}`, session, client, send));
}

export const RENDERED_ONLY =
	'the service does not show raw values to this account (context=edit): values are as they are rendered';

/** Whether a service refuses to show raw values. */
export function refusesRaw({ status, code, reasons }: Result): boolean {
	return code === 'rest_forbidden_context' || (status === 400 && reasons?.context !== undefined);
}

/** Makes the function that reads single objects; where raw values are refused, it goes on without asking for them. */
export function createRead({ client, send: options, invocation, session }: Reading, endpoint: Read['list']) {
	const plan = createPlanner(endpoint, session.dialect);
	let raw = true;
	return async (ids: Ids): Promise<Result> => {
		const request = plan({ ids });
		const rendered = { ...request, path: request.path.replace(/\?context=edit$/, '') };
		const asked = raw;
		const result = await send(client, asked ? request : rendered, options);
		if (!asked || !refusesRaw(result)) return result;
		if (raw) warn(invocation.context, [RENDERED_ONLY]);
		raw = false;
		return await send(client, rendered, options);
	};
}

/** How objects are printed: in which format, and as what. */
function printingOf({ read, invocation, session }: Reading, single: boolean) {
	const { options } = invocation;
	const format = chosenFormat(options, session.connection.settings.format);
	const asCells = format === 'csv' || format === 'tsv';
	const isText = asCells || format === 'json' || format === 'ndjson';
	const isNamed = options.fields !== undefined || options.field !== undefined;
	/** Whether an update reads what is printed. */
	const isExport = isText && (asCells || !single) && read.update !== undefined;
	return { format, asCells, isNamed, isExport };
}

/** The names of a list's objects that are printed, where they are known: the service need not send the others. */
export function printedNames(reading: Reading): readonly string[] | undefined {
	const { read, invocation } = reading;
	const { fields, field, query } = invocation.options;
	const { format, isNamed, isExport } = printingOf(reading, false);
	if (query !== undefined || !read.paged) return undefined;
	const known = ['id', ...exportedNames(read), ...read.shown].filter((name) => !read.owners.includes(name));
	if (isNamed) {
		const paths = field === undefined ? parseFields(fields ?? []).map(({ path }) => path) : [field];
		const names = paths.map((path) => path.split('.')[0] as string);
		// What is misspelt is compared with all that there is.
		return names.every((name) => known.includes(name)) ? [...new Set(['id', ...names])] : undefined;
	}
	if (format === 'ids' || format === 'count') return ['id'];
	if (isExport) return exportedNames(read);
	const isTable = format === undefined || format === 'table';
	return isTable ? [...new Set(['id', ...read.shown.filter((name) => known.includes(name))])] : undefined;
}

/** Prints objects, the first of which decide the columns. */
export interface Printer {
	/** A promise asks to wait before the next. */
	print(object: ListedObject): void | Promise<void>;
	/** Ends the output, and says what was left out. @throws UsageError for columns that no object has */
	end(): Promise<void>;
}

/**
 * @param single One object, shown whole in every format but csv and tsv
 * @throws UsageError for columns or a query that can't be used
 */
export async function openPrinter(
	reading: Reading,
	sample: readonly ListedObject[],
	single: boolean,
	screen: Pick<ResultShape, 'beforeWrite' | 'onPager'> = {},
): Promise<Printer> {
	const { read, owners, invocation, session } = reading;
	const { asCells, isNamed, isExport } = printingOf(reading, single);
	const sheet = createSheet({
		read,
		owners: Object.fromEntries(
			Object.entries(owners).map(([name, id]) => [name, name === 'taxonomy' ? id : Number(id)]),
		),
		asCells,
		sample,
		dialect: session.dialect,
		redact: createRedactor(),
	});
	const columns = asCells ? sheet.columns : single ? undefined : read.shown;
	const results = await openResults(invocation, {
		profileFormat: session.connection.settings.format,
		single,
		idOf: (row) => row.id ?? row.slug,
		...(columns === undefined ? {} : { columns: columns.map((path) => ({ path, label: path })) }),
		...screen,
	});
	return {
		print(object) {
			if (!isExport) return results.row(sheet.whole(object));
			if (!isNamed) return results.row(sheet.exported(object));
			return results.row({ ...sheet.whole(object), ...sheet.exported(object) });
		},
		async end() {
			await results.end();
			if (isExport) warn(invocation.context, sheet.warnings());
		},
	};
}

/** What a refused or lost read means for a person. */
export function failureOfRead(
	{ session }: Reading,
	endpoint: Read['list'],
	ids: Outcome['ids'],
	result: Result,
): SupportctlError {
	const isList = endpoint.returns === 'list';
	const outcome: Outcome = { ...result, row: 1, ids: isList ? {} : ids };
	const noun = plural(endpoint.noun, 2);
	if (result.code !== NO_ROUTE)
		return failureOf(outcome, isList ? { ...endpoint, noun } : endpoint, session.connection);
	const [what, missing] = isList ? ['listing', 'lists'] : [`reading single ${noun}`, 'such read'];
	const message = `this service does not offer ${what} (${result.status} ${NO_ROUTE}); the API documents no ${missing}`;
	return new SupportctlError(message, exitCodeOfOutcome(outcome), {
		code: NO_ROUTE,
		data: { status: result.status },
		hint: isList
			? 'go on without: write the ids to a file, one a line, and give it to a command with - < ids.txt or --input ids.txt; if other commands fail too, supportctl doctor checks the base URL'
			: 'supportctl doctor checks the base URL and the prefixes',
	});
}
