/** A sandbox with a deployment's own words in place of the neutral ones takes and shows them. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';

let sandbox: TestSandbox;

beforeEach(async () => {
	sandbox = await startSandbox({ prefixes: { product: 'acme', shop: 'wc', membership: 'wcm' } });
});
afterEach(() => sandbox.stop());

test('paths have the product prefix', async () => {
	expect((await sandbox.call('GET', '/tickets/14')).status).toBe(200);
	const neutral = await fetch(`${sandbox.baseUrl}/support-api/v1/tickets/14`);
	expect([neutral.status, ((await neutral.json()) as { code: string }).code]).toEqual([404, 'rest_no_route']);
});

test("statuses of the shop and membership groups are taken and shown in the deployment's words, and no others", async () => {
	for (const status of ['wc-on-hold', 'wcm-paused', 'hold']) {
		expect(await sandbox.call('POST', '/tickets/14', { status })).toMatchObject({ status: 200, body: { status } });
		const { body } = await sandbox.call('GET', `/tickets?assignee=0&state=any&per_page=100&status=${status}`);
		expect(body).toContainEqual(expect.objectContaining({ id: 14, status }));
	}
	const refused = await sandbox.call('POST', '/tickets/14', { status: 'shop-on-hold' });
	expect(refused).toMatchObject({
		status: 400,
		body: { data: { params: { status: expect.stringContaining('wc-on-hold') } } },
	});
});

test('user fields that begin with support_ begin with the product prefix', async () => {
	const { status, body } = await sandbox.call('POST', '/users/3', {
		acme_after_reply: 'ask',
		acme_can_be_assigned: false,
		support_after_reply: 'ignored',
	});
	expect(status).toBe(200);
	expect(body).toMatchObject({ acme_after_reply: 'ask', acme_can_be_assigned: false });
	expect(Object.keys(body as object).filter((name) => name.startsWith('support_'))).toEqual([]);
	const refused = await sandbox.call('POST', '/users/3', { acme_after_reply: 7 });
	expect(refused).toMatchObject({ status: 400, body: { data: { params: { acme_after_reply: expect.any(String) } } } });
});

test('a custom field is written with the product prefix, and shown without it', async () => {
	const set = (fields: unknown) => sandbox.call('POST', '/tickets/14/custom-fields', { custom_fields: fields });
	const severity = async () =>
		((await sandbox.call('GET', '/tickets/14/custom-fields')).body as Record<string, unknown>).severity;
	await set({ acme_severity: 'critical' });
	await set({ severity: 'minor' });
	expect(await severity()).toMatchObject({
		name: 'Severity',
		value: 'critical',
		markup: expect.stringContaining('name="acme_severity"'),
	});
});
