/** Test data and readers of others that come without types. */

declare module 'csv-spectrum' {
	/** Calls back with each file of the suite, and the rows that it holds as JSON. */
	export default function csvSpectrum(
		done: (
			error: Error | null,
			files: { readonly name: string; readonly csv: Buffer; readonly json: Buffer }[],
		) => void,
	): void;
}

declare module 'js-yaml' {
	export function load(text: string): unknown;
}
