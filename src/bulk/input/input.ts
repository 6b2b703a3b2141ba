/** Bulk input: raw rows, their formats, and IDs on the command line. */

import type { InputFormat } from '../sources.js';

/** As it was written, before anything is known about its columns. */
export interface RawRow {
	/** A header and empty lines don't count. */
	readonly row: number;
	readonly line: number | undefined;
	/** In the order of the header. */
	readonly cells?: readonly string[];
	/** Of NDJSON and JSON. */
	readonly object?: Readonly<Record<string, unknown>>;
	readonly id?: string;
	/** Why the row can't be read. */
	readonly problem?: string;
}

/** Each pass has the same rows, or an error. */
export interface InputSource {
	readonly name: string;
	/** The file, or the copy of stdin. */
	readonly path?: string | undefined;
	readonly format: InputFormat;
	readonly columns?: readonly string[] | undefined;
	readonly headerLine?: number | undefined;
	/** Known after the first pass. */
	readonly sha256: string | undefined;
	/** A private copy, which `dispose` removes. */
	readonly spooled: boolean;
	/** All bytes: `sha256` is known, and later passes must have the same. */
	readThrough(): Promise<void>;
	/** @throws UsageError with the line, or if the file changed */
	read(): AsyncIterable<readonly RawRow[]>;
	/** Names a copy of stdin for a resume. Not for secrets. */
	keep(): Promise<void>;
	/** @param options `keep` leaves the copy for a resume */
	dispose(options?: { keep?: boolean }): Promise<void>;
}

export function openArguments(ids: readonly string[]): InputSource {
	const batch: RawRow[] = ids.map((id, index) => ({ row: index + 1, line: undefined, id }));
	return {
		name: 'arguments',
		format: 'ids',
		spooled: false,
		// Most calls have no journal and never load this.
		get sha256() {
			const { createHash } = process.getBuiltinModule('node:crypto');
			return createHash('sha256').update(JSON.stringify(ids)).digest('hex');
		},
		readThrough: async () => undefined,
		async *read() {
			if (batch.length > 0) yield batch;
		},
		keep: async () => undefined,
		dispose: async () => undefined,
	};
}
