import { describe, expect, it } from 'vitest';
import { endpoints } from '../../src/api/endpoints.js';
import { createPlanner } from '../../src/api/request.js';
import { AdaptivePace, type PaceOptions } from '../../src/bulk/pace.js';
import { runEngine } from '../../src/bulk/run/engine.js';
import type { RunRow } from '../../src/bulk/run/rows.js';
import { send } from '../../src/http/send.js';
import { bucket, chances, perSecond, type SmallHost, smallHost, workers } from '../support/small-host.js';
import { VirtualClock } from '../support/virtual-clock.js';

const plan = createPlanner(endpoints['ticket.update']);

async function* rowsOf(count: number): AsyncGenerator<RunRow[]> {
	for (let row = 1; row <= count; row += 100) {
		yield Array.from({ length: Math.min(100, count - row + 1) }, (_, index) => ({
			row: row + index,
			request: plan({ ids: { id: String(row + index) }, fields: { status: 'hold' } }),
		}));
	}
}

interface RunFacts {
	outcomes: Record<string, number>;
	seconds: number;
	/** Served a second, and the share of requests that were refused, both from the tenth second on. */
	rate: number;
	refused: number;
	mostAttempts: number;
}

interface Run {
	rows: number;
	concurrency: number;
	rate?: number;
	seed?: number;
}

/** Runs so many rows against a host, in virtual time, and says how it went. */
async function run(
	make: (clock: VirtualClock) => SmallHost,
	{ rows, concurrency, rate, seed = 1 }: Run,
): Promise<RunFacts> {
	const clock = new VirtualClock();
	const host = make(clock);
	const random = chances(seed);
	const pace = new AdaptivePace({ clock, random, rate });
	const outcomes: Record<string, number> = {};
	let mostAttempts = 0;
	await clock.run(
		runEngine({
			rows: rowsOf(rows),
			limit: () => concurrency,
			stop: new AbortController().signal,
			async perform({ request }) {
				const { outcome, attempts } = await send(host, request, { retries: 4, clock, random, pace });
				outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
				mostAttempts = Math.max(mostAttempts, attempts);
			},
		}),
	);
	const end = clock.monotonic();
	const late = host.log.filter((each) => each.at > 10_000);
	const refused = late.filter((each) => each.refused).length;
	return {
		outcomes,
		seconds: end / 1000,
		rate: ((late.length - refused) * 1000) / (end - 10_000),
		refused: refused / Math.max(1, late.length),
		mostAttempts,
	};
}

describe('a host that serves 40 a second', () => {
	const random = () => chances(7);
	const hosts: Record<string, (clock: VirtualClock) => SmallHost> = {
		'and holds 40 in store': (clock) =>
			smallHost({ clock, random: random(), admission: bucket(40, 40), latencyMs: 20 }),
		'and holds 5 in store': (clock) => smallHost({ clock, random: random(), admission: bucket(40, 5), latencyMs: 20 }),
		'and holds nothing in store': (clock) =>
			smallHost({ clock, random: random(), admission: bucket(40, 1.2), latencyMs: 20 }),
		'in each second of the clock': (clock) =>
			smallHost({ clock, random: random(), admission: perSecond(40), latencyMs: 20 }),
		'and takes 200 ms for each': (clock) =>
			smallHost({ clock, random: random(), admission: bucket(40, 10), latencyMs: 200 }),
		'with two workers and a short queue': (clock) => workers(clock, 2, 50, 4),
		'with eight slow workers and a queue': (clock) => workers(clock, 8, 200, 8),
	};

	for (const [name, make] of Object.entries(hosts)) {
		it.each([16, 64, 1024])(
			`${name} is asked for nearly that, and seldom refuses: %i at a time`,
			async (concurrency) => {
				const facts = await run(make, { rows: 1600, concurrency });
				expect(facts.outcomes).toEqual({ ok: 1600 });
				expect(facts.rate).toBeGreaterThan(31);
				expect(facts.rate).toBeLessThan(43);
				expect(facts.refused).toBeLessThan(0.06);
			},
		);
	}

	it.each([4, 16])(
		'or ten, in each second of the clock, loses hardly one of 10,000 rows: %i at a time',
		async (each) => {
			let lost = 0;
			for (let seed = 1; seed <= 80; seed++) {
				const rate = seed % 2 === 0 ? 40 : 10;
				const make = (clock: VirtualClock) => {
					const admission = perSecond(rate, () => ({ 'retry-after': seed % 4 < 2 ? 'soon' : '0' }));
					// Runs begin anywhere in a second.
					return smallHost({
						clock,
						random: chances(seed),
						admission: (now) => admission(now + seed * 137),
						latencyMs: 5,
					});
				};
				lost += 250 - ((await run(make, { rows: 250, concurrency: each, seed })).outcomes.ok ?? 0);
			}
			expect(lost).toBeLessThanOrEqual(2);
		},
	);

	it('is not crept up to where its refusals are there before its first answers', async () => {
		for (let seed = 1; seed <= 8; seed++) {
			const make = (clock: VirtualClock) =>
				smallHost({ clock, random: random(), admission: perSecond(40), latencyMs: 20 });
			expect((await run(make, { rows: 1600, concurrency: 64, seed })).seconds, `seed ${seed}`).toBeLessThan(55);
		}
	});

	it('and asks for a pause each time gets it, and most of the time something to do', async () => {
		const later = () => ({ 'retry-after': '1' });
		const make = (clock: VirtualClock) =>
			smallHost({ clock, random: random(), admission: perSecond(40, later), latencyMs: 20, status: 429 });
		for (const concurrency of [4, 64]) {
			const facts = await run(make, { rows: 1600, concurrency });
			expect(facts.outcomes).toEqual({ ok: 1600 });
			expect(facts.rate).toBeGreaterThan(32);
			expect(facts.refused).toBeLessThan(0.04);
		}
	});

	it('and takes one at a time, is not overrun', async () => {
		for (const concurrency of [4, 64]) {
			const facts = await run((clock) => workers(clock, 1, 25, 0), { rows: 1600, concurrency });
			expect(facts.outcomes).toEqual({ ok: 1600 });
			expect(facts.rate).toBeGreaterThan(24);
			expect(facts.refused).toBeLessThan(0.1);
		}
	});
});

describe('other hosts', () => {
	it.each([
		[2, 2, 4, 300],
		[2, 2, 16, 300],
		[3, 3, 4, 450],
		[3, 3, 16, 450],
		[500, 50, 64, 20_000],
	])(
		'that serve %i a second, %i at once, are found just as well: %i at a time',
		async (rate, burst, concurrency, rows) => {
			const make = (clock: VirtualClock) =>
				smallHost({ clock, random: chances(3), admission: bucket(rate, burst), latencyMs: 20 });
			const facts = await run(make, { rows, concurrency });
			expect(facts.outcomes).toEqual({ ok: rows });
			expect(facts.rate).toBeGreaterThan(rate * 0.85);
			expect(facts.refused).toBeLessThan(0.1);
		},
	);

	it('that refuse nothing are not held back', async () => {
		const make = (clock: VirtualClock) => smallHost({ clock, admission: () => true, latencyMs: 25 });
		const facts = await run(make, { rows: 6400, concurrency: 16 });
		expect(facts.seconds).toBeCloseTo(10, 1);
	});

	it('that refuse once do not pay for it long', async () => {
		const make = (clock: VirtualClock) => {
			let count = 0;
			return smallHost({ clock, admission: () => (++count === 500 ? {} : true), latencyMs: 25 });
		};
		expect((await run(make, { rows: 6400, concurrency: 16 })).seconds).toBeLessThan(11);
	});

	it('that serve five in each second of the clock are not taken for hosts that refuse by chance', async () => {
		for (let seed = 1; seed <= 40; seed++) {
			const make = (clock: VirtualClock) => {
				const admission = perSecond(5);
				return smallHost({
					clock,
					random: chances(seed),
					admission: (now) => admission(now + seed * 137),
					latencyMs: 5,
				});
			};
			const facts = await run(make, { rows: 200, concurrency: 4, seed });
			expect(facts.refused, `seed ${seed}`).toBeLessThan(0.15);
		}
	});

	it('that refuse the first request of all and a tenth of the others by chance mostly get the run done soon', async () => {
		const took: number[] = [];
		for (let seed = 1; seed <= 40; seed++) {
			const make = (clock: VirtualClock) => {
				const random = chances(seed);
				let count = 0;
				const admission = () => (count++ === 0 || random() < 0.1 ? {} : (true as const));
				return smallHost({ clock, random, admission, latencyMs: 5 });
			};
			took.push((await run(make, { rows: 250, concurrency: 16, seed })).seconds);
		}
		expect(took.filter((seconds) => seconds < 10).length).toBeGreaterThan(30);
	});

	it.each([
		[0.01, 16, 3],
		[0.05, 16, 15],
		[0.2, 16, 30],
		[0.2, 4, 90],
		[0.5, 16, 110],
	])(
		'that refuse a share of %d whatever the rate are not slowed down for it to a crawl: %i at a time within %i s',
		async (share, concurrency, seconds) => {
			const make = (clock: VirtualClock) => {
				const random = chances(7);
				return smallHost({ clock, random, admission: () => (random() < share ? {} : true), latencyMs: 25 });
			};
			const facts = await run(make, { rows: 1000, concurrency });
			expect(facts.seconds).toBeLessThan(seconds);
			expect(facts.outcomes.ok).toBeGreaterThan(950);
		},
	);

	it('that are out for a while get a request now and then, and no row pays for it with its attempts', async () => {
		const outage = { from: 2000, to: 62_000 };
		let during = 0;
		const make = (clock: VirtualClock) =>
			smallHost({
				clock,
				random: chances(5),
				admission: (now) => {
					if (now < outage.from || now > outage.to) return true;
					during++;
					return {};
				},
				latencyMs: 25,
			});
		const facts = await run(make, { rows: 4000, concurrency: 16 });
		expect(facts.outcomes).toEqual({ ok: 4000 });
		expect(during).toBeLessThan(50);
		expect(facts.seconds).toBeLessThan(100);
	});
});

describe('a fixed rate', () => {
	it.each([1, 40, 2000])('of %i a second is kept', async (rate) => {
		const make = (clock: VirtualClock) => smallHost({ clock, admission: () => true, latencyMs: 25 });
		const rows = rate * 5;
		const facts = await run(make, { rows, concurrency: 64, rate });
		expect(facts.seconds).toBeGreaterThan(4);
		expect(facts.seconds).toBeLessThan(5.2);
	});

	it('is not made up for after a pause by more than an instant', async () => {
		const clock = new VirtualClock();
		const pace = new AdaptivePace({ clock, random: () => 0, rate: 10 });
		const gone: number[] = [];
		const go = async (): Promise<void> => {
			await pace.ready(undefined);
			gone.push(Math.round(clock.monotonic()));
		};
		await clock.run(go());
		await clock.run(clock.sleep(5000));
		await clock.run(Promise.all([go(), go(), go()]));
		expect(gone).toEqual([0, 5000, 5090, 5190]);
	});
});

describe('the line', () => {
	const startPace = (more: Partial<PaceOptions> = {}) => {
		const clock = new VirtualClock();
		return { clock, pace: new AdaptivePace({ clock, random: () => 0, ...more }) };
	};

	it('is left at once when the run stops', async () => {
		const { clock, pace } = startPace({ rate: 1 });
		const stop = new AbortController();
		const waits = Promise.all([1, 2, 3].map(() => pace.ready(stop.signal)));
		stop.abort();
		await clock.run(waits);
		expect(clock.monotonic()).toBe(0);
		expect(pace.ready(stop.signal)).toBeUndefined();
	});

	it('waits for as long as the service asks, but not for years', async () => {
		const { clock, pace } = startPace();
		pace.refused(0, 3000);
		await clock.run(pace.ready(undefined) ?? Promise.resolve());
		expect(clock.monotonic()).toBe(3000);
		pace.refused(3000, 365 * 86_400_000);
		await clock.run(pace.ready(undefined) ?? Promise.resolve());
		expect(clock.monotonic()).toBe(3000 + 600_000);
	});

	it('lets one request through after a standstill, and another where that one is never answered', async () => {
		const { clock, pace } = startPace();
		for (let count = 0; count < 20; count++) pace.refused(clock.monotonic(), undefined);
		const gone: number[] = [];
		const waits = [1, 2, 3].map(async () => {
			await pace.ready(undefined);
			gone.push(clock.monotonic());
		});
		await clock.run(clock.sleep(5800));
		expect(gone).toEqual([500, 5500]);
		pace.answered(5500);
		await clock.run(Promise.all(waits));
		expect(gone).toHaveLength(3);
	});

	it('takes no news from requests that were sent at an earlier rate', async () => {
		const { clock, pace } = startPace();
		await clock.run(clock.sleep(1000));
		for (let count = 0; count < 20; count++) pace.refused(1000, undefined);
		pace.answered(900);
		expect(pace.ready(undefined)).toBeInstanceOf(Promise);
		expect(pace.rate).toBe(Number.POSITIVE_INFINITY);
	});
});

describe('a host that takes longer for an answer than a probe is waited for', () => {
	it.each([6000, 12_000])(
		'%i ms, is left alone after its refusals no longer than it takes to see',
		async (latencyMs) => {
			let admitted = 0;
			const make = (clock: VirtualClock) => smallHost({ clock, admission: () => ++admitted > 8 || {}, latencyMs });
			const facts = await run(make, { rows: 160, concurrency: 8 });
			expect(facts.outcomes).toEqual({ ok: 160 });
			// 20 rounds of eight, and a few for the refusals, the probe and the growth.
			expect(facts.seconds).toBeLessThan((latencyMs / 1000) * 40);
		},
	);
});
