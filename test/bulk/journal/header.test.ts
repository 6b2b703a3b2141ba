/** A journal may come from elsewhere: its first line is checked like a command line. */

import { expect, test } from 'vitest';
import { headerProblem } from '../../../src/bulk/journal/header.js';
import type { RunPlan } from '../../../src/bulk/plan.js';
import { headerOf, planOf } from '../../support/journal.js';

const { values } = planOf();
const term = { endpoint: 'term.update', values: { ...values, ids: { taxonomy: 'ticket_priority' } } } as const;

test.each<[string, Partial<RunPlan>]>([
	['as it is written', {}],
	['of a taxonomy', term],
	['with values', { values: { ...values, fields: { status: 'hold' }, add: { 'ticket-tag': [3] } } }],
	['with names that nobody documents', { undocumented: true, values: { ...values, fields: { own: 1 } } }],
	['of a shard', { shard: { index: 2, count: 2 } }],
])('a header %s is good', (_, more) => {
	expect(headerProblem(headerOf(3, more))).toBeUndefined();
});

test.each<[string, Partial<RunPlan>, string]>([
	['another taxonomy', { ...term, values: { ...values, ids: { taxonomy: 'users' } } }, '"users" isn\'t a taxonomy'],
	[
		'an ID that leads elsewhere',
		{ values: { ...values, ids: { ticket_id: '../users' } } },
		'"../users" isn\'t a ticket_id',
	],
	['an ID that is above', { values: { ...values, ids: { ticket_id: '..' } } }, '".." isn\'t a ticket_id'],
	['an ID in the body', { undocumented: true, values: { ...values, fields: { ID: 7 } } }, '"ID" isn\'t a field'],
	['an unknown field', { values: { ...values, fields: { role: 'x' } } }, '"role" isn\'t a field'],
	['an unknown list', { values: { ...values, add: { role: ['x'] } } }, '"role" isn\'t a field'],
	['an unknown secret', { values: { ...values, withheld: ['role'] } }, '"role" isn\'t a field'],
	['a value that is not allowed', { values: { ...values, fields: { status: 'hodl' } } }, 'status "hodl"'],
	['a shard that is not there', { shard: { index: 3, count: 2 } }, 'there is no shard 3 of 2'],
])('a header with %s is refused', (_, more, says) => {
	expect(headerProblem(headerOf(3, more))).toContain(says);
});
