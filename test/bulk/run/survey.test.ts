import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/api/endpoints.js';
import { createPlanner } from '../../../src/api/request.js';
import { checkSet, Survey } from '../../../src/bulk/run/survey.js';
import { UsageError } from '../../../src/errors.js';
import { planOf } from '../../support/journal.js';

const plan = createPlanner(endpoints['user.delete']);

/** Deletes users. */
function surveyOver(rows: readonly [id: number, reassign: number][]): Survey {
	const survey = new Survey(planOf({ endpoint: 'user.delete' }));
	rows.forEach(([id, receiver], index) => {
		const reassign = String(receiver);
		survey.add({ row: index + 1, request: plan({ ids: { id: String(id) }, reassign }), reassign });
	});
	return survey;
}

const many = (rows: number): Survey => {
	return surveyOver(Array.from({ length: rows }, (_, index) => [index + 100, 1]));
};

describe('checkSet', () => {
	it.each([
		[3, {}],
		[3, { expect: 3 }],
		[3, { max: 3 }],
		[0, { expect: 0, max: 0 }],
		[2, { expect: 2, max: 5 }],
	])('lets %i rows through with %j', (rows, limits) => {
		const survey = many(rows);
		expect(() => checkSet(survey, limits)).not.toThrow();
	});

	it.each([
		[2, { expect: 3 }, 'expect', '--expect 3, but there are 2 rows; nothing was sent'],
		[4, { expect: 3 }, 'expect', '--expect 3, but there are 4 rows; nothing was sent'],
		[1, { expect: 0 }, 'expect', '--expect 0, but there is 1 row; nothing was sent'],
		[4, { max: 3 }, 'max', '--max 3, but there are 4 rows; nothing was sent'],
		[1, { max: 0 }, 'max', '--max 0, but there is 1 row; nothing was sent'],
	])('stops %i rows with %j', (rows, limits, code, message) => {
		const survey = many(rows);
		expect(() => checkSet(survey, limits)).toThrow(expect.objectContaining({ code, message, exitCode: 2 }));
	});
});

describe('a set of users to delete', () => {
	it('may reassign to users who stay', () => {
		const survey = surveyOver([
			[5, 1],
			[6, 1],
			[7, 2],
		]);
		expect(() => checkSet(survey, {})).not.toThrow();
	});

	it('names the first row that reassigns to a user of the set, wherever that one stands', () => {
		const survey = surveyOver([
			[5, 1],
			[6, 9],
			[7, 9],
			[9, 1],
		]);
		const message = 'row 2 reassigns to user 9, who is also being deleted; nothing was sent';
		expect(() => checkSet(survey, {})).toThrow(expect.objectContaining({ code: 'reassign_to_deleted', message }));
		const own = surveyOver([[5, 5]]);
		expect(() => checkSet(own, {})).toThrow(UsageError);
	});

	it('is checked in no time where every row has a receiver of its own', () => {
		const survey = surveyOver(Array.from({ length: 100_000 }, (_, index) => [index + 1, index + 1_000_000]));
		expect(() => checkSet(survey, {})).not.toThrow();
	}, 5000);
});

it('a taxonomy is known before the first row, also if only a late row sets it', () => {
	const update = createPlanner(endpoints['ticket.update']);
	const survey = new Survey(planOf());
	for (let row = 1; row <= 300; row++) {
		const fields = row === 300 ? { product: '8', title: 'x' } : { status: 'hold' };
		survey.add({ row, request: update({ ids: { id: String(row) }, fields }) });
	}
	// Other fields are named in questions only, by those of the first rows.
	expect([...survey.fields]).toEqual(['status', 'product']);
});
