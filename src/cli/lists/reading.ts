/** What commands that read have in common: the session, ids, single objects, and what a failed read means. */

import { createPlanner } from '../../api/plan.js';
import { type Noun, type Read, readOf } from '../../api/reads.js';
import { isObject, isProblem, OWN_ID, parseId } from '../../api/values.js';
import type { ListedObject } from '../../bulk/lists/pages.js';
import { AdaptivePace } from '../../bulk/pace.js';
import { SupportctlError, UsageError } from '../../errors.js';
import type { Outcome, RowOutcome } from '../../http/outcome.js';
import { type SendOptions, send } from '../../http/send.js';
import { DEFAULT_CONCURRENCY } from '../../http/types.js';
import { parseFields } from '../../output/columns.js';
import type { Invocation } from '../command.js';
import { leaveOnSignal } from '../interruption.js';
import { warn } from '../notices.js';
import type { ValuesOf } from '../options/option.js';
import type { readOptions } from '../options/shared.js';
import { ownIdFor } from '../own-account.js';
import { exitCodeOfOutcome, failureOf, NO_ROUTE, plural } from '../runs/outcomes.js';
import { openSession, type Session } from '../session.js';

export type Ids = Readonly<Record<string, string>>;

/** One call of a command that reads; filters stand among its options, by their own names. */
export type ReadInvocation = Omit<Invocation, 'options'> & {
	readonly options: ValuesOf<typeof readOptions> & { readonly limit?: number } & Readonly<Record<string, unknown>>;
};

export type Reading = Awaited<ReturnType<typeof openReading>>;

/** Opens what a reading needs, and closes it when the work is done. @param given a session that is open already @throws UsageError */
export async function withReading<T>(
	noun: Noun,
	invocation: ReadInvocation,
	work: (reading: Reading) => Promise<T>,
	given?: Session,
): Promise<T> {
	const reading = await openReading(noun, invocation, given);
	const { client, owners } = reading;
	const unlisten = leaveOnSignal(invocation, 'nothing was changed; the output may be incomplete');
	try {
		if (owners.user_id === OWN_ID) owners.user_id = await readUserId('user id', OWN_ID, reading);
		return await work(reading);
	} finally {
		unlisten();
		await client.close();
	}
}

async function openReading(noun: Noun, invocation: ReadInvocation, given?: Session) {
	const { args, options, context } = invocation;
	const read = readOf(noun, args[0] ?? '');
	/** Ids from the arguments that stand before the objects' own, by name; `taxonomy` among them. */
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
	const sending: SendOptions = {
		...session.sending,
		pace: new AdaptivePace({ clock, random, rate: options.rate ?? settings.rate }),
		// Numbers of fields are whole; those of a map are the service's own.
		exactNumbers: read.update?.fields.some(({ kind }) => kind === 'map') === true,
	};
	// The other arguments stand behind those of the owners.
	const rest = args.slice(read.owners.length);
	return { read, owners, rest, invocation, session, client, concurrency, send: sending };
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
export function refusesRaw({ status, code, reasons }: Outcome): boolean {
	return code === 'rest_forbidden_context' || (status === 400 && reasons?.context !== undefined);
}

/**
 * Makes the function that reads single objects, which returns the error where one can't be read. Where raw values are
 * refused, it goes on without asking for them.
 */
export function createRead(reading: Reading, endpoint = reading.read.get ?? reading.read.list) {
	const { client, send: options, invocation, session } = reading;
	const plan = createPlanner(endpoint, session.dialect);
	let raw = true;
	return async (ids: Ids): Promise<ListedObject | SupportctlError> => {
		const request = plan({ ids });
		const rendered = { ...request, path: request.path.replace(/\?context=edit$/, '') };
		let result = await send(client, raw ? request : rendered, options);
		if (refusesRaw(result)) {
			if (raw) warn(invocation.context, [RENDERED_ONLY]);
			raw = false;
			result = await send(client, rendered, options);
		}
		const { outcome, body } = result;
		return outcome === 'ok' && isObject(body) ? body : failureOfRead(reading, endpoint, ids, result);
	};
}

/** What a refused or lost read means for a person. */
export function failureOfRead(
	{ session }: Reading,
	endpoint: Read['list'],
	ids: Ids,
	result: Outcome,
): SupportctlError {
	const isList = endpoint.returns === 'list';
	const outcome: RowOutcome = { ...result, row: 1, ids: isList ? {} : ids };
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
