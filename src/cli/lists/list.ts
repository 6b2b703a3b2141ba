/** One call of a command that lists, from its filters to its exit code. */

import { createPlanner } from '../../api/plan.js';
import type { Filter } from '../../api/reads.js';
import { type ListedObject, type PagesEnd, readPages } from '../../bulk/lists/pages.js';
import { ExitCode, SupportctlError } from '../../errors.js';
import type { Result } from '../../http/outcome.js';
import type { Sendable } from '../../http/send.js';
import { createProgress } from '../../output/progress.js';
import { warn } from '../notices.js';
import { camelCase } from '../options/option.js';
import { stderrPalette } from '../palette.js';
import { wantsJson } from '../results.js';
import { plural } from '../runs/failures.js';
import type { Noun, ReadInvocation } from './call.js';
import {
	failureOfRead,
	openPrinter,
	type Printer,
	RENDERED_ONLY,
	type Reading,
	readDate,
	readId,
	readUserId,
	refusesRaw,
	withReading,
} from './reading.js';

/** The most objects that services give on a page. */
const PAGE_SIZE = 100;

/** @throws UsageError, RefusedError, SupportctlError */
export async function listObjects(noun: Noun, invocation: ReadInvocation): Promise<ExitCode> {
	return await withReading(noun, invocation, async (reading) => {
		const { read, send, client, concurrency } = reading;
		const { context, options } = invocation;
		const limit = options.limit ?? Number.POSITIVE_INFINITY;
		const size = Math.min(PAGE_SIZE, limit);
		const query = await createQuery(reading, size);
		const progress = await openProgress(invocation);
		const pages = readPages({
			client,
			send,
			concurrency,
			size,
			most: read.paged ? Math.ceil(limit / size) : 1,
			request: query.request,
			relax: query.relax,
			onTotal: (total) => progress.start(total === undefined ? undefined : Math.min(total, limit)),
		});
		let printer: Printer | undefined;
		const take = async (objects: readonly ListedObject[]): Promise<void> => {
			printer ??= await openPrinter(reading, {
				single: false,
				sample: objects,
				beforeWrite: progress.clear,
				onPager: progress.end,
			});
			for (const object of objects.slice(0, limit - progress.done)) {
				await printer.print(object);
				progress.done++;
			}
			progress.update();
		};
		let end: PagesEnd | undefined;
		try {
			while (end === undefined && progress.done < limit && !context.stdout.closed) {
				const { value, done } = await pages.next();
				if (done === true) end = value;
				else await take(value);
			}
			await pages.return({ count: progress.done, total: undefined, whole: false });
			if (end?.failure === undefined || progress.done > 0) await take([]);
		} finally {
			progress.end();
		}
		await printer?.end();
		warn(context, query.warnings);
		if (end?.failure !== undefined) throw failureOfList(reading, end.failure, progress.done);
		if (end !== undefined) checkCount(reading, end);
		return ExitCode.ok;
	});
}

/** A bar on a terminal, once it is known how much there is to read. */
async function openProgress(invocation: ReadInvocation) {
	const { stderr, clock, env } = invocation.context;
	const palette = await stderrPalette(invocation);
	const quiet = invocation.options.quiet === true || wantsJson(invocation.options);
	let shown: ReturnType<typeof createProgress> | undefined;
	return {
		done: 0,
		start(total: number | undefined): void {
			shown = createProgress({ stderr, redraws: stderr.isTTY && env.TERM !== 'dumb', clock, total, quiet, palette });
		},
		update(): void {
			shown?.update({ done: this.done });
		},
		clear: () => shown?.clear(),
		end(): void {
			shown?.done();
			shown = undefined;
		},
	};
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
	return new SupportctlError(`${error.message}; the list is incomplete: ${printed} were printed`, exitCode, {
		code,
		details,
		data: { ...data, printed },
		...(hint === undefined ? {} : { hint }),
	});
}

/** The query of a list: what the service would filter by itself is overridden, then come the caller's filters. */
async function createQuery(reading: Reading, size: number) {
	const { read, owners, session } = reading;
	const given: Record<string, string> = {};
	for (const filter of read.filters) {
		const text = reading.invocation.options[camelCase(filter.flag)];
		if (typeof text === 'string') given[filter.parameter] = await filterValue(filter, text, reading);
	}
	/** What a service may refuse, and the list is then asked for without it. */
	const own: Record<string, string> = { ...read.query, ...(read.paged ? { per_page: String(size) } : {}) };
	for (const name of Object.keys(given)) delete own[name];
	const base = createPlanner(read.list, session.dialect)({ ids: owners });
	const warnings: string[] = [];
	return {
		warnings,
		request(page: number): Sendable {
			const query = new URLSearchParams({ ...own, ...given, ...(page === 1 ? {} : { page: String(page) }) });
			const text = query.toString();
			return text === '' ? base : { ...base, path: `${base.path}?${text}` };
		},
		relax(refusal: Result): boolean {
			if (refusesRaw(refusal) && own.context !== undefined) {
				delete own.context;
				warnings.push(RENDERED_ONLY);
				return true;
			}
			if (refusal.status !== 400) return false;
			const refused = Object.keys(refusal.reasons ?? {}).filter((name) => own[name] !== undefined);
			for (const name of refused) delete own[name];
			return refused.length > 0;
		},
	};
}

async function filterValue({ flag, kind }: Filter, text: string, reading: Reading): Promise<string> {
	switch (kind) {
		case 'user':
			return text === '0' ? text : await readUserId(`--${flag}`, text, reading);
		case 'id':
			return text === '0' ? text : readId(`--${flag}`, text);
		case 'status':
			return reading.session.dialect.statusOut(text);
		case 'date':
			return readDate(flag, text);
		default:
			return text;
	}
}
