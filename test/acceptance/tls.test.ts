import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAuthority } from '../support/certificates.js';
import { runCli, runHere } from '../support/cli.js';
import { credentials } from '../support/fault.js';
import { startForwardProxy } from '../support/forward-proxy.js';
import { listen } from '../support/listen.js';
import { startRecorder } from '../support/recorder.js';
import { temporaryFolder } from '../support/temporary.js';

const authority = createAuthority();

/** An HTTPS service that wants credentials and remembers who called; ends with the test. */
async function startService(options: ServerOptions) {
	const requests: (Pick<IncomingMessage, 'method' | 'headers'> & { path: string | undefined; client: unknown })[] = [];
	const server = createServer(options, (request, response) => {
		request.resume();
		const client = (request.socket as TLSSocket).getPeerCertificate()?.subject?.CN;
		const { method, url: path, headers } = request;
		requests.push({ method, path, headers, client });
		const signedIn = headers.authorization !== undefined;
		response.writeHead(signedIn ? 200 : 401, { 'content-type': 'application/json' });
		const status = method === 'GET' ? 'open' : 'hold';
		response.end(signedIn ? JSON.stringify({ id: 14, status }) : '{"code": "rest_not_logged_in", "message": "no"}');
	});
	server.on('tlsClientError', () => {});
	const port = await listen(server);
	return { baseUrl: `https://127.0.0.1:${port}/wp-json`, port, requests };
}

/** A folder with the CA's certificate and a client's, and an environment whose profiles are kept in it. */
function setUp(start = runHere) {
	const folder = temporaryFolder();
	const client = authority.issue({ names: ['anna-laptop'] });
	writeFileSync(join(folder, 'ca.pem'), authority.cert);
	writeFileSync(join(folder, 'client.pem'), client.cert);
	writeFileSync(join(folder, 'client.key'), client.key, { mode: 0o600 });
	const config = join(folder, 'config');
	const env = { SUPPORTCTL_CONFIG_DIR: config, SUPPORTCTL_STATE_DIR: join(folder, 'state') };
	const run = (args: string[], more: Record<string, string> = {}, input = '') =>
		start(args, { env: { ...env, ...more }, cwd: folder, input });
	const login = (baseUrl: string, ...more: string[]) => {
		const words = `login --base-url ${baseUrl} --username anna --password-stdin --no-input --insecure-storage`;
		return run([...words.split(' '), ...more], {}, 'sesam-sesam');
	};
	const stored = () => JSON.parse(readFileSync(join(config, 'config.json'), 'utf8')).profiles.default;
	return { folder, run, login, stored };
}

const good = () => authority.issue({ names: ['localhost', 'desk.test'], addresses: ['127.0.0.1'] });
const update = ['ticket', 'update', '14', '--status', 'hold'];

describe('HTTPS from login to a run', () => {
	it('keeps the CA of the profile as an absolute path and trusts it from anywhere', async () => {
		const { baseUrl, requests } = await startService(good());
		const { run, login, stored, folder } = setUp();
		expect((await login(baseUrl, '--ca-file', 'ca.pem')).exitCode).toBe(0);
		expect(stored().caFile).toBe(join(folder, 'ca.pem'));
		const before = requests.length;
		const { exitCode, stderr } = await run([...update, '--timeout', '5']);
		expect(exitCode, stderr).toBe(0);
		const ticket = '/wp-json/support-api/v1/tickets/14';
		expect(requests.slice(before).map(({ method, path }) => [method, path])).toEqual([
			['GET', `${ticket}?context=edit`],
			['POST', ticket],
		]);
	});

	it('is not trusted with an unknown certificate, even where NODE_TLS_REJECT_UNAUTHORIZED is 0', async () => {
		const { baseUrl, requests } = await startService(good());
		// Node reads it from the process at each connection.
		vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
		onTestFinished(() => void vi.unstubAllEnvs());
		const { exitCode, stderr } = await setUp().run(['ticket', 'get', '14', '--retries', '0'], credentials(baseUrl));
		expect([exitCode, stderr]).toEqual([1, expect.stringContaining('certificate')]);
		expect(requests).toEqual([]);
	});

	it('shows the client certificate of the profile', async () => {
		const { baseUrl, requests } = await startService({
			...good(),
			ca: authority.cert,
			requestCert: true,
			rejectUnauthorized: true,
		});
		const { run, login } = setUp();
		const flags = ['--ca-file', 'ca.pem', '--cert', 'client.pem', '--key', 'client.key'];
		const { exitCode, stderr } = await login(baseUrl, ...flags);
		expect(exitCode, stderr).toBe(0);
		expect((await run(update)).exitCode).toBe(0);
		expect(new Set(requests.map(({ client }) => client))).toEqual(new Set(['anna-laptop']));
	});

	it('says that other users can read the private key', async () => {
		const { baseUrl } = await startService({ ...good(), ca: authority.cert, requestCert: true });
		const { run, login, folder } = setUp();
		const flags = ['--ca-file', 'ca.pem', '--cert', 'client.pem', '--key', 'client.key'];
		chmodSync(join(folder, 'client.key'), 0o640);
		const words = /other users can read .*client\.key \(mode 0640\); fix: chmod 600 /;
		expect((await login(baseUrl, ...flags)).stderr).toMatch(words);
		expect((await run(update)).stderr).toMatch(words);
		chmodSync(join(folder, 'client.key'), 0o600);
		expect((await run(update)).stderr).not.toMatch(words);
	});

	it.each([
		['from an unknown CA', () => createAuthority('Another CA').issue({ addresses: ['127.0.0.1'] }), /unknown CA/],
		[
			'that has expired',
			() => authority.issue({ addresses: ['127.0.0.1'], until: new Date(Date.now() - 1000) }),
			/has expired/,
		],
		['for another name', () => authority.issue({ names: ['desk.example.com'] }), /for a different name/],
	])('says that the certificate is one %s, stores nothing and sends nothing', async (_, identity, words) => {
		const { baseUrl, requests } = await startService(identity());
		const { run, login, stored } = setUp();
		const tried = await login(baseUrl, '--ca-file', 'ca.pem');
		expect(tried.exitCode).toBe(1);
		expect(tried.stderr).toMatch(words);
		expect(stored).toThrow();
		const env = credentials(baseUrl);
		const used = await run([...update, '--ca-file', 'ca.pem', '--retries', '0'], env);
		expect(used.exitCode).toBe(1);
		expect(used.stderr).toMatch(words);
		expect(requests).toEqual([]);
	});

	it('goes through the proxy of the environment, which sees no credentials, and NO_PROXY takes a host out', async () => {
		const { baseUrl, port } = await startService(good());
		const { run } = setUp(runCli);
		const proxy = await startForwardProxy();
		const env = credentials(baseUrl.replace('127.0.0.1', 'desk.test'));
		const edit = [...update, '--ca-file', 'ca.pem', '--retries', '0'];
		const through = await run(edit, { ...env, HTTPS_PROXY: proxy.url });
		expect(through.exitCode, through.stderr).toBe(0);
		expect(proxy.seen).toEqual([`CONNECT desk.test:${port}`]);
		expect(JSON.stringify(proxy.headers)).not.toContain('authorization');
		const direct = await run(edit, { ...env, https_proxy: proxy.url, NO_PROXY: 'desk.test' });
		expect(direct.stderr).toMatch(/could not connect to desk\.test/);
		expect(proxy.seen).toHaveLength(1);
		const gone = await run(edit, { ...env, HTTPS_PROXY: 'http://me:hunter2@127.0.0.1:1' });
		expect(gone.exitCode).toBe(1);
		expect(gone.stderr).toMatch(/the proxy 127\.0\.0\.1:1 could not be used: connection refused/);
		expect(gone.stderr).not.toContain('hunter2');
	});

	it('never follows a redirect, so that no other origin gets the credentials', async () => {
		const other = await startService(good());
		const redirecting = await startRecorder(({ url }, response) =>
			response.writeHead(308, { location: other.baseUrl + url }).end(),
		);
		const { run } = setUp();
		const { exitCode, stderr } = await run([...update, '--ca-file', 'ca.pem'], redirecting.env);
		expect(exitCode).toBe(1);
		expect(stderr).toContain(`redirects to ${other.baseUrl}`);
		expect(other.requests).toEqual([]);
	});
});
