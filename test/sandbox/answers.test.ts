/** The sandbox answers as the live service did: shapes, codes and reasons. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';

let sandbox: TestSandbox;

beforeEach(async () => {
	sandbox = await startSandbox();
});
afterEach(() => sandbox.stop());

test('a ticket is updated and answered in full, with texts as raw and rendered', async () => {
	const { status, body } = await sandbox.call('POST', '/tickets/14', {
		status: 'hold',
		title: 'a < b',
		product: 'pocket-reader',
		'ticket-tag': [1, '2'],
		assignee: '4',
		'time-calculated': 60,
		'time-adjustments': 10,
		'time-adjustments-type': '-',
	});
	expect(status).toBe(200);
	expect(body).toMatchObject({
		id: 14,
		status: 'hold',
		title: { raw: 'a < b', rendered: 'a &lt; b' },
		product: 'pocket-reader',
		'ticket-tag': [1, 2],
		assignee: 4,
		'time-adjustments-type': '-',
		'time-final': 50,
	});
	expect(Object.keys(body as object)).toEqual(
		(
			'id date date_gmt modified modified_gmt slug status type link title content author ticket-tag product department ' +
			'ticket_priority ticket_channel state assignee secondary-assignee tertiary-assignee customer-reply-count ' +
			'agent-reply-count total-reply-count time-calculated time-adjustments time-final time-adjustments-type time-notes _links'
		).split(' '),
	);
	expect(sandbox.store.tickets.get(14)).toMatchObject({ status: 'hold', title: 'a < b' });
});

test('values that are not allowed are refused with a reason for each field, and nothing is changed', async () => {
	const before = structuredClone(sandbox.store.tickets.get(14));
	const { status, body } = await sandbox.call('POST', '/tickets/14', { status: 'hodl', author: 'x', title: 'new' });
	expect(status).toBe(400);
	expect(body).toMatchObject({
		code: 'rest_invalid_param',
		message: 'Invalid parameter(s): status, author',
		data: {
			status: 400,
			params: { status: expect.stringContaining('status is not one of'), author: 'author is not of type integer.' },
			details: { author: { code: 'rest_invalid_type' } },
		},
	});
	expect(sandbox.store.tickets.get(14)).toEqual(before);
});
