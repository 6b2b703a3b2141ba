/** Whose credentials they are: the guard of user deletes, and what @me stands for. */

import { endpoints } from '../api/endpoints.js';
import { createPlanner } from '../api/plan.js';
import { ownAccount } from '../api/reads.js';
import { isObject, quote, userIdIn } from '../api/values.js';
import type { LookUp } from '../bulk/run/names.js';
import { FailedError, RefusedError, UsageError } from '../errors.js';
import type { Result } from '../http/outcome.js';
import { type SendOptions, send } from '../http/send.js';
import type { Client } from '../http/types.js';
import { type Caller, signInAgain } from './runs/failures.js';
import type { Session } from './session.js';

/**
 * The caller's id: by name, and where the service knows no such name (a sign-in by e-mail), by GET /users/me.
 * @returns undefined where no account is signed in
 * @throws RefusedError for refused credentials
 */
export async function findOwnId(
	{ connection, dialect }: Pick<Session, 'connection' | 'dialect'>,
	client: Client,
	options: SendOptions,
): Promise<{ id: string } | { why: string } | undefined> {
	const { auth } = connection;
	if (auth.scheme === 'none') return undefined;
	const reading = { ...options, dialect };
	if (auth.scheme === 'basic') {
		const { username } = auth;
		const byName = createPlanner(endpoints['user.id'], dialect)({ ids: { username }, fields: { username } });
		const found = await send(client, byName, reading);
		checkSignedIn(found, connection);
		const id = found.outcome === 'ok' ? userIdIn(found.body) : undefined;
		if (id !== undefined) return { id };
	}
	const me = await send(client, createPlanner(ownAccount, dialect)({ ids: {} }), reading);
	checkSignedIn(me, connection);
	const id = me.outcome === 'ok' && isObject(me.body) ? userIdIn({ id: me.body.id }) : undefined;
	return id === undefined ? { why: me.message ?? 'the service does not say whose credentials they are' } : { id };
}

/** Makes the function that finds the id of a user name. Only a refusal of the name itself is a problem of its row. */
export function createLookUp(
	{ connection, dialect }: Pick<Session, 'connection' | 'dialect'>,
	open: () => Promise<Client>,
	options: SendOptions,
): LookUp {
	const plan = createPlanner(endpoints['user.id'], dialect);
	return async (username) => {
		const request = plan({ ids: { username }, fields: { username } });
		const found = await send(await open(), request, { ...options, dialect });
		checkSignedIn(found, connection);
		const id = found.outcome === 'ok' ? userIdIn(found.body) : undefined;
		if (id !== undefined) return { id };
		const why = found.message ?? found.code ?? found.outcome;
		if (found.outcome === 'failed' && NO_SUCH_NAME.has(found.status) && found.code !== 'rest_no_route') {
			return { problem: `no user ${quote(username)}: ${why}` };
		}
		throw new FailedError(`could not look up the user ${quote(username)}: ${why}; nothing was sent`, {
			code: found.code ?? 'lookup_failed',
		});
	};
}

const NO_SUCH_NAME: ReadonlySet<unknown> = new Set([400, 404, 422]);

/** The number that @me stands for. @throws UsageError where the service does not say it */
export async function ownIdFor(
	what: string,
	session: Pick<Session, 'connection' | 'dialect'>,
	client: Client,
	options: SendOptions,
): Promise<number> {
	const own = await findOwnId(session, client, options);
	if (own !== undefined && 'id' in own) return Number(own.id);
	throw new UsageError(
		`${what}: your own id is not known: ${own?.why ?? 'no account is signed in'}; nothing was sent`,
		{
			code: 'own_id_unknown',
			hint: 'give the id itself',
		},
	);
}

/** @throws RefusedError where the credentials are refused: every row would be too */
export function checkSignedIn({ status, code, message }: Result, caller: Caller): void {
	if (status !== 401) return;
	throw new RefusedError(`the service refused the credentials (401): ${message ?? ''}; nothing was sent`, {
		code: code ?? 'unauthorized',
		hint: signInAgain(caller),
	});
}
