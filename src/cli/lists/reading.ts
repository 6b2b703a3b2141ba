/** What commands that read share: a connection, single objects, and errors. */

import { plural } from '../../api/names.js';
import { type Noun, type Read, reads } from '../../api/reads.js';
import { createPlanner } from '../../api/request.js';
import { isObject, splitIds } from '../../api/values.js';
import { idsIn } from '../../bulk/input/lines.js';
import { exitCodeOfOne } from '../../bulk/journal/counts.js';
import { rawIfAllowed } from '../../bulk/lists/list.js';
import type { ListedObject } from '../../bulk/lists/pages.js';
import { AdaptivePace } from '../../bulk/pace.js';
import type { Ids } from '../../bulk/plan.js';
import { SupportctlError } from '../../errors.js';
import { isListMissing, isRouteMissing, NO_ROUTE } from '../../http/judge.js';
import type { Outcome } from '../../http/outcome.js';
import { type SendOptions, send } from '../../http/send.js';
import type { Context } from '../../io/context.js';
import { readText } from '../../io/files.js';
import { parseFields } from '../../output/columns.js';
import { DEFAULT_CONCURRENCY } from '../../profile/settings.js';
import type { Invocation } from '../command.js';
import { openDirectories } from '../directories.js';
import { leaveOnSignal } from '../interruption.js';
import { warn } from '../notices.js';
import type { ValuesOf } from '../options/option.js';
import type { listOptions, readOptions } from '../options/shared.js';
import { failureOf } from '../runs/failures.js';
import { openSession, type Session } from '../session.js';

/** Filters are among its options, by their own names. */
export type ReadInvocation = Omit<Invocation, 'options'> & {
	readonly options: ValuesOf<typeof readOptions> & ValuesOf<typeof listOptions> & Readonly<Record<string, unknown>>;
};

export type Reading = Awaited<ReturnType<typeof openReading>>;

/** @param given an open session @throws UsageError */
export async function withReading<T>(
	noun: Noun,
	invocation: ReadInvocation,
	work: (reading: Reading) => Promise<T>,
	given?: Session,
): Promise<T> {
	const reading = await openReading(noun, invocation, given);
	const unlisten = leaveOnSignal(invocation, 'nothing was changed; the output may be incomplete');
	try {
		return await work(reading);
	} finally {
		unlisten();
		await reading.client.close();
	}
}

async function openReading(noun: Noun, invocation: ReadInvocation, given?: Session) {
	const { options, context } = invocation;
	const read: Read = reads[noun];
	if (options.fields !== undefined) parseFields(options.fields);
	const session = given ?? (await openSession(invocation));
	const { dialect } = session;
	const { settings } = session.connection;
	const concurrency = options.concurrency ?? settings.concurrency ?? DEFAULT_CONCURRENCY;
	const client = await session.openClient(concurrency);
	const pace = new AdaptivePace({ ...session.sending, rate: options.rate ?? settings.rate });
	const sending: SendOptions = { ...session.sending, pace };
	const directories = openDirectories(session, sending, async () => ({ session, client }), invocation);
	const sendRead = rawIfAllowed(
		(request, more) => send(client, request, { ...sending, ...more }),
		() => warn(context, ["your account can't read raw values (context=edit): printing rendered values"]),
	);
	return { read, invocation: { ...invocation, session }, session, dialect, client, concurrency, directories, sendRead };
}

export async function readWords(args: readonly string[], context: Context): Promise<readonly string[]> {
	if (args.length !== 1 || args[0] !== '-') return args.flatMap(splitIds);
	const words = idsIn(await readText('-', context)).flatMap((id) => id.split(/\s+/));
	return words.flatMap(splitIds);
}

export async function readObject(
	reading: Reading,
	ids: Ids,
	endpoint = reading.read.get ?? reading.read.list,
): Promise<ListedObject | SupportctlError> {
	const result = await reading.sendRead(createPlanner(endpoint, reading.dialect)({ ids }));
	const { outcome, body } = result;
	return outcome === 'ok' && isObject(body) ? body : failureOfRead(reading, endpoint, ids, result);
}

/** Services and gateways have other words for it than WordPress: then a path without an ID says what a 404 is about. */
function isUnserved({ parameters }: Read['list'], result: Outcome): boolean {
	return parameters.length === 0 ? isListMissing(result) : isRouteMissing(result);
}

export function failureOfRead(
	{ session }: Reading,
	endpoint: Read['list'],
	ids: Ids,
	result: Outcome,
): SupportctlError {
	const isList = endpoint.verb === 'list';
	const noun = plural(endpoint.noun, isList ? 2 : 1);
	const outcome = { ...result, ids };
	if (!isUnserved(endpoint, result)) return failureOf(outcome, { ...endpoint, noun }, session.connection);
	const what = isList ? 'lists' : `reads of a single ${noun}`;
	const { code = NO_ROUTE, message = '' } = result;
	const why = code === NO_ROUTE ? code : `${code}: ${message}`;
	return new SupportctlError(`this service has no ${what} (${result.status} ${why})`, exitCodeOfOne(outcome), {
		code: NO_ROUTE,
		data: { status: result.status },
		hint: isList
			? 'put the IDs in a file and pass it with --input ids.txt; if other commands fail too, run "supportctl doctor"'
			: 'run "supportctl doctor" to check the base URL and the prefixes',
	});
}
