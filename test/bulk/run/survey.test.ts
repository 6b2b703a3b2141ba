import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/api/endpoints.js';
import { createPlanner } from '../../../src/api/plan.js';
import { checkSet, ReassignGuard } from '../../../src/bulk/run/survey.js';
import { UsageError } from '../../../src/errors.js';

describe('checkSet', () => {
	const guard = new ReassignGuard();

	it.each([
		[3, {}],
		[3, { expect: 3 }],
		[3, { max: 3 }],
		[0, { expect: 0, max: 0 }],
		[2, { expect: 2, max: 5 }],
	])('lets %i rows through with %j', (rows, limits) => {
		expect(() => checkSet({ rows, guard }, limits)).not.toThrow();
	});

	it.each([
		[2, { expect: 3 }, 'expect', '--expect 3, but there are 2 rows; nothing was sent'],
		[4, { expect: 3 }, 'expect', '--expect 3, but there are 4 rows; nothing was sent'],
		[1, { expect: 0 }, 'expect', '--expect 0, but there is 1 row; nothing was sent'],
		[4, { max: 3 }, 'max', '--max 3, but there are 4 rows; nothing was sent'],
		[1, { max: 0 }, 'max', '--max 0, but there is 1 row; nothing was sent'],
	])('stops %i rows with %j', (rows, limits, code, message) => {
		expect(() => checkSet({ rows, guard }, limits)).toThrow(expect.objectContaining({ code, message, exitCode: 2 }));
	});
});

const plan = createPlanner(endpoints['user.delete']);

function guardOver(rows: readonly [id: number, reassign: number][]): ReassignGuard {
	const guard = new ReassignGuard();
	rows.forEach(([id, reassign], index) => {
		guard.add(index + 1, plan({ ids: { id: String(id) } }), String(reassign));
	});
	return guard;
}

describe('a set of users to delete', () => {
	it('may reassign to users who stay', () => {
		expect(() =>
			guardOver([
				[5, 1],
				[6, 1],
				[7, 2],
			]).check(),
		).not.toThrow();
		expect(() => guardOver([]).check()).not.toThrow();
	});

	it('names the first row that reassigns to a user of the set, wherever that one stands', () => {
		expect(() =>
			guardOver([
				[5, 1],
				[6, 9],
				[7, 9],
				[9, 1],
			]).check(),
		).toThrow(
			expect.objectContaining({
				code: 'reassign_to_deleted',
				message: 'row 2 reassigns to user 9, who is also being deleted; nothing was sent',
			}),
		);
		expect(() => guardOver([[5, 5]]).check()).toThrow(UsageError);
	});

	it.each([
		[5, 2],
		[6, 3],
		[7, 4],
		[8, 7],
		[9, 8],
	])('names the row of receiver %i also where several rows before it share theirs', (receiver, row) => {
		const receivers = [1, 5, 6, 7, 7, 7, 8, 9];
		const guard = guardOver([...receivers.map((each, index): [number, number] => [100 + index, each]), [receiver, 1]]);
		expect(() => guard.check()).toThrow(`row ${row} reassigns to user ${receiver},`);
	});

	it('is searched rightly whatever it holds, also while it grows', () => {
		const ids = fc.integer({ min: 1, max: 3000 });
		fc.assert(
			fc.property(fc.array(ids, { maxLength: 2500 }), ids, (deleted, late) => {
				const guard = guardOver(deleted.map((id) => [id, 4000]));
				const found = () =>
					Array.from({ length: 3000 }, (_, index) => index + 1).filter((id) => guard.deletes(`${id}`));
				expect(found()).toEqual([...new Set(deleted)].sort((one, other) => one - other));
				guard.add(9999, plan({ ids: { id: `${late}` } }), '4000');
				expect(found()).toEqual([...new Set([...deleted, late])].sort((one, other) => one - other));
			}),
			{ numRuns: 30 },
		);
	});

	it('is checked in no time where every row has a receiver of its own', () => {
		const guard = guardOver(Array.from({ length: 100_000 }, (_, index) => [index + 1, index + 1_000_000]));
		expect(() => guard.check()).not.toThrow();
	}, 5000);
});

it('the guard of a large set of users knows the first of them and the last', () => {
	const plan = createPlanner(endpoints['user.delete']);
	const guard = new ReassignGuard();
	for (let id = 1; id <= 5000; id++) guard.add(id, plan({ ids: { id: String(id) } }), '9999');
	expect(['1', '1024', '5000', '5001'].map((id) => guard.deletes(id))).toEqual([true, true, true, false]);
});
