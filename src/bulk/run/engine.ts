/** Starts rows in input order, and those of one object one after the other. */

import type { RunRow } from './rows.js';

export interface EngineOptions {
	rows: AsyncIterable<readonly RunRow[]>;
	/** Rows that may be under way now. */
	limit(): number;
	/** Sends a row and records its outcome. A rejection stops the run. */
	perform(row: RunRow): Promise<void>;
	/** Nothing new is started then. */
	stop: AbortSignal;
}

/** Rows that wait for others of their object; more would only fill the memory. */
const MOST_WAITING = 1000;

/** Rows not started when `stop` aborts have no outcome. @throws what `rows` or `perform` throws, once nothing is in flight */
export async function runEngine(options: EngineOptions): Promise<void> {
	await new Engine(options).run();
}

class Engine {
	/** Rows that wait for one of their object which is under way, by key. */
	readonly #objects = new Map<string, RunRow[]>();
	#waitingRows = 0;
	#batch: readonly RunRow[] = [];
	#next = 0;
	#failure: { error: unknown } | undefined;
	#wake = (): void => undefined;

	constructor(private readonly options: EngineOptions) {}

	async run(): Promise<void> {
		const { rows, stop } = this.options;
		const onStop = (): void => this.#wake();
		stop.addEventListener('abort', onStop);
		try {
			for await (const batch of rows) {
				this.#batch = batch;
				this.#next = 0;
				while (!this.#startRows()) await this.#change();
				if (!this.#goesOn()) break;
			}
		} catch (error) {
			this.#failure ??= { error };
		}
		while (this.#objects.size > 0) await this.#change();
		stop.removeEventListener('abort', onStop);
		if (this.#failure !== undefined) throw this.#failure.error;
	}

	#goesOn(): boolean {
		return this.#failure === undefined && !this.options.stop.aborted;
	}

	#change(): Promise<void> {
		return new Promise((resolve) => {
			this.#wake = resolve;
		});
	}

	/** @returns whether the batch is done */
	#startRows(): boolean {
		while (this.#next < this.#batch.length && this.#goesOn()) {
			if (this.#objects.size >= this.options.limit() || this.#waitingRows >= MOST_WAITING) return false;
			this.#start(this.#batch[this.#next++] as RunRow);
		}
		return true;
	}

	#start(row: RunRow): void {
		const { key } = row.request;
		const waiting = this.#objects.get(key);
		if (waiting === undefined) {
			this.#objects.set(key, []);
			void this.#work(key, row);
		} else {
			waiting.push(row);
			this.#waitingRows++;
		}
	}

	async #work(key: string, first: RunRow): Promise<void> {
		for (let row: RunRow | undefined = first; row !== undefined; ) {
			try {
				await this.options.perform(row);
			} catch (error) {
				this.#failure ??= { error };
			}
			row = this.#goesOn() ? this.#objects.get(key)?.shift() : undefined;
			if (row === undefined) this.#objects.delete(key);
			else this.#waitingRows--;
			if (this.#startRows()) this.#wake();
		}
	}
}
