/** Hands out rows one at a time from batches, so that workers pay for a promise only at the end of a batch. */

/** Batches from an async iterable, one row at a time, to many takers. */
export class Feed<T> {
	private readonly batches: AsyncIterator<readonly T[]>;
	private batch: readonly T[] = [];
	private at = 0;
	private ended = false;
	private loading: Promise<void> | undefined;

	constructor(source: AsyncIterable<readonly T[]>) {
		this.batches = source[Symbol.asyncIterator]();
	}

	/** A row; undefined at the end; a promise to wait for before asking again. */
	take(): T | undefined | Promise<void> {
		if (this.at < this.batch.length) return this.batch[this.at++];
		if (this.ended) return undefined;
		this.loading ??= this.load();
		return this.loading;
	}

	/** Stops reading and lets the source clean up. */
	async close(): Promise<void> {
		this.ended = true;
		await this.batches.return?.();
	}

	private async load(): Promise<void> {
		try {
			const next = await this.batches.next();
			this.ended ||= next.done === true;
			this.batch = next.done ? [] : next.value;
			this.at = 0;
		} catch (error) {
			this.ended = true;
			throw error;
		} finally {
			this.loading = undefined;
		}
	}
}
