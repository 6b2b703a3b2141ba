/** Ids from the command line as an input: nothing to open, nothing to spool. */

import type { Batch } from './blocks.js';
import type { InputSource } from './source.js';

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
		// For the journal, which a lone request does not have: most calls never load this.
		get sha256() {
			const { createHash } = process.getBuiltinModule('node:crypto');
			return createHash('sha256').update(JSON.stringify(ids)).digest('hex');
		},
		async *read() {
			if (batch.length > 0) yield batch;
		},
		detach: async () => undefined,
		dispose: async () => undefined,
	};
}
