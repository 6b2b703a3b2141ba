/** The state file keeps what was changed, is never half written, and never replaces what the sandbox can't read. */

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/io/context.js';
import { openSandbox, type SandboxOptions } from '../../src/sandbox/server.js';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';

async function start(stateFile: string, options: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
	const sandbox = await startSandbox({ stateFile, ...options });
	let stopped: Promise<void> | undefined;
	const stop = (): Promise<void> => {
		stopped ??= sandbox.stop();
		return stopped;
	};
	onTestFinished(() => stop().catch(() => {}));
	return { ...sandbox, stop };
}

const open = (stateFile: string, options: Partial<SandboxOptions> = {}) =>
	openSandbox({ port: 0, clock: systemClock, random: Math.random, stateFile, ...options });

/** Everything that a caller could see. */
async function look(sandbox: TestSandbox): Promise<unknown> {
	const seen: unknown[] = [];
	for (const path of [
		'/tickets?assignee=0&state=any&per_page=100&status=any,trash&context=edit',
		'/users?per_page=100&context=edit',
		'/attachments?per_page=100',
		...['ticket-tag', 'product', 'ticket_priority'].map((each) => `/${each}?per_page=100`),
		'/users/1/passwords',
		'/tickets/14/custom-fields',
		...[...sandbox.store.tickets.values()].map(({ id }) => `/tickets/${id}/replies?status=any,trash&context=edit`),
	]) {
		const { body } = await sandbox.call('GET', path);
		seen.push(JSON.parse(JSON.stringify(body).replaceAll(`:${sandbox.port}/`, ':PORT/')));
	}
	return seen;
}

test('after a restart everything is as it was left', async () => {
	const path = join(temporaryFolder(), 'desk.json');
	const first = await start(path, { seed: 40 });
	const talked = [...first.store.tickets.values()].find((each) => each.id > 18 && each['total-reply-count'] > 1)?.id;
	const [reply, other] = first.store.repliesOf(talked ?? 0);
	for (const [method, target, body] of [
		['POST', '/tickets/14', { status: 'shop-on-hold', title: 'Kept', 'ticket-tag': [2] }],
		['POST', '/tickets/14/custom-fields', { custom_fields: { website: 'https://kept.example' } }],
		['DELETE', '/tickets/15', undefined],
		['DELETE', '/tickets/17?force=true', undefined],
		['POST', `/tickets/${talked}/replies/${reply?.id}`, { content: 'Kept' }],
		['DELETE', `/tickets/${talked}/replies/${other?.id}?force=true`, undefined],
		['POST', '/users/2', { nickname: 'Kept', password: 'kept secret' }],
		['DELETE', '/users/3?force=true&reassign=2', undefined],
		['DELETE', `/users/1/passwords/${first.store.users.get(1)?.passwords[0]?.slug}`, undefined],
		['DELETE', '/product/12?force=true', undefined],
		['POST', '/attachments/42', { title: 'Kept' }],
	] as const) {
		const { status, body: response } = await first.call(method, target, body);
		expect(status, `${method} ${target} ${JSON.stringify(response)}`).toBe(200);
	}
	const before = await look(first);
	await first.stop();
	const second = await start(path);
	expect(await look(second)).toEqual(before);
	expect(second.password).toBe(first.password);
	const username = second.store.users.get(2)?.username;
	expect(await second.call('POST', '/users/check', { username, password: 'kept secret' })).toMatchObject({
		status: 200,
	});
	expect((await second.call('GET', '/users/3')).status).toBe(404);
});

test('it is written soon after a change, without waiting for the end, and only its owner may read it', async () => {
	const folder = temporaryFolder();
	const path = join(folder, 'desk.json');
	const sandbox = await start(path);
	await sandbox.call('POST', '/tickets/14', { title: 'Soon' });
	await expect.poll(() => readFileSync(path, 'utf8')).toContain('"Soon"');
	expect(statSync(path).mode & 0o777).toBe(0o600);
	expect(readdirSync(folder)).toEqual(['desk.json']);
	await sandbox.stop();
	expect(readdirSync(folder)).toEqual(['desk.json']);
});

test('an application password of the sandbox that was deleted is replaced by a new one', async () => {
	const path = join(temporaryFolder(), 'desk.json');
	const first = await start(path);
	const own = first.store.users.get(1)?.passwords.find((each) => each.name === 'Sandbox');
	await first.call('DELETE', `/users/1/passwords/${own?.slug}`);
	await first.stop();
	const second = await start(path);
	expect(second.password).not.toBe(first.password);
	expect((await second.call('GET', '/users/me')).status).toBe(200);
});

test.each([
	['empty', '', 'is damaged'],
	['cut off', '{"format":"supportctl-sandbox","version":4,"seed":', 'is damaged'],
	['something else', '{"name":"supportctl"}', 'is not the state of a sandbox'],
	['an array', '[]', 'is not the state of a sandbox'],
	['of other samples', '{"format":"supportctl-sandbox","version":3}', 'another version'],
	[
		'without its parts',
		'{"format":"supportctl-sandbox","version":4,"seed":5,"password":"x","changes":{}}',
		'is damaged',
	],
])('a file that is %s is named and left alone', async (_, content, message) => {
	const path = join(temporaryFolder(), 'desk.json');
	writeFileSync(path, content);
	const error = await open(path).catch((thrown: unknown) => thrown);
	expect(error).toMatchObject({ exitCode: 1, hint: expect.stringContaining('--state') });
	expect(String(error)).toContain(message);
	expect(String(error)).toContain(path);
	expect(readFileSync(path, 'utf8')).toBe(content);
});

test('a folder in its place is an error, not a crash', async () => {
	const path = join(temporaryFolder(), 'desk.json');
	mkdirSync(path);
	await expect(open(path)).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining(path) });
});

test('another number of tickets than the file holds is a usage error', async () => {
	const path = join(temporaryFolder(), 'desk.json');
	await (await start(path, { seed: 7 })).stop();
	await expect(open(path, { seed: 8 })).rejects.toMatchObject({
		exitCode: 2,
		message: expect.stringContaining('7 tickets, not 8'),
	});
	for (const seed of [7, undefined]) {
		const again = await open(path, { seed });
		expect(again.store.tickets.size).toBe(7);
		await again.close();
	}
});

test('a sandbox that could not listen writes nothing', async () => {
	const path = join(temporaryFolder(), 'desk.json');
	const first = await start(path);
	await first.call('POST', '/tickets/14', { title: 'Kept' });
	await first.stop();
	const before = readFileSync(path, 'utf8');
	const blocker = await startSandbox();
	onTestFinished(() => blocker.stop());
	await expect(open(path, { port: blocker.port })).rejects.toMatchObject({ code: 'port_taken' });
	expect(readFileSync(path, 'utf8')).toBe(before);
});

test('a state that can never be written is refused before anything is served', async () => {
	const folder = join(temporaryFolder(), 'gone');
	const path = join(folder, 'desk.json');
	const { port, stop } = await startSandbox();
	await stop();
	await expect(open(path, { port })).rejects.toMatchObject({
		exitCode: 1,
		code: 'state_not_written',
		message: `the state file ${path} can't be written: there is no folder ${folder}`,
		hint: 'nothing is kept; name a file that can be written with --state',
	});
	await expect(fetch(`http://127.0.0.1:${port}/wp-json`)).rejects.toThrow();
});

test('a state that can no longer be written is warned about, and is an error at the end that says what is left', async () => {
	const folder = join(temporaryFolder(), 'there');
	mkdirSync(folder);
	let warn = (_: string): void => {};
	const warned = new Promise<string>((resolve) => {
		warn = resolve;
	});
	const sandbox = await start(join(folder, 'desk.json'), { onWarning: (message) => warn(message) });
	rmSync(folder, { recursive: true });
	expect((await sandbox.call('POST', '/tickets/14', { title: 'Served all the same' })).status).toBe(200);
	expect(await warned).toContain("can't be written");
	await expect(sandbox.stop()).rejects.toMatchObject({
		exitCode: 1,
		code: 'state_not_written',
		hint: expect.stringContaining('nothing is kept'),
	});
});

test('a link to a state file stays a link', async () => {
	const folder = temporaryFolder();
	const [path, link] = [join(folder, 'desk.json'), join(folder, 'link.json')];
	await (await start(path)).stop();
	symlinkSync(path, link);
	const sandbox = await start(link);
	await sandbox.call('POST', '/tickets/14', { title: 'Through the link' });
	await sandbox.stop();
	expect(readdirSync(folder).sort()).toEqual(['desk.json', 'link.json']);
	expect(readFileSync(path, 'utf8')).toContain('Through the link');
});
