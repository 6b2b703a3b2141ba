/** What bulk input is: raw rows, the formats they come in, and ids on the command line as the simplest of them. */

export const inputFormats = ['csv', 'tsv', 'ndjson', 'json', 'ids'] as const;

export type InputFormat = (typeof inputFormats)[number];

/** One row as it was written, before anything is known about its columns. */
export interface RawRow {
	/** 1-based place among the rows; a header and empty lines do not count. */
	readonly row: number;
	/** 1-based line on which the row starts; undefined for ids on the command line. */
	readonly line: number | undefined;
	/** CSV and TSV: one text a column, in the header's order. */
	readonly cells?: readonly string[];
	/** NDJSON and JSON. */
	readonly object?: Readonly<Record<string, unknown>>;
	/** A list of ids. */
	readonly id?: string;
	/** Why the row can't be read at all; then nothing else is there. */
	readonly problem?: string;
}

/** Rows come many at a time: a promise a row would cost more than the row. */
export type Batch = readonly RawRow[];

/** Bulk input that can be read any number of times, each time with the same rows or with an error. */
export interface InputSource {
	/** What messages call it: `edits.csv`, `standard input`, `arguments`. */
	readonly name: string;
	/** Where the bytes are: the file, or where `keep` puts a copy of standard input; undefined for arguments. */
	readonly path?: string | undefined;
	readonly format: InputFormat;
	/** The header of CSV and TSV, the line on which it stands, and the separator. */
	readonly columns?: readonly string[] | undefined;
	readonly headerLine?: number | undefined;
	readonly delimiter?: string | undefined;
	/** Of the bytes as they are on disk, known after the first whole pass. */
	readonly sha256: string | undefined;
	/** Whether the bytes are a private copy that dispose removes. */
	readonly spooled: boolean;
	/** Yields the rows from the first on. @throws UsageError that names the line, or says that the file has changed */
	read(): AsyncIterable<Batch>;
	/** Gives a copy of standard input a name, so that a resume finds it. Not for input with secrets. */
	keep(): Promise<void>;
	/** Closes the file and removes a spooled copy, unless it is kept for a resume. */
	dispose(options?: { keep?: boolean }): Promise<void>;
}

/** Ids from the command line, one row each. */
export function openArguments(ids: readonly string[]): InputSource {
	const batch: Batch = ids.map((id, index) => ({ row: index + 1, line: undefined, id }));
	return {
		name: 'arguments',
		format: 'ids',
		spooled: false,
		// For the journal, which a single request does not have: most calls never load this.
		get sha256() {
			const { createHash } = process.getBuiltinModule('node:crypto');
			return createHash('sha256').update(JSON.stringify(ids)).digest('hex');
		},
		async *read() {
			if (batch.length > 0) yield batch;
		},
		keep: async () => undefined,
		dispose: async () => undefined,
	};
}
