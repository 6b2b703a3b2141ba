/** Bulk input: raw rows, their formats, and IDs on the command line. */

import type { InputFormat } from '../sources.js';

export interface RawRow {
	/** A header and empty lines don't count. */
	readonly row: number;
	readonly line: number | undefined;
	readonly cells?: readonly string[];
	readonly object?: Readonly<Record<string, unknown>>;
	readonly id?: string;
	readonly problem?: string;
}

/** Each pass has the same rows, or an error. */
export interface InputSource {
	readonly name: string;
	readonly path?: string | undefined;
	readonly format: InputFormat;
	readonly columns?: readonly string[] | undefined;
	readonly headerLine?: number | undefined;
	readonly sha256: string | undefined;
	readonly spooled: boolean;
	/** All bytes: `sha256` is known, and later passes must have the same. */
	readThrough(): Promise<void>;
	/** @throws UsageError with the line, or if the file changed */
	read(): AsyncIterable<readonly RawRow[]>;
	/** Names a copy of stdin for a resume. Not for secrets. */
	keep(): Promise<void>;
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
