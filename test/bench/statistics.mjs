/** Medians, which a noisy machine moves least. */

/** @param {readonly number[]} values */
export function median(values) {
	const sorted = [...values].sort((left, right) => left - right);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median of the ratios pair by pair: each pair was measured in one round. @param {readonly number[]} left @param {readonly number[]} right */
export function medianRatio(left, right) {
	return median(left.map((value, index) => value / right[index]));
}

/** Measures things in turn, A B A B …, so that what the machine does meanwhile meets all of them alike. */
export async function inTurn(rounds, measures) {
	const results = measures.map(() => []);
	for (let round = 0; round < rounds; round++) {
		for (const [index, measure] of measures.entries()) results[index].push(await measure());
	}
	return results;
}
