/** Sends planned requests to a test's server with a clock that never waits. */

import { endpoints } from '../../src/api/endpoints.js';
import { createPlanner, type Request } from '../../src/api/request.js';
import type { Client, ClientOptions } from '../../src/http/client.js';
import { createClient } from '../../src/http/client.js';
import type { History, Outcome } from '../../src/http/outcome.js';
import { type SendOptions, send } from '../../src/http/send.js';
import { whenTestEnds } from './test-end.js';

/** An update of ticket 14 to `hold`. */
export const update: Request = createPlanner(endpoints['ticket.update'])({
	ids: { id: '14' },
	fields: { status: 'hold' },
});
/** The deletion of ticket 14. */
export const remove: Request = createPlanner(endpoints['ticket.delete'])({ ids: { id: '14' } });
/** A look at the custom fields of ticket 14. */
export const read: Request = createPlanner(endpoints['ticket.fields.get'])({ ids: { id: '14' } });
/** New custom fields for ticket 14. */
export const setFields: Request = createPlanner(endpoints['ticket.fields.set'])({
	ids: { ticket_id: '14' },
	fields: { colour: 'red' },
});
/** The id of `anna`. */
export const lookUp: Request = createPlanner(endpoints['user.id'])({
	ids: { username: 'anna' },
	fields: { username: 'anna' },
});
/** Whether `anna` and a password belong together. */
export const check: Request = createPlanner(endpoints['user.check'])({
	ids: { username: 'anna' },
	fields: { username: 'anna', password: 'sesam' },
});

export async function testClient(baseUrl: string, options: Partial<ClientOptions> = {}): Promise<Client> {
	const client = await createClient({
		baseUrl,
		auth: { scheme: 'basic', username: 'anna', password: 'sesam' },
		timeoutMs: 5000,
		connections: 1,
		userAgent: 'test',
		monotonic: () => performance.now(),
		...options,
	});
	whenTestEnds(() => client.close());
	return client;
}

/** A clock whose waits are over at once, and a note of how long they would have been. */
export function instantClock(): {
	waits: number[];
	now(): number;
	monotonic(): number;
	sleep(ms: number): Promise<void>;
} {
	let passed = 0;
	const waits: number[] = [];
	return {
		waits,
		now: () => Date.UTC(2026, 10, 21) + passed,
		monotonic: () => passed,
		sleep: async (ms) => {
			waits.push(ms);
			passed += ms;
		},
	};
}

export interface Delivered extends Outcome {
	waits: number[];
	/** Attempts that were repeated. */
	retried: (Partial<Outcome> & { waitMs: number })[];
}

/** Delivers one request; `client` may also be the base URL of a server. */
export async function deliverTo(
	target: Client | string,
	request: Request,
	options: Partial<SendOptions> & { connection?: Partial<ClientOptions>; history?: History } = {},
): Promise<Delivered> {
	const { connection, history, ...more } = options;
	const client = typeof target === 'string' ? await testClient(target, connection) : target;
	const clock = instantClock();
	const retried: Delivered['retried'] = [];
	const all: SendOptions = {
		retries: 4,
		clock,
		random: () => 0.5,
		onRetry: (failed, waitMs) => retried.push({ ...failed, waitMs }),
		...more,
	};
	const delivery = await send(client, request, all, undefined, history);
	return { ...delivery, waits: clock.waits, retried };
}
