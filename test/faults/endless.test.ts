/** Responses that do not end, or not soon: memory and time stay bounded. */

import { readFileSync } from 'node:fs';
import { createGzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Words } from '../support/cli.js';
import { startCli } from '../support/cli.js';
import { credentials, expectNoCrash, oneUpdate, outcomesOf, runAgainst, startFaultyDesk } from '../support/fault.js';
import type { RawRequest, Script } from '../support/raw-server.js';

const MIB = 1024 * 1024;

/** Writes a piece again and again until the other side closes; reports how much was written. */
function pour(request: RawRequest, piece: Buffer, limit: number, done: (bytes: number) => void): void {
	let written = 0;
	const { socket } = request;
	const more = (): void => {
		while (!socket.destroyed && written < limit) {
			written += piece.length;
			if (!socket.write(piece)) {
				socket.once('drain', more);
				return;
			}
		}
		if (written >= limit) socket.end();
	};
	socket.once('close', () => done(written));
	more();
}

/** Runs a command against the script and watches the process's memory, in MiB at the highest. */
async function runMeasured(script: Script, args: Words = oneUpdate) {
	const server = await startFaultyDesk(script);
	const { child, ended } = startCli(args, { env: credentials(server.baseUrl) });
	let peak = 0;
	const timer = setInterval(() => {
		try {
			const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
			peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
		} catch {
			// It has ended.
		}
	}, 5);
	const result = await ended;
	clearInterval(timer);
	expectNoCrash(result);
	const outcomes = outcomesOf(result.stdout);
	return { ...result, outcomes, outcome: outcomes[0], peak, server };
}

describe('a response of a gibibyte', () => {
	const piece = Buffer.alloc(64 * 1024, 'x');

	it.each([
		['with its length announced', `content-length: ${1024 * MIB}\r\n`],
		['without a length', ''],
	])('is read up to a limit, which the error states: %s', async (_name, header) => {
		let taken = 0;
		const { outcome, exitCode, server, peak } = await runMeasured((request) => {
			request.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${header}\r\n{"a":"`);
			pour(request, piece, 1024 * MIB, (bytes) => {
				taken = bytes;
			});
		}, oneUpdate);
		expect(outcome).toMatchObject({
			outcome: 'unknown',
			status: 200,
			code: 'response_too_large',
			message: 'the response is larger than 16 MiB',
		});
		expect(exitCode).toBe(5);
		expect(server.requests).toHaveLength(1);
		expect(taken).toBeLessThan(64 * MIB);
		expect(peak).toBeLessThan(200);
	});

	it('with an error status is no different', async () => {
		const { outcome, server } = await runMeasured((request) => {
			request.write('HTTP/1.1 500 Oops\r\n\r\n');
			pour(request, piece, 1024 * MIB, () => {});
		}, oneUpdate);
		expect(outcome).toMatchObject({ outcome: 'unknown', status: 500 });
		expect(server.requests).toHaveLength(2);
	});

	it('packed into a mebibyte is unpacked up to the limit', async () => {
		const packed = await new Promise<Buffer>((resolve) => {
			const gzip = createGzip();
			const parts: Buffer[] = [];
			gzip.on('data', (part) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts)));
			let left = 1024;
			const more = (): void => {
				while (left-- > 0) if (!gzip.write(Buffer.alloc(MIB))) return void gzip.once('drain', more);
				gzip.end();
			};
			more();
		});
		const { outcome, peak } = await runMeasured(
			(request) => request.answer(200, packed, { 'content-encoding': 'gzip' }),
			oneUpdate,
		);
		expect(outcome).toMatchObject({ outcome: 'unknown', code: 'unreadable_response' });
		expect(outcome?.message).toMatch(/content coding "gzip": .*larger than 16777216 bytes/);
		expect(peak).toBeLessThan(200);
	});
});

describe('a run in which every response is a gibibyte', () => {
	it('needs no more memory than its connections do', async () => {
		const ids = Array.from({ length: 40 }, (_, index) => index + 1);
		const { outcomes, exitCode, peak, server } = await runMeasured(
			(request) => {
				request.write('HTTP/1.1 200 OK\r\n\r\n{"a":"');
				pour(request, Buffer.alloc(64 * 1024, 'x'), 1024 * MIB, () => {});
			},
			`ticket update ${ids.join(' ')} --status hold --json`,
		);
		expect(outcomes.map((each) => each.code)).toEqual(ids.map(() => 'response_too_large'));
		expect(exitCode).toBe(5);
		expect([...server.counts.values()]).toEqual(ids.map(() => 1));
		expect(peak).toBeLessThan(300);
	});
});

describe('what does not end', () => {
	it.each<[string, string, string, string | null]>([
		['headers', 'HTTP/1.1 200 OK\r\n', `x-${'y'.repeat(500)}: z\r\n`, 'bad_http'],
		['one header', 'HTTP/1.1 200 OK\r\nx: ', 'y'.repeat(500), 'bad_http'],
		['a status line', 'HTTP/1.1 200 ', 'OK '.repeat(100), null],
		['hints', '', 'HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n', 'timeout'],
		[
			'trailers',
			'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n',
			`x-${'y'.repeat(500)}: z\r\n`,
			'bad_http',
		],
		['a chunk length', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '0'.repeat(500), null],
		['chunk extensions', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 'x=y;'.repeat(100), null],
		['empty lines before the response', '', '\r\n'.repeat(100), null],
	])('%s', async (_name, first, piece, code) => {
		const { outcome, exitCode, server, peak } = await runMeasured((request) => {
			request.write(first);
			pour(request, Buffer.from(piece), Number.POSITIVE_INFINITY, () => {});
		}, 'ticket update 14 --status hold --json --timeout 1 --retries 0');
		expect(outcome).toMatchObject({ outcome: 'unknown', ...(code === null ? {} : { code }) });
		expect(exitCode).toBe(5);
		expect(server.requests).toHaveLength(1);
		expect(peak).toBeLessThan(250);
	});
});

describe('a service that takes its time', () => {
	/** A byte now and then. */
	const drip =
		(bytes: string, everyMs: number): Script =>
		(request) => {
			let at = 0;
			const timer = setInterval(() => {
				if (at === bytes.length || request.socket.destroyed) clearInterval(timer);
				else request.write(bytes.charAt(at++));
			}, everyMs);
		};
	const response = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"id":14}';

	it('is waited for within the timeout', async () => {
		const { outcomes, exitCode } = await runAgainst(drip(response, 5), [...oneUpdate, '--timeout', '10']);
		expect(outcomes[0]).toMatchObject({ outcome: 'ok', attempts: 1 });
		expect(exitCode).toBe(0);
	});

	it.each([
		['in the headers', response],
		['in the body', response.replace('content-length: 9', 'content-length: 900')],
	])('is given up after the timeout, however steadily it drips: %s', async (_name, bytes) => {
		const { outcomes, exitCode, server } = await runAgainst(drip(bytes, 100), [...oneUpdate, '--timeout', '0.5']);
		expect(outcomes[0]).toMatchObject({ outcome: 'unknown', code: 'timeout', attempts: 2 });
		expect(exitCode).toBe(5);
		expect(server.requests).toHaveLength(2);
		expect(outcomes[0]?.ms).toBeLessThan(10_000);
	});

	it('does not keep the process from ending', async () => {
		const { exitCode, server } = await runAgainst(() => {}, [...oneUpdate, '--timeout', '0.3']);
		expect(exitCode).toBe(5);
		expect(server.requests).toHaveLength(2);
	});
});
