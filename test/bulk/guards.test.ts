import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../src/api/endpoints.js';
import { createPlanner } from '../../src/api/plan.js';
import { checkSet, needsQuestion, ReassignGuard, type WriteGuardFacts } from '../../src/bulk/run/survey.js';
import { UsageError } from '../../src/errors.js';

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

function guardOver(rows: readonly [id: number, reassign: number | undefined][]): ReassignGuard {
	const guard = new ReassignGuard();
	rows.forEach(([id, reassign], index) => {
		guard.add(index + 1, plan({ ids: { id: String(id) } }), reassign === undefined ? undefined : String(reassign));
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
				[8, undefined],
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
				message: 'row 2 reassigns to user 9, who is deleted in the same set; nothing was sent',
			}),
		);
		expect(() => guardOver([[5, 5]]).check()).toThrow(UsageError);
	});

	it('is searched rightly whatever it holds, also while it grows', () => {
		const ids = fc.integer({ min: 1, max: 3000 });
		fc.assert(
			fc.property(fc.array(ids, { maxLength: 2500 }), ids, (deleted, late) => {
				const guard = guardOver(deleted.map((id) => [id, undefined]));
				const found = () =>
					Array.from({ length: 3000 }, (_, index) => index + 1).filter((id) => guard.deletes(`${id}`));
				expect(found()).toEqual([...new Set(deleted)].sort((one, other) => one - other));
				guard.add(9999, plan({ ids: { id: `${late}` } }), undefined);
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

const facts: WriteGuardFacts = {
	action: 'delete 12 tickets',
	asks: true,
	host: 'desk.example',
	profile: 'desk',
	protected: false,
	yes: false,
	confirm: undefined,
};

describe('needsQuestion', () => {
	it('asks before a delete, naming count, host and profile', () => {
		expect(needsQuestion(facts, true)).toBe('Delete 12 tickets on desk.example (profile desk)?');
		expect(needsQuestion({ ...facts, profile: undefined }, true)).toBe('Delete 12 tickets on desk.example?');
	});

	it('asks nothing with --yes, nor before an update', () => {
		expect(needsQuestion({ ...facts, yes: true }, false)).toBeUndefined();
		expect(needsQuestion({ ...facts, asks: false }, false)).toBeUndefined();
	});

	it('refuses a delete where nobody can be asked', () => {
		expect(() => needsQuestion(facts, false)).toThrow(
			expect.objectContaining({
				code: 'needs_yes',
				message:
					'to delete 12 tickets on desk.example (profile desk) without a terminal to ask on, give --yes; nothing was sent',
			}),
		);
	});

	it('wants the name of a protected profile for every write, --yes or not', () => {
		for (const asks of [true, false]) {
			const guarded = { ...facts, asks, protected: true, yes: true };
			expect(() => needsQuestion(guarded, true)).toThrow(
				expect.objectContaining({
					code: 'protected_profile',
					message: 'profile desk is protected: delete 12 tickets on desk.example (profile desk) needs --confirm=desk',
					details: [],
				}),
			);
			expect(() => needsQuestion({ ...guarded, confirm: 'live' }, true)).toThrow(
				expect.objectContaining({ code: 'protected_profile', details: ['--confirm=live names another profile'] }),
			);
			expect(needsQuestion({ ...guarded, confirm: 'desk' }, false)).toBeUndefined();
		}
	});

	it('still asks before a delete with a protected profile that was named', () => {
		expect(needsQuestion({ ...facts, protected: true, confirm: 'desk' }, true)).toContain('Delete 12 tickets');
	});

	it('refuses a confirmation of another profile also where none is needed', () => {
		expect(() => needsQuestion({ ...facts, confirm: 'live' }, true)).toThrow(
			expect.objectContaining({
				code: 'protected_profile',
				message: '--confirm=live, but the profile is desk',
			}),
		);
		expect(() => needsQuestion({ ...facts, profile: undefined, confirm: 'live' }, true)).toThrow('the profile is none');
		expect(() => needsQuestion({ ...facts, profile: undefined, protected: true }, true)).toThrow('needs --confirm=');
		expect(needsQuestion({ ...facts, confirm: 'desk', yes: true }, false)).toBeUndefined();
	});
});

it('the guard of a large set of users knows the first of them and the last', () => {
	const plan = createPlanner(endpoints['user.delete']);
	const guard = new ReassignGuard();
	for (let id = 1; id <= 5000; id++) guard.add(id, plan({ ids: { id: String(id) } }), undefined);
	expect(['1', '1024', '5000', '5001'].map((id) => guard.deletes(id))).toEqual([true, true, true, false]);
});

it('the guard of users who each have a receiver of their own stays small', () => {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	const request = createPlanner(endpoints['user.delete'])({ ids: { id: '7' } });
	const guard = new ReassignGuard();
	collect();
	const before = process.memoryUsage();
	for (let row = 1; row <= 500_000; row++) guard.add(row, request, String(1_000_000 + row));
	// What one collection finds is freed by the next at the latest.
	collect();
	collect();
	const after = process.memoryUsage();
	const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
	expect(bytes).toBeLessThan(20_000_000);
	expect(() => guard.check()).not.toThrow();
	guard.add(500_001, createPlanner(endpoints['user.delete'])({ ids: { id: '1400000' } }), '7');
	expect(() => guard.check()).toThrow('row 400000 reassigns to user 1400000');
});
