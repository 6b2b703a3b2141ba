/** Trouble on demand comes as asked: the same numbers, the same trouble. */

import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createChance } from '../../src/sandbox/chance.js';
import { faultKinds } from '../../src/sandbox/fault-kinds.js';
import { createFaults, type Fault } from '../../src/sandbox/faults.js';
import type { SandboxOptions } from '../../src/sandbox/sandbox.js';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';

async function start(options: Partial<SandboxOptions>): Promise<TestSandbox> {
	const sandbox = await startSandbox(options);
	onTestFinished(() => sandbox.stop());
	return sandbox;
}

const describe = (fault: Fault | undefined): string | number =>
	fault === undefined ? 'served' : typeof fault === 'string' ? fault : fault.answer.status;

function draw(failRate: number, seed: number, count: number): (string | number)[] {
	const faults = createFaults({ latencyMs: 0, failRate }, createChance(seed).next, () => 0);
	return Array.from({ length: count }, () => describe(faults.next()));
}

test('the share of failures is the one asked for, of every kind, and the same for the same seed', () => {
	const drawn = draw(0.25, 7, 10_000);
	const failed = drawn.filter((each) => each !== 'served');
	expect(failed.length / drawn.length).toBeGreaterThan(0.23);
	expect(failed.length / drawn.length).toBeLessThan(0.27);
	expect(new Set(failed)).toEqual(new Set([500, 502, 503, 'drop-before', 'drop-after']));
	expect(new Set(failed).size).toBe(Object.keys(faultKinds).length);
	expect(draw(0.25, 7, 10_000)).toEqual(drawn);
	expect(draw(0.25, 8, 10_000)).not.toEqual(drawn);
});

test('a rate of 0 never fails, and a rate of 1 always does', () => {
	expect(new Set(draw(0, 1, 1000))).toEqual(new Set(['served']));
	expect(draw(1, 1, 1000)).not.toContain('served');
});

test("never more than the limit and one second's burst is served, and waiting as told is enough", () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 50 }),
			fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 300 }),
			(limit, gaps) => {
				let now = 0;
				const faults = createFaults({ latencyMs: 0, failRate: 0, rateLimit: limit }, Math.random, () => now);
				let served = 0;
				for (const gap of gaps) {
					now += gap;
					const fault = faults.next();
					if (fault === undefined) {
						served++;
						continue;
					}
					const { answer } = fault as { answer: { status: number; headers: Record<string, string> } };
					expect(answer.status).toBe(429);
					const wait = Number(answer.headers['Retry-After']);
					expect(wait).toBeGreaterThanOrEqual(1);
					now += wait * 1000;
					expect(faults.next()).toBeUndefined();
					served++;
				}
				expect(served).toBeLessThanOrEqual(limit + (now / 1000) * limit + 1);
			},
		),
	);
});

test("a quiet minute is not saved up: no more than a second's worth comes at once", () => {
	let now = 0;
	const faults = createFaults({ latencyMs: 0, failRate: 0, rateLimit: 5 }, Math.random, () => now);
	now = 60_000;
	const drawn = Array.from({ length: 8 }, () => describe(faults.next()));
	expect(drawn).toEqual([...Array(5).fill('served'), ...Array(3).fill(429)]);
});

test('beyond the limit the answer is 429 in JSON with Retry-After', async () => {
	const sandbox = await start({ rateLimit: 2, clock: { now: Date.now, monotonic: () => 0, sleep: async () => {} } });
	await sandbox.call('GET', '/users/me');
	await sandbox.call('GET', '/users/me');
	const { status, body, headers } = await sandbox.call('GET', '/users/me');
	expect([status, headers.get('retry-after')]).toEqual([429, '1']);
	expect(body).toMatchObject({ code: 'rest_too_many_requests', data: { status: 429 } });
});

test('a dropped connection may come before or after the work was done, and an error comes before it', async () => {
	const sandbox = await start({ failRate: 1, faultSeed: 3 });
	const seen = new Set<string>();
	for (let round = 0; round < 60; round++) {
		const { slug } = sandbox.store.tickets.get(14) as { slug: string };
		const wanted = `round-${round}`;
		const answer = await sandbox.call('POST', '/tickets/14', { slug: wanted }).catch(() => undefined);
		const done = sandbox.store.tickets.get(14)?.slug === wanted;
		if (!done) expect(sandbox.store.tickets.get(14)?.slug).toBe(slug);
		seen.add(`${answer?.status ?? 'dropped'}${done ? ' done' : ''}`);
	}
	expect(seen).toEqual(new Set(['500', '502', '503', 'dropped', 'dropped done']));
	expect(new Set(sandbox.requests.map((each) => each.status))).toEqual(new Set([0, 500, 502, 503]));
});

test('latency is waited before each answer', async () => {
	const waited: number[] = [];
	const sleep = async (ms: number): Promise<void> => {
		waited.push(ms);
	};
	const sandbox = await start({ latencyMs: 250, clock: { now: Date.now, monotonic: () => 0, sleep } });
	await sandbox.call('GET', '/users/me');
	await sandbox.call('POST', '/tickets/14', { status: 'hold' });
	expect(waited).toEqual([250, 250]);
});
