/** The argument that names a run; by itself, so that help does not load what finds one. */

import type { ArgumentSpec } from './command.js';

export const runArgument = {
	name: 'run',
	help: "A run's id, a unique start of one, last, or a journal's path",
	required: true,
	completes: 'runs',
} as const satisfies ArgumentSpec;

/** The argument that names one run or several. */
export const runsArgument = { ...runArgument, variadic: true } as const satisfies ArgumentSpec;
