import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { createServer as createSocketServer, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../src/http/client.js';
import type { Response } from '../../src/http/response.js';
import { createAuthority } from '../support/certificates.js';
import { testClient } from '../support/delivery.js';
import { startForwardProxy } from '../support/forward-proxy.js';
import { listen } from '../support/listen.js';
import { type Script, startRawServer } from '../support/raw-server.js';

const authority = createAuthority();
const good = authority.issue({ names: ['localhost', 'desk.test'], addresses: ['127.0.0.1'] });

/** A server that wants a client certificate. */
const withClients: ServerOptions = { ...good, ca: authority.cert, requestCert: true, rejectUnauthorized: true };

/** An HTTPS server that responds with `{}` and remembers its requests; ends with the test. */
async function serveTls(options: ServerOptions) {
	const requests: { headers: IncomingMessage['headers']; client: unknown }[] = [];
	const server = createServer(options, (request, response) => {
		const subject = (request.socket as TLSSocket).getPeerCertificate()?.subject?.CN;
		requests.push({ headers: request.headers, client: subject });
		response.setHeader('content-type', 'application/json').end('{}');
	});
	server.on('tlsClientError', () => {});
	return { port: await listen(server), requests };
}

async function servePlain() {
	const requests: IncomingMessage[] = [];
	const server = createHttpServer((request, response) => {
		requests.push(request);
		response.setHeader('content-type', 'application/json').end('{}');
	});
	return { port: await listen(server), requests };
}

/** Sends one request with credentials. */
async function send(baseUrl: string, options: Partial<ClientOptions> = {}): Promise<Response> {
	const client = await testClient(baseUrl, options);
	return client.send({ method: 'GET', path: '/support-api/v1' });
}

const ownAddress: LookupFunction = (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);

const problemOf = (response: Response) => response.problem?.code ?? 'response';

describe('TLS', () => {
	it('trusts servers of the given CA only', async () => {
		const { port, requests } = await serveTls(good);
		const response = await send(`https://127.0.0.1:${port}`, { tls: { ca: authority.cert } });
		expect(response).toMatchObject({ status: 200 });
		const stranger = await send(`https://127.0.0.1:${port}`, { tls: { ca: createAuthority('Another CA').cert } });
		expect(problemOf(stranger)).toBe('tls_untrusted');
		expect(requests).toHaveLength(1);
	});

	it.each([
		['from an unknown CA', good, {}, 'tls_untrusted'],
		[
			'that has expired',
			authority.issue({ addresses: ['127.0.0.1'], until: new Date(Date.now() - 60_000) }),
			{ ca: authority.cert },
			'tls_expired',
		],
		[
			'that is not valid yet',
			authority.issue({ addresses: ['127.0.0.1'], from: new Date(Date.now() + 86_400_000) }),
			{ ca: authority.cert },
			'tls_not_yet_valid',
		],
		['for another name', authority.issue({ names: ['other.example.com'] }), { ca: authority.cert }, 'tls_wrong_name'],
	])('refuses a certificate %s, before anything is sent', async (_what, identity, tls, code) => {
		const { port, requests } = await serveTls(identity);
		const attempt = await send(`https://127.0.0.1:${port}`, { tls });
		expect(attempt).toMatchObject({ status: 0, sent: false, problem: { code, permanent: true } });
		expect(requests).toEqual([]);
	});

	it('shows a client certificate to a server that asks for one', async () => {
		const { port, requests } = await serveTls(withClients);
		const own = authority.issue({ names: ['anna-laptop'] });
		const response = await send(`https://127.0.0.1:${port}`, { tls: { ca: authority.cert, ...own } });
		expect(response.status).toBe(200);
		expect(requests[0]?.client).toBe('anna-laptop');
	});

	it('names the missing client certificate when a server insists on one', async () => {
		const { port, requests } = await serveTls({ ...withClients, maxVersion: 'TLSv1.2' });
		const attempt = await send(`https://127.0.0.1:${port}`, { tls: { ca: authority.cert } });
		expect(attempt).toMatchObject({
			sent: false,
			problem: { code: 'tls_failed', message: expect.stringContaining('client certificate') },
		});
		expect(requests).toEqual([]);
	});

	it('says that a server speaks plain HTTP where HTTPS was expected', async () => {
		const { port } = await servePlain();
		expect(problemOf(await send(`https://127.0.0.1:${port}`))).toBe('tls_not_spoken');
	});
});

describe('who is calling', () => {
	it.each<[ClientOptions['auth'], Record<string, string>]>([
		[{ scheme: 'basic', username: 'änna', password: 'a:b c' }, { authorization: 'Basic w6RubmE6YTpiIGM=' }],
		[{ scheme: 'bearer', token: 't.o-k' }, { authorization: 'Bearer t.o-k' }],
		[{ scheme: 'header', name: 'X-Desk-Key', value: 'k 1' }, { 'x-desk-key': 'k 1' }],
		[{ scheme: 'none' }, {}],
	])('is sent as %j says, and in no other header', async (auth, headers) => {
		const server = await startRawServer((request) => request.json(200, {}));
		await send(server.baseUrl, { auth });
		const shown = Object.entries(server.requests[0]?.headers ?? {}).filter(
			([name]) => !['host', 'connection', 'accept', 'user-agent'].includes(name),
		);
		expect(Object.fromEntries(shown)).toEqual(headers);
	});
});

describe('proxies', () => {
	it('reach an HTTPS service through a tunnel, in which the proxy sees no credentials', async () => {
		const { port, requests } = await serveTls(good);
		const proxy = await startForwardProxy();
		const response = await send(`https://desk.test:${port}`, {
			tls: { ca: authority.cert },
			proxy: { httpsProxy: proxy.url },
		});
		expect(response.status).toBe(200);
		expect(proxy.seen).toEqual([`CONNECT desk.test:${port}`]);
		expect(JSON.stringify(proxy.headers)).not.toMatch(/authorization/i);
		expect(requests[0]?.headers.authorization).toMatch(/^Basic /);
	});

	it('check the service behind the tunnel, not the proxy', async () => {
		const { port } = await serveTls(authority.issue({ names: ['other.example.com'] }));
		const proxy = await startForwardProxy();
		const attempt = await send(`https://desk.test:${port}`, {
			tls: { ca: authority.cert },
			proxy: { httpsProxy: proxy.url },
		});
		expect(problemOf(attempt)).toBe('tls_wrong_name');
	});

	it('show the client certificate to the service behind the tunnel', async () => {
		const { port, requests } = await serveTls(withClients);
		const proxy = await startForwardProxy();
		const own = authority.issue({ names: ['anna-laptop'] });
		await send(`https://desk.test:${port}`, { tls: { ca: authority.cert, ...own }, proxy: { httpsProxy: proxy.url } });
		expect(requests[0]?.client).toBe('anna-laptop');
	});

	it('reach an http service', async () => {
		const { port, requests } = await servePlain();
		const proxy = await startForwardProxy();
		const response = await send(`http://desk.test:${port}`, { proxy: { httpProxy: proxy.url } });
		expect(response.status).toBe(200);
		expect(proxy.seen).toEqual([`GET http://desk.test:${port}/support-api/v1`]);
		expect(requests[0]?.headers).toMatchObject({ host: `desk.test:${port}` });
	});

	it('get their own username and password, and the service does not', async () => {
		const { port, requests } = await serveTls(good);
		const proxy = await startForwardProxy({ credentials: 'me:s p' });
		const url = proxy.url.replace('http://', 'http://me:s%20p@');
		const options = { tls: { ca: authority.cert } };
		expect((await send(`https://desk.test:${port}`, { ...options, proxy: { httpsProxy: url } })).status).toBe(200);
		expect(requests[0]?.headers['proxy-authorization']).toBeUndefined();
		const refused = await send(`https://desk.test:${port}`, { ...options, proxy: { httpsProxy: proxy.url } });
		expect(refused).toMatchObject({ status: 0, sent: false, problem: { code: 'proxy_failed' } });
	});

	it('get their own username and password from an http service’s caller too', async () => {
		const { port, requests } = await servePlain();
		const proxy = await startForwardProxy({ credentials: 'me:100%' });
		// A percent sign that escapes nothing stands for itself.
		const httpProxy = proxy.url.replace('http://', 'http://me:100%@');
		expect((await send(`http://desk.test:${port}`, { proxy: { httpProxy } })).status).toBe(200);
		expect(requests[0]?.headers['proxy-authorization']).toBeUndefined();
	});

	it('are asked for the default port where the service has no other', async () => {
		const proxy = await startRawServer((request) => request.answer(403));
		await send('https://desk.example', { proxy: { httpsProxy: proxy.baseUrl } });
		expect(proxy.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['CONNECT desk.example:443']);
	});

	it.each<[string, Script, string, permanent: boolean, user?: string]>([
		['refuse a tunnel with 400', (request) => request.answer(400), 'responded with 400', true],
		['refuse a tunnel with 403', (request) => request.answer(403), 'responded with 403', true],
		['refuse a tunnel with 407', (request) => request.answer(407), 'requires a username and password (407)', true],
		['refuse a tunnel with 503', (request) => request.answer(503), 'responded with 503', false],
		['refuse a tunnel with 302', (request) => request.answer(302), 'responded with 302', false],
		[
			'refuse a user name and password',
			(request) => request.answer(407),
			'refused the username and password in its URL (407)',
			true,
			'me:hunter2@',
		],
		['hang up', (request) => request.reset(), 'could not be used: the server closed the connection', false],
		[
			'are no proxies',
			(request) => request.write('220 mail.example ready\r\n'),
			'could not be used: the response is not valid HTTP (Expected HTTP/, RTSP/ or ICE/)',
			false,
		],
	])('that %s are named', async (_what, script, words, permanent, user = '') => {
		const proxy = await startRawServer(script);
		const { host } = new URL(proxy.baseUrl);
		const attempt = await send('https://desk.example', { proxy: { httpsProxy: `http://${user}${host}` } });
		const message = `could not connect to desk.example: the proxy ${host} ${words}`;
		expect(attempt).toMatchObject({ sent: false, problem: { code: 'proxy_failed', message, permanent } });
		if (user !== '') expect(proxy.requests[0]?.headers['proxy-authorization']).toMatch(/^Basic /);
	});

	it('that add bytes to the tunnel are detected', async () => {
		const proxy = await startRawServer((request) => request.write('HTTP/1.1 200 OK\r\n\r\nSSH-2.0-x\r\n'));
		const attempt = await send('https://desk.example', { proxy: { httpsProxy: proxy.baseUrl } });
		expect(attempt).toMatchObject({ sent: false, problem: { code: 'tls_not_spoken' } });
	});

	it('are one for each scheme: HTTP_PROXY is not used for https', async () => {
		const { port } = await serveTls(good);
		const proxy = await startForwardProxy();
		const options = { tls: { ca: authority.cert }, lookup: ownAddress, proxy: { httpProxy: proxy.url } };
		expect((await send(`https://desk.test:${port}`, options)).status).toBe(200);
		expect(proxy.seen).toEqual([]);
	});

	it.each(['desk.test', '*', 'example.com,desk.test'])('are left out for NO_PROXY=%s', async (noProxy) => {
		const { port } = await serveTls(good);
		const proxy = await startForwardProxy();
		const response = await send(`https://desk.test:${port}`, {
			tls: { ca: authority.cert },
			lookup: ownAddress,
			proxy: { httpsProxy: proxy.url, noProxy },
		});
		expect(response.status).toBe(200);
		expect(proxy.seen).toEqual([]);
	});

	it.each(['http', 'https'])('are never used for this machine: %s', async (scheme) => {
		const proxy = await startForwardProxy();
		const settings = { httpProxy: proxy.url, httpsProxy: proxy.url };
		const { port } = scheme === 'http' ? await servePlain() : await serveTls(good);
		for (const host of ['127.0.0.1', 'localhost']) {
			const response = await send(`${scheme}://${host}:${port}`, { tls: { ca: authority.cert }, proxy: settings });
			expect(response.status).toBe(200);
		}
		expect(proxy.seen).toEqual([]);
	});

	it('that want a username and password of an http service’s caller are named', async () => {
		const { port, requests } = await servePlain();
		const proxy = await startForwardProxy({ credentials: 'me:s' });
		const attempt = await send(`http://desk.test:${port}`, { proxy: { httpProxy: proxy.url } });
		const { host } = new URL(proxy.url);
		const message = `could not connect to desk.test:${port}: the proxy ${host} requires a username and password (407)`;
		expect(attempt).toMatchObject({ sent: false, problem: { code: 'proxy_failed', message, permanent: true } });
		const away = await send(`http://desk.test:${port}`, { proxy: { httpProxy: 'http://127.0.0.1:1' } });
		expect(away).toMatchObject({ sent: false, problem: { code: 'proxy_failed', permanent: false } });
		expect(requests).toEqual([]);
	});

	it('that refuse connections are named as the cause', async () => {
		const { port } = await serveTls(good);
		const proxy = await servePlain();
		const attempt = await send(`https://desk.test:${port}`, {
			tls: { ca: authority.cert },
			proxy: { httpsProxy: 'http://127.0.0.1:1' },
		});
		expect(attempt).toMatchObject({ status: 0, sent: false, problem: { code: 'proxy_failed' } });
		expect(proxy.requests).toEqual([]);
	});
});

describe('http:// to localhost', () => {
	const addresses =
		(...found: string[]): LookupFunction =>
		(_host, options, callback) => {
			const all = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
			if (options.all === true) callback(null, all);
			else callback(null, found[0] as string);
		};
	/** This machine's own address on a network, where it has one: reachable and not loopback. */
	const outside = Object.values(networkInterfaces())
		.flat()
		.find((each) => each?.internal === false && each.family === 'IPv4')?.address;

	it.each(['localhost', 'desk.localhost', 'LOCALHOST.'])('%s reaches loopback addresses alone', async (host) => {
		const { port, requests } = await servePlain();
		const reached = await send(`http://${host}:${port}`, { lookup: addresses('192.0.2.1', '127.0.0.1') });
		expect(reached.status).toBe(200);
		expect(requests).toHaveLength(1);
	});

	it.each(['localhost', 'desk.localhost'])('%s that is another machine gets nothing', async (host) => {
		const connections: unknown[] = [];
		const server = createSocketServer((socket) => connections.push(socket.destroy()));
		const port = await listen(server, { host: '0.0.0.0' });
		const lookup = addresses(outside ?? '192.0.2.1');
		const attempt = await send(`http://${host}:${port}`, { lookup });
		expect(attempt).toMatchObject({ sent: false, problem: { code: 'not_loopback', permanent: true } });
		expect(connections).toEqual([]);
		if (outside === undefined) return;
		await send(`http://${host}:${port}`, { lookup, allowHttp: true });
		expect(connections).toHaveLength(1);
	});
});
