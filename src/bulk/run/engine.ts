/** Starts rows in input order, and those of one object one after the other. */

import type { RunRow } from './rows.js';

export interface EngineOptions {
	rows: AsyncIterable<readonly RunRow[]>;
	limit(): number;
	/** Sends a row and records its outcome. A rejection stops the run. */
	perform(row: RunRow): Promise<void>;
	stop: AbortSignal;
}

const MOST_WAITING = 1000;

/** Rows not started when `stop` aborts have no outcome. @throws what `rows` or `perform` throws, once nothing is in flight */
export async function runEngine(options: EngineOptions): Promise<void> {
	await new Engine(options).run();
}

class Engine {
	/** Rows that wait for one of their object which is under way, by key. */
	readonly #objects = new Map<string, RunRow[] | undefined>();
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
				for (const row of batch) {
					while (this.#isFull() && this.#goesOn()) await this.#change();
					if (this.#goesOn()) this.#start(row);
				}
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

	#isFull(): boolean {
		return this.#objects.size >= this.options.limit() || this.#waitingRows >= MOST_WAITING;
	}

	#change(): Promise<void> {
		return new Promise((resolve) => {
			this.#wake = resolve;
		});
	}

	#start(row: RunRow): void {
		const { key } = row.request;
		if (!this.#objects.has(key)) {
			this.#objects.set(key, undefined);
			void this.#work(row);
			return;
		}
		const queue = this.#objects.get(key);
		if (queue === undefined) this.#objects.set(key, [row]);
		else queue.push(row);
		this.#waitingRows++;
	}

	async #work(first: RunRow): Promise<void> {
		const { key } = first.request;
		try {
			let row: RunRow | undefined = first;
			while (this.#goesOn()) {
				await this.options.perform(row);
				row = this.#objects.get(key)?.shift();
				if (row === undefined) break;
				this.#waitingRows--;
				this.#wake();
			}
		} catch (error) {
			this.#failure ??= { error };
		}
		this.#objects.delete(key);
		this.#wake();
	}
}
