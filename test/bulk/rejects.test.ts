import { describe, expect, it } from 'vitest';
import type { RawRow } from '../../src/bulk/input/source.js';
import { errorText, gatherRejects, type RejectLayout, rejectedRow } from '../../src/bulk/rejects.js';
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

const layoutOf = (columns: string[] | undefined, more: Partial<RejectLayout> = {}): RejectLayout => ({
	columns,
	idNames: ['id'],
	reason: 'error',
	isSecret: (name) => name === 'password',
	...more,
});

describe('rejectedRow', () => {
	const record = {
		type: 'row',
		...outcomeOf(3, { outcome: 'failed', status: 400, code: 'x', message: 'no' }),
	} as const;

	it('has the columns of the input, __proto__ too, and replaces an error of an earlier time', () => {
		const row = rejectedRow(
			{ row: 3, line: 4, cells: ['3', 'a', 'old'] },
			record,
			layoutOf(['id', '__proto__', 'error']),
		);
		expect(Object.entries(row)).toEqual([
			['id', '3'],
			['__proto__', 'a'],
			['error', '400 x: no'],
		]);
	});

	it('has no secret, in cells and in objects, and leaves empty what is empty', () => {
		const layout = layoutOf(['id', 'password']);
		const of = (raw: Partial<RawRow>, used = layout) => rejectedRow({ row: 3, line: 4, ...raw }, record, used);
		const hidden = { id: '3', password: '[redacted]', error: '400 x: no' };
		expect(of({ cells: ['3', 'hunter2'] })).toEqual(hidden);
		expect(of({ object: { id: '3', password: 'hunter2' } }, layoutOf(undefined))).toEqual(hidden);
		expect(of({ cells: ['3', ''] })).toEqual({ ...hidden, password: '' });
		expect(of({ object: { id: '3', password: null } }, layoutOf(undefined))).toEqual({ ...hidden, password: null });
	});

	it('names the line of what could not be read at all', () => {
		const invalid = { ...record, outcome: 'invalid', message: 'the line is not JSON', status: undefined } as const;
		const row = rejectedRow({ row: 3, line: 4, problem: 'x' }, invalid, layoutOf(undefined));
		expect(row).toEqual({ error: 'line 4: the line is not JSON' });
	});

	it.each([
		['a cell too many', ['3', 'a', ' b', 'c"d'], { id: '3', title: 'a' }, '3;a;" b";"c""d"'],
		['a cell too few', ['3'], { id: '3', title: '' }, '3'],
	])('keeps all that was written of a row with %s', (_, cells, named, written) => {
		const invalid = { ...record, outcome: 'invalid', message: 'cells', status: undefined } as const;
		const layout = layoutOf(['id', 'title'], { asWritten: 'as_written', delimiter: ';' });
		const row = rejectedRow({ row: 3, line: 4, cells }, invalid, layout);
		expect(Object.entries(row)).toEqual([
			...Object.entries(named),
			['as_written', written],
			['error', 'line 4: cells'],
		]);
	});

	it.each([
		['a cell too many', ['3', 'ab', 'Ada', 'x'], ['3', '[redacted]', '[redacted]']],
		['a cell too few', ['3', 'ab'], ['[redacted]', '[redacted]', '']],
		['one more than that', ['ab'], ['[redacted]', '', '']],
	])('prints no cell that may be a secret of a row with %s', (_, cells, shown) => {
		const layout = layoutOf(['id', 'password', 'first_name'], { asWritten: 'as_written', delimiter: ',' });
		const row = rejectedRow({ row: 3, line: 4, cells }, record, layout);
		expect(Object.values(row)).toEqual([...shown, '[redacted]', 'line 4: 400 x: no']);
	});

	it('gives the service’s reason for each field', () => {
		expect(errorText({ ...record, reasons: { status: 'is not one of a, b' } })).toBe(
			'400 x: no (status: is not one of a, b)',
		);
	});
});
