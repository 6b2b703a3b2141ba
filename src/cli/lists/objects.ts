/** Lists, single objects and your own account. */

import { counted, plural } from '../../api/names.js';
import { createPlanner } from '../../api/plan.js';
import { type Noun, ownAccount, PAGE_SIZE } from '../../api/reads.js';
import { inOrder } from '../../bulk/lists/batches.js';
import { type PageCall, readPages } from '../../bulk/lists/pages.js';
import { isNothing } from '../../bulk/run/held.js';
import type { Ids } from '../../bulk/run/plan.js';
import { ExitCode, SupportctlError } from '../../errors.js';
import { failureBy, NO_ROUTE } from '../../http/judge.js';
import type { Outcome } from '../../http/outcome.js';
import type { ResponseHeaders } from '../../http/response.js';
import { openPalette } from '../../output/colour.js';
import { renderError } from '../../output/errors.js';
import { createProgress } from '../../output/progress.js';
import { asksForJson } from '../../output/sanitise.js';
import type { Invocation } from '../command.js';
import { say, warn } from '../notices.js';
import { checkOutput, printAll } from '../results.js';
import { readFilters, readOrder } from './filters.js';
import { createPrinter, fieldsNeeded, formOf } from './print.js';
import {
	failureOfRead,
	type ReadInvocation,
	type Reading,
	readObject,
	readObjectId,
	readOwners,
	readWords,
	withReading,
} from './reading.js';

export async function listObjects(noun: Noun, invocation: ReadInvocation): Promise<ExitCode> {
	const { context, args } = invocation;
	return await withReading(noun, invocation, async (reading) => {
		const list = await openList(reading);
		const { printer, progress, filtered, isCount } = list;
		let failure: SupportctlError | undefined;
		for (const owners of await readOwners(await readWords(args, context), reading)) {
			failure = await printList(list, owners).finally(progress?.clear);
			if (failure !== undefined) break;
		}
		progress?.done();
		if (failure !== undefined && list.printed === 0) throw failure;
		if (isCount) {
			context.stdout.write(`${list.printed}\n`);
			await checkOutput(context.stdout);
		} else await printer.end();
		if (failure !== undefined) throw failure;
		const isNarrowed = filtered.absent.length > 0 || Object.keys(filtered.query).length > 0;
		const none = `no ${plural(reading.read.list.noun, 2)}`;
		if (list.printed === 0) say(invocation, isNarrowed ? `${none} match` : none);
		return ExitCode.ok;
	});
}

type List = Awaited<ReturnType<typeof openList>>;

async function openList(reading: Reading) {
	const { context, options } = reading.invocation;
	const filtered = await readFilters(reading);
	const palette = await openPalette(context, context.stderr);
	const isQuiet = options.quiet === true || asksForJson(context.argv);
	const progress = isQuiet ? undefined : createProgress(context, { palette, verbose: options.verbose });
	const form = formOf(reading);
	return {
		reading,
		filtered,
		progress,
		order: readOrder(reading),
		fields: fieldsNeeded(reading, form),
		printer: createPrinter(reading, form, { beforeWrite: progress?.clear, onPager: progress?.done }),
		isCount: form.format === 'count' && options.query === undefined,
		limit: options.limit ?? Number.POSITIVE_INFINITY,
		printed: 0,
	};
}

async function printList(list: List, owners: Ids): Promise<SupportctlError | undefined> {
	const { reading, filtered, order, progress, printer, isCount, limit } = list;
	const { read, invocation, concurrency } = reading;
	const before = list.printed;
	// Filtering here needs more objects than are printed.
	const isOwn = filtered.absent.length === 0;
	const size = isOwn && !isCount ? Math.min(PAGE_SIZE, limit) : PAGE_SIZE;
	const pages = isOwn ? Math.ceil((limit - before) / size) : Number.POSITIVE_INFINITY;
	const end = await readPages({
		fetch: createFetch(list, owners, size),
		concurrency,
		size,
		most: read.orders.length > 0 ? pages : 1,
		byId: order.byId,
		countsOnly: isCount && isOwn,
		async onPage(objects, total) {
			const found = objects.filter((each) => filtered.absent.every((field) => isNothing(each[field])));
			const wanted = found.slice(0, limit - list.printed);
			if (!isCount) await printer.print(wanted, owners);
			list.printed += wanted.length;
			progress?.update({ done: list.printed, total: total && Math.min(before + total, limit) });
			return list.printed < limit && !invocation.context.stdout.closed;
		},
	});
	if (isCount && isOwn) list.printed = Math.min(limit, before + end.count);
	const { count, total = count, failure } = end;
	if (failure !== undefined) return failureOfList(list, failure);
	if (total !== count && isOwn && list.printed < limit) {
		const listed = `${counted(count, read.list.noun)} ${count === 1 ? 'was' : 'were'} listed`;
		warn(invocation.context, [`${listed}, but the service counts ${total} (X-WP-Total)`]);
	}
	return undefined;
}

function failureOfList({ reading, printed }: List, failure: Outcome): SupportctlError {
	const error = failureOfRead(reading, reading.read.list, {}, failure);
	if (printed === 0) return error;
	const exitCode = error.exitCode === ExitCode.refused ? error.exitCode : ExitCode.partial;
	const message = `${error.message}; the list is incomplete: ${printed} were printed`;
	return new SupportctlError(message, exitCode, { ...error, data: { ...error.data, printed } });
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
	const { context, args } = invocation;
	return await withReading(noun, invocation, async (reading) => {
		const [owners = {}] = await readOwners(args.slice(0, 1), reading);
		const given = args.slice(reading.read.owners.length);
		const ids: string[] = [];
		for (const text of await readWords(given, context)) {
			ids.push(await readObjectId(owners, text, reading));
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
			const palette = await openPalette(context, context.stderr);
			context.stderr.write(renderError(object, { json: asksForJson(context.argv), palette }));
		}
		if (printed > 0) await printer.end();
		if (failed === undefined) return ExitCode.ok;
		return printed === 0 ? failed.exitCode : ExitCode.partial;
	});
}

export async function showOwnAccount(invocation: Invocation): Promise<ExitCode> {
	return await withReading('user', invocation, async (reading) => {
		const { session, directories } = reading;
		const { auth, baseUrl, profileName = null } = session.connection;
		let account = await readObject(reading, {}, ownAccount);
		if (account instanceof SupportctlError && account.code === NO_ROUTE && auth.scheme === 'basic') {
			// The documented lookup knows the ID only.
			const own = await directories.users.own();
			if (own !== undefined && 'id' in own) account = { id: Number(own.id), username: auth.username };
		}
		if (account instanceof SupportctlError) throw account;
		const { _links, ...shown } = account;
		const columns = ['id', 'username', 'name', 'email', 'roles', 'service', 'profile'].map((path) => ({ path }));
		const call = { ...invocation, session };
		await printAll(call, { single: true, columns }, [{ ...shown, service: baseUrl, profile: profileName }]);
		return ExitCode.ok;
	});
}
