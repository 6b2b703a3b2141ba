/** Services of limited strength, as a client in virtual time: what they can serve, they serve; the rest they refuse. */

import type { Client } from '../../src/http/client.js';
import type { Response } from '../../src/http/response.js';
import type { VirtualClock } from './virtual-clock.js';

/** Numbers from 0 to 1 that look random and are always the same for a seed. */
export function chances(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** Says whether a request may be served now, and otherwise with which headers it is refused. */
export type Admission = (now: number) => true | Record<string, string>;

export interface SmallHost extends Client {
	/** When each request came, and whether it was refused. */
	readonly log: { at: number; refused: boolean }[];
	served: number;
}

/** Requests a second from a bucket that holds some in store. */
export function bucket(rate: number, burst: number, headers: Record<string, string> = {}): Admission {
	let tokens = burst;
	let last = 0;
	return (now) => {
		tokens = Math.min(burst, tokens + ((now - last) * rate) / 1000);
		last = now;
		if (tokens < 1) return headers;
		tokens--;
		return true;
	};
}

/** So many in each second on the clock; the rest of the second is refused. */
export function perSecond(rate: number, headers: (now: number) => Record<string, string> = () => ({})): Admission {
	let second = -1;
	let count = 0;
	return (now) => {
		if (Math.floor(now / 1000) !== second) {
			second = Math.floor(now / 1000);
			count = 0;
		}
		return ++count <= rate ? true : headers(now);
	};
}

export interface SmallHostOptions {
	clock: VirtualClock;
	/** 0 ≤ x < 1; without it every responder takes exactly as long, and requests fall into step. */
	random?: () => number;
	admission: Admission;
	/** How long a response takes. */
	latencyMs: number;
	status?: number;
}

export function smallHost({
	clock,
	random = () => 0.5,
	admission,
	latencyMs,
	status = 503,
}: SmallHostOptions): SmallHost {
	return hostThat(async (host) => {
		const at = clock.monotonic();
		const admitted = admission(at);
		host.log.push({ at, refused: admitted !== true });
		await clock.sleep((admitted === true ? latencyMs : Math.min(latencyMs, 5)) * (0.8 + 0.4 * random()));
		if (admitted !== true) return responder(status, 'busy', admitted);
		host.served++;
		return responder(204, '', {});
	});
}

function hostThat(respond: (host: SmallHost) => Promise<Response>): SmallHost {
	const host: SmallHost = {
		log: [],
		served: 0,
		send: () => respond(host),
		learned: { service: false, nameless: false, waitUntil: 0 },
		renew: () => {},
		close: async () => {},
	};
	return host;
}

function responder(status: number, body: string, headers: Record<string, string>): Response {
	return { status, headers, body: Buffer.from(body), sent: true, ms: 1 };
}

/**
 * A host with some workers, each busy for a while with a request, and a short queue; what finds the queue full is refused.
 */
export function workers(clock: VirtualClock, count: number, serviceMs: number, queue: number): SmallHost {
	const free: number[] = Array.from({ length: count }, () => 0);
	let waiting = 0;
	return hostThat(async (host) => {
		const at = clock.monotonic();
		const next = free.indexOf(Math.min(...free));
		const begins = Math.max(at, free[next] as number);
		const refused = begins > at && waiting >= queue;
		host.log.push({ at, refused });
		if (refused) {
			await clock.sleep(2);
			return responder(503, 'busy', {});
		}
		if (begins > at) waiting++;
		free[next] = begins + serviceMs;
		await clock.sleep(begins - at);
		if (begins > at) waiting--;
		await clock.sleep(serviceMs);
		host.served++;
		return responder(204, '', {});
	});
}
