/** The ids of a list that were printed: exact, in any order, and small. */

/** Ids in one piece of the bitmap. */
const PIECE = 4096;

export class SeenIds {
	private readonly pieces = new Map<number, Uint32Array>();
	private readonly others = new Set<string>();

	/** Adds an object's id. @returns whether it is new; an object without an id always is */
	add(id: unknown): boolean {
		if (typeof id === 'number' && Number.isSafeInteger(id) && id >= 0) return this.addNumber(id);
		if (typeof id !== 'string' || this.others.has(id)) return typeof id !== 'string';
		this.others.add(id);
		return true;
	}

	private addNumber(id: number): boolean {
		const at = Math.floor(id / PIECE);
		let piece = this.pieces.get(at);
		if (piece === undefined) {
			piece = new Uint32Array(PIECE / 32);
			this.pieces.set(at, piece);
		}
		const place = id % PIECE;
		const [word, bit] = [place >> 5, 1 << (place & 31)];
		if (((piece[word] as number) & bit) !== 0) return false;
		piece[word] = (piece[word] as number) | bit;
		return true;
	}
}
