/** `-j auto` against services with a number of workers, in virtual time. */

import { describe, expect, it } from 'vitest';
import { AutoConcurrency } from '../../../src/bulk/run/concurrency.js';
import { chances } from '../../support/small-host.js';
import { VirtualClock } from '../../support/virtual-clock.js';

interface Service {
	workers: (now: number) => number;
	ms: (now: number) => number;
}

/** Requests that took part in a run: when each was sent and when it ended. */
interface Facts {
	ends: number[];
	most: number;
	limits: { at: number; limit: number }[];
}

async function run({ workers, ms }: Service, seconds: number, fixed?: number): Promise<Facts> {
	const clock = new VirtualClock();
	const chance = chances(5);
	const concurrency = new AutoConcurrency();
	let wake = (): void => undefined;
	let changed = new Promise<void>((resolve) => (wake = resolve));
	const facts: Facts = { ends: [], most: 0, limits: [] };
	const busy: number[] = [];
	let underWay = 0;
	const request = async (): Promise<void> => {
		const now = clock.monotonic();
		underWay++;
		facts.most = Math.max(facts.most, underWay);
		busy.length = workers(now);
		for (let index = 0; index < busy.length; index++) busy[index] ??= 0;
		const next = busy.indexOf(Math.min(...busy));
		const begins = Math.max(now + 0.5, busy[next] as number);
		busy[next] = begins + ms(now) * (0.9 + 0.2 * chance());
		await clock.sleep((busy[next] as number) - now + 0.5);
		underWay--;
		facts.ends.push(clock.monotonic());
		const { limit } = concurrency;
		concurrency.note(clock.monotonic() - now);
		if (concurrency.limit > limit) {
			wake();
			changed = new Promise((resolve) => (wake = resolve));
		}
		facts.limits.push({ at: clock.monotonic(), limit: concurrency.limit });
	};
	const worker = async (index: number): Promise<void> => {
		while (clock.monotonic() < seconds * 1000) {
			if (index < (fixed ?? concurrency.limit)) await request();
			else await Promise.race([changed, clock.sleep(seconds * 1000 - clock.monotonic())]);
		}
	};
	await clock.run(Promise.all(Array.from({ length: 64 }, (_, index) => worker(index))));
	return facts;
}

const rate = ({ ends }: Facts, from: number, to: number): number =>
	ends.filter((at) => at >= from * 1000 && at < to * 1000).length / (to - from);

describe('-j auto', () => {
	it.each([1, 4, 32])('serves a service of %i workers as fast as the best fixed number', async (count) => {
		const service: Service = { workers: () => count, ms: () => 25 };
		const best = await run(service, 20, count + 1);
		const auto = await run(service, 20);
		expect(rate(auto, 0, 20)).toBeGreaterThan(0.9 * rate(best, 0, 20));
		expect(auto.most).toBeLessThanOrEqual(2 * count);
	});

	it('is back within two seconds when the service loses workers', async () => {
		const facts = await run({ workers: (now) => (now < 10_000 ? 32 : 4), ms: () => 25 }, 20);
		expect(
			Math.min(...facts.limits.filter(({ at }) => at > 9000 && at < 10_000).map(({ limit }) => limit)),
		).toBeGreaterThan(24);
		expect(Math.max(...facts.limits.filter(({ at }) => at > 12_000).map(({ limit }) => limit))).toBeLessThanOrEqual(8);
		expect(rate(facts, 12, 20)).toBeGreaterThan(0.9 * 160);
	});

	it('keeps its number where each request becomes slower by itself', async () => {
		const facts = await run({ workers: () => 32, ms: (now) => (now < 10_000 ? 25 : 75) }, 40);
		expect(rate(facts, 30, 40)).toBeGreaterThan(0.85 * (32 / 0.076));
	});
});
