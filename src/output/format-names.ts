/** The output formats by name. */

/** What each can hold: any value, or rows alone, among which a service's error would be read as one more. */
const holds = {
	table: 'anything',
	json: 'anything',
	ndjson: 'anything',
	csv: 'rows',
	tsv: 'rows',
	yaml: 'anything',
	ids: 'rows',
	count: 'rows',
} as const;

export type Format = keyof typeof holds;

export const formats = Object.keys(holds) as readonly Format[];

/** Whether a format has no place for what is no row. */
export function holdsRowsAlone(format: Format): boolean {
	return holds[format] === 'rows';
}
