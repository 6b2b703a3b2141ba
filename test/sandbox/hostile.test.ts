/** Whatever JSON comes, the sandbox responds, changes nothing it should not, and goes on serving. */

import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { endpointList } from '../../src/api/endpoints.js';
import { startSandbox } from '../support/sandbox.js';

test.each(['{"status":', 'status=hold', '{"status":"hold",}'])(
	'a body that is not JSON (%s) is 400 rest_invalid_json',
	async (body) => {
		const sandbox = await startSandbox({ seed: 20 });
		onTestFinished(() => sandbox.stop());
		expect(await sandbox.call('POST', '/tickets/14', body)).toMatchObject({
			status: 400,
			body: { code: 'rest_invalid_json' },
		});
	},
);

test('no body that is JSON makes any endpoint fail', async () => {
	const own = await startSandbox();
	onTestFinished(() => own.stop());
	const names = [...new Set(endpointList.flatMap((each) => each.fields.map((field) => field.name)))];
	const value = fc.oneof(
		fc.jsonValue({ maxDepth: 2 }),
		fc.constantFrom('', 'hold', 'positive', '2026-01-01', 'low', 'a@b.example', '+', '1', [], {}, 3, true),
	);
	const body = fc.dictionary(
		fc.constantFrom(...names, 'custom_fields', 'id', 'ticket_id', 'force', 'reassign'),
		value,
		{
			maxKeys: 8,
		},
	);
	await fc.assert(
		fc.asyncProperty(fc.constantFrom(...endpointList), body, async ({ method, path }, sent) => {
			const target = path
				.replace('<slug>', 'laptop')
				.replace('/users/<user_id>', '/users/3')
				.replace(/<[a-z_]+>/g, '14');
			// Fetch sends no body with GET; the administrator keeps the account that the test calls with.
			fc.pre(!((sent.id === 1 || sent.id === '1') && path.startsWith('/users')));
			const { status } = await own.call(method, target, method === 'GET' ? undefined : sent);
			expect([200, 400, 403, 404, 410, 500, 501]).toContain(status);
		}),
		{ numRuns: 300 },
	);
	expect((await own.call('GET', '/users/me')).status).toBe(200);
});
