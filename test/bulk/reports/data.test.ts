import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { headerOf, outcomeOf } from '../../support/journal.js';
import { HOSTILE, reportOf, runOf } from '../../support/report.js';

describe('the JSON report', () => {
	it('holds the run, the last outcome of each row, and how many were not reached', async () => {
		const report = JSON.parse(await reportOf('json'));
		expect(report).toMatchObject({
			run: headerOf(0).id,
			command: 'ticket update',
			service: 'https://desk.example',
			profile: 'desk',
			exit: 3,
			counts: { ok: 2, failed: 1, unknown: 1, invalid: 1, skipped: 1, 'not-sent': 2, differs: 1 },
			not_reached: 2,
		});
		expect(report.rows.map((each: Record<string, unknown>) => [each.row, each.id, each.outcome])).toEqual([
			[1, '1', 'ok'],
			[2, '2', 'failed'],
			[3, '3', 'ok'],
			[4, '4', 'unknown'],
			[5, '5', 'skipped'],
			[6, undefined, 'invalid'],
			[7, '7', 'differs'],
		]);
		expect(report.rows[6].differs).toEqual([{ field: 'status', sent: 'hold', shown: 'read' }]);
	});
});

describe('the CSV report', () => {
	it('has a line for each row, with its cells as they are, and one for all that were not reached', async () => {
		const records = parse(await reportOf('csv'), { columns: true }) as unknown as Record<string, string>[];
		expect(records).toHaveLength(8);
		expect(records[7]).toEqual({
			row: '',
			line: '',
			id: '',
			outcome: 'not-sent',
			status: '',
			code: 'not_reached',
			message: '2 rows were not sent; continue with: supportctl run resume 20261121-074512-k3f9x',
			attempts: '',
			ms: '',
			differs: '',
		});
		expect(records[1]).toMatchObject({
			row: '2',
			line: '3',
			id: '2',
			outcome: 'failed',
			status: '400',
			message: `${HOSTILE.replace('\ud800', '\ufffd')} (status: is <not> one of …)`,
		});
	});

	it('has the ids of every row, also where the first could not be read', async () => {
		const unread = outcomeOf(1, { outcome: 'invalid', status: undefined, message: 'id is missing', ids: {} });
		const text = await reportOf('csv', await runOf([unread, outcomeOf(2)]));
		const rows = parse(text, { columns: true }) as unknown as Record<string, string>[];
		expect(rows.map(({ row, id, outcome }) => [row, id, outcome])).toEqual([
			['1', '', 'invalid'],
			['2', '2', 'ok'],
		]);
	});

	it('has its header also where the run reached no row', async () => {
		const text = await reportOf('csv', await runOf([], 2, { exit: 1 }));
		expect(text).toBe('row,line,outcome,status,code,message,attempts,ms,differs\n');
	});
});
