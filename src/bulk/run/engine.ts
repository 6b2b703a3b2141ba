/** Starts rows in input order, and those of one object one after the other. */

import type { RunRow } from './rows.js';

export interface EngineOptions {
	rows: AsyncIterable<readonly RunRow[]>;
	/** How many rows may be under way now. */
	limit(): number;
	/** Sends a row and records its outcome. A rejection stops the run. */
	perform(row: RunRow): Promise<void>;
	stop: AbortSignal;
}

/** Rows that may wait for others of their object. */
const MOST_WAITING = 1000;

/** Rows not started when `stop` aborts have no outcome. @throws what `rows` or `perform` throws, once nothing is in flight */
export async function runEngine(options: EngineOptions): Promise<void> {
	await new Engine(options).run();
}

class Engine {
	/** Keys of objects whose rows are under way. */
	readonly #busy = new Set<string>();
	readonly #waiting = new Map<string, RunRow[]>();
	#waitingRows = 0;
	#failure: { error: unknown } | undefined;
	#wake = (): void => undefined;

	constructor(private readonly options: EngineOptions) {}

	async run(): Promise<void> {
		const { rows, stop } = this.options;
		const onStop = (): void => this.#wake();
		stop.addEventListener('abort', onStop);
		try {
			for await (const batch of rows) {
				for (const row of batch) await this.#add(row);
				if (!this.#goesOn()) break;
			}
		} catch (error) {
			this.#failure ??= { error };
		}
		while (this.#busy.size > 0) await this.#change();
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

	/** Waits for room; starts the row, or puts it behind others of its object. */
	async #add(row: RunRow): Promise<void> {
		const { limit } = this.options;
		const { key } = row.request;
		const isFull = (): boolean => this.#busy.size >= limit() || this.#waitingRows >= MOST_WAITING;
		while (this.#goesOn() && isFull()) await this.#change();
		if (!this.#goesOn()) return;
		if (!this.#busy.has(key)) {
			void this.#work(row);
			return;
		}
		const queue = this.#waiting.get(key);
		if (queue === undefined) this.#waiting.set(key, [row]);
		else queue.push(row);
		this.#waitingRows++;
	}

	async #work(first: RunRow): Promise<void> {
		const { key } = first.request;
		this.#busy.add(key);
		try {
			let row: RunRow | undefined = first;
			while (row !== undefined && this.#goesOn()) {
				await this.options.perform(row);
				row = this.#waiting.get(key)?.shift();
				if (row !== undefined) this.#waitingRows--;
				this.#wake();
			}
		} catch (error) {
			this.#failure ??= { error };
		}
		this.#waiting.delete(key);
		this.#busy.delete(key);
		this.#wake();
	}
}
