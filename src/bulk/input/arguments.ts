/** Ids from the command line as an input; by itself, since a single request needs no other. */

import type { InputSource } from './source.js';
import type { Batch } from './text.js';

/** The ids in their order, one row each. */
export function openArguments(ids: readonly string[]): InputSource {
	const batch: Batch = ids.map((id, index) => ({ row: index + 1, line: undefined, id }));
	return {
		name: 'arguments',
		file: undefined,
		path: undefined,
		format: 'ids',
		columns: undefined,
		headerLine: undefined,
		delimiter: undefined,
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
