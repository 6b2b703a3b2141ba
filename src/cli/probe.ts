/** Requests to a service that may be another, or refuse the credentials: for `login` and `doctor`. */

import { endpoints } from '../api/endpoints.js';
import { createPlanner } from '../api/plan.js';
import { judge, type Sendable } from '../http/judge.js';
import type { Outcome } from '../http/outcome.js';
import { secretsOf } from '../net.js';
import { createOutcomeRedactor } from '../output/redact.js';
import type { Probe } from '../profile/probe.js';
import type { Invocation } from './command.js';
import { dialectFor, openClient, type Reach } from './session.js';

/** Sends a request once. The outcome is for display: it has no credentials. */
export async function ask(invocation: Invocation, reach: Reach, request: Sendable): Promise<Outcome> {
	const client = await openClient(invocation, reach, 1);
	try {
		return createOutcomeRedactor(secretsOf(reach.auth))(judge(request, await client.send(request)), request);
	} finally {
		await client.close();
	}
}

/** Looks up a user's ID. */
export function createProbe(invocation: Invocation, reach: Omit<Reach, 'baseUrl' | 'auth'>): Probe {
	// An unknown name works too.
	const { username = 'supportctl' } = reach.settings;
	const request = createPlanner(endpoints['user.id'], dialectFor(reach.settings))({ ids: {}, fields: { username } });
	return (baseUrl, auth = { scheme: 'none' }) => ask(invocation, { ...reach, baseUrl, auth }, request);
}
