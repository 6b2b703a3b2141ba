/** Runs rows against a service that exists only as a function, on a clock of its own: minutes of a run in milliseconds. */

import { setMaxListeners } from 'node:events';
import { endpoints } from '../../src/api/endpoints.js';
import { createPlanner } from '../../src/api/request.js';
import { AdaptivePace } from '../../src/bulk/pace.js';
import { runEngine } from '../../src/bulk/run/engine.js';
import type { RunRow } from '../../src/bulk/run/rows.js';
import type { Client } from '../../src/http/client.js';
import type { OutcomeName } from '../../src/http/outcome.js';
import type { Response } from '../../src/http/response.js';
import { send } from '../../src/http/send.js';
import { chances } from './small-host.js';
import { VirtualClock } from './virtual-clock.js';

export interface VirtualAnswer {
	/** 0 for a connection that drops. */
	status: number;
	headers?: Record<string, string>;
	/** How long the service holds the request before it responds, in milliseconds. */
	delayMs?: number;
}

/** What the service responses to a request that arrives at `now`, in milliseconds; undefined for no responder ever. */
export type VirtualService = (now: number) => VirtualAnswer | undefined;

export interface VirtualRunOptions {
	service: VirtualService;
	workers: number;
	/** From a request to its responder, in milliseconds. */
	latencyMs?: number;
	seconds: number;
	/** `--rate`. */
	rate?: number;
	retries?: number;
	/** The run ends by itself after so many rows. */
	rows?: number;
	seed?: number;
	/** So many processes share the rows and know nothing of each other. */
	shards?: number;
}

export interface VirtualRun {
	/** Every request: when it arrived, and its responder's status. */
	requests: { at: number; status: number | undefined }[];
	outcomes: Partial<Record<OutcomeName, number>>;
	/** Rows with an outcome, in the order of their ends. */
	done: number[];
	/** When it was over, in milliseconds. */
	ms: number;
}

function responseOf({ status, headers = {} }: VirtualAnswer, path: string): Response {
	const id = /\d+$/.exec(path)?.[0];
	const page = '<html><title>Bad gateway</title></html>';
	const refusal = status === 502 || status === 504 ? page : '{"code":"rest_refused","message":"not now"}';
	const body = Buffer.from(status < 300 ? `{"id":${id}}` : refusal);
	return { status, headers: { 'content-type': 'application/json', ...headers }, body, sent: true, ms: 1 };
}

function lost(code: string): Response {
	const problem = { code, message: 'no response', permanent: false };
	return { status: 0, headers: {}, body: Buffer.alloc(0), problem, sent: true, ms: 1 };
}

export async function virtualRun(options: VirtualRunOptions): Promise<VirtualRun> {
	const { service, latencyMs = 25, seconds, retries = 4, shards = 1 } = options;
	const clock = new VirtualClock();
	const random = chances(options.seed ?? 1);
	// Without it requests fall into step with what they meet.
	const jitter = chances(99);
	const run: VirtualRun = { requests: [], outcomes: {}, done: [], ms: 0 };
	const stop = new AbortController();
	setMaxListeners(0, stop.signal);
	const client: Pick<Client, 'send' | 'learned'> = {
		learned: { service: false, nameless: false, waitUntil: 0 },
		async send({ path }) {
			await clock.sleep((latencyMs / 2) * (0.8 + 0.4 * jitter()));
			const responder = service(clock.monotonic());
			run.requests.push({ at: clock.monotonic(), status: responder?.status });
			if (responder === undefined) {
				await clock.sleep(30_000, stop.signal);
				return lost('timeout');
			}
			await clock.sleep(latencyMs / 2 + (responder.delayMs ?? 0));
			if (responder.status === 0) return lost('connection_lost');
			return responseOf(responder, path);
		},
	};
	const plan = createPlanner(endpoints['ticket.update']);
	async function* rows(shard: number): AsyncGenerator<RunRow[]> {
		for (let row = shard; row <= (options.rows ?? Number.POSITIVE_INFINITY); row += shards) {
			yield [{ row, request: plan({ ids: { id: String(row) }, fields: { status: 'hold' } }) }];
		}
	}
	const startShard = (shard: number): Promise<void> => {
		const pace = new AdaptivePace({ clock, random, rate: options.rate });
		const delivery = { retries, clock, random, pace, stop: stop.signal };
		return runEngine({
			rows: rows(shard),
			limit: () => options.workers,
			stop: stop.signal,
			async perform({ row, request }) {
				const { outcome } = await send(client as Client, request, delivery);
				if (stop.signal.aborted) return;
				run.outcomes[outcome] = (run.outcomes[outcome] ?? 0) + 1;
				run.done.push(row);
			},
		});
	};
	const work = Promise.all(Array.from({ length: shards }, (_, index) => startShard(index + 1)));
	await clock.run(work, seconds * 1000);
	run.ms = clock.monotonic();
	stop.abort();
	await clock.run(work);
	return run;
}
