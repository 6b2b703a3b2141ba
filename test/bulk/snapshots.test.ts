import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type OldValues, oldValues, type Unrestored } from '../../src/bulk/snapshots.js';
import type { Outcome } from '../../src/http/outcome.js';
import { outcomeOf, startJournal } from '../support/journal.js';
import { temporaryFolder } from '../support/temporary.js';

/** What an undo would find in a journal with these snapshots: the old values, and what can't be put back. */
async function undoOf(
	snapshots: readonly { ticket: string; values: Record<string, unknown>; absent?: string[] }[],
	more = '',
): Promise<{ old: OldValues[]; unrestored: Record<string, Record<string, number>> }> {
	const journal = startJournal(temporaryFolder(), 100);
	for (const [index, { ticket, values, absent }] of snapshots.entries()) {
		await journal.before(index + 1, { ticket_id: ticket }, values, absent);
		await journal.outcome(outcomeOf(index + 1, { ids: { ticket_id: ticket } }));
	}
	journal.close();
	appendFileSync(journal.path, more);
	const unrestored: Unrestored = new Map();
	const old: OldValues[] = [];
	for await (const each of oldValues(journal.path, unrestored)) old.push(each);
	return {
		old,
		unrestored: Object.fromEntries([...unrestored].map(([why, names]) => [why, Object.fromEntries(names)])),
	};
}

describe('oldValues', () => {
	it('gives each ticket’s values as they were, in the journal’s order', async () => {
		const { old, unrestored } = await undoOf([
			{ ticket: '14', values: { colour: 'red', count: 3, done: true, note: null } },
			{ ticket: '12', values: { colour: '' } },
		]);
		expect(old).toEqual([
			{
				ticket: '14',
				fields: [
					['colour', 'red'],
					['count', 3],
					['done', true],
					['note', null],
				],
			},
			{ ticket: '12', fields: [['colour', '']] },
		]);
		expect(unrestored).toEqual({});
	});

	it('leaves alone what was surely not written', async () => {
		const journal = startJournal(temporaryFolder(), 100);
		const ends: [row: number, more: Partial<Outcome>][] = [
			[1, { outcome: 'failed', status: 403, code: 'rest_cannot_create' }],
			[2, { outcome: 'not-sent' }],
			[3, { outcome: 'differs', status: 200, code: 'differs' }],
			[4, { outcome: 'unknown', status: 200, code: 'not_verified' }],
			[5, { outcome: 'unknown' }],
			[6, { outcome: 'ok' }],
		];
		for (const [row, more] of ends) {
			const ids = { ticket_id: String(row) };
			await journal.before(row, ids, { colour: 'red' });
			await journal.outcome(outcomeOf(row, { ids, ...more }));
		}
		// Under way when the process died; and refused after an attempt whose answer was lost.
		await journal.before(7, { ticket_id: '7' }, { colour: 'red' });
		await journal.before(8, { ticket_id: '8' }, { colour: 'red' });
		await journal.attempt({ row: 8, attempt: 1, lost: true });
		await journal.outcome(outcomeOf(8, { ids: { ticket_id: '8' }, outcome: 'failed', status: 400 }));
		journal.close();
		const tickets: string[] = [];
		for await (const { ticket } of oldValues(journal.path, new Map())) tickets.push(ticket);
		expect(tickets).toEqual(['3', '4', '5', '6', '7', '8']);
	});

	it.each<[string, Partial<Outcome>]>([
		['is skipped by the resume, which finds the new value', { outcome: 'skipped', code: 'unchanged' }],
		['is refused in the resume', { outcome: 'failed', status: 403, code: 'rest_cannot_create' }],
		['is not sent by the resume', { outcome: 'not-sent' }],
	])('takes a row whose process died after its snapshot, though it %s', async (_, more) => {
		const journal = startJournal(temporaryFolder(), 100);
		await journal.before(1, { ticket_id: '1' }, { colour: 'red' });
		journal.close();
		appendFileSync(journal.path, '{"type":"resume","at":"x","tool":"1"}\n');
		const resumed = { type: 'row', row: 1, ticket_id: '1', attempts: 0, ms: 0, ...more };
		appendFileSync(journal.path, `${JSON.stringify(resumed)}\n`);
		const old: OldValues[] = [];
		for await (const each of oldValues(journal.path, new Map())) old.push(each);
		expect(old).toEqual([{ ticket: '1', fields: [['colour', 'red']] }]);
	});

	it('takes what was there before the run, however often the run wrote it', async () => {
		const { old } = await undoOf([
			{ ticket: '14', values: { colour: 'red' } },
			{ ticket: '14', values: { colour: 'blue', size: 'L' } },
			{ ticket: '14', values: { colour: 'green', size: 'XL' } },
			{ ticket: '1', values: { colour: 'grey' } },
		]);
		expect(old).toEqual([
			{ ticket: '14', fields: [['colour', 'red']] },
			{ ticket: '14', fields: [['size', 'L']] },
			{ ticket: '1', fields: [['colour', 'grey']] },
		]);
	});

	it('names what can’t be put back, with how many tickets have it, and gives the rest', async () => {
		const { old, unrestored } = await undoOf([
			{ ticket: '1', values: { 'api-token': 'x', parts: ['a'], colour: 'red' }, absent: ['size'] },
			{ ticket: '2', values: { 'api-token': 'y', parts: { a: 1 } }, absent: ['size', 'weight'] },
		]);
		expect(old).toEqual([{ ticket: '1', fields: [['colour', 'red']] }]);
		expect(unrestored).toEqual({
			secret: { 'api-token': 2 },
			absent: { size: 2, weight: 1 },
			'not-text': { parts: 2 },
		});
	});

	it('does not give a value that a later snapshot shows for a field that the ticket did not have', async () => {
		const { old, unrestored } = await undoOf([
			{ ticket: '1', values: {}, absent: ['colour'] },
			{ ticket: '1', values: { colour: 'red', 'api-token': 'a' } },
			{ ticket: '1', values: { colour: 'blue', 'api-token': 'b' }, absent: ['colour'] },
		]);
		expect(old).toEqual([]);
		expect(unrestored).toEqual({ absent: { colour: 1 }, secret: { 'api-token': 1 } });
	});

	it.each([
		['no JSON', '{"type":"before",'],
		['no ticket', '{"type":"before","row":1,"values":{"a":"b"}}'],
		['a ticket that is no text', '{"type":"before","row":1,"ids":{"ticket_id":1},"values":{"a":"b"}}'],
		['no values', '{"type":"before","row":1,"ids":{"ticket_id":"1"}}'],
		['null for values', '{"type":"before","row":1,"ids":{"ticket_id":"1"},"values":null}'],
		['names that are no list', '{"type":"before","row":1,"ids":{"ticket_id":"1"},"values":{"a":"b"},"withheld":"c"}'],
		['names that are no texts', '{"type":"before","row":1,"ids":{"ticket_id":"1"},"values":{"a":"b"},"absent":[1]}'],
	])('leaves a damaged snapshot out: %s', async (_, line) => {
		const { old } = await undoOf([], `${line}\n{"type":"before","row":2,"ids":{"ticket_id":"2"},"values":{"a":"b"}}\n`);
		expect(old).toEqual([{ ticket: '2', fields: [['a', 'b']] }]);
	});
});
