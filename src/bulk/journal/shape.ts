/** What values from a file have to be. A type that gains a key doesn't compile until its shape names it. */

import { isObject, nestingProblem } from '../../api/values.js';

/** @returns undefined if it fits, or else which part doesn't: `input.rows`, and '' for the value itself */
export type Shape<T> = ((value: unknown) => string | undefined) & {
	/** Never set: it carries the type. */
	readonly of?: T;
};

export const fitting =
	(fits: (value: unknown) => boolean) =>
	(value: unknown): string | undefined =>
		fits(value) ? undefined : '';

export function textThat(fits: (value: string) => boolean): Shape<string> {
	return fitting((value) => typeof value === 'string' && fits(value));
}

export const text = textThat(() => true);

export const flag: Shape<boolean> = fitting((value) => typeof value === 'boolean');

/** A number that JSON can hold; not negative. */
export const amount: Shape<number> = fitting((value) => typeof value === 'number' && value >= 0);

export function whole(least = 0, most = Number.MAX_SAFE_INTEGER): Shape<number> {
	return fitting((value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most);
}

/** Most code that reads values recurses. */
export const anything: Shape<unknown> = fitting((value) => nestingProblem(value) === undefined);

export function oneOf<const Value extends string | boolean>(...values: Value[]): Shape<Value> {
	return fitting((value) => values.some((each) => each === value));
}

export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
	return (value) => (value === undefined ? undefined : shape(value));
}

export function either<One, Other>(one: Shape<One>, other: Shape<Other>): Shape<One | Other> {
	return (value) => (one(value) === undefined ? undefined : other(value));
}

export function listOf<T>(shape: Shape<T>): Shape<T[]> {
	return fitting((value) => Array.isArray(value) && value.every((each) => shape(each) === undefined));
}

export function recordOf<T>(shape: Shape<T>): Shape<Record<string, T>> {
	return fitting((value) => isObject(value) && Object.values(value).every((each) => shape(each) === undefined));
}

export type Parts<T> = { readonly [Name in keyof Required<T>]: Shape<T[Name]> };

/** Other keys are ignored: a later version may write them. */
export function object<T>(parts: Parts<T>): Shape<T> {
	const entries = Object.entries<Shape<unknown>>(parts);
	return (value) => {
		if (!isObject(value)) return '';
		for (const [name, shape] of entries) {
			const misfit = shape(value[name]);
			if (misfit !== undefined) return misfit === '' ? name : `${name}.${misfit}`;
		}
		return undefined;
	};
}

/** A union whose members say by one key which they are. */
export function tagged<Key extends string, T extends { readonly [K in Key]: string }>(
	key: Key,
	members: { readonly [Tag in T[Key]]: Shape<Omit<Extract<T, { readonly [K in Key]: Tag }>, Key>> },
): Shape<T> {
	const shapes = new Map<unknown, Shape<unknown>>(Object.entries(members));
	return (value) => {
		const shape = isObject(value) ? shapes.get(value[key]) : undefined;
		return shape === undefined ? key : shape(value);
	};
}
