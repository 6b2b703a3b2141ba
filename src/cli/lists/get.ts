/** Single objects by their ids, and the caller's own account. */

import { endpoints } from '../../api/endpoints.js';
import { createPlanner } from '../../api/plan.js';
import { ownAccount } from '../../api/reads.js';
import { isObject, userIdIn } from '../../api/values.js';
import { inOrder } from '../../bulk/run/engine.js';
import { ExitCode, type SupportctlError } from '../../errors.js';
import { send } from '../../http/send.js';
import { renderError } from '../../output/errors.js';
import { paletteFor } from '../notices.js';
import { openResults, wantsJson } from '../results.js';
import { NO_ROUTE } from '../runs/failures.js';
import { readTextInput } from '../text-file.js';
import type { Noun, ReadInvocation } from './call.js';
import {
	createRead,
	failureOfRead,
	openPrinter,
	type Printer,
	type Reading,
	readId,
	readUserId,
	withReading,
} from './reading.js';

/** @throws UsageError, RefusedError, SupportctlError */
export async function getObjects(noun: Noun, invocation: ReadInvocation): Promise<ExitCode> {
	const { context, options } = invocation;
	return await withReading(noun, invocation, async (reading) => {
		const { read, owners, rest, concurrency } = reading;
		const endpoint = read.get ?? read.list;
		const ids = await readIds(reading);
		const single = ids.length === 1 && rest[0] !== '-';
		const readOne = createRead(reading, endpoint);
		let printer: Printer | undefined;
		let failed: SupportctlError | undefined;
		const work = async (id: string) => ({ id, result: await readOne({ ...owners, id }) });
		for await (const { id, result } of inOrder([ids], concurrency, work)) {
			if (result.outcome !== 'ok' || !isObject(result.body)) {
				const error = failureOfRead(reading, endpoint, { ...owners, id }, result);
				if (single || result.status === 401 || result.code === NO_ROUTE) {
					await printer?.end();
					throw error;
				}
				failed ??= error;
				const view = { json: wantsJson(options), debug: false, palette: await paletteFor(invocation, 'stderr') };
				context.stderr.write(renderError(error, view));
				continue;
			}
			printer ??= await openPrinter(reading, [result.body], single);
			await printer.print(result.body);
			if (context.stdout.closed) break;
		}
		await printer?.end();
		if (failed === undefined) return ExitCode.ok;
		return printer === undefined ? failed.exitCode : ExitCode.partial;
	});
}

async function readIds(reading: Reading): Promise<string[]> {
	const { noun, rest, invocation } = reading;
	const isStdin = rest[0] === '-' && rest.length === 1;
	const texts = isStdin ? (await readTextInput(invocation.context.stdin)).split(/\s+/) : rest;
	const ids: string[] = [];
	for (const text of texts.filter((each) => each !== '')) {
		ids.push(noun === 'user' ? await readUserId('id', text, reading) : readId('id', text));
	}
	return ids;
}

/** Who is signed in, and where. */
export async function showOwnAccount(invocation: ReadInvocation): Promise<ExitCode> {
	return await withReading('user', invocation, async (reading) => {
		const { session, client, send: options } = reading;
		const { connection, dialect } = session;
		const { auth } = connection;
		let result = await createRead(reading, ownAccount)({});
		if (result.code === NO_ROUTE && auth.scheme === 'basic') {
			// The documented look-up knows the id alone.
			const { username } = auth;
			const byName = createPlanner(endpoints['user.id'], dialect)({ ids: { username }, fields: { username } });
			result = await send(client, byName, options);
			const id = result.outcome === 'ok' ? userIdIn(result.body) : undefined;
			if (id !== undefined) result.body = { id: Number(id), username };
		}
		if (result.outcome !== 'ok' || !isObject(result.body)) throw failureOfRead(reading, ownAccount, {}, result);
		const { _links, ...shown } = result.body;
		const columns = ['id', 'username', 'name', 'email', 'roles', 'service', 'profile'];
		const results = await openResults(invocation, {
			profileFormat: connection.settings.format,
			single: true,
			columns: columns.map((path) => ({ path, label: path })),
		});
		await results.row({ ...shown, service: connection.baseUrl, profile: connection.profileName ?? null });
		await results.end();
		return ExitCode.ok;
	});
}
