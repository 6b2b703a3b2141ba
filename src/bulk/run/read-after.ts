/** Reads objects back after their writes, up to a hundred with one request. */

import { PAGE_SIZE } from '../../api/reads.js';
import type { Request } from '../../api/request.js';
import type { Outcome } from '../../http/outcome.js';
import type { SendOptions } from '../../http/send.js';
import type { BatchReader } from '../lists/batches.js';
import type { RunPlan, RunTuning } from '../plan.js';

/** Rows that may have been sent and have no outcome yet: after a kill, so many are in doubt. */
export function rowsUnderWay({ checks }: RunPlan, { concurrency }: RunTuning): number {
	return checks.verify ? concurrency + PAGE_SIZE : concurrency;
}

/** At most so many requests in flight, in the order in which they were asked for. */
export class Slots {
	#busy = 0;
	readonly #holding = new Set<number>();
	readonly #waiting: (() => void)[] = [];

	constructor(private readonly limit: () => number) {}

	async run<T>(work: () => Promise<T>): Promise<T> {
		await this.#take();
		try {
			return await work();
		} finally {
			this.#leave();
		}
	}

	/** A row keeps its slot from its first read to its write: what the write relies on must not grow old in between. */
	async hold(row: number): Promise<void> {
		if (this.#holding.has(row)) return;
		await this.#take();
		this.#holding.add(row);
	}

	release(row: number): void {
		if (this.#holding.delete(row)) this.#leave();
	}

	async #take(): Promise<void> {
		if (this.#waiting.length === 0 && this.#busy < this.limit()) this.#busy++;
		else {
			await new Promise<void>((resolve) => {
				this.#waiting.push(resolve);
			});
		}
	}

	#leave(): void {
		this.#busy--;
		while (this.#waiting.length > 0 && this.#busy < this.limit()) {
			this.#busy++;
			this.#waiting.shift()?.();
		}
	}
}

const GATHER_MS = 20;

interface Waiting {
	write: Request;
	resolve(outcome: Outcome): void;
}

/** Written rows gather while their read waits for a slot behind the rows that are still to be written. */
export class ReadAfter {
	readonly #waiting: Waiting[] = [];
	#isReading = false;

	constructor(
		private readonly reader: BatchReader,
		private readonly slots: Slots,
		private readonly clock: SendOptions['clock'],
	) {}

	read(write: Request): Promise<Outcome> {
		return new Promise((resolve) => {
			this.#waiting.push({ write, resolve });
			if (!this.#isReading) void this.#readWaiting();
		});
	}

	async #readWaiting(): Promise<void> {
		this.#isReading = true;
		while (this.#waiting.length > 0) {
			await this.#gather();
			let batch: Waiting[] = [];
			const found = await this.slots.run(() => {
				batch = this.#waiting.splice(0, PAGE_SIZE);
				return this.reader.readLists(batch.map(({ write }) => write));
			});
			for (const { write, resolve } of batch) {
				const outcome = found.get(write);
				if (outcome !== undefined) resolve(outcome);
				else void this.slots.run(() => this.reader.readAlone(write)).then(resolve);
			}
		}
		this.#isReading = false;
	}

	async #gather(): Promise<void> {
		for (let before = 0; before < this.#waiting.length && this.#waiting.length < PAGE_SIZE; ) {
			before = this.#waiting.length;
			await this.clock.sleep(GATHER_MS);
		}
	}
}
