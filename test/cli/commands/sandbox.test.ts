/** `supportctl sandbox` serves when it has printed that it does, prints what is needed to use it, and ends cleanly. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { command } from '../../../src/cli/commands/sandbox.js';
import { resolveSettings } from '../../../src/profile/settings.js';
import { memoryContext } from '../../support/context.js';
import { basic } from '../../support/sandbox.js';
import { temporaryFolder } from '../../support/temporary.js';

interface Announced {
	baseUrl: string;
	username: string;
	password: string;
	pid: number;
}

/** Runs the command with a free port; ends it after the test if the test did not. */
function start(options: Record<string, unknown> = {}) {
	const context = memoryContext({ cwd: temporaryFolder() });
	const ended = command.run({ context, args: [], options: { port: 0, ...options } });
	onTestFinished(async () => {
		context.signal('SIGTERM');
		await ended.catch(() => {});
	});
	return { context, ended };
}

async function startJson(options: Record<string, unknown> = {}) {
	const started = start({ json: true, ...options });
	const [line] = await started.context.stdout.until(/^.*\n/);
	const desk = JSON.parse(line) as Announced;
	const get = async (path: string, init: RequestInit = {}) => {
		const headers = { authorization: basic(desk.username, desk.password) };
		return await fetch(`${desk.baseUrl}${path}`, { headers, ...init });
	};
	return { ...started, desk, get };
}

test('it prints its address and credentials when it is ready, and they work as printed', async () => {
	const { context, ended } = start({ seed: 3 });
	await context.stdout.until(/SUPPORTCTL_PASSWORD=.*\n/);
	const text = context.stdout.text;
	const variable = (name: string): string => new RegExp(`^export ${name}='(.*)'$`, 'm').exec(text)?.[1] ?? '';
	expect(text).toContain('Serving 3 tickets at http://127.0.0.1:');
	expect(text).toContain('supportctl ticket update 3 --status hold\n');
	const response = await fetch(`${variable('SUPPORTCTL_BASE_URL')}/support-api/v1/users/me?context=edit`, {
		headers: { authorization: basic(variable('SUPPORTCTL_USERNAME'), variable('SUPPORTCTL_PASSWORD')) },
	});
	expect(response.status).toBe(200);
	expect(await response.json()).toMatchObject({ id: 1, username: 'admin', roles: ['administrator'] });
	context.signal('SIGINT');
	expect(await ended).toBeUndefined();
	expect(context.abandoned).toEqual([]);
});

test('with --json it prints one object on one line and nothing else', async () => {
	const { context, desk } = await startJson();
	expect(Object.keys(desk)).toEqual(['baseUrl', 'username', 'password', 'pid']);
	expect(desk.pid).toBe(process.pid);
	expect(context.stdout.text.split('\n')).toHaveLength(2);
	expect(context.stderr.text).toBe('');
});

test('a port that is taken is named, with what to do', async () => {
	const other = createServer().listen(0, '127.0.0.1');
	onTestFinished(() => void other.close());
	await new Promise((listening) => other.once('listening', listening));
	const { port } = other.address() as AddressInfo;
	const { context, ended } = start({ port });
	await expect(ended).rejects.toMatchObject({
		exitCode: 1,
		message: `port ${port} is already in use`,
		hint: expect.stringContaining('--port'),
	});
	expect(context.stdout.text).toBe('');
});

test.each([
	[{ lenient: true }, { id: expect.any(Number) }],
	[{}, { code: 'invalid_username_access' }],
])('with %j, a lookup of a different username gets %j', async (options, body) => {
	const { get } = await startJson(options);
	const response = await get('/support-api/v1/users/username?username=sofia.bauer', { method: 'POST' });
	expect(await response.json()).toMatchObject(body);
});

test('--documented-only, --fail-rate, --fail-kind and --rate-limit reach the service', async () => {
	const documented = await startJson({ documentedOnly: true, rateLimit: 1 });
	expect((await documented.get('/support-api/v1/tickets')).status).toBe(404);
	const refused = await documented.get('/support-api/v1/tickets');
	expect(refused.status).toBe(429);
	const failing = await startJson({ failRate: 1, failKind: ['critical'] });
	for (let round = 0; round < 3; round++) expect((await failing.get('/support-api/v1/users/me')).status).toBe(500);
});

test('prefixes reach the path, and the printed command says them', async () => {
	const { context } = start({ productPrefix: 'acme', shopPrefix: 'wc' });
	await context.stdout.until(/supportctl ticket update .*\n/);
	expect(context.stdout.text).toContain('--status hold --product-prefix acme --shop-prefix wc\n');
	const [, baseUrl] = /^export SUPPORTCTL_BASE_URL='(.*)'$/m.exec(context.stdout.text) ?? [];
	expect((await fetch(`${baseUrl}/acme-api/v1`)).status).toBe(200);
	expect((await fetch(`${baseUrl}/support-api/v1`)).status).toBe(404);
});

test.each([
	['--port', '65536'],
	['--port', 'x'],
	['--seed', '-1'],
	['--seed', '1.5'],
	['--fail-rate', '1.1'],
	['--rate-limit', '0'],
	['--latency', 'fast'],
])('%s %s is a usage error that repeats the value', (flag, value) => {
	const spec = command.options.find((each) => each.flags.startsWith(`${flag} `));
	expect(() => spec?.parse?.(value, flag)).toThrow(
		expect.objectContaining({ exitCode: 2, message: expect.stringContaining(`"${value}"`) }),
	);
});

test('a prefix is refused in the words of every other command', () => {
	const refused: Record<string, unknown> = { productPrefix: 'a b' };
	const elsewhere = () => resolveSettings({ env: {} }, refused, undefined);
	const spec = command.options.find((each) => each.flags.startsWith('--product-prefix '));
	const message = '--product-prefix: "a b" is not a prefix: a letter, then letters, digits, - or _';
	expect(elsewhere).toThrow(message);
	expect(() => spec?.parse?.('a b', '--product-prefix')).toThrow(
		expect.objectContaining({ message, code: 'invalid_setting' }),
	);
});
