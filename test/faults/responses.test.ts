/** Responses that no service should send: what each is called, how it counts, and how often the row was sent for it. */

import { describe, expect, it } from 'vitest';
import { endpointList } from '../../src/api/endpoints.js';
import { createPlanner } from '../../src/api/request.js';
import { deliverTo, testClient } from '../support/delivery.js';
import { oneUpdate, runAgainst } from '../support/fault.js';
import { startRawServer } from '../support/raw-server.js';
import { responseFaults } from '../support/response-faults.js';
import { besideOthers } from '../support/test-end.js';

describe('an update whose response is', () => {
	it.concurrent.for(Object.entries(responseFaults))('%s', async ([, fault], { onTestFinished }) =>
		besideOthers(onTestFinished, async () => {
			const { outcomes, exitCode, stderr, server } = await runAgainst(fault.script, oneUpdate);
			const [printed] = outcomes;
			const seen = { outcome: printed?.outcome, code: printed?.code, exitCode, requests: server.requests.length };
			const { outcome, code, requests } = fault;
			expect(seen).toEqual({ outcome, code, exitCode: fault.exitCode, requests });
			expect(server.requests.every((each) => each.path === '/support-api/v1/tickets/14')).toBe(true);
			if (fault.says !== undefined) expect(`${printed?.message} ${printed?.warnings} ${stderr}`).toMatch(fault.says);
			if (outcome !== 'ok') expect(stderr).not.toBe('');
		}),
	);
});

describe('no endpoint', () => {
	const requests = endpointList.map((endpoint) =>
		createPlanner(endpoint)({
			ids: { id: '14', ticket_id: '14', user_id: '7', slug: 'laptop', username: 'ada' },
			fields: { status: 'hold' },
			reassign: '2',
		}),
	);

	it.each(Object.entries(responseFaults).filter(([, fault]) => fault.outcome !== 'ok'))(
		'takes %s for a success, nor asks more often than it may',
		async (_name, fault) => {
			const server = await startRawServer(fault.script);
			for (const request of requests) {
				const client = await testClient(server.baseUrl);
				const before = server.requests.length;
				const delivered = await deliverTo(client, request, { retries: 2 });
				await client.close();
				const sent = server.requests.length - before;
				expect(sent).toBe(delivered.attempts);
				expect(sent).toBeLessThanOrEqual(request.endpoint.replay === 'once' ? 1 : 3);
				// The response for custom fields has no fixed shape: nothing and `null` are how a service says that it set them.
				if (!isResponseOf(request.endpoint.name, fault.code, delivered.body))
					expect(delivered.outcome, request.endpoint.name).not.toBe('ok');
			}
		},
	);

	function isResponseOf(endpoint: string, code: string | null, body: unknown): boolean {
		if (code === 'empty_response') return endpoint === 'ticket.fields.set' && body === undefined;
		if (code !== 'unexpected_shape') return false;
		if (endpoint === 'ticket.fields.set') return body === null || body === true;
		return (endpoint === 'user.check' && body === true) || (body === 14 && endpoint.startsWith('user.'));
	}
});
