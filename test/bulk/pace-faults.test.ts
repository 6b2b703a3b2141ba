/** What faults and refusals of a service cost a run, in virtual time: behind 30 ms with four requests at a time. */

import { describe, expect, it } from 'vitest';
import { chances } from '../support/small-host.js';
import { type VirtualAnswer, type VirtualRun, type VirtualService, virtualRun } from '../support/virtual-run.js';

const SEEDS = [1, 2, 3, 4, 5];

/** A share of the responses, whatever the rate. */
function sometimes(share: number, answer: VirtualAnswer, seed: number): VirtualService {
	const chance = chances(1000 + seed);
	return () => (chance() < share ? answer : { status: 200 });
}

const runOf = (rows: number, service: VirtualService, seed = 1): Promise<VirtualRun> =>
	virtualRun({ service, workers: 4, latencyMs: 30, seconds: 3600, rows, seed });

const countOf = ({ requests }: VirtualRun, status: number): number =>
	requests.filter((each) => each.status === status).length;

describe('a fault is retried by its row and slows no other', () => {
	it.each([
		{ what: 'pages of a gateway', share: 0.08, status: 502, times: 1.6 },
		{ what: 'timeouts of a gateway', share: 0.08, status: 504, times: 1.6 },
		{ what: 'errors of the service', share: 0.08, status: 500, times: 1.5 },
		{ what: 'dropped connections', share: 0.05, status: 0, times: 1.5 },
		{ what: 'pages of a gateway', share: 0.17, status: 502, times: 2.7 },
	])('$what, $share of all', async ({ share, status, times }) => {
		const without = await runOf(500, () => ({ status: 200 }));
		for (const seed of SEEDS) {
			const run = await runOf(500, sometimes(share, { status }, seed), seed);
			expect(run.ms, `seed ${seed}`).toBeLessThan(times * without.ms);
			// The service's own 500 is not sent a third time.
			if (status !== 500) expect(run.outcomes).toEqual({ ok: 500 });
		}
	});

	it('while nothing but faults comes, single requests find out when that is over, and no row is lost', async () => {
		const isAway = (now: number): boolean => now > 1000 && now < 21_000;
		const run = await runOf(2000, (now) => ({ status: isAway(now) ? 502 : 200 }));
		expect(run.requests.filter(({ at }) => isAway(at)).length).toBeLessThan(30);
		expect(run.outcomes.ok).toBeGreaterThanOrEqual(1996);
		expect(run.ms).toBeLessThan(60_000);
	});
});

describe('a service that asks to wait gets just that', () => {
	it.each([
		{ share: 0.02, status: 429, seconds: 1 },
		{ share: 0.02, status: 503, seconds: 2 },
		{ share: 0.005, status: 429, seconds: 5 },
	])('$status for $share of all, with Retry-After: $seconds', async ({ share, status, seconds }) => {
		for (const rows of [500, 3000]) {
			const without = await runOf(rows, () => ({ status: 200 }));
			for (const seed of SEEDS) {
				const answer = { status, headers: { 'retry-after': String(seconds) } };
				const run = await runOf(rows, sometimes(share, answer, seed), seed);
				const refusals = countOf(run, status);
				expect(run.ms, `seed ${seed}, ${rows} rows`).toBeLessThan(1.2 * (without.ms + refusals * seconds * 1000));
				expect(run.outcomes).toEqual({ ok: rows });
			}
		}
	});
});
