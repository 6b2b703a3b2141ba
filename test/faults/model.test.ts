/** Random commands against a desk that fails: what outcomes, undo and exit codes say is what the desk did. */

import { describe, it } from 'vitest';
import { besideOthers } from '../support/test-end.js';
import { walk } from './model/walk.js';

/** The same walks each time, so that a change which breaks one is to blame; `FAULTS_SEED=1000 MODEL_WALKS=500` makes others. */
const first = Number(process.env.FAULTS_SEED ?? 1);
const walks = Number(process.env.MODEL_WALKS ?? 50);

describe('a random walk of commands, faults, kills and edits by others leaves the desk as its outcomes say', () => {
	const seeds = Array.from({ length: walks }, (_, at) => first + at);
	it.concurrent.for(seeds)('with seed %i', { timeout: 300_000 }, async (seed, { onTestFinished }) =>
		besideOthers(onTestFinished, () => walk(seed)),
	);
});
