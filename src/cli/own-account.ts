/** Your own account: the guard of user deletes, and @me. */

import { endpoints } from '../api/endpoints.js';
import { createPlanner, type Request } from '../api/plan.js';
import { ownAccount } from '../api/reads.js';
import { OWN_ID } from '../api/values.js';
import { createDirectories, type Directories } from '../bulk/lists/directory.js';
import { RefusedError, UsageError } from '../errors.js';
import { lookedUpId } from '../http/judge.js';
import type { Outcome } from '../http/outcome.js';
import { type SendOptions, send } from '../http/send.js';
import type { Client } from '../http/types.js';
import { type Caller, signInAgain } from './runs/failures.js';
import type { Session } from './session.js';

type Known = Pick<Session, 'connection' | 'dialect'>;

/** @throws RefusedError */
export function checkSignedIn({ signedOut, code, message }: Outcome, caller: Caller): void {
	if (!signedOut) return;
	throw new RefusedError(
		`the service refused the credentials (401): ${message?.replace(/\.$/, '') ?? ''}; nothing was sent`,
		{
			code: code ?? 'unauthorized',
			hint: signInAgain(caller),
		},
	);
}

async function find({ connection, dialect }: Known, client: Client, request: Request, options: SendOptions) {
	const found = await send(client, request, { ...options, dialect });
	checkSignedIn(found, connection);
	return { found, id: found.outcome === 'ok' ? lookedUpId(found.body) : undefined };
}

/** By name, or by GET /users/me if the service doesn't know the name, such as an email. @throws RefusedError */
export async function findOwnId(
	known: Known,
	client: Client,
	options: SendOptions,
): Promise<{ id: string } | { why: string } | undefined> {
	const { connection, dialect } = known;
	const { auth } = connection;
	if (auth.scheme === 'none') return undefined;
	if (auth.scheme === 'basic') {
		const { username } = auth;
		const byName = createPlanner(endpoints['user.id'], dialect)({ ids: { username }, fields: { username } });
		const { id } = await find(known, client, byName, options);
		if (id !== undefined) return { id };
	}
	const { found } = await find(known, client, createPlanner(ownAccount, dialect)({ ids: {} }), options);
	const id = found.outcome === 'ok' ? lookedUpId(found.body) : undefined;
	return id === undefined ? { why: found.message ?? 'the service does not return your account' } : { id };
}

/** @throws UsageError */
export async function ownIdFor(what: string, known: Known, client: Client, options: SendOptions): Promise<number> {
	const own = await findOwnId(known, client, options);
	if (own !== undefined && 'id' in own) return Number(own.id);
	const why = own?.why ?? 'you are not signed in';
	throw new UsageError(`${what}: can't determine your user ID: ${why}; nothing was sent`, {
		code: 'own_id_unknown',
		hint: 'pass the ID instead',
	});
}

/** They connect when a name has to be looked up. */
export function openDirectories(
	session: Pick<Session, 'connection' | 'dialect' | 'signIn' | 'openClient'>,
	options: SendOptions,
	open?: () => Promise<Client>,
): Directories & { close(): Promise<void> } {
	let opened: Promise<{ known: Known; client: Client }> | undefined;
	const connect = async (): Promise<{ known: Known; client: Client }> => {
		const known = (await session.signIn?.()) ?? session;
		// The caller closes its own client.
		return { known, client: open === undefined || known !== session ? await known.openClient(1) : await open() };
	};
	const reach = (): Promise<{ known: Known; client: Client }> => {
		opened ??= connect();
		return opened;
	};
	const directories = createDirectories({
		dialect: session.dialect,
		async send(request) {
			const { known, client } = await reach();
			const found = await send(client, request, options);
			checkSignedIn(found, known.connection);
			return found;
		},
		async ownId() {
			const { known, client } = await reach();
			return await ownIdFor(OWN_ID, known, client, options);
		},
	});
	return {
		...directories,
		async close() {
			const connected = await opened?.catch(() => undefined);
			const isOwn = open === undefined || connected?.known !== session;
			if (isOwn) await connected?.client.close();
		},
	};
}
