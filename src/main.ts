/** Wires everything; the one place where an error becomes a message and an exit code. */

import type { ProcessLike } from './io/process.js';

export async function main(_process: ProcessLike): Promise<number> {
	return 0;
}
