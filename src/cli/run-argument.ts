/** The argument that names a run; by itself, so that help does not load what finds one. */

import type { ArgumentSpec } from './command.js';

export const runArgument: ArgumentSpec = {
	name: 'run',
	help: "A run's id, a unique start of one, last, or a journal's path",
	required: true,
	completes: 'runs',
};
