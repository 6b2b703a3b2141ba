/** The rate of a run behind nginx's limit_req, in virtual time: how much longer than ideal it takes, and how much is refused. */

import { describe, expect, it } from 'vitest';
import { RateFinder } from '../../src/bulk/rate.js';
import { type VirtualRun, type VirtualService, virtualRun } from '../support/virtual-run.js';

interface Limit {
	/** Requests a second, and how many more may wait. */
	rate: number | ((now: number) => number);
	burst?: number;
	status?: number;
	retryAfter?: (now: number) => string;
}

/** As nginx counts: `burst` requests are held back until it is their turn; what comes beyond is refused. */
function limitReq({ rate, burst = 0, status = 503, retryAfter }: Limit): VirtualService {
	let excess = 0;
	let last: number | undefined;
	return (now) => {
		const present = typeof rate === 'number' ? rate : rate(now);
		const next = last === undefined ? 0 : Math.max(0, excess - (present * (now - last)) / 1000 + 1);
		if (next > burst) return { status, ...(retryAfter && { headers: { 'retry-after': retryAfter(now) } }) };
		excess = next;
		last = now;
		return { status: 200, delayMs: (next / present) * 1000 };
	};
}

const inOneSecond = (now: number): string => new Date(Date.UTC(2026, 10, 21) + now + 1000).toUTCString();

interface Case extends Limit {
	rate: number;
	rows: number;
	workers?: number;
	shards?: number;
	/** At most so many times the ideal time, and so many refusals a row, each as the mean of three runs. */
	time: number;
	refused: number;
}

const refusalsOf = ({ requests }: VirtualRun): number => requests.filter(({ status }) => status !== 200).length;

describe('behind a limit', () => {
	it.each<Case>([
		{ rate: 20, rows: 500, time: 1.15, refused: 0.03 },
		{ rate: 20, rows: 500, status: 429, time: 1.15, refused: 0.03 },
		{ rate: 20, rows: 500, burst: 10, time: 1.02, refused: 0.01 },
		{ rate: 20, rows: 2000, time: 1.1, refused: 0.03 },
		{ rate: 20, rows: 500, workers: 16, time: 1.15, refused: 0.06 },
		{ rate: 20, rows: 500, status: 429, retryAfter: () => '0', time: 1.15, refused: 0.03 },
		{ rate: 20, rows: 500, status: 429, retryAfter: () => '1', time: 1.3, refused: 0.03 },
		{ rate: 20, rows: 500, status: 429, retryAfter: inOneSecond, time: 1.3, refused: 0.03 },
		{ rate: 20, rows: 2000, status: 429, retryAfter: () => '1', time: 1.13, refused: 0.01 },
		{ rate: 100, rows: 1500, status: 429, retryAfter: () => '1', time: 1.6, refused: 0.01 },
		{ rate: 5, rows: 150, time: 1.2, refused: 0.15 },
		{ rate: 100, rows: 1500, burst: 20, time: 1.02, refused: 0.01 },
		{ rate: 100, rows: 1500, time: 1.35, refused: 0.03 },
		{ rate: 1000, rows: 6000, burst: 20, workers: 16, time: 1.15, refused: 0.03 },
		{ rate: 20, rows: 1000, burst: 10, shards: 4, time: 1.25, refused: 0.08 },
		{ rate: 20, rows: 1000, burst: 10, shards: 8, time: 1.4, refused: 0.25 },
		{ rate: 20, rows: 1000, burst: 20, shards: 4, time: 1.05, refused: 0.02 },
		{ rate: 20, rows: 1000, burst: 20, shards: 8, time: 1.25, refused: 0.12 },
	])(
		'a run takes hardly longer than it must, and little is refused: $rate a second, $burst, $rows rows, $shards',
		async (each) => {
			let time = 0;
			let refused = 0;
			for (const seed of [1, 2, 3]) {
				const run = await virtualRun({
					service: limitReq(each),
					workers: 4,
					latencyMs: 8,
					seconds: 3600,
					seed,
					...each,
					rate: undefined,
				});
				// Processes that share a limit without a burst of its own can refuse each other's rows.
				expect(run.outcomes.ok).toBeGreaterThanOrEqual(each.shards === undefined ? each.rows : 0.995 * each.rows);
				time += run.ms / 1000 / (each.rows / each.rate) / 3;
				refused += refusalsOf(run) / each.rows / 3;
			}
			expect(time).toBeLessThan(each.time);
			expect(refused).toBeLessThan(each.refused);
		},
	);

	it('that rises and falls, the run follows', async () => {
		const service = limitReq({ rate: (now) => (now > 20_000 && now < 60_000 ? 60 : 20) });
		const run = await virtualRun({ service, workers: 4, latencyMs: 8, seconds: 100 });
		const served = (from: number, to: number): number =>
			run.requests.filter(({ at, status }) => status === 200 && at >= from * 1000 && at < to * 1000).length /
			(to - from);
		expect(served(5, 20)).toBeGreaterThan(17);
		expect(served(40, 60)).toBeGreaterThan(48);
		expect(served(65, 100)).toBeGreaterThan(17);
		expect(refusalsOf(run) / run.done.length).toBeLessThan(0.05);
		expect(Object.keys(run.outcomes)).toEqual(['ok']);
	});
});

describe('a rate', () => {
	/** Cut at 1000 ms, after forty responses. */
	function cut(): RateFinder {
		const finder = new RateFinder(() => 1);
		for (let response = 0; response < 40; response++) finder.served(response * 25, 0, false);
		for (let refusal = 0; refusal < 2; refusal++) finder.refused(1000, 900, 0);
		expect(finder.rate).toBeLessThan(100);
		return finder;
	}

	it('grows with responses to what was sent at it, if anything waited for it', () => {
		const finder = cut();
		const { rate } = finder;
		finder.served(1100, 900, true);
		finder.served(1100, 1050, false);
		expect(finder.rate).toBe(rate);
		finder.served(1100, 1050, true);
		expect(finder.rate).toBeGreaterThan(rate);
	});

	it('is not given up for faults that come close upon a response, however many', () => {
		const finder = cut();
		finder.served(1500, 1400, true);
		for (let fault = 0; fault < 50; fault++) finder.failed(1600, 1550);
		expect(finder.probes).toBeUndefined();
		finder.failed(1900, 1550);
		expect(finder.probes).toBe(0);
	});

	it('waits no longer than ten minutes for a service that asks for more', () => {
		const finder = new RateFinder(() => 0);
		finder.refused(0, 0, 3_600_000);
		expect(finder.pausedUntil).toBe(600_000);
	});

	it('is probed at least every 22.5 s, however many probes failed', () => {
		const finder = new RateFinder(() => 1);
		for (let fault = 0; fault < 10; fault++) finder.failed(0, 0);
		for (let probe = 0; probe < 12; probe++) {
			const now = finder.pausedUntil;
			finder.sent(now);
			finder.failed(now, now);
			expect(finder.pausedUntil - now).toBeLessThanOrEqual(22_500);
		}
		expect(finder.probes).toBe(12);
	});
});
