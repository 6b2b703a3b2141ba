/** What a state folder's journals say about an object. */

import { describe, expect, test } from 'vitest';
import { historyOf, idIn } from '../../src/bulk/history.js';
import { headerOf, outcomeOf, startJournal } from '../support/journal.js';
import { temporaryFolder } from '../support/temporary.js';

const { baseUrl } = headerOf(1).plan.service;

describe('the journals of a folder', () => {
	test('have the ID of a username, the newest first: looked up, or beside a row', async () => {
		const folder = temporaryFolder();
		expect(idIn(folder, 'users', 'ada')).toBeUndefined();
		const old = startJournal(folder, 1, undefined, { id: '20260101-000000-aaaaa', endpoint: 'user.update' });
		await old.outcome(outcomeOf(1, { ids: { id: '6', username: 'ada' } }));
		await old.close();
		expect(idIn(folder, 'users', 'ada')).toBe('6');
		const other = startJournal(folder, 1, undefined, { id: '20260102-000000-aaaaa', endpoint: 'user.update' });
		await other.record({ type: 'name', of: 'users', name: 'bob', problem: 'user "bob" not found', missing: true });
		await other.record({ type: 'name', of: 'product terms', name: 'ada', id: '9' });
		await other.outcome(outcomeOf(1, { ids: { id: '8', username: 'adam' }, message: 'not "ada"' }));
		await other.close();
		expect([idIn(folder, 'users', 'ada'), idIn(folder, 'users', 'bob')]).toEqual(['6', undefined]);
		const newest = startJournal(folder, 1, undefined, { id: '20260103-000000-aaaaa', endpoint: 'user.update' });
		await newest.record({ type: 'name', of: 'users', name: 'ada', id: '7' });
		await newest.close();
		expect(idIn(folder, 'users', 'ada')).toBe('7');
	});

	test('have the rows of an object alone, and count runs on other services that have one', async () => {
		const folder = temporaryFolder();
		const other = { ...headerOf(1).plan.service, baseUrl: 'https://other.example' };
		const runs = [
			['20260101-000000-aaaaa', {}, '14'],
			['20260102-000000-aaaaa', { service: other }, '14'],
			['20260103-000000-aaaaa', { service: other }, '15'],
			['20260104-000000-aaaaa', { endpoint: 'user.update' }, '14'],
			['20260105-000000-aaaaa', {}, '15'],
		] as const;
		for (const [id, more, own] of runs) {
			const journal = startJournal(folder, 1, undefined, { id, ...more });
			await journal.before(1, { id: own }, { values: { status: 'read' }, sent: { status: 'hold' }, absent: [] });
			await journal.outcome(outcomeOf(1, { ids: { id: own } }));
			await journal.close();
		}
		const ask = async () => undefined;
		const here = await historyOf(folder, { noun: 'ticket', id: '14', baseUrl }, ask);
		expect([here.entries.map(({ header }) => header.id), here.elsewhere, here.runs]).toEqual([
			['20260101-000000-aaaaa'],
			1,
			5,
		]);
		const all = await historyOf(folder, { noun: 'ticket', id: '14' }, ask);
		expect(all.entries).toHaveLength(2);
		expect(await historyOf(folder, { noun: 'reply', id: '14' }, ask)).toMatchObject({ entries: [], elsewhere: 0 });
	});
});
