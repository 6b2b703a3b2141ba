/** Single objects by their ids, and the caller's own account. */

import { endpoints } from '../../api/endpoints.js';
import { createPlanner, type Planner } from '../../api/plan.js';
import { ownAccount, reads } from '../../api/reads.js';
import { userIdIn } from '../../api/user-id.js';
import { isObject } from '../../api/values.js';
import type { ListedObject } from '../../bulk/lists/pages.js';
import { inOrder } from '../../bulk/run/engine.js';
import { ExitCode, type SupportctlError } from '../../errors.js';
import type { Result } from '../../http/outcome.js';
import { send } from '../../http/send.js';
import { renderError } from '../../output/errors.js';
import { warn } from '../notices.js';
import { stderrPalette, stdoutPalette } from '../palette.js';
import { openResults, wantsJson } from '../results.js';
import { NO_ROUTE } from '../runs/failures.js';
import { readTextInput } from '../text-file.js';
import type { Noun, ReadInvocation } from './call.js';
import {
	failureOfRead,
	openPrinter,
	type Printer,
	RENDERED_ONLY,
	type Reading,
	readId,
	readUserId,
	refusesRaw,
	withReading,
} from './reading.js';

/** @throws UsageError, RefusedError, SupportctlError */
export async function getObjects(noun: Noun, invocation: ReadInvocation): Promise<ExitCode> {
	return await withReading(noun, invocation, async (reading) => {
		const { read, owners, rest, concurrency, session } = reading;
		const { context } = invocation;
		const endpoint = read.get ?? read.list;
		const ids = await readIds(reading);
		const single = ids.length === 1 && rest[0] !== '-';
		const sendRead = createRead(reading, createPlanner(endpoint, session.dialect));
		let printer: Printer | undefined;
		let printed = 0;
		const failures: SupportctlError[] = [];
		const work = async (id: string) => ({ id, result: await sendRead({ ...owners, id }) });
		const found = inOrder(batchesOf(ids), concurrency, work);
		for await (const { id, result } of found) {
			if (result.outcome !== 'ok' || !isObject(result.body)) {
				const error = failureOfRead(reading, endpoint, { ...owners, id }, result);
				failures.push(error);
				if (single || result.status === 401 || result.code === NO_ROUTE) break;
				await printFailure(invocation, error);
				continue;
			}
			const object: ListedObject = result.body;
			printer ??= await openPrinter(reading, { single, sample: [object] });
			await printer.print(object);
			printed++;
			if (context.stdout.closed) break;
		}
		await printer?.end();
		const [first] = failures;
		if (first === undefined) return ExitCode.ok;
		const last = failures.at(-1) as SupportctlError;
		if (single || last.code === NO_ROUTE || last.data?.status === 401) throw last;
		return printed > 0 ? ExitCode.partial : first.exitCode;
	});
}

async function* batchesOf(ids: readonly string[]): AsyncGenerator<readonly string[]> {
	yield ids;
}

async function readIds(reading: Reading): Promise<string[]> {
	const { noun, rest, invocation } = reading;
	const isStdin = rest[0] === '-' && rest.length === 1;
	const texts = isStdin ? (await readTextInput(invocation.context.stdin)).split(/\s+/) : rest;
	const given = texts.filter((text) => text !== '');
	if (noun !== 'user') return given.map((text) => readId('id', text));
	const ids: string[] = [];
	for (const text of given) ids.push(await readUserId('id', text, reading));
	return ids;
}

async function printFailure(invocation: ReadInvocation, error: SupportctlError): Promise<void> {
	const view = { json: wantsJson(invocation.options), debug: false, palette: await stderrPalette(invocation) };
	invocation.context.stderr.write(renderError(error, view));
}

/** Sends a read; where raw values are refused, it is sent again without asking for them. */
function createRead({ client, send: options, invocation }: Reading, plan: Planner) {
	let raw = true;
	return async (ids: Readonly<Record<string, string>>): Promise<Result> => {
		const request = plan({ ids });
		const rendered = { ...request, path: request.path.replace(/\?context=edit$/, '') };
		const result = await send(client, raw ? request : rendered, options);
		if (!raw || !refusesRaw(result)) return result;
		raw = false;
		warn(invocation.context, [RENDERED_ONLY]);
		return await send(client, rendered, options);
	};
}

/** Who is signed in, and where. */
export async function showOwnAccount(invocation: ReadInvocation): Promise<ExitCode> {
	return await withReading('user', { ...invocation, args: [] }, async (reading) => {
		const { session, client, send: options } = reading;
		const { connection, dialect } = session;
		const { auth } = connection;
		const account = { ...reading, read: { ...reads.user, get: ownAccount } };
		let result = await createRead(account, createPlanner(ownAccount, dialect))({});
		if (result.code === NO_ROUTE && auth.scheme === 'basic') {
			// The documented look-up knows the id alone.
			const { username } = auth;
			const found = await send(
				client,
				createPlanner(endpoints['user.id'], dialect)({ ids: { username }, fields: { username } }),
				options,
			);
			const id = found.outcome === 'ok' ? userIdIn(found.body) : undefined;
			result = id === undefined ? found : { ...found, body: { id: Number(id), username } };
		}
		if (result.outcome !== 'ok' || !isObject(result.body)) throw failureOfRead(account, ownAccount, {}, result);
		const { _links, ...shown } = result.body;
		const results = await openResults(invocation, {
			palette: await stdoutPalette(invocation),
			profileFormat: connection.defaults.format,
			single: true,
			columns: ['id', 'username', 'name', 'email', 'roles', 'service', 'profile'].map((path) => ({
				path,
				label: path,
			})),
		});
		await results.row({ ...shown, service: connection.baseUrl, profile: connection.profileName ?? null });
		await results.end();
		return ExitCode.ok;
	});
}
