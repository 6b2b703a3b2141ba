/** Names are looked up with the session's connection. */

import { createDirectories, type Directories } from '../bulk/lists/directory.js';
import { ExitCode, SupportctlError } from '../errors.js';
import type { Client } from '../http/client.js';
import { type SendOptions, send } from '../http/send.js';
import { type Session, signInAgain } from './session.js';

/** Connects once a name has to be looked up. */
export function openDirectories(
	{ dialect }: Session,
	options: SendOptions,
	reach: () => Promise<{ session: Session; client: Client }>,
	tell: (text: string) => void,
): Directories {
	return createDirectories({
		dialect,
		async send(request) {
			const { session, client } = await reach();
			// Lists don't say what was asked for.
			const found = await send(client, { ...request, alone: true }, options);
			const { signedOut, code = 'unauthorized', message = '' } = found;
			if (!signedOut) return found;
			const why = `the service refused the credentials (401): ${message.replace(/\.$/, '')}; nothing was sent`;
			throw new SupportctlError(why, ExitCode.refused, { code, hint: signInAgain(session.connection) });
		},
		tell,
		async account() {
			const { auth } = (await reach()).session.connection;
			if (auth.scheme === 'none') return undefined;
			return auth.scheme === 'basic' ? auth : {};
		},
	});
}
