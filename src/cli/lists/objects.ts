/** Lists, single objects and your own account. */

import { plural } from '../../api/names.js';
import { createPlanner } from '../../api/plan.js';
import { type Noun, ownAccount } from '../../api/reads.js';
import { inOrder } from '../../bulk/lists/batches.js';
import { type PageCall, type PagesEnd, readPages } from '../../bulk/lists/pages.js';
import { isNothing } from '../../bulk/run/held.js';
import { ExitCode, SupportctlError } from '../../errors.js';
import { failureBy, NO_ROUTE } from '../../http/judge.js';
import type { Outcome } from '../../http/outcome.js';
import type { ResponseHeaders } from '../../http/response.js';
import { openPalette } from '../../output/colour.js';
import { renderError } from '../../output/errors.js';
import { createProgress, type Progress } from '../../output/progress.js';
import type { Invocation } from '../command.js';
import { say, warn } from '../notices.js';
import { findOwnId } from '../own-account.js';
import { checkOutput, printAll, wantsJson } from '../results.js';
import { type Filtered, type Order, readFilters, readOrder } from './filters.js';
import { createPrinter, fieldsNeeded, formOf, type Printer } from './print.js';
import {
	failureOfRead,
	type Ids,
	type ReadInvocation,
	type Reading,
	readObject,
	readObjectId,
	readOwners,
	readWords,
	withReading,
} from './reading.js';

const PAGE_SIZE = 100;

export async function listObjects(noun: Noun, invocation: ReadInvocation): Promise<ExitCode> {
	const { context, options, args } = invocation;
	return await withReading(noun, invocation, async (reading) => {
		const filtered = await readFilters(reading);
		const palette = await openPalette(context, context.stderr);
		const isQuiet = options.quiet === true || wantsJson(options);
		const progress = isQuiet ? undefined : createProgress(context, { palette, verbose: options.verbose });
		const form = formOf(reading);
		const printer = createPrinter(reading, form, { beforeWrite: progress?.clear, onPager: progress?.done });
		const isCount = form.format === 'count' && options.query === undefined;
		const fields = fieldsNeeded(reading, form);
		const list: List = { reading, filtered, order: readOrder(reading), fields, progress, printer, isCount };
		let failure: SupportctlError | undefined;
		let printed = 0;
		for (const owners of await readOwners(await readWords(args, context.stdin), reading)) {
			({ printed, failure } = await printList(list, owners, printed).finally(progress?.clear));
			if (failure !== undefined) break;
		}
		progress?.done();
		if (failure !== undefined && printed === 0) throw failure;
		if (isCount) {
			context.stdout.write(`${printed}\n`);
			await checkOutput(context.stdout);
		} else await printer.end();
		if (failure !== undefined) throw failure;
		const isNarrowed = filtered.absent.length > 0 || Object.keys(filtered.query).length > 0;
		const none = `no ${plural(reading.read.list.noun, 2)}`;
		if (printed === 0) say(invocation, isNarrowed ? `${none} match` : none);
		return ExitCode.ok;
	});
}

interface List {
	reading: Reading;
	filtered: Filtered;
	order: Order;
	fields: readonly string[] | undefined;
	progress: Progress | undefined;
	printer: Printer;
	isCount: boolean;
}

/** @param before how many were printed of other owners */
async function printList(list: List, owners: Ids, before: number) {
	const { reading, filtered, order, progress, printer, isCount } = list;
	const { read, invocation, concurrency } = reading;
	const limit = invocation.options.limit ?? Number.POSITIVE_INFINITY;
	// Filtering here needs more objects than are printed.
	const isOwn = filtered.absent.length === 0;
	const size = isOwn && !isCount ? Math.min(PAGE_SIZE, limit) : PAGE_SIZE;
	const pages = isOwn ? Math.ceil((limit - before) / size) : Number.POSITIVE_INFINITY;
	let printed = before;
	let total: number | undefined;
	const end = await readPages({
		fetch: createFetch(list, owners, size),
		concurrency,
		size,
		most: read.orders.length > 0 ? pages : 1,
		byId: order.byId,
		countsOnly: isCount && isOwn,
		onTotal(found) {
			total = found === undefined ? undefined : Math.min(before + found, limit);
		},
		async onPage(objects) {
			const found = objects.filter((each) => filtered.absent.every((field) => isNothing(each[field])));
			const wanted = found.slice(0, limit - printed);
			if (!isCount) await printer.print(wanted, owners);
			printed += wanted.length;
			progress?.update({ done: printed, total });
			return printed < limit && !invocation.context.stdout.closed;
		},
	});
	// A trusted total counts objects that were not read.
	if (isCount && isOwn) printed = Math.min(limit, before + end.count);
	if (end.failure !== undefined) return { printed, failure: failureOfList(reading, end.failure, printed) };
	if (printed < limit && isOwn) warnOfTotal(reading, end);
	return { printed };
}

/** Services count wrong, and lists change. */
function warnOfTotal({ read, invocation }: Reading, { count, total = count, whole }: PagesEnd): void {
	if (!whole || total === count) return;
	const what = `${count} ${plural(read.list.noun, count)} ${count === 1 ? 'was' : 'were'} listed`;
	warn(invocation.context, [`${what}, but the service counts ${total} (X-WP-Total)`]);
}

function failureOfList(reading: Reading, failure: Outcome, printed: number): SupportctlError {
	const error = failureOfRead(reading, reading.read.list, {}, failure);
	if (printed === 0) return error;
	const exitCode = error.exitCode === ExitCode.refused ? error.exitCode : ExitCode.partial;
	const message = `${error.message}; the list is incomplete: ${printed} were printed`;
	const { code, hint, details, data } = error;
	return new SupportctlError(message, exitCode, { code, details, hint, data: { ...data, printed } });
}

/** Overrides the service's own filters, unless the caller's do. */
function createFetch({ reading, filtered, order, fields }: List, owners: Ids, size: number) {
	const { read, session } = reading;
	const query: Record<string, string> = { ...read.query };
	if (read.orders.length > 0) Object.assign(query, order.query, { per_page: String(size) });
	if (fields !== undefined) {
		const names = new Set([...fields, ...filtered.absent]);
		query._fields = [...names].map(session.dialect.toOwn).join(',');
	}
	Object.assign(query, filtered.query);
	const base = createPlanner(read.list, session.dialect)({ ids: owners });

	return async ({ page, arrived, stop }: PageCall): Promise<{ result: Outcome; headers: ResponseHeaders }> => {
		const parameters = new URLSearchParams(page === 1 ? query : { ...query, page: String(page) }).toString();
		const request = parameters === '' ? base : { ...base, path: `${base.path}?${parameters}` };
		let headers: ResponseHeaders = {};
		const result = await reading.sendRead(request, {
			stop,
			async onResponse(response) {
				headers = response.headers;
				if (response.status === 200) await arrived();
			},
		});
		return { result, headers };
	};
}

export async function getObjects(noun: Noun, invocation: ReadInvocation): Promise<ExitCode> {
	const { context, options, args } = invocation;
	return await withReading(noun, invocation, async (reading) => {
		const [owners = {}] = await readOwners(args.slice(0, 1), reading);
		const given = args.slice(reading.read.owners.length);
		const ids: string[] = [];
		for (const text of await readWords(given, context.stdin)) {
			ids.push(await readObjectId(noun, owners, text, reading));
		}
		const single = ids.length === 1 && given[0] !== '-';
		const printer = createPrinter(reading, formOf(reading, single));
		let printed = 0;
		let failed: SupportctlError | undefined;
		for await (const object of inOrder(ids, reading.concurrency, (id) => readObject(reading, { ...owners, id }))) {
			if (!(object instanceof SupportctlError)) {
				await printer.print([object], owners);
				printed++;
				if (context.stdout.closed) break;
				continue;
			}
			failed ??= object;
			if (single || failureBy(object.data.status) === 'signed-out' || object.code === NO_ROUTE) {
				if (printed > 0) await printer.end();
				throw object;
			}
			const view = { json: wantsJson(options), debug: false, palette: await openPalette(context, context.stderr) };
			context.stderr.write(renderError(object, view));
		}
		if (printed > 0) await printer.end();
		if (failed === undefined) return ExitCode.ok;
		return printed === 0 ? failed.exitCode : ExitCode.partial;
	});
}

export async function showOwnAccount(invocation: Invocation): Promise<ExitCode> {
	return await withReading('user', invocation, async (reading) => {
		const { session, client, sending } = reading;
		const { auth, baseUrl, settings, profileName } = session.connection;
		let account = await readObject(reading, {}, ownAccount);
		if (account instanceof SupportctlError && account.code === NO_ROUTE && auth.scheme === 'basic') {
			// The documented lookup knows the ID only.
			const own = await findOwnId(session, client, sending);
			if (own !== undefined && 'id' in own) account = { id: Number(own.id), username: auth.username };
		}
		if (account instanceof SupportctlError) throw account;
		const { _links, ...shown } = account;
		const columns = ['id', 'username', 'name', 'email', 'roles', 'service', 'profile'];
		const shape = {
			profileFormat: settings.format,
			single: true,
			columns: columns.map((path) => ({ path, label: path })),
		};
		await printAll(invocation, shape, [{ ...shown, service: baseUrl, profile: profileName ?? null }]);
		return ExitCode.ok;
	});
}
