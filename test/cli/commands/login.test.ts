import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { command as login } from '../../../src/cli/commands/login.js';
import type { Store } from '../../../src/profile/store.js';
import { createAuthority } from '../../support/certificates.js';
import type { MemoryOptions } from '../../support/context.js';
import { startRawServer } from '../../support/raw-server.js';
import { runCommand } from '../../support/run-command.js';
import { startSandbox, type TestSandbox } from '../../support/sandbox.js';
import { scriptedPrompts } from '../../support/scripted-prompts.js';
import { temporaryFolder } from '../../support/temporary.js';

let sandbox: TestSandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ seed: 3 });
});
afterAll(() => sandbox.stop());

/** Signs in with a config folder of the test's own; the secret goes to the file, never to this machine's keyring. */
async function signIn(argv: string[], options: MemoryOptions = {}) {
	const folder = options.env?.SUPPORTCTL_CONFIG_DIR ?? temporaryFolder();
	const env = { SUPPORTCTL_CONFIG_DIR: folder, ...options.env };
	const storage = argv.includes('--secret-command') ? [] : ['--insecure-storage'];
	const result = await runCommand(login, 'login', [...argv, ...storage], { ...options, env });
	const stored = (): Store => JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as Store;
	return { ...result, folder, stored };
}

/** A server of the test's own; returns its origin and what it was asked. */
async function serve(respond: RequestListener): Promise<{ origin: string; requests: IncomingMessage[] }> {
	const requests: IncomingMessage[] = [];
	const server = createServer((request, response) => {
		requests.push(request);
		respond(request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void server.close());
	return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const piped = () => ['--base-url', sandbox.baseUrl, '--username', sandbox.username, '--password-stdin', '--no-input'];

describe('login without a terminal', () => {
	it('tries the credentials with a documented lookup and stores what was accepted', async () => {
		const before = sandbox.requests.length;
		const { exitCode, stored, stdout, stderr } = await signIn(piped(), { stdin: `${sandbox.password}\n` });
		expect(exitCode).toBe(0);
		expect(stdout).toBe('');
		expect(stderr).toMatch(
			/^Signed in to http.*Saved as the current profile, "default", password in the profile file\.$/m,
		);
		expect(stored()).toEqual({
			version: 1,
			current: 'default',
			profiles: {
				default: {
					baseUrl: sandbox.baseUrl,
					scheme: 'basic',
					username: sandbox.username,
					secret: { store: 'file', value: sandbox.password, origin: new URL(sandbox.baseUrl).origin },
				},
			},
		});
		const sent = sandbox.requests.slice(before).map(({ method, path }) => `${method} ${path}`);
		expect(sent).toHaveLength(2);
		expect(new Set(sent).size).toBe(1);
		expect(sent[0]).toMatch(/^POST .*\/support-api\/v1\/users\/username$/);
	});

	it('stores nothing that the service rejects', async () => {
		const { exitCode, error, stored } = await signIn(piped(), { stdin: 'wrong' });
		expect(exitCode).toBe(4);
		expect(error?.message).toMatch(/^wrong username or password \(401/);
		expect(stored).toThrow(/ENOENT/);
	});

	it('prints the result as JSON where that is asked for, without the secret', async () => {
		const { stdout } = await signIn([...piped(), '--json', '--profile', 'desk'], { stdin: sandbox.password });
		expect(JSON.parse(stdout)).toEqual({
			profile: 'desk',
			base_url: sandbox.baseUrl,
			scheme: 'basic',
			username: sandbox.username,
			stored_in: 'profile file',
			proved: true,
			note: null,
		});
		expect(stdout).not.toContain(sandbox.password);
	});

	it('sends nothing where its result has no such column', async () => {
		const before = sandbox.requests.length;
		const { exitCode, error, stored } = await signIn([...piped(), '--fields', 'zzz'], { stdin: sandbox.password });
		expect([exitCode, error?.message]).toEqual([2, 'no row has a column "zzz"']);
		expect(sandbox.requests.length).toBe(before);
		expect(stored).toThrow(/ENOENT/);
	});

	it('takes the secret from the environment, and from a command that it stores instead', async () => {
		const env = { SUPPORTCTL_PASSWORD: sandbox.password, SUPPORTCTL_USERNAME: sandbox.username };
		const first = await signIn(['--base-url', sandbox.baseUrl, '--no-input'], { env });
		expect(first.stored().profiles.default).toMatchObject({ secret: { store: 'file', value: sandbox.password } });
		const wrong = await signIn(['--base-url', sandbox.baseUrl, '--no-input'], {
			env: { ...env, SUPPORTCTL_PASSWORD: 'wrong' },
		});
		expect(wrong.error).toMatchObject({ exitCode: 4, hint: expect.stringContaining('from SUPPORTCTL_PASSWORD;') });
		const words = ['--base-url', sandbox.baseUrl, '--username', sandbox.username, '--no-input', '--secret-command'];
		const second = await signIn([...words, `printf '%s' '${sandbox.password}'`]);
		expect(second.exitCode).toBe(0);
		expect(second.stderr).toContain('password from the secret command');
		expect(second.stored().profiles.default?.secret).toEqual({
			store: 'command',
			command: `printf '%s' '${sandbox.password}'`,
			origin: new URL(sandbox.baseUrl).origin,
		});
	});

	it('with --no-input fails if something is missing', async () => {
		expect((await signIn(['--no-input'])).error?.message).toBe('missing help desk address');
		const noName = await signIn(['--base-url', sandbox.baseUrl, '--no-input', '--password-stdin'], { stdin: 'x' });
		expect(noName.error).toMatchObject({ message: 'missing username', exitCode: 2 });
		const noSecret = await signIn(['--base-url', sandbox.baseUrl, '--username', 'x', '--no-input']);
		expect(noSecret.error?.hint).toMatch(/--password-stdin.*--secret-command/);
	});

	it('asks nothing with --no-input, even at a terminal', async () => {
		const prompts = scriptedPrompts();
		const { error } = await signIn(['--base-url', sandbox.baseUrl, '--username', 'x', '--no-input'], { prompts });
		expect(error).toMatchObject({ message: 'missing password', exitCode: 2 });
		expect(prompts.asked).toEqual([]);
	});

	it('leaves a damaged config file as it is, and says what to do', async () => {
		const folder = temporaryFolder();
		const { writeFileSync } = await import('node:fs');
		writeFileSync(join(folder, 'config.json'), '{"profiles":');
		const { exitCode, error } = await signIn(piped(), { stdin: 'x', env: { SUPPORTCTL_CONFIG_DIR: folder } });
		expect(exitCode).toBe(2);
		expect(error).toMatchObject({ code: 'config_damaged', hint: 'fix the file or move it away' });
	});
});

describe('what login says about a base URL', () => {
	const argv = (url: string) => ['--base-url', url, '--username', 'anna', '--password-stdin', '--no-input'];

	it('offers /wp-json where it was left out, and sends no credentials before', async () => {
		const before = sandbox.requests.length;
		const { origin } = new URL(sandbox.baseUrl);
		const { exitCode, error } = await signIn(argv(origin), { stdin: 'secret' });
		expect(exitCode).toBe(1);
		expect(error?.message).toMatch(/^no API at/);
		expect(error?.hint).toBe(`found the API at ${origin}/wp-json: supportctl login ${origin}/wp-json`);
		expect(sandbox.requests.slice(before).length).toBeLessThanOrEqual(2);
	});

	it('takes a pasted prefix off with a warning', async () => {
		const url = `${sandbox.baseUrl}/support-api/v1/tickets/`;
		const { exitCode, stderr, stored } = await signIn(
			['--base-url', url, '--username', sandbox.username, '--password-stdin'],
			{ stdin: sandbox.password },
		);
		expect(exitCode).toBe(0);
		expect(stderr).toContain('as the base URL, without /support-api/v1/tickets');
		expect(stored().profiles.default?.baseUrl).toBe(sandbox.baseUrl);
	});

	it('names the https URL where the scheme is missing or unencrypted', async () => {
		expect((await signIn(argv('desk.example.com/wp-json'), { stdin: 'x' })).error).toMatchObject({
			exitCode: 2,
			hint: 'use https://desk.example.com/wp-json',
		});
		expect((await signIn(argv('http://desk.example.com'), { stdin: 'x' })).error?.hint).toMatch(
			/^use https:\/\/desk\.example\.com, or sign in with --allow-http$/,
		);
		const typed = signIn([], { prompts: scriptedPrompts([/^Help desk address/, 'http://desk.example.com']) });
		await expect(typed).rejects.toThrow(/use https:\/\/desk\.example\.com, or sign in with --allow-http$/);
		const folder = temporaryFolder();
		const lan = { baseUrl: 'http://desk.example.com', allowHttp: true };
		const config = { version: 1, current: 'desk', profiles: { desk: { baseUrl: 'https://desk.example' }, lan } };
		writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
		const env = { SUPPORTCTL_CONFIG_DIR: folder };
		const allowedElsewhere = await signIn(argv('http://desk.example.com'), { env, stdin: 'x' });
		expect(allowedElsewhere.error?.hint).toMatch(/^use https:\/\/desk\.example\.com, or sign in with --allow-http$/);
	});

	it('names the target of a redirect, and never sends credentials there', async () => {
		const other = await serve((_, response) =>
			response.writeHead(401, { 'content-type': 'application/json' }).end('{}'),
		);
		const first = await serve((request, response) =>
			response.writeHead(301, { location: `${other.origin}${request.url}` }).end(),
		);
		const { error, stored } = await signIn(argv(first.origin), { stdin: 'secret' });
		expect(error).toMatchObject({ exitCode: 1, code: 'redirect', hint: expect.stringContaining(other.origin) });
		const headers = [...first.requests, ...other.requests].map((request) => request.headers.authorization);
		expect(headers).toEqual(headers.map(() => undefined));
		expect(stored).toThrow();
	});

	const page = 'text/html';
	const json = 'application/json';
	it.each([
		['an HTML page', 200, page, '<html><title>Hi</title></html>', 'no_service', /not an API response/, /wp-json/],
		['a site without the interface', 404, json, '{"code":"rest_no_route"}', 'no_service', /route not found/, /wp-json/],
		['a firewall', 403, page, '<html><title>No</title></html>', 'http_403', /403 html_response.*No/, /firewall/],
		['a host that fails', 500, json, '{"code":"x","message":"Oops"}', 'http_500', /500 x: Oops$/, /check the log/],
		['a host that is down', 503, page, 'x', 'http_503', /503/, /check the log/],
		[
			'a host that is busy',
			429,
			json,
			'{"code":"x","message":"Later"}',
			'http_429',
			/429 x: Later$/,
			/try again later/,
		],
	])('%s is not reported as wrong credentials', async (_, status, type, body, code, why, hint) => {
		const { origin } = await serve((_request, response) =>
			response.writeHead(status, { 'content-type': type }).end(body),
		);
		const { error } = await signIn(argv(origin), { stdin: 'x' });
		expect(error).toMatchObject({
			...{ exitCode: 1, code },
			message: expect.stringMatching(why),
			hint: expect.stringMatching(hint),
		});
		const start = code === 'no_service' ? 'no API at' : 'no usable response from';
		expect(error?.message).toContain(`${start} ${origin}: `);
	});

	it('a response that is not HTTP is named', async () => {
		const server = await startRawServer((request) => request.write('220 mail.example ready\r\n'));
		const { error } = await signIn(argv(server.baseUrl), { stdin: 'x' });
		expect(error?.message).toContain(': the response is not valid HTTP');
	});

	it('says why TLS failed, also behind a redirect', async () => {
		const identity = createAuthority().issue({ names: ['127.0.0.1'] });
		const secure = createSecureServer({ key: identity.key, cert: identity.cert });
		secure.on('tlsClientError', () => undefined);
		await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
		onTestFinished(() => void secure.close());
		const https = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
		const direct = await signIn(argv(https), { stdin: 'x' });
		const why = `no usable response from ${https}: could not connect to ${new URL(https).host}: the host's certificate is from an unknown CA`;
		expect(direct.error).toMatchObject({
			code: 'tls_untrusted',
			message: why,
			hint: expect.stringContaining('--ca-file'),
		});
		const first = await serve((request, response) =>
			response.writeHead(301, { location: `${https}${request.url}` }).end(),
		);
		const { error } = await signIn(argv(first.origin), { stdin: 'x' });
		expect(error).toMatchObject({
			exitCode: 1,
			code: 'redirect',
			message: expect.stringMatching(/ redirects to https:.*; no credentials were sent$/),
		});
		expect(first.requests.map((each) => each.headers.authorization)).toEqual(first.requests.map(() => undefined));
	});

	it('treats neither a refused connection nor an unknown host as wrong credentials', async () => {
		const gone = createServer();
		await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
		const { port } = gone.address() as AddressInfo;
		await new Promise((resolve) => gone.close(resolve));
		const refused = await signIn(argv(`http://127.0.0.1:${port}`), { stdin: 'x' });
		expect(refused.error).toMatchObject({ code: 'connect_refused', exitCode: 1 });
		const unknown = await signIn(argv('https://desk.invalid'), { stdin: 'x' });
		expect(unknown.error).toMatchObject({ code: 'dns_failed', exitCode: 1 });
	});

	it('warns where the service responds without credentials too', async () => {
		const { origin } = await serve((_, response) =>
			response.writeHead(200, { 'content-type': 'application/json' }).end('{"id": 1}'),
		);
		const { exitCode, stderr } = await signIn(argv(origin), { stdin: 'x' });
		expect(exitCode).toBe(0);
		expect(stderr).toMatch(/warning: the credentials are not verified/);
	});

	it('suspects a host that strips the header when nothing distinguishes the refusals', async () => {
		const { origin } = await serve((_, response) =>
			response
				.writeHead(401, { 'content-type': 'application/json' })
				.end('{"code":"rest_not_logged_in","message":"no"}'),
		);
		const { error } = await signIn(argv(origin), { stdin: 'x' });
		expect(error?.hint).toMatch(/the host strips the header/);
	});
});

describe('login at a terminal', () => {
	it('asks for everything, and tries the base URL before it asks for the password', async () => {
		const prompts = scriptedPrompts(
			[/^Help desk address/, `${sandbox.baseUrl}/`],
			[/^Username/, sandbox.username],
			[/^Application password/, sandbox.password],
		);
		const { exitCode, stored } = await signIn([], { prompts });
		expect(exitCode).toBe(0);
		expect(stored().profiles.default).toMatchObject({ username: sandbox.username });
	});

	it('completes an address without a scheme, and uses another URL only after a yes', async () => {
		const { origin } = new URL(sandbox.baseUrl);
		const bare = origin.replace('http://', '');
		const prompts = scriptedPrompts(
			[/^Help desk address/, bare],
			[/Found the API at .*\/wp-json\. Use it\?/, true],
			[/^Username/, sandbox.username],
			[/^Application password/, sandbox.password],
		);
		expect((await signIn([], { prompts })).exitCode).toBe(0);
		const refusing = scriptedPrompts([/^Help desk address/, origin], [/Use it/, false]);
		expect((await signIn([], { prompts: refusing })).error?.code).toBe('no_service');
	});

	it('asks for the password again after a wrong one, and never for the username', async () => {
		const once = scriptedPrompts(
			[/^Username/, ''],
			[/^Application password/, 'wrong'],
			[/^Application password/, sandbox.password],
		);
		const words = [sandbox.baseUrl, '--scheme', 'basic', '--profile', 'p'];
		const { folder } = await signIn([...piped(), '--profile', 'p'], { stdin: sandbox.password });
		expect((await signIn(words, { prompts: once, env: { SUPPORTCTL_CONFIG_DIR: folder } })).exitCode).toBe(0);
		const never = scriptedPrompts(
			[/^Username/, 'anna'],
			[/^Application password/, 'wrong'],
			[/^Application password/, 'wrong'],
			[/^Application password/, 'wrong'],
		);
		expect((await signIn(words, { prompts: never })).exitCode).toBe(4);
		expect(never.asked).toHaveLength(4);
	});
});

describe('login in a shell with connection variables', () => {
	const variables = {
		SUPPORTCTL_BASE_URL: 'https://other.example.com',
		SUPPORTCTL_USERNAME: 'theirs',
		SUPPORTCTL_PASSWORD: 'their secret',
	};

	it('asks for its own base URL and credentials, and warns of the variables', async () => {
		const prompts = scriptedPrompts(
			[/^Help desk address/, sandbox.baseUrl],
			[/^Username/, sandbox.username],
			[/^Application password/, sandbox.password],
		);
		const { exitCode, stored, stderr } = await signIn([], { prompts, env: variables });
		expect(exitCode).toBe(0);
		expect(stored().profiles.default).toMatchObject({ baseUrl: sandbox.baseUrl, username: sandbox.username });
		expect(stderr).toContain(
			'warning: SUPPORTCTL_BASE_URL, SUPPORTCTL_USERNAME and SUPPORTCTL_PASSWORD override profile "default" unless you pass --profile default',
		);
	});

	it('takes the URL as an argument, and sends no password of another host there', async () => {
		const stdin = sandbox.password;
		const words = [sandbox.baseUrl, '--username', sandbox.username];
		const { exitCode, stored } = await signIn([...words, '--password-stdin'], { stdin, env: variables });
		expect([exitCode, stored().profiles.default?.baseUrl]).toEqual([0, sandbox.baseUrl]);
		const before = sandbox.requests.length;
		const without = await signIn([...words, '--no-input'], { env: variables });
		expect(without.error).toMatchObject({
			message: 'missing password',
			exitCode: 2,
		});
		expect(sandbox.requests.slice(before).map(({ status }) => status)).toEqual([401]);
		expect((await signIn(['--no-input'], { env: variables })).error?.message).toBe('missing help desk address');
	});

	it('refuses more than one base URL', async () => {
		const url = sandbox.baseUrl;
		expect((await signIn([url, url])).error).toMatchObject({ exitCode: 2 });
		expect((await signIn([url, '--base-url', url])).error).toMatchObject({
			exitCode: 2,
			message: expect.stringContaining('pass the base URL once'),
		});
	});

	it('never overwrites the profile of another host that SUPPORTCTL_PROFILE names', async () => {
		const { folder } = await signIn([...piped(), '--profile', 'desk'], { stdin: sandbox.password });
		const other = await serve((_, response) =>
			response.writeHead(200, { 'content-type': 'application/json' }).end('{"id": 1}'),
		);
		const env = { SUPPORTCTL_CONFIG_DIR: folder, SUPPORTCTL_PROFILE: 'desk' };
		const second = await signIn([other.origin, '--username', 'b', '--password-stdin'], { stdin: 'x', env });
		expect(second.stored().profiles.desk?.baseUrl).toBe(sandbox.baseUrl);
		expect(second.stored().profiles['127.0.0.1']?.baseUrl).toBe(other.origin);
		expect(second.stderr).toMatch(/SUPPORTCTL_PROFILE overrides profile "127.0.0.1"/);
	});
});

describe('the profile that login stores', () => {
	it('never replaces a profile of a different host', async () => {
		const other = await serve((_, response) =>
			response.writeHead(200, { 'content-type': 'application/json' }).end('{"id": 1}'),
		);
		const first = await signIn(piped(), { stdin: sandbox.password });
		const env = { SUPPORTCTL_CONFIG_DIR: first.folder };
		await signIn(['--base-url', other.origin, '--username', 'b', '--password-stdin'], { stdin: 'x', env });
		expect(Object.keys(first.stored().profiles)).toEqual(['default', '127.0.0.1']);
		expect(first.stored().current).toBe('127.0.0.1');
		expect(first.stored().profiles.default?.baseUrl).toBe(sandbox.baseUrl);
	});

	it('keeps the connection settings that it was tried with', async () => {
		const prefixed = await startSandbox({
			seed: 1,
			prefixes: { product: 'desk', shop: 'store', membership: 'member' },
		});
		onTestFinished(() => prefixed.stop());
		const argv = [
			'--base-url',
			prefixed.baseUrl,
			'--username',
			prefixed.username,
			'--password-stdin',
			'--timeout',
			'5',
		];
		const without = await signIn(argv, { stdin: prefixed.password });
		expect(without.error?.hint).toMatch(/--product-prefix/);
		const { exitCode, stored } = await signIn([...argv, '--product-prefix', 'desk', '--protected'], {
			stdin: prefixed.password,
		});
		expect(exitCode).toBe(0);
		expect(stored().profiles.default).toMatchObject({ productPrefix: 'desk', timeout: 5, protected: true });
	});
});
