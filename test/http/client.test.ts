import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import type { ClientOptions, TraceEvent } from '../../src/http/client.js';
import { testClient as openClient, testClient, update } from '../support/delivery.js';
import { httpResponse, startRawServer } from '../support/raw-server.js';

const get = { method: 'GET', path: '/support-api/v1' };

describe.each([1, 2])('with %i connections at the most:', (connections) => {
	const testClient = (baseUrl: string, options: Partial<ClientOptions> = {}) =>
		openClient(baseUrl, { connections, ...options });

	describe('a request', () => {
		it('carries its path below the base URL, its body and its headers, and who is calling', async () => {
			const server = await startRawServer((request) => request.json(200, {}));
			const client = await testClient(`${server.baseUrl}/wp-json/`);
			await client.send(update);
			await client.send(get);
			const [post, plain] = server.requests;
			expect(post).toMatchObject({
				method: 'POST',
				path: '/wp-json/support-api/v1/tickets/14',
				body: '{"status":"hold"}',
				headers: {
					authorization: `Basic ${Buffer.from('anna:sesam').toString('base64')}`,
					accept: 'application/json',
					'content-type': 'application/json',
					'content-length': '17',
					'user-agent': 'test',
				},
			});
			expect(plain).toMatchObject({ method: 'GET', path: '/wp-json/support-api/v1', body: '' });
			expect(plain?.headers).not.toHaveProperty('content-type');
			expect(server.connections).toBeLessThanOrEqual(connections);
		});

		it('has a body with any method', async () => {
			const server = await startRawServer((request) => request.json(200, {}));
			const client = await testClient(server.baseUrl);
			for (const method of ['DELETE', 'GET', 'PUT']) await client.send({ method, path: '/x', body: '{"a":"ü"}' });
			expect(server.requests.map(({ method, body }) => [method, body])).toEqual([
				['DELETE', '{"a":"ü"}'],
				['GET', '{"a":"ü"}'],
				['PUT', '{"a":"ü"}'],
			]);
			expect(server.requests[0]?.headers).toMatchObject({ 'content-length': '10' });
		});

		it('may have many connections beside it without a warning of Node', async () => {
			const warnings: Error[] = [];
			const note = (warning: Error): void => void warnings.push(warning);
			process.on('warning', note);
			const server = await startRawServer((request) => void setTimeout(() => request.json(200, {}), 50));
			const client = await testClient(server.baseUrl, { connections: 16 });
			await Promise.all(Array.from({ length: 16 }, () => client.send(get)));
			expect(server.connections).toBe(16);
			process.off('warning', note);
			expect(warnings).toEqual([]);
		});

		it('goes out over no more connections than allowed', async () => {
			const server = await startRawServer((request) => request.json(200, {}));
			const client = await testClient(server.baseUrl, { connections: 3 });
			await Promise.all(Array.from({ length: 20 }, () => client.send(get)));
			expect(server.requests).toHaveLength(20);
			expect(server.connections).toBeLessThanOrEqual(3);
		});
	});

	describe('a response', () => {
		it('is returned as sent: status, headers, bytes', async () => {
			const server = await startRawServer((request) =>
				request.write(
					'HTTP/1.1 418 Teapot\r\nX-One: 1\r\nx-two: a\r\nX-Two: b\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
				),
			);
			const client = await testClient(server.baseUrl);
			expect(await client.send(get)).toMatchObject({
				status: 418,
				headers: { 'x-one': '1', 'x-two': ['a', 'b'] },
				body: Buffer.from('abcde'),
			});
		});

		it('may have headers named like built-in object properties', async () => {
			const server = await startRawServer((request) =>
				request.answer(200, '{}', { __proto__: 'x', constructor: 'y', toString: 'z', 'x-last': '1' }),
			);
			const client = await testClient(server.baseUrl);
			expect(await client.send(get)).toMatchObject({ status: 200 });
		});

		it.each([
			['announced', 'content-length: 40000000\r\n'],
			['not announced', ''],
		])('that is larger than the limit is not read further, and says so: %s', async (_what, header) => {
			const server = await startRawServer((request) => {
				request.write(`HTTP/1.1 200 OK\r\n${header}\r\n`);
				request.write(Buffer.alloc(40_000_000));
			});
			const client = await testClient(server.baseUrl);
			const attempt = await client.send(get);
			expect(attempt).toMatchObject({
				status: 200,
				problem: {
					code: 'response_too_large',
					message: 'the response is larger than 16 MiB',
					permanent: true,
				},
			});
			expect(attempt.body.length).toBeLessThanOrEqual(16 * 1024 * 1024);
		});

		it('that is cut off is returned with the error', async () => {
			const server = await startRawServer((request) => {
				request.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"id":');
				request.socket.end();
			});
			const client = await testClient(server.baseUrl);
			expect(await client.send(get)).toMatchObject({
				status: 200,
				problem: { code: 'connection_lost', permanent: false },
			});
		});

		it('may be preceded by any number of hints', async () => {
			const server = await startRawServer((request) => {
				request.write('HTTP/1.1 103 Early Hints\r\ncontent-length: 999999999\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n');
				request.json(200, { id: 1 });
			});
			const client = await testClient(server.baseUrl);
			expect(await client.send(get)).toMatchObject({ status: 200 });
		});
	});

	describe('what goes wrong', () => {
		it('before anything was written is told apart from later failures', async () => {
			const closed = createServer();
			await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
			const { port } = closed.address() as { port: number };
			await new Promise((resolve) => closed.close(resolve));
			const unreachable = await testClient(`http://127.0.0.1:${port}`);
			expect(await unreachable.send(get)).toMatchObject({
				status: 0,
				sent: false,
				problem: { code: 'connect_refused' },
			});

			const server = await startRawServer((request) => request.reset());
			const client = await testClient(server.baseUrl);
			expect(await client.send(get)).toMatchObject({
				status: 0,
				sent: true,
				problem: { code: 'connection_lost' },
			});
		});

		it.each([
			['nothing at all', ''],
			['half a status line', 'HTTP/1.1 20'],
			['headers that do not end', 'HTTP/1.1 200 OK\r\nx: '],
		])('by waiting is over at the timeout: %s', async (_what, bytes) => {
			const server = await startRawServer((request) => request.write(bytes));
			const client = await testClient(server.baseUrl, { timeoutMs: 200 });
			expect(await client.send(get)).toMatchObject({
				status: 0,
				sent: true,
				problem: { code: 'timeout', message: 'no response within 0.2 s', permanent: false },
			});
		});

		it('by a body that does not end is over at the timeout, with the status known', async () => {
			const server = await startRawServer((request) =>
				request.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{'),
			);
			const client = await testClient(server.baseUrl, { timeoutMs: 200 });
			expect(await client.send(get)).toMatchObject({
				status: 200,
				problem: { code: 'timeout', message: 'the end of the response did not arrive within 0.2 s' },
			});
		});

		it('while connecting is over at the timeout, and the request is never written afterwards', async () => {
			let lookups = 0;
			const server = await startRawServer((request) => request.json(200, {}));
			const client = await testClient(server.baseUrl, {
				timeoutMs: 200,
				connections: 2,
				lookup: (_host, _options, callback) => {
					if (++lookups > 1) callback(null, [{ address: '127.0.0.1', family: 4 }]);
				},
				baseUrl: `http://desk.test:${server.port}`,
			});
			expect(await client.send(get)).toMatchObject({
				status: 0,
				sent: false,
				problem: {
					code: 'connect_timeout',
					message: expect.stringMatching(/^could not connect to desk\.test:\d+: no connection within 0\.2\d* s$/),
					permanent: false,
				},
			});
			expect(await client.send({ ...get, path: '/second' })).toMatchObject({ status: 200 });
			expect(server.requests.map((each) => each.path)).toEqual(['/second']);
		});

		it.each([
			[
				'101 Switching Protocols',
				'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
				'connection_lost',
			],
			['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n', 'connection_lost'],
			['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'bad_http'],
			['TLS', Buffer.from([0x15, 3, 3, 0, 2, 2, 40]), 'https_expected'],
			['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n', 'bad_http'],
			['a length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n', 'bad_http'],
			['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}', 'wrong_length'],
			[
				'a length and chunks',
				'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
				'wrong_length',
			],
			['a header without a colon', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n{}', 'bad_http'],
		])('by %s is named', async (_what, bytes, code) => {
			const server = await startRawServer((request) => {
				request.write(bytes);
				request.socket.end();
			});
			const client = await testClient(server.baseUrl);
			expect(await client.send(get)).toMatchObject({ status: 0, sent: true, problem: { code } });
		});

		it('by headers without end is stopped early and not tried again', async () => {
			let written = 0;
			const server = await startRawServer((request) => {
				request.write('HTTP/1.1 200 OK\r\n');
				const more = (): void => {
					if (request.socket.destroyed) return;
					written += 1000;
					request.socket.write(`x-${'y'.repeat(990)}: z\r\n`, more);
				};
				more();
			});
			const client = await testClient(server.baseUrl);
			expect(await client.send(get)).toMatchObject({
				status: 0,
				sent: true,
				problem: { code: 'bad_http', message: "the response's headers are too large", permanent: true },
			});
			expect(written).toBeLessThan(5_000_000);
		});

		it('on one connection does not reach the next request', async () => {
			const server = await startRawServer((request) => {
				if (request.number === 1) request.write(`${httpResponse(200, '{"id":1}')}${httpResponse(200, '{"id":99}')}`);
				else request.json(200, { id: request.number });
			});
			const client = await testClient(server.baseUrl);
			const bodies: string[] = [];
			for (let count = 0; count < 3; count++) {
				const attempt = await client.send(get);
				bodies.push(attempt.problem?.code ?? attempt.body.toString());
			}
			expect(bodies).toEqual(['{"id":1}', '{"id":2}', '{"id":3}']);
		});
	});

	describe('a limit on connecting', () => {
		const silent: ClientOptions['lookup'] = () => undefined;

		it('ends the first request unsent, and marks it as not worth a retry', async () => {
			const server = await startRawServer((request) => request.json(200, {}));
			const baseUrl = `http://desk.test:${server.port}`;
			const client = await testClient(baseUrl, { connectWithinMs: 60, lookup: silent });
			const begun = performance.now();
			expect(await client.send(get)).toMatchObject({
				sent: false,
				problem: { code: 'connect_timeout', permanent: true },
			});
			expect(performance.now() - begun).toBeLessThan(1500);
			expect(server.requests).toEqual([]);
		});

		it('does not hold once a connection was made, and leaves the wait for a response alone', async () => {
			const server = await startRawServer((request) => void setTimeout(() => request.json(200, {}), 150));
			const client = await testClient(server.baseUrl, { connectWithinMs: 60 });
			expect(await client.send(get)).toMatchObject({ status: 200 });
			expect(await client.send(get)).toMatchObject({ status: 200 });
		});

		it('retries a refused connection for a third of the time only', async () => {
			let now = 0;
			const client = await testClient('http://127.0.0.1:1', { connectWithinMs: 3000, monotonic: () => now });
			expect(await client.send(get)).toMatchObject({ problem: { code: 'connect_refused', permanent: false } });
			now = 1000;
			expect(await client.send(get)).toMatchObject({ problem: { code: 'connect_refused', permanent: true } });
		});
	});

	describe('renewing', () => {
		it('sends on new connections, and what is under way ends on the old ones', async () => {
			let release = (): void => undefined;
			const server = await startRawServer((request) => {
				if (request.path === '/slow') release = () => request.json(200, { slow: true });
				else request.json(200, {});
			});
			const client = await testClient(server.baseUrl);
			const slow = client.send({ ...get, path: '/slow' });
			await server.reached(1);
			client.renew();
			expect(await client.send(get)).toMatchObject({ status: 200 });
			expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
			release();
			expect(await slow).toMatchObject({ status: 200, body: Buffer.from('{"slow":true}') });
		});

		it('leaves nothing behind that keeps closing from ending what is under way', async () => {
			const server = await startRawServer(() => {});
			const client = await testClient(server.baseUrl);
			const attempt = client.send(get);
			await server.reached(1);
			client.renew();
			await client.close();
			expect(await attempt).toMatchObject({ status: 0, sent: true });
		});
	});

	describe('closing', () => {
		it('ends what is under way', async () => {
			const server = await startRawServer(() => {});
			const client = await testClient(server.baseUrl);
			const attempt = client.send(get);
			await server.reached(1);
			await client.close();
			expect(await attempt).toMatchObject({ status: 0, sent: true });
		});

		it('ends what waits for a connection too, unsent, and lets nothing go out afterwards', async () => {
			const server = await startRawServer(() => {});
			const client = await testClient(server.baseUrl);
			const attempts = Array.from({ length: connections + 2 }, () => client.send(get));
			await server.reached(connections);
			await client.close();
			attempts.push(client.send(get));
			const sent = (await Promise.all(attempts)).map((attempt) => attempt.status === 0 && attempt.sent);
			expect(sent).toEqual([...Array(connections).fill(true), false, false, false]);
			expect(server.requests).toHaveLength(connections);
		});
	});

	describe('the trace', () => {
		it('shows each request, and its response or its problem', async () => {
			const events: TraceEvent[] = [];
			const server = await startRawServer((request) => {
				if (request.number === 1) request.answer(200, gzipSync('{}'), { 'content-encoding': 'gzip' });
				else request.reset();
			});
			const client = await testClient(server.baseUrl, { trace: (event) => events.push(event) });
			await client.send(update);
			await client.send(get);
			const url = `${server.baseUrl}/support-api/v1`;
			expect(events).toMatchObject([
				{ type: 'request', method: 'POST', url: `${url}/tickets/14`, body: '{"status":"hold"}' },
				{
					type: 'response',
					method: 'POST',
					url: `${url}/tickets/14`,
					response: { status: 200, body: Buffer.from('{}') },
				},
				{ type: 'request', method: 'GET', url, body: undefined },
				{
					type: 'response',
					method: 'GET',
					url,
					response: { sent: true, problem: { message: 'the server closed the connection' } },
				},
			]);
		});
	});
});

test.each([1, 2])(
	'a response that comes in many pieces is put together whole (%i connections)',
	async (connections) => {
		const pieces = ['{"a":"1', '2', '3', '4', '5"}'];
		const server = await startRawServer(async (request) => {
			request.write(`HTTP/1.1 200 OK\r\ncontent-length: ${pieces.join('').length}\r\n\r\n`);
			for (const piece of pieces) {
				request.write(piece);
				await wait(20);
			}
		});
		const client = await testClient(server.baseUrl, { connections });
		expect(await client.send({ method: 'GET', path: '/x' })).toMatchObject({
			status: 200,
			body: Buffer.from(pieces.join('')),
		});
	},
);
