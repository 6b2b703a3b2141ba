/** Random commands against a desk that fails: what outcomes, undo and exit codes say is what the desk did. */

import { describe, it } from 'vitest';
import { besideOthers } from '../support/test-end.js';
import { jobKinds } from './model/jobs.js';
import type { Trouble } from './model/trouble.js';
import { press, walk } from './model/walk.js';

/** The same walks each time, so that a change which breaks one is to blame; `FAULTS_SEED=1000 MODEL_WALKS=500` makes others. */
const first = Number(process.env.FAULTS_SEED ?? 1);
const walks = Number(process.env.MODEL_WALKS ?? 50);

describe('a random walk of commands, faults, kills and edits by others leaves the desk as its outcomes say', () => {
	const seeds = Array.from({ length: walks }, (_, at) => first + at);
	it.concurrent.for(seeds)('with seed %i', { timeout: 300_000 }, async (seed, { onTestFinished }) =>
		besideOthers(onTestFinished, () => walk(seed)),
	);
});

/** What a resume has to settle: too rare in random walks for each kind of job to meet each. */
const troubles: readonly (readonly [what: string, Trouble])[] = [
	['no write arrives', { faults: { write: 1 }, only: 'reset before' }],
	['no response to a write arrives', { faults: { write: 1 }, only: 'reset after' }],
	['a write fails, or its response comes a second time', { faults: { write: 1 }, only: ['again', '502 before'] }],
	['it is killed', { killAt: 6 }],
];

describe.each(troubles)('a job leaves nothing open though %s at first', (what, trouble) => {
	const own = first + 100 * troubles.findIndex(([each]) => each === what);
	it.concurrent.for(jobKinds)('job $at', { timeout: 300_000 }, async ({ kind, at }, { onTestFinished }) =>
		besideOthers(onTestFinished, () => press(own + at, kind, trouble)),
	);
});

describe.each([
	[5, 'is written'],
	[11, 'is written'],
	[4, 'is planned and applied'],
	[8, 'is planned and applied'],
])('a job leaves alone what somebody edits at its request %i while it %s', (editAt, how) => {
	it.concurrent.for(jobKinds)('job $at', { timeout: 300_000 }, async ({ kind, at }, { onTestFinished }) =>
		besideOthers(onTestFinished, () => press(first + 1000 * editAt + at, kind, { editAt }, how !== 'is written')),
	);
});
