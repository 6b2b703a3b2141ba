/** A number for each row of a run, in pages, so that neither a large input nor a damaged row number claims memory. */

const PAGE_BITS = 16;
const PAGE = 1 << PAGE_BITS;

type Page = Uint8Array | Uint16Array | Float64Array;

export class RowNumbers {
	readonly #pages = new Map<number, Page>();
	readonly #Page: new (
		length: number,
	) => Page;

	/** @param Page The kind of array that holds the largest number. */
	constructor(Page: new (length: number) => Page) {
		this.#Page = Page;
	}

	/** The row's number; 0 where none was set. */
	get(row: number): number {
		return this.#pages.get(row >>> PAGE_BITS)?.[row & (PAGE - 1)] ?? 0;
	}

	set(row: number, value: number): void {
		let page = this.#pages.get(row >>> PAGE_BITS);
		if (page === undefined) {
			if (value === 0) return;
			page = new this.#Page(PAGE);
			this.#pages.set(row >>> PAGE_BITS, page);
		}
		page[row & (PAGE - 1)] = value;
	}

	/** The last row whose number is accepted; 0 where none is. */
	findLast(accepts: (value: number) => boolean): number {
		for (const [page, values] of [...this.#pages].sort(([left], [right]) => right - left)) {
			const at = values.findLastIndex(accepts);
			if (at >= 0) return page * PAGE + at;
		}
		return 0;
	}
}
