/** One call of a command that lists, from its filters to its exit code. */

import { createPlanner } from '../../api/plan.js';
import type { Filter } from '../../api/reads.js';
import { isIsoDate, quote } from '../../api/values.js';
import { type ListedObject, type PageCall, type PagesEnd, readPages } from '../../bulk/lists/pages.js';
import { ExitCode, SupportctlError, UsageError } from '../../errors.js';
import type { Result } from '../../http/outcome.js';
import { send } from '../../http/send.js';
import type { ResponseHeaders } from '../../http/types.js';
import { createProgress, type Progress } from '../../output/progress.js';
import { paletteFor, warn } from '../notices.js';
import { camelCase } from '../options/option.js';
import { wantsJson } from '../results.js';
import { plural } from '../runs/failures.js';
import type { Noun, ReadInvocation } from './call.js';
import {
	failureOfRead,
	openPrinter,
	type Printer,
	printedNames,
	RENDERED_ONLY,
	type Reading,
	readId,
	readUserId,
	refusesRaw,
	withReading,
} from './reading.js';

/** The most objects that services give on a page. */
const PAGE_SIZE = 100;

/** @throws UsageError, RefusedError, SupportctlError */
export async function listObjects(noun: Noun, invocation: ReadInvocation): Promise<ExitCode> {
	const { context, options } = invocation;
	const { stderr, stdout, clock, env } = context;
	const limit = options.limit ?? Number.POSITIVE_INFINITY;
	const size = Math.min(PAGE_SIZE, limit);
	return await withReading(noun, invocation, async (reading) => {
		const { read, concurrency } = reading;
		const palette = await paletteFor(invocation, 'stderr');
		let progress: Progress | undefined;
		let printer: Printer | undefined;
		let printed = 0;
		const endProgress = (): void => {
			progress?.done();
			progress = undefined;
		};
		const openOnce = async (sample: readonly ListedObject[]): Promise<Printer> =>
			await openPrinter(reading, sample, false, {
				beforeWrite: () => progress?.clear(),
				onPager: endProgress,
			});
		const end = await readPages({
			fetch: await createFetch(reading, size),
			concurrency,
			size,
			most: read.paged ? Math.ceil(limit / size) : 1,
			onTotal(found) {
				const total = found === undefined ? undefined : Math.min(found, limit);
				const quiet = options.quiet === true || wantsJson(options);
				progress = createProgress({
					stderr,
					redraws: stderr.isTTY && env.TERM !== 'dumb',
					clock,
					total,
					quiet,
					palette,
				});
			},
			async onPage(objects) {
				printer ??= await openOnce(objects);
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
		await (printer ?? (await openOnce([]))).end();
		if (end.failure !== undefined) throw failureOfList(reading, end.failure, printed);
		if (printed < limit) checkCount(reading, end);
		return ExitCode.ok;
	});
}

/** Services that count wrongly, and lists that change all the time: what was printed may not be all. */
function checkCount({ read, invocation }: Reading, { count, total, whole }: PagesEnd): void {
	if (!whole || total === undefined || total === count) return;
	const what = `${count} ${plural(read.list.noun, count)} ${count === 1 ? 'was' : 'were'} listed`;
	warn(invocation.context, [`${what}, but the service counts ${total} (X-WP-Total)`]);
}

function failureOfList(reading: Reading, failure: Result, printed: number): SupportctlError {
	const { read, owners } = reading;
	const error = failureOfRead(reading, read.list, owners, failure);
	if (printed === 0) return error;
	const { code, hint, details, data } = error;
	const exitCode = error.exitCode === ExitCode.refused ? error.exitCode : ExitCode.partial;
	const message = `${error.message}; the list is incomplete: ${printed} were printed`;
	return new SupportctlError(message, exitCode, { code, details, hint, data: { ...data, printed } });
}

/** Makes the function that reads a page: what the service would filter by itself is overridden, then come the caller's filters. */
async function createFetch(reading: Reading, size: number) {
	const { read, owners, session, invocation, client } = reading;
	const { dialect } = session;
	const given: Record<string, string> = {};
	for (const filter of read.filters) {
		const text = invocation.options[camelCase(filter.flag)];
		if (typeof text === 'string') given[filter.parameter] = await filterValue(filter, text, reading);
	}
	const names = printedNames(reading);
	/** What a service may refuse, and the list is then asked for without it. */
	const own: Record<string, string> = {
		...read.query,
		...(read.paged ? { per_page: String(size) } : {}),
		...(names === undefined ? {} : { _fields: names.map(dialect.fieldOut).join(',') }),
	};
	for (const name of Object.keys(given)) delete own[name];
	const base = createPlanner(read.list, dialect)({ ids: owners });

	/** Leaves out what a response refuses. @returns whether that changes the query */
	function relax(refusal: Result): boolean {
		const isRaw = refusesRaw(refusal);
		const refused = isRaw ? ['context'] : Object.keys(refusal.status === 400 ? (refusal.reasons ?? {}) : {});
		const found = refused.filter((name) => Object.hasOwn(own, name));
		for (const name of found) delete own[name];
		if (isRaw && found.length > 0) warn(invocation.context, [RENDERED_ONLY]);
		return found.length > 0;
	}

	return async ({ page, arrived, stop }: PageCall): Promise<{ result: Result; headers: ResponseHeaders }> => {
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
	if (text === '0' && (kind === 'user' || kind === 'id')) return text;
	if (kind === 'user') return await readUserId(label, text, reading);
	if (kind === 'id') return readId(label, text);
	if (kind === 'status') return reading.session.dialect.statusOut(text);
	if (kind === 'text') return text;
	if (!isIsoDate(text)) {
		const example = 'an ISO 8601 date such as 2026-03-31 or 2026-03-31T09:00:00';
		throw new UsageError(`${label}: ${quote(text)} is not ${example}`, { code: 'invalid_value' });
	}
	// Services want a time of day.
	return text.length === '2026-03-31'.length ? `${text}T00:00:00` : text;
}
