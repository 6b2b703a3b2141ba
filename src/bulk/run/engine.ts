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
export async function runEngine({ rows, limit, perform, stop }: EngineOptions): Promise<void> {
	const busy = new Set<string>();
	const waiting = new Map<string, RunRow[]>();
	let waitingRows = 0;
	let failure: { error: unknown } | undefined;
	let wake = (): void => undefined;
	const goesOn = (): boolean => failure === undefined && !stop.aborted;
	const change = (): Promise<void> => {
		return new Promise((resolve) => {
			wake = resolve;
		});
	};

	async function work(first: RunRow): Promise<void> {
		const { key } = first.request;
		busy.add(key);
		try {
			let row: RunRow | undefined = first;
			while (row !== undefined && goesOn()) {
				await perform(row);
				row = waiting.get(key)?.shift();
				if (row !== undefined) waitingRows--;
				wake();
			}
		} catch (error) {
			failure ??= { error };
		}
		waiting.delete(key);
		busy.delete(key);
		wake();
	}

	const onStop = (): void => wake();
	stop.addEventListener('abort', onStop);
	try {
		for await (const batch of rows) {
			for (const row of batch) {
				while (goesOn() && (busy.size >= limit() || waitingRows >= MOST_WAITING)) await change();
				if (!goesOn()) break;
				const { key } = row.request;
				if (!busy.has(key)) {
					void work(row);
					continue;
				}
				const queue = waiting.get(key);
				if (queue === undefined) waiting.set(key, [row]);
				else queue.push(row);
				waitingRows++;
			}
			if (!goesOn()) break;
		}
	} catch (error) {
		failure ??= { error };
	}
	while (busy.size > 0) await change();
	stop.removeEventListener('abort', onStop);
	if (failure !== undefined) throw failure.error;
}
