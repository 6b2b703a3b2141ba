/** Faults on demand come as they were asked for: the same numbers, the same faults. */

import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createChance } from '../../src/sandbox/generate.js';
import { createFaults, type FaultKind, faultKinds } from '../../src/sandbox/responses.js';
import type { SandboxOptions } from '../../src/sandbox/server.js';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';

async function start(options: Partial<SandboxOptions>): Promise<TestSandbox> {
	const sandbox = await startSandbox(options);
	onTestFinished(() => sandbox.stop());
	return sandbox;
}

function draw(failRate: number, seed: number, count: number): (object | undefined)[] {
	return Array.from(
		{ length: count },
		createFaults({ failRate }, createChance(seed).next, () => 0),
	);
}

test('the share of failures is the one asked for, of every kind, and the same for the same seed', () => {
	const drawn = draw(0.25, 7, 10_000);
	const failed = drawn.filter((each) => each !== undefined);
	expect(failed.length / drawn.length).toBeGreaterThan(0.23);
	expect(failed.length / drawn.length).toBeLessThan(0.27);
	expect(new Set(failed)).toEqual(new Set(Object.values(faultKinds)));
	expect(draw(0.25, 7, 10_000)).toEqual(drawn);
	expect(draw(0.25, 8, 10_000)).not.toEqual(drawn);
	expect(new Set(draw(0, 1, 1000))).toEqual(new Set([undefined]));
	expect(draw(1, 1, 1000)).not.toContain(undefined);
});

test("never more than the limit and one second's burst is served, and waiting that long is enough", () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 50 }),
			fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 300 }),
			(limit, gaps) => {
				let now = 0;
				const next = createFaults({ rateLimit: limit }, Math.random, () => now);
				let served = 0;
				for (const gap of gaps) {
					now += gap;
					const fault = next();
					if (fault === undefined) {
						served++;
						continue;
					}
					expect(fault.response?.status).toBe(429);
					const wait = Number(fault.response?.headers?.['Retry-After']);
					expect(wait).toBeGreaterThanOrEqual(1);
					now += wait * 1000;
					expect(next()).toBeUndefined();
					served++;
				}
				expect(served).toBeLessThanOrEqual(limit + (now / 1000) * limit + 1);
			},
		),
	);
});

test("no more than a second's worth comes at once", () => {
	let now = 0;
	const next = createFaults({ rateLimit: 5 }, Math.random, () => now);
	now = 60_000;
	expect(Array.from({ length: 8 }, () => next()?.response?.status)).toEqual([
		...Array(5).fill(undefined),
		429,
		429,
		429,
	]);
});

test('beyond the limit the response is 429 in JSON, with Retry-After', async () => {
	const clock = { now: Date.now, monotonic: () => 0, sleep: async () => {} };
	const sandbox = await start({ rateLimit: 2, clock });
	await sandbox.call('GET', '/users/me');
	await sandbox.call('GET', '/users/me');
	const response = await sandbox.call('GET', '/users/me');
	expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1']);
	expect(response.body).toMatchObject({ code: 'rest_too_many_requests', data: { status: 429 } });
});

test.each<[FaultKind, number, string, number | undefined]>([
	['bad-gateway', 502, 'nothing', 502],
	['gateway-timeout', 504, 'nothing', 504],
	['unavailable', 503, 'nothing', 503],
	['too-many', 429, 'nothing', 429],
	['retry-after', 429, 'nothing', 429],
	['page', 200, 'nothing', 200],
	['empty', 200, 'nothing', 200],
	['critical', 500, 'nothing', 500],
	['drop-before', 0, 'nothing', undefined],
	['drop-after', 0, 'everything', undefined],
	['critical-after', 500, 'everything', 500],
	['bad-gateway-after', 502, 'everything', 502],
	['partial', 500, 'half', 500],
])('under %s the status is %i (0: none), and %s is saved', async (kind, logged, saved, status) => {
	const sandbox = await start({ failRate: 1, failKinds: [kind] });
	const response = await sandbox.call('POST', '/tickets/14', { slug: 'new', content: 'New' }).catch(() => undefined);
	expect(response?.status).toBe(status);
	const ticket = sandbox.store.tickets.get(14);
	const done = [ticket?.slug === 'new', ticket?.content === 'New'];
	expect(done).toEqual({ nothing: [false, false], half: [true, false], everything: [true, true] }[saved]);
	expect(sandbox.requests.map((each) => each.status)).toEqual([logged]);
	const read = await sandbox.call('GET', '/tickets/14').catch(() => undefined);
	expect(read?.status).toBe(kind === 'partial' ? 200 : status);
});

test('the latency comes before each response', async () => {
	const waited: number[] = [];
	const sleep = async (ms: number): Promise<void> => {
		waited.push(ms);
	};
	const sandbox = await start({ latencyMs: 250, clock: { now: Date.now, monotonic: () => 0, sleep } });
	await sandbox.call('GET', '/users/me');
	await sandbox.call('POST', '/tickets/14', { status: 'hold' });
	expect(waited).toEqual([250, 250]);
});
