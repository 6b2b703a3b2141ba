/** Objects whose keys come from outside. */

/** An empty object without a prototype, so that `__proto__` and `constructor` are names like any other. */
export function emptyRecord<T>(): Record<string, T> {
	return Object.create(null) as Record<string, T>;
}
