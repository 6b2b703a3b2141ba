/** Reads objects back after their writes, up to a hundred with one request, while other rows are sent. */

import type { Request } from '../../api/plan.js';
import { readOfWrite } from '../../api/reads.js';
import type { Outcome } from '../../http/outcome.js';
import type { SendClock } from '../../http/send.js';
import { BATCH_SIZE, type BatchReader } from '../lists/batches.js';
import type { RunPlan, RunTuning } from './plan.js';
import type { Slots } from './slots.js';

/** A written row waits at most so long for others. */
const WAIT_MS = 250;
/** If nothing is in flight any more, it waits so long. */
const IDLE_MS = 20;

/** How many rows may have been sent and have no outcome yet. */
export function rowsUnderWay({ checks }: RunPlan, { concurrency }: RunTuning): number {
	return checks.verify ? concurrency + BATCH_SIZE : concurrency;
}

interface Waiting {
	write: Request;
	resolve(outcome: Outcome): void;
}

export class ReadAfter {
	#waiting: Waiting[] = [];
	#isTimed = false;

	constructor(
		private readonly reader: BatchReader,
		private readonly slots: Slots,
		private readonly clock: SendClock,
		private readonly stop: AbortSignal | undefined,
	) {}

	read(write: Request): Promise<Outcome> {
		if (this.stop?.aborted || readOfWrite(write.endpoint) === undefined) return this.#readAlone(write);
		return new Promise((resolve) => {
			this.#waiting.push({ write, resolve });
			if (this.#waiting.length >= BATCH_SIZE) void this.#flush();
			else if (!this.#isTimed) void this.#watch();
		});
	}

	#readAlone(write: Request): Promise<Outcome> {
		return this.slots.run(() => this.reader.readAlone(write));
	}

	async #flush(): Promise<void> {
		const batch = this.#waiting;
		this.#waiting = [];
		const found = await this.slots.run(() => this.reader.readLists(batch.map(({ write }) => write)));
		for (const { write, resolve } of batch) {
			const outcome = found.get(write);
			if (outcome !== undefined) resolve(outcome);
			else void this.#readAlone(write).then(resolve);
		}
	}

	/** Flushes when the rows have waited long enough, or nothing else is going on. */
	async #watch(): Promise<void> {
		this.#isTimed = true;
		for (let waited = 0; waited < WAIT_MS && this.#waiting.length > 0; waited += IDLE_MS) {
			const wasIdle = this.slots.isIdle;
			await this.clock.sleep(IDLE_MS, this.stop);
			if (this.stop?.aborted || (wasIdle && this.slots.isIdle)) break;
		}
		this.#isTimed = false;
		if (this.#waiting.length > 0) await this.#flush();
	}
}
