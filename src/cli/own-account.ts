/** Your own account: the guard of user deletes, and @me. */

import { endpoints } from '../api/endpoints.js';
import { createPlanner } from '../api/plan.js';
import { ownAccount } from '../api/reads.js';
import { OWN_ID } from '../api/values.js';
import { createDirectories, type Directories } from '../bulk/lists/directory.js';
import { ExitCode, SupportctlError, UsageError } from '../errors.js';
import type { Client } from '../http/client.js';
import { lookedUpId } from '../http/judge.js';
import type { Outcome } from '../http/outcome.js';
import { type SendOptions, send } from '../http/send.js';
import type { Connection } from '../profile/resolve.js';
import { signInAgain } from './runs/failures.js';
import type { Session } from './session.js';

export function checkSignedIn({ signedOut, code, message = '' }: Outcome, connection: Connection): void {
	if (!signedOut) return;
	const why = `the service refused the credentials (401): ${message.replace(/\.$/, '')}; nothing was sent`;
	const details = { code: code ?? 'unauthorized', hint: signInAgain(connection) };
	throw new SupportctlError(why, ExitCode.refused, details);
}

/** By name, or by GET /users/me if the service doesn't know the name, such as an email. @throws SupportctlError */
export async function findOwnId(
	{ connection, dialect }: Session,
	client: Client,
	options: SendOptions,
): Promise<{ id: string } | { why: string } | undefined> {
	const { auth } = connection;
	if (auth.scheme === 'none') return undefined;
	const requests = [createPlanner(ownAccount, dialect)({ ids: {} })];
	if (auth.scheme === 'basic') {
		const { username } = auth;
		requests.unshift(createPlanner(endpoints['user.id'], dialect)({ ids: { username }, fields: { username } }));
	}
	let why = 'the service does not return your account';
	for (const request of requests) {
		const found = await send(client, request, { ...options, dialect });
		checkSignedIn(found, connection);
		const id = found.outcome === 'ok' ? lookedUpId(found.body) : undefined;
		if (id !== undefined) return { id };
		why = found.message ?? why;
	}
	return { why };
}

export function openDirectories(
	{ dialect }: Session,
	options: SendOptions,
	reach: () => Promise<{ session: Session; client: Client }>,
): Directories {
	return createDirectories({
		dialect,
		async send(request) {
			const { session, client } = await reach();
			const found = await send(client, request, options);
			checkSignedIn(found, session.connection);
			return found;
		},
		async ownId() {
			const { session, client } = await reach();
			const own = await findOwnId(session, client, options);
			if (own !== undefined && 'id' in own) return Number(own.id);
			const why = own?.why ?? 'you are not signed in';
			throw new UsageError(`${OWN_ID}: can't determine your user ID: ${why}; nothing was sent`, {
				code: 'own_id_unknown',
				hint: 'pass the ID instead',
			});
		},
	});
}
