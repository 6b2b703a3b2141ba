/** Lists, single objects and your own account. */

import { plural } from '../../api/names.js';
import { createPlanner } from '../../api/plan.js';
import { type Noun, ownAccount } from '../../api/reads.js';
import { type ListedObject, type PageCall, type PagesEnd, readPages } from '../../bulk/lists/pages.js';
import { inOrder } from '../../bulk/run/engine.js';
import { ExitCode, SupportctlError } from '../../errors.js';
import { NO_ROUTE } from '../../http/judge.js';
import type { Outcome } from '../../http/outcome.js';
import type { ResponseHeaders } from '../../http/response.js';
import { send } from '../../http/send.js';
import { renderError } from '../../output/errors.js';
import { createProgress, type Progress } from '../../output/progress.js';
import type { Invocation } from '../command.js';
import { paletteFor, say, warn } from '../notices.js';
import { findOwnId } from '../own-account.js';
import { checkOutput, openResults, wantsJson } from '../results.js';
import { type Filtered, isWithout, readFilters, readOrder } from './filters.js';
import { type Printer, printingOf } from './print.js';
import {
	createRead,
	failureOfRead,
	type Ids,
	RENDERED_ONLY,
	type ReadInvocation,
	type Reading,
	readObjectId,
	readOwner,
	readOwners,
	readWords,
	refusesRaw,
	withReading,
} from './reading.js';

const PAGE_SIZE = 100;

export async function listObjects(noun: Noun, invocation: ReadInvocation): Promise<ExitCode> {
	const { context, options } = invocation;
	return await withReading(noun, invocation, async (reading) => {
		const { read } = reading;
		const limit = options.limit ?? Number.POSITIVE_INFINITY;
		const filtered = await readFilters(reading);
		const printing = printingOf(reading, { absent: filtered.absent });
		// Filtering here needs more objects than are printed.
		const isOwn = filtered.absent.length === 0;
		const size = isOwn && !printing.countsOnly ? Math.min(PAGE_SIZE, limit) : PAGE_SIZE;
		const progress = await createListProgress(invocation);
		let printer: Printer | undefined;
		const open = async (objects: readonly ListedObject[]): Promise<Printer> =>
			await printing.open(objects, { beforeWrite: progress.clear, onPager: progress.done });
		let printed = 0;

		for (const owners of await readOwners(reading)) {
			const fetch = createFetch(reading, { owners, size, filtered, names: printing.names });
			const end = await readPages({
				fetch,
				concurrency: reading.concurrency,
				size,
				most: read.paged ? (isOwn ? Math.ceil((limit - printed) / size) : Number.POSITIVE_INFINITY) : 1,
				byId: readOrder(reading).byId,
				countsOnly: printing.countsOnly && isOwn,
				onTotal: (total) => progress.start(total === undefined ? undefined : Math.min(total, limit)),
				async onPage(objects) {
					const found = objects.filter((each) => filtered.absent.every((field) => isWithout(each, field)));
					printer ??= await open(found);
					await printer.learn(found);
					for (const object of found.slice(0, limit - printed)) {
						const taken = printer.print(object, owners);
						if (taken !== undefined) await taken;
						printed++;
					}
					progress.update(printed);
					return printed < limit && !context.stdout.closed;
				},
			}).finally(progress.done);
			const isCounted = printer === undefined && end.whole && end.count > 0;
			if (isCounted) printed += Math.min(end.count, limit - printed);
			if (end.failure !== undefined && printed === 0) throw failureOfList(reading, end, 0);
			if (end.failure !== undefined || end.isEndless === true) {
				await printer?.end();
				throw failureOfList(reading, end, printed);
			}
			if (printed < limit && isOwn) warnOfTotal(reading, end);
		}

		if (printer === undefined && printing.countsOnly) {
			context.stdout.write(`${printed}\n`);
			await checkOutput(context.stdout);
		} else {
			printer ??= await open([]);
			await printer.end();
		}
		if (printed === 0) {
			const nouns = plural(read.list.noun, 2);
			say(invocation, filtered.isNarrowed ? `no ${nouns} match` : `no ${nouns}`);
		}
		return ExitCode.ok;
	});
}

/** Until the pager starts or all is read. */
async function createListProgress(invocation: ReadInvocation) {
	const { context, options } = invocation;
	const palette = await paletteFor(invocation, 'stderr');
	const isShown = options.quiet !== true && !wantsJson(options);
	let progress: Progress | undefined;
	return {
		start(total: number | undefined): void {
			if (isShown) progress ??= createProgress(context, { total, palette, verbose: options.verbose });
		},
		update: (done: number): void => progress?.update({ done }),
		clear: (): void => progress?.clear(),
		done(): void {
			progress?.done();
			progress = undefined;
		},
	};
}

/** Services count wrong, and lists change. */
function warnOfTotal({ read, invocation }: Reading, { count, total = count, whole }: PagesEnd): void {
	if (!whole || total === count) return;
	const what = `${count} ${plural(read.list.noun, count)} ${count === 1 ? 'was' : 'were'} listed`;
	warn(invocation.context, [`${what}, but the service counts ${total} (X-WP-Total)`]);
}

function failureOfList(reading: Reading, { failure, count }: PagesEnd, printed: number): SupportctlError {
	const { list } = reading.read;
	if (failure === undefined) {
		return new SupportctlError(
			`the list never ends: stopped after ${count} ${plural(list.noun, 2)}`,
			ExitCode.partial,
			{
				code: 'endless_list',
				hint: 'narrow it with filters or --limit',
				data: { printed },
			},
		);
	}
	const error = failureOfRead(reading, list, {}, failure);
	if (printed === 0) return error;
	const { code, hint, details, data } = error;
	const exitCode = error.exitCode === ExitCode.refused ? error.exitCode : ExitCode.partial;
	const message = `${error.message}; the list is incomplete: ${printed} were printed`;
	return new SupportctlError(message, exitCode, { code, details, hint, data: { ...data, printed } });
}

interface FetchOptions {
	owners: Ids;
	size: number;
	filtered: Filtered;
	/** Undefined for all. */
	names: readonly string[] | undefined;
}

/** Overrides the service's own filters, then adds the caller's. */
function createFetch(reading: Reading, { owners, size, filtered, names }: FetchOptions) {
	const { read, session, invocation, client } = reading;
	const { dialect } = session;
	const { byId, ...order } = readOrder(reading);
	const given: Record<string, string> = { ...filtered.query, ...(invocation.options.sort === undefined ? {} : order) };
	/** Left out if the service refuses it. */
	const own: Record<string, string> = {
		...read.query,
		...(read.paged ? order : {}),
		...(read.paged ? { per_page: String(size) } : {}),
		...(names && { _fields: names.map(dialect.fieldOut).join(',') }),
	};
	for (const name of Object.keys(given)) delete own[name];
	const base = createPlanner(read.list, dialect)({ ids: owners });

	/** @returns whether that changes the query */
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

/** @throws SupportctlError */
export async function getObjects(noun: Noun, invocation: ReadInvocation): Promise<ExitCode> {
	const { context, options } = invocation;
	return await withReading(noun, invocation, async (reading) => {
		const { rest, concurrency } = reading;
		const owners = await readOwner(reading);
		const isStdin = rest[0] === '-' && rest.length === 1;
		const texts = isStdin ? await readWords(context.stdin) : rest;
		const ids: string[] = [];
		for (const text of texts) ids.push(await readObjectId(noun, owners, text, reading));

		const single = ids.length === 1 && !isStdin;
		const output = createBatches(printingOf(reading, { single }), owners);
		const readOne = createRead(reading);
		let failed: SupportctlError | undefined;
		for await (const object of inOrder([ids], concurrency, (id) => readOne({ ...owners, id }))) {
			if (!(object instanceof SupportctlError)) {
				await output.add(object);
				if (context.stdout.closed) break;
				continue;
			}
			if (single || object.data.status === 401 || object.code === NO_ROUTE) {
				await output.end();
				throw object;
			}
			failed ??= object;
			const view = { json: wantsJson(options), debug: false, palette: await paletteFor(invocation, 'stderr') };
			context.stderr.write(renderError(object, view));
		}
		const printed = await output.end();
		if (failed === undefined) return ExitCode.ok;
		return printed === 0 ? failed.exitCode : ExitCode.partial;
	});
}

/** As many at a time as names are looked up for. */
function createBatches(printing: ReturnType<typeof printingOf>, owners: Ids) {
	let printer: Printer | undefined;
	let waiting: ListedObject[] = [];
	let printed = 0;
	async function flush(): Promise<void> {
		if (waiting.length === 0) return;
		printer ??= await printing.open(waiting);
		await printer.learn(waiting);
		for (const object of waiting) await printer.print(object, owners);
		printed += waiting.length;
		waiting = [];
	}
	return {
		async add(object: ListedObject): Promise<void> {
			waiting.push(object);
			if (waiting.length >= printing.batch) await flush();
		},
		async end(): Promise<number> {
			await flush();
			await printer?.end();
			return printed;
		},
	};
}

export async function showOwnAccount(invocation: Invocation): Promise<ExitCode> {
	return await withReading('user', invocation, async (reading) => {
		const { session, client, send: options } = reading;
		const { auth, baseUrl, settings, profileName } = session.connection;
		let account = await createRead(reading, ownAccount)({});
		if (account instanceof SupportctlError && account.code === NO_ROUTE && auth.scheme === 'basic') {
			// The documented lookup knows the ID only.
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
