/** Networks that fail: before, while and after a request is sent, and how often each row was sent for it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startCli } from '../support/cli.js';
import {
	credentials,
	oneCheck,
	oneDelete,
	oneUpdate,
	outcomesOf,
	type PrintedOutcome,
	runAgainst,
	runWith,
	startFaultyDesk,
} from '../support/fault.js';
import type { RawServer, Script } from '../support/raw-server.js';
import { temporaryFolder } from '../support/temporary.js';

/** Code that the child runs before the program: it stands for a resolver or a machine that misbehaves. */
function preload(code: string): Record<string, string> {
	const path = join(temporaryFolder(), 'preload.cjs');
	writeFileSync(path, code);
	return { NODE_OPTIONS: `--require ${path}` };
}

/** A resolver that never responds. */
const noResolver = `require('node:dns').lookup = () => { setTimeout(() => {}, 60_000).unref(); };`;

const hold: Script = (request) => request.done();
const silent: Script = () => {};
/** The first request gets no response, and the next ones that of the script. */
const afterLoss =
	(next: Script): Script =>
	(request) =>
		request.number === 1 ? request.reset() : next(request);
const resetAfter =
	(bytes: string): Script =>
	(request) => {
		request.write(bytes);
		setTimeout(request.reset, 20);
	};
const gone: Script = (request) =>
	request.json(404, { code: 'rest_post_invalid_id', message: 'Invalid post ID.', data: { status: 404 } });
const lost = { outcome: 'unknown', code: 'connection_lost', attempts: 2 };
const noResponse = { outcome: 'unknown', code: 'timeout', message: 'no response within 0.4 s' };
/** Of one row: its old values are read once, however often it is sent. */
const expectRequests = (server: RawServer, count: number, reads = 1) =>
	expect([server.requests.length, server.reads.length]).toEqual([count, reads]);

describe('a connection that is', () => {
	it.each<[string, Script, string[], Partial<PrintedOutcome>, exitCode: number, requests: number]>([
		['reset once the request is there', (request) => request.reset(), oneUpdate, lost, 5, 2],
		['closed once the request is there', (request) => request.socket.end(), oneUpdate, lost, 5, 2],
		['reset within the status line', resetAfter('HTTP/1.1 20'), oneUpdate, lost, 5, 2],
		['reset within the headers', resetAfter('HTTP/1.1 200 OK\r\ncontent-le'), oneUpdate, lost, 5, 2],
		[
			'reset within the body',
			resetAfter('HTTP/1.1 200 OK\r\ncontent-length: 25\r\n\r\n{"id":14,'),
			oneUpdate,
			lost,
			5,
			2,
		],
		['half open', (request) => void request.socket.pause(), [...oneUpdate, '--timeout', '0.4'], noResponse, 5, 2],
		['lost once', afterLoss(hold), oneUpdate, { outcome: 'ok', attempts: 2 }, 0, 2],
		['lost, for a deletion that is then gone', afterLoss(gone), oneDelete, { outcome: 'ok', status: 404 }, 0, 2],
		[
			'lost, for a deletion whose path then is a page',
			afterLoss((request) => request.answer(404, '<html><title>404</title></html>')),
			oneDelete,
			{ outcome: 'unknown', code: 'html_response' },
			5,
			2,
		],
		['whole, for a deletion of what was gone before', gone, oneDelete, { outcome: 'failed', attempts: 1 }, 1, 1],
	])('%s', async (_name, script, args, outcome, exitCode, requests) => {
		const update = await runAgainst(script, args);
		expect(update.outcomes[0]).toMatchObject(outcome);
		expect(update.exitCode).toBe(exitCode);
		expectRequests(update.server, requests);
		if (outcome !== lost) return;
		const check = await runAgainst(script, oneCheck, { input: 'pass\n' });
		expect(check.exitCode).toBe(5);
		expectRequests(check.server, 1, 0);
	});

	it.each([
		['refused', '', '127.0.0.1:1', /could not connect to 127\.0\.0\.1:1: connection refused/],
		['never made', noResolver, 'desk.test', /no connection within/],
	])('%s ends a single request within 3 s, unsent', async (_what, code, host, words) => {
		const { outcomes, exitCode, stderr } = await runWith(
			await startFaultyDesk(silent),
			'ticket update 14 --status hold --json',
			{
				env: { ...credentials(`https://${host}`), ...preload(code) },
			},
		);
		expect(outcomes[0]).toMatchObject({ outcome: 'not-sent', status: null });
		expect(outcomes[0]?.ms).toBeLessThan(4500);
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(words);
	});

	it('refused at first is tried again', async () => {
		const closed = createServer().listen(0, '127.0.0.1');
		await once(closed, 'listening');
		const { port } = closed.address() as AddressInfo;
		await once(closed.close(), 'close');
		const args = 'ticket update 14 --status hold --retries 6 --json -v';
		const running = startCli(args, { env: credentials(`http://127.0.0.1:${port}`) });
		await running.until(/connection refused/);
		const server = await startFaultyDesk(hold, { port });
		const { exitCode, stdout } = await running.ended;
		expect(outcomesOf(stdout)[0]).toMatchObject({ outcome: 'ok' });
		expect(exitCode).toBe(0);
		expectRequests(server, 1);
	});

	it('reset before the request leaves the row unsent or unknown, never more', async () => {
		const server = await startFaultyDesk(hold, { onConnection: (socket) => socket.resetAndDestroy() });
		const { outcomes, exitCode } = await runWith(server);
		expect(['unknown', 'not-sent']).toContain(outcomes[0]?.outcome);
		expect(outcomes[0]?.code).toBe('connection_lost');
		expect([1, 5]).toContain(exitCode);
		expect(server.connections).toBe(2);
	});

	it('reset within the request, whose body is large, makes it unknown', async () => {
		const big = join(temporaryFolder(), 'content.txt');
		writeFileSync(big, 'x'.repeat(8 * 1024 * 1024));
		const server = await startFaultyDesk(silent, {
			// The read before it is a few hundred bytes.
			onConnection: (socket) => void socket.on('data', (bytes) => bytes.length > 1000 && socket.resetAndDestroy()),
		});
		const { outcomes, exitCode } = await runWith(server, `ticket update 14 --content @${big} --retries 1 --json`);
		expect(outcomes[0]).toMatchObject(lost);
		expect(exitCode).toBe(5);
		expect(server.connections).toBe(2);
	});
});

describe('a keep-alive connection', () => {
	const ids = (count: number): string => Array.from({ length: count }, (_, index) => index + 1).join(' ');

	it('that is closed just as it is reused costs no row, at volume', async () => {
		// After its response, each connection lives for a moment only: often just until the next request is on its way.
		const server = await startFaultyDesk((request) => {
			hold(request);
			if (request.onConnection % 3 === 0) setImmediate(() => request.socket.destroy());
			else if (request.onConnection % 3 === 1) setTimeout(() => request.socket.end(), request.number % 4);
		});
		const input = ids(3000).replaceAll(' ', '\n');
		const { outcomes, exitCode } = await runWith(server, 'ticket update - --status hold -j 8 --format ndjson', {
			input,
		});
		expect(exitCode).toBe(0);
		expect(outcomes.filter((each) => each.outcome === 'ok')).toHaveLength(3000);
		expect(server.counts.size).toBe(3000);
		expect(Math.max(...server.counts.values())).toBeLessThanOrEqual(5);
	});

	it('that the service announces to close is not used again', async () => {
		const server = await startFaultyDesk((request) => {
			request.done({ connection: 'close' });
			request.socket.end();
		});
		const { exitCode } = await runWith(server, `ticket update ${ids(30)} --status hold --json`);
		expect(exitCode).toBe(0);
		// One object, to see whether reads are served, and the list of all.
		expectRequests(server, 30, 2);
		expect(server.connections).toBe(30);
	});

	it('on which a second response comes is dropped, and no row takes that for its own', async () => {
		const server = await startFaultyDesk((request) => {
			const id = Number(request.path.split('/').at(-1));
			// In one piece: once the next request is out, no client can tell which one a response is for.
			request.socket.cork();
			request.json(200, { id, title: `ticket ${id}` });
			if (id % 5 === 0) request.json(200, { id: 99, title: 'not yours' });
			request.socket.uncork();
		});
		const { outcomes, exitCode } = await runWith(server, `ticket update ${ids(60)} --status hold --json`);
		expect(exitCode).toBe(0);
		for (const outcome of outcomes) expect(outcome.body).toMatchObject({ title: `ticket ${outcome.id}` });
	});
});

/** Listens on an address in a process that stands still, with its queue of connections full: further ones hang. */
async function hangingListener(host: string): Promise<number> {
	const code = `require('node:net').createServer().listen(0, ${JSON.stringify(host)}, 1, function () { console.log(this.address().port) })`;
	const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
	const fillers: Socket[] = [];
	onTestFinished(() => {
		child.kill('SIGKILL');
		for (const socket of fillers) socket.destroy();
	});
	const port = Number((await once(child.stdout, 'data'))[0]);
	child.kill('SIGSTOP');
	// A listener whose queue is full leaves further connections open-ended.
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

describe('a host', () => {
	const lookup = (body: string): string => `
		const dns = require('node:dns');
		const real = dns.lookup;
		let count = 0;
		dns.lookup = (host, options, callback) => { ${body} };
	`;
	const to = (...addresses: string[]): string =>
		lookup(
			`process.nextTick(callback, null, ${JSON.stringify(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))});`,
		);
	const failOnce = (code: string): string =>
		lookup(`const done = typeof options === 'function' ? options : callback;
			if (count++ > 0) return real(host, options, callback);
			process.nextTick(done, Object.assign(new Error('getaddrinfo ${code} ' + host), { code: '${code}' }));`);

	/** The read before the write is what failed. */
	const askedAgain = { outcome: 'ok', attempts: 1 };

	it.each<[string, code: string, Partial<PrintedOutcome>, exitCode: number, requests: number, says?: RegExp]>([
		['whose name can not be resolved once is asked for again', failOnce('EAI_AGAIN'), askedAgain, 0, 1],
		['whose name is not found once is asked for again', failOnce('ENOTFOUND'), askedAgain, 0, 1],
		[
			'whose name is never resolved is given up after the timeout',
			noResolver,
			{ outcome: 'not-sent', code: 'connect_timeout', attempts: 2 },
			1,
			0,
		],
		[
			'that is called localhost and is another machine gets nothing',
			to('192.0.2.1'),
			{ outcome: 'not-sent', code: 'not_loopback', attempts: 1 },
			1,
			0,
			/localhost is 192\.0\.2\.1, which is not this machine.*https:\/\//s,
		],
	])('%s', async (_name, code, outcome, exitCode, requests, says = /^/) => {
		const server = await startFaultyDesk(hold);
		const env = { SUPPORTCTL_BASE_URL: `http://localhost:${server.port}`, ...preload(code) };
		const result = await runWith(server, [...oneUpdate, '--timeout', code === noResolver ? '0.5' : '30'], { env });
		expect(result.outcomes[0]).toMatchObject(outcome);
		expect(result.exitCode).toBe(exitCode);
		expect(result.stderr).toMatch(says);
		expectRequests(server, requests, requests);
	});

	it('whose name does not exist leaves the row unsent', async () => {
		const env = { SUPPORTCTL_BASE_URL: 'https://no-such-host.invalid' };
		const { outcomes, exitCode, stderr } = await runWith(await startFaultyDesk(hold), oneUpdate, { env });
		expect(outcomes[0]).toMatchObject({ outcome: 'not-sent', code: 'dns_failed', attempts: 2 });
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/name could not be resolved/);
	});

	it('whose IPv6 address hangs is reached over IPv4', async () => {
		const server = await startFaultyDesk(hold, { port: await hangingListener('::1') });
		const env = { SUPPORTCTL_BASE_URL: `http://localhost:${server.port}`, ...preload(to('::1', '127.0.0.1')) };
		const { outcomes, exitCode } = await runWith(server, oneUpdate, { env });
		expect(outcomes[0]).toMatchObject({ outcome: 'ok', attempts: 1 });
		expect(outcomes[0]?.ms).toBeLessThan(5000);
		expect(exitCode).toBe(0);
	});

	it('that accepts no connection is given up after the timeout, unsent', async () => {
		const env = credentials(`http://127.0.0.1:${await hangingListener('127.0.0.1')}`);
		const args = [...oneUpdate, '--timeout', '0.5'];
		const { outcomes, exitCode } = await runWith(await startFaultyDesk(silent), args, { env });
		expect(outcomes[0]).toMatchObject({ outcome: 'not-sent', code: 'connect_timeout', attempts: 2 });
		expect(exitCode).toBe(1);
	});
});
