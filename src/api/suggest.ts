/** The nearest of some known names to one that is not known. */

/** Edit distance in which swapping two neighbours counts as one step (optimal string alignment). */
export function editDistance(left: string, right: string): number {
	let beforePrevious: number[] = [];
	let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
	for (let i = 1; i <= left.length; i++) {
		const current = [i];
		for (let j = 1; j <= right.length; j++) {
			const same = left[i - 1] === right[j - 1];
			let cost = Math.min(
				(previous[j] as number) + 1,
				(current[j - 1] as number) + 1,
				(previous[j - 1] as number) + (same ? 0 : 1),
			);
			if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) {
				cost = Math.min(cost, (beforePrevious[j - 2] as number) + 1);
			}
			current.push(cost);
		}
		beforePrevious = previous;
		previous = current;
	}
	return previous[right.length] as number;
}

/** How many letters may differ: a short word differs from most others in two. */
const allowedDistance = (length: number): number => (length <= 5 ? 1 : 2);

const comparable = (name: string): string => name.slice(0, 64).toLowerCase().replace(/^-+/, '');

/** The known name spelt like `given`, or which begins with it; undefined where none is close. */
export function nearest(given: string, known: Iterable<string>): string | undefined {
	const wanted = comparable(given);
	let best: string | undefined;
	let bestDistance = Math.min(allowedDistance(wanted.length), wanted.length - 1) + 1;
	for (const name of known) {
		const candidate = comparable(name);
		const isPrefix = wanted.length >= 3 && candidate.startsWith(wanted);
		const distance = isPrefix ? 1 : editDistance(wanted, candidate);
		if (distance < bestDistance) {
			best = name;
			bestDistance = distance;
		}
	}
	return best;
}

/** `; did you mean "hold"?`, or nothing. */
export function didYouMean(given: string, known: Iterable<string>): string {
	const name = nearest(given, known);
	return name === undefined ? '' : `; did you mean "${name}"?`;
}
