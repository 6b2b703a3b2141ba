/** Work on several items at a time whose results are wanted in the order of the items. */

/**
 * Yields each item's result in the items' order, with at most `concurrency` under way. The slowest is waited for, so
 * nothing piles up behind it.
 * @param work Never rejects.
 */
export async function* inOrder<T, R>(
	batches: AsyncIterable<readonly T[]>,
	concurrency: number,
	work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
	const underWay: Promise<R>[] = [];
	try {
		for await (const batch of batches) {
			for (const item of batch) {
				underWay.push(work(item));
				if (underWay.length >= concurrency) yield await (underWay.shift() as Promise<R>);
			}
		}
		while (underWay.length > 0) yield await (underWay.shift() as Promise<R>);
	} finally {
		await Promise.all(underWay);
	}
}
