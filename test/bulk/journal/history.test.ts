/** What became of each row, folded from the parts of a run. */

import { expect, test } from 'vitest';
import { RowStates } from '../../../src/bulk/journal/history.js';
import { outcomeOf } from '../../support/journal.js';

test('a row that a retry did not reach is done as before, once that part has ended', () => {
	const states = new RowStates();
	for (const row of [1, 2]) states.record(row, outcomeOf(row));
	states.begin(['ok'], true);
	expect([states.isDone(1), states.isDone(2)]).toEqual([false, false]);
	states.record(1, outcomeOf(1));
	expect([states.isDone(1), states.isDone(2)]).toEqual([true, false]);
	states.begin([], true);
	expect([states.isDone(1), states.isDone(2)]).toEqual([true, true]);
});

test('a row that a killed retry did not reach stays open for the resume', () => {
	const states = new RowStates();
	states.record(1, outcomeOf(1));
	states.begin(['ok'], true);
	states.begin([], false);
	expect(states.isDone(1)).toBe(false);
});
