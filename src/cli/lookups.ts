/** Names of users and terms behind IDs of journals, from the service if it can be asked at once; without it IDs are shown. */

import type { LookUp } from '../bulk/recorded.js';
import { factsOf } from '../output/formats.js';
import type { Invocation } from './command.js';
import { openDirectories } from './directories.js';
import { chosenFormat } from './results.js';
import { withProfile } from './runs/past.js';
import { openSession } from './session.js';

const WITHIN_MS = 3000;

export function lookUpWith(invocation: Invocation): LookUp {
	const { context, options } = invocation;
	const { prints } = factsOf(chosenFormat(invocation));
	return async ({ plan: { service } }, fields, objects) => {
		if (prints === 'id' || prints === 'count') return undefined;
		try {
			const own = withProfile(options, context, service);
			const session = await openSession({ ...invocation, options: { ...own, timeout: String(WITHIN_MS / 1000) } });
			if (session.service.baseUrl !== service.baseUrl) return undefined;
			const client = await session.openClient(1);
			const sending = { ...session.sending, retries: 0, stop: AbortSignal.timeout(WITHIN_MS) };
			const directories = openDirectories(session, sending, async () => ({ session, client }), invocation);
			try {
				await directories.learn(fields, objects);
				return directories.nameOf;
			} finally {
				await client.close();
			}
		} catch {
			// Nobody asked for a connection.
			return undefined;
		}
	};
}
