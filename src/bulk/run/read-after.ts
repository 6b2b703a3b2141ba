/** Reads objects back after their writes, up to a hundred with one request, while other rows are sent. */

import type { Dialect } from '../../api/dialect.js';
import type { Request } from '../../api/plan.js';
import { readOfWrite } from '../../api/reads.js';
import type { Outcome } from '../../http/outcome.js';
import type { SendClock } from '../../http/send.js';
import { BATCH_SIZE, createBatchReader } from '../lists/batches.js';
import type { RunPlan, RunTuning } from './plan.js';
import type { Slots } from './slots.js';

/** A written row waits at most so long for others. */
const WAIT_MS = 250;
/** If nothing is in flight any more, it waits so long. */
const IDLE_MS = 20;

/** How many rows may have been sent and have no outcome yet. */
export function rowsUnderWay(
	{ checks }: Pick<RunPlan, 'checks'>,
	{ concurrency }: Pick<RunTuning, 'concurrency'>,
): number {
	return checks.verify ? concurrency + BATCH_SIZE : concurrency;
}

export interface ReadAfterParts {
	dialect: Dialect;
	slots: Slots;
	clock: Pick<SendClock, 'sleep'>;
	stop: AbortSignal;
	/** Retries; never rejects. */
	send(request: Request): Promise<Outcome>;
}

export type ReadAfter = ReturnType<typeof createReadAfter>;

interface Waiting {
	write: Request;
	resolve(outcome: Outcome): void;
}

export function createReadAfter({ dialect, slots, clock, stop, send }: ReadAfterParts) {
	/** The service asks to wait longer than a run does: it isn't asked again. */
	let putOff: Outcome | undefined;
	const reader = createBatchReader({
		dialect,
		concurrency: 1,
		async send(request) {
			const outcome = putOff ?? (await send(request));
			if (outcome.code === 'wait_too_long') putOff = outcome;
			return outcome;
		},
	});
	let waiting: Waiting[] = [];
	let isTimed = false;

	const readAlone = (write: Request): Promise<Outcome> => slots.run(() => reader.readAlone(write));

	async function flush(): Promise<void> {
		const batch = waiting;
		waiting = [];
		if (batch.length === 0) return;
		const found = await slots.run(() => reader.readLists(batch.map(({ write }) => write)));
		for (const { write, resolve } of batch) {
			const outcome = found.get(write);
			if (outcome !== undefined) resolve(outcome);
			else void readAlone(write).then(resolve);
		}
	}

	/** Flushes when the rows have waited long enough, or nothing else is going on. */
	async function watch(): Promise<void> {
		isTimed = true;
		for (let waited = 0; waited < WAIT_MS && waiting.length > 0; waited += IDLE_MS) {
			const wasIdle = slots.isIdle;
			await clock.sleep(IDLE_MS, stop);
			if (stop.aborted || (wasIdle && slots.isIdle)) break;
		}
		isTimed = false;
		await flush();
	}

	return {
		read(write: Request): Promise<Outcome> {
			if (stop.aborted || readOfWrite(write.endpoint) === undefined) return readAlone(write);
			return new Promise((resolve) => {
				waiting.push({ write, resolve });
				if (waiting.length >= BATCH_SIZE) void flush();
				else if (!isTimed) void watch();
			});
		},
	};
}
