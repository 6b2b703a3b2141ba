/** `doctor` from settings to credentials, over real sockets, certificates and files. */

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkNode, type Finding, findingText } from '../../../src/cli/commands/doctor.js';
import { plainPalette } from '../../../src/output/colour.js';
import { saveProfile } from '../../../src/profile/store.js';
import { type Authority, createAuthority, type Identity } from '../../support/certificates.js';
import { type CliOptions, runCli, runHere } from '../../support/cli.js';
import { startForwardProxy } from '../../support/forward-proxy.js';
import { type RawRequest, startRawServer } from '../../support/raw-server.js';
import { json, startRecorder, text } from '../../support/recorder.js';
import { startSandbox, type TestSandbox } from '../../support/sandbox.js';
import { temporaryFolder } from '../../support/temporary.js';
import { whenTestEnds } from '../../support/test-end.js';

let desk: TestSandbox;
let authority: Authority;
beforeAll(async () => {
	desk = await startSandbox({ seed: 20 });
	authority = createAuthority();
});
afterAll(() => desk.stop());

/** Node 20 is a warning. */
const DONE = /^(?:no problems found|1 warning)\n$/;
const DONE_AS_JSON = /^\{"message":"(?:no problems found|1 warning)"\}\n$/;

const CHECKS = [
	'node',
	'config',
	'profile',
	'base-url',
	'secret',
	'proxy',
	'dns',
	'tcp',
	'tls',
	'prefix',
	'credentials',
	'rights',
];

async function doctor(argv: string[] = [], options: CliOptions = {}) {
	const { exitCode, stdout, stderr } = await runHere(['doctor', '--json', ...argv], options);
	const findings = JSON.parse(stdout) as Finding[];
	expect(findings.map((each) => each.check)).toEqual(CHECKS);
	const failures = findings.filter((each) => each.result === 'fail');
	expect(exitCode).toBe(failures.length > 0 ? 1 : 0);
	for (const { result, message, hint } of findings) {
		if (result === 'fail' || result === 'warn') expect(hint, message).toBeTruthy();
		expect(hint ?? '', message).not.toContain('supportctl doctor');
	}
	const of = (check: string): Finding => findings.find((each) => each.check === check) as Finding;
	return {
		exitCode,
		stdout,
		stderr,
		findings,
		of,
		results: Object.fromEntries(findings.map((each) => [each.check, each.result])),
	};
}

/** A folder of settings with this profile as it stands, also one that no command would save. */
function folderWith(profile: Record<string, unknown>): string {
	const folder = temporaryFolder();
	const config = { version: 1, current: 'desk', profiles: { desk: profile } };
	writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
	return folder;
}

async function storeProfile(settings: Record<string, string | boolean>, value = 'pw-of-the-profile') {
	const folder = temporaryFolder();
	await saveProfile({ folder, name: 'desk', settings, secret: { store: 'file', value }, insecureStorage: true });
	return { folder, env: { SUPPORTCTL_CONFIG_DIR: folder } };
}

describe('settings', () => {
	it('from the environment alone are enough, and it says that there is no profile', async () => {
		const { exitCode, of, stderr } = await doctor([], { env: desk.env });
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringMatching(DONE_AS_JSON) });
		expect(of('profile').message).toBe('none; the base URL comes from SUPPORTCTL_BASE_URL');
		expect(of('credentials').message).toBe('accepted for admin');
		expect(of('prefix').message).toMatch(/support-api\/v1 responds$/);
	});

	it('that are missing fail once, with the first command to run', async () => {
		const { results, of } = await doctor();
		expect(results).toMatchObject({ config: 'pass', profile: 'fail', secret: 'skipped', credentials: 'skipped' });
		expect(of('profile').hint).toMatch(/^supportctl login.*supportctl sandbox$/);
	});

	it('of a profile are named', async () => {
		const { env, folder } = await storeProfile(
			{ baseUrl: desk.baseUrl, username: 'admin', protected: true },
			desk.password,
		);
		const { exitCode, of } = await doctor([], { env });
		expect(exitCode).toBe(0);
		expect(of('config').message).toBe(`${join(folder, 'config.json')}, 1 profile`);
		expect(of('profile').message).toBe('"desk", the current one, protected: writes need --confirm');
		expect(of('secret').message).toMatch(/^password from profile file \(profile desk\)$/);
	});

	it('that others can read are a warning', async () => {
		const { env, folder } = await storeProfile({ baseUrl: desk.baseUrl, username: 'admin' }, desk.password);
		chmodSync(join(folder, 'config.json'), 0o644);
		const { exitCode, of } = await doctor([], { env });
		expect(exitCode).toBe(0);
		expect(of('config')).toMatchObject({ result: 'warn', hint: `chmod 600 ${join(folder, 'config.json')}` });
	});

	it('that are damaged fail without repeating any of their text', async () => {
		const folder = temporaryFolder();
		writeFileSync(
			join(folder, 'config.json'),
			'{"profiles": {"desk": {"secret": {"store": "file", "value": "hunter2"',
			{ mode: 0o600 },
		);
		const { stdout, of, results } = await doctor([], { env: { SUPPORTCTL_CONFIG_DIR: folder } });
		expect(of('config')).toMatchObject({
			result: 'fail',
			message: expect.stringContaining('is damaged: it is not JSON'),
		});
		expect(results.profile).toBe('skipped');
		expect(stdout).not.toContain('hunter2');
	});

	it.each([
		['a profile that is not there', ['--profile', 'nope'], 'profile', /profile "nope" not found/],
		['a scheme without its secret', ['--scheme', 'bearer'], 'secret', /: no token$/],
		['http:// to another host', ['--base-url', 'http://desk.example/x'], 'base-url', /unencrypted/],
		['a base URL without a scheme', ['--base-url', 'desk.example'], 'base-url', /no scheme/],
		['a missing CA file', ['--ca-file', 'nope.pem'], 'profile', /nope\.pem can't be read/],
		['a service that is not there', ['--base-url', 'http://localhost:1'], 'tcp', /refused/],
	])('%s is a failed check, not a crash', async (_what, argv, check, message) => {
		const { of } = await doctor(argv, { env: desk.env });
		expect(of(check)).toMatchObject({ result: 'fail', message: expect.stringMatching(message) });
	});

	const https = { SUPPORTCTL_BASE_URL: 'https://desk.example' };

	it.each<[what: string, argv: string[], env: Record<string, string>, check: string, hint: string | RegExp]>([
		['a query', [], { SUPPORTCTL_BASE_URL: 'https://x/?a=b' }, 'base-url', 'use https://x/'],
		['a fragment', [], { SUPPORTCTL_BASE_URL: 'https://x/wp#top' }, 'base-url', 'use https://x/wp'],
		['another protocol', [], { SUPPORTCTL_BASE_URL: 'ftp://x' }, 'base-url', /https:\/\/desk\.example\.com/],
		['a blank', [], { SUPPORTCTL_BASE_URL: 'https://x/a b' }, 'base-url', /https:\/\/desk\.example\.com/],
		['a SOCKS proxy', [], { ...https, HTTPS_PROXY: 'socks5://p:1' }, 'proxy', /^set HTTPS_PROXY to .*NO_PROXY/],
		['a proxy that is no URL', [], { ...https, HTTPS_PROXY: 'http://[' }, 'proxy', /^set HTTPS_PROXY to /],
		[
			'no file of the password',
			[],
			{ SUPPORTCTL_PASSWORD: '', SUPPORTCTL_PASSWORD_FILE: '/nofile' },
			'secret',
			/^set SUPPORTCTL_PASSWORD_FILE to a readable file/,
		],
		[
			'no file of the base URL',
			[],
			{ SUPPORTCTL_BASE_URL: '', SUPPORTCTL_BASE_URL_FILE: '/no' },
			'profile',
			/unset it$/,
		],
		['a file as folder', [], { SUPPORTCTL_CONFIG_DIR: '/etc/passwd' }, 'config', /SUPPORTCTL_CONFIG_DIR/],
		['no CA file', ['--ca-file', '/nofile'], {}, 'profile', /--ca-file.* PEM files/],
		['a CA file that is none', ['--ca-file', '/etc/passwd'], {}, 'profile', /--ca-file.* PEM files/],
		['no certificate', ['--cert', '/nofile'], {}, 'profile', /--cert.* PEM files/],
		['a key alone', ['--key', '/nofile'], {}, 'profile', /with --cert/],
		['no time at all', ['--timeout', '0'], {}, 'profile', /change that setting/],
		['a prefix with a slash', ['--product-prefix', 'a/b'], {}, 'profile', /change that setting/],
		[
			'a proxy with a password',
			[],
			{ ...https, HTTPS_PROXY: 'http://me:hunter2@127.0.0.1:1' },
			'proxy',
			/^fix HTTPS_PROXY/,
		],
	])('%s is a failed check that says what to do', async (_what, argv, env, check, hint) => {
		const { of } = await doctor(argv, { env: { ...desk.env, ...env } });
		expect(of(check)).toMatchObject({ result: 'fail', hint: expect.stringMatching(hint) });
	});

	it('that a stored profile has wrong are fixed by the command that is named', async () => {
		const folder = folderWith({ baseUrl: desk.baseUrl, username: 'admin', timeout: -3 });
		const env = { SUPPORTCTL_CONFIG_DIR: folder };
		const { hint } = (await doctor([], { env })).of('profile');
		expect(hint).toBe('change it: supportctl profile set desk --timeout …');
		expect((await runHere(['profile', 'set', 'desk', '--timeout', '5'], { env })).exitCode).toBe(0);
		expect((await doctor([], { env })).of('profile').result).toBe('pass');
	});

	it('whose secret is for another host fail without sending it there', async () => {
		const recorder = await startRecorder(json(200, { routes: {} }));
		const { env } = await storeProfile({ baseUrl: 'https://desk.example', username: 'ada' });
		const { of } = await doctor(['--profile', 'desk', '--base-url', recorder.baseUrl], { env });
		expect(of('secret')).toMatchObject({
			result: 'fail',
			message: expect.stringContaining('is for https://desk.example'),
		});
		expect(of('credentials').result).toBe('skipped');
		expect(recorder.requests.map((each) => each.headers.authorization)).not.toContainEqual(expect.anything());
	});

	it('whose secret command fails say so, and neither command nor output', async () => {
		const folder = temporaryFolder();
		await saveProfile({
			folder,
			name: 'desk',
			settings: { baseUrl: desk.baseUrl, username: 'admin' },
			secret: { store: 'command', command: 'echo hunter2; exit 3' },
		});
		const { of, stdout } = await doctor([], { env: { SUPPORTCTL_CONFIG_DIR: folder } });
		expect(of('secret')).toMatchObject({ result: 'fail', message: expect.stringContaining('exit code 3') });
		expect(of('prefix').result).toBe('pass');
		expect(stdout).not.toContain('hunter2');
	});
});

it('an unreadable keyring is a failed check, and the service is still checked', async () => {
	const folder = folderWith({
		baseUrl: desk.baseUrl,
		username: 'admin',
		secret: { store: 'keyring', account: 'desk' },
	});
	const bus = 'unix:path=/nonexistent/bus';
	const env = { SUPPORTCTL_CONFIG_DIR: folder, DBUS_SESSION_BUS_ADDRESS: bus };
	const { exitCode, stdout } = await runCli(['doctor', '--json'], { env });
	const findings = JSON.parse(stdout) as Finding[];
	expect(exitCode).toBe(1);
	expect(findings.find((each) => each.check === 'secret')).toMatchObject({
		result: 'fail',
		message: expect.stringContaining('system keyring'),
		hint: expect.stringContaining('supportctl login'),
	});
	expect(findings.find((each) => each.check === 'prefix')).toMatchObject({ result: 'pass' });
	expect(findings.find((each) => each.check === 'credentials')).toMatchObject({ result: 'skipped' });
});

describe('the service', () => {
	const at = (baseUrl: string, more: Record<string, string> = {}) => ({
		env: { ...desk.env, SUPPORTCTL_BASE_URL: baseUrl, ...more },
	});

	it('below another base URL is found and named', async () => {
		const { of, results } = await doctor([], at(new URL(desk.baseUrl).origin));
		expect(of('prefix')).toMatchObject({
			result: 'fail',
			hint: `found the API at ${desk.baseUrl}: supportctl login ${desk.baseUrl}`,
		});
		expect(results.credentials).toBe('skipped');
	});

	it('of a profile with another base URL is found, with the command that changes it', async () => {
		const folder = folderWith({ baseUrl: new URL(desk.baseUrl).origin, username: 'admin' });
		const env = { SUPPORTCTL_CONFIG_DIR: folder };
		const command = `supportctl profile set desk --base-url ${desk.baseUrl}`;
		expect((await doctor([], { env })).of('prefix').hint).toBe(`found the API at ${desk.baseUrl}: ${command}`);
		expect((await runHere(command.split(' ').slice(1), { env })).exitCode).toBe(0);
		expect((await doctor([], { env })).of('prefix').result).toBe('pass');
	});

	it('with a word of its own is found and named', async () => {
		const own = await startSandbox({ seed: 3, prefixes: { product: 'acme' } });
		onTestFinished(() => own.stop());
		expect((await doctor([], { env: own.env })).of('prefix')).toMatchObject({
			result: 'fail',
			hint: 'the service uses acme-api: pass --product-prefix acme',
		});
		expect((await doctor(['--product-prefix', 'acme'], { env: own.env })).exitCode).toBe(0);
	});

	it('that refuses the credentials fails, and nothing secret is said', async () => {
		const { of, stdout } = await doctor([], at(desk.baseUrl, { SUPPORTCTL_PASSWORD: 'hunter2-hunter2' }));
		expect(of('credentials')).toMatchObject({ result: 'fail', message: expect.stringContaining('incorrect_password') });
		expect(stdout).not.toContain('hunter2');
	});

	it('behind a host that drops the header is not taken for wrong credentials', async () => {
		const refused = { code: 'rest_not_logged_in', message: 'No.', data: { status: 401 } };
		const recorder = await startRecorder(json(401, refused));
		const { of } = await doctor([], { env: recorder.env });
		expect(of('prefix').result).toBe('pass');
		expect(of('credentials')).toMatchObject({ result: 'fail', hint: expect.stringContaining('strips the header') });
	});

	it('that redirects fails, and the credentials are not sent after it', async () => {
		const elsewhere = await startRecorder(text(200, '<html><title>x</title></html>'));
		const recorder = await startRecorder(text(301, '', { location: `${elsewhere.baseUrl}/support-api/v1` }));
		const { of } = await doctor([], { env: recorder.env });
		expect(of('prefix')).toMatchObject({ result: 'fail', message: expect.stringContaining('redirects to') });
		expect(
			[...recorder.requests, ...elsewhere.requests].filter((each) => each.headers.authorization !== undefined),
		).toEqual([]);
	});

	it('that refuses connections fails at the connection', async () => {
		const server = createSocketServer();
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		await new Promise((resolve) => server.close(resolve));
		const { results, of } = await doctor([], at(`http://127.0.0.1:${port}`));
		expect(results).toMatchObject({
			tcp: 'fail',
			tls: 'skipped',
			prefix: 'skipped',
			credentials: 'skipped',
		});
		expect(of('tcp').message).toContain('connection refused');
		expect(of('tcp').hint).toBe('check the base URL, your network and firewalls');
	});
});

describe('TLS', () => {
	const root = JSON.stringify({ namespace: 'support-api/v1', routes: { '/support-api/v1': {} } });

	async function serve(identity: Identity, more: object = {}) {
		const server = createServer({ key: identity.key, cert: identity.cert, ...more }, (request, response) => {
			request.resume();
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(request.method === 'GET' ? root : '{"id": 1}');
		});
		server.on('tlsClientError', () => undefined);
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		onTestFinished(() => {
			server.closeAllConnections();
			server.close();
		});
		const { port } = server.address() as AddressInfo;
		const caFile = join(temporaryFolder(), 'ca.pem');
		writeFileSync(caFile, authority.cert);
		const env = {
			SUPPORTCTL_BASE_URL: `https://localhost:${port}`,
			SUPPORTCTL_USERNAME: 'ada',
			SUPPORTCTL_PASSWORD: 'pw',
		};
		return { env, caFile, port };
	}
	const days = (count: number) => new Date(Date.now() + count * 86_400_000 + 60_000);

	it.each<[what: string, given: Parameters<Authority['issue']>[0], message: RegExp | undefined]>([
		['of a CA that is named passes', { names: ['localhost'] }, undefined],
		['that has ended fails', { names: ['localhost'], from: days(-20), until: days(-2) }, /has expired/],
		['for another name fails', { names: ['else.example'] }, /a different name/],
	])('%s', async (_, given, message) => {
		const { env, caFile } = await serve(authority.issue(given));
		const { of, results } = await doctor(['--ca-file', caFile], { env });
		expect(of('tls')).toMatchObject(
			message === undefined ? { result: 'pass' } : { result: 'fail', message: expect.stringMatching(message) },
		);
		expect(results.prefix).toBe(message === undefined ? 'pass' : 'skipped');
	});

	it('from an unknown CA fails and says how to name it', async () => {
		const { env } = await serve(authority.issue({ names: ['localhost'] }));
		const hint = expect.stringContaining('--ca-file');
		expect((await doctor([], { env })).of('tls')).toMatchObject({ result: 'fail', hint });
	});

	it('to a port without TLS fails', async () => {
		const { port } = new URL(desk.baseUrl);
		const { of } = await doctor(['--base-url', `https://127.0.0.1:${port}`], { env: desk.env });
		expect(of('tls')).toMatchObject({ result: 'fail', message: expect.stringContaining('does not speak TLS') });
	});

	it('that wants a client certificate says so where none is given', async () => {
		const { env, caFile } = await serve(authority.issue({ names: ['localhost'] }), {
			requestCert: true,
			rejectUnauthorized: true,
			ca: authority.cert,
		});
		const bare = await doctor(['--ca-file', caFile], { env });
		expect(bare.exitCode).toBe(1);
		expect(bare.stdout).toMatch(/client certificate/);
		expect(bare.of('prefix').hint).toContain('--cert');
		const client = authority.issue({ names: ['me'] });
		const folder = temporaryFolder();
		writeFileSync(join(folder, 'me.pem'), client.cert + client.key, { mode: 0o600 });
		expect((await doctor(['--ca-file', caFile, '--cert', join(folder, 'me.pem')], { env })).of('prefix').result).toBe(
			'pass',
		);
	});

	it('is reported if the given certificate and key do not match, and the program ends', async () => {
		const { env, caFile } = await serve(authority.issue({ names: ['localhost'] }));
		const folder = temporaryFolder();
		writeFileSync(join(folder, 'me.pem'), authority.issue({ names: ['me'] }).cert);
		writeFileSync(join(folder, 'me.key'), authority.issue({ names: ['you'] }).key, { mode: 0o600 });
		const flags = ['--cert', join(folder, 'me.pem'), '--key', join(folder, 'me.key')];
		const { exitCode, stdout } = await runCli(['doctor', '--ca-file', caFile, ...flags], { env });
		expect(exitCode).toBe(1);
		expect(stdout).toMatch(/key values mismatch/);
	});

	it('uses the configured proxy, which resolves the host name', async () => {
		const proxy = await startForwardProxy({ credentials: 'me:hunter2' });
		const { env, caFile, port } = await serve(authority.issue({ names: ['desk.test'] }));
		env.SUPPORTCTL_BASE_URL = env.SUPPORTCTL_BASE_URL.replace('localhost', 'desk.test');
		const HTTPS_PROXY = proxy.url.replace('//', '//me:hunter2@');
		const { of, results, stdout } = await doctor(['--ca-file', caFile], { env: { ...env, HTTPS_PROXY } });
		expect(results).toMatchObject({ proxy: 'pass', dns: 'skipped', tcp: 'skipped', tls: 'pass', prefix: 'pass' });
		expect(of('proxy').message).toContain(`http://${new URL(proxy.url).host}, from HTTPS_PROXY`);
		expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT desk.test:${port}`]));
		expect(stdout).not.toContain('hunter2');
		const refused = await doctor(['--ca-file', caFile], { env: { ...env, HTTPS_PROXY: proxy.url } });
		expect(refused.of('proxy')).toMatchObject({
			result: 'fail',
			message: expect.stringContaining('requires a username and password (407)'),
			hint: expect.stringContaining('username and password before the host'),
		});
		const exempt = await doctor(['--ca-file', caFile], { env: { ...env, HTTPS_PROXY, NO_PROXY: 'desk.test' } });
		expect(exempt.of('proxy').message).toContain('NO_PROXY');
		expect(exempt.of('dns').message).toContain('desk.test');
	});
});

describe('a proxy', () => {
	const https = { SUPPORTCTL_BASE_URL: 'https://desk.example', SUPPORTCTL_USERNAME: 'a', SUPPORTCTL_PASSWORD: 'b' };

	it.each<[what: string, respond: (request: RawRequest) => void, message: string]>([
		['that refuses who asks', (request) => request.answer(407), 'refused the username'],
		['that refuses the host', (request) => request.answer(403), 'responded with 403'],
		['that finds no host', (request) => request.answer(502), 'responded with 502'],
		['that breaks off', (request) => request.reset(), 'the server closed the connection'],
	])('%s is named', async (_what, respond, message) => {
		const proxy = await startRawServer(respond);
		const HTTPS_PROXY = proxy.baseUrl.replace('//', '//me:hunter2@');
		const { of, stdout } = await doctor([], { env: { ...https, HTTPS_PROXY } });
		expect(of('proxy')).toMatchObject({
			result: 'fail',
			message: expect.stringContaining(message),
			hint: expect.stringMatching(/^fix HTTPS_PROXY or HTTP_PROXY/),
		});
		expect(stdout).not.toContain('hunter2');
	});

	it('before an http service that requires a username and password is named', async () => {
		const { url } = await startForwardProxy({ credentials: 'me:hunter2' });
		const { folder } = await storeProfile({ baseUrl: 'http://desk.test/wp-json', username: 'a', allowHttp: true });
		const { of } = await doctor([], { env: { SUPPORTCTL_CONFIG_DIR: folder, HTTP_PROXY: url } });
		expect(of('proxy')).toMatchObject({
			result: 'fail',
			message: expect.stringContaining('requires a username and password (407)'),
			hint: expect.stringContaining('HTTP_PROXY'),
		});
	});
});

it('output follows the shared flags: columns in a pipe, picks and queries', async () => {
	const piped = await runHere(['doctor'], { env: desk.env });
	expect(piped.stdout.split('\n')[0]).toMatch(/^(?:pass|warn)\tnode\tNode \d+\.\d+\.\d+/);
	expect(piped.stderr).toMatch(DONE);
	expect((await runHere(['doctor', '-q'], { env: desk.env })).stderr).toBe('');
	const query = await runHere(['doctor', '--query', "[?result=='skipped'].check"], { env: desk.env });
	expect(query.stdout).toBe('dns\ntls\n');
	const ids = await runHere(['doctor', '--format', 'ids'], { env: desk.env });
	expect(ids).toEqual({ exitCode: 0, stdout: `${CHECKS.join('\n')}\n`, stderr: expect.stringMatching(DONE) });
	const skipped = ['doctor', '--query', "[?result=='skipped']", '--format', 'ids'];
	expect((await runHere(skipped, { env: desk.env })).stdout).toBe('dns\ntls\n');
});

it('no secret is in what it says, at any verbosity', async () => {
	const marker = 'm4rk3r-0f-4-s3cr3t';
	const folder = temporaryFolder();
	mkdirSync(join(folder, 'c'));
	const recorder = await startRecorder((request, response, count) => {
		const { authorization = '' } = request.headers;
		const pair = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
		json(403, { code: 'no', message: `you are ${authorization}, which is ${pair}`, data: null })(
			request,
			response,
			count,
		);
	});
	await saveProfile({
		folder: join(folder, 'c'),
		name: 'desk',
		settings: { baseUrl: recorder.baseUrl, username: 'ada' },
		secret: { store: 'file', value: marker },
		insecureStorage: true,
	});
	expect(readFileSync(join(folder, 'c', 'config.json'), 'utf8')).toContain(marker);
	for (const flags of [[], ['--json'], ['-vv'], ['-vv', '--debug', '--format', 'yaml']]) {
		const { stdout, stderr } = await runHere(['doctor', ...flags], {
			env: { SUPPORTCTL_CONFIG_DIR: join(folder, 'c') },
		});
		expect(stdout + stderr).not.toContain(marker);
		expect(stdout + stderr).not.toContain(Buffer.from(`ada:${marker}`).toString('base64'));
	}
});

it.each([
	['https://desk.example.com/support-api/v1/tickets', {}, 'warn'],
	['http://desk.example.com', { allowHttp: true }, 'warn'],
	['http://127.0.0.1:1', {}, 'pass'],
])('the base URL %s with %j: %s', async (baseUrl, settings, result) => {
	const { env } = await storeProfile({ baseUrl, username: 'ada', ...settings });
	expect((await doctor([], { env: { ...env, HTTP_PROXY: 'http://127.0.0.1:1' } })).of('base-url')).toMatchObject({
		result,
	});
});

it('wrong credentials name the variable they come from', async () => {
	const env = { ...desk.env, SUPPORTCTL_PASSWORD: 'wrong' };
	expect((await doctor([], { env })).of('credentials')).toMatchObject({
		message: expect.stringMatching(/^wrong username or password/),
		hint: expect.stringMatching(/^the secret is from SUPPORTCTL_PASSWORD; /),
	});
});

it.each([
	['20.18.1', 'warn'],
	['18.99.99', 'warn'],
	['22.0.0', 'pass'],
	['100.1.0', 'pass'],
])('Node %s: %s', (version, result) => {
	expect(checkNode(version)).toMatchObject({ result });
});

it('a finding is a line, and below it what to do, within the width and without escapes', () => {
	const message = 'they were refused\x1b[2J by the service';
	const finding: Finding = { check: 'credentials', result: 'fail', message, hint: 'use others' };
	expect(findingText(finding, 60, plainPalette)).toBe(
		[
			'fail     credentials  they were refused\\x1b[2J by the',
			'                      service',
			'                      -> use others',
			'',
		].join('\n'),
	);
	for (const width of [40, 60, 80, 100]) {
		const lines = findingText({ ...finding, message: 'word '.repeat(60) }, width, plainPalette).split('\n');
		expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
	}
});

describe('the rights of an account', () => {
	it.each([
		['administrator', 'pass', /^role administrator; lists and opens 50 tickets; finds people by username; writes were/],
		['manager', 'warn', /^role \S+; lists and opens 50 tickets; sees no usernames: pass slugs or IDs/],
		['agent', 'warn', /lists \d+ tickets, but can't open those of others, such as \d+ \(/],
	] as const)('of a role %s are said', async (role, result, message) => {
		const sandbox = await startSandbox({ role });
		whenTestEnds(() => sandbox.stop());
		const { of } = await doctor([], { env: sandbox.env });
		expect(of('rights')).toMatchObject({ result, message: expect.stringMatching(message) });
	});

	it('are unknown for a service without reads, which is not an error', async () => {
		const sandbox = await startSandbox({ strict: true });
		whenTestEnds(() => sandbox.stop());
		const { of } = await doctor([], { env: sandbox.env });
		expect(of('rights')).toMatchObject({
			result: 'pass',
			message: expect.stringContaining("can't list tickets (HTTP 404)"),
		});
	});
});
