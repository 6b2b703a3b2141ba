/** Services that can take only so much: the built binary against real sockets, timed by the server's own clock. */

import { describe, expect, it } from 'vitest';
import { type FaultResult, runWith, startFaultyDesk } from '../support/fault.js';
import type { RawRequest, RawServer } from '../support/raw-server.js';
import { type Admission, bucket, perSecond } from '../support/small-host.js';
import { besideOthers, whenTestEnds } from '../support/test-end.js';

/** A run over so many tickets, whose ids come on standard input. */
function runBulk(server: RawServer, rows: number, ...more: string[]): Promise<FaultResult> {
	const input = Array.from({ length: rows }, (_, index) => `${index + 1}\n`).join('');
	return runWith(server, ['ticket', 'update', '-', '--status', 'hold', '--format=ndjson', ...more], { input });
}

/** Milliseconds in which this process ran: where the machine stood still, the client did too. */
function wakingClock(): () => number {
	let seen = performance.now();
	let total = 0;
	const look = (): number => {
		const now = performance.now();
		total += Math.min(now - seen, 50);
		seen = now;
		return total;
	};
	const timer = setInterval(look, 10);
	whenTestEnds(() => clearInterval(timer));
	return look;
}

/** A server with an admission rule and a latency; it keeps a log by its own clock. */
async function startLimited(admission: Admission, latencyMs: number, status = 503) {
	const now = wakingClock();
	const log: { at: number; refused: boolean }[] = [];
	const server = await startFaultyDesk((request: RawRequest) => {
		const at = now();
		const admitted = admission(at);
		log.push({ at, refused: admitted !== true });
		if (admitted !== true) request.answer(status, 'busy', admitted);
		else setTimeout(() => request.done(), latencyMs);
	});
	return { server, log };
}

describe('a small host that serves 40 a second and refuses the rest with 503', () => {
	it('is asked for nearly that, and refuses less than a tenth after ten seconds', async () => {
		const { server, log } = await startLimited(bucket(40, 10), 20);
		const { outcomes, exitCode } = await runBulk(server, 900, '-j', '16');
		expect(exitCode).toBe(0);
		expect(outcomes.filter((each) => each.outcome === 'ok')).toHaveLength(900);
		const first = log[0]?.at ?? 0;
		const end = log.at(-1)?.at ?? 0;
		const late = log.filter((each) => each.at - first > 10_000);
		const refused = late.filter((each) => each.refused).length;
		const rate = ((late.length - refused) * 1000) / (end - first - 10_000);
		expect(rate).toBeGreaterThan(30);
		expect(refused / late.length).toBeLessThan(0.1);
		expect(Math.max(...server.counts.values())).toBeLessThanOrEqual(5);
	});
});

describe('a storm of 429', () => {
	it.concurrent.for<[string, Admission]>([
		['without Retry-After', perSecond(40)],
		['with seconds', perSecond(40, () => ({ 'retry-after': '1' }))],
		[
			'with a date',
			perSecond(40, () => ({
				'retry-after': new Date(Date.now() + 1000).toUTCString(),
				date: new Date().toUTCString(),
			})),
		],
		['with garbage', perSecond(40, () => ({ 'retry-after': 'a while' }))],
		['with nothing to wait for', perSecond(40, () => ({ 'retry-after': '0' }))],
	])('%s is sat out, and no row is lost or sent too often', async ([, admission], { onTestFinished }) =>
		besideOthers(onTestFinished, async () => {
			const { server } = await startLimited(admission, 5, 429);
			const { outcomes, exitCode } = await runBulk(server, 250, '-j', '16');
			expect(exitCode).toBe(0);
			expect(outcomes.filter((each) => each.outcome === 'ok')).toHaveLength(250);
			expect(server.counts.size).toBe(250);
			expect(Math.max(...server.counts.values())).toBeLessThanOrEqual(5);
		}),
	);

	it('with a year is not waited for: the run stops, says until when, and what is open can be resumed', async () => {
		const { server } = await startLimited(() => ({ 'retry-after': '31536000' }), 5, 429);
		const { outcomes, exitCode, stderr } = await runBulk(server, 200, '-j', '8');
		expect(exitCode).toBe(1);
		expect(server.requests.length).toBeLessThanOrEqual(8);
		expect(Math.max(...server.counts.values())).toBe(1);
		expect(outcomes.map((each) => each.outcome)).toEqual(outcomes.map(() => 'not-sent'));
		const refused = outcomes.filter((each) => each.status === 429);
		expect(refused.map((each) => each.code)).toEqual(server.requests.map(() => 'wait_too_long'));
		expect(stderr).toMatch(/asks to wait until 20\d\d-/);
		expect(stderr).toMatch(/supportctl run resume /);
	});
});

describe('a service that refuses everything', () => {
	it('is asked less and less often', async () => {
		const { server, log } = await startLimited(() => ({}), 0);
		// A permanent delete keeps no old values, so that nothing is read, which this server would answer.
		const words = ['ticket', 'delete', '-', '--force', '--yes', '--format=ndjson', '-j', '16', '--retries', '2'];
		const { outcomes, exitCode } = await runWith(server, words, { input: '1\n2\n' });
		expect(exitCode).toBe(5);
		expect(outcomes.map((each) => [each.outcome, each.status, each.attempts])).toEqual([
			['unknown', 503, 3],
			['unknown', 503, 3],
		]);
		expect(server.reads).toEqual([]);
		expect([...server.counts.values()]).toEqual([3, 3]);
		const gaps = log.slice(1).map((each, index) => each.at - (log[index]?.at ?? 0));
		expect(Math.max(...gaps)).toBeGreaterThan(1000);
	});
});

describe('a service that fails a fifth of the requests, in every way it can', () => {
	it('gets each row done, and no row is asked for more often than allowed', async () => {
		// Each tenth ticket fails one, two, three or four times.
		const failuresOf = (id: number): number => (id % 10 === 0 ? ((id / 10) % 4) + 1 : 0);
		const fail: ((request: RawRequest) => void)[] = [
			(request) => request.reset(),
			(request) => request.answer(502, '<html><title>Bad Gateway</title></html>'),
			(request) => request.answer(503, 'busy'),
		];
		const server = await startFaultyDesk((request) => {
			const id = Number(/\d+$/.exec(request.path)?.[0]);
			if (request.tries > failuresOf(id)) request.done();
			else fail[(id / 10 + request.tries) % fail.length]?.(request);
		});
		const { outcomes, exitCode } = await runBulk(server, 300, '-j', '8', '--retries', '4');
		expect(exitCode).toBe(0);
		expect(outcomes.filter((each) => each.outcome === 'ok')).toHaveLength(300);
		const tries = Array.from({ length: 300 }, (_, at) => failuresOf(at + 1) + 1);
		expect([...server.counts.values()].sort()).toEqual(tries.sort());
	});
});
