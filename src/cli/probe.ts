/** Requests that are sent once, whatever comes back. */

import { endpoints } from '../api/endpoints.js';
import { createPlanner } from '../api/plan.js';
import { judge, type Sendable } from '../http/judge.js';
import type { Outcome } from '../http/outcome.js';
import { secretsOf } from '../net.js';
import { createOutcomeRedactor } from '../output/redact.js';
import type { Probe } from '../profile/probe.js';
import type { Invocation } from './command.js';
import { dialectFor, openClient, type Reach } from './session.js';

export async function sendOnce(invocation: Invocation, reach: Reach, request: Sendable): Promise<Outcome> {
	const client = await openClient(invocation, reach, 1);
	try {
		return judge(request, await client.send(request), {}, { dialect: dialectFor(reach.settings) });
	} finally {
		await client.close();
	}
}

/** Looks up a user's ID. The outcomes are for display: they have no credentials. */
export function createProbe(invocation: Invocation, reach: Omit<Reach, 'baseUrl' | 'auth'>): Probe {
	// An unknown name works too.
	const { username = 'supportctl' } = reach.settings;
	const request = createPlanner(endpoints['user.id'], dialectFor(reach.settings))({ ids: {}, fields: { username } });
	return async (baseUrl, auth = { scheme: 'none' }) => {
		const outcome = await sendOnce(invocation, { ...reach, baseUrl, auth }, request);
		return createOutcomeRedactor(secretsOf(auth))(outcome, request);
	};
}
