/** The sandbox reads bodies up to a limit, of one request and of all that are under way. */

import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.js';

const MIB = 1024 * 1024;

async function sandbox(options: Parameters<typeof startSandbox>[0] = {}) {
	const service = await startSandbox(options);
	const url = `${service.env.SUPPORTCTL_BASE_URL}/support-api/v1/tickets/14`;
	/** A stranger's request; the body is not ended. */
	const stranger = () => {
		const request = httpRequest(url, { method: 'POST' }).on('error', () => undefined);
		const status = once(request, 'response').then(([{ statusCode }]) => statusCode as number);
		return { request, status };
	};
	const send = (request: ReturnType<typeof httpRequest>, size: number): Promise<void> =>
		new Promise((sent) => request.write(Buffer.alloc(size, 'a'), () => sent()));
	return { service, stranger, send };
}

test('a body of more than 8 MiB is 413, and the next request is served', async () => {
	const { service, stranger, send } = await sandbox();
	const { request, status } = stranger();
	await send(request, 9 * MIB);
	expect(await status).toBe(413);
	request.destroy();
	expect((await service.call('POST', '/tickets/14', { title: 'a'.repeat(7 * MIB) })).status).toBe(200);
	const { status: own, body } = await service.call('POST', '/tickets/14', { title: 'a'.repeat(8 * MIB) });
	expect([own, String(body)]).toEqual([413, expect.stringContaining('413 Request Entity Too Large')]);
});

test('a strict sandbox says so in its own form', async () => {
	const { service } = await sandbox({ strict: true });
	expect(await service.call('POST', '/tickets/14', { title: 'a'.repeat(8 * MIB) })).toMatchObject({
		status: 413,
		body: { title: 'Content Too Large' },
	});
});

test('of bodies under way 64 MiB are held, and there is room again once they are gone', async () => {
	const { service, stranger, send } = await sandbox();
	const open = Array.from({ length: 9 }, stranger);
	await Promise.all(open.map(({ request }) => send(request, 7.5 * MIB)));
	// One that came when the others had taken the room.
	expect(await Promise.race(open.map(({ status }) => status))).toBe(413);
	for (const { request } of open) request.destroy();
	await expect
		.poll(async () => (await service.call('POST', '/tickets/14', { title: 'a'.repeat(7 * MIB) })).status)
		.toBe(200);
});
