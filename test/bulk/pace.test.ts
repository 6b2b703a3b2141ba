import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { AdaptivePace } from '../../src/bulk/pace.js';
import { chances } from '../support/small-host.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { type VirtualRun, type VirtualService, virtualRun } from '../support/virtual-run.js';

/** Refuses what goes beyond so many a second, after a burst of a second's worth. */
function tokenBucket(rate: number): VirtualService {
	let tokens = rate;
	let filled = 0;
	return (now) => {
		tokens = Math.min(rate, tokens + ((now - filled) / 1000) * rate);
		filled = now;
		if (tokens < 1) return { status: 429 };
		tokens--;
		return { status: 200 };
	};
}

/** Takes so many in each second of the clock and refuses the rest of them. */
function fixedWindow(rate: number): VirtualService {
	let window = -1;
	let used = 0;
	return (now) => {
		const present = Math.floor(now / 1000);
		if (present !== window) used = 0;
		window = present;
		return { status: ++used <= rate ? 200 : 503 };
	};
}

/** Of the requests from one second to another: how many a second were served, and which share was refused. */
function look({ requests }: VirtualRun, from: number, to: number): { served: number; refused: number } {
	const part = requests.filter(({ at }) => at >= from * 1000 && at < to * 1000);
	const served = part.filter(({ status }) => status === 200).length;
	return { served: served / (to - from), refused: 1 - served / part.length };
}

describe('against an unknown limit', () => {
	const cases = [tokenBucket, fixedWindow].flatMap((service) =>
		[5, 40, 400].flatMap((rate) => [4, 16].map((workers) => ({ name: service.name, service, rate, workers }))),
	);
	it.each(cases)('$name of $rate a second, $workers workers: near it, and few refused', async (each) => {
		const run = await virtualRun({ service: each.service(each.rate), workers: each.workers, seconds: 40 });
		const { served, refused } = look(run, 10, 40);
		expect(served).toBeGreaterThan(0.75 * Math.min(each.rate, each.workers * 40));
		expect(refused).toBeLessThan(0.1);
		expect(Object.keys(run.outcomes)).toEqual(['ok']);
	});

	it('a host that never refused is never held back', async () => {
		const run = await virtualRun({ service: () => ({ status: 200 }), workers: 16, seconds: 5 });
		expect(look(run, 0, 5).served).toBeGreaterThan(0.99 * 640);
	});
});

describe('refusals that ask for no wait', () => {
	it.each([0.04, 0.2])('do not slow a run down: %d of all', async (share) => {
		const chance = chances(7);
		const service: VirtualService = () =>
			chance() < share ? { status: 429, headers: { 'retry-after': '0' } } : { status: 200 };
		const run = await virtualRun({ service, workers: 4, seconds: 120, rows: 400 });
		expect(run.outcomes).toEqual({ ok: 400 });
		expect(run.ms).toBeLessThan(share < 0.1 ? 6000 : 40_000);
	});
});

describe('while everything is refused', () => {
	const away = (from: number, to: number, headers: Record<string, string> = {}): VirtualService => {
		return (now) => (now >= from * 1000 && now < to * 1000 ? { status: 429, headers } : { status: 200 });
	};

	it.each([
		[1, {}],
		[4, {}],
		[16, {}],
		[1, { 'retry-after': '1' }],
		[4, { 'retry-after': '1' }],
		[4, { 'retry-after': '0' }],
		[4, { 'retry-after': 'soon' }],
	])('for the first 5 s, no row of %i workers is lost, nor later than it must be (%j)', async (workers, headers) => {
		const run = await virtualRun({ service: away(0, 5, headers), workers, seconds: 60, rows: 200 });
		expect(run.outcomes).toEqual({ ok: 200 });
		expect(run.ms).toBeLessThan(25_000);
		expect(run.requests.length).toBeLessThan(200 + 5 * workers);
	});

	it('for 20 s in the middle, the run returns to its rate soon after', async () => {
		const run = await virtualRun({ service: away(10, 30), workers: 16, seconds: 80 });
		expect(look(run, 0, 10).served).toBeGreaterThan(600);
		expect(look(run, 10, 30).served).toBe(0);
		expect(run.requests.filter(({ at }) => at > 10_000 && at < 30_000).length).toBeLessThan(50);
		expect(look(run, 55, 80).served).toBeGreaterThan(600);
		expect(Object.keys(run.outcomes)).toEqual(['ok']);
	});

	it('nothing is sent before Retry-After is over, by any row', async () => {
		let told = Number.POSITIVE_INFINITY;
		const service: VirtualService = (now) => {
			if (told !== Number.POSITIVE_INFINITY || now < 3000) return { status: 200 };
			told = now + 7000;
			return { status: 503, headers: { 'retry-after': '7' } };
		};
		const run = await virtualRun({ service, workers: 8, seconds: 20 });
		const latency = 25;
		expect(run.requests.filter(({ at }) => at > told - 7000 + latency && at < told)).toEqual([]);
		expect(Object.keys(run.outcomes)).toEqual(['ok']);
	});
});

describe('a probe that is never answered', () => {
	it('is followed by another, so that the run goes on', async () => {
		let count = 0;
		const service: VirtualService = () => {
			count++;
			if (count <= 4) return { status: 429 };
			return count === 5 ? undefined : { status: 200 };
		};
		const run = await virtualRun({ service, workers: 4, seconds: 30, rows: 100 });
		const [, , , , lost, next] = run.requests;
		expect(lost?.status).toBeUndefined();
		expect((next?.at ?? 0) - (lost?.at ?? 0)).toBeLessThan(6000);
		expect(run.done.length).toBeGreaterThanOrEqual(99);
	});
});

describe('a probe that is refused', () => {
	it('is followed by the next after twice the pause, though others wait in line', async () => {
		const service: VirtualService = (now) => ({ status: now < 6000 ? 429 : 200 });
		const { requests } = await virtualRun({ service, workers: 16, seconds: 20, rows: 100 });
		const probes = requests.slice(16, 20).map(({ at }) => at);
		const pauses = probes.map((at, index) => at - (probes[index - 1] ?? 0));
		// Each with up to a half more, and the way of a request.
		for (const [index, pause] of pauses.entries()) {
			expect(pause).toBeGreaterThan(500 * 2 ** index);
			expect(pause).toBeLessThan(750 * 2 ** index + 100);
		}
	});
});

describe('a fixed rate', () => {
	it('is held in every second, without a burst at the start', async () => {
		const run = await virtualRun({ service: () => ({ status: 200 }), workers: 16, seconds: 10, rate: 20 });
		for (let second = 0; second < 10; second++) {
			const { served } = look(run, second, second + 1);
			expect(served).toBeGreaterThanOrEqual(19);
			expect(served).toBeLessThanOrEqual(21);
		}
	});

	it('is a ceiling for what is found', async () => {
		const run = await virtualRun({ service: tokenBucket(100), workers: 16, seconds: 20, rate: 30 });
		expect(look(run, 0, 20)).toEqual({ served: expect.closeTo(30, 0), refused: 0 });
		const low = await virtualRun({ service: tokenBucket(10), workers: 16, seconds: 40, rate: 30 });
		expect(look(low, 10, 40).refused).toBeLessThan(0.1);
		expect(look(low, 10, 40).served).toBeGreaterThan(7.5);
	});
});

it('a rate that was asked for is held also after a limit above it was found', async () => {
	const clock = new VirtualClock();
	const pace = new AdaptivePace({ clock, random: () => 0, rate: 2 });
	for (let response = 0; response < 40; response++) pace.answered(0);
	for (let refusal = 0; refusal < 2; refusal++) pace.refused(0);
	expect(pace.rate).toBe(2);
	await clock.run(Promise.all([pace.ready(undefined), pace.ready(undefined), pace.ready(undefined)]));
	expect(clock.monotonic()).toBeGreaterThanOrEqual(900);
});

it('a rate does not grow with responses for which nothing waited', async () => {
	const clock = new VirtualClock();
	const pace = new AdaptivePace({ clock, random: () => 0 });
	for (let response = 0; response < 40; response++) pace.answered(0);
	for (let refusal = 0; refusal < 2; refusal++) pace.refused(0);
	await clock.run(Promise.resolve(pace.ready(undefined)));
	pace.answered(clock.monotonic());
	const { rate } = pace;
	for (let response = 0; response < 5; response++) pace.answered(clock.monotonic());
	expect(pace.rate).toBe(rate);
});

describe('whoever waits', () => {
	it('is let go at once when the run stops', async () => {
		const clock = new VirtualClock();
		const pace = new AdaptivePace({ clock, random: () => 0, rate: 0.01 });
		const stop = new AbortController();
		await pace.ready(stop.signal);
		const waits = pace.ready(stop.signal) as Promise<void>;
		stop.abort();
		await clock.run(waits);
		expect([clock.monotonic(), clock.sleeping]).toEqual([0, 0]);
	});

	it('can be told how long the pause is', () => {
		const clock = new VirtualClock();
		const pace = new AdaptivePace({ clock, random: () => 0 });
		expect(pace.pauseMs).toBe(0);
		pace.refused(0, 12_000);
		expect(pace.pauseMs).toBe(12_000);
	});

	it('does not pay twice for what was sent before the rate was cut', async () => {
		const clock = new VirtualClock();
		const pace = new AdaptivePace({ clock, random: () => 0 });
		for (let response = 0; response < 40; response++) pace.answered(0);
		await clock.run(clock.sleep(100));
		for (let refusal = 0; refusal < 2; refusal++) pace.refused(0, undefined);
		const { rate, pauseMs } = pace;
		expect(rate).toBeLessThan(400);
		for (let late = 0; late < 40; late++) pace.refused(0, undefined);
		expect(pace).toMatchObject({ rate, pauseMs });
	});

	it('is not held up by single refusals among many responses', () => {
		const pace = new AdaptivePace({ clock: new VirtualClock(), random: () => 0 });
		for (let part = 0; part < 10; part++) {
			for (let response = 0; response < 20; response++) pace.answered(0);
			pace.refused(0, undefined);
		}
		expect(pace.ready(undefined)).toBeUndefined();
		pace.refused(0, undefined);
		pace.refused(0, undefined);
		expect(pace.rate).toBeLessThan(Number.POSITIVE_INFINITY);
	});
});

it('whoever has left the line listens to the stop no longer', async () => {
	let now = 0;
	const clock = {
		monotonic: () => now,
		sleep: async (ms: number) => {
			now += ms;
		},
	};
	const pace = new AdaptivePace({ clock, random: () => 0, rate: 10 });
	const { signal } = new AbortController();
	for (let row = 0; row < 20; row++) await pace.ready(signal);
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});
