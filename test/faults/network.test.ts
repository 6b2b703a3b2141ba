/** Networks that fail: before, while and after a request is sent, and how often each row was sent for it. */

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { credentials, oneCheck, oneDelete, oneUpdate, runAgainst, runWith } from '../support/fault.js';
import { type RawRequest, type RawServer, type Script, startRawServer } from '../support/raw-server.js';
import { temporaryFolder } from '../support/temporary.js';

/** A port where nothing listens. */
async function closedPort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as { port: number };
	await new Promise((resolve) => server.close(resolve));
	return port;
}

/** A list of so many ids. */
function idsFile(count: number): string {
	const path = join(temporaryFolder(), 'tickets.ids');
	writeFileSync(path, Array.from({ length: count }, (_, index) => `${index + 1}\n`).join(''));
	return path;
}

/** Code that the child runs before the program: it stands for a resolver or a machine that misbehaves. */
function preload(code: string): Record<string, string> {
	const path = join(temporaryFolder(), 'preload.cjs');
	writeFileSync(path, code);
	return { NODE_OPTIONS: `--require ${path}` };
}

const hold = (request: RawRequest): void => request.json(200, { id: 14, status: 'hold' });

/** A server under a base URL with a name. */
const named = (server: RawServer, more: Record<string, string>): { env: Record<string, string> } => ({
	env: { SUPPORTCTL_BASE_URL: `http://localhost:${server.port}`, ...more },
});

describe('a connection that is', () => {
	it('refused leaves the row unsent', async () => {
		const port = await closedPort();
		const server = await startRawServer(hold);
		const { outcomes, exitCode, stderr } = await runWith(server, oneUpdate, {
			env: credentials(`http://127.0.0.1:${port}`),
		});
		expect(outcomes[0]).toMatchObject({ outcome: 'not-sent', status: null, code: 'connect_refused', attempts: 2 });
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/could not connect to 127\.0\.0\.1:\d+: connection refused/);
	});

	it.each([
		['refused', '', '127.0.0.1'],
		['never made', `require('node:dns').lookup = () => { setTimeout(() => {}, 60_000).unref(); };`, 'desk.test'],
	])('%s ends a single request within 3 s', async (_what, code, host) => {
		const idle = await startRawServer(() => {});
		const started = performance.now();
		const { outcomes, exitCode } = await runWith(idle, ['ticket', 'update', '14', '--status', 'hold', '--json'], {
			env: { ...credentials(`https://${host}:${await closedPort()}`), ...preload(code) },
		});
		expect(performance.now() - started).toBeLessThan(4500);
		expect(outcomes[0]).toMatchObject({ outcome: 'not-sent', status: null });
		expect(exitCode).toBe(1);
	});

	it('to a localhost that is another machine is refused, and nothing is sent', async () => {
		const server = await startRawServer(hold);
		const elsewhere = `require('node:dns').lookup = (host, options, callback) =>
			process.nextTick(callback, null, [{ address: '192.0.2.1', family: 4 }]);`;
		const { outcomes, exitCode, stderr } = await runWith(server, oneUpdate, named(server, preload(elsewhere)));
		expect(outcomes[0]).toMatchObject({ outcome: 'not-sent', code: 'not_loopback', attempts: 1 });
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/localhost is 192\.0\.2\.1, which is not this machine.*https:\/\//s);
		expect(server.requests).toEqual([]);
	});

	it('refused at first is tried again', async () => {
		const port = await closedPort();
		let late: Promise<RawServer> | undefined;
		setTimeout(() => {
			late = startRawServer(hold, { port });
		}, 700);
		const idle = await startRawServer(() => {});
		const { outcomes, exitCode } = await runWith(
			idle,
			['ticket', 'update', '14', '--status', 'hold', '--retries', '6', '--json'],
			{ env: credentials(`http://127.0.0.1:${port}`) },
		);
		expect(outcomes[0]).toMatchObject({ outcome: 'ok' });
		expect(exitCode).toBe(0);
		expect((await late)?.requests).toHaveLength(1);
	});

	it('reset before the request leaves the row unsent or unknown, never more', async () => {
		const server = await startRawServer(hold, { onConnection: (socket) => socket.resetAndDestroy() });
		const { outcomes, exitCode } = await runWith(server);
		expect(['unknown', 'not-sent']).toContain(outcomes[0]?.outcome);
		expect(outcomes[0]?.code).toBe('connection_lost');
		expect([1, 5]).toContain(exitCode);
		expect(server.connections).toBe(2);
	});

	it.each<[string, Script]>([
		['reset once the request is there', (request) => request.reset()],
		['closed once the request is there', (request) => request.socket.end()],
		[
			'reset within the status line',
			(request) => {
				request.write('HTTP/1.1 20');
				setTimeout(request.reset, 20);
			},
		],
		[
			'reset within the headers',
			(request) => {
				request.write('HTTP/1.1 200 OK\r\ncontent-le');
				setTimeout(request.reset, 20);
			},
		],
		[
			'reset within the body',
			(request) => {
				request.write('HTTP/1.1 200 OK\r\ncontent-length: 25\r\n\r\n{"id":14,');
				setTimeout(request.reset, 20);
			},
		],
	])('%s makes an update unknown after its retries, and a credential check at once', async (_name, script) => {
		const update = await runAgainst(script, oneUpdate);
		expect(update.outcomes[0]).toMatchObject({ outcome: 'unknown', code: 'connection_lost', attempts: 2 });
		expect(update.exitCode).toBe(5);
		expect(update.server.requests).toHaveLength(2);

		const check = await runAgainst(script, oneCheck, { input: 'pass\n' });
		expect(check.exitCode).toBe(5);
		expect(check.server.requests).toHaveLength(1);
	});

	it('reset within the request, whose body is large, makes it unknown or unsent', async () => {
		const big = join(temporaryFolder(), 'content.txt');
		writeFileSync(big, 'x'.repeat(8 * 1024 * 1024));
		let connections = 0;
		const server = createServer((socket) => {
			connections++;
			socket.on('error', () => {});
			socket.once('data', () => socket.resetAndDestroy());
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		onTestFinished(() => void server.close());
		const { port } = server.address() as { port: number };
		const idle = await startRawServer(() => {});
		const { outcomes, exitCode } = await runWith(
			idle,
			['ticket', 'update', '14', '--content', `@${big}`, '--retries', '1', '--json'],
			{ env: credentials(`http://127.0.0.1:${port}`) },
		);
		expect(outcomes[0]).toMatchObject({ outcome: 'unknown', code: 'connection_lost', attempts: 2 });
		expect(exitCode).toBe(5);
		expect(connections).toBe(2);
	});

	it('half open, so that nothing ever comes back, is given up after the timeout', async () => {
		const { outcomes, exitCode, server } = await runAgainst(
			(request) => void request.socket.pause(),
			[...oneUpdate, '--timeout', '0.4'],
		);
		expect(outcomes[0]).toMatchObject({ outcome: 'unknown', code: 'timeout', message: 'no response within 0.4 s' });
		expect(exitCode).toBe(5);
		expect(server.requests).toHaveLength(2);
	});

	it('lost once does no harm', async () => {
		const { outcomes, exitCode, server } = await runAgainst((request) =>
			request.number === 1 ? request.reset() : hold(request),
		);
		expect(outcomes[0]).toMatchObject({ outcome: 'ok', attempts: 2 });
		expect(exitCode).toBe(0);
		expect(server.requests).toHaveLength(2);
	});
});

describe('a deletion whose answer is lost', () => {
	const gone = (request: RawRequest): void =>
		request.json(404, { code: 'rest_post_invalid_id', message: 'Invalid post ID.', data: { status: 404 } });

	it('and that is then answered 404 is done', async () => {
		const { outcomes, exitCode, server } = await runAgainst(
			(request) => (request.number === 1 ? request.reset() : gone(request)),
			oneDelete,
		);
		expect(outcomes[0]).toMatchObject({ outcome: 'ok', status: 404, attempts: 2 });
		expect(exitCode).toBe(0);
		expect(server.requests).toHaveLength(2);
	});

	it('and that is then answered 404 by a page is not known to be done', async () => {
		const { outcomes, exitCode } = await runAgainst(
			(request) => (request.number === 1 ? request.reset() : request.answer(404, '<html><title>404</title></html>')),
			oneDelete,
		);
		expect(outcomes[0]).toMatchObject({ outcome: 'unknown', code: 'html_answer' });
		expect(exitCode).toBe(5);
	});

	it('is not taken for done where the first answer was 404', async () => {
		const { outcomes, exitCode, server } = await runAgainst(gone, oneDelete);
		expect(outcomes[0]).toMatchObject({ outcome: 'failed', status: 404, attempts: 1 });
		expect(exitCode).toBe(1);
		expect(server.requests).toHaveLength(1);
	});
});

describe('a keep-alive connection', () => {
	it('that is closed just as it is reused costs no row, at volume', async () => {
		// After its answer, each connection lives for a moment only: often just until the next request is on its way.
		const server = await startRawServer((request) => {
			hold(request);
			if (request.onConnection % 3 === 0) setImmediate(() => request.socket.destroy());
			else if (request.onConnection % 3 === 1) setTimeout(() => request.socket.end(), request.number % 4);
		});
		const { outcomes, exitCode } = await runWith(server, [
			'ticket',
			'update',
			'--input',
			idsFile(3000),
			'--status',
			'hold',
			'-j',
			'8',
			'--format',
			'ndjson',
		]);
		expect(exitCode).toBe(0);
		expect(outcomes.filter((each) => each.outcome === 'ok')).toHaveLength(3000);
		expect(server.counts.size).toBe(3000);
		expect(Math.max(...server.counts.values())).toBeLessThanOrEqual(5);
	});

	it('that the service announces to close is not used again', async () => {
		const server = await startRawServer((request) => {
			request.json(200, { id: 14 }, { connection: 'close' });
			request.socket.end();
		});
		const { exitCode } = await runWith(server, ['ticket', 'update', ...ids(30), '--status', 'hold', '--json']);
		expect(exitCode).toBe(0);
		expect(server.requests).toHaveLength(30);
		expect(server.connections).toBe(30);
	});

	it('on which somebody speaks unasked is dropped, and no row takes that for its answer', async () => {
		const server = await startRawServer((request) => {
			const id = Number(request.path.split('/').at(-1));
			// In one piece: once the next request is out, nobody can tell whose answer comes.
			request.socket.cork();
			request.json(200, { id, title: `ticket ${id}` });
			if (id % 5 === 0) request.json(200, { id: 99, title: 'not yours' });
			request.socket.uncork();
		});
		const { outcomes, exitCode } = await runWith(server, [
			'ticket',
			'update',
			...ids(60),
			'--status',
			'hold',
			'--json',
		]);
		expect(exitCode).toBe(0);
		for (const outcome of outcomes) expect(outcome.body).toMatchObject({ title: `ticket ${outcome.id}` });
	});
});

function ids(count: number): string[] {
	return Array.from({ length: count }, (_, index) => String(index + 1));
}

describe('a name that', () => {
	const failOnce = (code: string): string => `
		const dns = require('node:dns');
		const real = dns.lookup;
		let failed = false;
		dns.lookup = (host, options, callback) => {
			const done = typeof options === 'function' ? options : callback;
			if (!failed) {
				failed = true;
				return process.nextTick(done, Object.assign(new Error('getaddrinfo ${code} ' + host), { code: '${code}' }));
			}
			return real(host, options, callback);
		};
	`;

	it.each(['EAI_AGAIN', 'ENOTFOUND'])('can not be resolved once (%s) is asked for again', async (code) => {
		const server = await startRawServer(hold);
		const { outcomes, exitCode } = await runWith(server, oneUpdate, named(server, preload(failOnce(code))));
		expect(outcomes[0]).toMatchObject({ outcome: 'ok', attempts: 2 });
		expect(exitCode).toBe(0);
		expect(server.requests).toHaveLength(1);
	});

	it('does not exist leaves the row unsent', async () => {
		const server = await startRawServer(hold);
		const { outcomes, exitCode, stderr } = await runWith(server, oneUpdate, {
			env: { SUPPORTCTL_BASE_URL: 'https://no-such-host.invalid' },
		});
		expect(outcomes[0]).toMatchObject({ outcome: 'not-sent', code: 'dns_failed', attempts: 2 });
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/name could not be resolved/);
	});

	it('is never answered for is given up after the timeout', async () => {
		const server = await startRawServer(hold);
		const never = `require('node:dns').lookup = () => { setTimeout(() => {}, 60_000).unref(); };`;
		const { outcomes, exitCode } = await runWith(
			server,
			[...oneUpdate, '--timeout', '0.5'],
			named(server, preload(never)),
		);
		expect(outcomes[0]).toMatchObject({ outcome: 'not-sent', code: 'connect_timeout', attempts: 2 });
		expect(exitCode).toBe(1);
		expect(server.requests).toHaveLength(0);
	});
});

describe('a host of which', () => {
	/** Listens on an address in a process that stands still, with its queue of connections full: further ones hang. */
	async function hangingListener(host: string): Promise<number> {
		const child = spawn(
			process.execPath,
			[
				'-e',
				`require('node:net').createServer().listen(0, ${JSON.stringify(host)}, 1, function () { console.log(this.address().port) })`,
			],
			{ stdio: ['ignore', 'pipe', 'inherit'] },
		);
		onTestFinished(() => {
			child.kill('SIGKILL');
		});
		const port = await new Promise<number>((resolve) => child.stdout.once('data', (data) => resolve(Number(data))));
		child.kill('SIGSTOP');
		const fillers: Socket[] = [];
		onTestFinished(() => {
			for (const socket of fillers) socket.destroy();
		});
		// A listener that is full leaves those who knock without an answer.
		for (let full = false; !full; ) {
			const socket = connect(port, host);
			socket.on('error', () => {});
			fillers.push(socket);
			full = !(await new Promise<boolean>((resolve) => {
				socket.once('connect', () => resolve(true));
				// After another look at what has come, should this process have stood still.
				setTimeout(() => setImmediate(() => setImmediate(() => resolve(false))), 150);
			}));
			if (fillers.length > 50) throw new Error('the listener never fills up');
		}
		return port;
	}

	it('the IPv6 address hangs is reached over IPv4', async () => {
		const port = await hangingListener('::1');
		const server = await startRawServer(hold, { port });
		const both = `
			const dns = require('node:dns');
			dns.lookup = (host, options, callback) => process.nextTick(callback, null, [
				{ address: '::1', family: 6 },
				{ address: '127.0.0.1', family: 4 },
			]);
		`;
		const begun = performance.now();
		const { outcomes, exitCode } = await runWith(server, oneUpdate, named(server, preload(both)));
		expect(outcomes[0]).toMatchObject({ outcome: 'ok', attempts: 1 });
		expect(exitCode).toBe(0);
		expect(performance.now() - begun).toBeLessThan(5000);
	});

	it('no address answers is given up after the timeout, unsent', async () => {
		const port = await hangingListener('127.0.0.1');
		const idle = await startRawServer(() => {});
		const { outcomes, exitCode } = await runWith(idle, [...oneUpdate, '--timeout', '0.5'], {
			env: credentials(`http://127.0.0.1:${port}`),
		});
		expect(outcomes[0]).toMatchObject({ outcome: 'not-sent', code: 'connect_timeout', attempts: 2 });
		expect(exitCode).toBe(1);
	});
});
