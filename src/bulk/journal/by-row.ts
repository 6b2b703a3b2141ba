/** Numbers by row. Room is taken by the rows that have one: a journal from elsewhere may promise any number of rows. */

const CHUNK = 1024;

export class ByRow {
	readonly #chunks = new Map<number, Uint16Array | Float64Array>();

	constructor(private readonly kind: typeof Uint16Array | typeof Float64Array) {}

	/** 0 if it has none. */
	get(row: number): number {
		return this.#chunks.get(Math.floor(row / CHUNK))?.[row % CHUNK] ?? 0;
	}

	set(row: number, value: number): void {
		const at = Math.floor(row / CHUNK);
		let chunk = this.#chunks.get(at);
		if (chunk === undefined) {
			chunk = new this.kind(CHUNK);
			this.#chunks.set(at, chunk);
		}
		chunk[row % CHUNK] = value;
	}

	/** In ascending order, those whose number is not 0. */
	*entries(): Generator<[row: number, value: number]> {
		const chunks = [...this.#chunks].sort(([one], [other]) => one - other);
		for (const [number, chunk] of chunks) {
			for (const [at, value] of chunk.entries()) {
				if (value !== 0) yield [number * CHUNK + at, value];
			}
		}
	}
}
