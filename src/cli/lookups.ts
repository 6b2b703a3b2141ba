/** Names of users and terms behind IDs of journals, from the service if it can be asked at once; without it IDs are shown. */

import type { Directories } from '../bulk/lists/directory.js';
import type { Found } from '../bulk/lists/found.js';
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
		return await askBriefly(invocation, withProfile(options, context, service), async (directories, baseUrl) => {
			if (baseUrl !== service.baseUrl) return undefined;
			await directories.learn(fields, objects);
			return directories.nameOf;
		});
	};
}

/** @param of `users`, or a taxonomy @returns undefined where the service can't be asked */
export async function lookUpId(invocation: Invocation, of: string, name: string): Promise<Found | undefined> {
	return await askBriefly(invocation, invocation.options, async ({ users, terms }) => {
		return await (of === 'users' ? users : terms(of)).id(name);
	});
}

/** Nobody asked for a connection. */
async function askBriefly<Answer>(
	invocation: Invocation,
	options: Invocation['options'],
	ask: (directories: Directories, baseUrl: string) => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
	try {
		const session = await openSession({ ...invocation, options: { ...options, timeout: String(WITHIN_MS / 1000) } });
		const client = await session.openClient(1);
		const sending = { ...session.sending, retries: 0, stop: AbortSignal.timeout(WITHIN_MS) };
		const directories = openDirectories(session, sending, async () => ({ session, client }), invocation);
		try {
			return await ask(directories, session.service.baseUrl);
		} finally {
			await client.close();
		}
	} catch {
		return undefined;
	}
}
