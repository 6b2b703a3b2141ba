/** The nearest of some known names to one that is not known. */

/** Swapping two neighbors is one step. */
export function editDistance(left: string, right: string): number {
	const rows = [Array.from({ length: right.length + 1 }, (_, index) => index)];
	const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
	for (let i = 1; i <= left.length; i++) {
		const row = [i];
		rows.push(row);
		for (let j = 1; j <= right.length; j++) {
			const isSwapped = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
			const replaced = at(i - 1, j - 1) + (left[i - 1] === right[j - 1] ? 0 : 1);
			row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, isSwapped ? at(i - 2, j - 2) + 1 : replaced));
		}
	}
	return at(left.length, right.length);
}

const comparable = (name: string): string => name.slice(0, 64).toLowerCase().replace(/^-+/, '');

/** The known name that is spelled most like `given`, or begins with it; undefined where none is near. */
export function nearest(given: string, known: Iterable<string>): string | undefined {
	const wanted = comparable(given);
	// A short word differs from most others in two letters.
	let least = Math.min(wanted.length <= 5 ? 1 : 2, wanted.length - 1) + 1;
	let found: string | undefined;
	for (const name of known) {
		const candidate = comparable(name);
		const isPrefix = wanted.length >= 3 && candidate.startsWith(wanted);
		// Each letter too many is a step of its own, so the distance can only be larger.
		if (!isPrefix && Math.abs(candidate.length - wanted.length) >= least) continue;
		const distance = isPrefix ? 1 : editDistance(wanted, candidate);
		if (distance >= least) continue;
		least = distance;
		found = name;
	}
	return found;
}

/** `; did you mean "hold"?`, or nothing if no name is near */
export function didYouMean(given: string, known: Iterable<string>): string {
	const found = nearest(given, known);
	return found === undefined ? '' : `; did you mean "${found}"?`;
}
