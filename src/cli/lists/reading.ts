/** What commands that read have in common: the session, the pace, how objects are printed, and what their failures mean. */

import type { Read } from '../../api/reads.js';
import { isIsoDate, isProblem, OWN_ID, parseId, quote } from '../../api/values.js';
import type { ListedObject } from '../../bulk/lists/pages.js';
import { createSheet, type Sheet } from '../../bulk/lists/sheet.js';
import { AdaptivePace } from '../../bulk/pace.js';
import { type ExitCode, SupportctlError, UsageError } from '../../errors.js';
import type { Outcome, Result } from '../../http/outcome.js';
import type { SendOptions } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import { DEFAULT_CONCURRENCY, DEFAULT_RETRIES } from '../../http/types.js';
import type { Format } from '../../output/columns.js';
import { createRedactor } from '../../output/redact.js';
import type { Renderer } from '../../output/render.js';
import { leaveOnSignal } from '../interruption.js';
import { retryNotice, warn } from '../notices.js';
import { ownIdFor } from '../own-account.js';
import { stdoutPalette } from '../palette.js';
import { chosenFormat, openResults, type ResultShape } from '../results.js';
import { exitCodeOfOutcome, failureOf, NO_ROUTE, plural } from '../runs/failures.js';
import { openSession, type Session } from '../session.js';
import { type Noun, type ReadInvocation, readOf } from './call.js';

/** One call of a command that reads. */
export interface Reading {
	noun: Noun;
	read: Read;
	/** Ids from the arguments that stand before the objects' own, by name; `taxonomy` among them. */
	owners: Readonly<Record<string, string>>;
	/** The arguments behind them. */
	rest: readonly string[];
	invocation: ReadInvocation;
	session: Session;
	client: Client;
	concurrency: number;
	send: SendOptions;
}

/** Opens what a reading needs, and closes it when the work is done. @throws UsageError */
export async function withReading(
	noun: Noun,
	invocation: ReadInvocation,
	work: (reading: Reading) => Promise<ExitCode>,
): Promise<ExitCode> {
	const { args, options, context } = invocation;
	const read = readOf(noun, noun === 'term' ? (args[0] as string) : '');
	const owners: Record<string, string> = {};
	for (const [at, name] of read.owners.entries()) {
		const text = args[at] as string;
		const isFree = name === 'taxonomy' || (name === 'user_id' && text === OWN_ID);
		owners[name] = isFree ? text : readId(name.replaceAll('_', ' '), text);
	}
	const session = await openSession(invocation);
	const concurrency = options.concurrency ?? session.connection.defaults.concurrency ?? DEFAULT_CONCURRENCY;
	const rate = options.rate ?? session.connection.defaults.rate;
	const { clock, random } = context;
	const client = await session.openClient(concurrency);
	const unlisten = leaveOnSignal(invocation, 'nothing was changed; the output may be incomplete');
	try {
		const reading: Reading = {
			noun,
			read,
			owners,
			rest: args.slice(read.owners.length),
			invocation,
			session,
			client,
			concurrency,
			send: {
				retries: options.retries ?? DEFAULT_RETRIES,
				clock,
				random,
				dialect: session.dialect,
				pace: new AdaptivePace({ clock, random, rate }),
				// Numbers of fields are whole; those of a map are the service's own.
				exactNumbers: read.update?.fields.some(({ kind }) => kind === 'map') === true,
				onRetry: retryNotice(context, options),
			},
		};
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
export async function readUserId(
	label: string,
	text: string,
	{ session, client, send }: Pick<Reading, 'session' | 'client' | 'send'>,
): Promise<string> {
	if (text !== OWN_ID) return readId(label, text);
	return String(await ownIdFor(`${label} ${OWN_ID}`, session, client, send));
}

/** How objects are printed. */
export interface Printer {
	/** A promise asks to wait before the next. */
	print(object: ListedObject): void | Promise<void>;
	/** Ends the output, and says what was left out. @throws UsageError for columns that no object has */
	end(): Promise<void>;
}

/** Formats that an update reads. */
const EXPORTS: ReadonlySet<Format> = new Set(['csv', 'tsv', 'json', 'ndjson']);

/**
 * @param single One object, shown whole in every format but csv and tsv
 * @param sample The first objects: what they show decides the columns
 * @throws UsageError for columns or a query that can't be used
 */
export async function openPrinter(
	{ read, owners, invocation, session }: Reading,
	{
		single,
		sample,
		...screen
	}: { single: boolean; sample: readonly ListedObject[] } & Pick<ResultShape, 'beforeWrite' | 'onPager'>,
): Promise<Printer> {
	const { options, context } = invocation;
	const profileFormat = session.connection.defaults.format;
	const format = chosenFormat(options, profileFormat);
	const asCells = format === 'csv' || format === 'tsv';
	const names = options.fields !== undefined || options.field !== undefined;
	const exports = format !== undefined && EXPORTS.has(format) && (asCells || !single) && read.update !== undefined;
	const sheet: Sheet = createSheet({
		read,
		owners: Object.fromEntries(
			read.owners.map((name) => [name, name === 'taxonomy' ? (owners[name] as string) : Number(owners[name])]),
		),
		asCells,
		sample,
		dialect: session.dialect,
		redact: createRedactor(),
	});
	const columns = asCells ? sheet.columns : single ? undefined : read.shown;
	const results: Renderer = await openResults(invocation, {
		palette: await stdoutPalette(invocation),
		profileFormat,
		single,
		idOf: (row) => row.id ?? row.slug,
		...(columns === undefined ? {} : { columns: columns.map((path) => ({ path, label: path })) }),
		...screen,
	});
	return {
		print(object) {
			if (!exports) return results.row(sheet.whole(object));
			if (!names) return results.row(sheet.exported(object));
			return results.row({ ...sheet.whole(object), ...sheet.exported(object) });
		},
		async end() {
			await results.end();
			if (exports) warn(context, sheet.warnings());
		},
	};
}

/** What a refused or lost read means for a person. */
export function failureOfRead(
	{ read, session }: Pick<Reading, 'read' | 'session'>,
	endpoint: Read['list'],
	ids: Outcome['ids'],
	result: Result,
): SupportctlError {
	const isList = endpoint.answer === 'list';
	if (result.code === NO_ROUTE) {
		const what = isList ? 'listing' : `reading single ${read.list.noun}s`;
		return new SupportctlError(
			`this service does not offer ${what} (${result.status} ${NO_ROUTE}); the API documents no ${isList ? 'lists' : 'such read'}`,
			exitCodeOfOutcome({ ...result, row: 1, ids }),
			{
				code: NO_ROUTE,
				data: { status: result.status },
				hint: isList
					? `go on without: write the ids to a file, one a line, and give it to a command with - < ids.txt or --input ids.txt; if other commands fail too, supportctl doctor checks the base URL`
					: 'supportctl doctor checks the base URL and the prefixes',
			},
		);
	}
	const named = isList ? { ...endpoint, noun: plural(endpoint.noun, 2) } : endpoint;
	return failureOf({ ...result, row: 1, ids: isList ? {} : ids }, named, session.connection);
}

/** Whether a service refuses to show raw values. */
export function refusesRaw({ status, code, reasons }: Result): boolean {
	return code === 'rest_forbidden_context' || (status === 400 && reasons?.context !== undefined);
}

export const RENDERED_ONLY =
	'the service does not show raw values to this account (context=edit): values are as they are rendered';

/** A date as services take it. @throws UsageError */
export function readDate(flag: string, text: string): string {
	if (!isIsoDate(text)) {
		throw new UsageError(
			`--${flag}: ${quote(text)} is not an ISO 8601 date such as 2026-03-31 or 2026-03-31T09:00:00`,
			{
				code: 'invalid_value',
			},
		);
	}
	// Services want a time of day.
	return /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text;
}
