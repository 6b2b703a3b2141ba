/** Rows that are not sent, and why. */

import { expect, test } from 'vitest';
import { LeftRows } from '../../src/bulk/left.js';

test('rows are counted by reason, and named up to five where a person has to know them', () => {
	const left = new LeftRows();
	for (let id = 1; id <= 6; id++) left.add({ ids: { id: `${id}` }, outcome: 'invalid' }, 'ticket');
	left.add({ ids: { id: '7' }, outcome: 'skipped', code: 'unchanged' }, 'ticket', 40);
	left.add({ ids: { id: '8' }, outcome: 'failed', code: 'not_read' }, 'ticket');
	left.add({ ids: { id: '9' }, outcome: 'skipped', code: 'of_a_later_version' }, 'ticket');
	const message = 'user "nadia.chenn" not found; did you mean "nadia.chen"?';
	left.add({ ids: { username: 'nadia.chenn' }, outcome: 'skipped', code: 'not_found', message }, 'user');
	left.add(
		{ ids: { username: 'zoe' }, outcome: 'skipped', code: 'not_found', message: 'user "zoe" not found' },
		'user',
	);
	expect(left.rows).toBe(50);
	expect(left.unchanged).toBe(40);
	expect(left.texts()).toEqual([
		'6 invalid: ticket 1, ticket 2, ticket 3, ticket 4, ticket 5, …',
		'40 unchanged',
		"1 that can't be read: ticket 8",
		'1 skipped: ticket 9',
		'2 not found: nadia.chenn; did you mean nadia.chen?, zoe',
	]);
});

test('all rows are unchanged only where there are rows, and none has any other reason', () => {
	const left = new LeftRows();
	expect(left.areAllUnchanged).toBe(false);
	left.add({ ids: { id: '7' }, outcome: 'skipped', code: 'unchanged' }, 'ticket', 2);
	expect(left.areAllUnchanged).toBe(true);
	left.add({ ids: { id: '8' }, outcome: 'invalid' }, 'ticket');
	expect(left.areAllUnchanged).toBe(false);
});
