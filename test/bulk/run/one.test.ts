import { describe, expect, it } from 'vitest';
import { neutralDialect } from '../../../src/api/dialect.js';
import { planOne } from '../../../src/bulk/run/one.js';
import type { RunPlan } from '../../../src/bulk/run/plan.js';
import { planOf } from '../../support/journal.js';

const none = async (): Promise<never> => {
	throw new Error('nothing has to be looked up');
};

function ticketPlan(ids: string[], fields: Record<string, unknown>, more: Partial<RunPlan> = {}): RunPlan {
	const { values } = planOf();
	return planOf({ source: { from: 'ids', ids }, values: { ...values, fields }, ...more });
}

describe('planOne', () => {
	it('makes the request of one object, with values that no plan contains', async () => {
		const plan = ticketPlan(['14'], { title: 'x' });
		const found = await planOne(plan, { password: 'hunter2' }, neutralDialect, none);
		const body = '{"title":"x","password":"hunter2"}';
		expect(found).toMatchObject({ plan, row: { row: 1, request: { path: '/support-api/v1/tickets/14', body } } });
	});

	it('opens directories only for a name', async () => {
		await expect(planOne(ticketPlan(['14'], { assignee: 7 }), {}, neutralDialect, none)).resolves.toBeDefined();
		await expect(planOne(ticketPlan(['14'], { assignee: 'jdoe' }), {}, neutralDialect, none)).rejects.toThrow(
			'looked up',
		);
	});
});
