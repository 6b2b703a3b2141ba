/** Lists, single objects and the caller's own account: each from its arguments to its exit code. */

import { ticketStatuses } from '../../api/fields.js';
import { createPlanner } from '../../api/plan.js';
import { type Filter, type Noun, ownAccount } from '../../api/reads.js';
import { didYouMean } from '../../api/suggest.js';
import { isIsoDate, quote } from '../../api/values.js';
import { type ListedObject, type PageCall, readPages } from '../../bulk/lists/pages.js';
import { createSheet, exportedNames } from '../../bulk/lists/sheet.js';
import { inOrder } from '../../bulk/run/engine.js';
import { ExitCode, SupportctlError, UsageError } from '../../errors.js';
import type { Outcome } from '../../http/outcome.js';
import { send } from '../../http/send.js';
import type { ResponseHeaders } from '../../http/types.js';
import { parseFields } from '../../output/columns.js';
import { renderError } from '../../output/errors.js';
import { createProgress, type Progress } from '../../output/progress.js';
import { createRedactor } from '../../output/redact.js';
import type { Invocation } from '../command.js';
import { paletteFor, warn } from '../notices.js';
import { camelCase } from '../options/option.js';
import { findOwnId } from '../own-account.js';
import { chosenFormat, openResults, type ResultShape, wantsJson } from '../results.js';
import { NO_ROUTE, plural } from '../runs/outcomes.js';
import { readTextInput } from '../text-file.js';
import {
	createRead,
	failureOfRead,
	RENDERED_ONLY,
	type ReadInvocation,
	type Reading,
	readId,
	readUserId,
	refusesRaw,
	withReading,
} from './reading.js';

/** The most objects that services give on a page. */
const PAGE_SIZE = 100;

export async function listObjects(noun: Noun, invocation: ReadInvocation): Promise<ExitCode> {
	const { context, options } = invocation;
	const { stdout } = context;
	const limit = options.limit ?? Number.POSITIVE_INFINITY;
	const size = Math.min(PAGE_SIZE, limit);
	return await withReading(noun, invocation, async (reading) => {
		const { read, concurrency } = reading;
		const palette = await paletteFor(invocation, 'stderr');
		const printing = printingOf(reading, false);
		let progress: Progress | undefined;
		let printer: Printer | undefined;
		let printed = 0;
		const endProgress = (): void => {
			progress?.done();
			progress = undefined;
		};
		const screen = { beforeWrite: () => progress?.clear(), onPager: endProgress };
		const end = await readPages({
			fetch: await createFetch(reading, size, printing.names),
			concurrency,
			size,
			most: read.paged ? Math.ceil(limit / size) : 1,
			onTotal(found) {
				const total = found === undefined ? undefined : Math.min(found, limit);
				if (options.quiet !== true && !wantsJson(options))
					progress = createProgress(context, { total, palette, verbose: options.verbose });
			},
			async onPage(objects) {
				printer ??= await printing.open(objects, screen);
				for (const object of objects.slice(0, limit - printed)) {
					const taken = printer.print(object);
					if (taken !== undefined) await taken;
					printed++;
				}
				progress?.update({ done: printed });
				return printed < limit && !stdout.closed;
			},
		}).finally(endProgress);
		if (end.failure !== undefined && printed === 0) throw failureOfList(reading, end.failure, 0);
		printer ??= await printing.open([], screen);
		await printer.end();
		if (end.failure !== undefined) throw failureOfList(reading, end.failure, printed);
		// Services count wrongly, and lists change all the time: what was printed may not be all.
		const { count, total = count, whole } = end;
		if (printed < limit && whole && total !== count) {
			const what = `${count} ${plural(read.list.noun, count)} ${count === 1 ? 'was' : 'were'} listed`;
			warn(context, [`${what}, but the service counts ${total} (X-WP-Total)`]);
		}
		return ExitCode.ok;
	});
}

function failureOfList(reading: Reading, failure: Outcome, printed: number): SupportctlError {
	const error = failureOfRead(reading, reading.read.list, {}, failure);
	if (printed === 0) return error;
	const { code, hint, details, data } = error;
	const exitCode = error.exitCode === ExitCode.refused ? error.exitCode : ExitCode.partial;
	const message = `${error.message}; the list is incomplete: ${printed} were printed`;
	return new SupportctlError(message, exitCode, { code, details, hint, data: { ...data, printed } });
}

/**
 * Makes the function that reads a page: what the service would filter by itself is overridden, then come the caller's
 * filters.
 * @param names of what is printed; undefined for all
 */
async function createFetch(reading: Reading, size: number, names: readonly string[] | undefined) {
	const { read, owners, session, invocation, client } = reading;
	const { dialect } = session;
	const given: Record<string, string> = {};
	for (const filter of read.filters) {
		const text = invocation.options[camelCase(filter.flag)];
		if (typeof text === 'string') given[filter.parameter] = await filterValue(filter, text, reading);
	}
	/** What a service may refuse, and the list is then asked for without it. */
	const own: Record<string, string> = {
		...read.query,
		...(read.paged ? { per_page: String(size) } : {}),
		...(names && { _fields: names.map(dialect.fieldOut).join(',') }),
	};
	for (const name of Object.keys(given)) delete own[name];
	const base = createPlanner(read.list, dialect)({ ids: owners });

	/** Leaves out what a response refuses. @returns whether that changes the query */
	function relax(refusal: Outcome): boolean {
		const isRaw = refusesRaw(refusal);
		const refused = isRaw ? ['context'] : Object.keys(refusal.status === 400 ? (refusal.reasons ?? {}) : {});
		const found = refused.filter((name) => Object.hasOwn(own, name));
		for (const name of found) delete own[name];
		if (isRaw && found.length > 0) warn(invocation.context, [RENDERED_ONLY]);
		return found.length > 0;
	}

	return async ({ page, arrived, stop }: PageCall): Promise<{ result: Outcome; headers: ResponseHeaders }> => {
		for (;;) {
			const query = new URLSearchParams({ ...own, ...given, ...(page === 1 ? {} : { page: String(page) }) }).toString();
			let headers: ResponseHeaders = {};
			const result = await send(client, query === '' ? base : { ...base, path: `${base.path}?${query}` }, {
				...reading.send,
				stop,
				async onResponse(response) {
					headers = response.headers;
					if (response.status === 200) await arrived();
				},
			});
			if (page > 1 || result.outcome === 'ok' || !relax(result)) return { result, headers };
		}
	};
}

async function filterValue({ flag, kind }: Filter, text: string, reading: Reading): Promise<string> {
	const label = `--${flag}`;
	if (kind === 'user' || kind === 'id') {
		if (text === '0') return text;
		return kind === 'user' ? await readUserId(label, text, reading) : readId(label, text);
	}
	if (kind === 'status') {
		const { context, dialect } = { ...reading.invocation, ...reading.session };
		// A service may have others, but a list without rows does not show a slip.
		const likely = ticketStatuses.includes(dialect.statusIn(text)) ? '' : didYouMean(text, ticketStatuses);
		if (likely !== '') warn(context, [`${label}: ${quote(text)} is not a documented ticket status${likely}`]);
		return dialect.statusOut(text);
	}
	if (kind === 'text') return text;
	if (!isIsoDate(text)) {
		const example = 'an ISO 8601 date such as 2026-03-31 or 2026-03-31T09:00:00';
		throw new UsageError(`${label}: ${quote(text)} is not ${example}`, { code: 'invalid_value' });
	}
	// Services want a time of day.
	return text.length === '2026-03-31'.length ? `${text}T00:00:00` : text;
}

/** Single objects by their ids. @throws UsageError, RefusedError, SupportctlError */
export async function getObjects(noun: Noun, invocation: ReadInvocation): Promise<ExitCode> {
	const { context, options } = invocation;
	return await withReading(noun, invocation, async (reading) => {
		const { owners, rest, concurrency } = reading;
		const isStdin = rest[0] === '-' && rest.length === 1;
		const texts = isStdin ? (await readTextInput(context.stdin)).split(/\s+/) : rest;
		const ids: string[] = [];
		for (const text of texts.filter((each) => each !== '')) {
			ids.push(noun === 'user' ? await readUserId('id', text, reading) : readId('id', text));
		}
		const single = ids.length === 1 && !isStdin;
		const printing = printingOf(reading, single);
		const readOne = createRead(reading);
		let printer: Printer | undefined;
		let failed: SupportctlError | undefined;
		for await (const object of inOrder([ids], concurrency, (id) => readOne({ ...owners, id }))) {
			if (object instanceof SupportctlError) {
				if (single || object.data.status === 401 || object.code === NO_ROUTE) {
					await printer?.end();
					throw object;
				}
				failed ??= object;
				const view = { json: wantsJson(options), debug: false, palette: await paletteFor(invocation, 'stderr') };
				context.stderr.write(renderError(object, view));
				continue;
			}
			printer ??= await printing.open([object]);
			await printer.print(object);
			if (context.stdout.closed) break;
		}
		await printer?.end();
		if (failed === undefined) return ExitCode.ok;
		return printer === undefined ? failed.exitCode : ExitCode.partial;
	});
}

export async function showOwnAccount(invocation: Invocation): Promise<ExitCode> {
	return await withReading('user', invocation, async (reading) => {
		const { session, client, send: options } = reading;
		const { auth, baseUrl, settings, profileName } = session.connection;
		let account = await createRead(reading, ownAccount)({});
		if (account instanceof SupportctlError && account.code === NO_ROUTE && auth.scheme === 'basic') {
			// The documented look-up knows the id alone.
			const own = await findOwnId(session, client, options);
			if (own !== undefined && 'id' in own) account = { id: Number(own.id), username: auth.username };
		}
		if (account instanceof SupportctlError) throw account;
		const { _links, ...shown } = account;
		const columns = ['id', 'username', 'name', 'email', 'roles', 'service', 'profile'];
		const results = await openResults(invocation, {
			profileFormat: settings.format,
			single: true,
			columns: columns.map((path) => ({ path, label: path })),
		});
		await results.row({ ...shown, service: baseUrl, profile: profileName ?? null });
		await results.end();
		return ExitCode.ok;
	});
}

type Printer = Awaited<ReturnType<ReturnType<typeof printingOf>['open']>>;

/** How objects are printed. @param single One object, shown whole in every format but csv and tsv */
function printingOf({ read, owners, invocation, session }: Reading, single: boolean) {
	const { options } = invocation;
	const { fields, field, query } = options;
	const profileFormat = session.connection.settings.format;
	const format = chosenFormat(options, profileFormat);
	const asCells = format === 'csv' || format === 'tsv';
	const isNamed = fields !== undefined || field !== undefined;
	/** Whether an update reads what is printed. */
	const isExport = read.update !== undefined && (asCells || (!single && (format === 'json' || format === 'ndjson')));

	const knownNames = ['id', ...exportedNames(read), ...read.shown];

	/** The names of what is printed, where they are known: the service need not send the others. */
	function namesOf(): readonly string[] | undefined {
		let names = format === undefined || format === 'table' ? read.shown : undefined;
		if (isExport) names = exportedNames(read);
		if (format === 'ids' || format === 'count') names = ['id'];
		if (isNamed) {
			const paths = field === undefined ? parseFields(fields ?? []).map(({ path }) => path) : [field];
			names = paths.map((path) => path.split('.')[0] as string);
		}
		if (query !== undefined || !read.paged || names === undefined) return undefined;
		// What is misspelt is compared with all that there is.
		if (!names.every((name) => knownNames.includes(name))) return undefined;
		return [...new Set(['id', ...names.filter((name) => !read.owners.includes(name))])];
	}

	/**
	 * @param sample the first objects, which decide the columns
	 * @throws UsageError for columns that they do not have, or a query that can't be used
	 */
	async function open(sample: readonly ListedObject[], screen: Pick<ResultShape, 'beforeWrite' | 'onPager'> = {}) {
		const ids = Object.entries(owners).map(([name, id]) => [name, name === 'taxonomy' ? id : Number(id)]);
		const sheet = createSheet({
			...{ read, asCells, sample, dialect: session.dialect, redact: createRedactor() },
			owners: Object.fromEntries(ids),
		});
		const columns = asCells ? sheet.columns : single ? undefined : read.shown;
		const results = await openResults(invocation, {
			...{ profileFormat, single, ...screen },
			idOf: (row) => row.id ?? row.slug,
			// Some objects may show less than others.
			...(sample.length > 0 && {
				keys: [...new Set([...sample.flatMap((each) => Object.keys(sheet.whole(each))), ...knownNames])],
			}),
			columns: columns?.map((path) => ({ path, label: path })),
		});
		return {
			/** A promise asks to wait before the next. */
			print(object: ListedObject): void | Promise<void> {
				if (!isExport) return results.row(sheet.whole(object));
				return results.row(isNamed ? { ...sheet.whole(object), ...sheet.exported(object) } : sheet.exported(object));
			},
			/** Ends the output, and says what was left out. */
			async end(): Promise<void> {
				await results.end();
				if (isExport) warn(invocation.context, sheet.warnings());
			},
		};
	}
	return { names: namesOf(), open };
}
