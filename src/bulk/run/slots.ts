/** At most so many requests in flight, in the order in which they were asked for. */
export class Slots {
	#busy = 0;
	readonly #waiting: (() => void)[] = [];

	constructor(private readonly limit: () => number) {}

	get isIdle(): boolean {
		return this.#busy === 0 && this.#waiting.length === 0;
	}

	async run<T>(work: () => Promise<T>): Promise<T> {
		if (this.#waiting.length === 0 && this.#busy < this.limit()) this.#busy++;
		else {
			await new Promise<void>((resolve) => {
				this.#waiting.push(resolve);
			});
		}
		try {
			return await work();
		} finally {
			this.#busy--;
			this.#wake();
		}
	}

	#wake(): void {
		while (this.#busy < this.limit()) {
			const next = this.#waiting.shift();
			if (next === undefined) return;
			this.#busy++;
			next();
		}
	}
}
