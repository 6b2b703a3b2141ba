/** Random commands against a desk that fails: what outcomes, undo and exit codes say is what the desk did. */

import { describe, it } from 'vitest';
import { seed } from '../support/fuzz.js';
import { besideOthers } from '../support/test-end.js';
import { walk } from './model/walk.js';

/** `MODEL_WALKS=500` makes more of them. */
const walks = Number(process.env.MODEL_WALKS ?? 50);

describe('a random walk of commands, faults, kills and edits by others leaves the desk as its outcomes say', () => {
	it.concurrent.for(Array.from({ length: walks }, (_, at) => seed + at))(
		'with seed %i',
		async (each, { onTestFinished }) => besideOthers(onTestFinished, () => walk(each)),
	);
});
