import { describe, expect, it } from 'vitest';
import { errorText, gatherRejects, rejectedRow } from '../../src/bulk/rejects.js';
import { outcomeOf, startJournal } from '../support/journal.js';
import { temporaryFolder } from '../support/temporary.js';

describe('gatherRejects', () => {
	it('gives each rejected row its last record, in any order, however long', async () => {
		const journal = startJournal(temporaryFolder(), 3000);
		const failed = (row: number, message: string) => journal.outcome(outcomeOf(row, { outcome: 'failed', message }));
		for (let row = 1; row <= 2000; row++) await failed(row, `first é${row}`);
		for (let row = 2000; row > 1000; row--) await failed(row, `second ${row}`);
		for (let row = 1; row <= 500; row++) await journal.outcome(outcomeOf(row));
		await failed(2500, 'é'.repeat(200_000));
		await failed(2501, 'after');
		journal.close();
		const rejects = await gatherRejects(journal.path, ({ outcome }) => outcome === 'failed');
		const message = (row: number) => rejects.recordOf(row)?.message;
		expect([1, 500, 501, 1000, 1001, 2000, 2400].map(message)).toEqual([
			undefined,
			undefined,
			'first é501',
			'first é1000',
			'second 1001',
			'second 2000',
			undefined,
		]);
		expect(message(2500)).toBe('é'.repeat(200_000));
		expect([2501, 600, 2000].map(message)).toEqual(['after', 'first é600', 'second 2000']);
		expect(rejects.idNames).toEqual(['id']);
		rejects.close();
	});
});

describe('rejectedRow', () => {
	const record = {
		type: 'row',
		...outcomeOf(3, { outcome: 'failed', status: 400, code: 'x', message: 'no' }),
	} as const;

	it('has the columns of the input, __proto__ too, and replaces an error of an earlier time', () => {
		const row = rejectedRow({ row: 3, line: 4, cells: ['3', 'a', 'old'] }, record, {
			columns: ['id', '__proto__', 'error'],
			idNames: ['id'],
			reason: 'error',
		});
		expect(Object.entries(row)).toEqual([
			['id', '3'],
			['__proto__', 'a'],
			['error', '400 x: no'],
		]);
	});

	it('names the line of what could not be read at all', () => {
		const invalid = { ...record, outcome: 'invalid', message: 'the line is not JSON', status: undefined } as const;
		const row = rejectedRow({ row: 3, line: 4, problem: 'x' }, invalid, {
			columns: undefined,
			idNames: ['id'],
			reason: 'error',
		});
		expect(row).toEqual({ error: 'line 4: the line is not JSON' });
	});

	it('gives the service’s reason for each field', () => {
		expect(errorText({ ...record, reasons: { status: 'is not one of a, b' } })).toBe(
			'400 x: no (status: is not one of a, b)',
		);
	});
});
